"""The first event of a step: guards at its stages, then on its dense output, then the zero of one.

A guard is armed once it was above its tolerance; the first zero of an armed one is the event. Where no stage of a step
has a guard near zero the dense output is left alone; else it is sampled, `SAMPLES` in a step, and where a parabola
through three samples dips below `CLEAR` of them, there too. So two zeros of a guard that is a parabola over the step
are not missed, however near to each other. Guards are not enclosed: of any other, a dip that is less deep than the
parabola's error may be, d^3 / 15 by the third derivative, d the time between samples.
"""

from ..compilation import jit
from .constrained import field
from .feet import feet
from .guards import guards
from .kinematics import kinematics, lines
from .modes import AT_REST, CLOSED, FREE
from .scheme import SUNK
from .steps import write_between, write_dense

SAMPLES = 4
CLEAR = 0.5  # a guard is not near zero where all stages have more than this part of what it is at both ends
STEEP = 50.0  # nor is it more than this at one end by the other: beyond, a parabola may dip beside an end
DEEPEST = 1e3  # so often as deep as at first
HALVINGS, SHORT = 100, 1e-15  # of a bracket: at most so many; part of the step that is a point
THERE = 1e-2  # tolerances of a guard that are zero: `flow.NEAR` of them are, once the step is made
OF_LINES, OF_PLACES, OF_FORCES = range(3)  # what a guard depends on


@jit(views=True)
def first_event(robot, work, contact, path, scheme, setting, ctrl, x, size):
    """Return at which fraction of the step the first event is, and of which guard (-1: there is none). Arms guards."""
    first, which, of = 2.0, -1, OF_LINES
    write_dense(robot, work, contact, path, scheme, setting, ctrl, x, size)
    for k in range(len(path.was)):
        if not _is_clear(path, k):
            of = max(of, depends(robot, contact, k))
    for k in range(len(path.was)):
        path.was[k] = path.before[k] if depends(robot, contact, k) <= of else path.after[k]
    for s in range(1, SAMPLES + 1):
        right = s / SAMPLES
        if s < SAMPLES:
            guards_at(robot, work, contact, path, setting, ctrl, x, right, of, path.now)
        for k in range(len(path.now)):  # those that are clear, and depend on more, do not change
            if s == SAMPLES or depends(robot, contact, k) > of:
                path.now[k] = path.after[k]
        for k in range(len(path.now)):
            now, tol, armed = path.now[k], path.tol[k], path.armed[k]
            below = 0.0 if armed else max(tol, path.sunk[k])  # one that never rose fires where it sinks
            if now <= -below and (armed or now < path.was[k]):
                ends = right - 1.0 / SAMPLES, right, path.was[k] + below, now + below
                where = _zero(robot, work, contact, path, setting, ctrl, x, k, below, ends)
                if where < first:
                    first, which = where, k
            elif not armed and now > tol:
                path.armed[k], path.sunk[k] = True, SUNK
        if which < 0 and s > 1:
            first, which = _dip(robot, work, contact, path, setting, ctrl, x, right - 1.0 / SAMPLES)
        if which >= 0:
            let_sink(path, which)
            break
        for k in range(len(path.now)):
            path.last[k], path.was[k] = path.was[k], path.now[k]
    return first, which


@jit(views=True)
def _dip(robot, work, contact, path, setting, ctrl, x, middle):
    """Return the place and number of the first armed guard's zero in a dip between the last three samples (-1: none).

    Looked for at the vertex of its parabola.
    """
    first, which = 2.0, -1
    for k in range(len(path.now)):
        before, at, after = path.last[k], path.was[k], path.now[k]
        bend, tilt = before - 2.0 * at + after, after - before
        if not (path.armed[k] and bend > 0.0 and abs(tilt) < 2.0 * bend):
            continue
        if not at - 0.125 * tilt * tilt / bend < CLEAR * min(before, at, after):
            continue
        vertex, of = middle - 0.5 * tilt / bend / SAMPLES, depends(robot, contact, k)
        guards_at(robot, work, contact, path, setting, ctrl, x, vertex, of, path.low)
        if path.low[k] <= 0.0:
            left, value = (middle, at) if vertex > middle else (middle - 1.0 / SAMPLES, before)
            ends = left, vertex, value, path.low[k]
            where = _zero(robot, work, contact, path, setting, ctrl, x, k, 0.0, ends)
            if where < first:
                first, which = where, k
    return first, which


@jit(views=True)
def let_sink(path, k):
    """Let a guard that never rose sink twice as deep until it fires again: others hold it there, but for rounding."""
    if not path.armed[k]:
        path.sunk[k] = min(2.0 * max(path.tol[k], path.sunk[k]), DEEPEST * max(path.tol[k], SUNK))


@jit(views=True)
def is_clear(path):
    """Return whether no guard comes near zero in the step; if so, arm all."""
    for k in range(len(path.after)):
        if not _is_clear(path, k):
            return False
    for k in range(len(path.after)):
        path.armed[k], path.sunk[k] = True, SUNK
    return True


@jit(views=True)
def _is_clear(path, k):
    """Return whether a guard does not come near zero in the step."""
    least = min(path.before[k], path.after[k]) if path.armed[k] else path.tol[k]
    steep = path.armed[k] and max(path.before[k], path.after[k]) > STEEP * least
    return not steep and path.after[k] > path.tol[k] and path.low[k] >= CLEAR * least


@jit(views=True)
def _zero(robot, work, contact, path, setting, ctrl, x, k, below, ends):
    """Return the place between two at which a guard is -`below`, by Illinois' method with a halving now and then.

    `ends` are the two places, and the guard less -`below` there.
    """
    low, high, g_low, g_high = ends
    of = depends(robot, contact, k)
    if not g_low > 0.0:
        return low if path.armed[k] else high
    for it in range(HALVINGS):
        if high - low <= SHORT:
            break
        middle = (low * g_high - high * g_low) / (g_high - g_low) if it % 4 != 3 else 0.5 * (low + high)
        middle = middle if low < middle < high else 0.5 * (low + high)
        guards_at(robot, work, contact, path, setting, ctrl, x, middle, of, path.low)
        g = path.low[k] + below
        if abs(g) <= THERE * path.tol[k]:
            return middle
        if g <= 0.0:
            high, g_high, g_low = middle, g, 0.5 * g_low
        else:
            low, g_low, g_high = middle, g, 0.5 * g_high
    return high


@jit(views=True)
def depends(robot, contact, k):
    """Return what a guard depends on."""
    n, limits = len(robot.foot), len(robot.limit)
    if k < 3 * n:
        return OF_PLACES if contact.foot[k // 3] == FREE else OF_FORCES
    if k < 3 * n + limits:
        return OF_FORCES if contact.limit[k - 3 * n] == CLOSED else OF_LINES
    return OF_FORCES if contact.dry[k - 3 * n - limits] == AT_REST else OF_LINES


@jit(views=True)
def guards_at(robot, work, contact, path, setting, ctrl, x, fraction, of, g):
    """Write the guards that depend on no more than `of` at a fraction of the step; others are not to be looked at."""
    write_between(path, x, fraction)
    nq, y = setting.nq, path.there
    qpos, qvel = y[:nq], y[nq : nq + len(robot.dof)]
    if of == OF_LINES:
        lines(robot, work, qpos, qvel)
    elif of == OF_PLACES:
        kinematics(robot, work, qpos, qvel)
        feet(robot, work)
    else:
        field(robot, work, contact, setting, ctrl, y, path.rates, True)
    guards(robot, work, contact, setting, g, path.tol)
