"""Many simulations of a task as one Gymnasium vector environment, on the thread pool of `mujoco.batch`.

Every simulation is bitwise identical to the single environment with the same seed and actions: the task is the same
code, and MuJoCo's batch guarantees it for the physics.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import mujoco
import numpy as np
from gymnasium.vector import AutoresetMode

from . import forks, warp_refusals
from .autoreset import AutoresetVectorEnv
from .camera import Camera
from .config import TaskConfig
from .episodes import Described, delegated, masked, one_at_a_time, rows_of, seeds_of
from .kinds import check_count
from .simulations import simulations_of
from .state import State
from .steps import BEYOND, observed_start, split
from .task import Task


class LeggedVectorEnv(Described, AutoresetVectorEnv):
    """Many simulations of a task, stepped together; for one thread at a time.

    Args:
        num_envs: Number of simulations.
        max_episode_steps: Steps after which an episode is truncated; None for never.
        autoreset_mode: "NextStep" (Gymnasium's default), "SameStep" or "Disabled", or a `gymnasium` AutoresetMode.
        n_threads: Physics threads; 0 is one for each processor.
        render_mode: None or "rgb_array": `render` returns a tuple of one image for each simulation.
        width: Of an image [pixel].
        height: Of an image [pixel].
        camera: Name of the camera.
        forces: Whether contact forces are drawn, as arrows.
        options: The task's, the same for all simulations; `reset(options=...)` also takes them. What is drawn at the
            start of an episode (terrain, parameters) differs between simulations by their seeds.

    Attributes:
        task: The task, with arrays of leading dimension `num_envs`.
        last_good_states: `qpos` and `qvel` before the step that diverged, by simulation, until its next episode.

    Raises:
        TypeError: If a keyword is unknown.
        ValueError: If a value is impossible; the message says what is allowed.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}
    task_class: type[Task]
    config: TaskConfig = delegated("task.config", "The current options.")

    def __new__(cls, *args, **keywords):
        """Make environments on a device, of another class, where the engine Warp is told one."""
        if keywords.get("device") is None or keywords.get("engine") != "warp":
            return super().__new__(cls)
        warp_refusals.check_installed(tensors=True)
        from .warp.tensor_env import made  # of an optional extra

        return made(cls.task_class, *args, **keywords)

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
        forces: bool = False,
        **options,
    ):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"unknown render mode {render_mode!r} of many simulations; there is rgb_array")
        super().__init__(num_envs, max_episode_steps, autoreset_mode)
        check_count("n_threads", n_threads, least=0)
        self.render_mode, self._n_threads = render_mode, n_threads
        self._camera = Camera(width, height, camera, forces=forces)
        self.task = self.task_class(shape=(num_envs,), **options)
        self._take_spaces(self.task.observation_space, self.task.action_space)
        self._bound = self.single_observation_space.high
        self.last_good_states: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._load()

    def _load(self) -> None:
        """Adopt the task's current model."""
        warp_refusals.check(self.task, self.max_episode_steps)
        self._camera.check(self.task.model)
        self._camera.close()
        self._sims = simulations_of(self.task, self._n_threads)
        self._data = self._sims.data
        frames = {"render_fps": round(1 / self.task.ctrl_dt), "autoreset_mode": self.autoreset_mode}
        self.metadata = type(self).metadata | frames

    @property
    def models(self) -> list[mujoco.MjModel]:
        """The model of each simulation; the same object unless episodes change it."""
        return self._sims.models

    @one_at_a_time
    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None):
        """Start episodes, in all simulations or those of `options["reset_mask"]`; see the task for other options.

        Args:
            seed: One for each simulation; from a single one the simulations get `seed`, `seed + 1`, ...
            options: The task's; `qpos` and `qvel` set the initial state of all, shape (nq,), or each, (num_envs, nq).

        Raises:
            ValueError: If an option, a seed or the mask is impossible. The environments are then unchanged.
        """
        self._refuse_use()
        options, state = split(options)
        sims = masked(options.pop("reset_mask", None), self.num_envs)
        if options and len(sims) < self.num_envs:
            raise ValueError(f"{', '.join(options)} hold for all environments, so all must be reset")
        rows = {name: rows_of(name, value, self.num_envs) for name, value in state.items()}
        with self._all_or_nothing(np.array(sims), *((self, self.task) if options else ())):
            if self.task.configure(options):
                self._load()
            self.task.rngs.seed(sims, seeds_of(seed, self.num_envs))
            self._begin(sims, [{name: value[sim] for name, value in rows.items()} for sim in range(self.num_envs)])
            self._over[sims] = False
            observation = observed_start(self.task, self._sims, sims)
        return observation, self._shown_start(sims)

    def _start(self, sims: list[int], states: list[dict[str, np.ndarray]] | None = None) -> None:
        self._sims.start(sims, states)
        self._forget(sims)
        self.task.refresh()

    def _forget(self, sims) -> None:
        """Drop the last good states of these simulations."""
        self.last_good_states = {sim: good for sim, good in self.last_good_states.items() if sim not in sims}

    def _refuse_use(self) -> None:
        super()._refuse_use()
        if self._sims.pid != forks.pid():
            raise RuntimeError(
                f"this vector environment has its threads in process {self._sims.pid}, which a fork does not copy; "
                "make one in this process, or step a copy.deepcopy of it"
            )

    def _accepted(self, actions) -> np.ndarray:
        return self._sims.accepted(actions, self.action_space)

    def _observe(self) -> np.ndarray:
        return self.task.observe()

    def _advance(self, actions: np.ndarray, waited: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        task = self.task
        task.waiting = waited if waited.any() else None
        before = self._data.qpos.copy(), self._data.qvel.copy()
        self._sims.step(task.act(actions), np.flatnonzero(~waited) if waited.any() else None)
        endings, observation = self._watch(before)
        task.advance()
        return endings, observation

    def _watch(self, before: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return the reasons why simulations diverged, and the observation; these are back in their last good state."""
        endings = np.full(self.num_envs, "", object)
        warned = self._sims.warnings.any(-1)
        if warned.any():
            for sim in np.flatnonzero(warned):
                endings[sim] = self._sims.complaint(self._sims.warnings[sim])
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
        return endings, observation

    def _put_back(self, diverged: np.ndarray, before: tuple[np.ndarray, np.ndarray]) -> None:
        """Restore the last good state of these simulations, and keep it for inspection."""
        sims = np.flatnonzero(diverged)
        for sim in sims.tolist():
            self.last_good_states[sim] = before[0][sim], before[1][sim]
        self._sims.put_back(sims, *before)

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Return an image of each simulation, shape (height, width, 3) of uint8."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: gymnasium.make_vec(..., render_mode='rgb_array')")
            return None
        self._refuse_use()
        return tuple(self._sims.image(sim, self._camera) for sim in range(self.num_envs))

    def _save(self, sims: np.ndarray) -> State:
        task = self.task
        arrays = {"steps": self._steps[sims], "over": self._over[sims]} | self._sims.kept_rows(sims)
        drawn = tuple(map(task.models.drawn, sims.tolist())) if task.models.vary else ()
        return State(task.config, arrays | task.kept_rows(sims), task.rngs.states(sims.tolist()), drawn)

    def _refuse_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        self.task.refuse(arrays)
        self._sims.refuse(arrays)

    def _restore(self, sims: np.ndarray, state: State) -> None:
        arrays = state.arrays
        self.task.rngs.restore(sims.tolist(), state.randoms)
        if state.drawn:
            self._sims.redraw(sims, state.drawn)
        self._sims.take_rows(sims, arrays)
        self.task.take_rows(sims, arrays)
        self._steps[sims], self._over[sims] = arrays["steps"], arrays["over"]
        self._forget(sims)

    def __getstate__(self) -> dict[str, Any]:
        """Drop the batch, but keep its contents."""
        kept = self._sims.models, self._save(np.arange(self.num_envs)), self.last_good_states
        return self.__dict__ | {"_sims": kept, "_data": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Write the contents to a new batch."""
        models, saved, last_good_states = state.pop("_sims")
        self.__dict__.update(state | {"_busy": False})
        self._sims = simulations_of(self.task, self._n_threads, models)
        self._data = self._sims.data
        self._restore(np.arange(self.num_envs), saved)
        self.last_good_states = last_good_states

    def close_extras(self, **kwargs) -> None:
        """Close the renderer, if there is one: Gymnasium also closes what was refused before it was whole."""
        if "_camera" in self.__dict__:
            self._camera.close()
