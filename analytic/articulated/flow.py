"""Integration of the modes' field to the first event, through controls that are held one after another.

The zero of a guard is found on the dense output, then corrected until a full step ends there: the state at an event is
that of a full step.
"""

import math
from typing import NamedTuple

from ..compilation import jit
from .constrained import field
from .dynamics import energy
from .feet import feet
from .guards import begin, broken, guards, let_go, mark_yielding
from .kinematics import kinematics
from .location import depends, first_event, guards_at, is_clear
from .slip import let_rest
from .steps import try_step

SMALLEST = 1e-13  # step [s]
STABLE = 3.0  # step by the time in which closed contacts come back, which all methods can take without growing rounding
NEAR, CORRECTIONS, APART = 1e2, 3, 1e-3  # tolerances of an event; steps of the secant's to it, the first one's length
END, EVENT, STEP_TOO_SMALL, NONFINITE, STEP_LIMIT, BROKEN = range(6)  # how a flow ended
FLOW, FORCES, REST, ENERGY = range(4)  # what `call` does


class Setting(NamedTuple):
    """Numbers of a run that do not change."""

    nq: int  # number of positions
    drift_rate: float  # [1/s]
    hold_speed: float  # [m/s]
    creep_speed: float  # [m/s]
    stop_speed: float  # at which a sudden stop is one [m/s]
    weight: float  # of the robot [N]
    rtol: float  # a tenth of it is the absolute tolerance
    max_steps: int  # between events


@jit(views=True)
def call(what, robot, work, contact, path, scheme, setting, controls, ends, fresh, span, x, fired):
    """Do what Python asks for; one function does it all, so that LLVM sees the mechanics once.

    FLOW: see `_flow`. FORCES: write the field, the motion of all feet, and the guards, to `path.rates` and
    `path.before`; return whether a guard is broken, and kinetic and potential energy [J], first and last two of four
    numbers. REST: the same, after `let_rest`. ENERGY: those of energy alone.
    """
    if what == FLOW:
        return _flow(robot, work, contact, path, scheme, setting, controls, ends, fresh, span, x, fired)
    qpos, qvel = x[: setting.nq], x[setting.nq : setting.nq + len(robot.dof)]
    if what == ENERGY:
        kinematics(robot, work, qpos, qvel)
        kinetic, potential = energy(robot, work, qvel)
        return END, 0, kinetic, potential
    if what == REST:
        let_rest(robot, work, contact, setting.hold_speed)
    field(robot, work, contact, setting, controls[0], x, path.rates, True)
    feet(robot, work)
    guards(robot, work, contact, setting, path.before, path.tol)
    kinetic, potential = energy(robot, work, qvel)
    return int(broken(robot, contact, path.before, path.tol)), 0, kinetic, potential


@jit(views=True)
def _flow(robot, work, contact, path, scheme, setting, controls, ends, fresh, span, x, fired):
    """Integrate x in place, up to the last end or to what interrupts; return (how, which piece, time, next step).

    Args:
        robot: Tables.
        work: Workspace.
        contact: Modes.
        path: Of this run.
        scheme: The method.
        setting: See `Setting`.
        controls: Of each piece, shape (n, nu).
        ends: When each ends [s], shape (n,).
        fresh: Whether the first piece's controls are new: what is closed may not bear them, and the flow is BROKEN.
        span: Start and first step [s].
        x: State, replaced by that at the end.
        fired: Which guards ended it, written.
    """
    t, h = span
    path.logged[0] = 0
    for k in range(len(fired)):
        fired[k] = False
    for piece in range(len(ends)):
        ctrl = controls[piece]
        begin(robot, work, contact, path, setting, ctrl, x, piece == 0)
        if (fresh or piece > 0) and broken(robot, contact, path.before, path.tol):
            mark_yielding(robot, contact, path, fired)
            if not let_go(robot, work, contact, path, setting, ctrl, x, t, fired):
                return BROKEN, piece, t, h
        how, goes = END, ends[piece] > t
        while goes:
            how, t, h = _piece(robot, work, contact, path, scheme, setting, ctrl, (t, ends[piece], h), x, fired)
            let_rest(robot, work, contact, setting.hold_speed)
            goes = how == EVENT and let_go(robot, work, contact, path, setting, ctrl, x, t, fired)
        if how != END:
            return how, piece, t, h
    return END, len(ends), t, h


@jit(views=True)
def _piece(robot, work, contact, path, scheme, setting, ctrl, span, x, fired):
    """Integrate under controls that are held; return (how, time, next step)."""
    t, end, h = span
    for _ in range(setting.max_steps):
        h = min(h, STABLE / setting.drift_rate)
        whole = t + h >= end
        size = end - t if whole else h
        error = try_step(robot, work, contact, path, scheme, setting, ctrl, x, size)
        if not error <= 1.0:
            finite = math.isfinite(error)
            h = size * (max(0.2, 0.9 * error**-scheme.exponent) if finite else 0.1)
            if h < SMALLEST:
                return (STEP_TOO_SMALL if finite else NONFINITE), t, h
            continue
        where, which, clear = 0.0, -1, is_clear(path)
        if not clear:
            where, which = first_event(robot, work, contact, path, scheme, setting, ctrl, x, size)
        if which >= 0:
            there = _go_to(robot, work, contact, path, scheme, setting, ctrl, x, size, where, which)
            if there < 0.0:  # it was located on an output that was wrong
                h = 0.5 * where * size
                continue
            for k in range(len(fired)):
                fired[k] = k == which or (path.armed[k] and path.after[k] <= path.tol[k])
            return EVENT, t + there, max(min(h, max(there, 0.2 * size)), 1e-9)
        _take(path, len(scheme.b), x)
        t = end if whole else t + size
        if not whole or error > 1e-3:
            h = size * min(5.0, 0.9 * max(error, 1e-12) ** -scheme.exponent)
        if whole:
            if not clear:  # the workspace is that of a sample
                field(robot, work, contact, setting, ctrl, x, path.stage[0], True)
            return END, t, h
    return STEP_LIMIT, t, h


@jit(views=True)
def _take(path, n_stages, x):
    """Go on from the end of a step."""
    for i in range(len(x)):
        x[i], path.stage[0, i] = path.end[i], path.stage[n_stages, i]
    for k in range(len(path.before)):
        path.before[k] = path.after[k]


@jit(views=True)
def _go_to(robot, work, contact, path, scheme, setting, ctrl, x, size, where, which):
    """Go to an event at a fraction of the step by a step of its own; return its length [s], -1 if it is not there."""
    if where == 0.0:
        field(robot, work, contact, setting, ctrl, x, path.stage[0], True)
        guards(robot, work, contact, setting, path.after, path.tol)
        return 0.0
    before = where - min(APART, where)
    guards_at(robot, work, contact, path, setting, ctrl, x, before, depends(robot, contact, which), path.now)
    g_before = path.now[which]
    for it in range(CORRECTIONS + 1):
        error = try_step(robot, work, contact, path, scheme, setting, ctrl, x, where * size)
        g = path.after[which]
        if it == CORRECTIONS or not (error <= 1.0 and path.armed[which] and abs(g) > NEAR * path.tol[which]):
            break
        closer = where - g * (where - before) / (g - g_before)
        if not 0.0 < closer <= 1.0:  # nor if the guard did not change
            break
        before, g_before, where = where, g, closer
    wrong = not error <= 1.0 or g > 0.1 * path.before[which] + 1e3 * path.tol[which]
    if wrong and where * size > SMALLEST:
        return -1.0
    for i in range(len(x)):
        x[i] = path.end[i]
    return where * size
