"""What an enclosure says about a guard in a window: its sign, that it is monotone, or that the window is to be split.

A guard without enclosure (an operation without a rule), or one with an undecided comparison in a very narrow
window, is sampled (`samples`).
"""

import math

from .codes import EPS, FALLING, LOW, NEGATIVE, POSITIVE, RISING, ROOT, SPLIT, TOUCH
from .enclose import enclose_middle, enclose_window
from .free import CERTIFIED, jit
from .samples import guard_at, sample_window

NARROW = 16.0 * EPS  # in z: eight units of rounding of the step; zeros closer than this are one, two or a touch
UNDECIDED_WIDTH = 2e-9  # in z: a window in which a comparison is undecided is sampled if it is not wider
FLAT = 1e-6  # in z: a window in which a low minimum is looked for
TIGHT = 1.5  # times its round-off: a guard's enclosure that is not wider says all that there is to say


@jit
def signed(w, i, g):
    """Return the enclosure g[i] of guard `i`, positive in its chart: least, largest, slowest, fastest."""
    low, high, slow, fast = g[i, 0], g[i, 1], g[i, 2], g[i, 3]
    if w.sign[i] < 0:
        low, high, slow, fast = -high, -low, -fast, -slow
    if w.arm[i] == ROOT:
        low -= w.u_root[i]
        high -= w.u_root[i]
    return low, high, slow, fast


@jit
def look(w, i, a, b, at_root, crosses, tight):
    """Return the verdict on guard `i` in the window a <= z <= b; set w.certain to whether it is proved, not sampled.

    `at_root`: the window begins at a zero of it; `crosses`: it ends with another sign; `tight`: an enclosure that is
    not wider than so many times its round-off will do; beyond `TIGHT` it must be within the tolerance for grazing, too.
    """
    w.certain = CERTIFIED[i]
    if not CERTIFIED[i]:
        return sample_window(w, i, a, b, at_root)
    m = 0.5 * (a + b)
    r = 0.5 * (b - a)
    enclose_window(w, m, r)
    low, high, slow, fast = signed(w, i, w.hull)
    if slow > 0.0:
        return RISING
    if fast < 0.0:
        return FALLING
    if not at_root:
        if high < 0.0 or (high == 0.0 and slow > -math.inf):  # it may rest at zero, which is not positive
            return NEGATIVE
        if low > w.graze_tol:
            return POSITIVE
        if low > 0.0 and b - a < FLAT:
            return LOW
    if b - a <= NARROW:
        return TOUCH
    if w.window_undecided and (b - a <= UNDECIDED_WIDTH or is_undecided_at(w, m)):
        w.certain = 0
        return sample_window(w, i, a, b, at_root)
    if at_root or (crosses and b - a > FLAT):
        return SPLIT
    return look_closer(w, i, m, r, low, high, max(abs(slow), abs(fast)), tight)


@jit
def is_undecided_at(w, m):
    """Return whether a comparison is undecided even at z = m: splitting the window does not help."""
    enclose_middle(w, m)
    return w.n_undecided > 0


@jit
def look_closer(w, i, m, r, low, high, steepest, tight):
    """Return the verdict of the value in the middle, the steepest rate and the round-off on an undecided window."""
    enclose_middle(w, m)
    least, largest, _, _ = signed(w, i, w.middle)
    if high - low == math.inf:
        guard_at(w, i, 0.5 * (m + 1.0) * w.s1)  # which ends the run if it is no number
        return SPLIT
    width = high - low
    if steepest < math.inf:
        change = steepest * r * (1.0 + 4.0 * EPS)
        if change < -largest:
            return NEGATIVE
        if least - change > w.graze_tol:
            return POSITIVE
        width = min(width, largest - least + 2.0 * change)
    noise = largest - least
    return TOUCH if width <= max(TIGHT * noise, min(tight * noise, w.graze_tol)) else SPLIT
