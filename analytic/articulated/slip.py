"""Which way friction acts on feet that slip, and how that of feet that creep is found.

Friction of a foot that creeps acts against w = v + a / `CREEP_RATE`, so that w has nothing across it. That is a row
whose force is zero when the direction is right: the direction is turned by it until it is (Newton's method).
"""

import math

from ..compilation import jit
from .layout import DRIFT, SPEED, VELOCITY
from .modes import CREEP, CREEP_RATE, SLIDE

RESTS = 1e-10  # slip speed of a foot that sticks which is none [m/s]
TURNS_AWAY = 5.0  # parts of w that the acceleration across a slide takes, which creeps only when it hardly turns


@jit(views=True)
def slip_direction(work, contact, i):
    """Return the direction that friction of a foot acts against.

    While the slip goes against the direction it had, a step has overrun the stop: the field stays smooth there.
    """
    e1, e2 = contact.direction[i, 0], contact.direction[i, 1]
    if contact.foot[i] == SLIDE:
        v1, v2 = work.foot[i, VELOCITY + 1], work.foot[i, VELOCITY + 2]
        speed = math.sqrt(v1 * v1 + v2 * v2)
        if v1 * e1 + v2 * e2 > 0.0:
            return v1 / speed, v2 / speed
    return e1, e2


@jit(views=True)
def let_rest(robot, work, contact, hold_speed):
    """Let feet that stick, and whose last slip has gone, be held by `drift_rate` alone; what moves has no slack."""
    n = len(robot.foot)
    for i in range(n):
        speed = math.hypot(work.foot[i, VELOCITY + 1], work.foot[i, VELOCITY + 2])
        if speed <= RESTS:
            contact.settling[i] = 0.0
        if speed > hold_speed:
            contact.slack[i] = 0.0
    for k in range(len(robot.line)):
        if abs(work.line[k, SPEED]) > max(hold_speed, contact.slack[n + k]):
            contact.slack[n + k] = 0.0


@jit(views=True)
def turn(robot, work, contact):
    """Write what slips along friction; turn that of feet that creep by its forces; return the largest angle [rad]."""
    most = 0.0
    for i in range(len(robot.foot)):
        mode, force, e = contact.foot[i], contact.foot_force[i], contact.direction[i]
        if mode != CREEP and mode != SLIDE:
            continue
        u1, u2 = slip_direction(work, contact, i)
        contact.along[i] = _along(work, contact, i, u1, u2)
        size = math.sqrt(force[1] * force[1] + force[2] * force[2])
        if mode == CREEP and force[0] > 0.0 and -force[1] * u1 - force[2] * u2 > 0.1 * size:
            e[0], e[1] = -force[1] / size, -force[2] / size
            most = max(most, abs(e[0] * u2 - e[1] * u1))
    return most


@jit(views=True)
def _along(work, contact, i, u1, u2):
    """Return w along a direction [m/s], for a slide less what turns it."""
    foot = work.foot[i]
    a1, a2 = foot[DRIFT + 1], foot[DRIFT + 2]
    for k in range(len(contact.qacc)):
        a1 += work.jacobian[i, 1, k] * contact.qacc[k]
        a2 += work.jacobian[i, 2, k] * contact.qacc[k]
    w = u1 * (foot[VELOCITY + 1] + a1 / CREEP_RATE) + u2 * (foot[VELOCITY + 2] + a2 / CREEP_RATE)
    return w - TURNS_AWAY * abs(u1 * a2 - u2 * a1) / CREEP_RATE if contact.foot[i] == SLIDE else w
