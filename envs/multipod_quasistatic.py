"""`MultipodQuasistatic-v1`: `Multipod-v1` without inertia, computed by the contact solver; for many robots at once.

The single environment is one robot of the vector environment, so that both are bitwise identical.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from ..analytic.models.multipod import MultipodParams
from . import observations
from .autoreset import AutoresetVectorEnv
from .episodes import checked_action, delegated, mapping_of, masked, one_at_a_time, seed_of, seeds_of
from .kinds import from_keywords
from .restoring import RestorableEnv
from .state import State
from .surrogate import QuasistaticConfig, Surrogate
from .surrogate_entries import entries


class MultipodQuasistaticVectorEnv(AutoresetVectorEnv):
    """Many quasi-static multipods, stepped together on one core; tables are in `docs/envs/multipod_quasistatic.md`.

    Args:
        num_envs: Number of robots.
        max_episode_steps: Steps after which an episode is truncated; None for never.
        autoreset_mode: "NextStep" (Gymnasium's default), "SameStep" or "Disabled", or a `gymnasium` AutoresetMode.
        options: The fields of `QuasistaticConfig`.

    Attributes:
        simulation: The robots.
        observation_slices: Where each entry lies in the observation.
        observation_names: Name of every number of the observation.
        action_names: Name of each entry of an action: a joint, or the tempo.
        config_class: Its options.

    Raises:
        TypeError: If a keyword is unknown.
        ValueError: If a value is impossible; the message says what is allowed.
    """

    config_class: type[QuasistaticConfig] = QuasistaticConfig
    simulation: Surrogate = delegated("task", "The robots.")
    ctrl_dt: float = delegated("config.ctrl_dt", "Control period [s].")
    action_names: tuple[str, ...] = delegated("task.action_names", "Name of each entry of an action.")

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **options,
    ):
        super().__init__(num_envs, max_episode_steps, autoreset_mode)
        self.config = from_keywords(self.config_class, options)
        frames = round(1 / self.config.ctrl_dt)
        self.metadata = {"render_modes": [], "render_fps": frames, "autoreset_mode": self.autoreset_mode}
        self._entries = entries(self.config)
        self.observation_slices = observations.slices(self._entries)
        self.observation_names = observations.names_of_numbers(self._entries)
        self._typical = observations.typical_values(self._entries).astype(np.float32) if self.config.scaled else None
        bound, box = observations.bounds(self._entries), gymnasium.spaces.Box
        bound = bound if self._typical is None else bound / self._typical
        self.task = Surrogate(num_envs, self.config.robot, self.config)
        self._take_spaces(
            box(-bound, bound, dtype=np.float32), box(-1.0, 1.0, (len(self.action_names),), dtype=np.float32)
        )

    @property
    def action_scale(self) -> float:
        """What an action of 1 asks for: the largest correction [rad], or a joint speed [rad/s]."""
        config = self.config
        return config.residual_range if config.action_mode == "residual" else config.robot.motor.no_load_speed

    @one_at_a_time
    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None):
        """Start episodes, in all environments or those of `options["reset_mask"]`.

        Args:
            seed: One for each environment; from a single one the environments get `seed`, `seed + 1`, ...
            options: Only the mask, shape (num_envs,) of booleans.

        Raises:
            ValueError: If there is another option, or the mask or a seed is impossible.
        """
        self._refuse_use()
        options = mapping_of(options)
        robots = masked(options.pop("reset_mask", None), self.num_envs)
        if options:
            raise ValueError(f"unknown options {list(options)}; there is reset_mask")
        with self._all_or_nothing(np.array(robots)):
            self.task.rngs.seed(robots, seeds_of(seed, self.num_envs))
            self._begin(robots)
            self._over[robots] = False
        return self._observe(), self._shown_start(robots)

    def _start(self, sims: list[int]) -> None:
        self.task.start(np.array(sims))

    def _observe(self) -> np.ndarray:
        observation = np.empty(self.observation_space.shape, np.float32)
        for place, entry in zip(self.observation_slices.values(), self._entries.values(), strict=True):
            observation[:, place] = entry.value(self.task)
        if self._typical is not None:
            observation /= self._typical
        robots = self.task.robots
        known = isfinite(robots.posture.sum() + robots.posture_rate.sum())  # the rate is not, in the step after a fall
        return observation if known else np.nan_to_num(observation, copy=False)

    def _advance(self, actions: np.ndarray, waited: np.ndarray) -> tuple[np.ndarray, None]:
        self.task.step(actions, waited)
        return np.full(self.num_envs, "", object), None

    def _save(self, sims: np.ndarray) -> State:
        arrays = {"steps": self._steps[sims], "over": self._over[sims]} | self.task.kept_rows(sims)
        return State(self.config, arrays, self.task.rngs.states(sims.tolist()))

    def _refuse_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        self.task.refuse(arrays)

    def _restore(self, sims: np.ndarray, state: State) -> None:
        self.task.rngs.restore(sims.tolist(), state.randoms)
        self.task.take_rows(sims, state.arrays)
        self._steps[sims], self._over[sims] = state.arrays["steps"], state.arrays["over"]

    def __getstate__(self) -> dict[str, Any]:
        """Drop the functions of the entries, which cannot be pickled."""
        return self.__dict__ | {"_entries": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Look up the functions of the entries again."""
        self.__dict__.update(state | {"_busy": False})
        self._entries = entries(self.config)


class MultipodQuasistaticEnv(RestorableEnv, gymnasium.Env):
    """One quasi-static multipod; options as in `QuasistaticConfig`.

    Attributes:
        vector: The vector environment of one robot that does the work; it has names and slices.
    """

    metadata: dict[str, Any] = {"render_modes": [], "render_fps": 50}
    config: QuasistaticConfig = delegated("vector.config", "The options.")
    ctrl_dt: float = delegated("vector.ctrl_dt", "Control period [s].")
    action_scale: float = delegated("vector.action_scale", "What an action of 1 asks for [rad] or [rad/s].")
    action_names: tuple[str, ...] = delegated("vector.action_names", "Name of each entry of an action.")
    observation_names: tuple[str, ...] = delegated("vector.observation_names", "Such as `foot_contact.left_0`.")
    observation_slices: dict[str, slice] = delegated("vector.observation_slices", "Where each observed entry lies.")
    vector_class: type[MultipodQuasistaticVectorEnv] = MultipodQuasistaticVectorEnv
    params: MultipodParams = delegated("vector.config.robot", "The robot.")

    def __init__(self, render_mode: None = None, **options):
        if render_mode is not None:
            raise ValueError(f"the surrogate does not render, got render_mode {render_mode!r}; Multipod-v1 does")
        self.render_mode = None
        self.vector = self.vector_class(1, autoreset_mode=AutoresetMode.DISABLED, **options)
        self._busy = False
        self.observation_space = self.vector.single_observation_space
        self.action_space = self.vector.single_action_space

    @one_at_a_time
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Start an episode; there are no options.

        Raises:
            ValueError: If there is one.
        """
        if options := mapping_of(options):
            raise ValueError(f"unknown options {list(options)}; the surrogate has none")
        super().reset(seed=seed_of(seed))
        self.vector.task.rngs[0] = self.np_random
        observation, infos = self.vector.reset()
        return observation[0], _first(self.vector.words(infos))

    @one_at_a_time
    def step(self, action):
        """Turn the joints for one control period."""
        if not self.vector._all_begun:
            self.vector._refuse_unbegun()
        self.vector._over[:] = False  # stepping after the end is the caller's responsibility, as in every environment
        actions = checked_action(action, self.action_space)[None]
        observation, reward, terminated, truncated, infos = self.vector._step(actions)
        return (
            observation[0],
            float(reward[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            _first(self.vector.words(infos)),
        )

    def _save(self, sims: np.ndarray) -> State:
        self.vector.task.rngs.forget(0)  # anyone may draw from `np_random`
        return self.vector._save(sims)

    def _refuse_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        self.vector.task.refuse(arrays)

    def _restore(self, sims: np.ndarray, state: State) -> None:
        self.vector.task.rngs[0] = self.np_random
        self.vector._restore(sims, state)


def _first(infos: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {name: value[0] for name, value in infos.items() if not name.startswith("_")}
