"""Rows that follow from others: what of the velocities without contact no force can change, and is rounding."""

from __future__ import annotations

import math

import numpy as np

from ..compilation import jit

FOLLOWS = 1e-11  # square of what is left of a row, of mobility one, when those before it are taken out of it


@jit
def consistent(matrix, free, weight, noise):
    """Return b without the part that A f cannot change, if that is noise; else b.

    Feet of one body that touch at several points have rows that follow from each other. Their velocities contradict
    each other by rounding, so that no forces are exact: then solvers stall, or forces grow until a row gives way.

    Args:
        matrix: A, scaled, semidefinite.
        free: b, scaled.
        weight: What a scaled velocity of one is in b's unit, by row.
        noise: By how much b may be wrong, in its unit.
    """
    basis = _range_of(matrix)
    inside = np.zeros(len(free))
    for k in range(len(basis)):
        inside += (basis[k] * free).sum() * basis[k]
    for i in range(len(free)):
        if abs(inside[i] - free[i]) * weight[i] > noise:
            return free
    return inside


@jit
def _range_of(matrix):
    """Return an orthonormal basis of what a semidefinite matrix gives, as rows: pivoted Cholesky, then Gram-Schmidt."""
    m = len(matrix)
    rest, basis, rank = matrix.copy(), np.empty((m, m)), 0
    for _ in range(m):
        pivot = 0
        for i in range(1, m):
            if rest[i, i] > rest[pivot, pivot]:
                pivot = i
        if not rest[pivot, pivot] > FOLLOWS:
            break
        column = rest[pivot] / math.sqrt(rest[pivot, pivot])
        for i in range(m):
            for j in range(m):
                rest[i, j] -= column[i] * column[j]
        for _ in range(2):  # once leaves what rounding did to nearly parallel columns
            for k in range(rank):
                column -= (basis[k] * column).sum() * basis[k]
        basis[rank] = column / math.sqrt((column * column).sum())
        rank += 1
    return basis[:rank]
