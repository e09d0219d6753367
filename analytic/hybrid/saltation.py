"""Building blocks of `variational`: differences along the columns of a derivative, the saltation matrix of an event.

Functions for the compiled loop, made for a model's sizes. Vectors of the augmented model hold the model's own first:

    x = (x, one column of Phi_x (n) per direction),
    d = (d, one column of Phi_d per direction, per direction the shift of the last event in time),
    p = (p, one column of the parameters' directions per direction, per direction its size).

Source: Leine & Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems (2004), section 7.
"""

from __future__ import annotations

from dataclasses import dataclass
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
# Guards that fire at once stay together if their shifts agree to this, relative to the larger: differences are better.
TOGETHER = 1e-6


@dataclass(frozen=True)
class Sizes:
    """Sizes of a model and of its derivative, and where the parts of the augmented vectors begin."""

    n: int  # states
    nd: int  # memory entries
    n_p: int  # parameters
    ng: int  # guards
    m: int  # directions
    reach: float  # step of the differences along a direction of unit size

    @property
    def width(self) -> int:
        """Memory entries as a record has them: at least one."""
        return max(self.nd, 1)

    @property
    def shifts(self) -> int:
        """Where the memory keeps the shifts in time."""
        return self.nd + self.width * self.m


def largest_along(x, v, size):
    """Return the size of the direction v relative to x, at least `size`."""
    for i in range(v.size):
        size = max(size, abs(v[i]) / (1.0 + abs(x[i])))
    return size


def move(x, v, e, out):
    """Write x moved by e along v."""
    for i in range(v.size):
        out[i] = x[i] + e * v[i]


def differences(guards: Any, transition: Any, s: Sizes) -> tuple:
    """Return the functions that give a guard's rate, and the derivative of an event's reset, along a direction.

    A direction is (vx, vd, vp) and vt in time; `least` is the size of its part in the parameters.
    """
    n, width, reach, n_p, ng = s.n, s.width, s.reach, max(s.n_p, 1), max(s.ng, 1)

    def step_along(x, d, vx, vd, vt, least):
        return reach / largest_along(d, vd, largest_along(x, vx, max(abs(vt), least, 1e-300)))

    def guard_along(t, x, d, p, chart, i, vx, vd, vp, vt, least):
        e = step_along(x, d, vx, vd, vt, least)
        y, w, q, g = np.empty(n), d.copy(), p.copy(), np.empty(ng)
        total = 0.0
        for k in range(4):
            move(x, vx, STEPS[k] * e, y)
            move(d, vd, STEPS[k] * e, w)
            move(p, vp, STEPS[k] * e, q)
            guards(t + STEPS[k] * e * vt, y, w, q, chart, g)
            total += WEIGHTS[k] / e * g[i]
        return total

    def reset_along(t, x, d, p, chart, fired, vx, vd, vp, vt, least, out_x, out_d):
        e = step_along(x, d, vx, vd, vt, least)
        y, w, q = np.empty(n), np.empty(width), np.empty(n_p)
        out_x[:] = 0.0
        out_d[:] = 0.0
        for k in range(4):
            w[:] = d
            q[:] = p
            move(x, vx, STEPS[k] * e, y)
            move(d, vd, STEPS[k] * e, w)
            move(p, vp, STEPS[k] * e, q)
            transition(t + STEPS[k] * e * vt, y, w, q, chart, fired)
            for i in range(n):
                out_x[i] += WEIGHTS[k] / e * y[i]
            for i in range(width):
                out_d[i] += WEIGHTS[k] / e * w[i]

    return guard_along, reset_along


def saltation(field: Any, guards: Any, transition: Any, s: Sizes) -> tuple:
    """Return the function that finds an event's shift in time along each column, and the one that applies it to Phi."""
    n, nd, n_p, ng, m, width, shifts = s.n, s.nd, s.n_p, s.ng, s.m, s.width, s.shifts
    pw = max(n_p, 1)
    sizes = n_p + n_p * m
    guard_along, reset_along = differences(guards, transition, s)

    def delay(t, x, d, p, chart, fired, before_x, before_d):
        f_minus, none, still, g = np.empty(n), np.zeros(nd), np.zeros(n_p), np.empty(max(ng, 1))
        field(t, before_x, before_d, p[:pw], chart, f_minus)
        guards(t, before_x, before_d, p[:pw], chart, g)
        found = False
        for i in range(ng):
            if not fired[i]:
                continue
            rate = guard_along(t, before_x, before_d, p[:pw], chart, i, f_minus, none, still, 1.0, 0.0)
            if abs(g[i]) > ENTRY_TIME * max(1.0, abs(rate)):
                continue  # the event before, at this very time, made the guard negative: the shifts are that one's
            for c in range(m):
                vx, vd = x[n + c * n : n + (c + 1) * n], d[nd + c * width : nd + c * width + nd]
                vp = p[n_p + c * n_p : n_p + (c + 1) * n_p]
                least = p[sizes + c]
                h = guard_along(t, before_x, before_d, p[:pw], chart, i, vx, vd, vp, 0.0, least)
                late = -h / rate if abs(rate) > GRAZING_RATE else np.nan
                if found and abs(late - d[shifts + c]) > TOGETHER * max(abs(late), abs(d[shifts + c]), 1e-3):
                    late = np.nan  # two events that part: which comes first depends on the side of the derivative
                d[shifts + c] = late
            found = True

    def saltate(t, x, d, p, chart, after, fired, before_x, before_d):
        f_minus, f_plus = np.empty(n), np.empty(n)
        field(t, before_x, before_d, p[:pw], chart, f_minus)
        field(t, x[:n], d[:width], p[:pw], after, f_plus)
        moved, rx, rd = np.empty(n), np.empty(n), np.empty(width)
        for c in range(m):
            vx, vd = x[n + c * n : n + (c + 1) * n], d[nd + c * width : nd + c * width + nd]
            vp = p[n_p + c * n_p : n_p + (c + 1) * n_p]
            least = p[sizes + c]
            late = d[shifts + c]
            for j in range(n):
                moved[j] = vx[j] + late * f_minus[j]
            reset_along(t, before_x, before_d, p[:pw], chart, fired, moved, vd, vp, late, least, rx, rd)
            for j in range(n):
                vx[j] = rx[j] - late * f_plus[j]
            for j in range(nd):
                vd[j] = rd[j]

    return delay, saltate
