"""Generalised forces of springs, dampers and actuators, and the rates of the actuators' states.

As MuJoCo computes them, in continuous time: an activation is what it is, not what it will be after a timestep.
"""

from __future__ import annotations

from ..compilation import jit
from .dynamics import length_of, spring_stretch
from .layout import (
    ACT,
    ACTUATOR_FORCE,
    BIAS,
    BIAS_FORCE,
    COEFFICIENT,
    CTRL,
    CURRENT,
    DAMPER_FORCE,
    DAMPING,
    DC_MOTOR,
    DIRECT,
    DOF,
    DYNAMICS,
    FEEDFORWARD_INPUT,
    FIRST_TERM,
    FORCE_HIGH,
    FORCE_LOW,
    GAIN,
    HIGH,
    INPUTS,
    INTEGRATOR,
    KD,
    KI,
    KIND,
    KP,
    LOW,
    MOTOR_CONSTANT,
    N_TERMS,
    PID,
    POSITION_INPUT,
    QPOS,
    RESISTANCE,
    SPRING_FORCE,
    SPRINGREF,
    STIFFNESS,
    TENDON_DAMPING,
    TENDON_STIFFNESS,
    TERM_DOF,
    TIME_CONSTANT,
    TOTAL_FORCE,
    VELOCITY_INPUT,
    VOLTAGE,
    VOLTAGE_INPUT,
)


@jit(inline=True)
def _speed_of(robot, index, qvel):
    """Return the rate of the length of a tendon or an actuator by its row of integers."""
    speed = 0.0
    for k in range(index[FIRST_TERM], index[FIRST_TERM] + index[N_TERMS]):
        speed += robot.term[k, COEFFICIENT] * qvel[robot.term_index[k, TERM_DOF]]
    return speed


@jit(inline=True)
def _add(robot, s, index, column, force):
    """Add the force along a tendon or an actuator to the generalised forces."""
    for k in range(index[FIRST_TERM], index[FIRST_TERM] + index[N_TERMS]):
        s.force[robot.term_index[k, TERM_DOF], column] += robot.term[k, COEFFICIENT] * force


@jit
def write_passive(robot, s, qpos, qvel):
    """Write the forces of springs and dampers of joints and tendons."""
    for i in range(len(robot.dof)):
        s.force[i, SPRING_FORCE], s.force[i, DAMPER_FORCE] = 0.0, -robot.dof[i, DAMPING] * qvel[i]
    for j in range(len(robot.joint)):
        stiffness = robot.joint[j, STIFFNESS]
        if stiffness != 0.0:
            stretch = qpos[robot.joint_index[j, QPOS]] - robot.joint[j, SPRINGREF]
            s.force[robot.joint_index[j, DOF], SPRING_FORCE] -= stiffness * stretch
    for t in range(len(robot.tendon)):
        index, tendon = robot.tendon_index[t], robot.tendon[t]
        stretch = spring_stretch(tendon, length_of(robot, index, qpos))
        _add(robot, s, index, SPRING_FORCE, -tendon[TENDON_STIFFNESS] * stretch)
        _add(robot, s, index, DAMPER_FORCE, -tendon[TENDON_DAMPING] * _speed_of(robot, index, qvel))


@jit(inline=True)
def _control(robot, k, ctrl):
    """Return a control, clamped to its range."""
    return min(max(ctrl[k], robot.control[k, 0]), robot.control[k, 1])


@jit
def _inputs(robot, index, ctrl):
    """Return the controls of an actuator: position, velocity, feedforward, voltage; 0 where it has no such."""
    bits, k = index[INPUTS], index[CTRL]
    position = velocity = feedforward = voltage = 0.0
    if bits & POSITION_INPUT:
        position, k = _control(robot, k, ctrl), k + 1
    if bits & VELOCITY_INPUT:
        velocity, k = _control(robot, k, ctrl), k + 1
    if bits & FEEDFORWARD_INPUT:
        feedforward, k = _control(robot, k, ctrl), k + 1
    if bits & VOLTAGE_INPUT:
        voltage = _control(robot, k, ctrl)
    return position, velocity, feedforward, voltage


