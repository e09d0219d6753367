"""Location of a guard's first event: its root on the dense output, for a guard that is armed or waits."""

import math

from .codes import DISARMED, ROOT
from .free import jit
from .scan import arm_waiting, fail_stop_iter, first_fall, guard_at
from .steps import EPS

PATIENCE = 20  # values after which only bisection is trusted (a smooth guard needs about 8)
TOUCHES = 100  # of zero from below in one step; more are rounding


@jit
def find_root(w, i):
    """Return the right end of the last bracket around the fall of guard `i` in [w.left, w.right] (Chandrupatla 1997).

    Ends in STOP_ITER if that needs more than `max_stop_iter` values, or if the guard jumps there.
    """
    x1, f1 = w.right, w.right_value
    x2, f2 = w.left, w.left_value
    if f1 == 0.0:
        return x1
    t = f1 / (f1 - f2) if f2 > 0.0 else 0.5
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
        tolerance = 2.0 * EPS * (abs(best) + 1e-4 * EPS * w.s1) / width if width > 0.0 else 1.0
        if tolerance > 0.5 or f1 == 0.0:
            if abs(f1 - f2) * undivided(w, i, best) > w.stop_precision:
                check_jump(w, i, x1 if not f1 > 0.0 else x2)
            return x1 if not f1 > 0.0 else x2
        xi = (x1 - x2) / (x3 - x2)
        phi = (f1 - f2) / (f3 - f2)
        t = 0.5
        if count < PATIENCE and phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            t = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        t = min(1.0 - tolerance, max(tolerance, t))
    fail_stop_iter(w, i, x1)
    return x1


@jit
def undivided(w, i, s):
    """Return the factor from `guard_at` to the guard's own value."""
    return s - w.s_root[i] if w.arm[i] == ROOT else 1.0


@jit
def check_jump(w, i, s):
    """Set STOP_ITER if the guard falls by more than its precision just before `s`, and hardly more around it."""
    margin = 8.0 * EPS * (abs(w.t) + s)
    if w.arm[i] == ROOT and s - 50.0 * margin <= w.s_clear[i]:
        return  # `guard_at` jumps itself where the rounding of the last zero ends
    drop = guard_at(w, i, max(s - margin, w.sa)) - guard_at(w, i, s)
    if drop * undivided(w, i, s) <= w.stop_precision:
        return
    around = guard_at(w, i, max(s - 50.0 * margin, w.sa)) - guard_at(w, i, min(s + 50.0 * margin, w.s1))
    if drop > 0.5 * around:
        fail_stop_iter(w, i, s)


@jit
def first_event(w, i, start, limit, ready):
    """Return the offset of the first event of guard `i` in (start, limit], or infinity."""
    w.turn = 1.0
    w.waits[i] = 1 if w.arm[i] == DISARMED else 0
    if w.s_clear[i] > start:
        start = w.s_clear[i]
        ready = ready and not w.waits[i]
    for _ in range(TOUCHES):
        if w.arm[i] != DISARMED:
            break
        if start >= limit:
            return math.inf
        w.turn = -1.0  # look for the rise of the guard: the fall of its negative
        rises = first_fall(w, i, start, limit, ready)
        if rises:
            start = find_root(w, i)
        w.turn = 1.0
        if not rises or w.status != 0:
            return math.inf
        arm_waiting(w, i, start)
        start = max(start, w.s_clear[i])
        ready = False
    if w.arm[i] == DISARMED or start >= limit or not first_fall(w, i, start, limit, ready):
        return math.inf
    return find_root(w, i)
