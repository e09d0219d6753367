"""Derivatives through simultaneous events that a direction separates: the feet of a pronk, when it rolls.

Along a direction the event that moves earlier happens first; against it, last. Each order is a sequence of single
events, of which `saltation` knows what they do. If both sequences lead to the same chart, state and derivative, the
events commute, and the derivative exists; if only the states agree there is one along the direction and another against
it (the derivative of Bouligand). If a sequence leads elsewhere, the motion itself has a corner or a jump.

Source: Burden, Sastry, Koditschek & Revzen, Event-selected vector field discontinuities yield piecewise-differentiable
flows, SIAM J. Applied Dynamical Systems 15 (2016), theorem 4 and section 7; here with resets.
"""

from collections.abc import Callable

import numpy as np

from .jet_functions import JetFunctions, Sizes, at_rest

# A guard slower than this at its event grazes, and the derivative does not exist there: a tangency located within
# round-off, 1e-16, shows a rate of 1e-8.
GRAZING_RATE = 1e-6
# A guard that passed zero longer ago than this fired because a chart began [s]; an event is located within rounding.
ENTRY_TIME = 1e-9
# Guards that fire at once stay together if their shifts agree to this, relative to the larger: differences are better.
TOGETHER = 1e-6
# States behind two orders of the same events agree to this, relative to 1 + |x|: an event is located to 1e-12 s.
SAME_STATE = 1e-8
ONE, COMMUTE, SIDED = range(3)  # what events were: single or together, commuting, with a derivative on this side only


def delays(of: JetFunctions, s: Sizes) -> Callable:
    """Return the function that writes the shift of each guard that fired, (n_guards, k), and how many are due.

    Rows of guards that are not due stay infinite: those that the event before, at this very time, made negative, whose
    shifts are that one's, and those that are not active, whose events a transition made.
    """
    n, ng, k, m = s.n, s.ng, s.k, s.jet
    _, guards, _ = of

    def shifts_of(t, x, d, p, still, chart, fired, f, norms, shifts):
        now, g, rate = np.zeros(m), np.full(ng * m, np.inf), np.full(ng * m, np.inf)
        on, held, found = at_rest(x, m), at_rest(d, m), 0
        now[0] = t
        guards(now, x, d, p, chart, g, norms)
        now[1] = 1.0
        for i in range(n):
            on[i * m + 1] = f[i * m]
        guards(now, on, held, still, chart, rate, np.zeros(k))
        for i in range(ng):
            speed = rate[i * m + 1]
            if not fired[i] or not abs(g[i * m]) <= ENTRY_TIME * max(1.0, min(abs(speed), 1e300)):
                continue
            for c in range(k):
                shifts[i, c] = -g[i * m + 1 + c] / speed if abs(speed) > GRAZING_RATE else np.nan
            found += 1
        return found

    return shifts_of


def both_orders(of: JetFunctions, s: Sizes, shifts_of: Callable) -> Callable:
    """Return `separate`, which takes one direction through the events that it separates, in both orders."""
    n, nd, ng, k, m = s.n, s.nd, s.ng, s.k, s.jet
    field, _, transition = of

    def in_order(t, x, d, p, still, chart, after, fired, c, sign, norms):
        """Take jets x, d in place through single events, the first along (sign 1) or against (-1) direction c first.

        Returns:
            The last shift; NaN if the events do not lead to the chart `after`.
        """
        left, one, now, f = fired.copy(), np.zeros(ng, np.int64), np.zeros(m), np.empty(n * m)
        last = -np.inf
        for _ in range(ng):
            shifts = np.full((ng, k), np.inf)
            field(t, x, d, p, chart, f, norms)
            found = shifts_of(t, x, d, p, still, chart, left, f, norms, shifts)
            if found == 0:
                break
            first = np.inf
            for i in range(ng):
                if np.isnan(shifts[i, c]):
                    return np.nan
                if shifts[i, c] < np.inf:
                    first = min(first, sign * shifts[i, c])
            close = TOGETHER * max(abs(first), 1e-3)
            if first < last - close:
                return np.nan
            for i in range(ng):
                one[i] = 1 if shifts[i, c] < np.inf and sign * shifts[i, c] <= first + close else 0
                left[i] -= one[i]
            last = max(first, last)
            now[:] = 0.0
            now[0], now[1 + c] = t, sign * first
            for i in range(n):
                x[i * m + 1 + c] += sign * first * f[i * m]
            chart = transition(now, x, d, p, chart, one, norms)
            if chart < 0:
                return np.nan
            for i in range(ng):
                if one[i]:
                    left[i] = 0  # also those that the transition made
            field(t, x, d, p, chart, f, norms)
            for i in range(n):
                x[i * m + 1 + c] -= sign * first * f[i * m]
        for i in range(ng):
            if left[i]:
                return np.nan
        return sign * last if chart == after else np.nan

    def differ(a, b, c, which):
        """Return the difference of two flat jets in values (which = 0) or derivatives along c, over the allowed one."""
        most, size = 0.0, 1e-3
        for i in range(a.size // m):
            size = max(size, abs(a[i * m + 1 + c]))
        for i in range(a.size // m):
            if which == 0:
                most = max(most, abs(a[i * m] - b[i * m]) / (SAME_STATE * (1.0 + abs(a[i * m]))))
            else:
                most = max(most, abs(a[i * m + 1 + c] - b[i * m + 1 + c]) / (TOGETHER * size))
        return most

    def separate(t, x, d, p, still, chart, after, fired, c, shift, norms, sided):
        """Take direction c of the jets before the events into x, d, behind them; return what the events were.

        `x` and `d` hold two rows: before the events, and behind them, all taken at once.
        """
        y, w, z, v = x[0].copy(), d[0].copy(), x[0].copy(), d[0].copy()
        along = in_order(t, y, w, p, still, chart, after, fired, c, 1.0, norms)
        against = in_order(t, z, v, p, still, chart, after, fired, c, -1.0, norms)
        shift[c] = along
        same = not np.isnan(along) and differ(y, x[1], c, 0) <= 1.0 and differ(w, d[1], c, 0) <= 1.0
        both = same and not np.isnan(against) and differ(y, z, c, 1) <= 1.0 and differ(w, v, c, 1) <= 1.0
        if not both and not (same and sided):
            shift[c] = np.nan
        for i in range(n):
            x[1, i * m + 1 + c] = y[i * m + 1 + c]
        for i in range(nd):
            d[1, i * m + 1 + c] = w[i * m + 1 + c]
        return COMMUTE if both else SIDED

    return separate
