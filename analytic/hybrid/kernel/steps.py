"""One accepted step: error control, clipping to the next exact stop, and handling of steps that become too small."""

import math

from .codes import BAD_FIELD, BAD_STATE, EPS, NONFINITE, SEARCH, STEP_LIMIT, STEP_TOO_SMALL
from .free import N_STAGES, N, field_key, jit, plain
from .method import error_norm, prepare_dense
from .stages import rates
from .sums import stages

SAFETY = 0.9  # Hairer, Norsett & Wanner, section II.4, as are the two limits below
SHRINK = 0.2
GROW = 10.0
VISITS = 1.5
MEMO = 64  # slots of the step memory; a chart code finds its slot modulo this


@jit
def first_bad(values, n):
    """Return the first index whose value is not finite, or -1."""
    for i in range(n):
        if not math.isfinite(values[i]):
            return i
    return -1


@jit
def fail_nonfinite(w, what, component, t):
    """End the run because a number is NaN or infinite; say which and when."""
    w.status = NONFINITE
    w.what = what
    w.culprit = component
    w.t_culprit = t


@jit
def first_step(w):
    """Return a first step size (Hairer, Norsett & Wanner, section II.4: from |f| and an estimate of |f'|)."""
    k = plain(w.k)
    d0 = 0.0
    d1 = 0.0
    for i in range(N):
        scale = w.atol[i] + w.rtol * abs(w.x[i])
        position = w.x[i] / scale
        rate = k[0, i] / scale
        d0 += position * position
        d1 += rate * rate
    d0 = math.sqrt(d0 / N)
    d1 = math.sqrt(d1 / N)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    for i in range(N):
        w.inner[i] = w.x[i] + h0 * k[0, i]
    rates(w, w.t + h0, plain(w.inner), k[1])
    d2 = 0.0
    for i in range(N):
        scale = w.atol[i] + w.rtol * abs(w.x[i])
        change = (k[1, i] - k[0, i]) / scale
        d2 += change * change
    d2 = math.sqrt(d2 / N) / h0
    largest = max(d1, d2)
    h1 = max(1e-6, h0 * 1e-3) if largest <= 1e-15 else (0.01 / largest) ** w.exponent
    h = min(100.0 * h0, h1)
    return h if math.isfinite(h) and h > 0.0 else 1e-6


@jit
def recall_step(w):
    """Set the step size to the one last used at the start of this field, or to a first guess; recall what was cut."""
    key = field_key(w.chart)
    slot = key % MEMO
    w.h_begin = 0.0
    w.n_visit = 0
    w.cut_step = -1
    if w.memo_h[slot] > 0.0 and w.memo_key[slot] == key:
        w.h = w.memo_h[slot]
        w.cut_step = w.memo_cut_step[slot]
        w.h_cut = w.memo_cut_h[slot]
    else:
        # A step of a few units of round-off in time does not move.
        w.h = w.first_step if w.first_step > 0.0 else max(first_step(w), 1e3 * EPS * abs(w.t))


@jit
def remember_step(w):
    """Store the step size with which this visit of a field began for the next one: a restart then costs nothing.

    It is limited to slightly more than the duration of the visit: in an easy field (a ballistic flight) the step would
    grow without limit, and the dense output of a step much longer than the time to the event is coarse.
    """
    if w.h_begin > 0.0:
        key = field_key(w.chart)
        slot = key % MEMO
        visit = w.te - w.t_enter
        w.memo_key[slot] = key
        w.memo_h[slot] = min(w.h_begin, VISITS * visit) if visit > 0.0 else w.h_begin
        w.memo_cut_step[slot] = w.cut_step
        w.memo_cut_h[slot] = w.h_cut


@jit
def power_of(w, error):
    """Return error^exponent; the eighth root of DOP853 by square roots, which cost less than a power."""
    if w.exponent == 0.125:
        return math.sqrt(math.sqrt(math.sqrt(error)))
    return error**w.exponent


@jit
def growth(w, error):
    """Return the factor by which the next step may differ after an accepted one."""
    if error == 0.0:
        return GROW
    if w.pi_control:
        factor = SAFETY * error ** (-0.7 * w.exponent) * w.old_error ** (0.4 * w.exponent)
        w.old_error = max(error, 1e-4)
    else:
        factor = SAFETY / power_of(w, error)
    return min(GROW, max(SHRINK, factor))


@jit
def explain_failure(w):
    """Set the status of a step that became smaller than the smallest: not finite, or just too small."""
    k = plain(w.k)
    for s in range(1, N_STAGES + 1):
        bad = first_bad(k[s], N)
        if bad >= 0:
            fail_nonfinite(w, BAD_FIELD, bad, w.t)
            return
    bad = first_bad(plain(w.x1), N)
    if bad >= 0:
        fail_nonfinite(w, BAD_STATE, bad, w.t)
    else:
        w.status = STEP_TOO_SMALL


@jit
def reject(w, h, error):
    """Count a rejected step of length `h`, and shorten the next."""
    w.n_rejected += 1
    w.cut_step = w.n_visit
    w.h_cut = math.inf
    w.h = h * (max(SHRINK, SAFETY / power_of(w, error)) if math.isfinite(error) else 0.1)


@jit
def remember(w, h, whole, error):
    """Keep the length accepted after a rejection; forget it where its error says that `whole` would pass too."""
    if w.n_visit == w.cut_step:
        if w.h_cut == math.inf:
            w.h_cut = h
        elif power_of(w, error) * whole <= h:
            w.cut_step = -1
    w.n_visit += 1


@jit
def smallest_step(w):
    """Return the smallest step that is taken."""
    return max(w.min_step * w.t_scale, 8.0 * EPS * abs(w.t))


@jit
def take_step(w):
    """Advance by one accepted step: w.s1 is its length, w.x1 its end, w.k its stages.

    A step that was rejected in the last visit of the field begins with the length that was accepted there.
    """
    smallest = smallest_step(w)
    limit = GROW
    while True:
        if w.n_steps + w.n_rejected >= w.max_steps:
            w.status = STEP_LIMIT
            return
        h = whole = min(w.h, w.max_step)
        if w.n_visit == w.cut_step and w.h_cut < h:
            h = w.h_cut
            limit = 1.0
        w.clipped = 1 if w.t + h * (1.0 + 1e-9) >= w.t_stop else 0
        if w.clipped:
            h = w.t_stop - w.t
        k = plain(w.k)
        stages(w, h, plain(w.x1))
        rates(w, w.t + h, plain(w.x1), k[N_STAGES])
        error = error_norm(w, h)
        if error <= 1.0:
            break
        reject(w, h, error)
        limit = 1.0
        if w.h < smallest:
            explain_failure(w)
            return
    w.error = error
    remember(w, h, whole, error)
    factor = min(limit, growth(w, error))
    w.h = max(w.h, h * factor) if w.clipped else h * factor
    if w.h_begin == 0.0 and not w.clipped:
        w.h_begin = w.h
    w.n_steps += 1
    w.s1 = h
    w.sa = 0.0
    w.inverse = 1.0 / h
    prepare_dense(w)
    w.phase = SEARCH
