"""Integration of the modes' field to the first event: DOP853, guards sampled on its dense output.

A guard is armed once it was above its tolerance; the first zero of an armed one is the event, located on the dense
output, and the state there is that of a full step. Between samples (`SAMPLES` in a step) a guard that dips and comes
back is not seen.
"""

from __future__ import annotations

import math

import numpy as np

from ..compilation import jit
from ..hybrid.tableau import DOP853
from .constrained import field
from .guards import guards, tolerances

A, B, D, E3, E5 = (np.ascontiguousarray(DOP853.arrays[name]) for name in ("A", "B", "D", "E3", "E5"))
STAGES, ROWS = DOP853.n_stages, DOP853.n_rows
SAMPLES = 4
SMALLEST = 1e-13  # step [s]
SUNK = 1e-9  # a guard that never rose fires below minus this; a limit that others hold creeps by 1e-13 [m/s, rad/s]
END, EVENT, STEP_TOO_SMALL, NONFINITE, STEP_LIMIT = range(5)  # how a flow ended
HALVINGS = 100


@jit
def flow(robot, work, contact, setting, nq, ctrl, span, x, atol, steps, fired):
    """Integrate x in place to the end or to the first event; return (how it ended, time, next step).

    Args:
        robot: Tables.
        work: Workspace.
        contact: Modes.
        setting: `drift_rate`, (`hold_speed`, `creep_speed`), the robot's weight, `rtol`.
        nq: Number of positions.
        ctrl: Controls, held.
        span: Start, end, first step.
        x: State, replaced by that at the end.
        atol: Absolute tolerance of each entry.
        steps: At most so many steps.
        fired: Which guards ended it, written.
    """
    rate, speeds, weight, rtol = setting
    n, n_guards = len(x), len(fired)
    stage, dense, y = np.empty((ROWS, n)), np.empty((7, n)), np.empty(n)
    before, after, tol, armed = np.empty(n_guards), np.empty(n_guards), np.empty(n_guards), np.zeros(n_guards, np.bool_)
    t, end, h = span
    fired[:] = False
    field(robot, work, contact, rate, nq, ctrl, x, stage[0])
    guards(robot, work, contact, speeds, before)
    tolerances(robot, contact, speeds[0], weight, tol)
    for k in range(n_guards):
        armed[k] = before[k] > tol[k]
    for _ in range(steps):
        whole = t + h >= end
        size = end - t if whole else h
        error = _try_step(robot, work, contact, rate, nq, ctrl, x, size, stage, y, atol, rtol)
        if not error <= 1.0:
            finite = math.isfinite(error)
            h = size * (max(0.2, 0.9 * error**-0.125) if finite else 0.1)
            if h < SMALLEST:
                return (STEP_TOO_SMALL if finite else NONFINITE), t, h
            continue
        guards(robot, work, contact, speeds, after)
        where = _first_event(
            robot, work, contact, rate, speeds, nq, ctrl, x, y, size, stage, dense, before, after, tol, armed, fired
        )
        if where <= 1.0:
            if where > 0.0:
                error = _try_step(robot, work, contact, rate, nq, ctrl, x, where * size, stage, y, atol, rtol)
                guards(robot, work, contact, speeds, after)
                wrong = not error <= 1.0
                for k in range(n_guards):
                    wrong = wrong or (fired[k] and after[k] > 0.1 * before[k] + 1e3 * tol[k])
                if wrong and where * size > SMALLEST:  # it was located on an output that was wrong
                    fired[:] = False
                    h = 0.5 * where * size
                    continue
                x[:] = y
            field(robot, work, contact, rate, nq, ctrl, x, stage[0])
            guards(robot, work, contact, speeds, after)
            for k in range(n_guards):
                fired[k] = fired[k] or (armed[k] and after[k] <= tol[k])
            return EVENT, t + where * size, max(min(h, max(where * size, 0.2 * size)), 1e-9)
        x[:] = y
        before[:] = after
        stage[0, :] = stage[STAGES]
        t = end if whole else t + size
        if not whole or error > 1e-3:
            h = size * min(5.0, 0.9 * max(error, 1e-12) ** -0.125)
        if whole:
            return END, t, h
    return STEP_LIMIT, t, h


@jit
def _stages(robot, work, contact, rate, nq, ctrl, x, size, stage, there, first, last):
    for s in range(first, last):
        for i in range(len(x)):
            total = 0.0
            for j in range(s):
                total += A[s, j] * stage[j, i]
            there[i] = x[i] + size * total
        field(robot, work, contact, rate, nq, ctrl, there, stage[s])


