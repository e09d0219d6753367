"""Guard values, their round-off, and their motion on entry to a chart.

Inside the kernel every guard is positive in its chart: `u = sign * value`, where the sign is +1 for a guard that fires
when it falls, -1 for one that fires when it rises, and whichever is positive for one that fires both ways.

A guard may be zero on entry to a chart: it has just fired, or a transition put the state there. The sign of its value
is then round-off, and only its motion is meaningful. The motion is sampled ahead, at offsets that shrink until they
agree or the guard's round-off is reached, so that a second zero close to the first is not stepped over.
"""

import math

from .free import NG, N, guards, jit, plain
from .stages import rates
from .steps import EPS

ENTRY_STEP = 1e-2  # first offset at which a guard's motion is probed, in units of the time step
FINER = 0.125  # ratio of an offset to the one before
LEVELS = 30  # offsets tried
AGREE = 0.5  # relative difference of two rates that count as one
UNITS = 4.0  # of rounding, in time and state, that a guard's value may be wrong by
BLIND = 4.0  # units of rounding in time within which a guard's next zero is the one before


@jit
def simultaneous(w):
    """Return how close two events are one [s]."""
    return max(4.0 * EPS * abs(w.t), w.time_tol * w.t_scale)


@jit
def read_guards(w, t, x, g):
    """Write all guard values into `g`; a guard that is not part of this chart reads infinity."""
    for i in range(NG):
        g[i] = math.inf
    guards(t, x, plain(w.d), plain(w.p), w.chart, g)


@jit
def read_ahead(w, t, x, f, e, curved, g):
    """Write the guard values `e` seconds ahead of (t, x) into `g`: along the rate `f`, or by a midpoint step."""
    later = plain(w.later)
    if curved:
        for i in range(N):
            later[i] = x[i] + 0.5 * e * f[i]
        rates(w, t + 0.5 * e, later, plain(w.later_f))
        f = plain(w.later_f)
    for i in range(N):
        later[i] = x[i] + e * f[i]
    read_guards(w, t + e, later, g)


@jit
def read_noise(w, t, x, f, reach, g):
    """Write an estimate of the round-off error of the guard values `g` at (t, x) into w.noise.

    It is the guard's response to a few units of round-off in time and state, or in their change over `reach` seconds.
    """
    later = plain(w.later)
    for i in range(N):
        unit = UNITS * EPS * (max(abs(x[i]), abs(w.x[i])) + reach * max(abs(f[i]), abs(w.k[0, i])))
        later[i] = x[i] + unit * (1.0 + 0.5 * (i % 3)) * (1 - 2 * (i % 2))
    read_guards(w, t + UNITS * EPS * (abs(t) + reach), later, plain(w.gm))
    for i in range(NG):
        w.noise[i] = abs(w.gm[i] - g[i]) + UNITS * EPS * abs(g[i]) if g[i] != math.inf else 0.0


@jit
def is_near(w, i):
    """Return whether guard `i` counts as zero on entry to a chart; one that fired there may be slightly early."""
    early = 2.0 * abs(w.rate[i]) * simultaneous(w) if w.fired[i] else 0.0
    return w.ga[i] != math.inf and abs(w.ga[i]) <= max(w.stop_precision, w.noise[i], early)


@jit
def first_offset(w):
    """Return the first offset at which a guard's motion is sampled: within the step, not below round-off in time."""
    return max(ENTRY_STEP * w.h, 64.0 * EPS * abs(w.t))


@jit
def follow_motion(w, i, t, x, f):
    """Sample the motion of guard `i`, from the first offset that shows it down to its round-off; keep the finest.

    For a guard whose rate is zero or changes at once: the curvature of the flow matters, so samples are midpoint steps.
    """
    e = first_offset(w)
    w.rate[i] = 0.0
    w.blind[i] = e
    hidden = 0
    finer = False
    for _ in range(LEVELS):
        read_ahead(w, t, x, f, e, True, plain(w.gp))
        change = w.gp[i] - w.ga[i]
        if abs(change) > w.noise[i]:
            finer = True
            hidden = 0
            w.rate[i] = change / e
            w.blind[i] = e
        elif w.rate[i] != 0.0:
            hidden += 1
            if hidden == 2:  # one alone may be another zero
                return
        else:
            w.blind[i] = e
            if e > w.t_final - t:
                return
        e = FINER * e if finer else e / FINER
        if e < BLIND * EPS * abs(t):
            return


@jit
def probe_motion(w, t, x, f):
    """Write the rates of the guards that are zero at (t, x) into w.rate, and for how long round-off hides them."""
    e = first_offset(w)
    read_noise(w, t, x, f, min(w.h, abs(w.t_final - t)), plain(w.ga))
    read_ahead(w, t, x, f, e, True, plain(w.gs)[1])  # curved: a rate that turns at once does not agree
    read_ahead(w, t, x, f, FINER * e, False, plain(w.gs)[2])
    finest = FINER * FINER * e
    read_ahead(w, t, x, f, finest, False, plain(w.gs)[3])
    for i in range(NG):
        if w.ga[i] == math.inf or not (w.fired[i] or is_near(w, i)):
            continue
        coarse = (w.gs[1, i] - w.ga[i]) / e
        fine = (w.gs[2, i] - w.ga[i]) / (FINER * e)
        last = (w.gs[3, i] - w.ga[i]) / finest
        agree = abs(fine - coarse) <= AGREE * abs(fine) and abs(fine - last) <= AGREE * abs(fine)
        if agree and UNITS * abs(fine) * FINER * e > w.noise[i]:
            w.rate[i] = (fine - FINER * coarse) / (1.0 - FINER)  # of second order
            w.blind[i] = w.noise[i] / abs(w.rate[i])
        else:
            follow_motion(w, i, t, x, f)
