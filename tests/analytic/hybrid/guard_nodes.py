"""Where the guards of the adversarial families turn: times between which each is monotone.

Nothing here is taken from the engine: the roots of a polynomial are found between those of its derivative, and what is
no polynomial has a closed form, or is sampled by its rate, far more finely than it turns.
"""

import math

import numpy as np
from guard_values import (
    COMPONENT,
    DISTANCE,
    EXTREMES,
    FOOT,
    RATE,
    SINE,
    TERMS,
    A,
    X,
    Y,
    at,
    size,
)

from tarsus.analytic.compilation import jit

MOST_NODES = 4000


@jit
def horner(c, z):
    """Return sum c[k] z^k."""
    value = 0.0
    for k in range(c.size - 1, -1, -1):
        value = value * z + c[k]
    return value


@jit
def root_between(c, a, b):
    """Return the sign change of a polynomial in [a, b], by bisection."""
    above = horner(c, b) > 0.0
    while True:
        m = 0.5 * (a + b)
        if m <= a or m >= b:
            return m
        if (horner(c, m) > 0.0) == above:
            b = m
        else:
            a = m


@jit
def roots(c, out):
    """Write the roots of sum c[k] z^k in (-1, 1) to `out`; between the roots of its derivative it is monotone."""
    ladder = np.zeros((c.size, c.size))
    ladder[0] = c
    for m in range(1, c.size):
        for k in range(1, c.size):
            ladder[m, k - 1] = k * ladder[m - 1, k]
    marks = np.empty(c.size + 2)
    n = 0
    for m in range(c.size - 2, -1, -1):
        marks[0], marks[n + 1] = -1.0, 1.0
        marks[1 : n + 1] = out[:n]
        n_marks, n = n + 2, 0
        for j in range(n_marks - 1):
            if (horner(ladder[m], marks[j]) > 0.0) != (horner(ladder[m], marks[j + 1]) > 0.0):
                out[n] = root_between(ladder[m], marks[j], marks[j + 1])
                n += 1
    return n


@jit
def powers(p, first, level):
    """Return the coefficients of x or y, less a level, shape (8,)."""
    c = p[first : first + TERMS].copy()
    c[0] -= level
    for k in range(1, TERMS):
        c[0] -= p[first + k] * (-1.0) ** k
    return c


@jit
def slope(c):
    """Return the coefficients of a polynomial's derivative, and a zero, so that the shape stays."""
    out = np.zeros(c.size)
    for k in range(1, c.size):
        out[k - 1] = k * c[k]
    return out


@jit
def times(a, b):
    """Return the coefficients of a product of polynomials."""
    out = np.zeros(a.size + b.size - 1)
    for i in range(a.size):
        out[i : i + b.size] += a[i] * b
    return out


@jit
def foot_slope(p, z, x1, y1):
    """Return the rate of the foot's height by z."""
    y = at(p, Y, z)
    links = p[A] * math.sin(y) + p[A + 1] * p[A + 2] * math.sin(p[A + 2] * y)
    return horner(x1, z) + links * horner(y1, z)


@jit
def foot_nodes(p, out):
    """Write where the foot turns: sign changes of its rate, in cells a hundredth of a turn of its links wide."""
    x1, y1 = slope(powers(p, X, 0.0)), slope(powers(p, Y, 0.0))
    n_cells = 200 + int(30.0 * size(p, Y) * max(1.0, abs(p[A + 2])))
    n = 0
    before = foot_slope(p, -1.0, x1, y1)
    for i in range(1, n_cells + 1):
        b = -1.0 + 2.0 * i / n_cells
        after = foot_slope(p, b, x1, y1)
        if (before > 0.0) != (after > 0.0):
            a = -1.0 + 2.0 * (i - 1) / n_cells
            for _ in range(60):
                m = 0.5 * (a + b)
                if (foot_slope(p, m, x1, y1) > 0.0) == (after > 0.0):
                    b = m
                else:
                    a = m
            out[n] = b
            n += 1
        before = after
    return n


@jit
def product_nodes(p, zeros, out):
    """Write where a product of x - r turns: where the sum of 1 / (x - r), which falls between its zeros, is zero."""
    zeros = np.sort(zeros)
    n = 0
    for i in range(zeros.size - 1):
        a, b = zeros[i], zeros[i + 1]
        for _ in range(60):
            m = 0.5 * (a + b)
            total = 0.0
            for k in range(6):
                total += 1.0 / (at(p, X, m) - p[A + k])
            if total > 0.0:
                a = m
            else:
                b = m
        out[n] = 0.5 * (a + b)
        n += 1
    return n


@jit
def extremes_nodes(p, out):
    """Write where x or y turns, and where two of the three that are compared are equal."""
    x, y = powers(p, X, p[A]), powers(p, Y, p[A + 1])
    other = -powers(p, X, p[A + 2])
    n = roots(slope(x), out)
    for c in (slope(y), x - y, x - other, y - other):
        n += roots(c, out[n:])
    out[:n] = np.sort(out[:n])
    return n


@jit
def sine_nodes(p, t0, t1, out):
    """Write the times of all crests and troughs."""
    n = 0
    k = math.ceil((p[A] * t0 + p[A + 1]) / math.pi - 0.5)
    while True:
        t = ((k + 0.5) * math.pi - p[A + 1]) / p[A]
        if t >= t1:
            return n
        if t > t0:
            out[n] = t
            n += 1
        k += 1


@jit
def nodes(family, p, t0, t1, zeros, out):
    """Write the times between which the guard is monotone, or has one sign, in order. Return how many.

    `zeros` are those of a product in z, as drawn.
    """
    if family == SINE:
        return sine_nodes(p, t0, t1, out)
    if family == COMPONENT:
        n = roots(slope(powers(p, X, 0.0)), out)
    elif family == DISTANCE:
        x, y = powers(p, X, p[A]), powers(p, Y, p[A + 1])
        n = roots(times(x, slope(x)) + times(y, slope(y)), out)
    elif family == FOOT:
        n = foot_nodes(p, out)
    elif family == EXTREMES:
        n = extremes_nodes(p, out)
    else:
        n = product_nodes(p, zeros, out)
    for i in range(n):
        out[i] = (out[i] + 1.0) / p[RATE]
    return n
