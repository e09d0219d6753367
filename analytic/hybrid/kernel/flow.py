"""The main loop: steps, records and events, until the run is over or an action outside the kernel is due.

It can be left and re-entered at any phase: growing the record, showing a picture, reporting progress and calling a
transition written in plain Python all happen outside, and nothing recorded so far is lost.
"""

import math

from .codes import (
    ACT,
    ADOPT,
    ARRIVE,
    BAD_FIELD,
    BAD_MEMORY,
    BAD_PARAMETER,
    BAD_STATE,
    BEGIN,
    EMIT,
    ENTER,
    EVENT,
    FINAL_TIME,
    FRAME,
    INVALID_CHART,
    MEASURE,
    OVER,
    ROOM,
    RUNNING,
    SEARCH,
    START,
    STEP,
    UNKNOWN_CHART,
)
from .dense import dense
from .events import act_at_once, begin_event, call_transition, finish_event
from .free import (
    BY_CALLER,
    HAS_TIMES,
    HAS_VALIDATE,
    N_CHARTS,
    N_DENSE,
    N_STAGES,
    ND,
    NG,
    NP,
    N,
    initial,
    jit,
    plain,
    validate,
)
from .guards import carry_guards, classify
from .log import log_grazings
from .search import search
from .stages import rates
from .steps import EPS, fail_nonfinite, first_bad, recall_step, take_step
from .timed import call_known, first_known, next_known


@jit
def begin(w):
    """Check the given numbers and let the model complete its initial state and choose its first chart."""
    w.t_begin = w.t
    w.phase = ENTER
    w.t_scale = min(1.0, w.t_final - w.t)
    w.moved = START
    bad = first_bad(plain(w.p), NP)
    if bad >= 0:
        fail_nonfinite(w, BAD_PARAMETER, bad, w.t)
        return
    if w.chart < 0:
        w.chart = initial(w.t, plain(w.x), plain(w.d), plain(w.p))
        if w.chart < 0 or (N_CHARTS >= 0 and w.chart >= N_CHARTS):
            w.status = UNKNOWN_CHART
            w.culprit = w.chart
    bad = first_bad(plain(w.d), ND)
    if bad >= 0:
        fail_nonfinite(w, BAD_MEMORY, bad, w.t)
    if HAS_TIMES:
        first_known(w)


@jit
def check_valid(w, t, x):
    """Check with the model that the state is valid in this chart; stop, or count a warning, if not."""
    if HAS_VALIDATE and not validate(t, x, plain(w.d), plain(w.p), w.chart):
        if w.n_warnings == 0:
            w.t_warning = t
        w.n_warnings += 1
        if not w.warn_only:
            w.status = INVALID_CHART
            w.culprit = -1


@jit
def next_stop(w):
    """Set w.t_stop, where the step must end exactly: final time, known time, measurement; return if one is due now."""
    w.t_stop = w.t_final
    if HAS_TIMES:
        w.t_known = next_known(w, w.chart)
        w.t_stop = min(w.t_stop, w.t_known)
    if not w.measure_period > 0.0:
        return False
    due = w.t >= w.k_measure * w.measure_period * (1.0 - 4.0 * EPS)
    if due:
        w.k_measure += 1
    w.t_stop = min(w.t_stop, w.k_measure * w.measure_period)
    return due


@jit
def enter(w, rec):
    """Begin a chart at (w.t, w.x): field, validity, step size, guards."""
    x = plain(w.x)
    w.phase = STEP
    bad = first_bad(x, N)
    if bad >= 0:
        fail_nonfinite(w, BAD_STATE, bad, w.t)
        return
    w.t_enter = w.t
    w.t_jac = math.nan
    w.s1 = 0.0
    w.sa = 0.0
    if w.record_period == 0.0:
        put(w, rec, w.t, x)
    check_valid(w, w.t, x)
    if w.status != RUNNING:
        return
    rates(w, w.t, x, plain(w.k)[0])
    bad = first_bad(plain(w.k)[0], N)
    if bad >= 0:
        fail_nonfinite(w, BAD_FIELD, bad, w.t)
        return
    recall_step(w)
    classify(w, 0.0, w.t, x, plain(w.k)[0])
    for i in range(N):
        w.xe[i] = x[i]
    act_at_once(w, 0.0)
    if w.status == RUNNING and w.phase == STEP and w.t >= w.t_final:
        w.status = FINAL_TIME
        put_last(w, rec)


@jit
def put_last(w, rec):
    """Write the record due at the final time if an event has ended the run there: the state behind the event."""
    if w.record_period > 0.0 and next_record(w, rec) * (1.0 - 4.0 * EPS) <= w.t_final:
        put(w, rec, w.t, plain(w.x))


