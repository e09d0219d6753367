"""Exactly where the first event is: the root on the dense output, a full step to it, and the promised side of it."""

import math

from .codes import DISARMED, EMIT, LEFT, ROOT, STEP, STOP_ITER
from .dense_dop853 import dense
from .free import NG, PASSIVE, POLISH, SIDE, N, jit, plain, stages
from .guards import RATE_STEP, read_guard_rates, read_guards
from .scan import arm_waiting, first_fall, guard_at, sample_step, skip_guard
from .stages import rates
from .steps import EPS

PATIENCE = 20  # values after which only bisection is trusted (a smooth guard needs about 8)
OVERSHOT = 0.02  # a step this much longer than the way to its event is taken again, shorter: its dense output is coarse


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
    w.status = STOP_ITER
    w.culprit = i
    w.t_culprit = w.t + x1
    return x1


@jit
def undivided(w, i, s):
    """Return the factor from `guard_at` to the guard's own value."""
    return s - w.s_root[i] if w.arm[i] == ROOT else 1.0


@jit
def check_jump(w, i, s):
    """Set STOP_ITER if the guard falls by more than its precision just before `s`, and hardly more around it."""
    margin = 8.0 * EPS * (abs(w.t) + s)
    drop = guard_at(w, i, max(s - margin, w.sa)) - guard_at(w, i, s)
    if drop * undivided(w, i, s) <= w.stop_precision:
        return
    around = guard_at(w, i, max(s - 50.0 * margin, w.sa)) - guard_at(w, i, min(s + 50.0 * margin, w.s1))
    if drop > 0.5 * around:
        w.status = STOP_ITER
        w.culprit = i
        w.t_culprit = w.t + s


@jit
def first_event(w, i, start, limit, ready):
    """Return the offset of the first event of guard `i` in (start, limit], or infinity."""
    w.turn = 1.0
    w.waits[i] = 1 if w.arm[i] == DISARMED else 0
    if w.waits[i]:
        w.turn = -1.0  # look for the rise of the guard: the fall of its negative
        rises = first_fall(w, i, start, limit, ready)
        if not rises:
            w.turn = 1.0
            return math.inf
        start = find_root(w, i)
        w.turn = 1.0
        arm_waiting(w, i, start)
        ready = False
        if start >= limit:
            return math.inf
    if not first_fall(w, i, start, limit, ready):
        return math.inf
    return find_root(w, i)


@jit
def search(w):
    """Find the earliest event in the rest of the step; w.s_end is the event's offset, or the end of the step."""
    w.s_end = w.s1
    w.event = 0
    w.phase = EMIT
    if w.n_active == 0:
        return
    sample_step(w)
    tolerance = max(4.0 * EPS * abs(w.t), w.time_tol)
    best = math.inf
    limit = w.s1
    for i in range(NG):
        w.s_fall[i] = math.inf
        w.fired[i] = 0
        if skip_guard(w, i):
            continue
        w.s_fall[i] = first_event(w, i, w.sa, limit, True)
        if w.status != 0:
            return
        if w.s_fall[i] < best:
            best = w.s_fall[i]
            limit = min(w.s1, best + tolerance)
    if best == math.inf:
        return
    if w.sa == 0.0 and 1e-10 * w.s1 < best < OVERSHOT * w.s1:
        w.h = max(4.0 * best, 1e-9 * w.s1)
        w.phase = STEP
        return
    w.event = 1
    for i in range(NG):
        w.fired[i] = 1 if w.s_fall[i] <= best + tolerance else 0
        if w.waits[i] and w.s_root[i] > best:
            w.arm[i] = DISARMED  # it would have become positive only after this event
        if w.s_fall[i] == best:
            w.first = i
    locate(w, best)


@jit
def locate(w, s):
    """Write the state at the event into w.xe and its offset into w.s_end; w.sa is where the rest of the step begins."""
    xe = plain(w.xe)
    fe = plain(w.fe)
    w.sa = s
    w.phase = EMIT
    polish = POLISH and (not PASSIVE[w.first] or w.first == w.stop_guard)
    if polish:
        stages(w, s, xe)  # k[0] and k[N_STAGES], the ends of the accepted step, stay as they are
    else:
        dense(w, s, xe)
    rates(w, w.t + s, xe, fe)
    w.s_end = s
    if polish:
        correct_time(w, xe, fe)
    keep_side(w, xe, fe)


@jit
def value_of_first(w, x):
    """Return the located guard's value, positive in the chart, at `x` and the event's time."""
    read_guards(w, w.t + w.s_end, x, plain(w.gp))
    return w.sign[w.first] * w.gp[w.first]


@jit
def correct_time(w, xe, fe):
    """Move along the flow by one Newton correction of the located guard, if that is safe and an improvement."""
    i = w.first
    u = value_of_first(w, xe)
    if u == 0.0:
        return
    read_guard_rates(w, w.t + w.s_end, xe, fe, RATE_STEP * w.h)
    rate = w.sign[i] * w.gm[i]
    if not rate < 0.0:
        return
    delta = -u / rate
    if not abs(delta) <= 1e-3 * w.s_end:
        return
    probe = plain(w.probe)
    for m in range(N):
        probe[m] = xe[m] + delta * fe[m]
    w.s_end += delta
    if abs(value_of_first(w, probe)) <= abs(u):
        for m in range(N):
            xe[m] = probe[m]
    else:
        w.s_end -= delta


@jit
def keep_side(w, xe, fe):
    """Move along the flow, by units of rounding, until the point lies on the side the guard asks for."""
    left = SIDE[w.first] == LEFT
    probe = plain(w.probe)
    delta = 0.0
    start = w.s_end
    nudge = EPS * (abs(w.t) + w.s_end)
    for _ in range(26):  # the last nudge is 2^25 units of rounding: 1e-8 of the time
        for m in range(N):
            probe[m] = xe[m] + delta * fe[m]
        w.s_end = start + delta
        if (value_of_first(w, probe) > 0.0) == left:
            for m in range(N):
                xe[m] = probe[m]
            return
        delta = -nudge if left else nudge
        nudge = 2.0 * nudge
    w.s_end = start
