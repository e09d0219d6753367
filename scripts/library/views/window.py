"""Watching a machine run in MuJoCo's interactive window; `studio.py` beside it is the same in a browser.

As the report of the articulated leg asks of a viewer (Hauter, Leitner, Freisinger, TUM 2021, IV-A), a run can be
stopped and played back: space pauses it and goes on, the arrows go from picture to picture of the last minute.
"""

import time
import warnings
from collections import deque

import mujoco
import numpy as np

FRAME = 1 / 60  # between pictures [s]
REMEMBERED = 3600  # pictures that can be played back
SPACE, LEFT, RIGHT = 32, 263, 262  # as GLFW numbers keys
MOST_OWED = 0.05  # simulated time that a slow machine tries to make up for [s]
STATE = mujoco.mjtState.mjSTATE_INTEGRATION  # with the patches of the ground, which are moved


class Player:
    """What the keys ask for, of a run that goes on at its own pace unless it is paused."""

    def __init__(self, stepper) -> None:
        self.stepper, self.paused, self.keys, self._owed = stepper, False, deque(), 0.0
        self.pictures: deque[np.ndarray] = deque(maxlen=REMEMBERED)
        self._shown = -1  # of the pictures; the last is where the run goes on

    def advance(self, seconds: float) -> None:
        """Run for some time [s], or show the picture that was asked for."""
        while self.keys:
            self._heed(self.keys.popleft())
        if self.paused:
            return
        model, data = self.stepper.model, self.stepper.data
        self._owed = min(self._owed + seconds, MOST_OWED)
        while self._owed > model.opt.timestep:
            self.stepper.step()
            self._owed -= model.opt.timestep
        state = np.zeros(mujoco.mj_stateSize(model, STATE))
        mujoco.mj_getState(model, data, state, STATE)
        self.pictures.append(state)

    def _heed(self, key: int) -> None:
        if key == SPACE:
            self.paused, last = not self.paused, -1
        elif key in (LEFT, RIGHT) and self.paused:
            last = self._shown + (1 if key == RIGHT else -1)
        else:
            return
        self._shown = min(-1, max(last, -len(self.pictures)))
        if self.pictures:
            model, data = self.stepper.model, self.stepper.data
            mujoco.mj_setState(model, data, self.pictures[self._shown], STATE)
            mujoco.mj_forward(model, data)


def watch(stepper) -> None:
    """Run in real time in MuJoCo's window until it is closed, or RuntimeError. The mouse can push the robot."""
    import mujoco.viewer

    require_display()
    player = Player(stepper)
    with mujoco.viewer.launch_passive(stepper.model, stepper.data, key_callback=player.keys.append) as window:
        with window.lock():
            window.cam.type = mujoco.mjtCamera.mjCAMERA_TRACKING
            window.cam.trackbodyid = int(stepper.model.jnt_bodyid[0])
        last = time.monotonic()
        while window.is_running():
            last, elapsed = time.monotonic(), time.monotonic() - last
            with window.lock():
                player.advance(elapsed)
            window.sync()
            time.sleep(FRAME)


def require_display() -> None:
    """Refuse by a RuntimeError where no window can be opened: MuJoCo's viewer would end the process."""
    import glfw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", glfw.GLFWError)
        if not glfw.init():
            raise RuntimeError("there is no display")
    glfw.terminate()
