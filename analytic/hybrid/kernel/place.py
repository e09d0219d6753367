"""The state at a located event: a full step to it, one correction in time, and a point on the requested side."""

from .codes import ARMED, DISARMED, EMIT, EPS, LEFT, OFF, RISEN, ROOT, STEP
from .dense import dense
from .free import NG, PASSIVE, POLISH, SIDE, STIFF, N, jit, plain
from .motion import read_guards, simultaneous
from .stages import rates
from .steps import smallest_step
from .sums import stages

RATE_STEP = 1e-5  # difference step of a rate that corrects an event's time, in units of the time step
CLOSER = 1.05  # times the time to an event: the length of a step that is repeated
FAR = 1e-9  # of the step: a correction of an event's time beyond this is looked at twice
NUDGES = 16  # each twice the one before: the last is 2^14 units of rounding, or 4e-12 of the time


@jit
def locate(w, s):
    """Write the state at the event into w.xe and its offset into w.s_end; w.sa is where the rest of the step begins.

    Where the full step to it and the dense output are further apart than one correction, the step is repeated, to end
    shortly behind the event, where the dense output is as good as a step; or, in what is left of a step, believed.
    """
    xe = plain(w.xe)
    fe = plain(w.fe)
    floor = w.sa
    polish = POLISH != 0 and (STIFF != 0 or not PASSIVE[w.first] or w.first == w.stop_guard)
    w.phase = EMIT
    go_to(w, s, polish)
    leaves = w.rest[w.first] and w.open[w.first] != RISEN  # its rest: how far it is from zero there is the step's doing
    if polish and not STIFF and is_off(w, xe, fe, floor) and not leaves:
        if floor == 0.0 and w.s1 > CLOSER * CLOSER * s and s >= smallest_step(w):
            w.h = CLOSER * s
            w.event = 0
            w.phase = STEP
            return
        go_to(w, s, False)
    keep_side(w, xe, fe, floor)
    if others_fell(w) and w.s_end > s + simultaneous(w):
        go_to(w, s, polish)  # not so far: the others are next
        fire_together(w, s)
    if STIFF:
        s = max(s, w.s_dense[w.first])
    w.sa = min(max(s, w.s_end), w.s1)  # what lies between cannot be told from the event


@jit
def go_to(w, s, polish):
    """Write the state at offset `s` into w.xe and its rate into w.fe: by a full step, or from the dense output."""
    xe = plain(w.xe)
    if polish and s > 0.0:
        stages(w, s, xe)  # k[0] and k[N_STAGES], the ends of the accepted step, stay as they are
    else:
        dense(w, s, xe)
    rates(w, w.t + s, xe, plain(w.fe))
    w.s_end = s


@jit
def fire_together(w, s):
    """Fire the guards with the earliest zero, at offset `s`, or simultaneous with it."""
    last = s + simultaneous(w)
    for i in range(NG):
        w.fired[i] = 1 if w.s_fall[i] <= last else 0
        if w.s_fall[i] == s:
            w.first = i


@jit
def others_fell(w):
    """Fire the guards that have fallen at the accepted point; return whether there are others than those found.

    `keep_side` has left their values there in w.gp.
    """
    found = False
    for i in range(NG):
        if w.fired[i] or (w.sign[i] * w.gp[i] > 0.0 and w.s_end < w.s1):
            continue
        rooted = w.arm[i] == ROOT and w.s_end > w.s_clear[i]
        if not (rooted or w.arm[i] == ARMED):
            continue
        zero = w.u_root[i] - w.noise[i] if rooted else 0.0
        if not w.sign[i] * w.gp[i] > zero or (w.s_end >= w.s1 and ends_on_zero(w, i)):
            w.fired[i] = 1
            found = True
    return found


