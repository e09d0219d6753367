"""All sets of modes of a scaled contact problem without cones: whether it has no solution, one, or several."""

import numpy as np

from ..compilation import jit
from .blocks import BOUND, BOUNDED, CONE, FIRST, KIND, MU, SLIDING, U1, U2, rows_of, velocities
from .dynamics import factorise
from .newton import solve_dense
from .search import relative
from .vectors import clear, copy, largest, largest_difference

SETS = 60_000  # most that are tried
HOLDS = 1e-9  # residual of a solution, relative to the largest force
APART = 1e-7  # two w that differ by more, relative to b, are two solutions
SINGULAR = 1e-11  # a pivot, of a matrix with mobilities of one


@jit
def enumerate_modes(matrix, free, blocks, first, second):
    """Try all sets of modes of a problem without cones; return how many solutions with different w there are: 0, 1, 2.

    Writes the first, and one with another w. Returns -1 where there are cones or too many sets, or where none is found
    and the system of a set is singular, which then proves nothing.
    """
    n, total, found, singular = len(blocks.of), 1, 0, False
    for c in range(n):
        total *= 3 if blocks.of[c, KIND] == BOUNDED else 2
        if blocks.of[c, KIND] == CONE or total > SETS:
            return -1
    m = len(free)
    force, w, w_first, out = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m)
    for code in range(total):
        if _forces_of_set(matrix, free, blocks, code, force) < SINGULAR:
            singular = True
        if not relative(matrix, free, force, blocks, w, out) < HOLDS:
            continue
        if found == 0:
            found = 1
            copy(force, first)
            copy(w, w_first)
        elif largest_difference(w, w_first) > APART * max(1.0, largest(w)):
            copy(force, second)
            return 2
    return -1 if found == 0 and singular else found


@jit
def _forces_of_set(matrix, free, blocks, code, force):
    """Write the forces of the set of modes with this number; return the smallest pivot of its linear system.

    Its digits, by block: 0 open, 1 closed; of BOUNDED 0 at rest, 1 at the upper bound, 2 at the lower.
    """
    n = len(blocks.of)
    system, right, acts = np.zeros((n, n)), np.zeros(n), np.zeros(n, np.int64)
    rest = code
    clear(force)
    for c in range(n):
        kind, i = blocks.of[c, KIND], blocks.of[c, FIRST]
        k = 3 if kind == BOUNDED else 2
        digit, rest = rest % k, rest // k
        acts[c] = (digit == 0) == (kind == BOUNDED)
        if kind == BOUNDED and digit > 0:
            force[i] = blocks.number[c, BOUND] * (1.0 if digit == 1 else -1.0)
    base = np.empty(len(free))
    velocities(matrix, free, force, base)
    for c in range(n):
        i = blocks.of[c, FIRST]
        system[c, c] = 1.0
        if acts[c] == 0:
            continue
        right[c] = -base[i]
        for e in range(n):
            if acts[e] != 0:
                system[c, e] = _column(matrix, blocks, i, e)
    least = solve_dense(system, right)
    for c in range(n):
        if acts[c] != 0:
            i, number = blocks.of[c, FIRST], blocks.number[c]
            force[i] = right[c]
            if rows_of(blocks.of[c, KIND]) == 3:
                force[i + 1], force[i + 2] = -number[MU] * number[U1] * right[c], -number[MU] * number[U2] * right[c]
    return least


@jit
def _column(matrix, blocks, i, e):
    """Return the velocity of row i for unit normal force of block e, whose friction goes with it."""
    j, number = blocks.of[e, FIRST], blocks.number[e]
    if blocks.of[e, KIND] != SLIDING:
        return matrix[i, j]
    return matrix[i, j] - number[MU] * (number[U1] * matrix[i, j + 1] + number[U2] * matrix[i, j + 2])


@jit
def is_monotone(matrix, blocks):
    """Return whether the problem of the blocks' normal rows is strictly monotone: then there is one w at most.

    A sufficient test, for problems without cones: the symmetric part of the matrix with friction in it is definite.
    """
    n = len(blocks.of)
    system = np.empty((n, n))
    for c in range(n):
        for e in range(n):
            system[c, e] = _column(matrix, blocks, blocks.of[c, FIRST], e)
    factor, half = np.zeros((n, n)), np.empty((n, n))
    for c in range(n):
        for e in range(n):
            half[c, e] = 0.5 * (system[c, e] + system[e, c])
    factorise(half, factor)
    for c in range(n):
        if not factor[c, c] * factor[c, c] > 1e-9:
            return False
    return True
