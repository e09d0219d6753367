"""The ladder of methods for a scaled contact problem.

First Newton's method from zero, then the modes it found are frozen and iterated to the least forces that respect cones
and bounds. Where that does not end in a solution: steps with modes free and a falling Tikhonov term (b contradicts
itself on redundant rows, and forces grow until a row gives way). Then the same from other starts: a Tikhonov term that
falls from one, friction that grows to its value, Gauss-Seidel, and all sets of modes.
"""

from __future__ import annotations

import math

import numpy as np

from ..compilation import jit
from .blocks import BOUND, BOUNDED, CONE, FIRST, KIND, MU, SLIDING, U1, U2, Blocks, natural_residual
from .newton import SLIP, newton

DELTA = 1e-6  # of Tikhonov's term, iterated away; at 1e-9 redundant rows amplify rounding a thousand times more
GOOD, FINE = 1e-10, 1e-13  # residuals relative to the largest force: accepted; no better is looked for
NEAR = 1e-2  # a residual above this is none of a solution nearby
LARGE = 10.0  # scaled forces count as no more: rows that contradict each other make them grow, and residuals small
STARTS = 300  # most sets of modes that are tried as starts


@jit
def relative(matrix, free, x, blocks, w, out):
    """Return the natural residual relative to the largest force."""
    most = 1e-300
    for i in range(len(x)):
        most = max(most, abs(x[i]))
    # Forces that are zero but for rounding are measured against b, which is one.
    return natural_residual(matrix, free, x, blocks, w, out) / min(max(most, 1e-6), LARGE)


@jit
def ladder(matrix, free, x, weight, noise, mode, blocks):
    """Solve from zero by one method after the other; return the residual.

    Args:
        matrix: A, scaled.
        free: b, scaled.
        x: Forces, which are written.
        weight: What a scaled velocity of one is in b's unit, by row.
        noise: By how much b may be wrong: its rows may contradict each other by so much.
        mode: Modes of the blocks, which are written.
        blocks: The blocks.
    """
    best, there = math.inf, np.zeros(len(x))
    for rung in range(5):
        there[:] = 0.0
        if rung == 1:
            _stiffen(matrix, free, there, mode, blocks)
        elif rung == 2:
            _grow_friction(matrix, free, there, weight, mode, blocks)
        elif rung == 3:
            _sweep(matrix, free, there, 1000, blocks)
        found = (
            _from_all_modes(matrix, free, there, weight, noise, mode, blocks)
            if rung == 4
            else refine(matrix, free, there, weight, noise, mode, blocks)
        )
        if found < best:
            best = found
            x[:] = there
        if best <= GOOD or best < 0.0:
            break
    return best


@jit
def refine(matrix, free, x, weight, noise, mode, blocks):
    """Solve from x; return the residual relative to the largest force, or minus that which is within the noise of b."""
    m = len(x)
    w, out, anchor, there, least = np.empty(m), np.empty(m), np.zeros(m), x.copy(), x.copy()
    newton(matrix, free, there, anchor, DELTA, 100, 1e-14, mode, False, blocks)
    first = mode.copy()
    best = _least_forces(matrix, free, there, least, mode, blocks)
    if best <= GOOD:
        x[:] = least
        return best
    if noise > 0.0 and best < NEAR:
        natural_residual(matrix, free, least, blocks, w, out)
        if np.abs(weight * out).max() <= noise:
            x[:] = least
            return -best
    x[:] = least
    delta, stalled, top = DELTA, 0, best
    for it in range(24):
        now = relative(matrix, free, there, blocks, w, out)
        stalled = 0 if now < 0.5 * top else stalled + 1
        if now < best:
            best = now
            x[:] = there
            first[:] = mode
        top = min(top, now)
        if best <= FINE or not math.isfinite(now) or (it == 0 and now > NEAR):
            break
        if stalled >= 2:
            if best <= GOOD:
                break
            delta, stalled = 1e-3 * delta, 0
            if delta < 1e-13:
                break
        anchor[:] = there
        newton(matrix, free, there, anchor, delta, 8, 1e-15, mode, False, blocks)
    mode[:] = first
    return best


