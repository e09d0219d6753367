"""Guards that cannot be zero in a whole step, by an enclosure of their values alone.

The enclosure is made for a box that is larger than the step's, about as much as the steps to come are expected to need:
while they stay inside, all guards are clear without being evaluated. The box grows as long as that goes well.
"""

from .codes import ARMED, CLOSED, DISARMED, OPEN, PATIENCE
from .enclose import NEAR_ONE, enclose_states, enclose_time, enclose_whole, evaluate
from .free import CERTIFIED, NG, STIFF, N, jit, plain
from .windows import signed

LARGEST = 32.0  # steps to come, of the size of the present one, for which a box is made


@jit
def box_step(w):
    """Write enclosures of time and state in the whole step into w.moment and w.box.

    For a stiff method they hold, too, what its dense output may be wrong by where it differs from full steps.
    """
    enclose_time(w, 0.0, 1.0)
    enclose_whole(w)
    if STIFF:
        box = plain(w.box)
        for i in range(N):
            box[i, 0] -= spare(w, i)
            box[i, 1] += spare(w, i)


@jit
def spare(w, i):
    """Return the error granted to a stiff dense output in state `i`: a quarter of its corrections to a line."""
    q = plain(w.q)
    return 0.25 * (abs(q[1, i]) + abs(q[2, i] + q[3, i]) + abs(q[3, i]))


@jit
def stays_inside(w):
    """Return whether the step stays inside the box in which all guards are clear."""
    if not w.is_clear:
        return False
    box_step(w)
    if w.moment[0] < w.clear_moment[0] or w.moment[1] > w.clear_moment[1]:
        return False
    box = plain(w.box)
    room = plain(w.clear_box)
    for i in range(N):
        if box[i, 0] < room[i, 0] or box[i, 1] > room[i, 1]:
            return False
    return True


@jit
def find_clear(w):
    """Close the guards that are clear of zero in the step."""
    w.is_clear = 0
    box_step(w)
    if w.ahead > 0.0:
        enlarge(w)
        if close_guards(w):
            w.is_clear = 1
            w.ahead = min(LARGEST, 2.0 * w.ahead)
            return
        w.ahead = PATIENCE
        box_step(w)
    if close_guards(w):
        w.ahead += 1.0


@jit
def close_in_rest(w):
    """Close the guards that are clear of zero in what is left of a step."""
    a = max(-1.0, 2.0 * w.sa * w.inverse - 1.0)
    m, r = 0.5 * (a + 1.0), 0.5 * (1.0 - a) * NEAR_ONE
    enclose_time(w, m, r)
    enclose_states(w, m, r)
    close_guards(w)


@jit
def enlarge(w):
    """Enlarge the box by w.ahead times its size, and keep it."""
    box = plain(w.box)
    room = plain(w.clear_box)
    for k in range(2):
        w.clear_moment[k] = w.moment[k]
    w.clear_moment[1] += w.ahead * w.s1
    w.moment[1] = w.clear_moment[1]
    for i in range(N):
        size = w.ahead * (box[i, 1] - box[i, 0])
        box[i, 0] -= size
        box[i, 1] += size
        room[i, 0] = box[i, 0]
        room[i, 1] = box[i, 1]


@jit
def close_guards(w):
    """Close the guards that are clear in the box; return whether those that can be enclosed all are."""
    evaluate(w, plain(w.hull), False)
    clear = True
    for i in range(NG):
        if w.open[i] != OPEN or not CERTIFIED[i]:
            continue
        low, high, _, _ = signed(w, i, w.hull)
        if w.rest[i]:
            closed = low >= -w.band[i] and high <= w.band[i]
        elif w.arm[i] == DISARMED:
            closed = high < 0.0
        else:
            closed = w.arm[i] == ARMED and low > w.graze_tol
        if closed:
            w.open[i] = CLOSED
        else:
            clear = False
    return clear
