"""A guard's next change of sign in the rest of a step: windows from left to right, each split until it is decided.

A decided window tells the guard's sign at its right end. Where that changes, the guard has had a zero: in this window,
if the guard is monotone in it, or in the ones just before, in which it could not be told from zero. In the window that
begins at the guard's own zero only the derivative decides, since values there are round-off.

Source: bisection with enclosures of value and derivative (Moore, Kearfott & Cloud, Introduction to Interval Analysis,
2009, chapter 8).
"""

import math

from .codes import ARMED, FALLING, LOW, NEGATIVE, POSITIVE, RISING, ROOT, SPLIT, TOUCH
from .enclose import enclose_middle, offset
from .free import CERTIFIED, jit
from .locate import fail_stop_iter, jumps_onto_zero
from .motion import BEYOND
from .samples import NARROWEST, guard_at
from .windows import TIGHT, look, signed

WIDE = 0.1  # in z: a window that may be all that is left of a step
MAX_WINDOWS = 1_000_000  # per step and guard; an oscillation takes about three a period
# A guard that rests at zero would take a hundred thousand windows a step: after so many in a row that decide nothing,
# less is asked of them, again and again. One that oscillates takes as many, but some of them decide.
PATIENT = 128
LESS = 4.0


@jit
def begin_scan(w, i):
    """Begin at w.sa, or where guard `i` can be told from its last zero."""
    w.at_root = w.rooted[i]
    near = w.at_root or (w.arm[i] == ROOT and CERTIFIED[i])  # and not judged by its round-off, see `sign_after`
    start = w.sa if near else max(w.sa, w.s_clear[i])
    w.at = max(-1.0, 2.0 * start * w.inverse - 1.0)
    w.since = math.nan  # where the windows just before begin in which it could not be told from zero
    w.depth = 0
    w.ends[0] = 1.0


@jit
def changes(w, i, limit, positive):
    """Return whether guard `i` changes its sign before offset `limit`: between w.left and w.right.

    Sets w.certain to whether it is certainly monotone there.
    """
    tight = TIGHT
    undecided = 0
    for _ in range(MAX_WINDOWS):
        a = w.at
        if w.depth < 0 or not offset(w, a) < limit:
            return False
        b = w.ends[w.depth]
        crosses = b == 1.0 and (w.sign[i] * w.g_end[i] > 0.0) != positive
        verdict = look(w, i, a, b, w.at_root, crosses, tight)
        if w.status != 0:
            return False
        if verdict == SPLIT or verdict == TOUCH:
            undecided += 1
            if undecided % PATIENT == 0:
                tight *= LESS
        else:
            undecided = 0
            tight = TIGHT
        if verdict == SPLIT:
            w.depth += 1
            w.ends[w.depth] = split_at(w, i, a, b, crosses)
            continue
        unsure = verdict == LOW or verdict == TOUCH or (not w.certain and b - a <= NARROWEST)
        if unsure and not w.at_root and jumps_onto_zero(w, i, offset(w, a), offset(w, b)):
            return False
        start = w.since if w.since < a else a
        after = positive
        if verdict != TOUCH or b == 1.0:
            after = sign_after(w, i, verdict, b, positive)
            if after and positive and (verdict == LOW or start < a):
                note_grazing(w, i, offset(w, 0.5 * (a + b) if verdict == LOW else 0.5 * (start + a)))
            w.since = math.nan
            if verdict == POSITIVE:
                w.high[i] = 1
        elif not w.at_root:
            w.since = start
        w.at = b
        w.at_root = 0
        w.depth -= 1
        if after != positive:
            if start < a and positive and not guard_at(w, i, offset(w, start)) > 0.0:
                start = a  # it rose by less than its round-off: it falls where it is seen to
            w.left = offset(w, start)
            w.right = offset(w, b)
            w.certain = 1 if w.certain and verdict == (FALLING if positive else RISING) else 0
            return True
    fail_stop_iter(w, i, offset(w, w.at))
    return False


@jit
def split_at(w, i, a, b, crosses):
    """Return the point that splits a window: its middle or, if the window is the rest of a step, the chord's zero.

    The chord of a guard that falls ever faster crosses zero before it does.
    """
    if crosses and b - a > WIDE:
        part = w.ga[i] / (w.ga[i] - w.g_end[i])
        if part < 0.5:
            return a + (b - a) * max(0.125, part)
    return 0.5 * (a + b)


@jit
def sign_after(w, i, verdict, b, positive):
    """Return whether guard `i` is positive at the right end of a window that is decided, or the step's last."""
    if verdict == POSITIVE or verdict == LOW:
        return True
    if verdict == NEGATIVE:
        return False
    if w.at_root and verdict == TOUCH:
        return positive
    if positive and verdict != FALLING and w.arm[i] == ROOT and offset(w, b) < w.s_clear[i]:
        return True  # it rises from its zero, still within its round-off
    if (w.certain or w.at_root) and math.isnan(w.since) and verdict == (RISING if positive else FALLING):
        return positive  # it moves away from zero, whatever its round-off says
    if positive or not w.certain:
        return guard_at(w, i, offset(w, b)) > 0.0
    enclose_middle(w, b)  # it waits until it is positive beyond its round-off
    low, high, _, _ = signed(w, i, w.middle)
    return low > BEYOND * (high - low)


@jit
def note_grazing(w, i, s):
    """Store that guard `i`, if it is armed, came down within the tolerance of zero at offset `s` and turned back."""
    if w.arm[i] == ARMED and w.high[i] and guard_at(w, i, s) <= w.graze_tol:
        w.high[i] = 0
        w.graze[i] = 1
        w.s_graze[i] = s
