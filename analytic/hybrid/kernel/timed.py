"""Events at known times: the step ends there exactly, and the event is due if no other comes before."""

import math

from .free import (
    FIRST_TIME,
    HAS_TIMES,
    KNOWN_TIMES,
    N_CHARTS,
    N_TIMES,
    NG,
    OFFSET,
    OFFSET_AT,
    PERIOD,
    PERIOD_AT,
    TIMED,
    TIMED_IN,
    N,
    jit,
)


@jit
def period_of(w, i):
    """Return the period of guard `i`."""
    return w.p[PERIOD_AT[i]] if PERIOD_AT[i] >= 0 else PERIOD[i]


@jit
def offset_of(w, i):
    """Return the time of the periodic guard `i` that has number 0."""
    return w.p[OFFSET_AT[i]] if OFFSET_AT[i] >= 0 else OFFSET[i]


@jit
def known_time(w, i, k):
    """Return the `k`-th known time of guard `i`, infinity if there is none."""
    if N_TIMES[i] > 0:
        return KNOWN_TIMES[FIRST_TIME[i] + k] if k < N_TIMES[i] else math.inf
    period = period_of(w, i)
    return offset_of(w, i) + k * period if period > 0.0 else math.inf


@jit
def first_known(w):
    """Set the number of each guard's next known time after w.t."""
    for i in range(NG):
        k = 0
        if TIMED[i] and N_TIMES[i] == 0:
            period, offset = period_of(w, i), offset_of(w, i)
            if period > 0.0 and w.t > offset:
                k = max(0, int((w.t - offset) / period) - 1)
        w.k_known[i] = k


@jit
def next_known(w, chart):
    """Return the next known time after w.t of the guards that count in this chart; infinity if there is none."""
    best = math.inf
    for i in range(NG):
        if not TIMED[i]:
            continue
        while known_time(w, i, w.k_known[i]) <= w.t:
            w.k_known[i] += 1
        if N_CHARTS < 0 or TIMED_IN[i, chart]:
            best = min(best, known_time(w, i, w.k_known[i]))
    return best


@jit
def keeps_times(w, chart):
    """Return whether the guards of another chart have the same next known time, so that the step stays valid."""
    return not HAS_TIMES or next_known(w, chart) == w.t_known


@jit
def call_known(w):
    """Make the known time at the end of the step the event, or part of a guard's there, if none is before."""
    if not w.clipped or w.t_known != w.t_stop or (w.event and w.t + w.s_end < w.t_stop):
        return
    for i in range(NG):
        due = TIMED[i] and (N_CHARTS < 0 or TIMED_IN[i, w.chart]) and known_time(w, i, w.k_known[i]) == w.t_known
        w.fired[i] = 1 if due or (w.event and w.fired[i]) else 0
    w.timed = 1
    if w.event:
        return
    for i in range(NG - 1, -1, -1):
        if w.fired[i]:
            w.first = i
    for i in range(N):
        w.xe[i] = w.x1[i]
    w.event = 1
    w.s_end = w.sa = w.s1
