"""`MultipodQuasistatic-v0`: `Multipod-v0` without inertia, by the slip solver; made for many robots at a time.

The single environment is one robot of the vector environment, so that both give the same numbers to the bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ..analytic.models.multipod import MultipodParams
from .episodes import checked_numbers, judge, mapping_of, masked, rows_where, seeds_of, shown
from .kinds import from_keywords
from .quasistatic_config import QuasistaticConfig
from .restoring import RestorableEnv, RestorableVectorEnv
from .state import Randoms, State
from .surrogate import Surrogate, entries
from .turns import alone


class MultipodQuasistaticVectorEnv(RestorableVectorEnv, gymnasium.vector.VectorEnv):
    """Many quasi-static multipods, stepped together on one core; `docs/envs/multipod_quasistatic.md` has its tables.

    Args:
        num_envs: How many.
        max_episode_steps: Steps after which an episode is truncated; None is never.
        autoreset_mode: "NextStep" (Gymnasium's default), "SameStep" or "Disabled", or a `gymnasium` AutoresetMode.
        options: The fields of `QuasistaticConfig`.

    Attributes:
        simulation: The robots.
        observation_slices: Where each entry lies in the observation.
        observation_names: Name of every number of the observation.
        action_names: Name of the joint that each entry of an action drives.

    Raises:
        TypeError: If a keyword is unknown.
        ValueError: If a value is impossible; the sentence says what is allowed.
    """

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **options,
    ):
        self.autoreset_mode = checked_numbers(num_envs, max_episode_steps, autoreset_mode)
        self.config = from_keywords(QuasistaticConfig, options)
        self.num_envs, self.max_episode_steps = num_envs, max_episode_steps
        robot = self.config.robot
        self.metadata = {
            "render_modes": [],
            "render_fps": round(1 / self.config.ctrl_dt),
            "autoreset_mode": self.autoreset_mode,
        }
        self._describe(robot)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.simulation = Surrogate(num_envs, robot, self.config)
        self._busy, self._rngs = False, Randoms()
        self._over, self._steps = np.zeros(num_envs, bool), np.zeros(num_envs, int)

    def _describe(self, robot: MultipodParams) -> None:
        """Set the spaces and names of one robot."""
        pieces = entries(robot)
        labels = {name: entry.labels for name, entry in pieces.items()}
        stops = np.cumsum([len(names) for names in labels.values()])
        starts = [0, *stops[:-1]]
        self.observation_slices = {
            name: slice(int(a), int(b)) for name, a, b in zip(labels, starts, stops, strict=True)
        }
        self.observation_names = tuple(f"{name}.{label}" for name, names in labels.items() for label in names)
        self.action_names = labels["joint_angle"]
        bound = np.concatenate([np.full(len(entry.labels), entry.bound, np.float32) for entry in pieces.values()])
        self.single_observation_space = gymnasium.spaces.Box(-bound, bound, dtype=np.float32)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (len(self.action_names),), np.float32)
        self._values = [entry.value for entry in pieces.values()]

    @alone
    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None):
        """Start episodes, in all environments or those of `options["reset_mask"]`.

        Args:
            seed: One for each environment; of a lone one the environments get `seed`, `seed + 1`, ...
            options: Nothing but the mask, shape (num_envs,) of booleans.
        """
        options = mapping_of(options)
        robots = masked(options.pop("reset_mask", None), self.num_envs)
        if options:
            raise ValueError(f"unknown options {list(options)}; there is reset_mask")
        with self._all_or_nothing(np.array(robots)):
            self._rngs.seed(robots, seeds_of(seed, self.num_envs))
            self._start(np.array(robots))
        mask = np.isin(np.arange(self.num_envs), robots)
        infos = self.simulation.measurements() | {"termination": np.full(self.num_envs, "", object)}
        return self._observe(), shown(infos | {"_" + name: mask for name in infos}, self.autoreset_mode)

    def _start(self, robots: np.ndarray) -> None:
        shape = self.simulation.robots.angle.shape[1:]
        noise = [self.config.reset_noise * self._rngs[k].standard_normal(shape) for k in robots]
        self.simulation.start(robots, np.array(noise).reshape(-1, *shape))
        self._steps[robots], self._over[robots] = 0, False

    def _observe(self) -> np.ndarray:
        observation = np.empty(self.observation_space.shape, np.float32)
        for place, value in zip(self.observation_slices.values(), self._values, strict=True):
            observation[:, place] = value(self.simulation)
        return np.nan_to_num(observation, copy=False) if self.simulation.robots.broken.any() else observation

    @alone
    def step(self, actions):
        """Turn the joints for one control period; an action of one is the servos' no-load speed."""
        actions = np.array(actions, np.float64)
        if actions.shape != self.action_space.shape or not np.isfinite(actions).all():
            raise ValueError(f"actions must be finite and of shape {self.action_space.shape}, got {actions.shape}")
        waited = self._over
        if waited.any() and self.autoreset_mode is AutoresetMode.DISABLED:
            over = np.flatnonzero(waited).tolist()
            raise ValueError(f"the episodes of environments {over} are over; reset them with options['reset_mask']")
        self.simulation.step(np.clip(actions, -1.0, 1.0, out=actions), waited)
        endings = np.full(self.num_envs, "", object)
        terms, terminated = judge(self.simulation, endings, waited)
        self._steps += 1
        truncated = (self._steps >= (self.max_episode_steps or np.inf)) & ~waited
        self._over = over = terminated | truncated
        reward = sum(terms.values(), np.zeros(self.num_envs))
        restart, final, observation = waited, {}, None
        if self.autoreset_mode is AutoresetMode.SAME_STEP and over.any():
            final, restart = self._final(self._observe(), endings, terms), over
        if restart.any():
            self._start(np.flatnonzero(restart))
            endings = np.where(restart, "", endings)
        observation = self._observe()
        infos = self._infos(endings, terms, ~restart)
        return observation, reward, terminated, truncated, shown(infos, self.autoreset_mode) | final

    def _infos(self, endings, terms, stepped) -> dict[str, Any]:
        """Return measurements and terms, Gymnasium's way: beside each array, a mask of those it is of."""
        infos = self.simulation.measurements() | {"termination": endings}
        masks = dict.fromkeys(["_" + name for name in infos], np.ones(self.num_envs, bool))
        rewards = {"reward_" + name: term for name, term in terms.items()}
        return infos | masks | rewards | {"_" + name: stepped for name in rewards}

    def _final(self, observation, endings, terms) -> dict[str, Any]:
        """Return the last observation and info of the episodes that end in this step."""
        over, last = self._over.copy(), rows_where(self._over, observation)
        infos = {name: value if name[0] != "_" else over for name, value in self._infos(endings, terms, over).items()}
        return {"final_obs": last, "_final_obs": over, "final_info": infos, "_final_info": over}

    def _save(self, sims: np.ndarray) -> State:
        arrays = {"steps": self._steps[sims], "over": self._over[sims]} | self.simulation.kept_rows(sims)
        return State(self.config, arrays, self._rngs.states(sims.tolist()))

    def _restore(self, sims: np.ndarray, state: State) -> None:
        self._rngs.restore(sims.tolist(), state.randoms)
        self.simulation.take_rows(sims, state.arrays)
        self._steps[sims], self._over[sims] = state.arrays["steps"], state.arrays["over"]

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind the entries' functions, which do not pickle."""
        return self.__dict__ | {"_values": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Find the entries' functions again."""
        self.__dict__.update(state | {"_busy": False})
        self._values = [entry.value for entry in entries(self.config.robot).values()]


class MultipodQuasistaticEnv(RestorableEnv, gymnasium.Env):
    """One quasi-static multipod; options as in `QuasistaticConfig`.

    Attributes:
        vector: The vector environment of one robot that does the work; it knows names and slices.
    """

    metadata: dict[str, Any] = {"render_modes": [], "render_fps": 50}

    def __init__(self, render_mode: None = None, **options):
        if render_mode is not None:
            raise ValueError(f"the surrogate draws nothing, got render_mode {render_mode!r}; Multipod-v0 does")
        self.render_mode = None
        self.vector = MultipodQuasistaticVectorEnv(1, autoreset_mode=AutoresetMode.DISABLED, **options)
        self._busy = False
        self.observation_space = self.vector.single_observation_space
        self.action_space = self.vector.single_action_space

    @property
    def config(self) -> QuasistaticConfig:
        """The options."""
        return self.vector.config

    @property
    def ctrl_dt(self) -> float:
        """Control period [s]."""
        return self.vector.config.ctrl_dt

    @property
    def params(self) -> MultipodParams:
        """The robot."""
        return self.vector.config.robot

    @property
    def action_scale(self) -> float:
        """What an action of one means: the motors' no-load speed [rad/s]."""
        return self.params.motor.no_load_speed

    @alone
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Start an episode; there are no options."""
        if options:
            raise ValueError(f"unknown options {list(mapping_of(options))}; the surrogate has none")
        super().reset(seed=seed)
        self.vector._rngs[0] = self.np_random
        observation, infos = self.vector.reset()
        return observation[0], _first(infos)

    @alone
    def step(self, action):
        """Turn the joints for one control period."""
        self.vector._over[:] = False  # going on after the end is the caller's affair, as in every environment
        observation, reward, terminated, truncated, infos = self.vector.step(np.asarray(action)[None])
        return observation[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), _first(infos)

    def _save(self, sims: np.ndarray) -> State:
        self.vector._rngs.forget(0)  # anyone may draw from `np_random`
        return self.vector._save(sims)

    def _restore(self, sims: np.ndarray, state: State) -> None:
        self.vector._rngs[0] = self.np_random
        self.vector._restore(sims, state)


def _first(infos: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {name: value[0] for name, value in infos.items() if not name.startswith("_")}
