"""Sliding along a surface between two charts: Filippov's vector field, its entry and its exits.

With f+ and f- the fields on the two sides of h = 0 and L the derivative along a field, the surface attracts where
L(f+) h < 0 < L(f-) h; the sliding field is a f+ + (1 - a) f- with a = L(f-) h / (L(f-) h - L(f+) h), which keeps h = 0.

Source: Filippov, Differential Equations with Discontinuous Righthand Sides (1988), chapter 2.
"""

from collections.abc import Callable

import numpy as np

from .kernel.codes import DECLINE

STEP = 1e-3  # of the difference quotient: with five points, truncation 1e-12 and rounding 1e-13 for smooth surfaces


def derivative_along(surface: Callable, n: int) -> Callable:
    """Return `L(t, x, d, p, f)`, the rate of a surface's function along the direction `f`, time running."""

    def along(t, x, d, p, f):
        size = 0.0
        for i in range(n):
            size = max(size, abs(f[i]) / (1.0 + abs(x[i])))
        e = STEP / max(size, 1e-12)
        y = np.empty(n)
        total = 0.0
        for k in range(1, 3):
            for i in range(n):
                y[i] = x[i] + k * e * f[i]
            ahead = surface(t + k * e, y, d, p)
            for i in range(n):
                y[i] = x[i] - k * e * f[i]
            difference = ahead - surface(t - k * e, y, d, p)
            total += difference * (8.0 if k == 1 else -1.0)
        return total / (12.0 * e)

    return along


def sliding_functions(plus: Callable, minus: Callable, surface: Callable, pull: float, n: int) -> dict[str, Callable]:
    """Return the sliding field, the guards of both exits and the choice at the surface h = 0, of fields on both sides.

    `pull` is the rate at which round-off drift away from h = 0 decays [1/s].
    """
    along = derivative_along(surface, n)

    def rate_of(side):
        def rate(t, x, d, p):
            f = np.empty(n)
            side(t, x, d, p, f)
            return along(t, x, d, p, f)

        return rate

    rate_plus, rate_minus = rate_of(plus), rate_of(minus)

    def field(t, x, d, p, dx):
        f_plus, f_minus = np.empty(n), np.empty(n)
        plus(t, x, d, p, f_plus)
        minus(t, x, d, p, f_minus)
        up = along(t, x, d, p, f_minus)
        gap = up - along(t, x, d, p, f_plus)
        a = (up + pull * surface(t, x, d, p)) / gap if gap != 0.0 else 0.5
        for i in range(n):
            dx[i] = a * f_plus[i] + (1.0 - a) * f_minus[i]

    def exit_plus(t, x, d, p):
        return -rate_plus(t, x, d, p)

    rates = {"rate_plus": rate_plus, "rate_minus": rate_minus}
    return {"field": field, "exit_plus": exit_plus, "exit_minus": rate_minus} | rates


def entering(rates: dict[str, Callable], slide: int, plus: int, minus: int) -> tuple[Callable, Callable]:
    """Return the transitions of the surface reached from above and from below.

    Slide where it attracts, cross where the other field points on; decline where the current field only touched it.
    """
    rate_plus, rate_minus = rates["rate_plus"], rates["rate_minus"]

    def from_plus(t, x, d, p):
        if rate_plus(t, x, d, p) >= 0.0:
            return DECLINE
        return slide if rate_minus(t, x, d, p) > 0.0 else minus

    def from_minus(t, x, d, p):
        if rate_minus(t, x, d, p) <= 0.0:
            return DECLINE
        return slide if rate_plus(t, x, d, p) < 0.0 else plus

    return from_plus, from_minus
