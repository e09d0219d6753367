"""Building blocks of `variational`: differences along the columns of a derivative, the saltation matrix of an event.

Functions for the compiled loop, made for a model's sizes.
Source: Leine & Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems (2004), section 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Step of the five-point differences along a direction of unit size: truncation 1e-12 f^(5) / 30, rounding 1e-13.
# A model that bends within less than this of a state's size needs a smaller one.
REACH = 1e-3
STEPS = (1.0, -1.0, 2.0, -2.0)
WEIGHTS = (8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0)
# A guard slower than this at its event grazes, and the derivative does not exist there: a tangency located within
# round-off, 1e-16, shows a rate of 1e-8.
GRAZING_RATE = 1e-6
# A guard that passed zero longer ago than this fired because a chart began [s]; an event is located within rounding.
ENTRY_TIME = 1e-9


def size_along(x, d, vx, vd, vt):
    """Return how long the direction (vx, vd) and, in time, vt is, relative to the state."""
    size = max(abs(vt), 1e-300)
    for i in range(x.size):
        size = max(size, abs(vx[i]) / (1.0 + abs(x[i])))
    for i in range(d.size):
        size = max(size, abs(vd[i]) / (1.0 + abs(d[i])))
    return size


def move(x, v, e, out):
    """Write x moved by e along v."""
    for i in range(x.size):
        out[i] = x[i] + e * v[i]


def columns(n: int, nd: int, m: int) -> tuple:
    """Return the functions that read and write a column of Phi, of m."""

    def column(x, d, c, vx, vd):
        for i in range(n):
            vx[i] = x[n + i * m + c]
        for i in range(nd):
            vd[i] = d[nd + i * m + c]

    def put_column(x, d, c, vx, vd):
        for i in range(n):
            x[n + i * m + c] = vx[i]
        for i in range(nd):
            d[nd + i * m + c] = vd[i]

    return column, put_column


def differences(guards: Any, transition: Any, sizes: tuple) -> tuple:
    """Return the functions that give a guard's rate, and the derivative of an event's reset, along a direction."""
    n, nd, ng, _, reach = sizes
    width = max(nd, 1)

    def guard_along(t, x, d, p, chart, i, vx, vd, vt):
        e = reach / size_along(x, d, vx, vd, vt)
        y, w, g = np.empty(n), np.empty(width), np.empty(max(ng, 1))
        total = 0.0
        for k in range(4):
            move(x, vx, STEPS[k] * e, y)
            move(d, vd, STEPS[k] * e, w)
            guards(t + STEPS[k] * e * vt, y, w, p, chart, g)
            total += WEIGHTS[k] / e * g[i]
        return total

    def reset_along(t, x, d, p, chart, fired, vx, vd, vt, out_x, out_d):
        e = reach / size_along(x, d, vx, vd, vt)
        y, w = np.empty(n), np.empty(width)
        out_x[:] = 0.0
        out_d[:] = 0.0
        for k in range(4):
            move(x, vx, STEPS[k] * e, y)
            move(d, vd, STEPS[k] * e, w)
            transition(t + STEPS[k] * e * vt, y, w, p, chart, fired)
            for i in range(n):
                out_x[i] += WEIGHTS[k] / e * y[i]
            for i in range(width):
                out_d[i] += WEIGHTS[k] / e * w[i]

    return guard_along, reset_along


def saltation(field: Any, guards: Any, transition: Any, sizes: tuple) -> tuple:
    """Return the function that finds an event's shift in time along each column, and the one that applies it to Phi."""
    n, nd, ng, m, _ = sizes
    width = max(nd, 1)
    shifts = nd + width * m  # where the memory keeps them
    column, put_column = columns(n, nd, m)
    guard_along, reset_along = differences(guards, transition, sizes)

    def delay(t, x, d, p, chart, fired, before_x, before_d):
        f_minus, none, g = np.empty(n), np.zeros(width), np.empty(max(ng, 1))
        field(t, before_x, before_d, p, chart, f_minus)
        i = 0
        while not fired[i]:
            i += 1
        rate = guard_along(t, before_x, before_d, p, chart, i, f_minus, none, 1.0)
        guards(t, before_x, before_d, p, chart, g)
        if abs(g[i]) > ENTRY_TIME * max(1.0, abs(rate)):
            return  # the event before, at this very time, made the guard negative: the shifts are that one's
        vx, vd = np.empty(n), np.zeros(width)
        for c in range(m):
            column(x, d, c, vx, vd)
            h = guard_along(t, before_x, before_d, p, chart, i, vx, vd, 0.0)
            d[shifts + c] = -h / rate if abs(rate) > GRAZING_RATE else np.nan

    def saltate(t, x, d, p, chart, after, fired, before_x, before_d):
        f_minus, f_plus = np.empty(n), np.empty(n)
        field(t, before_x, before_d, p, chart, f_minus)
        field(t, x[:n], d[:width], p, after, f_plus)
        vx, vd, rx, rd = np.empty(n), np.zeros(width), np.empty(n), np.empty(width)
        for c in range(m):
            column(x, d, c, vx, vd)
            late = d[shifts + c]
            for j in range(n):
                vx[j] += late * f_minus[j]
            reset_along(t, before_x, before_d, p, chart, fired, vx, vd, late, rx, rd)
            for j in range(n):
                rx[j] -= late * f_plus[j]
            put_column(x, d, c, rx, rd)

    return delay, saltate
