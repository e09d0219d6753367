"""Mass matrix, forces and accelerations without contact, from what `kinematics` wrote.

M(q) dv/dt + bias(q, v) = passive + actuator + J^T f, as MuJoCo's. M by composite bodies, the bias by the recursive
Newton-Euler method (Featherstone, Rigid Body Dynamics Algorithms, 2008, tables 6.2 and 5.1). Its factor along the tree,
M = L^T L, has entries only where M has them (tables 6.3 to 6.5): a leg's rows leave the other legs alone.
"""

import math

from ..compilation import jit
from .kinematics import kinematics
from .layout import (
    ACTUATOR_FORCE,
    ARMATURE,
    BALL,
    BIAS_FORCE,
    DAMPER_FORCE,
    DAMPING,
    DOFADR,
    END_DOF,
    FIRST_DOF,
    FREE,
    HEAVY,
    HIGH,
    JOINT_COUNT,
    JOINT_START,
    KIND,
    LAST,
    LENGTH,
    LINE_DAMPING,
    LOW,
    MASS,
    NEXT,
    PARENT,
    SPEED,
    SPRING_FORCE,
    STIFFNESS,
)
from .vectors import add, add_cross_force, copy, dot6, momentum


@jit(views=True)
def motion(robot, work, qpos, qvel):
    """Write what depends on positions and speeds alone: places, mass matrix with its factor, forces."""
    kinematics(robot, work, qpos, qvel)
    _wrenches(robot, work)
    _mass_and_bias(robot, work)
    _passive(robot, work, qvel)
    factorise_tree(robot, work.mass, work.factor)


@jit(views=True)
def free_acceleration(robot, work, qacc):
    """Write the accelerations without contact."""
    total_force(work, qacc)
    solve_upper(robot, work.factor, qacc)
    solve_lower(robot, work.factor, qacc)


@jit(views=True)
def total_force(work, force):
    """Write the sum of all forces but those of contact, less the bias."""
    for i in range(len(force)):
        force[i] = work.load[SPRING_FORCE, i] + work.load[DAMPER_FORCE, i]
        force[i] += work.load[ACTUATOR_FORCE, i] - work.load[BIAS_FORCE, i]


@jit(views=True)
def _wrenches(robot, work):
    """Write the forces of bodies at zero joint acceleration, and composite inertias, both with all they carry."""
    part, acceleration = work.scratch[0], work.scratch[1]
    for b in range(1, len(robot.body)):
        copy(work.drift[b], acceleration)
        for k in range(3):
            acceleration[3 + k] -= robot.body[b, HEAVY] * robot.gravity[k]
        momentum(work.inertia[b], acceleration, work.wrench[b])
        momentum(work.inertia[b], work.velocity[b], part)
        add_cross_force(work.velocity[b], part, work.wrench[b])
        copy(work.inertia[b], work.composite[b])
    for b in range(len(robot.body) - 1, 0, -1):
        parent = robot.body_of[b, PARENT]
        if parent > 0:
            add(work.wrench[b], work.wrench[parent])
            add(work.composite[b], work.composite[parent])


@jit(views=True)
def _mass_and_bias(robot, work):
    """Write the mass matrix and the bias of all degrees of freedom."""
    part = work.scratch[0]
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
                    k = robot.dof_of[k, NEXT]
                work.mass[i, i] += robot.dof[i, ARMATURE]
                work.load[BIAS_FORCE, i] = dot6(work.axis[i], work.wrench[b])


@jit(views=True)
def _passive(robot, work, qvel):
    """Write the forces of dampers and springs. Dry friction is a matter of contact."""
    for i in range(len(robot.dof)):
        work.load[SPRING_FORCE, i] = 0.0
        work.load[DAMPER_FORCE, i] = -_slope(robot.dof[i], DAMPING, abs(qvel[i])) * qvel[i]
    for k in range(len(robot.line)):
        line, x, v = robot.line[k], _stretch(robot, work, k), work.line[k, SPEED]
        spring, damper = -_slope(line, STIFFNESS, x) * x, -_slope(line, LINE_DAMPING, abs(v)) * v
        if spring != 0.0 or damper != 0.0:
            for i in range(robot.line_of[k, FIRST_DOF], robot.line_of[k, END_DOF]):
                work.load[SPRING_FORCE, i] += robot.line_row[k, i] * spring
                work.load[DAMPER_FORCE, i] += robot.line_row[k, i] * damper


@jit(views=True)
def _slope(numbers, first, x):
    """Return the force by x of a spring or damper that is not linear."""
    return numbers[first] + x * (numbers[first + 1] + x * numbers[first + 2])


@jit(views=True)
def _stretch(robot, work, k):
    """Return the length of a line beyond that at which its spring is slack."""
    length, line = work.line[k, LENGTH], robot.line[k]
    return length - min(max(length, line[LOW]), line[HIGH])


@jit(views=True)
def factorise(matrix, factor):
    """Write the lower Cholesky factor of a positive definite matrix; NaN where it is not."""
    for i in range(len(matrix)):
        for j in range(i + 1):
            s = matrix[i, j]
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            factor[i, j] = math.sqrt(s) if i == j else s / factor[j, j]


@jit(views=True)
def energy(robot, work, qvel):
    """Return kinetic and potential energy (gravity, about the world's origin, and springs) [J], after `kinematics`."""
    part, kinetic, potential = work.scratch[0], 0.0, 0.0
    for b in range(1, len(robot.body)):
        momentum(work.inertia[b], work.velocity[b], part)
        kinetic += 0.5 * dot6(work.velocity[b], part)
        for k in range(3):
            weight = robot.body[b, MASS] * robot.body[b, HEAVY] * robot.gravity[k]
            potential -= weight * (work.com[b, k] + work.origin[k])
    for i in range(len(robot.dof)):
        kinetic += 0.5 * robot.dof[i, ARMATURE] * qvel[i] * qvel[i]
    for k in range(len(robot.line)):
        x, line = _stretch(robot, work, k), robot.line[k]
        part_2, part_3, part_4 = line[STIFFNESS] / 2.0, line[STIFFNESS + 1] / 3.0, line[STIFFNESS + 2] / 4.0
        potential += x * x * (part_2 + x * (part_3 + x * part_4))
    return kinetic, potential


@jit(views=True)
def factorise_tree(robot, mass, factor):
    """Write L, lower triangular, with one over its diagonal, of a positive definite mass matrix; else NaN."""
    for k in range(len(robot.dof) - 1, -1, -1):
        i, scale = k, 0.0
        while i >= 0:
            s = mass[k, i]
            for j in range(robot.dof_of[k, LAST], k, -1):
                s -= factor[j, k] * factor[j, i]
            if i == k:
                scale, s = 1.0 / math.sqrt(s), 1.0
            factor[k, i] = s * scale
            i = robot.dof_of[i, NEXT]


@jit(views=True)
def solve_upper(robot, factor, vector):
    """Replace a force by L^-T of it."""
    for i in range(len(vector) - 1, -1, -1):
        if vector[i] != 0.0:
            vector[i] *= factor[i, i]
            j = robot.dof_of[i, NEXT]
            while j >= 0:
                vector[j] -= factor[i, j] * vector[i]
                j = robot.dof_of[j, NEXT]


@jit(views=True)
def solve_lower(robot, factor, vector):
    """Replace a vector by L^-1 of it; M^-1 of a force is that of `solve_upper`."""
    for i in range(len(vector)):
        s = vector[i]
        j = robot.dof_of[i, NEXT]
        while j >= 0:
            s -= factor[i, j] * vector[j]
            j = robot.dof_of[j, NEXT]
        vector[i] = s * factor[i, i]