@jit
def _least_forces(matrix, free, start, x, mode, blocks):
    """Iterate Tikhonov's bias away with the modes frozen, from its solution; return the residual of the best, in x.

    From its solution, not from another point: where rows are redundant the steps then end at the least forces, with
    weight diag(A). They end where they stall: more of them only pump forces that move nothing.
    """
    m = len(x)
    w, out, there, anchor, best, before = np.empty(m), np.empty(m), start.copy(), np.empty(m), math.inf, math.inf
    for it in range(8):
        anchor[:] = there
        newton(matrix, free, there, anchor, DELTA, 6, 1e-15, mode, True, blocks)
        now = relative(matrix, free, there, blocks, w, out)
        if not math.isfinite(now) or (it == 0 and now > NEAR):
            break
        if now < best:
            best = now
            x[:] = there
        if best <= FINE or now > 0.5 * before:
            break
        before = now
    return best


@jit
def _stiffen(matrix, free, x, mode, blocks):
    """Write the forces at a Tikhonov term that falls from one, where the problem is easy, for a start."""
    delta, anchor = 1.0, np.zeros(len(x))
    while delta > DELTA:
        newton(matrix, free, x, anchor, delta, 30, 1e-14, mode, False, blocks)
        delta *= 0.25


@jit
def _grow_friction(matrix, free, x, weight, mode, blocks):
    """Write the forces at a friction that grows towards its value, for a start."""
    top = blocks.number[:, MU].max() if len(blocks.of) else 0.0
    level, number = 0.05, blocks.number.copy()
    while level < top:
        for c in range(len(blocks.of)):
            number[c, MU] = min(blocks.number[c, MU], level)
        if not refine(matrix, free, x, weight, 0.0, mode, Blocks(blocks.of, number)) < 1e-8:
            return
        level *= 1.6


@jit
def _sweep(matrix, free, x, count, blocks):
    """Improve forces block by block (Gauss-Seidel), for a start."""
    m = len(x)
    for _ in range(count):
        for c in range(len(blocks.of)):
            kind, i, number = blocks.of[c, KIND], blocks.of[c, FIRST], blocks.number[c]
            for k in range(i, i + (3 if kind == CONE else 1)):
                s = free[k]
                for j in range(m):
                    s += matrix[k, j] * x[j]
                d = max(matrix[i + 1, i + 1], matrix[i + 2, i + 2]) if k > i else matrix[i, i]
                x[k] -= s / (2.0 * d if k > i else d)
                if k == i:
                    x[i] = min(max(x[i], -number[BOUND]), number[BOUND]) if kind == BOUNDED else max(x[i], 0.0)
            if kind == SLIDING:
                x[i + 1], x[i + 2] = -number[MU] * number[U1] * x[i], -number[MU] * number[U2] * x[i]
            elif kind == CONE:
                size, most = math.sqrt(x[i + 1] ** 2 + x[i + 2] ** 2), number[MU] * x[i]
                if size > most:
                    x[i + 1], x[i + 2] = x[i + 1] * most / size, x[i + 2] * most / size


@jit
def _from_all_modes(matrix, free, x, weight, noise, mode, blocks):
    """Solve from the forces of each set of modes, where there are few; return the residual of the first that holds."""
    total, best, there = 1, math.inf, np.zeros(len(x))
    for c in range(len(blocks.of)):
        total *= 3 if blocks.of[c, KIND] == CONE or blocks.of[c, KIND] == BOUNDED else 2
        if total > STARTS:
            return best
    for code in range(total):
        rest = code
        for c in range(len(blocks.of)):
            n = 3 if blocks.of[c, KIND] == CONE or blocks.of[c, KIND] == BOUNDED else 2
            mode[c] = rest % n - (1 if blocks.of[c, KIND] == BOUNDED else 0)
            rest //= n
        there[:] = 0.0
        newton(matrix, free, there, np.zeros(len(x)), DELTA, 12, 1e-10, mode, True, blocks)
        now = refine(matrix, free, there, weight, noise, mode, blocks)
        if now < best:
            best = now
            x[:] = there
        if best <= GOOD:
            break
    return best


assert SLIP == 2  # as `_from_all_modes` counts the modes of a cone