@jit
def ends_on_zero(w, i):
    """Return whether guard `i` is zero at the final time within round-off, and falling."""
    if not w.clipped or w.t_stop != w.t_final or w.arm[i] == OFF or w.s_clear[i] >= w.s1:
        return False
    if w.arm[i] == DISARMED and w.open[i] != RISEN:
        return False
    last = w.sign[i] * w.g_end[i]
    whole = w.s1 - max(w.sa, w.s_clear[i])
    unit = EPS * (abs(w.t_final) + w.s1)
    way = min(whole, 1e3 * unit)
    if not way > 0.0 or (w.arm[i] == ROOT and way == whole):
        return False  # there is no way left, or it has just risen
    dense(w, w.s1 - way, plain(w.probe))
    read_guards(w, w.t + w.s1 - way, plain(w.probe), plain(w.gp))
    drop = w.sign[i] * w.gp[i] - last
    return drop > 0.0 and last * way <= drop * 16.0 * unit


@jit
def value_of_first(w, x):
    """Return the located guard's value, positive in the chart, at `x` and the event's time."""
    read_guards(w, w.t + w.s_end, x, plain(w.gp))
    return w.sign[w.first] * w.gp[w.first]


@jit
def rate_of_first(w, x, f, u):
    """Return the located guard's rate along `f` at `x`, where its value is `u`; 0 if it is no straight line there."""
    e = RATE_STEP * w.h
    later = plain(w.later)
    ends = 0.0
    difference = 0.0
    for k in range(2):
        way = e if k == 0 else -e
        for m in range(N):
            later[m] = x[m] + way * f[m]
        read_guards(w, w.t + w.s_end + way, later, plain(w.gp))
        value = w.sign[w.first] * w.gp[w.first]
        ends += value - u
        difference = value if k == 0 else difference - value
    return difference / (2.0 * e) if abs(ends) <= 0.5 * abs(difference) else 0.0


@jit
def is_off(w, xe, fe, floor):
    """Move along the flow by one Newton correction of the located guard, if that is an improvement.

    Return whether the guard is further from its zero than that, or still positive: it would fire again.
    """
    u = value_of_first(w, xe)
    if u == 0.0 or w.jumped[w.first]:
        return False
    rate = rate_of_first(w, xe, fe, u)
    if not rate < 0.0:
        return u > w.noise[w.first]
    delta = -u / rate
    if not abs(delta) <= min(RATE_STEP * w.h, 1e-3 * w.s_end):
        return True
    if w.s_end + delta < floor:
        return False
    return not correct_time(w, xe, fe, u, rate) and u > w.noise[w.first]


@jit
def correct_time(w, xe, fe, u, rate):
    """Move along the flow to where the located guard, `u` with that rate, should be zero; return whether it is better.

    If it is not, nothing has moved.
    """
    delta = -u / rate
    probe = plain(w.probe)
    for m in range(N):
        probe[m] = xe[m] + delta * fe[m]
    w.s_end += delta
    value = value_of_first(w, probe)
    better = abs(value) <= abs(u)
    if better and abs(delta) > FAR * w.s1:  # so far that the rate may have changed, near a second zero
        rates(w, w.t + w.s_end, probe, plain(w.later_f))
        better = abs(rate_of_first(w, probe, plain(w.later_f), value) - rate) <= 0.5 * abs(rate)
    if better:
        for m in range(N):
            xe[m] = probe[m]
    else:
        w.s_end -= delta
    return better


@jit
def keep_side(w, xe, fe, floor):
    """Move along the flow, by units of round-off, until the point is on the side that the guard requests."""
    left = SIDE[w.first] == LEFT
    probe = plain(w.probe)
    delta = 0.0
    start = w.s_end
    nudge = EPS * (abs(w.t) + w.s_end)
    for _ in range(NUDGES):
        w.s_end = min(max(start + delta, floor), w.t_final - w.t)
        if STIFF and w.s_end > 0.0:
            stages(w, w.s_end, probe)  # the field may lead the other way
        else:
            for m in range(N):
                probe[m] = xe[m] + delta * fe[m]
        if (value_of_first(w, probe) > 0.0) == left:
            for m in range(N):
                xe[m] = probe[m]
            return
        delta = -nudge if left else nudge
        nudge = 2.0 * nudge
    w.s_end = start
    value_of_first(w, xe)
