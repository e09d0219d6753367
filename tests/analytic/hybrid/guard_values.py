"""The guards of the adversarial families: their values, and how well a run can know them.

A case is a vector of parameters: x and y are polynomials in z = rate t - 1, from -1 to 1 in a run that starts
at time 0: sum c_k (z^k - (-1)^k) above their start; the guard is a formula of t, x and y with numbers of its own.
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
