"""The derivative of a stride along the modes of its run, without a displaced run.

Between events displacements obey the variational equation of the modes' field. At an event they jump by its saltation
matrix (Aizerman and Gantmakher 1958; Kong et al., arXiv:2306.06862): a displacement w moves the event by
dt = -(g' w) / (dg/dt), and becomes R' (w + f- dt) - f+ dt for a guard g, a reset R and the fields f before and after.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from ..compilation import jit
from . import events, flow
from .constrained import field
from .continued import modes_of
from .guards import let_go, mark_yielding
from .layout import VELOCITY
from .modes import SLIDE
from .outcome import RunStatus
from .simulation import FLOWS, Simulation
from .vectors import largest

LIFTED = 1e-5  # displacement of coordinates by which lifted states are differenced
SMALL = 1e-6  # displacement of states by which fields, guards and resets are differenced, at most
OF_SLIP = 1e-3  # and of the slowest slip, beside which it must be small
RTOL = 1e-7  # of the variational equation
AT_ONCE = 1e-4  # parts by which times of guards that fire together may differ


def central(f: Callable[[float], np.ndarray], by: float) -> np.ndarray:
    """Return the derivative of a function at zero by central differences."""
    return (f(by) - f(-by)) / (2.0 * by)


@jit(views=True)
def displaced_rates(robot, work, contact, setting, ctrl, ctrl_by, rows, x, u, out):
    """Write the rates of a state and of displacements from it, by central differences of the field.

    Args:
        robot: Tables.
        work: Workspace.
        contact: Modes.
        setting: See `flow.Setting`.
        ctrl: Controls, shape (nu,).
        ctrl_by: How displacements change them, shape (k, nu).
        rows: State and displacements, shape (k + 1, n).
        x: For a state, shape (n,).
        u: For controls, shape (nu,).
        out: Rates, shape (k + 1, n).
    """
    field(robot, work, contact, setting, ctrl, rows[0], out[0], True)
    slip = slowest_slide(work, contact)
    for k in range(1, len(rows)):
        h = small(slip) / max(1e-300, largest(rows[k]), largest(ctrl_by[k - 1]))
        for side in range(2):
            sign = 1.0 - 2.0 * side
            for i in range(len(x)):
                x[i] = rows[0, i] + sign * h * rows[k, i]
            for i in range(len(u)):
                u[i] = ctrl[i] + sign * h * ctrl_by[k - 1, i]
            field(robot, work, contact, setting, u, x, out[0] if side else out[k], True)
        for i in range(len(x)):
            out[k, i] = (out[k, i] - out[0, i]) / (2.0 * h)
    field(robot, work, contact, setting, ctrl, rows[0], out[0], True)


@jit(views=True)
def slowest_slide(work, contact):
    """Return the slip speed of the foot that slides slowest [m/s]; infinite where none does."""
    least = math.inf
    for i in range(len(contact.foot)):
        if contact.foot[i] == SLIDE:
            least = min(least, math.hypot(work.foot[i, VELOCITY + 1], work.foot[i, VELOCITY + 2]))
    return least


@jit(views=True)
def small(slip):
    """Return by how much states are displaced for differences, where a foot slides at a speed [m/s]."""
    return min(SMALL, OF_SLIP * max(slip, 1e-8))


class Displaced:
    """A run, and displacements of its state, shape (k, n), and of its controls, shape (k, nu), that go with it."""

    def __init__(self, run: Simulation, by: np.ndarray):
        self.run, self.by, self.ctrl_by = run, by, np.zeros((len(by), run.robot.nu))
        run.path = run.path._replace(log=run.path.log[:0])  # a flow returns where a dry line turns, too
        self._there = Simulation(run.robot, run.options, run.ctrl, run.x.copy())  # evaluates, and is not run

    def differences(self, f: Callable[[np.ndarray, np.ndarray], np.ndarray], by=None) -> np.ndarray:
        """Return the derivative of a function of state and controls along each displacement, shape (k, ...)."""
        by = self.by if by is None else by
        x, u, sizes = self.run.x.copy(), self.run.ctrl.copy(), self._sizes(by)
        rows = zip(by, self.ctrl_by, sizes, strict=True)
        return np.array([central(lambda h, w=w, v=v: f(x + h * w, u + h * v), h) for w, v, h in rows])

    def _sizes(self, by: np.ndarray) -> np.ndarray:
        """Return the parts of displacements, shape (k,), that are taken for differences about the present state."""
        most = np.maximum(np.abs(by).max(1), np.abs(self.ctrl_by).max(1, initial=0.0))
        return small(slowest_slide(self.run.work, self.run.contact)) / np.maximum(1e-300, most)

    def control(self, controls: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
        """Change the controls, which may depend on the state; the modes follow where they do not allow it."""
        run, nq, nv = self.run, self.run.robot.nq, self.run.robot.nv
        self.ctrl_by = np.zeros_like(self.ctrl_by)
        self.ctrl_by = self.differences(lambda x, _: controls(x[:nq], x[nq : nq + nv]))
        run.ctrl = np.array(controls(run.qpos, run.qvel), float)
        run.refresh()
        if run.broken:
            run.fired[:] = False
            mark_yielding(run.robot.tables, run.contact, run.path, run.fired)
            fired = run.fired.copy()
            self._jump(lambda one: None if _let_go(one, fired) else events.settle(one, False))

    def to(self, end: float) -> None:
        """Run on to a time [s]."""
        run = self.run
        while run.time < end:
            x, modes, begin = run.x.copy(), _kept(run), run.time
            how, _, run.time, run.step = run.call(flow.FLOW, ends=np.array([end]))
            self._flow(x, modes, run.time - begin)
            if how == flow.EVENT:
                self._event(run.fired.copy())
            elif how != flow.END:
                raise ValueError(f"the run stopped at {run.time:.6g} s: {FLOWS[how].value}")

    def _flow(self, x: np.ndarray, modes: tuple, seconds: float) -> None:
        """Take the displacements through a time [s] without an event from a state."""
        run, (k, n) = self._put(modes, x, self.run.ctrl), self.by.shape
        fixed = run.robot.tables, run.work, run.contact, run.setting, run.ctrl, self.ctrl_by
        scratch, out = (np.empty(n), np.empty(len(run.ctrl))), np.empty((k + 1, n))

        def rates(_, y: np.ndarray) -> np.ndarray:
            displaced_rates(*fixed, y.reshape(k + 1, n), *scratch, out)
            return out.ravel().copy()

        start = np.concatenate([x, self.by.ravel()])
        found = solve_ivp(rates, (0.0, seconds), start, "DOP853", rtol=RTOL, atol=RTOL)
        self.by = found.y[n:, -1].reshape(k, n)

    def _event(self, fired: np.ndarray) -> None:
        """Take the displacements through the event of guards that fired."""
        run, modes = self.run, _kept(self.run)
        before = self._field(modes, run.x, run.ctrl)
        slope = central(
            lambda h: self._guards(modes, run.x + h * before, run.ctrl)[fired], self._sizes(before[None])[0]
        )
        dt = -self.differences(lambda x, u: self._guards(modes, x, u)[fired]) / slope
        held, self.by = self.by, self.by + dt[:, :1] * before
        x = run.x.copy()
        self._jump(lambda one: None if _let_go(one, fired) else events.transition(one, fired))
        after = self._field(_kept(run), run.x, run.ctrl)
        self.by -= dt[:, :1] * after
        smooth = np.array_equal(x, run.x) and np.allclose(before, after, rtol=0.0, atol=1e-6 * np.abs(before).max())
        if smooth:
            self.by = held
        elif np.abs(dt - dt[:, :1]).max() > AT_ONCE * np.abs(dt).max():
            raise ValueError(f"two events come at once, at {run.time:.6g} s: the stride has no derivative")

    def _jump(self, change: Callable[[Simulation], RunStatus | None]) -> None:
        """Change the run, and the displacements by the change of displaced runs."""
        run, modes = self.run, _kept(self.run)

        def changed(x: np.ndarray, ctrl: np.ndarray) -> np.ndarray:
            there = self._put(modes, x, ctrl)
            there.refresh()
            change(there)
            return there.x.copy()

        self.by = self.differences(changed)
        status = change(run)
        if status is not None:
            raise ValueError(f"the run stopped at {run.time:.6g} s: {status.value}")

    def _put(self, modes: tuple, x: np.ndarray, ctrl: np.ndarray) -> Simulation:
        there = self._there
        there.x[:], there.ctrl, there.time = x, ctrl, self.run.time
        for array, value in zip(modes_of(there), modes, strict=True):
            array[...] = value
        there.events.clear()
        return there

    def _field(self, modes: tuple, x: np.ndarray, ctrl: np.ndarray) -> np.ndarray:
        """Return the field of modes at a state, shape (n,)."""
        there = self._put(modes, x, ctrl)
        there.refresh()
        return there.path.rates.copy()

    def _guards(self, modes: tuple, x: np.ndarray, ctrl: np.ndarray) -> np.ndarray:
        self._field(modes, x, ctrl)
        return self._there.path.before.copy()


def _let_go(run: Simulation, fired: np.ndarray) -> bool:
    """Let dry lines that fired go as the flow does; return whether that was all."""
    parts = run.robot.tables, run.work, run.contact, run.path, run.setting, run.ctrl, run.x, run.time
    run.path.logged[0] = 0
    return let_go(*parts, fired.copy())


def _kept(run: Simulation) -> tuple[np.ndarray, ...]:
    """Return copies of a run's modes."""
    return tuple(array.copy() for array in modes_of(run))
