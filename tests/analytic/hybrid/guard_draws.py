"""Adversarial cases, each from its seed alone: levels a hair off an extremum, zeros 1e-9 apart, hundreds of periods."""

import math

import numpy as np
from guard_nodes import MOST_NODES, nodes
from guard_values import (
    ACT,
    COMPONENT,
    DISTANCE,
    EXTREMES,
    FOOT,
    N_PARAMS,
    PRODUCT,
    RATE,
    ROOTED,
    SCALE,
    SINE,
    A,
    X,
    Y,
    at,
    value_at,
)

from tarsus.analytic.compilation import jit

T0, LENGTH, STEPS, DIRECTION = range(4)  # layout of a setup
DECLINE, NOTHING, COUNT = range(3)  # what a transition does
CLOSEST = 1e-9  # of the run: two zeros of a product


@jit
def exponential(rng, least, most):
    """Return a number between powers of ten, evenly by its exponent."""
    return 10.0 ** rng.uniform(least, most)


@jit
def either(rng):
    """Return 1 or -1."""
    return 1.0 if rng.random() < 0.5 else -1.0


@jit
def draw_state(rng, p, degree):
    """Draw x and y, from nearly straight to rich in turns."""
    ratio = exponential(rng, -1.5, 0.2)
    for first in (X, Y):
        p[first] = rng.normal()
        for k in range(1, degree + 1):
            p[first + k] = rng.normal() * ratio ** (k - 1)


@jit
def draw_sine(rng, p, setup):
    """Draw a sine with up to 300 periods, its level anywhere or a hair off its crests, from times up to 1e3."""
    setup[T0] = exponential(rng, -3.0, 3.0) if rng.random() < 0.5 else 0.0
    setup[LENGTH] = exponential(rng, -2.0, 1.0)
    p[RATE] = 1.0
    p[X + 1] = 1.0
    p[A] = exponential(rng, -1.0, math.log10(300.0)) * 2.0 * math.pi / setup[LENGTH]
    p[A + 1] = rng.uniform(0.0, 2.0 * math.pi)
    p[A + 2] = rng.uniform(-1.0, 1.0)
    if rng.random() < 0.6:
        p[A + 2] = either(rng) * (1.0 + either(rng) * exponential(rng, -14.0, -1.0))


@jit
def draw_product(rng, p, degree, rooted):
    """Draw a monotone x and six zeros in clusters; return the zeros in z. Rooted: the first is the start."""
    p[X] = rng.uniform(-2.0, 2.0)
    p[X + 1] = 1.0
    for k in range(2, degree + 1):
        p[X + k] = rng.uniform(-1.0, 1.0) * 0.8 / (6.0 * k)
    p[SCALE] = either(rng) * exponential(rng, -9.0, 9.0)
    zeros = np.empty(6)
    for k in range(6):
        zeros[k] = rng.uniform(-0.999, 0.999)
        if rooted and k < 2:
            zeros[k] = -1.0 + k * 2.0 * exponential(rng, math.log10(CLOSEST), -0.1)
        elif k > 0 and rng.random() < 0.6:
            z = zeros[int(k * rng.random())] + either(rng) * 2.0 * exponential(rng, math.log10(CLOSEST), -0.7)
            zeros[k] = z if abs(z) < 0.999 else zeros[k]
    for k in range(6):
        p[A + k] = at(p, X, zeros[k])
    return zeros


@jit
def draw_guard(rng, family, p):
    """Draw the numbers of a component, a distance, a foot or of extremes, their level still zero."""
    if family == DISTANCE:
        p[A], p[A + 1] = rng.normal(), rng.normal()
        if rng.random() < 0.3:  # it passes the pivot closely: a sharp minimum
            z, way = rng.uniform(-1.0, 1.0), exponential(rng, -8.0, -1.0)
            p[A], p[A + 1] = at(p, X, z) + way * rng.normal(), at(p, Y, z) + way * rng.normal()
    elif family == FOOT:
        p[A], p[A + 1] = rng.uniform(0.1, 3.0), rng.uniform(0.1, 3.0)
        p[A + 2] = rng.uniform(-3.0, 3.0)
    elif family == EXTREMES:
        for k in range(3):
            p[A + k] = rng.normal()


@jit
def lower(family, p, level):
    """Lower the guard by a level."""
    if family == COMPONENT:
        p[A] += level
    elif family == DISTANCE:
        p[A + 2] += level
    elif family == FOOT:
        p[A + 3] += level
    elif family == EXTREMES:
        p[A] += level
        p[A + 1] += level
        p[A + 2] -= level


@jit
def draw(rng, family, degree):
    """Return a case: parameters, setup and the nodes of its guard.

    `degree` is that of the states: at most what the method's dense output represents.
    """
    p, setup, zeros, marks = np.zeros(N_PARAMS), np.zeros(4), np.zeros(6), np.empty(MOST_NODES)
    setup[LENGTH] = 1.0 if rng.random() < 0.5 else 2.0 ** int(21.0 * rng.random() - 10.0)
    setup[STEPS] = 1.0 if rng.random() < 0.7 else 2.0 + int(4.0 * rng.random())
    setup[DIRECTION] = int(3.0 * rng.random())
    p[ACT] = int(3.0 * rng.random())
    p[RATE] = 2.0 / setup[LENGTH]
    p[SCALE] = either(rng)
    if family == SINE:
        draw_sine(rng, p, setup)
    elif family == PRODUCT or family == ROOTED:
        zeros = draw_product(rng, p, degree, family == ROOTED)
    else:
        draw_state(rng, p, degree)
        draw_guard(rng, family, p)
    end = setup[T0] + setup[LENGTH]
    n = nodes(family, p, setup[T0], end, zeros, marks)
    if family in (COMPONENT, DISTANCE, FOOT, EXTREMES):
        t = rng.uniform(0.0, end)
        off = 0.0
        if n > 0 and rng.random() < 0.75:  # a hair off an extremum
            t, off = marks[int(n * rng.random())], either(rng) * exponential(rng, -14.0, -1.0)
        lower(family, p, p[SCALE] * value_at(family, p, t) + off)
    return p, setup, marks[:n].copy()
