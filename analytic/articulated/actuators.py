"""Forces of actuators on single joints: affine laws, servos with a DC motor, and activations of first order."""

from __future__ import annotations

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
    FORCE_LEAST,
    FORCE_MOST,
    GAIN,
    GEAR,
    INTEGRATOR,
    JOINT_DOF,
    JOINT_QPOS,
    KD,
    KP,
    LAW,
    LEAST,
    MOST,
    STALL,
    TIMECONST,
    U_FF,
    U_POS,
    U_VEL,
)


@jit
def actuators(robot, work, qpos, qvel, ctrl, act, act_rate):
    """Write the forces of actuators on the degrees of freedom, and the rates of their activations."""
    work.load[ACTUATOR_FORCE, :] = 0.0
    for k in range(len(robot.actuator)):
        a, where = robot.actuator[k], robot.actuator_of[k]
        length, velocity = a[GEAR] * qpos[where[JOINT_QPOS]], a[GEAR] * qvel[where[JOINT_DOF]]
        if where[LAW] == AFFINE:
            force = _affine(robot, a, where, length, velocity, ctrl, act, act_rate)
        else:
            force = _servo(robot, a, where, length, velocity, ctrl)
        if where[DYNAMICS] == CURRENT:
            act_rate[where[ACTADR]] = (force / a[CONSTANT] - act[where[ACTADR]]) / a[TIMECONST]
            force = a[CONSTANT] * act[where[ACTADR]]
        force = min(max(force, a[FORCE_LEAST]), a[FORCE_MOST])
        work.load[ACTUATOR_FORCE, where[JOINT_DOF]] += a[GEAR] * force
        work.actuator[k, 0], work.actuator[k, 1] = force, velocity
    for i in range(len(robot.dof)):
        work.load[ACTUATOR_FORCE, i] = min(max(work.load[ACTUATOR_FORCE, i], robot.dof[i, LEAST]), robot.dof[i, MOST])


@jit
def _clamped(robot, ctrl, i):
    """Return a control within its range; 0 for one that the actuator does not have."""
    return min(max(ctrl[i], robot.control[i, 0]), robot.control[i, 1]) if i >= 0 else 0.0


@jit
def _affine(robot, a, where, length, velocity, ctrl, act, act_rate):
    """Return the force of gain and bias, of the control or of the activation that follows it."""
    u, i = _clamped(robot, ctrl, where[U_POS]), where[ACTADR]
    if i >= 0 and where[DYNAMICS] != CURRENT:
        act_rate[i] = u if where[DYNAMICS] == INTEGRATOR else (u - act[i]) / a[TIMECONST]
        u = act[i]
    gain = a[GAIN] + a[GAIN + 1] * length + a[GAIN + 2] * velocity
    return gain * u + a[BIAS] + a[BIAS + 1] * length + a[BIAS + 2] * velocity


@jit
def _servo(robot, a, where, length, velocity, ctrl):
    """Return the force of a controller of position and velocity, within what its motor gives at this velocity."""
    force = a[KP] * (_clamped(robot, ctrl, where[U_POS]) - length)
    force += a[KD] * (_clamped(robot, ctrl, where[U_VEL]) - velocity) + _clamped(robot, ctrl, where[U_FF])
    back = a[BACK_EMF] * velocity
    return min(max(force, -a[STALL] - back), a[STALL] - back)
