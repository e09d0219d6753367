"""Semismooth Newton on a contact problem's natural map with Tikhonov's term: w = A x + b + delta diag(A) (x - anchor).

The radius of the friction disc is mu (x_n - w_n)+, so that an open contact has no friction. Where no step makes the
residual smaller the iterate sits on a kink of the map: up to `OVER_KINKS` whole steps go over it.
"""

import math

import numpy as np

from ..compilation import jit
from .blocks import BOUND, BOUNDED, CONE, FIRST, KIND, MU, SLIDING, U1, U2, rows_of
from .vectors import add, add_scaled, clear, copy, fill, largest

OPEN, CLOSED, SLIP = 0, 1, 2  # modes of a block; those of BOUNDED are 0 (at rest) and the sign of the bound it is at
OVER_KINKS = 8
NO_PIVOT = 1e-14
SHORTER, TRIES, MEMORY = 0.4, 7, 4  # of the line search: factor, attempts, residuals of which the largest counts


@jit
def newton(matrix, free, x, anchor, delta, steps, tol, mode, frozen, blocks):
    """Improve x in place; return the norm of the natural map, or the best that was found.

    Args:
        matrix: A, scaled.
        free: b, scaled.
        x: Forces.
        anchor: What Tikhonov's term pulls x to.
        delta: Its weight.
        steps: At most so many steps.
        tol: Norm, relative to the largest force, at which it ends.
        mode: Modes of the blocks, which are written; if `frozen`, they are used as they are.
        frozen: Whether the modes stay.
        blocks: The blocks.
    """
    m = len(free)
    w, value, slope, step = np.empty(m), np.empty(m), np.empty((m, m)), np.empty(m)
    there, best, last = np.empty(m), np.empty(m), np.empty(MEMORY)
    copy(x, best)
    now = _natural_map(matrix, free, x, anchor, delta, w, value, mode, frozen, blocks)
    low, kinks = math.inf, 0
    fill(now, last)
    for it in range(steps):
        if math.sqrt(now) <= tol * max(largest(x), 1e-300):
            break
        _natural_map(matrix, free, x, anchor, delta, w, value, mode, frozen, blocks)
        _slope(matrix, x, w, delta, slope, mode, blocks)
        clear(step)
        add_scaled(-1.0, value, step)
        solve_dense(slope, step)
        length, found, new = 1.0, False, now
        for _ in range(TRIES):
            copy(x, there)
            add_scaled(length, step, there)
            new = _natural_map(matrix, free, there, anchor, delta, w, value, mode, frozen, blocks)
            if new < (1.0 - 1e-3 * length) * largest(last):
                found = True
                break
            length *= SHORTER
        if not found:
            kinks += 1
            if now < low:
                low = now
                copy(x, best)
            copy(x, there)
            add(step, there)
            new = _natural_map(matrix, free, there, anchor, delta, w, value, mode, frozen, blocks)
            if kinks > OVER_KINKS or not math.isfinite(new):
                break
            fill(new, last)
        copy(there, x)
        now = new
        last[it % MEMORY] = now
    if not now <= low:
        copy(best, x)
    return math.sqrt(_natural_map(matrix, free, x, anchor, delta, w, value, mode, frozen, blocks))


@jit
def _natural_map(matrix, free, x, anchor, delta, w, value, mode, frozen, blocks):
    """Write w, the map and, unless they are frozen, the modes; return the square of the map's norm."""
    for i in range(len(free)):
        s = free[i] + delta * matrix[i, i] * (x[i] - anchor[i])
        for j in range(len(free)):
            s += matrix[i, j] * x[j]
        w[i] = s
    total = 0.0
    for c in range(len(blocks.of)):
        kind, i, number = blocks.of[c, KIND], blocks.of[c, FIRST], blocks.number[c]
        p = x[i] - w[i]
        if kind == BOUNDED:
            if not frozen:
                mode[c] = 0 if abs(p) <= number[BOUND] else (1 if p > 0.0 else -1)
            value[i] = w[i] if mode[c] == 0 else x[i] - mode[c] * number[BOUND]
        else:
            if not frozen:
                mode[c] = CLOSED if p > 0.0 else OPEN
            value[i] = w[i] if mode[c] != OPEN else x[i]
        if kind == SLIDING:
            value[i + 1] = x[i + 1] + number[MU] * number[U1] * x[i]
            value[i + 2] = x[i + 2] + number[MU] * number[U2] * x[i]
        elif kind == CONE:
            _tangential_map(i, c, x, w, number[MU], value, mode, frozen)
        for k in range(i, i + rows_of(kind)):
            total += value[k] * value[k]
    return total


