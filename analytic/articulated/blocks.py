"""The contact problem w = A f + b and its natural residual, which is zero at solutions and nowhere else.

Rows are grouped in blocks; A is symmetric and positive semidefinite, of any rank, b the velocities (an impact) or
accelerations that would be without contact, f impulses or forces:

    CONE        0 <= f_n, w_n >= 0, f_n w_n = 0; |f_t| <= mu f_n; f_t = -mu f_n w_t / |w_t| where w_t is not zero
    SLIDING     0 <= f_n, w_n >= 0, f_n w_n = 0; f_t = -mu f_n u, with the given direction u of slip
    UNILATERAL  0 <= f, w >= 0, f w = 0: a joint limit
    BOUNDED     |f| <= bound, w = 0 inside, f = -bound sign(w) where w is not zero: dry friction of a joint

This is Coulomb's law with maximal dissipation, not the convex problem, in which a sliding contact would have to open.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ..compilation import jit
from .vectors import largest

CONE, SLIDING, UNILATERAL, BOUNDED = range(4)
ROWS = 3, 3, 1, 1  # of each kind
S_SOLVED, S_INDETERMINATE, S_NO_SOLUTION, S_NOT_SOLVED = range(4)  # how a problem ends, `contact.ContactStatus`
KIND, FIRST = range(2)  # columns of `Blocks.of`
MU, U1, U2, BOUND = range(4)  # of `Blocks.number`
NO_MOBILITY = 1e-14  # of a block beside the largest: no force moves it, rounding apart
ROUNDING = 1e-12  # of velocities without contact, beside the largest


@dataclass(frozen=True)
class Block:
    """A contact, limit or dry joint; made by functions of `contact`."""

    kind: int
    mu: float = 0.0
    direction: tuple[float, float] = (0.0, 0.0)
    bound: float = 0.0


class Blocks(NamedTuple):
    """The blocks of a contact problem."""

    of: np.ndarray  # (n, 2) int, kind and first row
    number: np.ndarray  # (n, 4) friction, direction of slip, bound


def first_rows(blocks) -> np.ndarray:
    """Return the number of the first row of each `Block`, shape (n,)."""
    return _first_rows(tuple(block.kind for block in blocks))


@lru_cache
def _first_rows(kinds: tuple[int, ...]) -> np.ndarray:
    return np.array([0, *accumulate(ROWS[kind] for kind in kinds)][:-1], int)


@jit
def rows_of(kind):
    """Return the number of rows of a block."""
    return 3 if kind == CONE or kind == SLIDING else 1


@jit
def velocities(matrix, free, force, w):
    """Write w = A f + b."""
    for i in range(len(free)):
        s = free[i]
        for j in range(len(free)):
            s += matrix[i, j] * force[j]
        w[i] = s


@jit
def natural_residual(matrix, free, force, blocks, w, out):
    """Write w and f - P(f - w), with P the projection on what forces may be; return its largest entry.

    The matrix is scaled so that blocks have mobility one (`scaled`). Infinite where a force is not finite: a comparison
    with NaN would let it pass.
    """
    worst = 0.0
    for i in range(len(free)):
        if not math.isfinite(force[i]):
            return math.inf
    velocities(matrix, free, force, w)
    for c in range(len(blocks.of)):
        kind, i = blocks.of[c, KIND], blocks.of[c, FIRST]
        if kind == BOUNDED:
            bound = blocks.number[c, BOUND]
            out[i] = force[i] - min(max(force[i] - w[i], -bound), bound)
        else:
            out[i] = force[i] - max(force[i] - w[i], 0.0)
        if rows_of(kind) == 3:
            _tangential(kind, i, force, blocks.number[c], w, out)
        for k in range(i, i + rows_of(kind)):
            worst = max(worst, abs(out[k]))
    return worst


@jit
def _tangential(kind, i, force, number, w, out):
    """Write the tangential part of the natural residual of a block."""
    most = number[MU] * max(force[i], 0.0)
    if kind == SLIDING:
        p1, p2 = -most * number[U1], -most * number[U2]
    else:
        p1, p2 = force[i + 1] - w[i + 1], force[i + 2] - w[i + 2]
        size = math.sqrt(p1 * p1 + p2 * p2)
        if size > most:
            p1, p2 = p1 * most / size, p2 * most / size
    out[i + 1], out[i + 2] = force[i + 1] - p1, force[i + 2] - p2


@jit
def is_jammed(matrix, free, blocks, noise):
    """Return whether a contact or limit closes that no force can move: a proof that there is no solution."""
    top = 0.0
    for i in range(len(free)):
        top = max(top, matrix[i, i])
    for c in range(len(blocks.of)):
        i = blocks.of[c, FIRST]
        closes = free[i] < -max(noise, ROUNDING * largest(free))
        if blocks.of[c, KIND] != BOUNDED and closes and matrix[i, i] <= NO_MOBILITY * top:
            return True
    return False


@jit
def scaled(matrix, free, blocks, noise):
    """Return A and b scaled to unit mobility of blocks and to |b| = 1, the blocks with their bounds, scales, and |b|.

    One factor for a block: cones stay cones. Force = scaled force scale |b|, velocity = scaled velocity |b| / scale.
    A row that nothing moves takes no force, unless it moves by itself, by more than rounding and `noise`.
    """
    m, top = len(free), 0.0
    scale = np.empty(m)
    for i in range(m):
        top = max(top, matrix[i, i])
    for c in range(len(blocks.of)):
        i, n = blocks.of[c, FIRST], rows_of(blocks.of[c, KIND])
        most = 0.0
        for k in range(i, i + n):
            most = max(most, matrix[k, k])
        for k in range(i, i + n):
            scale[k] = 1.0 / math.sqrt(most) if most > NO_MOBILITY * top else 1.0
    size = 1e-300
    for i in range(m):
        size = max(size, abs(free[i] * scale[i]))
    a, b, number, rounding = np.empty((m, m)), np.empty(m), blocks.number.copy(), max(noise, ROUNDING * largest(free))
    for i in range(m):
        b[i] = free[i] * scale[i] / size
        for j in range(m):
            a[i, j] = matrix[i, j] * scale[i] * scale[j]
        if matrix[i, i] <= NO_MOBILITY * top and abs(free[i]) <= rounding:
            a[i, i], b[i] = 1.0, 0.0
    for c in range(len(blocks.of)):
        number[c, BOUND] /= scale[blocks.of[c, FIRST]] * size
    return a, b, Blocks(blocks.of, number), scale, size
