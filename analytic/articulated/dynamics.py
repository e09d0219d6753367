"""Mass matrix, forces and accelerations without contact, from what `kinematics` wrote.

M(q) dv/dt + bias(q, v) = passive + actuator + J^T f, as MuJoCo's. M by composite bodies, the bias by the recursive
Newton-Euler method (Featherstone, Rigid Body Dynamics Algorithms, 2008, tables 6.2 and 5.1).
"""

from __future__ import annotations

import math

import numpy as np

from ..compilation import jit
from .actuators import actuators
from .kinematics import kinematics
from .layout import (
    ACTUATOR_FORCE,
    ARMATURE,
    BALL,
    BIAS_FORCE,
    DAMPING,
    DOFADR,
    FREE,
    JOINT_COUNT,
    JOINT_START,
    KIND,
    MASS,
    PARENT,
    PASSIVE_FORCE,
    QPOSADR,
    SPRINGREF,
    STIFFNESS,
)
from .vectors import add_cross_force, dot6, momentum


@jit
def mechanics(robot, work, qpos, qvel, ctrl, act, act_rate):
    """Write all that does not depend on contact: places, mass matrix with its factor, forces, rates of activations."""
    kinematics(robot, work, qpos, qvel)
    _wrenches(robot, work)
    _mass_and_bias(robot, work)
    _passive(robot, work, qpos, qvel)
    actuators(robot, work, qpos, qvel, ctrl, act, act_rate)
    factorise(work.mass, work.factor)


@jit
def free_acceleration(work, qacc):
    """Write the accelerations without contact."""
    for i in range(len(qacc)):
        qacc[i] = work.load[PASSIVE_FORCE, i] + work.load[ACTUATOR_FORCE, i] - work.load[BIAS_FORCE, i]
    solve_lower(work.factor, qacc)
    solve_upper(work.factor, qacc)


@jit
def _wrenches(robot, work):
    """Write the forces of bodies at zero joint acceleration, and composite inertias, both with all they carry."""
    part, acceleration = np.empty(6), np.empty(6)
    for b in range(1, len(robot.body)):
        acceleration[:] = work.drift[b]
        for k in range(3):
            acceleration[3 + k] -= robot.gravity[k]
        momentum(work.inertia[b], acceleration, work.wrench[b])
        momentum(work.inertia[b], work.velocity[b], part)
        add_cross_force(work.velocity[b], part, work.wrench[b])
        work.composite[b, :] = work.inertia[b]
    for b in range(len(robot.body) - 1, 0, -1):
        parent = robot.body_of[b, PARENT]
        if parent > 0:
            work.wrench[parent] += work.wrench[b]
            work.composite[parent] += work.composite[b]


@jit
def _mass_and_bias(robot, work):
    """Write the mass matrix and the bias of all degrees of freedom."""
    part = np.empty(6)
    work.mass[:, :] = 0.0
    for b in range(1, len(robot.body)):
        start = robot.body_of[b, JOINT_START]
        for j in range(start, start + robot.body_of[b, JOINT_COUNT]):
            kind, first = robot.joint_of[j, KIND], robot.joint_of[j, DOFADR]
            for i in range(first, first + (6 if kind == FREE else (3 if kind == BALL else 1))):
                momentum(work.composite[b], work.axis[i], part)
                k = i
                while k >= 0:
                    work.mass[i, k] = dot6(work.axis[k], part)
                    work.mass[k, i] = work.mass[i, k]
                    k = robot.dof_of[k]
                work.mass[i, i] += robot.dof[i, ARMATURE]
                work.load[BIAS_FORCE, i] = dot6(work.axis[i], work.wrench[b])


@jit
def _passive(robot, work, qpos, qvel):
    """Write the forces of dampers and springs. Dry friction is a matter of contact."""
    for i in range(len(robot.dof)):
        work.load[PASSIVE_FORCE, i] = -robot.dof[i, DAMPING] * qvel[i]
    for j in range(len(robot.joint)):
        if robot.joint[j, STIFFNESS] != 0.0:
            stretch = qpos[robot.joint_of[j, QPOSADR]] - robot.joint[j, SPRINGREF]
            work.load[PASSIVE_FORCE, robot.joint_of[j, DOFADR]] -= robot.joint[j, STIFFNESS] * stretch


@jit
def factorise(matrix, factor):
    """Write the lower Cholesky factor of a positive definite matrix; NaN where it is not."""
    for i in range(len(matrix)):
        for j in range(i + 1):
            s = matrix[i, j]
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            factor[i, j] = math.sqrt(s) if i == j else s / factor[j, j]


@jit
def solve_lower(factor, vector):
    """Replace a vector by L^-1 of it."""
    for i in range(len(vector)):
        s = vector[i]
        for k in range(i):
            s -= factor[i, k] * vector[k]
        vector[i] = s / factor[i, i]


@jit
def solve_upper(factor, vector):
    """Replace a vector by L^-T of it."""
    for i in range(len(vector) - 1, -1, -1):
        s = vector[i]
        for k in range(i + 1, len(vector)):
            s -= factor[k, i] * vector[k]
        vector[i] = s / factor[i, i]


@jit
def energy(robot, work, qpos, qvel):
    """Return kinetic and potential energy (gravity, about the world's origin, and springs) [J]; calls `kinematics`."""
    kinematics(robot, work, qpos, qvel)
    part, kinetic, potential = np.empty(6), 0.0, 0.0
    for b in range(1, len(robot.body)):
        momentum(work.inertia[b], work.velocity[b], part)
        kinetic += 0.5 * dot6(work.velocity[b], part)
        for k in range(3):
            potential -= robot.body[b, MASS] * robot.gravity[k] * (work.com[b, k] + work.origin[k])
    for i in range(len(robot.dof)):
        kinetic += 0.5 * robot.dof[i, ARMATURE] * qvel[i] * qvel[i]
    for j in range(len(robot.joint)):
        if robot.joint[j, STIFFNESS] != 0.0:
            stretch = qpos[robot.joint_of[j, QPOSADR]] - robot.joint[j, SPRINGREF]
            potential += 0.5 * robot.joint[j, STIFFNESS] * stretch * stretch
    return kinetic, potential