@jit
def _affine(robot, s, index, actuator, length, speed, act, ctrl):
    """Return the force of an actuator whose gain and bias are affine; write the rate of its activation."""
    value = _control(robot, index[CTRL], ctrl)
    a = index[ACT]
    if index[DYNAMICS] != DIRECT:
        rate = value if index[DYNAMICS] == INTEGRATOR else (value - act[a]) / actuator[TIME_CONSTANT]
        s.act_dot[0, a], value = rate, act[a]
    gain = actuator[GAIN] + actuator[GAIN + 1] * length + actuator[GAIN + 2] * speed
    return gain * value + actuator[BIAS] + actuator[BIAS + 1] * length + actuator[BIAS + 2] * speed


@jit
def _controlled(robot, s, index, actuator, length, speed, act, ctrl):
    """Return the force of a DC motor or a PID servo; write the rates of its integral and its current."""
    position, velocity, feedforward, voltage = _inputs(robot, index, ctrl)
    wanted = actuator[KP] * (position - length) + actuator[KD] * (velocity - speed) + feedforward
    if index[ACT] >= 0:
        wanted += actuator[KI] * act[index[ACT]]
        s.act_dot[0, index[ACT]] = position - length
    if index[KIND] == PID:
        return wanted + actuator[BIAS]
    resistance, constant = actuator[RESISTANCE], actuator[MOTOR_CONSTANT]
    if index[INPUTS] & (POSITION_INPUT | VELOCITY_INPUT | FEEDFORWARD_INPUT):
        driven = resistance / constant * wanted + constant * speed
        voltage += min(max(driven, -actuator[VOLTAGE]), actuator[VOLTAGE])
    current = (voltage - constant * speed) / resistance
    if index[CURRENT] >= 0:
        flowing = act[index[CURRENT]]
        s.act_dot[0, index[CURRENT]], current = (current - flowing) / actuator[TIME_CONSTANT], flowing
    return constant * current


@jit
def write_actuators(robot, s, qpos, qvel, act, ctrl):
    """Write the forces of all actuators and `act_dot`.

    Args:
        robot: `layout.Tables`.
        s: `layout.Scratch`.
        qpos: Positions, shape (nq,) [m, rad].
        qvel: Velocities, shape (nv,) [m/s, rad/s].
        act: Activations, shape (na,), in the order and the units of MuJoCo.
        ctrl: Controls, shape (nu,), in the order and the units of MuJoCo.
    """
    for i in range(len(robot.dof)):
        s.force[i, ACTUATOR_FORCE] = 0.0
    for n in range(len(robot.actuator)):
        index, actuator = robot.actuator_index[n], robot.actuator[n]
        length, speed = length_of(robot, index, qpos), _speed_of(robot, index, qvel)
        if index[KIND] == DC_MOTOR or index[KIND] == PID:
            force = _controlled(robot, s, index, actuator, length, speed, act, ctrl)
        else:
            force = _affine(robot, s, index, actuator, length, speed, act, ctrl)
        _add(robot, s, index, ACTUATOR_FORCE, min(max(force, actuator[LOW]), actuator[HIGH]))
    for i in range(len(robot.dof)):
        total = s.force[i, ACTUATOR_FORCE]
        s.force[i, ACTUATOR_FORCE] = min(max(total, robot.dof[i, FORCE_LOW]), robot.dof[i, FORCE_HIGH])


@jit
def write_total(s):
    """Write the sum of all forces but those of constraints, as mass qacc = total."""
    for i in range(len(s.force)):
        total = s.force[i, SPRING_FORCE] + s.force[i, DAMPER_FORCE] + s.force[i, ACTUATOR_FORCE]
        s.force[i, TOTAL_FORCE] = total - s.force[i, BIAS_FORCE]
