"""What an event does to derivatives: the shift of its time, the reset, and the change of field.

The directions X = (x, d, p) of a point before an event of guard h become, with the shift
t_p = -(h_x X + ...) / (h_x f- + h_t) of the event's time and the reset r,

    X+ = r_x (X + f- t_p) + r_d D + r_p P + r_t t_p - f+ t_p.

Source: Leine & Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems (2004), section 7.
"""

from __future__ import annotations

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


def saltation(of: JetFunctions, s: Sizes) -> Callable:
    """Return the function that takes flat jets of state and memory through an event, in place.

    `late` (k,) is that of the event before, which a guard shares if that event made it fire, and becomes this one's;
    NaN where no derivative exists. `still` are the parameters as jets without directions.
    """
    n, ng, k, m = s.n, s.ng, s.k, s.jet
    field, guards, transition = of

    def delay(t, x, d, p, still, chart, fired, f, late, extent):
        now, g, rate = np.zeros(m), np.full(ng * m, np.inf), np.full(ng * m, np.inf)
        on, held = at_rest(x, m), at_rest(d, m)
        now[0] = t
        guards(now, x, d, p, chart, g, extent)
        now[1] = 1.0
        for i in range(n):
            on[i * m + 1] = f[i * m]
        guards(now, on, held, still, chart, rate, np.zeros(k))
        found = False
        for i in range(ng):
            if not fired[i]:
                continue
            speed = rate[i * m + 1]
            if abs(g[i * m]) > ENTRY_TIME * max(1.0, abs(speed)):
                continue  # the event before, at this very time, made the guard negative: the shifts are that one's
            for c in range(k):
                shift = -g[i * m + 1 + c] / speed if abs(speed) > GRAZING_RATE else np.nan
                if found and abs(shift - late[c]) > TOGETHER * max(abs(shift), abs(late[c]), 1e-3):
                    shift = np.nan  # two events that part: which comes first depends on the side of the derivative
                late[c] = shift
            found = True

    def saltate(t, x, d, p, still, chart, after, fired, late, extent):
        f, now = np.empty(n * m), np.empty(m)
        field(t, x, d, p, chart, f, extent)
        delay(t, x, d, p, still, chart, fired, f, late, extent)
        now[0] = t
        for c in range(k):
            now[1 + c] = late[c]
        for i in range(n):
            for c in range(k):
                x[i * m + 1 + c] += late[c] * f[i * m]
        # Even where it changes nothing: at a fixed point a reset may return what was there, and depend on the state.
        transition(now, x, d, p, chart, fired, extent)
        field(t, x, d, p, after, f, extent)
        for i in range(n):
            for c in range(k):
                x[i * m + 1 + c] -= late[c] * f[i * m]

    return saltate
