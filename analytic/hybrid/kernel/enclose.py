"""Enclosures of all guards, by interval arithmetic in the model's own functions (`compilation.intervals`).

The rows of w.box and w.moment are intervals: least and largest value, least and largest derivative; so are those of
w.hull, the guards in a window of the step, and w.middle, the guards in the middle of that window. A window is
m - r <= z <= m + r, with z from -1 to 1 over the step; derivatives in it are by z.
"""

import math

from .codes import EPS
from .dense import expand_dense
from .free import DEGREE, N_STAGES, NG, N, enclose_jets, enclose_values, jit, plain

ROUNDING = 10.0 * EPS  # of the sum of all terms: of coefficients, of shifting them, and of `dense`
NEAR_ONE = 1.0 + 4.0 * EPS
PATH, MOST, LOST = 1, 2, 3  # of w.undecided: as in `compilation.interval_rules`
MOST_UNDECIDED = 6  # undecided comparisons of which all paths are followed; beyond that nothing is said of a guard
UNITS = 4.0  # of rounding, in time and state, that a guard's value on entry to a chart may be wrong by


@jit
def open_step(w):
    """Prepare the enclosures of an accepted step."""
    expand_dense(w)
    forget_window(w)


@jit
def forget_window(w):
    """Forget enclosures and samples of the last window: the guards are others now."""
    w.window_m = w.sample_a = math.nan


@jit
def offset(w, z):
    """Return the offset in the step that belongs to z."""
    return 0.5 * (z + 1.0) * w.s1


@jit
def evaluate(w, g, jets):
    """Write enclosures of all guards in the box into `g`; guards that are not part of the chart keep infinity.

    Where a comparison is undecided, all paths through the guards are followed, and the hull of them is kept. It holds
    the values, but jumps have no derivative; w.n_undecided says that there were such.
    """
    follow_path(w, 0, g, jets)
    w.n_undecided = w.undecided[MOST]
    if w.n_undecided == 0:
        return
    other = plain(w.other)
    path = 1
    while w.n_undecided <= MOST_UNDECIDED and path < 1 << w.n_undecided:
        follow_path(w, path, other, jets)
        w.n_undecided = max(w.n_undecided, w.undecided[MOST])
        for i in range(NG):
            g[i, 0] = min(g[i, 0], other[i, 0])
            g[i, 1] = max(g[i, 1], other[i, 1])
        path += 1
    for i in range(NG):
        if w.n_undecided > MOST_UNDECIDED and g[i, 0] < math.inf:
            g[i, 0], g[i, 1] = -math.inf, math.inf
        g[i, 2], g[i, 3] = -math.inf, math.inf


@jit
def follow_path(w, path, g, jets):
    """Write what the guards enclose on one path into `g`; w.undecided tells how many undecided comparisons it has."""
    undecided = plain(w.undecided)
    for i in range(NG):
        g[i, 0] = g[i, 1] = math.inf
    undecided[0] = undecided[MOST] = undecided[LOST] = 0
    undecided[PATH] = path
    if jets:
        enclose_jets(plain(w.moment), plain(w.box), plain(w.d), plain(w.p), w.chart, g, undecided)
    else:
        enclose_values(plain(w.moment), plain(w.box), plain(w.d), plain(w.p), w.chart, g, undecided)
    undecided[MOST] = max(undecided[MOST], undecided[0])
    if undecided[LOST]:
        undecided[MOST] = MOST_UNDECIDED + 1


@jit
def enclose_time(w, m, r):
    """Write the enclosure of the time into w.moment."""
    half = 0.5 * w.s1
    least = half * (m - r + 1.0)
    largest = half * (m + r + 1.0)
    unit = 2.0 * EPS * (abs(w.t) + w.s1)
    w.moment[0] = w.t + least - unit
    w.moment[1] = w.t + largest + unit
    w.moment[2] = half
    w.moment[3] = half


@jit
def enclose_whole(w):
    """Write enclosures of the states in the whole step into w.box, values only."""
    box = plain(w.box)
    c = plain(w.c)
    for i in range(N):
        odd = abs(c[1, i]) + abs(c[3, i])
        even = abs(c[2, i]) + abs(c[4, i])
        below = min(0.0, c[2, i]) + min(0.0, c[4, i])
        above = max(0.0, c[2, i]) + max(0.0, c[4, i])
        if DEGREE == 7:
            odd += abs(c[5, i]) + abs(c[7, i])
            even += abs(c[6, i])
            below += min(0.0, c[6, i])
            above += max(0.0, c[6, i])
        w.slope[i] = DEGREE * (odd + even)
        w.size[i] = abs(w.x[i]) + abs(c[0, i]) + even + odd
        error = ROUNDING * w.size[i]
        box[i, 0] = c[0, i] + below - odd - error
        box[i, 1] = c[0, i] + above + odd + error


