"""A guard that cannot be enclosed, judged by samples: an estimate, which is counted in w.n_sampled.

A guard is sampled on the dense output at five points of a window. Its second divided differences estimate its
curvature, and with it how far it can sag, or turn, between two samples.
"""

import math

from .codes import BAD_GUARD, FALLING, NEGATIVE, POSITIVE, RISING, ROOT, SPLIT
from .dense import dense
from .enclose import offset
from .free import NG, jit, plain
from .motion import read_guards
from .steps import fail_nonfinite
from .sums import stages

FIRST = 1e-3  # of the step: the width of a guard's first window
WIDER = 4.0  # a window may be so many times as wide as one in which the guard has been smooth before
NARROWEST = 2e-10  # in z: a window that need not be split further
PLACES = (0.0, 0.23, 0.52, 0.77, 1.0)  # of the samples: irregular, to avoid aliasing with a periodic guard


@jit
def guard_at(w, i, s):
    """Return guard `i`, positive in its chart, at offset `s` in the step: on the dense output, or by a full step."""
    u = w.sign[i] * w.g_end[i]
    if s < w.s1:
        if w.full_steps and s > 0.0:
            stages(w, s, plain(w.probe))
        else:
            dense(w, s, plain(w.probe))
        read_guards(w, w.t + s, plain(w.probe), plain(w.gp))
        u = w.sign[i] * w.gp[i]
    if math.isnan(u):
        fail_nonfinite(w, BAD_GUARD, i, w.t + s)
    return u - w.u_root[i] if w.arm[i] == ROOT else u


@jit
def sample_window(w, i, a, b, at_root):
    """Return the verdict of five samples of guard `i` in a <= z <= b: its sign, that it is monotone, or SPLIT.

    Five samples of a wide window do not show how fast a guard oscillates: windows widen where it has been smooth. In
    one that begins at a zero of the guard, its value there is round-off, and nobody looks at it.
    """
    width = 0.5 * (b - a) * w.s1
    if width > WIDER * w.smooth[i] and width > FIRST * w.s1:
        return SPLIT
    sample_guards(w, a, b)
    gs = plain(w.gs)
    for j in range(5):
        u = w.sign[i] * gs[j, i]
        if math.isnan(u):
            fail_nonfinite(w, BAD_GUARD, i, w.t + offset(w, a + PLACES[j] * (b - a)))
        w.samples[j] = u - w.u_root[i] if w.arm[i] == ROOT else u
    if at_root:
        w.samples[0] = 0.0
    w.n_sampled += 1
    verdict = judge(w, at_root, b - a <= NARROWEST)
    w.smooth[i] = max(w.smooth[i], width) if verdict != SPLIT else min(w.smooth[i], 0.25 * width)
    return verdict


@jit
def sample_guards(w, a, b):
    """Write five samples of all guards in a window into the rows of w.gs, unless they are there."""
    if w.sample_a == a and w.sample_b == b:
        return
    w.sample_a = a
    w.sample_b = b
    gs = plain(w.gs)
    for j in range(5):
        s = offset(w, a + PLACES[j] * (b - a))
        if s < w.s1:
            dense(w, s, plain(w.probe))
            read_guards(w, w.t + s, plain(w.probe), gs[j])
        else:
            for k in range(NG):
                gs[j, k] = w.g_end[k]


@jit
def judge(w, at_root, narrow):
    """Return the verdict on a window by w.samples."""
    u = plain(w.samples)
    bend = bend_of(u)
    way = 1.0 if u[4] > u[0] else -1.0
    sign = 1.0 if u[4] > 0.0 else -1.0
    monotone = True
    clear = not at_root
    for j in range(4):
        sag = 0.5 * bend * (PLACES[j + 1] - PLACES[j]) ** 2
        lower = min(sign * u[j], sign * u[j + 1])
        monotone = monotone and way * (u[j + 1] - u[j]) >= sag
        clear = clear and lower > 0.0 and (abs(u[j + 1] - u[j]) >= sag or lower > 0.25 * sag)
    if narrow or monotone:
        return RISING if way > 0.0 else FALLING
    if clear:
        return POSITIVE if sign > 0.0 else NEGATIVE
    return SPLIT


@jit
def bend_of(u):
    """Return an upper estimate of the size of the second derivative of the samples, by the place in the window."""
    largest = -math.inf
    smallest = math.inf
    for j in range(3):
        left = (u[j + 1] - u[j]) / (PLACES[j + 1] - PLACES[j])
        right = (u[j + 2] - u[j + 1]) / (PLACES[j + 2] - PLACES[j + 1])
        second = 2.0 * (right - left) / (PLACES[j + 2] - PLACES[j])
        largest = max(largest, second)
        smallest = min(smallest, second)
    spread = 4.0 * (largest - smallest)
    return max(largest + spread, spread - smallest)
