"""Is there an event in this step? Certify that there is none, or find a bracket around the first.

A guard is sampled on the dense output at five places of a window. From the second divided differences follows a bound
on its curvature, from that a bound on how far it can sag between samples. Either every piece is certified positive, or
there is a fall, or a dip whose minimum decides, or the window is split. So events cannot hide between samples unless
the guard oscillates faster than the samples everywhere in the step; the places are irregular so that a periodic guard
does not meet them in step.

A guard that starts the window on its root is divided by the time since: (u(s) - u(s0)) / (s - s0) has only the other
roots.
"""

import math

from .codes import ARMED, BAD_GUARD, DISARMED, NONFINITE, OFF, ROOT
from .dense_dop853 import dense
from .free import NG, jit, plain
from .guards import read_guards
from .steps import fail_nonfinite

PLACES = (0.0, 0.23, 0.52, 0.77, 1.0)
CLEAR, FALL, DIP, SPLIT = 0, 1, 2, 3
NARROW = 1e-7  # of the step: a window that need not be split further
MAX_WINDOWS = 400  # a guard that is rounding noise about zero would need windows without end
GOLDEN = 0.3819660112501051


@jit
def guard_at(w, i, s):
    """Return guard `i`, positive in the chart and its root divided out, at offset `s` in the step."""
    if w.arm[i] == ROOT and s <= w.s_root[i]:
        return w.rate[i] * w.sign[i]
    dense(w, s, plain(w.probe))
    read_guards(w, w.t + s, plain(w.probe), plain(w.gp))
    u = w.sign[i] * w.gp[i]
    if math.isnan(u):
        fail_nonfinite(w, BAD_GUARD, i, w.t + s)
    if w.arm[i] == ROOT:
        return (u - w.u_root[i]) / (s - w.s_root[i])
    return w.turn * u


@jit
def sample_step(w):
    """Write all guard values at the places of the window [w.sa, w.s1] into w.gs."""
    gs = plain(w.gs)
    probe = plain(w.probe)
    for i in range(NG):
        gs[0, i] = w.ga[i]
    for j in range(1, 4):
        s = w.sa + PLACES[j] * (w.s1 - w.sa)
        dense(w, s, probe)
        read_guards(w, w.t + s, probe, gs[j])
    read_guards(w, w.t + w.s1, plain(w.x1), gs[4])


@jit
def load_window(w, i):
    """Copy guard `i` out of the samples of the whole step."""
    for j in range(5):
        s = w.sa + PLACES[j] * (w.s1 - w.sa)
        u = w.sign[i] * w.gs[j, i]
        if math.isnan(u):
            fail_nonfinite(w, BAD_GUARD, i, w.t + s)
        if w.arm[i] == ROOT:
            u = w.rate[i] * w.sign[i] if j == 0 else (u - w.u_root[i]) / (s - w.s_root[i])
        w.ws[j] = s
        w.wv[j] = w.turn * u


@jit
def sample_window(w, i, lo, hi):
    """Sample guard `i` on the window [lo, hi]."""
    for j in range(5):
        w.ws[j] = lo + PLACES[j] * (hi - lo)
        w.wv[j] = guard_at(w, i, w.ws[j])
    if hi == w.s1:
        w.ws[4] = w.s1


@jit
def curvature_bound(w):
    """Return a bound on the guard's second derivative in the window, from its second divided differences."""
    largest = -math.inf
    smallest = math.inf
    for j in range(3):
        left = (w.wv[j + 1] - w.wv[j]) / (w.ws[j + 1] - w.ws[j])
        right = (w.wv[j + 2] - w.wv[j + 1]) / (w.ws[j + 2] - w.ws[j + 1])
        second = 2.0 * (right - left) / (w.ws[j + 2] - w.ws[j])
        largest = max(largest, second)
        smallest = min(smallest, second)
    w.rough = 1 if 2.0 * (largest - smallest) > abs(largest) else 0
    return max(0.0, largest + 4.0 * (largest - smallest))