@jit
def enclose_states(w, m, r):
    """Write enclosures of the states in a window into w.box: a Taylor shift to its middle."""
    box = plain(w.box)
    c = plain(w.c)
    a = plain(w.shifted)
    for k in range(DEGREE + 1):
        for i in range(N):
            a[k, i] = c[k, i]
    if m != 0.0:
        for j in range(DEGREE):
            for k in range(DEGREE - 1, j - 1, -1):
                for i in range(N):
                    a[k, i] += m * a[k + 1, i]
    for i in range(N):
        error = ROUNDING * w.size[i]
        odd = abs(a[1, i]) * r + error
        slope = 2.0 * ROUNDING * w.slope[i]
        below = above = least = largest = 0.0
        power = r
        for k in range(2, DEGREE + 1):
            rate = k * power * a[k, i]
            change = power * r * a[k, i]
            if k % 2 == 0:
                below += min(0.0, change)
                above += max(0.0, change)
                slope += abs(rate)
            else:
                odd += abs(change)
                least += min(0.0, rate)
                largest += max(0.0, rate)
            power *= r
        box[i, 0] = a[0, i] + below - odd
        box[i, 1] = a[0, i] + above + odd
        box[i, 2] = a[1, i] + least - slope
        box[i, 3] = a[1, i] + largest + slope


@jit
def enclose_window(w, m, r):
    """Write the values and derivatives of all guards in a window into w.hull, unless they are there."""
    if w.window_m == m and w.window_r == r:
        return
    w.window_m = m
    w.window_r = r
    wider = r * NEAR_ONE
    enclose_time(w, m, wider)
    enclose_states(w, m, wider)
    evaluate(w, plain(w.hull), True)
    w.window_undecided = w.n_undecided


@jit
def enclose_middle(w, m):
    """Write the values of all guards at z = m into w.middle."""
    enclose_time(w, m, 0.0)
    enclose_states(w, m, 0.0)
    evaluate(w, plain(w.middle), False)


@jit
def box_point(w, t, x, f, horizon, delay):
    """Write a box about (t, x), which moves at the rates `f`, into w.moment and w.box.

    It holds a few units of round-off in time and state, or in their change over `horizon` seconds, and the motion of
    `delay` seconds.
    """
    box = plain(w.box)
    unit = UNITS * EPS * (abs(t) + horizon) + delay
    w.moment[0] = t - unit
    w.moment[1] = t + unit
    w.moment[2] = 1.0
    w.moment[3] = 1.0
    for i in range(N):
        size = max(abs(x[i]), abs(w.x[i])) + horizon * max(abs(f[i]), abs(w.k[0, i]))
        unit = UNITS * EPS * size + delay * abs(f[i])
        box[i, 0] = x[i] - unit
        box[i, 1] = x[i] + unit
        box[i, 2] = f[i]
        box[i, 3] = f[i]


@jit
def enclose_less(w, share):
    """Write the values and rates of all guards in a share of the box that is there, about its middle, into w.middle."""
    box = plain(w.box)
    middle, unit = 0.5 * (w.moment[0] + w.moment[1]), 0.5 * share * (w.moment[1] - w.moment[0])
    w.moment[0] = middle - unit
    w.moment[1] = middle + unit
    for i in range(N):
        m, unit = 0.5 * (box[i, 0] + box[i, 1]), 0.5 * share * (box[i, 1] - box[i, 0])
        box[i, 0] = m - unit
        box[i, 1] = m + unit
    evaluate(w, plain(w.middle), True)


@jit
def enclose_around(w, t, x, f, horizon, delay):
    """Write the values of all guards about (t, x) into w.middle; see `box_point`."""
    box_point(w, t, x, f, horizon, delay)
    evaluate(w, plain(w.middle), False)


@jit
def enclose_point(w, t, x, f, horizon):
    """Write values and rates of all guards at (t, x), with their round-off, into w.middle; see `box_point`.

    The round-off is that of a step whose stages have rates w.k.
    """
    box_point(w, t, x, f, horizon, 0.0)
    box = plain(w.box)
    k = plain(w.k)
    for i in range(N):
        fastest = 0.0
        for j in range(N_STAGES + 1):
            fastest = max(fastest, abs(k[j, i]))
        box[i, 0] -= UNITS * EPS * horizon * fastest
        box[i, 1] += UNITS * EPS * horizon * fastest
    evaluate(w, plain(w.middle), True)
