"""Watching the robot walk in MuJoCo's interactive window; `studio.py` beside it is the same in a browser."""

from __future__ import annotations

import time

FRAME = 1 / 60  # between pictures [s]


def watch_window(stepper) -> None:
    """Run in real time in MuJoCo's window until it is closed; the mouse can push the robot.

    Args:
        stepper: What has a `model` and its `data`, and advances them by `step()`.

    Raises:
        RuntimeError: If no window can be opened.
    """
    import mujoco.viewer

    with mujoco.viewer.launch_passive(stepper.model, stepper.data) as window:
        with window.lock():
            window.cam.type = mujoco.mjtCamera.mjCAMERA_TRACKING
            window.cam.trackbodyid = stepper.model.body("torso").id
        started = time.monotonic()
        while window.is_running():
            with window.lock():
                while stepper.data.time < time.monotonic() - started:
                    stepper.step()
            window.sync()
            time.sleep(FRAME)
