"""Guard values, their round-off, and their motion on entry to a chart.

Inside the kernel every guard is positive in its chart: `u = sign * value`, where the sign is +1 for a guard that fires
when it falls, -1 for one that fires when it rises, and whichever is positive for one that fires both ways.

A guard may be zero on entry to a chart: it has just fired, or a transition put the state there. The sign of its value
is then round-off, and only its motion is meaningful. The enclosure of its value tells the round-off, that of its
derivative the motion; where the latter holds zero, the motion is sampled ahead.
"""

import math

from .codes import EPS
from .enclose import UNITS, enclose_around, enclose_less, enclose_point
from .free import CERTIFIED, NG, N, guards, jit, plain
from .stages import rates

ENTRY_STEP = 1e-2  # first offset at which a guard's motion is sampled, in units of the time step
FINER = 0.125  # ratio of an offset to the one before
UNKNOWN = -1.0  # round-off of a guard that is not enclosed
LEVELS = 30  # offsets tried
BEYOND = 4.0  # times its round-off: where a guard that fired or waits can be told from zero, whatever step begins there
LEAP = 2.0**21  # times its round-off: a change that shows so much at one offset and not at the next began between them
SHARE = 1.0 / 64.0  # of a box: a line's enclosure shrinks by as much, a root's by its root
LATE = 1024.0  # units of rounding in time within which a rate that is certain must be the guard's
BLIND = 4.0  # units of rounding in time within which a guard's next zero is the one before


@jit
def simultaneous(w):
    """Return the time within which two events are one [s]."""
    return max(4.0 * EPS * abs(w.t), w.time_tol * w.t_scale)


@jit
def read_guards(w, t, x, g):
    """Write all guard values into `g`; a guard that is not part of this chart reads infinity."""
    for i in range(NG):
        g[i] = math.inf
    guards(t, x, plain(w.d), plain(w.p), w.chart, g)


@jit
def read_ahead(w, t, x, f, e, g):
    """Write the guard values `e` seconds ahead of (t, x) into `g`, by a midpoint step with the rate `f`."""
    later = plain(w.later)
    for i in range(N):
        later[i] = x[i] + 0.5 * e * f[i]
    rates(w, t + 0.5 * e, later, plain(w.later_f))
    for i in range(N):
        later[i] = x[i] + e * w.later_f[i]
    read_guards(w, t + e, later, g)


@jit
def read_noise(w, t, x, f, horizon):
    """Write the round-off of guards without enclosure into w.noise: how much they answer to that of time and state."""
    later = plain(w.later)
    for i in range(N):
        unit = UNITS * EPS * (max(abs(x[i]), abs(w.x[i])) + horizon * max(abs(f[i]), abs(w.k[0, i])))
        later[i] = x[i] + unit * (1.0 + 0.5 * (i % 3)) * (1 - 2 * (i % 2))
    read_guards(w, t + UNITS * EPS * (abs(t) + horizon), later, plain(w.gp))
    for i in range(NG):
        if w.noise[i] == UNKNOWN:
            w.noise[i] = abs(w.gp[i] - w.ga[i]) + UNITS * EPS * abs(w.ga[i])


@jit
def is_near(w, i):
    """Return whether guard `i` counts as zero on entry to a chart: within its round-off, or that of an event's time."""
    early = 2.0 * abs(w.rate[i]) * simultaneous(w)
    noise = BEYOND * w.noise[i] if w.fired[i] and not w.moved else w.noise[i]
    return w.ga[i] != math.inf and abs(w.ga[i]) <= max(w.stop_precision, noise, early)


