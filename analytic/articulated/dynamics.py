"""The mass matrix by composite bodies, the bias force by Newton's and Euler's equations, and the energy.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), tables 6.2 and 5.1; here in the world's axes, with
`write_kinematics` for the outward pass.
"""

from __future__ import annotations

import math

import numpy as np

from ..compilation import jit
from .layout import (
    ARMATURE,
    BIAS_FORCE,
    COEFFICIENT,
    DOF_BODY,
    DOF_PARENT,
    FIRST_TERM,
    GRAVITY,
    MASS,
    N_TERMS,
    PARENT,
    QPOS,
    SPRING_HIGH,
    SPRING_LOW,
    SPRINGREF,
    STIFFNESS,
    TENDON_STIFFNESS,
    TERM_QPOS,
)
from .spatial import add_force_rate, momentum


@jit
def _gather(robot, s, work):
    """Write `crb` and `cfrc`; `work`, shape (2, 6), is scratch."""
    cinert, crb, cvel, cacc, cfrc, index, world = s.cinert, s.crb, s.cvel, s.cacc, s.cfrc, robot.body_index, robot.world
    for b in range(1, len(index)):
        for k in range(3):
            work[0, k], work[0, k + 3] = cacc[b, k], cacc[b, k + 3] - world[GRAVITY, k]
        momentum(cinert, b, work, 0, cfrc, b)
        momentum(cinert, b, cvel, b, work, 1)
        add_force_rate(cvel, b, work, 1, cfrc)
        for k in range(10):
            crb[b, k] = cinert[b, k]
    for b in range(len(index) - 1, 0, -1):
        p = index[b, PARENT]
        for k in range(6 if p > 0 else 0):
            cfrc[p, k] += cfrc[b, k]
        for k in range(10 if p > 0 else 0):
            crb[p, k] += crb[b, k]


@jit(inline=True)
def _product(motion, i, force, j):
    """Return the power of a force, row j, along a motion, row i."""
    angular = motion[i, 0] * force[j, 0] + motion[i, 1] * force[j, 1] + motion[i, 2] * force[j, 2]
    return angular + motion[i, 3] * force[j, 3] + motion[i, 4] * force[j, 4] + motion[i, 5] * force[j, 5]


@jit
def write_dynamics(robot, s):
    """Write `mass` and the bias force, those of Coriolis, centrifugal and weight: mass qacc + bias = all other forces.

    After `write_kinematics`.
    """
    mass, cdof, crb, cfrc, index, force = s.mass, s.cdof, s.crb, s.cfrc, robot.dof_index, s.force
    work = np.empty((2, 6))
    _gather(robot, s, work)
    for i in range(len(index)):
        for k in range(len(index)):
            mass[i, k] = 0.0
    for i in range(len(index)):
        b = index[i, DOF_BODY]
        momentum(crb, b, cdof, i, work, 0)
        k = i
        while k >= 0:
            mass[i, k] = mass[k, i] = _product(cdof, k, work, 0)
            k = index[k, DOF_PARENT]
        mass[i, i] += robot.dof[i, ARMATURE]
        force[i, BIAS_FORCE] = _product(cdof, i, cfrc, b)


@jit
def write_factor(s):
    """Write L of mass = L L'; return -1, or the first degree of freedom that moves no mass."""
    mass, factor = s.mass, s.factor
    for i in range(len(mass)):
        for j in range(i + 1):
            rest = mass[i, j]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            if i == j:
                if not rest > 0.0:
                    return i
                factor[i, i] = math.sqrt(rest)
            else:
                factor[i, j] = rest / factor[j, j]
    return -1


@jit
def solve_mass(factor, vector):
    """Replace a vector of generalised forces, shape (nv,), by the accelerations that they give."""
    n = len(vector)
    for i in range(n):
        for k in range(i):
            vector[i] -= factor[i, k] * vector[k]
        vector[i] /= factor[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            vector[i] -= factor[k, i] * vector[k]
        vector[i] /= factor[i, i]


@jit
def kinetic_energy(robot, s, qvel):
    """Return the kinetic energy, that of armatures included [J]; after `write_kinematics`."""
    work, energy = np.empty((1, 6)), 0.0
    for b in range(1, len(robot.body)):
        momentum(s.cinert, b, s.cvel, b, work, 0)
        energy += 0.5 * _product(s.cvel, b, work, 0)
    for i in range(len(robot.dof)):
        energy += 0.5 * robot.dof[i, ARMATURE] * qvel[i] ** 2
    return energy


@jit
def potential_energy(robot, s, qpos):
    """Return the energy of weight, zero at the world's origin, and of springs [J]; after `write_kinematics`."""
    energy = 0.0
    for b in range(1, len(robot.body)):
        for k in range(3):
            energy -= robot.body[b, MASS] * robot.world[GRAVITY, k] * (s.reference[0, k] + s.xipos[b, k])
    for j in range(len(robot.joint)):
        if robot.joint[j, STIFFNESS] != 0.0:
            stretch = qpos[robot.joint_index[j, QPOS]] - robot.joint[j, SPRINGREF]
            energy += 0.5 * robot.joint[j, STIFFNESS] * stretch**2
    for t in range(len(robot.tendon)):
        stretch = spring_stretch(robot.tendon[t], length_of(robot, robot.tendon_index[t], qpos))
        energy += 0.5 * robot.tendon[t, TENDON_STIFFNESS] * stretch**2
    return energy


@jit(inline=True)
def length_of(robot, index, qpos):
    """Return the length of a tendon or an actuator by its row of integers."""
    length = 0.0
    for k in range(index[FIRST_TERM], index[FIRST_TERM] + index[N_TERMS]):
        length += robot.term[k, COEFFICIENT] * qpos[robot.term_index[k, TERM_QPOS]]
    return length


@jit(inline=True)
def spring_stretch(tendon, length):
    """Return how far a tendon is beyond the range in which its spring is slack, negative below it."""
    return length - min(max(length, tendon[SPRING_LOW]), tendon[SPRING_HIGH])