@jit
def piece_is_positive(w, j, bound):
    """Return whether the guard, with curvature at most `bound`, is certainly positive between places j and j + 1."""
    width = w.ws[j + 1] - w.ws[j]
    slope = (w.wv[j + 1] - w.wv[j]) / width
    lower = min(w.wv[j], w.wv[j + 1])
    sag = 0.5 * bound * width
    return abs(slope) >= sag or lower > 0.25 * sag * width


@jit
def judge(w):
    """Return CLEAR, FALL, DIP or SPLIT for the sampled window; w.place is the sample behind a fall or in a dip."""
    bound = curvature_bound(w)
    for j in range(1, 5):
        fallen = not w.wv[j] > 0.0
        if fallen:
            w.place = j
            return FALL
        if not piece_is_positive(w, j - 1, bound):
            w.place = 1
            for m in range(2, 5):
                if w.wv[m] < w.wv[w.place]:
                    w.place = m
            inner = w.place < 4 and w.wv[w.place] < w.wv[w.place - 1] and w.wv[w.place] < w.wv[w.place + 1]
            return DIP if inner and not w.rough else SPLIT
    return CLEAR


@jit
def lowest(w, i, a, m, b):
    """Return where guard `i` is lowest between `a` and `b` (golden section from `m`), or the first place it is <= 0."""
    vm = guard_at(w, i, m)
    while vm > 0.0 and b - a > 1e-9 * w.s1:
        s = m + GOLDEN * (b - m) if b - m > m - a else m - GOLDEN * (m - a)
        v = guard_at(w, i, s)
        if v < vm:
            a, b = (m, b) if s > m else (a, m)
            m, vm = s, v
        elif s > m:
            b = s
        else:
            a = s
    w.right_value = vm
    return m


@jit
def bracket(w, a, b):
    """Keep the samples `a` and `b` of the window as the bracket."""
    w.left = w.ws[a]
    w.left_value = w.wv[a]
    w.right = w.ws[b]
    w.right_value = w.wv[b]


@jit
def first_fall(w, i, start, end, ready):
    """Bracket the first fall of guard `i` in (start, end]: True, with the bracket in w.left and w.right; or False.

    With `ready` the samples of the whole step are tried first.
    """
    lo = start
    hi = end
    for count in range(MAX_WINDOWS):
        if ready and count == 0:
            load_window(w, i)
            verdict = judge(w)
            if w.status == NONFINITE or verdict == CLEAR:
                return False
            if end < w.s1:
                continue
        else:
            sample_window(w, i, lo, hi)
            verdict = judge(w)
        if w.status == NONFINITE:
            return False
        narrow = hi - lo <= NARROW * w.s1
        if verdict == FALL:
            bracket(w, w.place - 1, w.place)
            return True
        if verdict == DIP:
            bracket(w, w.place - 1, w.place)
            w.right = lowest(w, i, w.left, w.right, w.ws[w.place + 1])
            if not w.right_value > 0.0:
                return True
            note_grazing(w, i)
        if verdict == SPLIT and not narrow:
            hi = lo + 0.25 * (hi - lo)
            continue
        if hi >= end:
            return False
        width = 2.0 * (hi - lo)
        lo = hi
        hi = min(end, lo + width)
    w.left = lo
    w.right = end
    w.left_value = guard_at(w, i, lo)
    w.right_value = guard_at(w, i, end)
    return not w.right_value > 0.0


@jit
def note_grazing(w, i):
    """Remember that guard `i` came within the tolerance of zero and turned back, at w.right."""
    if w.arm[i] == ARMED and w.turn > 0.0 and w.right_value <= w.graze_tol:
        w.graze[i] = 1
        w.s_graze[i] = w.right


@jit
def arm_waiting(w, i, s):
    """Arm a waiting guard at `s`, just after it has become positive; its root there is divided out."""
    e = 1e-6 * w.s1
    here = guard_at(w, i, s)
    w.rate[i] = w.sign[i] * max(0.0, (guard_at(w, i, s + e) - here) / e)
    w.u_root[i] = min(here, 0.0)
    w.s_root[i] = s
    w.arm[i] = ROOT


@jit
def skip_guard(w, i):
    """Return whether guard `i` cannot fire in this step at all."""
    return w.arm[i] == OFF or (w.arm[i] == DISARMED and math.isinf(w.ga[i]))
