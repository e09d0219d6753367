"""Guards, positive in their mode: what a foot, a limit or dry friction may not cross without an event.

Three for a foot (gap, or normal force; cone, or slip along friction; its speed), one for a limit (gap or force) and one
for a line (friction left, or speed). Dry lines that turn back, or yield, while all else stays as it is, are no contact
problem: modes that hold all their guards are a solution, and only else all are chosen anew.
"""

import math

from ..compilation import jit
from .constrained import field
from .layout import BOUND, FRICTIONLOSS, GAP, LENGTH, MU, SIGN, SPEED, VELOCITY
from .modes import AT_REST, CLOSED, CREEP, FREE, NOT_DRY, SLIDE, STICK, STOPS
from .vectors import dot

TURNED_BACK, YIELDED = range(2)  # what the log of a path has

GAP_TOL, FORCE_TOL, SPEED_TOL = 1e-12, 1e-9, 1e-5  # [m]; of the weight; of `hold_speed`: counts as positive from there
BREAKS = 1e3  # tolerances that are no rounding
BRIEF = 30.0  # what would stop within 1 / (BRIEF CREEP_RATE) is left to, what takes longer stops at `hold_speed`


@jit(views=True)
def guards(robot, work, contact, setting, g, tol):
    """Write the guards from the forces that were written last, and from which value on each counts as positive.

    They are infinite where there is none.
    """
    n, limits, stop_speed = len(robot.foot), len(robot.limit), setting.stop_speed
    weak, slow = FORCE_TOL * setting.weight, SPEED_TOL * setting.hold_speed
    for i in range(n):
        mode, foot, force = contact.foot[i], work.foot[i], contact.foot_force[i]
        g[3 * i], tol[3 * i] = (foot[GAP], GAP_TOL) if mode == FREE else (force[0], weak)
        g[3 * i + 1] = g[3 * i + 2] = math.inf
        tol[3 * i + 1] = tol[3 * i + 2] = slow
        slip = foot[VELOCITY + 1] * contact.direction[i, 0] + foot[VELOCITY + 2] * contact.direction[i, 1]
        speed = math.sqrt(foot[VELOCITY + 1] * foot[VELOCITY + 1] + foot[VELOCITY + 2] * foot[VELOCITY + 2])
        if mode == STICK:
            g[3 * i + 1] = robot.foot[i, MU] * force[0] - math.sqrt(force[1] * force[1] + force[2] * force[2])
            tol[3 * i + 1] = weak
        elif mode == SLIDE:  # at 60 degrees from the direction it had that one is replaced, before the field jumps
            g[3 * i + 1] = slip - 0.5 * max(stop_speed, speed)
            stops = max(speed - setting.hold_speed, -BRIEF * speed - contact.along[i])
            g[3 * i + 2] = min(max(speed - setting.creep_speed, 0.5 * speed - contact.along[i]), stops)
        elif mode == CREEP:
            g[3 * i + 1] = contact.along[i]
            g[3 * i + 2] = 2.0 * setting.creep_speed - speed
        elif mode == STOPS:
            g[3 * i + 1] = slip + contact.slack[i]
            g[3 * i + 2] = 2.0 * max(stop_speed, contact.slack[i]) - speed
    for i in range(limits):
        k = 3 * n + i
        gap = robot.limit[i, SIGN] * (work.line[robot.limit_of[i], LENGTH] - robot.limit[i, BOUND])
        g[k], tol[k] = (contact.limit_force[i], weak) if contact.limit[i] == CLOSED else (gap, GAP_TOL)
    for i in range(len(robot.line)):
        mode, k = contact.dry[i], 3 * n + limits + i
        g[k], tol[k] = math.inf, slow
        if mode == AT_REST:
            g[k], tol[k] = robot.line[i, FRICTIONLOSS] - abs(contact.dry_force[i]), weak
        elif mode != NOT_DRY:
            g[k] = mode * work.line[i, SPEED] + max(contact.slack[n + i], 0.5 * stop_speed)


@jit(views=True)
def broken(robot, contact, g, tol):
    """Return whether a closed contact, limit or dry joint breaks its guard by more than rounding."""
    n, limits = len(robot.foot), len(robot.limit)
    for k in range(len(g)):
        if g[k] < -BREAKS * tol[k]:
            if k < 3 * n:
                mode, which = contact.foot[k // 3], k % 3
                if which == 1 or (which == 0 and mode != FREE) or (which == 2 and mode != SLIDE):
                    return True
            elif k >= 3 * n + limits or contact.limit[k - 3 * n] == CLOSED:
                return True
    return False


@jit(views=True)
def begin(robot, work, contact, path, setting, ctrl, x, moved):
    """Write the field and the guards at a start, and which of them are armed; `moved` is that of `field`."""
    field(robot, work, contact, setting, ctrl, x, path.stage[0], moved)
    guards(robot, work, contact, setting, path.before, path.tol)
    for k in range(len(path.tol)):
        path.armed[k] = path.before[k] > path.tol[k]


@jit(views=True)
def mark_yielding(robot, contact, path, fired):
    """Mark dry lines at rest that friction does not hold."""
    first = len(fired) - len(contact.dry)
    for i in range(len(contact.dry)):
        fired[first + i] = contact.dry[i] == AT_REST and path.before[first + i] < 0.0


@jit(views=True)
def let_go(robot, work, contact, path, setting, ctrl, x, t, fired):
    """Let dry lines that fired go the other way, or where they are pushed; return whether they do, and all is well.

    If so they are logged, `fired` is cleared, and the flow may go on; if not, nothing has changed.
    """
    first, others = len(fired) - len(contact.dry), False
    for k in range(first):
        others = others or fired[k]
    if others or not _turned(contact, path, fired, first):
        return False
    begin(robot, work, contact, path, setting, ctrl, x, False)
    goes = not broken(robot, contact, path.before, path.tol) and path.logged[0] + len(contact.dry) <= len(path.log)
    least = setting.drift_rate * setting.hold_speed
    for i in range(len(contact.dry)):
        if fired[first + i]:
            goes = goes and contact.dry[i] * dot(robot.line_row[i], contact.qacc) > least
    for i in range(len(contact.dry)):
        if fired[first + i] and goes:
            path.log[path.logged[0], 0], path.log[path.logged[0], 1] = t, i
            path.log[path.logged[0], 2] = YIELDED if path.dry[i] == AT_REST else TURNED_BACK
            path.logged[0] += 1
            fired[first + i] = False
        elif not goes:
            contact.dry[i] = path.dry[i]
    if not goes:
        begin(robot, work, contact, path, setting, ctrl, x, False)
    return goes


@jit(views=True)
def _turned(contact, path, fired, first):
    """Let the lines that fired go; return whether there is one."""
    found = False
    for i in range(len(contact.dry)):
        path.dry[i] = contact.dry[i]
        if fired[first + i]:
            found = True
            pushed = -1 if contact.dry_force[i] > 0.0 else 1
            contact.dry[i] = pushed if path.dry[i] == AT_REST else -path.dry[i]
    return found