@jit
def next_record(w, rec):
    """Return the time of the next record [s]: at the time listed in its row, or at the next multiple of the period."""
    return rec[w.n_rec, 0] if w.listed else w.k_record * w.record_period


@jit
def put(w, rec, t, x):
    """Write a line of the record: t, chart, x, d."""
    if not w.record_on:
        return
    row = rec[w.n_rec]
    row[0] = t
    row[1] = w.chart
    for i in range(N):
        row[2 + i] = x[i]
    for i in range(ND):
        row[2 + N + i] = w.d[i]
    if w.dense_on:
        row[2 + N + ND] = 0.0
    w.n_rec += 1


@jit
def put_dense(w, rec):
    """Write the step's dense output behind the row of its start: its length, until where it is valid, coefficients."""
    row = rec[w.n_rec - 1]
    row[2 + N + ND] = w.s1
    row[3 + N + ND] = w.s_end
    for k in range(N_DENSE):
        for i in range(N):
            row[4 + N + ND + k * N + i] = w.q[k, i]


@jit
def emit(w, rec):
    """Write the records due before the next stop (at it, if it is not an event); False: leave, w.pause says why."""
    end = w.t_stop if w.clipped and (w.timed or not w.event) else w.t + w.s_end
    probe = plain(w.probe)
    while w.record_period > 0.0:
        if w.n_rec >= rec.shape[0]:
            w.pause = ROOM
            return False
        t = next_record(w, rec)
        if t > end and not w.listed and t - end <= 4.0 * EPS * t and w.clipped and not w.event:
            t = end  # 7 * 0.1 is a unit of rounding above 0.7
        if t > end or (w.event and t >= end):
            break
        dense(w, t - w.t, probe)
        put(w, rec, t, probe)
        w.k_record += 1
    if w.frame_period > 0.0:
        t = w.k_frame * w.frame_period
        if t < end or (t == end and not w.event):
            dense(w, t - w.t, plain(w.x_frame))
            w.t_frame = t
            w.k_frame += 1
            w.pause = FRAME
            return False
    w.phase = ACT if w.event else ARRIVE
    return True


@jit
def arrive(w, rec):
    """Go to the end of the step; return whether a measurement is due there."""
    k = plain(w.k)
    w.t = w.t_stop if w.clipped else w.t + w.s1
    for i in range(N):
        w.x[i] = w.x1[i]
        k[0, i] = k[N_STAGES, i]
    carry_guards(w)
    w.phase = STEP
    if w.record_period == 0.0:
        put(w, rec, w.t, plain(w.x))
    check_valid(w, w.t, plain(w.x))
    if w.t >= w.t_final and w.status == RUNNING:
        w.status = FINAL_TIME
    return next_stop(w)


@jit
def has_room(w, rec, ev):
    """Return whether the record and the log have room for what one phase may write."""
    record = not w.record_on or w.n_rec + 2 <= rec.shape[0]
    return record and (not w.log_on or w.n_ev + NG + 2 <= ev.shape[0])


@jit
def flow(w, rec, ev):
    """Run until a transition, a picture, a measurement or more room is due, or the run is over."""
    while w.status == RUNNING:
        if not has_room(w, rec, ev):
            return ROOM
        if w.phase == STEP:
            take_step(w)
        elif w.phase == SEARCH:
            search(w)
            if HAS_TIMES and w.phase == EMIT:
                call_known(w)
            log_grazings(w, ev, w.s_end)
        elif w.phase == EMIT:
            if w.dense_on:
                put_dense(w, rec)
            if not emit(w, rec):
                return w.pause
        elif w.phase == ARRIVE:
            if arrive(w, rec):
                return MEASURE
        elif w.phase == ENTER:
            measured = next_stop(w)
            enter(w, rec)
            if measured:
                return MEASURE
        elif w.phase == BEGIN:
            begin(w)
        elif BY_CALLER and w.phase == ADOPT:
            finish_event(w, ev, w.following)
        else:
            return EVENT
    return OVER


@jit
def advance(ws, run, rec, ev):
    """Run, performing transitions, until a picture, a measurement or more room is due, or the run is over."""
    ws, rec, ev = plain(ws), plain(rec), plain(ev)
    w = ws[run]
    while True:
        code = flow(w, rec, ev)
        if code != EVENT:
            return code
        if begin_event(w, ev):
            if BY_CALLER:
                return EVENT
            finish_event(w, ev, call_transition(w))


@jit
def advance_many(ws, first, last, rec, ev):
    """Finish the runs first..last-1, which keep no records."""
    for run in range(first, last):
        advance(ws, run, rec, ev)
