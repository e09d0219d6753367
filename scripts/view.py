"""Watching the robot while it walks: MuJoCo's window on a desktop, its Studio in a browser for remote machines."""

from __future__ import annotations

import time

import mujoco

from tarsus.scripts.simulate import Experiment, Stepper

PORT = 8080  # of the Studio's page
TUNNEL = (
    f"The Studio's page is http://localhost:{PORT}/ . It listens on all interfaces and asks for no password, so keep "
    f"the port behind a firewall; from another machine: ssh -L {PORT}:localhost:{PORT} HOST. Ctrl-C ends it."
)
FRAME = 1 / 60  # between pictures [s]


def watch_window(experiment: Experiment) -> None:
    """Run in real time in MuJoCo's window until it is closed; the mouse can push the robot.

    Raises:
        RuntimeError: If no window can be opened.
    """
    import mujoco.viewer

    stepper = Stepper(experiment)
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


def watch_browser(experiment: Experiment, seconds: float | None = None) -> None:
    """Serve MuJoCo's Studio with the running robot, to be paused, scrubbed and pushed from a browser.

    Args:
        experiment: What to run.
        seconds: How long to serve [s]; None is until Ctrl-C.
    """
    from mujoco.studio import app, launch_web, viewer_protocol

    stepper = Stepper(experiment)

    def command(model, data) -> None:
        stepper.follow(data)
        stepper.command(data)

    config = viewer_protocol.ViewerConfig(gfx="web", http_port=PORT)
    stop = None if seconds is None else time.monotonic() + seconds
    mujoco.set_mjcb_control(command)  # the Studio steps by itself
    try:
        with launch_web.launch(config, plugins=[app.App(), *app.SIM_PLUGINS]) as handle:
            handle.set_model(stepper.model, data=stepper.data)
            while handle.is_running() and (stop is None or time.monotonic() < stop):
                handle.sync()
    except KeyboardInterrupt:
        pass  # the user's way to end it
    finally:
        mujoco.set_mjcb_control(None)
