"""What an event does to derivatives: the shift of its time, the reset, and the change of field.

The directions X = (x, d, p) of a point before an event of guard h become, with the shift
t_p = -(h_x X + ...) / (h_x f- + h_t) of the event's time and the reset r,

    X+ = r_x (X + f- t_p) + r_d D + r_p P + r_t t_p - f+ t_p.

Source: Leine & Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems (2004), section 7.
"""

from collections.abc import Callable

import numpy as np

from .jet_functions import JetFunctions, Sizes
from .simultaneous import ENTRY_TIME, GRAZING_RATE, ONE, TOGETHER, both_orders, delays

__all__ = ["ENTRY_TIME", "GRAZING_RATE", "saltation"]


def saltation(of: JetFunctions, s: Sizes) -> Callable:
    """Return the function that takes flat jets of state and memory through an event, in place.

    `shift` (k,) of the event's time is at first that of the event before, which a guard shares if that event made it
    fire; of several events that a direction separates it is the last one's; NaN where no derivative exists. `still` are
    the parameters as jets without directions, `sided` whether a derivative along the direction only will do.
    """
    n, ng, k, m = s.n, s.ng, s.k, s.jet
    field, _, transition = of
    shifts_of = delays(of, s)
    separate = both_orders(of, s, shifts_of)

    def together(shifts, found, shift, separated):
        """Write the shift of guards that stay together; return the number of directions that separate them."""
        n_separated = 0
        for c in range(k if found else 0):
            least, most = np.inf, -np.inf
            for i in range(ng):
                if shifts[i, c] != np.inf:
                    least, most = min(least, shifts[i, c]), max(most, shifts[i, c])
                    if np.isnan(shifts[i, c]):
                        least = most = np.nan
                        break
            shift[c] = most
            separated[c] = abs(most - least) > TOGETHER * max(abs(most), abs(least), 1e-3)
            n_separated += separated[c]
        return n_separated

    def copy(values, out):
        # A loop: `out[:] = values` takes numba two seconds to compile.
        for i in range(values.size):
            out[i] = values[i]

    def pass_at_once(t, x, d, p, chart, after, fired, f, shift, norms):
        now = np.empty(m)
        now[0] = t
        for c in range(k):
            now[1 + c] = shift[c]
        for i in range(n):
            for c in range(k):
                x[i * m + 1 + c] += shift[c] * f[i * m]
        # Even where it changes nothing: at a fixed point a reset may return what was there, and depend on the state.
        transition(now, x, d, p, chart, fired, norms)
        field(t, x, d, p, after, f, norms)
        for i in range(n):
            for c in range(k):
                x[i * m + 1 + c] -= shift[c] * f[i * m]

    def saltate(t, x, d, p, still, chart, after, fired, shift, norms, sided):
        """Return the states behind the events along the direction on which they agree least."""
        f, shifts, separated, kind = np.empty(n * m), np.full((ng, k), np.inf), np.zeros(k, np.int64), ONE
        field(t, x, d, p, chart, f, norms)
        n_separated = together(shifts, shifts_of(t, x, d, p, still, chart, fired, f, norms, shifts), shift, separated)
        if n_separated == 0:
            pass_at_once(t, x, d, p, chart, after, fired, f, shift, norms)
            return kind
        xs, ds = np.empty((2, x.size)), np.empty((2, d.size))
        for side in range(2):
            copy(x, xs[side])
            copy(d, ds[side])
        pass_at_once(t, xs[1], ds[1], p, chart, after, fired.copy(), f, shift, norms)
        for c in range(k):
            if separated[c]:
                kind = max(kind, separate(t, xs, ds, p, still, chart, after, fired, c, shift, norms, sided))
        copy(xs[1], x)
        copy(ds[1], d)
        return kind

    return saltate