@jit
def follow_motion(w, i, t, x, f, horizon):
    """Sample the motion of guard `i` at ever smaller offsets until it is lost in round-off; keep the last that showed.

    For a guard whose rate is zero or changes at once: the curvature of the flow matters. Its rate stays zero if nothing
    shows within `horizon`, or only what begins later: a power of time up to the seventh does not show at one offset by
    `LEAP` times its round-off and not at the next.
    """
    e = max(ENTRY_STEP * w.h, 64.0 * EPS * abs(t))
    w.rate[i] = 0.0
    w.blind[i] = e
    last = 0.0
    hidden = 0
    finer = False
    for _ in range(LEVELS):
        read_ahead(w, t, x, f, e, plain(w.gp))
        change = w.gp[i] - w.ga[i]
        if abs(change) > w.noise[i]:
            finer = True
            hidden = 0
            last = abs(change)
            w.rate[i] = change / e
            w.blind[i] = e
        elif finer:
            hidden += 1
            if hidden == 2:  # one alone may be another zero
                break
        elif e > horizon:
            return
        e = FINER * e if finer else e / FINER
        if e < BLIND * EPS * abs(t):
            return
    if hidden == 2 and last > LEAP * w.noise[i]:
        w.rate[i] = 0.0


@jit
def turns_at_once(w, i, t, x, f):
    """Return whether guard `i`, put to zero, moves within some units of rounding in time far faster than its rate says.

    It begins with a higher power of time, and its rate is that of an event a unit of rounding late.
    """
    if w.fired[i] or abs(w.ga[i]) > w.noise[i]:
        return False
    e = LATE * EPS * abs(t)
    read_ahead(w, t, x, f, e, plain(w.gp))
    return abs(w.gp[i] - w.ga[i]) > 2.0 * e * abs(w.rate[i]) + w.noise[i]


@jit
def is_far(w, t, x, f, horizon):
    """Return whether all guards are away from zero: none has fired, and their values exclude it."""
    for i in range(NG):
        w.rate[i] = w.blind[i] = w.noise[i] = 0.0
        w.rooted[i] = w.leaps[i] = 0
    for i in range(NG):
        if w.ga[i] != math.inf and (w.fired[i] or not CERTIFIED[i]):
            return False
    enclose_around(w, t, x, f, horizon, 2.0 * simultaneous(w))
    for i in range(NG):
        if w.ga[i] != math.inf and not (w.middle[i, 0] > w.stop_precision or w.middle[i, 1] < -w.stop_precision):
            return False
    return True


@jit
def jumps_here(w, i, t, x, f, horizon):
    """Return whether guard `i`, in w.middle, jumps about (t, x): its enclosure does not shrink as the box does."""
    width = w.middle[i, 1] - w.middle[i, 0]
    enclose_less(w, SHARE)
    less = w.middle[i, 1] - w.middle[i, 0]
    enclose_point(w, t, x, f, horizon)
    return less > 0.5 * width or less < 0.1 * SHARE * width


@jit
def read_motion(w, t, x, f):
    """Write round-off and rates of the guards at (t, x) into w.noise and w.rate, and how long they cannot be told.

    A rate is given for guards that are zero; it is certain (w.rooted) if the derivative's enclosure has a sign.
    """
    horizon = min(w.h, abs(w.t_final - t))
    if is_far(w, t, x, f, horizon):
        return
    sampled = False
    enclose_point(w, t, x, f, horizon)
    for i in range(NG):
        low, high, slow, fast = w.middle[i, 0], w.middle[i, 1], w.middle[i, 2], w.middle[i, 3]
        if w.ga[i] == math.inf:
            continue
        w.noise[i] = high - low if CERTIFIED[i] and not w.n_undecided and high - low < math.inf else UNKNOWN
        if w.noise[i] != UNKNOWN and slow == -math.inf and fast == math.inf and jumps_here(w, i, t, x, f, horizon):
            w.noise[i] = UNITS * EPS * abs(w.ga[i])
            w.leaps[i] = 1
        if w.noise[i] == UNKNOWN:
            sampled = True
        elif (slow > 0.0 or fast < 0.0) and w.noise[i] <= ENTRY_STEP * horizon * abs(0.5 * (slow + fast)):
            w.rate[i] = 0.5 * (slow + fast)
            w.blind[i] = w.noise[i] / abs(w.rate[i])
            w.rooted[i] = 0 if turns_at_once(w, i, t, x, f) else 1
    if sampled:
        read_noise(w, t, x, f, horizon)
    for i in range(NG):
        if w.ga[i] != math.inf and not w.rooted[i] and (w.fired[i] or is_near(w, i)):
            follow_motion(w, i, t, x, f, horizon)
