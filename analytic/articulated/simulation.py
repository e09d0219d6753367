"""An exact, event-driven run of a robot with rigid contact: `start`, then `Simulation.to` a time.

Impacts are plastic or with Newton's restitution, all touching feet and limits at once, with Coulomb friction
(Moreau's law). Between events the modes do not change and the field is smooth. A run that cannot be decided ends with
a status, never by chattering.
"""

import numpy as np

from . import assembly, closed, events, flow, guards
from .layout import GAP
from .mechanics import array_of
from .modes import N_BOOKS
from .outcome import Event, RunStatus
from .robot import Robot
from .run import Options, Run

FLOWS = (None, None, RunStatus.STEP_TOO_SMALL, RunStatus.NONFINITE, RunStatus.STEP_LIMIT, None)
CLOSE, MOST_CLOSE = 1e-3, 1000  # so many events within that time [s] of one of them are chatter


class Simulation(Run):
    """A run that goes on from event to event; `start` makes one."""

    def set_controls(self, ctrl) -> None:
        """Change the controls; forces jump, and the modes are chosen anew if they do not allow it."""
        self.ctrl = array_of("ctrl", ctrl, self.robot.nu)
        if self._follow(self.ctrl[None], np.array([self.time]), True) is not RunStatus.FINAL_TIME:
            self.refresh()

    def to(self, time: float) -> RunStatus:
        """Run to a time [s] and return the status; a run that stopped stays where it is.

        Raises:
            ValueError: If the time is not finite, or has passed.
        """
        if not self.time <= time < np.inf:
            raise ValueError(f"time must be finite and not before {self.time:g} s, where the run is, got {time!r}")
        return self._follow(self.ctrl[None], np.array([float(time)]), False)

    def follow(self, controls: np.ndarray, ends: np.ndarray) -> RunStatus:
        """Run through controls, shape (n, nu), each held until its end, shape (n,) [s]; as `set_controls` and `to`.

        Raises:
            ValueError: If a shape is wrong, a number not finite, or an end before where the run is, or the end before.
        """
        ends, controls = np.array(ends, float), np.array(controls, float, order="C")
        if ends.ndim != 1 or controls.shape != (len(ends), self.robot.nu):
            raise ValueError(f"controls must have shape (n, {self.robot.nu}) and ends (n,), got {controls.shape} and "
                             f"{ends.shape}")  # fmt: skip
        if not (np.isfinite(controls).all() and np.isfinite(ends).all()):
            raise ValueError("controls and ends must be finite; they hold NaN or infinity")
        if (np.diff(ends, prepend=self.time) < 0.0).any():
            raise ValueError(f"ends must not fall, nor lie before {self.time:g} s, where the run is")
        return self._follow(controls, ends, True)

    def _follow(self, controls: np.ndarray, ends: np.ndarray, fresh: bool) -> RunStatus:
        while len(ends) and self.status is RunStatus.FINAL_TIME:
            how, done, self.time, self.step = self.call(flow.FLOW, controls, ends, fresh)
            self.ctrl = controls[min(done, len(ends) - 1)].copy()
            controls, ends, fresh = controls[done:], ends[done:], False
            if self.path.logged[0]:
                self._take_log()
            if how == flow.BROKEN:
                self.status = events.settle(self, False) or self.status
            elif how == flow.EVENT:
                self.status = events.transition(self, self.fired) or self.status
                self._count_event(self.time)
            elif how == flow.STEP_TOO_SMALL and events.grows(self):
                self.status = events.settle(self, False, events.jams(self)) or self.status
                self._count_event(self.time)
            elif how == flow.STEP_TOO_SMALL and events.stops_abruptly(self):
                self.step = flow.SMALLEST
                self._count_event(self.time)
            else:
                self.status = FLOWS[how] or self.status
        return self.status

    def _take_log(self) -> None:
        """Add the events of dry lines that turned back or yielded."""
        for time, line, what in self.path.log[: self.path.logged[0]].tolist():
            words = "stops" if what == guards.TURNED_BACK else "yields"
            self.events.append(Event(time, words, self.robot.line_names[int(line)], 0.0))
            self._count_event(time)

    def _count_event(self, time: float) -> None:
        """Stop where events crowd."""
        since, crowd = self.crowd
        self.crowd = (since, crowd + 1) if time - since < CLOSE else (time, 1)
        if self.crowd[1] == MOST_CLOSE:
            self.status = RunStatus.CHATTER


def start(robot: Robot, qpos, qvel=None, ctrl=None, act=None, options: Options | None = None) -> Simulation:
    """Return a run at its start, in which feet that touch the ground are closed.

    Args:
        robot: The robot.
        qpos: Positions, shape (nq,).
        qvel: Speeds, shape (nv,); None: at rest.
        ctrl: Controls, shape (nu,); None: zero.
        act: Activations, shape (na,); None: zero.
        options: How it is simulated.

    Raises:
        ValueError: If a shape is wrong, a number not finite, a quaternion zero, a foot inside the ground, a joint
            beyond its limit, or an equality not met: `assembly.assemble` moves a robot to where they are.
    """
    options = options or Options()
    parts = [("qpos", qpos, robot.nq), ("qvel", qvel, robot.nv), ("act", act, robot.na)]
    x = np.concatenate([array_of(name, np.zeros(n) if value is None else value, n) for name, value, n in parts])
    robot.check_quaternions(x)
    x[: robot.nq + robot.nv] = assembly.closed(robot, x[: robot.nq], x[robot.nq : robot.nq + robot.nv])
    ctrl = array_of("ctrl", np.zeros(robot.nu) if ctrl is None else ctrl, robot.nu)
    run = Simulation(robot, options, ctrl, np.concatenate([x, np.zeros(N_BOOKS)]))
    gap = run.work.foot[:, GAP]
    if gap.min(initial=0.0) < -options.touching:
        deep = int(np.argmin(gap))
        raise ValueError(f"foot {robot.foot_names[deep]!r} is {-gap[deep]:.3g} m inside the ground; lift the robot")
    beyond = closed.limit_gaps(run)
    if beyond.min(initial=0.0) < -options.touching:
        far = int(np.argmin(beyond))
        raise ValueError(f"joint {robot.limit_names[far]!r} is {-beyond[far]:.3g} beyond its limit; move it within")
    run.status = events.settle(run, False) or run.status
    return run
