"""Guard values and rates, and which guards are armed.

Inside the kernel every guard is positive in its chart: `u = sign * value`, where the sign is +1 for a guard that fires
when it falls, -1 for one that fires when it rises, and whichever is positive now for one that fires both ways.
"""

import math

from .codes import ARMED, BAD_GUARD, CHATTER, DISARMED, FIRE, IGNORE, INVALID_ENTRY, OFF, REFUSE, ROOT, ZENO
from .free import DIRECTION, NG, ON_ENTRY, N, guards, jit, plain
from .stages import rates
from .steps import fail_nonfinite

# Difference steps of a guard's rate, in units of the time step. Where a chart begins, the sign decides, even where a
# Zeno sequence is so fine that a smaller difference would drown in rounding; where an event is corrected, the value.
ENTRY_STEP = 1e-2
RATE_STEP = 1e-5


@jit
def read_guards(w, t, x, g):
    """Write all guard values into `g`; a guard that is not part of this chart reads infinity."""
    for i in range(NG):
        g[i] = math.inf
    guards(t, x, plain(w.d), plain(w.p), w.chart, g)


@jit
def read_guard_rates(w, t, x, f, e):
    """Write the rates of all guards along the rate `f` into w.gm (central difference over 2 e seconds)."""
    probe = plain(w.probe)
    for i in range(N):
        probe[i] = x[i] + e * f[i]
    read_guards(w, t + e, probe, plain(w.gp))
    for i in range(N):
        probe[i] = x[i] - e * f[i]
    read_guards(w, t - e, probe, plain(w.gm))
    for i in range(NG):
        w.gm[i] = (w.gp[i] - w.gm[i]) / (2.0 * e)


@jit
def read_later_rates(w, t, x, f):
    """Write the guard rates a little later into w.gm: they decide where the rate itself is zero."""
    e = ENTRY_STEP * w.h
    later = plain(w.later)
    for i in range(N):
        later[i] = x[i] + e * f[i]
    rates(w, t + e, later, plain(w.later_f))
    read_guard_rates(w, t + e, later, plain(w.later_f), e)


@jit
def classify_negative(w, i, u, rate, later):
    """Decide about guard `i` that is zero or negative (value `u`, rate `rate`) where a chart begins."""
    if u >= -w.stop_precision and later > 0.0:
        w.arm[i] = ROOT
        w.u_root[i] = u
        w.rate[i] = max(rate, 0.0)
    elif w.arm[i] == DISARMED or ON_ENTRY[i] == IGNORE:
        w.arm[i] = DISARMED
    elif ON_ENTRY[i] == FIRE:
        w.fired[i] = 1
    elif ON_ENTRY[i] == REFUSE:
        w.status = INVALID_ENTRY
        if u >= -w.stop_precision and w.zeno_guard == i:
            w.status = ZENO  # the bounces have become too small for their rounding
        elif u >= -w.stop_precision and w.identity:
            w.status = CHATTER
        w.culprit = i


@jit
def choose_sign(w, i, value, rate):
    """Return the sign that makes guard `i` positive, or rising if it is zero."""
    if DIRECTION[i] != 0:
        return -DIRECTION[i]
    if abs(value) > w.stop_precision:
        return 1 if value > 0.0 else -1
    return 1 if rate >= 0.0 else -1


@jit
def stands_still(w, i):
    """Return whether guard `i` neither rises nor falls, within rounding: then what it does next decides.

    A small positive rate is a rise: deep in a Zeno sequence rates are tiny and exact.
    """
    rate = -w.rate[i] if DIRECTION[i] == 1 else w.rate[i]
    return -1e-9 <= rate <= 0.0


@jit
def classify(w, s, t, x, f):
    """Decide for every guard at the beginning of a chart, or of the rest of a step: off, armed, on its root, waiting.

    `s` is the offset from the beginning of the step, (t, x) the point and `f` the field there. Sets w.fired for guards
    that are to fire at once, and a status if the chart must not be entered here.
    """
    g = plain(w.ga)
    read_guards(w, t, x, g)
    near = False
    for i in range(NG):
        if math.isnan(g[i]):
            fail_nonfinite(w, BAD_GUARD, i, t)
            return
        near = near or (g[i] != math.inf and abs(g[i]) <= w.stop_precision)
    level = False
    for i in range(NG):
        w.rate[i] = 0.0
        w.later_rate[i] = 0.0
    if near:
        read_guard_rates(w, t, x, f, ENTRY_STEP * w.h)
        for i in range(NG):
            w.rate[i] = w.gm[i]
            w.later_rate[i] = w.gm[i]
            if abs(g[i]) <= w.stop_precision and stands_still(w, i):
                level = True
    if level:
        read_later_rates(w, t, x, f)
        for i in range(NG):
            if stands_still(w, i):
                w.later_rate[i] = w.gm[i]
    settle_guards(w, s)


@jit
def settle_guards(w, s):
    """Set the state of every guard from its value w.ga and its rates."""
    w.n_active = 0
    for i in range(NG):
        w.fired[i] = 0
        if w.ga[i] == math.inf:
            w.arm[i] = OFF
            continue
        w.n_active += 1
        sign = choose_sign(w, i, w.ga[i], w.rate[i])
        w.sign[i] = sign
        w.s_root[i] = s
        u = sign * w.ga[i]
        if u > 0.0:
            w.arm[i] = ARMED
        else:
            classify_negative(w, i, u, sign * w.rate[i], sign * w.later_rate[i])


@jit
def carry_guards(w):
    """Take the guard values at the end of an uneventful step as those at the beginning of the next."""
    for i in range(NG):
        if w.arm[i] == OFF:
            continue
        w.ga[i] = w.gs[4, i]
        w.s_root[i] = 0.0
        if w.arm[i] == ROOT or (w.arm[i] == DISARMED and w.sign[i] * w.ga[i] > 0.0):
            w.arm[i] = ARMED
