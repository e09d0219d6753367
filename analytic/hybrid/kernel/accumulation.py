"""Accumulating events: Zeno behaviour, predicted from the ratio of the gaps, and chattering.

If the gaps between events of a guard shrink by a constant ratio r < 1, all further gaps sum to gap * r / (1 - r).
Gaps are compared with the time since the start, and with the rounding of time: no clock far from zero resolves more.
"""

import math

from .codes import CHATTER, CLOCK, DECLINE, ENTER, MOVED, UNKNOWN_CHART, ZENO
from .free import N_CHARTS, after_zeno, jit, plain
from .steps import EPS

MANY = 50  # consecutive gaps below the smallest: no longer a coincidence of events
CLOCK_RATIO = 4096.0  # units of rounding in time: what is left before the limit, if they hide the ratio of gaps


@jit
def follow_gaps(w, i, t):
    """Update the gaps of guard `i`, which fired at `t`; keep the predicted limit if the ratio has settled."""
    gap = t - w.z_time[i]
    seen = w.z_count[i]
    ratio = gap / w.z_gap[i] if seen >= 2 and w.z_gap[i] > 0.0 else math.inf
    drift = abs(ratio - w.z_ratio[i])
    settled = seen >= 3 and ratio < 1.0 and drift <= w.zeno_drift * (1.0 - ratio)
    w.z_time[i] = t
    w.z_gap[i] = gap
    w.z_ratio[i] = ratio
    w.z_count[i] = seen + 1
    if settled:
        if w.zeno_guard != i:
            w.zeno_chart_count = w.n_charts
            w.zeno_error = math.inf
        w.zeno_guard = i
        # The best of all predictions is kept: the first suffer from the drift of the ratio, the last from round-off.
        if t > w.zeno_limit:
            w.zeno_error = math.inf
        error = (gap * drift + EPS * abs(t)) / ((1.0 - ratio) * (1.0 - ratio))
        if error < w.zeno_error:
            w.zeno_error = error
            w.zeno_limit = t + gap * ratio / (1.0 - ratio)
            w.zeno_ratio = ratio
    elif w.zeno_guard == i and (not ratio < 1.0 or t > w.zeno_limit):
        w.zeno_limit = math.inf  # a sequence that slowed down, or outlived its limit, was none
        w.zeno_guard = -1
        w.zeno_chart_count = -1


@jit
def crowds(w, i, t, counted):
    """Set ZENO or CHATTER if guard `i` fires after many small gaps in a row, those that are `counted`; return so."""
    small = max(w.min_gap * max(w.t_scale, t - w.t_begin), CLOCK * EPS * abs(t)) if w.min_gap > 0.0 else 0.0
    w.n_small = w.n_small + 1 if counted and t - w.t_event <= small else 0
    w.t_event = t
    if w.n_small < MANY:
        return False
    w.status = ZENO if w.zeno_guard >= 0 else CHATTER
    w.culprit = i
    return True


@jit
def check_accumulation(w, i, t):
    """Set ZENO or CHATTER, or jump past the limit, if the events have accumulated; return whether it did."""
    if crowds(w, i, t, True):
        return True
    if not w.zeno_on:
        return False
    follow_gaps(w, i, t)
    left = w.z_gap[i] * w.z_ratio[i] / (1.0 - w.z_ratio[i])
    near = max(w.zeno_tol * max(w.t_scale, t - w.t_begin), CLOCK_RATIO * EPS * abs(t))
    if w.zeno_guard != i or not w.z_ratio[i] < 1.0 or left > near:
        return False
    w.culprit = i
    w.t = max(t, w.zeno_limit)
    w.chart_before = w.chart
    chart = after_zeno(w.t, plain(w.x), plain(w.d), plain(w.p), w.chart)
    if chart == DECLINE:
        w.t = t
        w.status = ZENO
    elif chart < 0 or (N_CHARTS >= 0 and chart >= N_CHARTS):
        w.status = UNKNOWN_CHART
        w.culprit = chart
    else:
        w.chart = chart
        w.phase = ENTER
        w.identity = 0
        w.moved = MOVED
    return True
