"""The forces of closed rows, f of A f = b: the least where rows are redundant.

Where some follow from others exactly, f = P y with Q^T A P y = Q^T b, Q and P orthonormal bases of what rows and
columns span (a complete orthogonal decomposition). Where they do so nearly, by Tikhonov's method iterated: what comes
of their contradictions is bounded and smooth.

Accelerations do not depend on which forces are taken there.
"""

import math

from ..compilation import jit
from .modes import FREE, STICK
from .newton import solve_dense
from .redundant import range_of
from .vectors import dot, plain_dot

DELTA = 1e-6  # of Tikhonov's term, relative to the mobility of a row
DISTINCT = 1e-3  # smallest pivot, of rows scaled to mobility one, with which they are solved for at once
SWEEPS, EXACT = 12, 1e-13  # at most so many; residual relative to the largest that the forces have to balance
NO_MOBILITY, ROUNDING = 1e-12, 1e-12
SCALE, REST, PART, ROW = range(4)  # rows of `Workspace.solving`


@jit(views=True)
def least_forces(work, contact, m):
    """Write the forces that give the m rows their accelerations; the least where rows are redundant."""
    moves, slips, scale = True, _slips(contact), work.solving[SCALE]
    for i in range(m):
        mobility = dot(contact.row[i], contact.row[i])
        moves = moves and mobility > NO_MOBILITY
        scale[i] = mobility if mobility > NO_MOBILITY else 1.0 / DELTA
        for j in range(m if slips else i):
            work.matrix[i, j] = dot(contact.row[i], contact.column[j])
        if not slips:
            work.matrix[i, i] = mobility
            for j in range(i):
                work.matrix[j, i] = work.matrix[i, j]
        work.matrix[i, i] += contact.soft[i]
    if not ((moves and _at_once(work, contact, m)) or _reduced(work, contact, m)):
        _iterated(work, contact, m)


@jit(views=True)
def _at_once(work, contact, m):
    """Write the forces of rows that are not redundant; return whether these are none."""
    unit, rest = work.solving[PART], work.solving[REST]
    for i in range(m):
        unit[i] = 1.0 / math.sqrt(work.solving[SCALE, i])
        rest[i] = contact.right[i] * unit[i]
    for i in range(m):
        for j in range(m):
            work.system[i, j] = work.matrix[i, j] * unit[i] * unit[j]
    pivot = solve_dense(work.system[:m, :m], rest[:m])
    for i in range(m):
        contact.force[i] = rest[i] * unit[i]
    return pivot >= DISTINCT or _is_friction(work, contact, m)


@jit(views=True)
def _slips(contact):
    """Return whether the friction of a foot makes columns that are not rows."""
    for mode in contact.foot:
        if mode != FREE and mode != STICK:
            return True
    return False


@jit(views=True)
def _is_friction(work, contact, m):
    """Return whether no rows are redundant but friction takes their mobility: forces grow without bound in a jam."""
    unit, slips = work.solving[PART], _slips(contact)
    if slips:
        for i in range(m):
            for j in range(m):
                work.system[i, j] = dot(contact.row[i], contact.row[j]) * unit[i] * unit[j]
    return slips and solve_dense(work.system[:m, :m], work.solving[REST, :m]) >= DISTINCT


@jit(views=True)
def _reduced(work, contact, m):
    """Write the least forces of rows some of which follow from others exactly; return whether all others are distinct.

    The forces of two tips at one place are then those of one, however little its mobility is.
    """
    unit, part, q, p = work.solving[PART], work.solving[ROW], work.basis[0], work.basis[1]
    for i in range(m):
        moves = dot(contact.row[i], contact.row[i]) > NO_MOBILITY
        unit[i] = 1.0 / math.sqrt(work.solving[SCALE, i]) if moves else 0.0
        if contact.soft[i] != 0.0:
            return False
    rank = _span(contact.row, unit, m, work.system, q)
    if rank < 0 or _span(contact.column, unit, m, work.system, p) != rank:
        return False
    for a in range(rank):
        for j in range(m):
            part[j] = 0.0
            for i in range(m):
                part[j] += q[a, i] * unit[i] * work.matrix[i, j]
            part[j] *= unit[j]
        work.solving[REST, a] = 0.0
        for i in range(m):
            work.solving[REST, a] += q[a, i] * unit[i] * contact.right[i]
        for b in range(rank):
            work.system[a, b] = plain_dot(part[:m], p[b, :m])
    solve_dense(work.system[:rank, :rank], work.solving[REST, :rank])
    for i in range(m):
        contact.force[i] = 0.0
        for a in range(rank):
            contact.force[i] += work.solving[REST, a] * p[a, i] * unit[i]
    return True


@jit(views=True)
def _span(rows, unit, m, gram, basis):
    """Write a basis of what scaled rows span; return its size, or -1 where one nearly follows from others."""
    for i in range(m):
        for j in range(m):
            gram[i, j] = dot(rows[i], rows[j]) * unit[i] * unit[j]
    rank, least, left = range_of(gram, basis, m, ROUNDING)
    return rank if least >= DISTINCT and left <= ROUNDING else -1


@jit(views=True)
def _iterated(work, contact, m):
    """Write the forces by sweeps, each for what those before left."""
    rest, part, before, top = work.solving[REST], work.solving[PART], math.inf, 1e-300
    for i in range(m):
        contact.force[i], top = 0.0, max(top, abs(contact.right[i]))
    for _ in range(SWEEPS):
        worst = 0.0
        for i in range(m):
            rest[i] = contact.right[i]
            for j in range(m):
                rest[i] -= work.matrix[i, j] * contact.force[j]
            worst = max(worst, abs(rest[i]))
        if worst <= EXACT * top or worst > 0.5 * before:  # more sweeps would only pump forces that move nothing
            break
        before = worst
        _shifted(work, m)
        # Redundant rows contradict each other by the gaps' rounding, which Tikhonov's term amplifies by 1 / DELTA to
        # forces that move nothing: the matrix takes those out, and the rest is solved for again.
        for i in range(m):
            part[i] = rest[i]
        for i in range(m):
            rest[i] = 0.0
            for j in range(m):
                rest[i] += work.matrix[i, j] * part[j]
        _shifted(work, m)
        for i in range(m):
            contact.force[i] += rest[i]


@jit(views=True)
def _shifted(work, m):
    """Replace the residuals by the solution of the system with Tikhonov's term."""
    for i in range(m):
        for j in range(m):
            work.system[i, j] = work.matrix[i, j]
        work.system[i, i] += DELTA * work.solving[SCALE, i]
    solve_dense(work.system[:m, :m], work.solving[REST, :m])
