"""Images of a simulation, and a window showing it: opened on first use, not copied with the environment."""

from __future__ import annotations

import os
import sys
from typing import Any

import mujoco
import numpy as np

from ..analytic.spelling import check_name
from .kinds import check, check_count


class Camera:
    """A camera of the model, by its name, whose images have a width and height [pixel]; ValueError if impossible.

    Images may be depths [m], or show contact forces as arrows.
    """

    def __init__(self, width: int, height: int, name: str, depth: bool = False, forces: bool = False):
        check_count("width", width), check_count("height", height)
        self.width, self.height, self.name, self.depth = width, height, name, depth
        check("forces", forces, bool)
        self.forces = forces
        self._renderer = self._viewer = None

    def check(self, model: mujoco.MjModel) -> None:
        """Refuse a camera that the model does not have."""
        check("camera", self.name, str)
        known = [model.camera(k).name for k in range(model.ncam)]
        check_name("camera", self.name, known)

    def image(self, model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
        """Return an image, shape (height, width, 3) of uint8, or depths in metres (height, width)."""
        if self._renderer is None:
            self._renderer = self._opened(model)
            if self.depth:
                self._renderer.enable_depth_rendering()
        view = mujoco.MjvOption()
        view.flags[mujoco.mjtVisFlag.mjVIS_CONTACTFORCE] = self.forces
        self._renderer.update_scene(data, self.name, view)
        return self._renderer.render()

    def _opened(self, model: mujoco.MjModel) -> mujoco.Renderer:
        """Return a new renderer; RuntimeError if there is no OpenGL, or none that works here."""
        try:
            return mujoco.Renderer(model, self.height, self.width)
        except (mujoco.FatalError, RuntimeError, ImportError, AttributeError) as error:
            cure = "export MUJOCO_GL=egl, or osmesa, before MuJoCo is imported, and install its library"
            raise RuntimeError(f"pictures need OpenGL, which does not work here; {cure} ({error})") from error

    def show(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Show the state in a window; RuntimeError if there is no display."""
        if self._viewer is None:
            if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
                raise RuntimeError(
                    "render_mode 'human' needs a display, and there is none; 'rgb_array' needs no display"
                )
            import mujoco.viewer  # needs a display, and a window library that headless machines lack

            self._viewer = mujoco.viewer.launch_passive(model, data, show_left_ui=False, show_right_ui=False)
            self._viewer.cam.type = mujoco.mjtCamera.mjCAMERA_TRACKING
            self._viewer.cam.trackbodyid = model.cam_bodyid[model.camera("follow").id]
            self._viewer.cam.distance = 1.5
            self._viewer.opt.flags[mujoco.mjtVisFlag.mjVIS_CONTACTFORCE] = self.forces
        self._viewer.sync()

    def ground_changed(self) -> None:
        """Upload the height field again: a renderer keeps it as it was when the renderer was made."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
        if self._viewer is not None:
            self._viewer.update_hfield(0)

    def close(self) -> None:
        """Close window and renderer."""
        for window in (self._renderer, self._viewer):
            if window is not None:
                window.close()
        self._renderer = self._viewer = None

    def __getstate__(self) -> dict[str, Any]:
        """Drop window and renderer: a copy opens its own."""
        return {**self.__dict__, "_renderer": None, "_viewer": None}
