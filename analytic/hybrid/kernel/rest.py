"""Guards that rest at zero, and their first certain departure in a step.

A guard that is zero on entry to a chart and does not move is neither negative nor an event. It rests as long as it
stays in a band about zero: its round-off, and what the step's own error may do to it. The dense output of a step in
which a field begins to act waves about zero by as much. Where a guard certainly leaves the band, it is armed or treated
as negative.
"""

import math

from .codes import EITHER, EPS, FIRES, REFUSES
from .dense import dense
from .enclose import UNITS, enclose_middle, enclose_window, evaluate, offset
from .free import CERTIFIED, NG, N, jit, plain
from .locate import fail_stop_iter
from .motion import BEYOND, read_ahead, read_guards
from .samples import NARROWEST, guard_at, sample_guards
from .windows import NARROW, UNDECIDED_WIDTH, signed

ERRORS = 2.5  # times the step's error, and `BEYOND` times that: what a dense output may wave by
COARSE = 0.125  # in z: the widest window in which a guard without enclosure is sampled
STAYS, UNKNOWN_WAY = 0, 2  # besides 1, upward, and -1, downward
SAME = 2.0  # times its round-off: an enclosure not wider cannot tell more by being split, nor that it has left
PATIENT = 64  # windows of a step, before the band is widened where the guard is inside it in the middle of a window:
WIDER = 16.0  # a difference of states that move together would take a hundred thousand
MAX_WINDOWS = 1_000_000


@jit
def find_bands(w):
    """Write half the width of the band of every guard into w.band."""
    box = plain(w.box)
    later = plain(w.later)
    w.moment[0] = w.moment[1] = w.t
    w.moment[2] = w.moment[3] = 0.0
    for i in range(N):
        size = max(abs(w.x[i]), abs(w.x1[i]))
        error = ERRORS * w.error * (w.atol[i] + w.rtol * size) + UNITS * EPS * size
        box[i, 0] = w.x[i] - error
        box[i, 1] = w.x[i] + error
        box[i, 2] = box[i, 3] = 0.0
        later[i] = w.x[i] + error * (1.0 - 2.0 * (i % 2))
    evaluate(w, plain(w.middle), False)
    read_guards(w, w.t, later, plain(w.gp))
    for i in range(NG):
        if w.rest[i]:
            width = w.middle[i, 1] - w.middle[i, 0]
            if w.leaps[i]:
                width = w.noise[i]
            elif not (CERTIFIED[i] and width < math.inf):
                width = abs(w.gp[i] - w.ga[i]) + w.noise[i]
            w.band[i] = max(w.held[i], BEYOND * width)  # what the steps before have done to it stays


@jit
def departs(w, i, limit):
    """Return the way that guard `i`, at rest, leaves its band before offset `limit`: 1 up, -1 down, 0 not at all.

    It leaves in the window that begins at w.at.
    """
    wider = 1.0
    for count in range(MAX_WINDOWS):
        a = w.at
        if w.depth < 0 or not offset(w, a) < limit:
            return STAYS
        b = w.ends[w.depth]
        way = leaves(w, i, a, b, wider)
        if w.status != 0:
            return STAYS
        if count % PATIENT == PATIENT - 1:
            wider *= WIDER
        if way == UNKNOWN_WAY:
            w.depth += 1
            w.ends[w.depth] = 0.5 * (a + b)
            continue
        if way != STAYS:
            return way
        w.at = b
        w.depth -= 1
    fail_stop_iter(w, i, offset(w, w.at))
    return STAYS


@jit
def leaves(w, i, a, b, wider):
    """Return the way that guard `i` has left its band in the whole window a <= z <= b, or that it is not known."""
    if not CERTIFIED[i]:
        return leaves_by_samples(w, i, a, b)
    m = 0.5 * (a + b)
    r = 0.5 * (b - a)
    enclose_window(w, m, r)
    low, high, slow, fast = signed(w, i, w.hull)
    steepest = max(abs(slow), abs(fast))
    enclose_middle(w, m)
    least, largest, _, _ = signed(w, i, w.middle)
    if steepest < math.inf:
        change = steepest * r * (1.0 + 4.0e-15)
        low = max(low, least - change)
        high = min(high, largest + change)
    edge = max(w.band[i], BEYOND * (largest - least))
    if low > edge:
        return 1
    if high < -edge:
        return -1
    if (low >= -edge and high <= edge) or high - low <= SAME * (largest - least):
        return STAYS
    if low >= -wider * edge and high <= wider * edge and least >= -edge and largest <= edge:
        w.n_sampled += 1
        return STAYS
    if b - a <= NARROW or (w.window_undecided and b - a <= UNDECIDED_WIDTH):
        return way_of(guard_at(w, i, offset(w, b)), edge)
    return UNKNOWN_WAY


@jit
def leaves_by_samples(w, i, a, b):
    """Return the same of a guard that cannot be enclosed, by five samples."""
    if b - a > COARSE:
        return UNKNOWN_WAY
    sample_guards(w, a, b)
    w.n_sampled += 1
    first = way_of(w.sign[i] * w.gs[0, i], w.band[i])
    for j in range(1, 5):
        if way_of(w.sign[i] * w.gs[j, i], w.band[i]) != first and b - a > NARROWEST:
            return UNKNOWN_WAY
    return way_of(w.sign[i] * w.gs[4, i], w.band[i])


@jit
def way_of(u, band):
    """Return the side of the band on which a value is."""
    if u > band:
        return 1
    return -1 if u < -band else STAYS


@jit
def waves(w, i):
    """Return whether guard `i` has left its rest by the dense output, but not by a full step, or against the field.

    The field begins to act later in the step, where the estimate of the step's error may see little of it; then the
    dense output waves, and a full step may end on the wrong side. From there the field leads the other way.
    """
    w.full_steps = 1
    u = guard_at(w, i, w.right)
    w.full_steps = 0
    if not w.risen * u > w.band[i]:
        return True
    dense(w, w.left, plain(w.probe))
    read_guards(w, w.t + w.left, plain(w.probe), plain(w.g_moved))
    for j in range(N):
        w.later_f[j] = 0.0
    read_ahead(w, w.t + w.left, plain(w.probe), plain(w.later_f), w.right - w.left, plain(w.gp))
    return w.risen * w.sign[i] * (w.gp[i] - w.g_moved[i]) < -w.noise[i]


@jit
def rests_on(w, i):
    """Let guard `i` rest on through a step that is too short to tell whether it leaves, whatever the step did to it."""
    w.risen = 0
    w.band[i] = max(w.band[i], BEYOND * abs(w.g_end[i]))


@jit
def ends_rest(w, i, limit):
    """Return whether guard `i` leaves its rest before offset `limit` by an event, downward: between w.left and w.right.

    If it leaves upward, or downward and may, the search goes on from there: w.risen tells which.
    """
    w.risen = 0
    way = departs(w, i, limit)
    if way < 0 and w.rest[i] == EITHER:
        w.sign[i] = -w.sign[i]
        way = 1
    w.risen = way
    w.left = offset(w, w.at)
    if way == STAYS:
        return False
    w.right = offset(w, w.ends[w.depth])
    if way > 0:  # it is positive at the window's end, and not before it was
        w.at = w.ends[w.depth]
        w.depth -= 1
    return way < 0 and (w.rest[i] == REFUSES or w.rest[i] == FIRES)
