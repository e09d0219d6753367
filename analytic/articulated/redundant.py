"""Rows that follow from others, all but exactly: what forces hardly change of the velocities is rounding, if small.

Feet of one body that touch at several points, and feet of a robot that stands with all legs bent alike, have rows that
follow from each other. They contradict each other by rounding, so that no forces are exact: solvers stall, or forces
grow until a row gives way.
"""

from __future__ import annotations

import math

import numpy as np

from ..compilation import jit

FOLLOWS = 1e-7  # part of a row's own mobility that is left when those before it are taken out of it
EXACTLY = 1e-13  # and that which is rounding


@jit
def consistent(matrix, free, weight, noise):
    """Return A and b without the directions in which A is less than `FOLLOWS`; as they were where b there is no noise.

    Args:
        matrix: A, scaled, semidefinite.
        free: b, scaled.
        weight: What a scaled velocity of one is in b's unit, by row.
        noise: By how much b may be wrong, in its unit.
    """
    m = len(free)
    own = np.ones(m)
    for i in range(m):
        if matrix[i, i] > EXACTLY:
            own[i] = math.sqrt(matrix[i, i])
    scaled = matrix / own / own.reshape(m, 1)
    basis, left = _range_of(scaled)
    inside = _within(basis, free / own) * own
    for i in range(m):
        if abs(inside[i] - free[i]) * weight[i] > noise:
            return matrix, free
    if left <= EXACTLY:
        return matrix, inside
    half, both = np.empty((m, m)), np.empty((m, m))
    for i in range(m):
        half[i] = _within(basis, scaled[i])
    for i in range(m):
        both[i] = _within(basis, half[:, i])
    return both * own * own.reshape(m, 1), inside


@jit
def _within(basis, vector):
    """Return the projection on what orthonormal rows span."""
    out = np.zeros(len(vector))
    for k in range(len(basis)):
        out += (basis[k] * vector).sum() * basis[k]
    return out


@jit
def _range_of(matrix):
    """Return orthonormal rows that span what a matrix gives (pivoted Cholesky), and the pivot that is left out."""
    m = len(matrix)
    rest, basis, rank, left = matrix.copy(), np.empty((m, m)), 0, 0.0
    for _ in range(m):
        pivot = 0
        for i in range(1, m):
            if rest[i, i] > rest[pivot, pivot]:
                pivot = i
        left = rest[pivot, pivot]
        if not left > FOLLOWS:
            break
        column = rest[pivot] / math.sqrt(left)
        left = 0.0
        for i in range(m):
            for j in range(m):
                rest[i, j] -= column[i] * column[j]
        for _ in range(2):  # once leaves what rounding did to nearly parallel columns
            column -= _within(basis[:rank], column)
        basis[rank] = column / math.sqrt((column * column).sum())
        rank += 1
    return basis[:rank], left