@jit
def _tangential_map(i, c, x, w, mu, value, mode, frozen):
    if mode[c] == OPEN:
        value[i + 1], value[i + 2] = x[i + 1], x[i + 2]
        return
    p1, p2 = x[i + 1] - w[i + 1], x[i + 2] - w[i + 2]
    size, most = math.sqrt(p1 * p1 + p2 * p2), mu * max(x[i] - w[i], 0.0)
    if not frozen:
        mode[c] = CLOSED if size <= most else SLIP
    if mode[c] == SLIP and size > 0.0:
        p1, p2 = p1 * most / size, p2 * most / size
    value[i + 1], value[i + 2] = x[i + 1] - p1, x[i + 2] - p2


@jit
def _slope(matrix, x, w, delta, out, mode, blocks):
    """Write the generalised derivative of the map for the modes."""
    m = len(x)
    for c in range(len(blocks.of)):
        kind, i, number = blocks.of[c, KIND], blocks.of[c, FIRST], blocks.number[c]
        for k in range(i, i + rows_of(kind)):
            for j in range(m):
                out[k, j] = 0.0
            out[k, k] = 1.0
        closed = mode[c] == 0 if kind == BOUNDED else mode[c] != OPEN
        if closed:
            for j in range(m):
                out[i, j] = matrix[i, j]
            out[i, i] += delta * matrix[i, i]
        if kind == SLIDING:
            out[i + 1, i], out[i + 2, i] = number[MU] * number[U1], number[MU] * number[U2]
        elif kind == CONE and closed:
            _tangential_slope(matrix, i, x, w, delta, out, mode[c], number[MU])


@jit
def _tangential_slope(matrix, i, x, w, delta, out, mode, mu):
    """Write the tangential rows of a closed cone.

    Slip: x_t - (r / s) p with p = x_t - w_t, s = |p|, r = mu (x_n - w_n), n = p / s; its derivative is
    dx_t - mu n (dx_n - dw_n) - (r / s) (I - n n^T) (dx_t - dw_t).
    """
    p1, p2 = x[i + 1] - w[i + 1], x[i + 2] - w[i + 2]
    size, most = math.sqrt(p1 * p1 + p2 * p2), mu * max(x[i] - w[i], 0.0)
    if mode == CLOSED or size == 0.0:
        for k in range(i + 1, i + 3):
            for j in range(len(x)):
                out[k, j] = matrix[k, j]
            out[k, k] += delta * matrix[k, k]
        return
    n1, n2, ratio = p1 / size, p2 / size, most / size
    for j in range(len(x)):  # of w - x
        d0, d1, d2 = matrix[i, j], matrix[i + 1, j], matrix[i + 2, j]
        d0 += delta * matrix[i, i] - 1.0 if j == i else 0.0
        d1 += delta * matrix[i + 1, i + 1] - 1.0 if j == i + 1 else 0.0
        d2 += delta * matrix[i + 2, i + 2] - 1.0 if j == i + 2 else 0.0
        along = n1 * d1 + n2 * d2
        out[i + 1, j] = ratio * (d1 - n1 * along) + mu * n1 * d0
        out[i + 2, j] = ratio * (d2 - n2 * along) + mu * n2 * d0
    out[i + 1, i + 1] += 1.0
    out[i + 2, i + 2] += 1.0


@jit
def solve_dense(matrix, vector):
    """Replace a vector by the solution of a linear system, by elimination with pivoting; the matrix is used up.

    Returns the smallest pivot; one below `NO_PIVOT` is replaced by that.
    """
    n, least = len(vector), math.inf
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > abs(matrix[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(k, n):
                matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
            vector[k], vector[pivot] = vector[pivot], vector[k]
        least = min(least, abs(matrix[k, k]))
        if abs(matrix[k, k]) < NO_PIVOT:
            matrix[k, k] = NO_PIVOT if matrix[k, k] >= 0.0 else -NO_PIVOT
        for i in range(k + 1, n):
            s = matrix[i, k] / matrix[k, k]
            if s != 0.0:
                for j in range(k + 1, n):
                    matrix[i, j] -= s * matrix[k, j]
                vector[i] -= s * vector[k]
    for i in range(n - 1, -1, -1):
        s = vector[i]
        for j in range(i + 1, n):
            s -= matrix[i, j] * vector[j]
        vector[i] = s / matrix[i, i]
    return least
