"""Rows that follow from others, all but exactly: what forces hardly change of the velocities is rounding, if small.

Feet of one body that touch at several points, and feet of a robot that stands with all legs bent alike, have rows that
follow from each other. They contradict each other by rounding, so that no forces are exact: solvers stall, or forces
grow until a row gives way.
"""

import math

import numpy as np

from ..compilation import jit
from .vectors import add_scaled, copy, plain_dot

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
    own, unit, half, both = np.empty(m), np.empty((m, m)), np.empty((m, m)), np.empty((m, m))
    inside = np.empty(m)
    for i in range(m):
        own[i] = math.sqrt(matrix[i, i]) if matrix[i, i] > EXACTLY else 1.0
    for i in range(m):
        inside[i] = free[i] / own[i]
        for j in range(m):
            unit[i, j] = matrix[i, j] / own[j] / own[i]
    basis = np.empty((m + 1, m))
    for i in range(m):
        copy(unit[i], half[i])
    rank, _, left = range_of(half, basis, m, FOLLOWS)
    _project(basis, rank, inside)
    for i in range(m):
        inside[i] *= own[i]
        if abs(inside[i] - free[i]) * weight[i] > noise:
            return matrix, free
    if left <= EXACTLY:
        return matrix, inside
    for i in range(m):
        _project(basis, rank, unit[i])
        for j in range(m):
            half[j, i] = unit[i, j]
    for i in range(m):
        _project(basis, rank, half[i])
        for j in range(m):
            both[i, j] = half[i, j] * own[j] * own[i]
    return both, inside


@jit(views=True)
def _project(basis, rank, vector):
    """Replace a vector by its projection on what the first orthonormal rows span."""
    for j in range(len(vector)):
        basis[-1, j], vector[j] = vector[j], 0.0
    for k in range(rank):
        add_scaled(plain_dot(basis[k], basis[-1]), basis[k], vector)


@jit(views=True)
def range_of(rest, basis, m, follows):
    """Write orthonormal rows that span what a matrix gives (pivoted Cholesky); return how many, and two pivots.

    Args:
        rest: The matrix, symmetric, its first m rows and columns, which are used up.
        basis: The rows; row m is for a moment, here and in `_project`.
        m: Number of rows.
        follows: Pivot below which the rest follows. The last that counts, and the first that does not, are returned.
    """
    rank, least, left = 0, math.inf, 0.0
    for _ in range(m):
        pivot, column = 0, basis[rank]
        for i in range(1, m):
            if rest[i, i] > rest[pivot, pivot]:
                pivot = i
        left = rest[pivot, pivot]
        if not left > follows:
            break
        root, least, left = math.sqrt(left), left, 0.0
        for i in range(m):
            column[i] = rest[pivot, i] / root
        for i in range(m):
            add_scaled(-column[i], column[:m], rest[i, :m])
        for _ in range(2):  # once leaves what rounding did to nearly parallel columns
            for k in range(rank):
                basis[m, k] = plain_dot(basis[k, :m], column[:m])
            for k in range(rank):
                add_scaled(-basis[m, k], basis[k, :m], column[:m])
        root = math.sqrt(plain_dot(column[:m], column[:m]))
        for i in range(m):
            column[i] /= root
        rank += 1
    return rank, least, left
