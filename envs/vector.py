"""Many simulations of a task as one Gymnasium vector environment, on the thread pool of `mujoco.batch`.

Every simulation goes as the single environment of the same seed and actions does, to the bit: the task is the same
code, and MuJoCo's batch promises it of the physics.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import gymnasium
import mujoco
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from mujoco.batch import Batch

from .base import BEYOND, checked_action, total, warning_sentence
from .camera import Camera
from .task import Task

STATE = mujoco.mjtState.mjSTATE_INTEGRATION


class BoundArrays:
    """A batch's arrays by MuJoCo's names, each asked for once; the likeness of an `MjData` for all simulations."""

    def __init__(self, batch: Batch):
        self._batch = batch

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        array = self._batch.bind(name)
        setattr(self, name, array)
        return array


class LeggedVectorEnv(gymnasium.vector.VectorEnv):
    """Many simulations of a task, stepped together.

    Args:
        num_envs: How many.
        max_episode_steps: Steps after which an episode is truncated; None is never.
        autoreset_mode: "NextStep" (Gymnasium's default), "SameStep" or "Disabled", or a `gymnasium` AutoresetMode.
        n_threads: Of the physics; 0 is one for each processor.
        render_mode: None or "rgb_array": `render` returns a tuple of one image for each simulation.
        width: Of an image [pixel].
        height: Of an image [pixel].
        camera: Name of the camera.
        options: The task's, the same for all simulations; `reset(options=...)` takes them too. What is drawn at the
            start of an episode (terrain, parameters) differs between simulations by their seeds.

    Attributes:
        task: The task, with arrays of leading dimension `num_envs`.
        models: The model of each simulation; one and the same where episodes do not change it.
        last_good_states: `qpos` and `qvel` before the step that diverged, by simulation, until its next episode.

    Raises:
        ValueError: If an option is unknown or its value impossible; the sentence says what is allowed.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}
    task_class: type[Task]

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        n_threads: int = 0,
        render_mode: str | None = None,
        width: int = 640,
        height: int = 480,
        camera: str = "follow",
        **options,
    ):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"unknown render mode {render_mode!r} of many simulations; there is rgb_array")
        self.num_envs, self.max_episode_steps, self.render_mode = num_envs, max_episode_steps, render_mode
        self.autoreset_mode, self._n_threads = AutoresetMode(autoreset_mode), n_threads
        self._camera = Camera(width, height, camera)
        self.task = self.task_class(shape=(num_envs,), **options)
        self.single_observation_space = self.task.observation_space
        self.single_action_space = self.task.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._bound = self.single_observation_space.high
        self._over = np.zeros(num_envs, bool)
        self._steps = np.zeros(num_envs, int)
        self.last_good_states: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._load()

    def _load(self) -> None:
        """Take the task's model as it is now."""
        task = self.task
        self._camera.close()
        self._batch = Batch(task.model, self.num_envs, self._n_threads)
        self._warnings = self._batch.warning[..., 1]  # numbers; the other column has where the last one was
        self._scratch = mujoco.MjData(task.model)
        self._data = BoundArrays(self._batch)
        self.metadata = {
            **type(self).metadata,
            "render_fps": round(1 / task.ctrl_dt),
            "autoreset_mode": self.autoreset_mode,
        }
        task.bind(self._data)
        if task.patches:
            self._data.site_xpos  # noqa: B018  read before the first step, so bound before it
        self.models = [task.model] * self.num_envs

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None):
        """Start episodes, in all simulations or those of `options["reset_mask"]`; see the task for other options.

        Args:
            seed: One for each simulation; of a lone one the simulations get `seed`, `seed + 1`, ...
            options: The task's; `qpos` and `qvel` set the start of all, shape (nq,), or of each, (num_envs, nq).
        """
        options = dict(options or {})
        sims = self._masked(options.pop("reset_mask", None))
        state = {name: np.asarray(options.pop(name), float) for name in ("qpos", "qvel") if name in options}
        if self.task.configure(options):
            if len(sims) < self.num_envs:
                raise ValueError("these options make a new model, so all simulations must be reset, not a part of them")
            self._load()
        if self.task.varies and self.models[0] is self.task.model:
            self.models = [copy.copy(self.task.model) for _ in range(self.num_envs)]
        self._seed(seed, sims)
        starts = {name: value if value.ndim == 2 else [value] * self.num_envs for name, value in state.items()}
        self._start(sims, {name: list(value) for name, value in starts.items()})
        self._over[sims] = False
        self.task.refresh()
        infos = self._infos(np.isin(np.arange(self.num_envs), sims))
        return self.task.observe(), infos

    def _masked(self, mask: np.ndarray | None) -> list[int]:
        """Return the simulations of a mask, all without one."""
        if mask is None:
            return list(range(self.num_envs))
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ValueError(f"reset_mask must be {self.num_envs} booleans, one of them true, got {mask}")
        return np.flatnonzero(mask).tolist()

    def _seed(self, seed: int | Sequence[int | None] | None, sims: list[int]) -> None:
        seeds = [seed] * self.num_envs if seed is None else seed
        if isinstance(seed, int | np.integer):
            seeds = [int(seed) + sim for sim in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"there are {self.num_envs} environments, got {len(seeds)} seeds")
        for sim in sims:
            if seeds[sim] is not None or sim not in self.task.rngs:
                self.task.rngs[sim], _ = seeding.np_random(seeds[sim])

    def _start(self, sims: list[int], state: dict[str, list[np.ndarray]]) -> None:
        """Start an episode in each of these simulations."""
        task, scratch = self.task, self._scratch
        for sim in sims:
            model = self.models[sim]
            task.start(sim, model, scratch, **{name: value[sim] for name, value in state.items()})
            if task.patches:
                mujoco.mj_forward(model, scratch)
                task.patches.follow(scratch, task.ground[sim])
            self._write(sim)
            self.last_good_states.pop(sim, None)
        if task.varies:
            self._batch.set_models(self.models)
        self._batch.forward(np.array(sims))
        self._steps[sims] = 0

    def _write(self, sim: int) -> None:
        """Make the scratch state that of a simulation."""
        mujoco.mj_getState(self.models[sim], self._scratch, self._batch.state[sim], STATE)
        self._batch.warning[sim] = 0

    def step(self, actions):
        """Hold the actions, shape (num_envs, n), for one control period; see the task for what an action means."""
        task, waited = self.task, self._over
        actions = checked_action(actions, self.action_space)
        if waited.any() and self.autoreset_mode is AutoresetMode.DISABLED:
            over = np.flatnonzero(waited).tolist()
            raise ValueError(f"the episodes of environments {over} are over; reset them with options['reset_mask']")
        task.waiting = waited if waited.any() else None
        before = self._data.qpos.copy(), self._data.qvel.copy()
        self._simulate(task.act(actions), np.flatnonzero(~waited))
        observation, endings = self._watch(before)
        task.advance()
        terms, terminated = self._judge(endings)
        self._steps += 1
        truncated = (self._steps >= (self.max_episode_steps or np.inf)) & ~waited
        self._over = terminated | truncated
        reward = total(terms.values())
        final, restart = {}, waited
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._over.any():
            final, restart = self._final(observation, endings, terms), self._over
            self._over = np.zeros(self.num_envs, bool)
        if restart.any():
            self._start(np.flatnonzero(restart).tolist(), {})
            task.refresh()
            observation = task.observe()
            endings[restart] = ""
        infos = self._infos(np.ones(self.num_envs, bool), endings, terms, ~restart)
        return observation, reward, terminated, truncated, infos | final

    def _simulate(self, controls: np.ndarray, sims: np.ndarray) -> None:
        """Step these simulations through one control period; controls have shape (n_substeps or 1, num_envs, nu)."""
        task, n_substeps, batch = self.task, self.task.n_substeps, self._batch
        sims = None if len(sims) == self.num_envs else sims
        controls = controls.swapaxes(0, 1) if sims is None else controls[:, sims].swapaxes(0, 1)
        period = task.follow_every if task.patches else n_substeps
        for first in range(0, n_substeps, period):
            if task.patches:
                task.patches.follow(self._data)
            length = min(period, n_substeps - first)
            rows = controls if controls.shape[1] == 1 else controls[:, first : first + length]
            batch.rollout(length, rows, record=(), ids=sims)

    def _watch(self, before: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Observe, and say which simulations diverged; those are put back to where they were."""
        endings = np.full(self.num_envs, "", object)
        warned = self._warnings.any(-1)
        if warned.any():
            for sim in np.flatnonzero(warned):
                endings[sim] = warning_sentence(self._warnings[sim])
            self._put_back(warned, before)
        self.task.refresh()
        observation = self.task.observe()
        within = np.abs(observation) <= self._bound
        if not within.all():
            beyond = ~within.all(-1) & ~warned & ~self._over
            endings[beyond] = BEYOND
            self._put_back(beyond, before)
            self.task.refresh()
            observation = self.task.observe()
        return observation, endings

    def _put_back(self, diverged: np.ndarray, before: tuple[np.ndarray, np.ndarray]) -> None:
        """Give these simulations their last good state, and keep it for inspection."""
        sims, scratch = np.flatnonzero(diverged), self._scratch
        for sim in sims.tolist():
            self.last_good_states[sim] = before[0][sim], before[1][sim]
            mujoco.mj_resetData(self.models[sim], scratch)
            scratch.qpos[:], scratch.qvel[:] = self.last_good_states[sim]
            self._write(sim)
        self._batch.forward(sims)

    def _judge(self, endings: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Return the reward's terms and who is terminated; note in `endings` why."""
        void = endings.astype(bool) | self._over  # diverged, or waiting for the next episode
        ended = void.copy()
        for why, holds in self.task.endings().items():
            fresh = holds & ~ended
            if fresh.any():
                endings[fresh] = why
                ended |= fresh
        terms = self.task.reward_terms()
        for name, term in terms.items():
            if np.ndim(term) == 0:
                terms[name] = np.full(self.num_envs, term)
        if ended.any():
            for name, term in terms.items():
                term[ended if name == "healthy" else void] = 0.0
        return terms, ended & ~self._over

    def _infos(self, present: np.ndarray, endings=None, terms=None, stepped=None) -> dict[str, Any]:
        """Return the measurements, Gymnasium's way: beside each array, a mask of those it is of."""
        infos = self.task.measurements()
        infos["termination"] = np.full(self.num_envs, "", object) if endings is None else endings
        masks = {"_" + name: present for name in infos}
        for name, term in (terms or {}).items():
            infos["reward_" + name], masks["_reward_" + name] = term, stepped
        return infos | masks

    def _final(self, observation: np.ndarray, endings: np.ndarray, terms: dict[str, np.ndarray]) -> dict[str, Any]:
        """Return the last observation and info of the episodes that end in this step."""
        over = self._over
        last = np.full(self.num_envs, None, object)
        for sim in np.flatnonzero(over):
            last[sim] = observation[sim].copy()
        infos = self._infos(over, endings.copy(), terms, over)
        return {"final_obs": last, "_final_obs": over, "final_info": infos, "_final_info": over}

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Return an image of each simulation, shape (height, width, 3) of uint8."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: gymnasium.make_vec(..., render_mode='rgb_array')")
            return None
        return tuple(self._image(sim) for sim in range(self.num_envs))

    def _image(self, sim: int) -> np.ndarray:
        model, scratch = self.models[sim], self._scratch
        if self.task.varies and model.nhfield:
            self._camera.ground_changed()
        self._batch.get_data(sim, scratch)
        mujoco.mj_forward(model, scratch)
        return self._camera.image(model, scratch)

    def close_extras(self, **kwargs) -> None:
        """Close the renderer."""
        self._camera.close()
