"""A guard's zero in a bracket, on the dense output."""

import math

from .codes import EPS, NO_SIGN, ONTO_ZERO, STOP_ITER
from .enclose import enclose_middle
from .free import CERTIFIED, STIFF, jit
from .samples import guard_at

INTERPOLATED = 20  # values after which only bisection is trusted (a smooth guard needs about 8)
NOISY = 4.0  # times its round-off: a change that is none
JUMP = 1e-9  # of the guard's values at the ends of the step: a smaller jump is none
ONTO = 1e-6  # of a jump: a value at its end that is zero
BESIDE = 7  # values on each side of a jump that must show no other


@jit
def find_root(w, i, continuous):
    """Return the right end of the last bracket around the fall of guard `i` in [w.left, w.right].

    Sets w.jumped[i] to whether the guard jumps there. `continuous` is 0 or 1, as in w.certain: with both kinds of
    truth values numba would compile this twice.
    """
    w.jumped[i] = 0
    return root_between(w, i, guard_at(w, i, w.left), guard_at(w, i, w.right), continuous)


@jit
def root_between(w, i, left, right, continuous):
    """Return the same, the guard's values at the ends of the bracket being known (Chandrupatla 1997).

    A guard that is not `continuous` may jump there. Ends in STOP_ITER if that needs more than `max_stop_iter` values,
    or the guard has no definite sign beside its jump.
    """
    x1, f1 = w.right, right
    x2, f2 = w.left, left
    if f1 == 0.0 and continuous:
        return x1
    t = f1 / (f1 - f2) if f2 > 0.0 and f1 < 0.0 else 0.5
    for count in range(w.max_stop_iter):
        x = x1 + t * (x2 - x1)
        f = guard_at(w, i, x)
        if (f > 0.0) == (f1 > 0.0):
            x3, f3 = x1, f1
        else:
            x3, f3 = x2, f2
            x2, f2 = x1, f1
        x1, f1 = x, f
        best = x1 if abs(f1) < abs(f2) else x2
        width = abs(x2 - x1)
        unit = 2.0 * EPS * (abs(best) + 1e-4 * EPS * w.s1)
        if STIFF and w.full_steps:
            unit = max(unit, EPS * abs(w.t))  # a full step costs too much to be repeated within the rounding of time
        tolerance = unit / width if width > 0.0 else 1.0
        if tolerance > 0.5 or (f1 == 0.0 and continuous):
            right = x1 if not f1 > 0.0 else x2
            if not continuous and jumps(w, i, right):
                w.jumped[i] = 1
                if not is_settled(w, i, right):
                    fail_stop_iter(w, i, right)
            return right
        xi = (x1 - x2) / (x3 - x2)
        phi = (f1 - f2) / (f3 - f2) if f3 != f2 else 0.5
        t = 0.5
        smooth = f1 != 0.0 and f2 != 0.0 and f3 != 0.0  # it may be zero in a whole interval
        if smooth and count < INTERPOLATED and phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            t = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        t = min(1.0 - tolerance, max(tolerance, t))
    fail_stop_iter(w, i, x1)
    return x1


@jit
def jumps(w, i, s):
    """Return whether guard `i` changes just before offset `s`, and hardly more around it."""
    margin = 8.0 * EPS * (abs(w.t) + s)
    drop = abs(guard_at(w, i, max(s - margin, w.sa)) - guard_at(w, i, min(s + margin, w.s1)))
    return stands_out(w, i, s, s, margin, drop)


@jit
def stands_out(w, i, left, right, width, drop):
    """Return whether guard `i`, which changes by `drop` within `width` of [left, right], hardly does beyond."""
    if not is_real(w, i, right, drop):
        return False
    around = abs(guard_at(w, i, max(left - 50.0 * width, w.sa)) - guard_at(w, i, min(right + 50.0 * width, w.s1)))
    return drop > 0.5 * around


@jit
def is_real(w, i, s, drop):
    """Return whether a change of guard `i` about offset `s` exceeds its round-off and the least jump."""
    if not drop > JUMP * max(abs(w.ga[i]), abs(w.g_end[i])):
        return False
    if not CERTIFIED[i]:
        return True
    for side in (-1.0, 1.0):  # apart from the jump itself, which is no round-off
        at = min(max(s + side * 50.0 * EPS * (abs(w.t) + s), 0.0), w.s1)
        enclose_middle(w, 2.0 * at * w.inverse - 1.0)
        noise = w.middle[i, 1] - w.middle[i, 0]
        if not noise < math.inf or w.n_undecided or drop > NOISY * noise:
            return True
    return False


@jit
def is_settled(w, i, s):
    """Return whether guard `i` has one sign before its jump at `s` and the other behind, without further jumps."""
    margin = 8.0 * EPS * (abs(w.t) + s)
    first, last = guard_at(w, i, max(s - margin, w.sa)), guard_at(w, i, min(s + margin, w.s1))
    falls = first > 0.0
    if falls == (last > 0.0):
        return False
    for k in range(1, BESIDE + 1):
        far = (1.0 + 7.0 * k) * margin
        before = guard_at(w, i, s - far) if s - far > w.sa else first
        after = guard_at(w, i, s + far) if s + far < w.s1 else last
        if (before > 0.0) != falls or (after > 0.0) == falls:
            return False
        if not abs(before - first) + abs(after - last) <= 0.5 * abs(first - last):
            return False
    return True


@jit
def jumps_onto_zero(w, i, left, right):
    """Return whether guard `i` jumps onto zero or off it between two offsets without passing it; end the run if so."""
    width = right - left + 8.0 * EPS * (abs(w.t) + right)
    before = guard_at(w, i, max(left - width, w.sa))
    after = guard_at(w, i, min(right + width, w.s1))
    drop = abs(before - after)
    onto = (before > 0.0) == (after > 0.0) and min(abs(before), abs(after)) <= ONTO * drop
    if not (onto and stands_out(w, i, left, right, width, drop)):
        return False
    fail_stop_iter(w, i, right)
    w.what = ONTO_ZERO
    return True


@jit
def fail_stop_iter(w, i, s):
    """End the run because the search for a zero of guard `i` did not get past offset `s`."""
    w.status = STOP_ITER
    w.what = NO_SIGN
    w.culprit = i
    w.t_culprit = w.t + s
