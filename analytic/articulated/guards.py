"""Guards, positive in their mode: what a foot, a limit or dry friction may not cross without an event.

Three for a foot (gap, or normal force; cone, or slip along friction; its speed), one
for a limit (gap or force) and one for a line (friction left, or speed).
"""

import math

from ..compilation import jit
from .layout import BOUND, FRICTIONLOSS, GAP, LENGTH, MU, SIGN, SPEED, VELOCITY
from .modes import AT_REST, CLOSED, CREEP, FREE, NOT_DRY, SLIDE, STICK, STOPS

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
