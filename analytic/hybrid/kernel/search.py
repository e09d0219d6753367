"""The first event of all guards in the rest of a step."""

import math

from .clear import close_in_rest, find_clear, stays_inside
from .codes import BAD_GUARD, CLOSED, DISARMED, EMIT, OFF, OPEN, RISEN, STEP
from .confirm import first_confirmed, halve_step, is_coarse
from .enclose import forget_window, open_step
from .free import CERTIFIED, NG, STIFF, jit, plain
from .locate import find_root
from .motion import read_guards, simultaneous
from .place import ends_on_zero, fire_together, locate
from .rest import ends_rest, find_bands, rests_on, waves
from .scan import begin_scan, changes
from .steps import fail_nonfinite

OVERSHOT = 0.02  # a step this much longer than the time to its event is repeated, shorter: its dense output is coarse


@jit
def search(w):
    """Find the earliest event in the rest of the step; w.s_end is the event's offset, or the end of the step."""
    w.s_end = w.s1
    w.event = 0
    w.phase = EMIT
    if w.n_active == 0 or not is_open(w):
        return
    if STIFF and w.sa == 0.0 and is_coarse(w) and halve_step(w):
        return
    best = earliest_event(w)
    if w.phase == STEP:
        forget_step(w)
    if best == math.inf:
        return
    if w.sa == 0.0 and 1e-10 * w.s1 < best < OVERSHOT * w.s1 and not leaves_rest(w, best):
        w.h = max(4.0 * best, 1e-9 * w.s1)
        w.phase = STEP
        forget_step(w)
        return
    w.event = 1
    fire_together(w, best)
    locate(w, best)
    if w.phase == STEP:
        forget_step(w)


@jit
def forget_step(w):
    """Forget what was seen in a step that is repeated."""
    for i in range(NG):
        w.graze[i] = w.fired[i] = 0


@jit
def is_open(w):
    """Return whether any guard may have an event in the rest of the step, and set w.open of those that may."""
    whole = w.sa == 0.0
    w.passed = 0
    inside = False
    if whole:
        open_step(w)
        inside = stays_inside(w)
        if inside and not w.clipped and not w.has_sampled:
            w.passed = 1
            return False
    else:
        forget_window(w)
    read_guards(w, w.t + w.s1, plain(w.x1), plain(w.g_end))
    fallen = False  # then there is an event, and the first window tells more than a box
    for i in range(NG):
        w.fired[i] = 0
        w.s_fall[i] = math.inf
        off = w.arm[i] == OFF or (w.arm[i] == DISARMED and math.isinf(w.ga[i]))
        if not off and math.isnan(w.g_end[i]):
            fail_nonfinite(w, BAD_GUARD, i, w.t + w.s1)
            return False
        w.open[i] = CLOSED if off or (inside and CERTIFIED[i]) else OPEN
        fallen = fallen or (w.open[i] == OPEN and w.arm[i] != DISARMED and not w.sign[i] * w.g_end[i] > 0.0)
    if w.has_rest:
        find_bands(w)
    if not whole:
        close_in_rest(w)
    elif not inside and not fallen:
        find_clear(w)
    found = w.clipped == 1
    for i in range(NG):
        found = found or w.open[i] == OPEN
    return found


@jit
def leaves_rest(w, best):
    """Return whether the first event is a guard's departure from its rest, which a shorter step would find earlier."""
    for i in range(NG):
        if w.s_fall[i] == best and w.rest[i] and w.open[i] != RISEN:
            return True
    return False


@jit
def first_event(w, i, limit):
    """Return the offset of the first event of guard `i` in (w.sa, limit], or infinity; if it waits, after its rise."""
    begin_scan(w, i)
    waits = w.arm[i] == DISARMED
    if w.rest[i]:
        ends = ends_rest(w, i, limit)
        if w.risen != 0 and w.sa == 0.0 and waves(w, i):
            if not halve_step(w):
                rests_on(w, i)
            return math.inf
        if ends:
            return w.left
        if w.risen == 0:
            return math.inf
        if w.risen > 0:
            w.open[i] = RISEN
            waits = False
    if waits:
        if not changes(w, i, limit, False):
            return math.inf
        if not w.certain:
            find_root(w, i, 0)  # ends the run if it jumps up without a definite sign beside
            w.jumped[i] = 0
        w.open[i] = RISEN
    return find_root(w, i, w.certain) if changes(w, i, limit, True) else math.inf


@jit
def earliest_event(w):
    """Return the offset of the earliest event in the rest of the step, or infinity; w.s_fall has that of each guard."""
    best = math.inf
    limit = w.s1
    for i in range(NG):
        if w.open[i]:
            w.s_fall[i] = first_confirmed(w, i) if STIFF else first_event(w, i, limit)
            if w.status != 0 or w.phase == STEP:
                return math.inf
        if w.s_fall[i] == math.inf and limit == w.s1 and ends_on_zero(w, i):
            w.s_fall[i] = w.s1
        if w.s_fall[i] < best:
            best = w.s_fall[i]
            limit = min(w.s1, best + simultaneous(w))
    return best
