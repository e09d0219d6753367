"""Which guards are armed on entry to a chart, and what the others wait for."""

import math

from .codes import (
    ARMED,
    BAD_GUARD,
    CHATTER,
    CLOSED,
    DISARMED,
    EITHER,
    EPS,
    FIRE,
    FIRES,
    IGNORE,
    IGNORE_LATER,
    INVALID_ENTRY,
    MOVES,
    OFF,
    PATIENCE,
    REFUSES,
    RISEN,
    ROOT,
    START,
    WAITS,
    ZENO,
)
from .free import CERTIFIED, DIRECTION, NG, ON_ENTRY, field_key, jit, plain
from .motion import BLIND, is_near, read_guards, read_motion, simultaneous
from .steps import fail_nonfinite


@jit
def choose_sign(w, i, near, fired):
    """Return the sign that makes guard `i` positive, or rising if it is zero.

    A guard that fires both ways and is zero has just fired, or would fire at the start of the chart.
    """
    if DIRECTION[i] != 0:
        return -DIRECTION[i]
    value = w.ga[i]
    together = abs(w.rate[i]) * simultaneous(w) + w.noise[i]
    if near and (fired or abs(value) <= together):
        return 1 if w.rate[i] >= 0.0 else -1
    return 1 if value > 0.0 else -1


@jit
def start_on_root(w, i, s, u, rate):
    """Arm guard `i` at its zero, from which it rises."""
    w.arm[i] = ROOT
    w.u_root[i] = u if u < -w.noise[i] else 0.0
    ahead = -u / rate if u < 0.0 and w.u_root[i] == 0.0 else 0.0  # distance to its zero
    w.s_clear[i] = s + max(w.blind[i] + ahead, BLIND * EPS * abs(w.t))


@jit
def is_ignored(w, i):
    """Return whether guard `i` may be negative on entry to the chart."""
    return ON_ENTRY[i] == IGNORE or (ON_ENTRY[i] == IGNORE_LATER and w.moved != START)


@jit
def start_negative(w, i, s, u, rate, near):
    """Decide about guard `i` that is negative on entry to a chart, or zero and not rising."""
    if w.arm[i] == DISARMED or is_ignored(w, i):
        w.arm[i] = DISARMED
        w.s_clear[i] = s + max(w.blind[i], BLIND * EPS * abs(w.t)) if near else s
        if u > 0.0 and rate < 0.0:
            w.s_clear[i] -= u / rate  # it fired a little early, together with another
    elif ON_ENTRY[i] == FIRE:
        w.fired[i] = 1
    else:
        w.status = INVALID_ENTRY
        if near and w.zeno_guard == i:
            w.status = ZENO  # the bounces have become too small for their rounding
        elif near and w.identity:
            w.status = CHATTER
        w.culprit = i


@jit
def come_to_rest(w, i, s, fallen):
    """Let guard `i` rest at zero, where it is neither negative nor an event; `on_entry` decides when it leaves."""
    w.held[i] = 0.0
    w.rest[i] = REFUSES
    if DIRECTION[i] == 0:
        w.rest[i] = EITHER
    elif fallen or w.arm[i] == DISARMED or is_ignored(w, i):
        w.rest[i] = WAITS
    elif ON_ENTRY[i] == FIRE:
        w.rest[i] = FIRES
    w.arm[i] = DISARMED
    w.s_clear[i] = s


@jit
def is_due(w, i, near):
    """Return whether guard `i`, armed so far, has fallen together with the event, which did not change the state.

    It was a unit of round-off too late to fire with it.
    """
    if w.moved or w.fired[i] or not near or not (w.arm[i] == ARMED or w.arm[i] == ROOT):
        return False
    return w.sign[i] * w.ga[i] <= 0.0 and w.sign[i] * w.rate[i] < 0.0


@jit
def has_crossed(w, fired, near):
    """Return whether a guard fired in an event that changed neither state nor field: it waits for its next rise."""
    return fired and near and not w.moved and field_key(w.chart) == field_key(w.chart_before)


