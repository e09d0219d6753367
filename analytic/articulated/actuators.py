"""Forces of actuators on joints and fixed tendons: affine laws, servos with a DC motor, activations of first order."""

from ..compilation import jit
from .layout import (
    ACTADR,
    ACTUATOR_FORCE,
    AFFINE,
    BACK_EMF,
    BIAS,
    CONSTANT,
    CURRENT,
    DYNAMICS,
    END_DOF,
    FIRST_DOF,
    FORCE_LEAST,
    FORCE_MOST,
    GAIN,
    GEAR,
    INTEGRAL,
    INTEGRATOR,
    KD,
    KI,
    KP,
    LAW,
    LEAST,
    LENGTH,
    LINE,
    MOST,
    SPEED,
    STALL,
    TIMECONST,
    U_FF,
    U_POS,
    U_VEL,
)
from .vectors import clear


@jit(views=True)
def actuators(robot, work, ctrl, act, act_rate):
    """Write the forces of actuators on the degrees of freedom, and the rates of their activations."""
    clear(work.load[ACTUATOR_FORCE])
    for k in range(len(robot.actuator)):
        a, where = robot.actuator[k], robot.actuator_of[k]
        length, velocity = a[GEAR] * work.line[where[LINE], LENGTH], a[GEAR] * work.line[where[LINE], SPEED]
        if where[LAW] == AFFINE:
            force = _affine(robot, a, where, length, velocity, ctrl, act, act_rate)
        else:
            force = _servo(robot, a, where, length, velocity, ctrl, act, act_rate)
        if where[DYNAMICS] == CURRENT:
            act_rate[where[ACTADR]] = (force / a[CONSTANT] - act[where[ACTADR]]) / a[TIMECONST]
            force = a[CONSTANT] * act[where[ACTADR]]
        force = min(max(force, a[FORCE_LEAST]), a[FORCE_MOST])
        line = where[LINE]
        for i in range(robot.line_of[line, FIRST_DOF], robot.line_of[line, END_DOF]):
            work.load[ACTUATOR_FORCE, i] += robot.line_row[line, i] * a[GEAR] * force
        work.actuator[k, 0], work.actuator[k, 1] = force, velocity
    for i in range(len(robot.dof)):
        work.load[ACTUATOR_FORCE, i] = min(max(work.load[ACTUATOR_FORCE, i], robot.dof[i, LEAST]), robot.dof[i, MOST])


@jit(views=True)
def _clamped(robot, ctrl, i):
    """Return a control within its range; 0 for one that the actuator does not have."""
    return min(max(ctrl[i], robot.control[i, 0]), robot.control[i, 1]) if i >= 0 else 0.0


@jit(views=True)
def _affine(robot, a, where, length, velocity, ctrl, act, act_rate):
    """Return the force of gain and bias, of the control or of the activation that follows it."""
    u, i = _clamped(robot, ctrl, where[U_POS]), where[ACTADR]
    if i >= 0 and where[DYNAMICS] != CURRENT:
        act_rate[i] = u if where[DYNAMICS] == INTEGRATOR else (u - act[i]) / a[TIMECONST]
        u = act[i]
    gain = a[GAIN] + a[GAIN + 1] * length + a[GAIN + 2] * velocity
    return gain * u + a[BIAS] + a[BIAS + 1] * length + a[BIAS + 2] * velocity


@jit(views=True)
def _servo(robot, a, where, length, velocity, ctrl, act, act_rate):
    """Return the force of a controller of position and velocity, within what its motor gives at this velocity."""
    error = _clamped(robot, ctrl, where[U_POS]) - length
    force = a[KP] * error
    if where[INTEGRAL] >= 0:
        act_rate[where[INTEGRAL]] = error
        force += a[KI] * act[where[INTEGRAL]]
    force += a[KD] * (_clamped(robot, ctrl, where[U_VEL]) - velocity) + _clamped(robot, ctrl, where[U_FF])
    back = a[BACK_EMF] * velocity
    return min(max(force, -a[STALL] - back), a[STALL] - back)
