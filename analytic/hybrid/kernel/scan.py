"""Is there an event in this step? Certify that there is none, or find a bracket around the first.

A guard is sampled on the dense output at five points of a window. Its second divided differences bound its curvature,
and with it how far it can sag between samples. Either every piece is certified positive, or there is a zero crossing,
or a dip whose minimum decides, or the window is split. No event is missed between samples unless the guard oscillates
faster than the samples everywhere in the step; the points are irregular to avoid aliasing with a periodic guard.

A guard that starts the window on its root is divided by the time since then: (u(s) - u(s0)) / (s - s0) has only the
other roots.
"""

import math

from .codes import ARMED, BAD_GUARD, NONFINITE, ROOT, STOP_ITER
from .free import NG, jit, plain
from .method import dense
from .motion import BLIND, read_guards, read_noise
from .steps import EPS, fail_nonfinite
from .windows import CLEAR, DIP, FALL, PLACES, SPLIT, judge

NARROW = 1e-10  # of the step: a window that need not be split further
WIDER = 4.0  # a window may be so many times as wide as one in which the guard has been smooth
FIRST_WINDOW = 1e-3  # of the step: the width of a guard's first window
NOISE_WINDOWS = 50  # so many narrow ones in a row: the guard is round-off about zero
MAX_WINDOWS = 1_000_000  # per step and guard; an oscillation takes about ten a period
GOLDEN = 0.3819660112501051


@jit
def guard_at(w, i, s):
    """Return guard `i`, positive in the chart and with its root divided out, at offset `s` in the step."""
    if w.arm[i] == ROOT and s <= w.s_clear[i]:
        return w.rate[i]
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
    """Copy guard `i` from the samples of the whole step."""
    for j in range(5):
        s = w.sa + PLACES[j] * (w.s1 - w.sa)
        u = w.sign[i] * w.gs[j, i]
        if math.isnan(u):
            fail_nonfinite(w, BAD_GUARD, i, w.t + s)
        if w.arm[i] == ROOT:
            u = (u - w.u_root[i]) / (s - w.s_root[i]) if s > w.s_clear[i] else w.rate[i]
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

    With `ready` the samples of the whole step are tried first. A window is at most WIDER times one in which the
    guard was smooth before: five samples of a long step do not show how fast a guard oscillates.
    """
    lo, hi, verdict = start, end, SPLIT
    if w.trust[i] == 0.0:
        trust_width(w, i, FIRST_WINDOW * w.s1)
    whole = ready and w.s1 <= WIDER * w.trust[i]
    if whole:
        load_window(w, i)
        verdict = judge(w)
        if verdict == CLEAR:
            return False
    if not whole or end < w.s1:
        hi = min(end, lo + WIDER * w.trust[i])
        sample_window(w, i, lo, hi)
        verdict = judge(w)
    n_narrow = 0
    for _ in range(MAX_WINDOWS):
        if w.status == NONFINITE:
            return False
        narrow = hi - lo <= NARROW * w.s1
        n_narrow = n_narrow + 1 if narrow else 0
        if verdict == FALL or (narrow and not w.wv[w.place] > 0.0):
            trust_width(w, i, hi - lo)
            bracket(w, w.place - 1, w.place)
            return True
        if n_narrow > NOISE_WINDOWS:
            return falls_between(w, i, lo, end)
        if verdict == DIP and dips(w, i):
            return True
        if verdict == SPLIT and not narrow:
            hi = lo + quarter(w, i, hi - lo)
        else:
            trust_width(w, i, hi - lo)
            if hi >= end:
                trust_width(w, i, min(end - start, 2.0 * w.trust[i]))
                return False
            lo, hi = hi, min(end, hi + 2.0 * (hi - lo))
        sample_window(w, i, lo, hi)
        verdict = judge(w)
    fail_stop_iter(w, i, lo)
    return False


@jit
def quarter(w, i, width):
    """Return the width of the first part of an undecided window; store it if the guard is rough."""
    if w.rough:
        w.trust[i] = max(0.25 * width, NARROW * w.s1)
    return 0.25 * width


@jit
def trust_width(w, i, width):
    """Store that guard `i` is smooth in a window of `width`."""
    w.trust[i] = max(w.trust[i], width)


@jit
def dips(w, i):
    """Bracket the zero crossing in the dip found in the window; store a grazing if there is none."""
    bracket(w, w.place - 1, w.place)
    w.right = lowest(w, i, w.left, w.right, w.ws[w.place + 1])
    if w.right_value > 0.0:
        note_grazing(w, i)
    return not w.right_value > 0.0


@jit
def falls_between(w, i, lo, hi):
    """Use [lo, hi] as the bracket of a guard that is only round-off about zero, if it has fallen at `hi`."""
    w.left = lo
    w.right = hi
    w.left_value = guard_at(w, i, lo)
    w.right_value = guard_at(w, i, hi)
    return not w.right_value > 0.0


@jit
def fail_stop_iter(w, i, s):
    """End the run because the search for a zero of guard `i` did not get past offset `s`."""
    w.status = STOP_ITER
    w.culprit = i
    w.t_culprit = w.t + s


@jit
def note_grazing(w, i):
    """Store that guard `i` came within the tolerance of zero and turned back, at w.right."""
    if w.arm[i] == ARMED and w.turn > 0.0 and w.right_value <= w.graze_tol:
        w.graze[i] = 1
        w.s_graze[i] = w.right


@jit
def arm_waiting(w, i, s):
    """Arm a waiting guard at `s`, just after it has become positive; its root there is divided out.

    If it falls again at once, within its round-off, it has only touched zero and keeps waiting.
    """
    here = guard_at(w, i, s)
    noise = noise_at(w, i, s)
    e = 1e-6 * w.s1
    reach = e
    rate = 0.0
    for _ in range(30):
        change = guard_at(w, i, s + e) - here
        if abs(change) > noise:  # it shows: go down until two rates agree, for it may turn close by
            agree = abs(change / e - rate) <= 0.5 * abs(rate)
            rate = change / e
            reach = e
            e = 0.1 * e
            if agree:
                break
        elif rate != 0.0 or e > w.s1:
            break
        else:
            e = 10.0 * e
            reach = e
    w.s_root[i] = s
    w.s_clear[i] = s + max(noise / rate if rate > 0.0 else reach, BLIND * EPS * abs(w.t))
    if rate > 0.0:
        w.rate[i] = rate
        w.u_root[i] = min(here, 0.0)
        w.arm[i] = ROOT


@jit
def noise_at(w, i, s):
    """Return an estimate of the round-off error of guard `i` at offset `s` of the step."""
    probe = plain(w.probe)
    dense(w, s, probe)
    read_guards(w, w.t + s, probe, plain(w.gp))
    read_noise(w, w.t + s, probe, plain(w.k)[0], w.s1, plain(w.gp))
    return w.noise[i]