@jit
def settle_guard(w, i, s):
    """Set the state of guard `i` from its value w.ga[i] and its motion."""
    near = is_near(w, i)
    certain = w.rooted[i]
    w.rooted[i] = 0
    if is_due(w, i, near):
        w.fired[i] = 1
        return
    fired = w.fired[i]
    w.fired[i] = 0
    hidden = w.s_clear[i] > s or abs(w.ga[i]) <= w.noise[i]
    if w.rest[i] == REFUSES and is_ignored(w, i):
        w.rest[i] = WAITS  # it is no longer the start of the run
    if near and not fired and not w.moved and w.arm[i] == DISARMED and hidden:
        w.held[i] = w.band[i]
        return  # it fired a moment ago, or rests, and still hides in its rounding
    if w.rest[i] == REFUSES or w.rest[i] == FIRES:
        w.arm[i] = OFF  # it rests and has not been declined or ignored: `on_entry` decides about it
    w.rest[i] = MOVES
    kept = near and not w.moved and not fired and (w.arm[i] == ARMED or w.arm[i] == ROOT)
    # It has just fallen: nothing that changes neither state nor chart lifts it, whatever its rate here, near a turn.
    fallen = fired and not w.moved and not w.jumped[i] and w.chart == w.chart_before
    crossed = fallen or has_crossed(w, fired, near or w.jumped[i])
    waits_again = DIRECTION[i] != 0 and crossed and is_ignored(w, i)
    if waits_again:
        w.arm[i] = DISARMED
    if fallen and DIRECTION[i] == 0:
        w.sign[i] = -w.sign[i]
    elif not kept:
        w.sign[i] = choose_sign(w, i, near, fired)
    w.s_clear[i] = s
    u = w.sign[i] * w.ga[i]
    rate = w.sign[i] * w.rate[i]
    w.high[i] = 1 if u > w.graze_tol or (kept and w.high[i]) else 0
    at_zero = near and (fired or abs(u) <= w.noise[i])
    waits = u < 0.0 and not at_zero and (w.arm[i] == DISARMED or is_ignored(w, i))
    # Zero, and moving by a higher power of time only: what a step makes of it is round-off until it is certainly away.
    tangent = CERTIFIED[i] and not certain and not fired and not w.leaps[i] and abs(u) <= w.noise[i]
    stands = rate == 0.0 or tangent
    if near and stands and (at_zero or u < 0.0) and not waits and not (kept and (u != 0.0 or rate != 0.0)):
        come_to_rest(w, i, s, fallen)
        return
    if near and rate > 0.0 and (at_zero or u < 0.0) and not waits and not waits_again:
        start_on_root(w, i, s, u, rate)
    elif near and fallen and DIRECTION[i] == 0:  # in its rounding, on the side that it has come to, and turns back
        w.arm[i] = ARMED
        w.s_clear[i] = s + max(0.0 if rate < 0.0 else w.blind[i], BLIND * EPS * abs(w.t))
        return
    elif u > 0.0 and not (at_zero and (fired or (w.moved == START and rate < 0.0 and is_ignored(w, i)))):
        w.arm[i] = ARMED
        return
    else:
        start_negative(w, i, s, u, rate, near)
    w.rooted[i] = certain if at_zero else 0


@jit
def arm_risen(w):
    """Arm the guards that waited or rested at the step's beginning and are certainly positive before its event."""
    if not has_risen(w):
        return
    read_guards(w, w.te, plain(w.xm), plain(w.gp))
    for i in range(NG):
        least = w.band[i] if w.rest[i] else 0.0
        if w.open[i] == RISEN and (w.fired[i] or (w.s_end > w.s_clear[i] and w.sign[i] * w.gp[i] > least)):
            w.arm[i] = ARMED
            w.rest[i] = MOVES


@jit
def has_risen(w):
    """Return whether a guard has become positive in the step."""
    for i in range(NG):
        if w.open[i] == RISEN:
            return True
    return False


@jit
def classify(w, s, t, x, f):
    """Decide for every guard at the start of a chart, or of the rest of a step: off, armed, on its root, or waiting.

    `s` is the offset from the beginning of the step, (t, x) the point, `f` its rate there; w.fired tells which guards
    have fired there. Sets w.fired for guards that are to fire at once, and a status if the chart must not be entered.
    """
    g = plain(w.ga)
    read_guards(w, t, x, g)
    for i in range(NG):
        if math.isnan(g[i]):
            fail_nonfinite(w, BAD_GUARD, i, t)
            return
    read_motion(w, t, x, f)
    w.n_active = 0
    w.is_clear = w.has_sampled = w.has_rest = 0
    w.ahead = PATIENCE
    for i in range(NG):
        if g[i] == math.inf:
            w.arm[i] = OFF
            w.fired[i] = w.jumped[i] = 0
            w.rest[i] = MOVES
            continue
        w.n_active += 1
        if not CERTIFIED[i]:
            w.has_sampled = 1
        settle_guard(w, i, s)
        w.jumped[i] = 0
        if w.rest[i]:
            w.has_rest = 1


@jit
def carry_guards(w):
    """Begin the next step, after one without events, with the guards' values at its end."""
    for i in range(NG):
        if w.arm[i] == OFF:
            continue
        if w.passed:
            w.high[i] = 1
        else:
            w.ga[i] = w.g_end[i]
            if w.sign[i] * w.ga[i] > w.graze_tol:
                w.high[i] = 1
            if w.open[i] == RISEN or (w.rest[i] == WAITS and w.open[i] != CLOSED and abs(w.ga[i]) > w.band[i]):
                w.rest[i] = MOVES
            w.held[i] = w.band[i]
            risen = w.arm[i] == ROOT or w.open[i] == RISEN
            if risen and w.sign[i] * w.ga[i] > 0.0 and w.s1 > w.s_clear[i]:
                w.arm[i] = ARMED
        w.rooted[i] = 0
        w.s_clear[i] -= w.s1