@jit
def _try_step(robot, work, contact, rate, nq, ctrl, x, size, stage, y, atol, rtol):
    """Write the state after a step, and the field there; return the error relative to the tolerance, or NaN."""
    n, e5, e3 = len(x), 0.0, 0.0
    _stages(robot, work, contact, rate, nq, ctrl, x, size, stage, y, 1, STAGES)
    for i in range(n):
        total = 0.0
        for j in range(STAGES):
            total += B[j] * stage[j, i]
        y[i] = x[i] + size * total
    field(robot, work, contact, rate, nq, ctrl, y, stage[STAGES])
    for i in range(n):
        a = c = 0.0
        for j in range(STAGES + 1):
            a += E5[j] * stage[j, i]
            c += E3[j] * stage[j, i]
        scale = atol[i] + rtol * max(abs(x[i]), abs(y[i]))
        e5, e3 = e5 + (a / scale) ** 2, e3 + (c / scale) ** 2
    below = e5 + 0.01 * e3
    return math.sqrt(e5) * math.sqrt(e5 / (below * n)) * size if below > 0.0 else below


@jit
def _first_event(
    robot, work, contact, rate, speeds, nq, ctrl, x, y, size, stage, dense, before, after, tol, armed, fired
):
    """Return where in the step the first event is, as a fraction of it; 2 if there is none. Arms guards that rise."""
    n_guards = len(tol)
    there, now, was = np.empty(len(x)), np.empty(n_guards), before.copy()
    rates, found = np.empty(len(x)), np.empty(n_guards)
    _dense(robot, work, contact, rate, nq, ctrl, x, y, size, stage, dense, there)
    first, which = 2.0, -1
    for s in range(1, SAMPLES + 1):
        right = s / SAMPLES
        if s < SAMPLES:
            _sample(robot, work, contact, rate, speeds, nq, ctrl, x, dense, right, there, rates, now)
        else:
            now[:] = after
        for k in range(n_guards):
            below = 0.0 if armed[k] else max(tol[k], SUNK)  # one that never rose fires where it sinks
            if now[k] <= -below and (armed[k] or now[k] < was[k]):
                low, high, g_low, g_high = right - 1.0 / SAMPLES, right, was[k] + below, now[k] + below
                if not g_low > 0.0:
                    low = high = low if armed[k] else high
                for it in range(HALVINGS):  # Illinois' method, with a halving now and then
                    if high - low <= 1e-15:
                        break
                    middle = (low * g_high - high * g_low) / (g_high - g_low) if it % 4 != 3 else 0.5 * (low + high)
                    middle = middle if low < middle < high else 0.5 * (low + high)
                    _sample(robot, work, contact, rate, speeds, nq, ctrl, x, dense, middle, there, rates, found)
                    g = found[k] + below
                    if g <= 0.0:
                        high, g_high, g_low = middle, g, 0.5 * g_low
                    else:
                        low, g_low, g_high = middle, g, 0.5 * g_high
                if high < first:
                    first, which = high, k
            elif not armed[k] and now[k] > tol[k]:
                armed[k] = True
        if which >= 0:
            fired[which] = True
            return first
        was[:] = now
    return 2.0


@jit
def _dense(robot, work, contact, rate, nq, ctrl, x, y, size, stage, dense, there):
    """Write the coefficients of the continuation, whose last stages are evaluated here."""
    _stages(robot, work, contact, rate, nq, ctrl, x, size, stage, there, STAGES + 1, ROWS)
    for i in range(len(x)):
        d = y[i] - x[i]
        dense[0, i], dense[1, i] = d, size * stage[0, i] - d
        dense[2, i] = 2.0 * d - size * (stage[STAGES, i] + stage[0, i])
        for q in range(4):
            total = 0.0
            for k in range(ROWS):
                total += D[q, k] * stage[k, i]
            dense[3 + q, i] = size * total


@jit
def _sample(robot, work, contact, rate, speeds, nq, ctrl, x, dense, fraction, there, rates, g):
    """Write the guards at a fraction of the step."""
    for i in range(len(x)):
        total = 0.0
        for q in range(6, -1, -1):
            total = (total + dense[q, i]) * (fraction if q % 2 == 0 else 1.0 - fraction)
        there[i] = x[i] + total
    field(robot, work, contact, rate, nq, ctrl, there, rates)
    guards(robot, work, contact, speeds, g)
