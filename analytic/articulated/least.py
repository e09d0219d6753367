"""The forces of closed rows, f of A f = b: the least where rows are redundant, by Tikhonov's method iterated.

Accelerations do not depend on which forces are taken there.
"""

from __future__ import annotations

import math

from ..compilation import jit
from .modes import FREE, STICK
from .newton import solve_dense
from .vectors import dot

DELTA = 1e-6  # of Tikhonov's term, relative to the mobility of a row
DISTINCT = 1e-3  # smallest pivot, of rows scaled to mobility one, with which they are solved for at once
SWEEPS, EXACT = 12, 1e-13  # at most so many; residual relative to the largest that the forces have to balance
NO_MOBILITY = 1e-12
SCALE, REST, PART = range(3)  # rows of `Workspace.solving`


@jit(views=True)
def least_forces(work, contact, m):
    """Write the forces that give the m rows their accelerations; the least where rows are redundant."""
    moves, scale = True, work.solving[SCALE]
    for i in range(m):
        mobility = dot(contact.row[i], contact.row[i])
        moves = moves and mobility > NO_MOBILITY
        scale[i] = mobility if mobility > NO_MOBILITY else 1.0 / DELTA
        for j in range(m):
            work.matrix[i, j] = dot(contact.row[i], contact.column[j])
        work.matrix[i, i] += contact.soft[i]
    if not (moves and _at_once(work, contact, m)):
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
def _is_friction(work, contact, m):
    """Return whether no rows are redundant but friction takes their mobility: forces grow without bound in a jam."""
    unit, slips = work.solving[PART], False
    for mode in contact.foot:
        slips = slips or (mode != FREE and mode != STICK)
    if slips:
        for i in range(m):
            for j in range(m):
                work.system[i, j] = dot(contact.row[i], contact.row[j]) * unit[i] * unit[j]
    return slips and solve_dense(work.system[:m, :m], work.solving[REST, :m]) >= DISTINCT


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
