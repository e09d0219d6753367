"""What all environments share: control period, substeps, reset, rendering, and a watch on diverged simulations.

An environment fills in the abstract methods; this class does the stepping and never looks at a robot.
"""

from __future__ import annotations

import os
import sys
from abc import abstractmethod
from typing import Any

import gymnasium
import mujoco
import numpy as np

from ..mjcf.presets import Preset
from ..mjcf.terrain import GroundPatches


def n_substeps_of(ctrl_dt: float, timestep: float) -> int:
    """Return how many physics steps make a control period.

    Raises:
        ValueError: If they do not divide; the sentence names the nearest period that does.
    """
    n_substeps = round(ctrl_dt / timestep)
    if n_substeps < 1 or abs(n_substeps * timestep - ctrl_dt) > 1e-9 * ctrl_dt:
        nearest = max(1, n_substeps) * timestep
        raise ValueError(
            f"control period {ctrl_dt:g} s is not a multiple of the timestep {timestep:g} s; "
            f"the nearest that is: {nearest:g} s"
        )
    return n_substeps


class LeggedEnv(gymnasium.Env):
    """A legged machine in MuJoCo, stepped at a control period.

    Attributes:
        model: The compiled model.
        data: Its state. `info["termination"]` says why an episode ended.
        last_good_state: `qpos` and `qvel` before the control period that diverged, for inspection; else None.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array", "depth_array"], "render_fps": 50}

    model: mujoco.MjModel
    data: mujoco.MjData

    def __init__(self, render_mode: str | None, width: int, height: int, camera: str):
        """Check the render mode; the model comes with `_load`."""
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            known = ", ".join(self.metadata["render_modes"])
            raise ValueError(f"unknown render mode {render_mode!r}; there are {known}")
        self.render_mode, self.width, self.height, self.camera = render_mode, width, height, camera
        self.last_good_state: tuple[np.ndarray, np.ndarray] | None = None
        self._renderer = self._viewer = None

    @abstractmethod
    def _start(self, options: dict[str, Any]) -> None:
        """Put the state of a new episode into `model` and `data`, drawing from `np_random`."""

    @abstractmethod
    def _act(self, action: np.ndarray) -> np.ndarray:
        """Return the controls of the substeps, shape (n_substeps, nu); one row is held throughout."""

    @abstractmethod
    def _observe(self) -> np.ndarray:
        """Return the observation, a new array."""

    @abstractmethod
    def _reward_terms(self) -> dict[str, float]:
        """Return the weighted terms whose sum is the reward."""

    @abstractmethod
    def _termination(self, observation: np.ndarray) -> str:
        """Return why the episode is over, or an empty string."""

    @abstractmethod
    def _measurements(self) -> dict[str, Any]:
        """Return what `info` reports besides the reward."""

    def _load(self, model: mujoco.MjModel, patches: GroundPatches, preset: Preset, ctrl_dt: float) -> None:
        """Take a new model; a renderer of the old one is closed."""
        self.n_substeps = n_substeps_of(ctrl_dt, model.opt.timestep)
        self.ctrl_dt = self.n_substeps * model.opt.timestep
        self._close_windows()
        self.model, self.data, self._patches = model, mujoco.MjData(model), patches
        self._follow_every = preset.follow_every
        self._substep_times = np.arange(self.n_substeps + 1) * model.opt.timestep
        self._lead = round(preset.command_lead / model.opt.timestep)
        self.metadata = {**type(self).metadata, "render_fps": round(1 / self.ctrl_dt)}
        self._bind()

    def _bind(self) -> None:
        """Take views into `data` that live as long as it does; a step has no time to ask for them anew."""
        self._warnings = self.data.warning.number

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Start an episode; see the class for the options."""
        super().reset(seed=seed)
        self._start(dict(options or {}))
        mujoco.mj_forward(self.model, self.data)
        if self._patches:  # the ground comes under the feet, and only then are their contacts right
            self._patches.follow(self.data)
            mujoco.mj_forward(self.model, self.data)
        self.last_good_state = None
        self._refresh()
        observation = self._observe()
        if self.render_mode == "human":
            self.render()
        return observation, self._measurements() | {"termination": ""}

    def step(self, action):
        """Hold the action for one control period; see the class for what an action means."""
        action = self._checked(action)
        self._before = self.data.qpos.copy(), self.data.qvel.copy()
        self._simulate(self._act(action))
        termination = self._warning()
        if not termination:
            self._refresh()
            observation = self._observe()
            termination = self._termination(observation)
        diverged = termination.startswith("diverged")
        if diverged:
            observation = self._recover()
        terms = self._reward_terms()
        if termination:
            terms = dict.fromkeys(terms, 0.0) if diverged else {**terms, "healthy": 0.0}
        info = self._measurements()
        info["termination"] = termination
        for name, term in terms.items():
            info["reward_" + name] = term
        if self.render_mode == "human":
            self.render()
        return observation, float(sum(terms.values())), bool(termination), False, info

    def _refresh(self) -> None:
        """Take the measurements that observation, reward and info share; nothing by default."""

    def _checked(self, action) -> np.ndarray:
        """Return the action as floats within the action space's box, which clips as a servo does."""
        action = np.asarray(action, dtype=np.float64)
        if action.shape != self.action_space.shape:
            raise ValueError(f"an action has shape {self.action_space.shape}, got {action.shape}")
        if np.abs(action).max() <= 1.0:
            return action
        if not np.isfinite(action).all():
            raise ValueError(f"an action must be finite, got {action}")
        return np.clip(action, -1.0, 1.0)

    def _simulate(self, controls: np.ndarray) -> None:
        model, data, step = self.model, self.data, mujoco.mj_step
        ctrl = data.ctrl
        if self._patches:
            for k in range(self.n_substeps):
                ctrl[:] = controls[min(k, len(controls) - 1)]
                if k % self._follow_every == 0:
                    self._patches.follow(data)
                step(model, data)
        elif len(controls) == 1:
            ctrl[:] = controls[0]
            step(model, data, self.n_substeps)
        else:
            for row in controls:
                ctrl[:] = row
                step(model, data)

    def _warning(self) -> str:
        """Return MuJoCo's first warning as a sentence: it resets a diverged state by itself and says it only there."""
        if not self._warnings.any():
            return ""
        kind = mujoco.mjtWarning(int(np.flatnonzero(self._warnings)[0]))
        return f"diverged: MuJoCo warned {kind.name.removeprefix('mjWARN_')}"

    def _recover(self) -> np.ndarray:
        """Go back to the last good state, keep it for inspection, and observe it; the episode is over."""
        self.last_good_state = self._before
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = self._before
        mujoco.mj_forward(self.model, self.data)
        self._refresh()
        return self._observe()

    def render(self):
        """Return an image, shape (height, width, 3) of uint8, or depths in metres (height, width); or show a window."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: gymnasium.make(..., render_mode='rgb_array')")
            return None
        if self.render_mode == "human":
            return self._show()
        if self._renderer is None:
            self._renderer = mujoco.Renderer(self.model, self.height, self.width)
            if self.render_mode == "depth_array":
                self._renderer.enable_depth_rendering()
        self._renderer.update_scene(self.data, self.camera)
        return self._renderer.render()

    def _show(self) -> None:
        if self._viewer is None:
            if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
                raise RuntimeError(
                    "render_mode 'human' needs a display, and there is none; 'rgb_array' needs no display"
                )
            import mujoco.viewer  # needs a display, and a window library that headless machines lack

            self._viewer = mujoco.viewer.launch_passive(self.model, self.data, show_left_ui=False, show_right_ui=False)
            self._viewer.cam.type = mujoco.mjtCamera.mjCAMERA_TRACKING
            self._viewer.cam.trackbodyid = self.model.body("torso").id
            self._viewer.cam.distance = 1.5
        self._viewer.sync()

    def close(self) -> None:
        """Close window and renderer."""
        self._close_windows()

    def _close_windows(self) -> None:
        for window in (self._renderer, self._viewer):
            if window is not None:
                window.close()
        self._renderer = self._viewer = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave window and renderer behind: a copy opens its own."""
        return {**self.__dict__, "_renderer": None, "_viewer": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take views of the copy's own data."""
        self.__dict__.update(state)
        self._bind()
