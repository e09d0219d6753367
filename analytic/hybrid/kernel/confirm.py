"""Events of a stiff method, whose dense output only brackets them: confirmed and placed by full steps.

On a stiff relaxation the dense output may be off by far more than the tolerance, with a rate of the wrong sign. So
where a guard comes near zero, a step is halved until dense output and full steps agree, and an event is the zero of
the guard at the end of a full step from the step's start, as a function of its length.
"""

import math

from .clear import spare
from .codes import DISARMED, OPEN, RISEN, STEP
from .dense import dense
from .free import CERTIFIED, NG, N, jit, plain
from .locate import find_root
from .motion import read_guards
from .samples import guard_at
from .scan import begin_scan, changes, note_grazing
from .steps import smallest_step
from .sums import stages

AGREE = 10.0  # tolerances between dense output and full steps that count as agreement
CHECKS = (0.25, 0.5, 0.75)  # of the step: where they are compared


@jit
def first_confirmed(w, i):
    """Return the offset of the first event of guard `i` after w.sa, or infinity; w.s_dense has it on the dense output.

    A fall on the dense output brackets one of full steps: from the middle between it and the rise before, if there is
    one, to the middle between it and the next rise. If full steps do not fall there, the guard has grazed zero.
    """
    begin_scan(w, i)
    positive = w.arm[i] != DISARMED
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
        w.full_steps = 1
        fell = not guard_at(w, i, right) > 0.0 and (not waited or guard_at(w, i, left) > 0.0)
        found = find_root(w, i, True) if fell else math.inf
        w.full_steps = 0
        if fell or w.status != 0:
            return found
        note_grazing(w, i, s)
        if not again:
            return math.inf
        positive = waited = True
        rise = later


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
    probe, later = plain(w.probe), plain(w.later)
    dense(w, 0.5 * w.s1, probe)
    read_guards(w, w.t + 0.5 * w.s1, probe, plain(w.gp))
    for way in range(-1, 2, 2):
        for i in range(N):
            later[i] = probe[i] + way * spare(w, i)
        read_guards(w, w.t + 0.5 * w.s1, later, plain(w.g_moved))
        for i in range(NG):
            least = min(min(w.sign[i] * w.ga[i], w.sign[i] * w.g_end[i]), w.sign[i] * w.gp[i])
            if w.open[i] == OPEN and abs(least) <= 2.0 * abs(w.g_moved[i] - w.gp[i]):
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
