"""Events of a stiff method, whose dense output only brackets them: confirmed and placed by full steps.

On a stiff relaxation the dense output may be off by far more than the tolerance, with a rate of the wrong sign. So
where a guard comes near zero, a step is halved until dense output and full steps agree, and an event is the zero of
the guard at the end of a full step from the step's start, as a function of its length.
"""

import math

from .clear import spare
from .codes import DISARMED, EPS, OPEN, RISEN, STEP
from .dense import dense
from .free import CERTIFIED, NG, N, jit, plain
from .locate import find_root, root_between
from .motion import read_guards
from .rest import ends_rest
from .samples import PLACES, guard_at, sample_guards
from .scan import begin_scan, changes, note_grazing
from .steps import smallest_step
from .sums import stages

AGREE = 10.0  # tolerances between dense output and full steps that count as agreement
CHECKS = (0.25, 0.5, 0.75)  # of the step: where they are compared
MIDDLE = 2  # of the places of samples
NEAR = 16.0 * EPS  # of the step: at least so far from a zero of the dense output that of full steps is looked for


@jit
def first_confirmed(w, i):
    """Return the offset of the first event of guard `i` after w.sa, or infinity; w.s_dense has it on the dense output.

    A fall on the dense output brackets one of full steps: from the middle between it and the rise before, if there is
    one, to the middle between it and the next rise. If full steps do not fall there, the guard has grazed zero.
    """
    begin_scan(w, i)
    positive = w.arm[i] != DISARMED
    if w.rest[i]:
        if ends_rest(w, i, w.s1):
            w.s_dense[i] = w.left
            return w.left
        if w.risen == 0:
            return math.inf
        if w.risen > 0:
            positive = True
            w.open[i] = RISEN
    left = w.sa
    rise = w.sa if w.at_root else math.nan
    waited = False
    while True:
        if not positive:  # a guard that waits, until it rises
            if not changes(w, i, w.s1, False):
                return math.inf
            rise = w.right
            w.open[i] = RISEN
            waited = True
        if not changes(w, i, w.s1, True):
            return math.inf
        s = find_root(w, i, w.certain)
        w.s_dense[i] = s
        left = w.sa if math.isnan(rise) else 0.5 * (rise + s)
        again = w.status == 0 and changes(w, i, w.s1, False)
        right = 0.5 * (s + w.left) if again else w.s1
        later = w.right
        w.left = left
        w.right = right
        if falls(w, i, s, waited):
            return w.s_fall[i]
        if w.status != 0:
            return math.inf
        note_grazing(w, i, s)
        if not again:
            return math.inf
        positive = waited = True
        rise = later


@jit
def falls(w, i, s, waited):
    """Return whether guard `i` falls in [w.left, w.right] by full steps; w.s_fall[i] says where.

    It is looked for near `s`, its zero on the dense output, whose slope tells how near, and then in the whole bracket.
    """
    before = 0.5 * (w.left + s)
    slope = guard_at(w, i, before) / (s - before) if before < s else 0.0
    w.full_steps = 1
    value = guard_at(w, i, s)
    step = 2.0 * abs(value) / slope + NEAR * w.s1 if slope > 0.0 else math.inf
    other = max(w.left, s - step) if value <= 0.0 else min(w.right, s + step)
    ahead = guard_at(w, i, other)
    fell = (ahead > 0.0) != (value > 0.0)
    if fell:
        w.left, w.right = min(s, other), max(s, other)
        w.s_fall[i] = root_between(w, i, max(value, ahead), min(value, ahead), 1)
    else:
        left, right = guard_at(w, i, w.left), guard_at(w, i, w.right)
        fell = not right > 0.0 and (not waited or left > 0.0)
        if fell:
            w.s_fall[i] = root_between(w, i, left, right, 1)
    w.full_steps = 0
    return fell


@jit
def is_coarse(w):
    """Return whether dense output and full steps differ too much in a step in which a guard comes near zero."""
    if not comes_near(w):
        return False
    probe = plain(w.probe)
    later = plain(w.later)
    for j in range(3):
        s = CHECKS[j] * w.s1
        dense(w, s, probe)
        stages(w, s, later)
        for i in range(N):
            scale = w.atol[i] + w.rtol * max(abs(w.x[i]), abs(w.x1[i]))
            if not abs(later[i] - probe[i]) <= AGREE * scale:
                return True
    return False


@jit
def comes_near(w):
    """Return whether a guard may be zero in the step, its state off the dense output by the size of its corrections.

    Of a guard that is sampled, the value in the middle says whether it is far enough away.
    """
    for i in range(NG):
        if w.open[i] == OPEN and CERTIFIED[i]:
            return True
    if not w.has_sampled:
        return False
    sample_guards(w, -1.0, 1.0)
    now = plain(w.gs)[MIDDLE]
    later = plain(w.later)
    s = PLACES[MIDDLE] * w.s1
    dense(w, s, plain(w.probe))
    for i in range(N):
        later[i] = w.probe[i] + spare(w, i)
    read_guards(w, w.t + s, later, plain(w.g_moved))
    for i in range(NG):
        least = min(min(w.sign[i] * w.ga[i], w.sign[i] * w.g_end[i]), w.sign[i] * now[i])
        if w.open[i] == OPEN and abs(least) <= 2.0 * abs(w.g_moved[i] - now[i]):
            return True
        if w.open[i] == OPEN and w.arm[i] != DISARMED and not least > 0.0:
            return True
    return False


@jit
def halve_step(w):
    """Go back to the step's start to take half of it, and return True; False if half would be too small."""
    if 0.5 * w.s1 < smallest_step(w):
        return False
    w.h = 0.5 * w.s1
    w.n_steps -= 1
    w.n_rejected += 1
    w.phase = STEP
    return True
