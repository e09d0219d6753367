"""The guards of the adversarial families: their values, where they turn, and how well a run can know them.

A case is a vector of parameters: x and y are polynomials in z = rate t - 1, from -1 to 1 in a run that starts
at time 0: sum c_k (z^k - (-1)^k) above their start; the guard is a formula of t, x and y with numbers of its own.
Nothing here is taken from the engine: nodes are found as roots of derivatives, each between the roots of the next
higher one, or by their closed form.
"""

import math

import numpy as np

from tarsus.analytic.compilation import jit

# Layout of the parameters: the start and the coefficients c_1 .. c_7 of x, those of y, the guard's own numbers
X, Y, A, SCALE, RATE, ACT = 0, 8, 16, 24, 25, 26
N_PARAMS = 27
TERMS = 8  # of x and y
COMPONENT, DISTANCE, FOOT, PRODUCT, SINE, EXTREMES, ROOTED = range(7)
NAMES = ("component", "distance", "foot", "product", "sine", "extremes", "rooted")
EPS = 2.220446049250313e-16
INSTANT = 16.0 * EPS  # of the time and the run's length: zeros closer than this are one
MOST_NODES = 4000


def component(t, x, d, p):
    """A level of x, mostly a hair above or below an extremum."""
    return p[SCALE] * (x[0] - p[A])


def distance(t, x, d, p):
    """The distance of (x, y) to a pivot, which it passes closely, above a length."""
    u, v = x[0] - p[A], x[1] - p[A + 1]
    return p[SCALE] * (math.sqrt(u * u + v * v) - p[A + 2])


def foot(t, x, d, p):
    """The height of a foot at the end of two links."""
    return p[SCALE] * (x[0] - p[A] * math.cos(x[1]) - p[A + 1] * math.cos(p[A + 2] * x[1]) - p[A + 3])


def product(t, x, d, p):
    """Six zeros, as close as they like."""
    value = p[SCALE]
    for k in range(6):
        value *= x[0] - p[A + k]
    return value


def sine(t, x, d, p):
    """Up to 300 periods in a step."""
    return p[SCALE] * (math.sin(p[A] * t + p[A + 1]) - p[A + 2])


def extremes(t, x, d, p):
    """The larger of two, one of which is the smaller of two."""
    return p[SCALE] * max(min(x[0] - p[A], x[1] - p[A + 1]), p[A + 2] - x[0])


FORMULAS = (component, distance, foot, product, sine, extremes, product)
_component, _distance, _foot, _product, _sine, _extremes = (jit(f) for f in FORMULAS[:6])


@jit
def at(p, first, z):
    """Return x (first = X) or y (first = Y) at z."""
    value = odd = 0.0
    for k in range(TERMS - 1, 0, -1):
        value = value * z + p[first + k]
        odd = -odd + p[first + k]
    return p[first] + value * z + odd


@jit
def value_at(family, p, t):
    """Return the guard on the exact solution, in floats."""
    z = p[RATE] * t - 1.0
    x = np.array([at(p, X, z), at(p, Y, z)])
    if family == COMPONENT:
        return _component(t, x, x, p)
    if family == DISTANCE:
        return _distance(t, x, x, p)
    if family == FOOT:
        return _foot(t, x, x, p)
    if family == SINE:
        return _sine(t, x, x, p)
    if family == EXTREMES:
        return _extremes(t, x, x, p)
    return _product(t, x, x, p)


@jit
def size(p, first):
    """Return the size of what is added up in a step for x or y."""
    total = abs(p[first])
    for k in range(1, TERMS):
        total += k * abs(p[first + k])
    return total


@jit
def rounding(family, p, t, state):
    """Return how far from the exact guard its value in a run may be at `t`.

    `state` is the rounding of the run's x and y in units of EPS times their `size`. The guard's own rounding is that
    of its operations, of its arguments and, for the sine, of the time.
    """
    z = p[RATE] * t - 1.0
    x, y = at(p, X, z), at(p, Y, z)
    dx, dy = (state + 4.0) * EPS * size(p, X), (state + 4.0) * EPS * size(p, Y)
    a, b, c = p[A], p[A + 1], p[A + 2]
    if family == COMPONENT:
        error = dx + 2.0 * EPS * abs(a)
    elif family == DISTANCE:
        error = dx + dy + 4.0 * EPS * (abs(a) + abs(b) + abs(c))
    elif family == FOOT:
        turn = c * dy + 2.0 * EPS * abs(c * y)
        error = dx + abs(a) * (abs(math.sin(y)) * dy + dy * dy) + abs(b) * (abs(math.sin(c * y) * turn) + turn * turn)
        error += 4.0 * EPS * (abs(a) + abs(b) + abs(p[A + 3]))
    elif family == SINE:
        turn = 2.0 * EPS * (abs(a * t) + abs(b))
        error = abs(math.cos(a * t + b)) * turn + turn * turn + 2.0 * EPS * (1.0 + abs(c))
    elif family == EXTREMES:
        error = dx + dy + 2.0 * EPS * (abs(a) + abs(b) + abs(c))
    else:
        error = 0.0
        for k in range(6):
            term = dx + 2.0 * EPS * abs(p[A + k])
            for j in range(6):
                if j != k:
                    term *= abs(x - p[A + j]) + dx
            error += term
    return abs(p[SCALE]) * error + 8.0 * EPS * abs(value_at(family, p, t))


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
