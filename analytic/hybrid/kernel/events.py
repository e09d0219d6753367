"""The effect of an event: the log entry, the transition, and how the run continues.

If a transition changes neither the state nor the field, the current step stays valid: only the guards change.
"""

from .accumulation import check_accumulation, crowds
from .codes import (
    ACCUMULATION,
    ACT,
    BAD_MEMORY,
    BAD_STATE,
    CHART_LIMIT,
    DECLINE,
    DECLINED,
    DISARMED,
    ENTER,
    INVALID,
    INVALID_CHART,
    INVALID_ENTRY,
    MODEL_ERROR,
    MOVED,
    MOVES,
    REFUSES,
    SEARCH,
    STAYED,
    STOPPED,
    TRANSITION,
    UNKNOWN_CHART,
)
from .dense import dense, dense_rates
from .free import KIND, N_CHARTS, ND, NG, N, field_key, jit, plain, transition
from .guards import arm_risen, classify
from .log import log_after, log_line
from .steps import fail_nonfinite, first_bad, remember_step
from .timed import keeps_times


@jit
def begin_event(w, ev):
    """Prepare the transition; return whether there is to be one (False: the run has ended here)."""
    w.te = w.t_stop if w.timed else min(w.t + w.s_end, w.t_stop)
    w.chart_before = w.chart
    for i in range(ND):
        w.de[i] = w.d[i]
    for i in range(N):
        w.xm[i] = w.xe[i]
    arm_risen(w)
    log_line(w, ev, TRANSITION, w.te, plain(w.xe), plain(w.d))
    if w.n_charts + w.n_declined >= w.max_charts:
        w.status = CHART_LIMIT  # the event is due and not performed: it is no line of the log
        stand_at_event(w)
        return False
    for i in range(NG):
        if w.fired[i] and w.rest[i] == REFUSES:
            w.status = INVALID_ENTRY  # it rested at zero and has become negative: no event either
            w.culprit = i
            stand_at_event(w)
            return False
        if w.fired[i] and KIND[i] == INVALID:
            w.status = INVALID_CHART
            w.culprit = i
    if w.status != 0:
        log_after(w, ev, TRANSITION, w.chart, plain(w.xe), plain(w.d))
        stand_at_event(w)
        return False
    return True


@jit
def call_transition(w):
    """Call the model's transition at the event; it changes w.xe and w.de in place."""
    return transition(w.te, plain(w.xe), plain(w.de), plain(w.p), w.chart, plain(w.fired))


@jit
def stand_at_event(w):
    """Make the event, with the state after it, the current point of the run."""
    remember_step(w)
    w.timed = 0
    for i in range(NG):
        w.s_clear[i] -= w.te - w.t
    w.t = w.te
    for i in range(N):
        w.x[i] = w.xe[i]
    for i in range(ND):
        w.d[i] = w.de[i]


@jit
def finish_event(w, ev, chart):
    """Adopt the result of the transition and decide how the run continues."""
    if chart == DECLINE:
        decline(w, ev)
        return
    log_after(w, ev, TRANSITION, chart, plain(w.xe), plain(w.de))
    for i in range(NG - 1, -1, -1):
        if w.fired[i] and not w.fired[w.first]:
            w.first = i  # the transition of the earliest was not performed
    w.n_charts += 1
    if chart < 0 or (N_CHARTS >= 0 and chart >= N_CHARTS):
        stand_at_event(w)
        w.status = UNKNOWN_CHART
        w.culprit = chart
        return
    w.moved = MOVED if has_moved(w) else STAYED
    w.unchanged = 1 if not w.moved and not has_remembered(w) else 0
    # Chattering is detected after an event that the flow reached, not one that fired as soon as its chart began.
    w.identity = 1 if w.unchanged and w.s_end > 0.0 else 0
    same_step = w.unchanged and w.sa < w.s1 and field_key(chart) == field_key(w.chart) and keeps_times(w, chart)
    if not w.unchanged:
        check_new_state(w)
    if count_stop(w) or w.status != 0:
        stand_at_event(w)
        w.chart = chart
        return
    if same_step:
        w.t_event = w.te
        w.chart = chart
        go_on_in_step(w)
        return
    stand_at_event(w)
    w.chart = chart
    w.phase = ENTER
    if check_accumulation(w, w.first, w.te) and w.phase == ENTER and w.status == 0:
        w.fired[w.first] = 1
        log_line(w, ev, ACCUMULATION, w.t, plain(w.x), plain(w.d))
        log_after(w, ev, ACCUMULATION, w.chart, plain(w.x), plain(w.d))


@jit
def has_moved(w):
    """Return whether the transition changed the continuous state."""
    for i in range(N):
        if w.xe[i] != w.xm[i]:
            return True
    return False


@jit
def has_remembered(w):
    """Return whether the transition changed the memory."""
    for i in range(ND):
        if w.de[i] != w.d[i]:
            return True
    return False


@jit
def check_new_state(w):
    """End the run if the transition wrote a number that is not finite."""
    bad = first_bad(plain(w.xe), N)
    if bad >= 0:
        fail_nonfinite(w, BAD_STATE, bad, w.te)
        return
    bad = first_bad(plain(w.de), ND)
    if bad >= 0:
        fail_nonfinite(w, BAD_MEMORY, bad, w.te)


@jit
def count_stop(w):
    """Count the event if the caller asked to stop at it, and return whether the run stops."""
    if w.stop_guard < 0 or not w.fired[w.stop_guard]:
        return False
    w.stop_count -= 1
    if w.stop_count > 0:
        return False
    w.status = STOPPED
    return True


@jit
def decline(w, ev):
    """Go on in the chart with the memory that the transition has written; the guards that fired wait for their rise.

    A transition that declines must leave the state alone.
    """
    log_after(w, ev, DECLINED, w.chart, plain(w.xm), plain(w.de))
    w.n_declined += 1
    w.moved = STAYED
    crowds(w, w.first, w.te, w.last_declined == w.first)  # others may decline as close as they like
    w.last_declined = w.first
    for i in range(NG):
        if w.fired[i]:
            w.arm[i] = DISARMED
            w.rest[i] = MOVES
    if has_moved(w):
        w.status = MODEL_ERROR
        w.culprit = w.first
        for i in range(N):
            w.xe[i] = w.xm[i]
    remembered = has_remembered(w)
    if remembered:
        check_new_state(w)
    if w.sa < w.s1 and not remembered and w.status == 0:
        go_on_in_step(w)
        return
    stand_at_event(w)
    w.phase = ENTER


@jit
def go_on_in_step(w):
    """Evaluate the guards of the (new) chart at the event and continue searching the rest of the step."""
    dense(w, w.sa, plain(w.xe))
    dense_rates(w, w.sa, plain(w.fe))  # of the curve that is searched, not the field's, which may have another sign
    classify(w, w.sa, w.t + w.sa, plain(w.xe), plain(w.fe))
    w.phase = SEARCH
    if w.status != 0:
        stand_at_event(w)
    act_at_once(w, w.sa)


@jit
def act_at_once(w, s):
    """If guards are to fire on entry to the chart, make that the next event."""
    for i in range(NG):
        if w.fired[i] and w.status == 0:
            w.first = i
            w.event = 1
            w.s_end = s
            w.sa = s
            w.phase = ACT
            return
