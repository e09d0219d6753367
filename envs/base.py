"""One simulation of a task as a Gymnasium environment: stepping, reset, rendering and detection of divergence.

A new environment is a `task.Task` (see there for what it must provide) and these lines:

    class HexapodEnv(LeggedEnv):
        task_class = HexapodTask


    class HexapodVectorEnv(LeggedVectorEnv):
        task_class = HexapodTask

and a line in `envs.ENVIRONMENTS`.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import mujoco
import numpy as np

from ..analytic.spelling import listed
from ..analytic.terrain import Terrain
from .camera import Camera
from .config import TaskConfig
from .episodes import Described, delegated, judge_one, one_at_a_time, seed_of, total
from .restoring import ONLY, RestorableEnv
from .simulations import simulation_of
from .state import State
from .steps import BEYOND, observed_start, split
from .task import Task


class LeggedEnv(Described, RestorableEnv, gymnasium.Env):
    """One simulation of a task, stepped by its control period; for one thread at a time.

    Args:
        render_mode: None, "human", "rgb_array" or "depth_array".
        width: Of an image [pixel].
        height: Of an image [pixel].
        camera: Name of the camera: "follow", "side", or one of the model's own.
        forces: Whether contact forces are drawn, as arrows.
        options: The fields of the task's configuration. `reset(options=...)` also takes them, except those that
            determine the spaces, and keeps them for later episodes; there `qpos` and `qvel` set one initial state.

    Attributes:
        task: The task; its attributes, such as `config`, are documented there.
        model: The compiled model.
        data: Its state. `info` states why an episode ended: "termination", or "truncation" if nothing happened to the
            robot.
        last_good_state: `qpos` and `qvel` before the control period in which the simulation diverged; else None.

    Raises:
        TypeError: If a keyword is unknown.
        ValueError: If a value is impossible; the message says what is allowed.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array", "depth_array"], "render_fps": 50}
    task_class: type[Task]
    model: mujoco.MjModel = delegated("task.model", "The compiled model.")
    config: TaskConfig = delegated("task.config", "The current options.")

    def __init__(
        self,
        render_mode: str | None = None,
        width: int = 640,
        height: int = 480,
        camera: str = "follow",
        forces: bool = False,
        **options,
    ):
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            known = listed(render_mode, self.metadata["render_modes"])
            raise ValueError(f"unknown render mode {render_mode!r}; there are {known}")
        self.render_mode = render_mode
        self._busy = self._begun = False
        self._camera = Camera(width, height, camera, render_mode == "depth_array", forces)
        self.last_good_state: tuple[np.ndarray, np.ndarray] | None = None
        self.task = self.task_class(shape=(), **options)
        self.observation_space, self.action_space = self.task.observation_space, self.task.action_space
        self._load()

    @property
    def params(self):
        """The robot of this episode."""
        return self.task.params[()]

    @property
    def terrain(self) -> Terrain:
        """The ground of this episode."""
        return self.task.terrain[()]

    def _load(self) -> None:
        """Adopt the task's current model; windows on the old one are closed."""
        self._camera.check(self.task.model)
        self._camera.close()
        self._sim = simulation_of(self.task)
        self.data = self._sim.data
        self.metadata = {**type(self).metadata, "render_fps": round(1 / self.task.ctrl_dt)}
        self._bind()

    def _bind(self) -> None:
        """Keep views into `data`, valid as long as it is; looking them up in every step would be slow."""
        self._sim.bind()
        self._warnings, self._qpos, self._qvel = self._sim.warnings, self.data.qpos, self.data.qvel
        self._bound = self.observation_space.high

    @one_at_a_time
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Start an episode; see the task for the options. `qpos` and `qvel` set its initial state.

        Raises:
            ValueError: If an option is unknown or its value impossible. The environment is then unchanged.
        """
        options, state = split(options)
        with self._all_or_nothing(ONLY, *((self, self.task) if options else ())):
            super().reset(seed=seed_of(seed))
            observation = self._start(options, state)
        if self.render_mode == "human":
            self.render()
        unpaid = {f"reward_{name}": 0.0 for name in self.task.config.weights}  # every info has the same keys
        return observation, self.task.measurements() | unpaid | {"termination": "", "truncation": ""}

    def _start(self, options: dict[str, Any], state: dict[str, Any]) -> np.ndarray:
        task = self.task
        if task.configure(options):
            self._load()
        task.rngs[()] = self.np_random
        task.start((), self.model, self.data, **state)
        if task.models.vary and self.model.nhfield:
            self._camera.ground_changed()
        self._sim.begin()
        self.last_good_state = None
        task.refresh()
        return observed_start(task, self._sim)

    def _save(self, sims: np.ndarray) -> State:
        task = self.task
        task.rngs.forget(())  # anyone may draw from `np_random`
        arrays = self._sim.kept_row() | task.kept_rows(None)
        arrays |= {"steps": np.array([round(self.data.time / task.ctrl_dt)]), "over": np.zeros(1, bool)}
        return State(task.config, arrays, task.rngs.states([()]), (task.models.drawn(()),) if task.models.vary else ())

    def _refuse_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        self.task.refuse(arrays)
        self._sim.refuse(arrays)

    def _restore(self, sims: np.ndarray, state: State) -> None:
        task = self.task
        task.rngs[()] = self.np_random
        task.rngs.restore([()], state.randoms)
        if state.drawn and task.models.redraw(task, (), self.model, state.drawn[0]):
            self._camera.ground_changed()
        self._sim.take_row(state.arrays)
        task.take_rows(None, state.arrays)
        self._warnings[:] = 0
        self.last_good_state = None

    @one_at_a_time
    def step(self, action):
        """Apply the action for one control period; see the task for its meaning.

        Raises:
            ValueError: If the action has another shape or is not finite numbers.
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        task = self.task
        if not self._begun:
            if () not in task.rngs:
                raise gymnasium.error.ResetNeeded("the environment has not been reset; reset comes before step")
            self._begun = True
        action = self._sim.accepted(action, self.action_space)
        before = self._qpos.copy(), self._qvel.copy()
        self._sim.step(task.act(action))
        termination = self._sim.complaint(self._warnings) if np.count_nonzero(self._warnings) else ""
        if not termination:
            task.refresh()
            observation = task.observe()
            if np.count_nonzero(np.abs(observation) <= self._bound) < observation.size:
                termination = BEYOND
        if termination:
            self.last_good_state = before
            self._sim.put_back(before)
            task.refresh()
            observation = task.observe()
        task.advance()
        terms, termination, cut = judge_one(task, termination)
        info = task.measurements()
        info["termination"], info["truncation"] = termination, cut
        for name, term in terms.items():
            info["reward_" + name] = float(term)
        if self.render_mode == "human":
            self.render()
        return observation, float(total(terms.values())), bool(termination), bool(cut), info

    def render(self):
        """Return an image, shape (height, width, 3) of uint8, or depths in metres (height, width); or show a window."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: gymnasium.make(..., render_mode='rgb_array')")
            return None
        if self.render_mode == "human":
            return self._camera.show(self.model, self.data)
        return self._camera.image(self.model, self.data)

    def close(self) -> None:
        """Close window and renderer."""
        self._camera.close()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make views of the copy's own data."""
        self.__dict__.update(state | {"_busy": False})
        self._bind()
