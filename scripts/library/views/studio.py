"""Watching a machine run in a browser: MuJoCo's Studio, for machines without a screen.

The Studio's own stepping knows no controller, and MuJoCo's control callback cannot be used: it is global, and the
Studio compiles empty models of its own. So a plugin of ours steps the robot.
"""

# No `from __future__ import annotations` here: the Studio reads which message a handler takes from its annotation.

import contextlib
import time

from mujoco.studio import app, launch_web, messages, plugin, sim, viewer_protocol

PORT = 8080
NOTICE = (
    f"The Studio's page is http://localhost:{PORT}/ . It listens on all interfaces and asks for no password, so keep "
    f"the port behind a firewall; from another machine: ssh -L {PORT}:localhost:{PORT} HOST. "
    "The key ] chooses the camera that follows; Ctrl-C here ends it."
)
MOST_OWED = 0.05  # simulated time that a slow machine tries to make up for [s]


def watch(stepper, seconds: float | None = None) -> None:
    """Serve the Studio with the machine running, to be paused, slowed down and looked into.

    It advances the stepper's `model` and `data` by `step()`, for some seconds or until Ctrl-C. RuntimeError if the port
    is taken.
    """
    config = viewer_protocol.ViewerConfig(gfx="web", http_port=PORT)
    stop = float("inf") if seconds is None else time.monotonic() + seconds
    with (
        contextlib.suppress(KeyboardInterrupt),
        launch_web.launch(config, plugins=[app.App(), Playback(stepper)]) as handle,
    ):
        handle.set_model(stepper.model, data=stepper.data)
        while handle.is_running() and time.monotonic() < stop:
            handle.sync()


class Playback(plugin.SimPlugin):
    """Steps the robot in real time, at the speed and with the pauses asked for in the Studio."""

    def __init__(self, stepper):
        self._stepper, self._control = stepper, sim.StepControl()
        self._last, self._owed = time.monotonic(), 0.0

    @messages.handler(priority=messages.Priority.INTERNAL)
    def on_settings(self, event: messages.StepControlSnapshot) -> bool:
        """Take over pause and speed."""
        self._control.set_pause_state(event.pause_state)
        self._control.set_speed(event.speed)
        return True

    @messages.handler(priority=messages.Priority.INTERNAL)
    def on_pause(self, event: messages.RequestPauseEvent) -> bool:
        """Pause or go on, and tell the page."""
        self._control.set_pause_state(event.pause_state)
        self.handle.send_to_viewer(messages.StepControlSnapshot.from_step_control(self._control))
        return True

    @messages.handler(priority=messages.Priority.INTERNAL)
    def on_single_step(self, _: messages.SingleStepEvent) -> bool:
        self._stepper.step()
        return True

    @messages.handler(priority=messages.Priority.INTERNAL)
    def on_step(self, _: messages.StepEvent) -> None:
        now = time.monotonic()
        elapsed, self._last = now - self._last, now
        if self._control.get_pause_state() == sim.PauseState.UNPAUSED:
            self._owed = min(self._owed + elapsed * self._control.get_speed() / 100, MOST_OWED)
            timestep = self._stepper.model.opt.timestep
            while self._owed > timestep:
                self._stepper.step()
                self._owed -= timestep
        time.sleep(1e-3)  # the Studio's threads need the interpreter too
