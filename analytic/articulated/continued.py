"""Runs that are continued, each to a given time and on from there, and saved: what an environment needs of an engine.

The interface is that of `hybrid.Continued`, which runs compiled hybrid models.
"""

from collections.abc import Callable

import numpy as np

from .modes import N_BOOKS
from .outcome import RunStatus
from .robot import Robot
from .simulation import Options, Simulation, start

STATUSES = tuple(RunStatus)


class Continued:
    """Runs of robots with the same layout; `advance` may be called for different runs on different threads.

    Args:
        robot_of: The robot of a run, by its number; asked for where a run begins or is restored.
        n: Number of runs.
        options: How they are simulated.

    Attributes:
        t: Time of each run, shape (n,) [s].
        runs: The runs; before `begin` as their robot was drawn. Their events are forgotten with every `advance`.
    """

    def __init__(self, robot_of: Callable[[int], Robot], n: int = 1, options: Options | None = None):
        self.robot_of, self.options = robot_of, options or Options()
        self.t, self.runs = np.zeros(n), [self._drawn(run) for run in range(n)]
        self._commands: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def begin(self, run: int, qpos, qvel, ctrl, act, t: float = 0.0) -> RunStatus:
        """Begin a run anew, see `simulation.start`, at a time [s]."""
        self.runs[run] = one = start(self.robot_of(run), qpos, qvel, ctrl, act, self.options)
        one.time = self.t[run] = t
        return one.status

    def command(self, run: int, controls: np.ndarray, ends: np.ndarray) -> None:
        """Give what a run follows when it is continued: controls, shape (n, nu), and their ends, shape (n,) [s]."""
        self._commands[run] = controls, ends

    def advance(self, run: int, until: float) -> bool:
        """Continue a run to a time [s]; return whether it got there. If not, `status` says why."""
        one = self.runs[run]
        one.events.clear()
        if run in self._commands:
            controls, ends = self._commands.pop(run)
            one.follow(controls, np.maximum(ends, one.time))
        if one.time < until:
            one.to(until)
        self.t[run] = one.time
        return one.status is RunStatus.FINAL_TIME

    def status(self, run: int) -> RunStatus:
        """Return the status with which a run stopped last."""
        return self.runs[run].status

    def saved(self, run: int) -> np.ndarray:
        """Return all from which a run goes on bit for bit, shape (n_bytes,) of uint8."""
        one = self.runs[run]
        numbers = [one.time, one.step, one.lost, *one.crowd, STATUSES.index(one.status)]
        return np.concatenate([numbers, *map(np.ravel, _kept(one))]).view(np.uint8)

    def restore(self, run: int, saved: np.ndarray) -> None:
        """Put a run where it was when `saved` returned this, shape (n_bytes,)."""
        one, values = self._drawn(run), np.ascontiguousarray(saved).view(float)
        one.time, one.step, one.lost, since, crowd, status = values[:6].tolist()
        one.crowd, one.status = (since, int(crowd)), STATUSES[int(status)]
        for last in (False, True):
            at = 6
            for array in _kept(one):
                array[...] = values[at : at + array.size].reshape(array.shape)
                at += array.size
            if not last:  # turns the friction of feet that creep by rounding
                one.refresh()
        self.runs[run], self.t[run] = one, one.time

    def _drawn(self, run: int) -> Simulation:
        robot = self.robot_of(run)
        x = np.concatenate([robot.qpos0, np.zeros(robot.nv + robot.na + N_BOOKS)])
        return Simulation(robot, self.options, np.zeros(robot.nu), x)


def _kept(run: Simulation) -> tuple[np.ndarray, ...]:
    """Return the arrays that a run goes on from."""
    return run.x, run.ctrl, *modes_of(run), run.path.sunk


def modes_of(run: Simulation) -> tuple[np.ndarray, ...]:
    """Return the arrays of a run's modes, and of where friction of creeping feet is."""
    contact = run.contact
    modes = contact.foot, contact.limit, contact.dry, contact.slack
    return *modes, contact.direction, contact.along, contact.settling, contact.foot_force
