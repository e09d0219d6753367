"""The first event of all guards in the rest of a step."""

import math

from .codes import ARMED, DISARMED, EMIT, OFF, ROOT, STEP
from .free import NG, jit
from .locate import first_event
from .motion import simultaneous
from .place import ends_on_zero, fire_together, locate
from .scan import WIDER, sample_step

OVERSHOT = 0.02  # a step this much longer than the time to its event is repeated, shorter: its dense output is coarse
LITTLE = 0.11  # of its value: samples that differ by less are clear of zero to `judge`, however they lie


@jit
def search(w):
    """Find the earliest event in the rest of the step; w.s_end is the event's offset, or the end of the step."""
    w.s_end = w.s1
    w.event = 0
    w.phase = EMIT
    if w.n_active == 0:
        return
    sample_step(w)
    best = earliest_event(w)
    if best == math.inf:
        return
    if w.sa == 0.0 and 1e-10 * w.s1 < best < OVERSHOT * w.s1:
        w.h = max(4.0 * best, 1e-9 * w.s1)
        w.phase = STEP
        wait_again(w, -1.0)
        for i in range(NG):
            w.graze[i] = 0
        return
    w.event = 1
    wait_again(w, best)
    fire_together(w, best)
    locate(w, best)


@jit
def earliest_event(w):
    """Return the offset of the earliest event in the rest of the step, or infinity; w.s_fall has that of each guard."""
    best = math.inf
    limit = w.s1
    for i in range(NG):
        w.s_fall[i] = math.inf
        w.fired[i] = 0
        w.waits[i] = 0
        if skip_guard(w, i) or stays_away(w, i):
            continue
        w.s_fall[i] = first_event(w, i, w.sa, limit, True)
        if w.status != 0:
            return math.inf
        if w.s_fall[i] == math.inf and limit == w.s1 and ends_on_zero(w, i):
            w.s_fall[i] = w.s1
        if w.s_fall[i] < best:
            best = w.s_fall[i]
            limit = min(w.s1, best + simultaneous(w))
    return best


@jit
def skip_guard(w, i):
    """Return whether guard `i` cannot fire in this step at all."""
    return w.arm[i] == OFF or (w.arm[i] == DISARMED and math.isinf(w.ga[i]))


@jit
def stays_away(w, i):
    """Return whether guard `i` changes so little in the whole step that `judge` would find it clear of zero."""
    if w.arm[i] != ARMED or w.s1 > WIDER * w.trust[i]:
        return False
    first = w.sign[i] * w.gs[0, i]
    for j in range(1, 5):
        if not abs(w.sign[i] * w.gs[j, i] - first) <= LITTLE * first:  # also if it is not a number
            return False
    return True


@jit
def wait_again(w, after):
    """Keep the guards waiting that would have become positive only after offset `after`."""
    for i in range(NG):
        if w.waits[i] and w.arm[i] == ROOT and w.s_root[i] > after:
            w.arm[i] = DISARMED
            w.s_clear[i] = after
