"""The ladder of methods for a scaled contact problem.

First Newton's method from zero, then the modes it found are frozen and iterated to the least forces that respect cones
and bounds. Where that does not end in a solution: steps with modes free and a falling Tikhonov term (b contradicts
itself on redundant rows, and forces grow until a row gives way), and many steps of one term (redundant feet at their
cones, whose loads shift slowly). Then the first again from other starts: a Tikhonov term that falls from one, friction
that grows to its value, Gauss-Seidel, and all sets of modes.
"""

import math

import numpy as np

from ..compilation import jit
from .blocks import BOUND, BOUNDED, CONE, FIRST, KIND, MU, SLIDING, U1, U2, Blocks, natural_residual
from .newton import CLOSED, SLIP, newton
from .vectors import clear, copy, largest

DELTA = 1e-6  # of Tikhonov's term, iterated away; at 1e-9 redundant rows amplify rounding a thousand times more
LOOSE = 1e-3  # the term of the last steps
GOOD, FINE = 1e-10, 1e-13  # residuals relative to the largest force: accepted; no better is looked for
NEAR = 1e-2  # a residual above this is none of a solution nearby
LARGE = 10.0  # scaled forces count as no more: rows that contradict each other make them grow, and residuals small
NO_SLIP = 1e-8  # scaled slip of a foot at its cone that others hold
STEPS = 60  # of one Tikhonov term
STARTS = 300  # most sets of modes that are tried as starts


@jit
def relative(matrix, free, x, blocks, w, out):
    """Return the natural residual relative to the largest force."""
    # Forces that are zero but for rounding are measured against b, which is one.
    return natural_residual(matrix, free, x, blocks, w, out) / min(max(largest(x), 1e-6), LARGE)


@jit
def ladder(matrix, free, x, mode, blocks):
    """Solve from zero by one method after the other; return the residual.

    Args:
        matrix: A, scaled.
        free: b, scaled.
        x: Forces, which are written.
        mode: Modes of the blocks, which are written.
        blocks: The blocks.
    """
    best, there = math.inf, np.zeros(len(x))
    for rung in range(7):
        clear(there)
        if rung == 2:
            _stiffen(matrix, free, there, mode, blocks)
        elif rung == 3:
            _grow_friction(matrix, free, there, mode, blocks)
        elif rung == 4:
            _sweep(matrix, free, there, 1000, blocks)
        if rung == 1 or rung == 5:  # a large term leaves modes that a small one holds on to
            found = _anchor(matrix, free, there, mode, DELTA if rung == 1 else LOOSE, blocks)
        elif rung == 6:
            found = _from_all_modes(matrix, free, there, mode, blocks)
        else:
            found = refine(matrix, free, there, mode, blocks)
        if found < best:
            best = found
            copy(there, x)
        if best <= GOOD:
            break
    return best


@jit
def refine(matrix, free, x, mode, blocks):
    """Solve from x; return the residual relative to the largest force."""
    m = len(x)
    w, out, anchor, there, least = np.empty(m), np.empty(m), np.zeros(m), x.copy(), x.copy()
    newton(matrix, free, there, anchor, DELTA, 100, 1e-14, mode, False, blocks)
    first = mode.copy()
    best = _least_forces(matrix, free, there, least, mode, blocks)
    copy(least, x)
    if best <= GOOD:
        return best
    delta, stalled, top = DELTA, 0, best
    for it in range(24):
        now = relative(matrix, free, there, blocks, w, out)
        stalled = 0 if now < 0.5 * top else stalled + 1
        if now < best:
            best = now
            copy(there, x)
            copy(mode, first)
        top = min(top, now)
        if best <= FINE or not math.isfinite(now) or (it == 0 and now > NEAR):
            break
        if stalled >= 2:
            if best <= GOOD:
                break
            delta, stalled = 1e-3 * delta, 0
            if delta < 1e-13:
                break
        copy(there, anchor)
        newton(matrix, free, there, anchor, delta, 8, 1e-15, mode, False, blocks)
    copy(first, mode)
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
        copy(there, anchor)
        newton(matrix, free, there, anchor, DELTA, 6, 1e-15, mode, True, blocks)
        now = relative(matrix, free, there, blocks, w, out)
        if not math.isfinite(now) or (it == 0 and now > NEAR):
            break
        if now < best:
            best = now
            copy(there, x)
        if best <= FINE or now > 0.5 * before:
            break
        before = now
    return best


@jit
def _anchor(matrix, free, x, mode, delta, blocks):
    """Improve the forces by many steps of one Tikhonov term, each from where the last ended; return the residual."""
    w, out, anchor, now = np.empty(len(x)), np.empty(len(x)), np.empty(len(x)), math.inf
    for _ in range(STEPS):
        copy(x, anchor)
        newton(matrix, free, x, anchor, delta, 50, 1e-14, mode, False, blocks)
        now = relative(matrix, free, x, blocks, w, out)
        if now <= FINE:
            break
    return _hold(matrix, free, x, mode, blocks, now)


@jit
def _hold(matrix, free, x, mode, blocks, residual):
    """Let cones that slip by nothing stick, with the least forces, if that holds, too; return the residual."""
    w, out, held, least, turned = np.empty(len(x)), np.empty(len(x)), mode.copy(), x.copy(), False
    natural_residual(matrix, free, x, blocks, w, out)
    for c in range(len(blocks.of)):
        i = blocks.of[c, FIRST]
        if blocks.of[c, KIND] == CONE and mode[c] == SLIP and max(abs(w[i + 1]), abs(w[i + 2])) <= NO_SLIP:
            held[c], turned = CLOSED, True
    if not turned or not residual <= GOOD:
        return residual
    newton(matrix, free, least, np.zeros(len(x)), DELTA, 6, 1e-15, held, True, blocks)
    now = _least_forces(matrix, free, least.copy(), least, held, blocks)
    if now <= GOOD:
        copy(least, x)
        copy(held, mode)
        return now
    return residual


@jit
def _stiffen(matrix, free, x, mode, blocks):
    """Write the forces at a Tikhonov term that falls from one, where the problem is easy, for a start."""
    delta, anchor = 1.0, np.zeros(len(x))
    while delta > DELTA:
        newton(matrix, free, x, anchor, delta, 30, 1e-14, mode, False, blocks)
        delta *= 0.25


@jit
def _grow_friction(matrix, free, x, mode, blocks):
    """Write the forces at a friction that grows towards its value, for a start."""
    level, number, top = 0.05, blocks.number.copy(), 0.0
    for c in range(len(blocks.of)):
        top = max(top, number[c, MU])
    while level < top:
        for c in range(len(blocks.of)):
            number[c, MU] = min(blocks.number[c, MU], level)
        if not refine(matrix, free, x, mode, Blocks(blocks.of, number)) < 1e-8:
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
def _from_all_modes(matrix, free, x, mode, blocks):
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
        clear(there)
        newton(matrix, free, there, np.zeros(len(x)), DELTA, 12, 1e-10, mode, True, blocks)
        now = refine(matrix, free, there, mode, blocks)
        if now < best:
            best = now
            copy(there, x)
        if best <= GOOD:
            break
    return best


assert SLIP == 2  # as `_from_all_modes` counts the modes of a cone
