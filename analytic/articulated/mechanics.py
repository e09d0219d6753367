"""The mechanics of a robot in one state: what all later parts of the engine start from, compiled once for all robots.

mass(qpos) qacc + bias(qpos, qvel) = springs + dampers + actuators + rows' forces, with rows qacc + drift = acceleration
of the feet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compilation import jit
from .dynamics import kinetic_energy, potential_energy, solve_mass, write_dynamics, write_factor
from .equalities import write_equalities
from .feet import write_foot
from .forces import write_actuators, write_passive, write_total
from .kinematics import write_kinematics, write_rates
from .layout import (
    ACTUATOR_FORCE,
    BALL,
    BIAS_FORCE,
    DAMPER_FORCE,
    DRIFT,
    FREE,
    GAP,
    ROW_DRIFT,
    ROW_ERROR,
    ROW_VELOCITY,
    SPRING_FORCE,
    TOTAL_FORCE,
    VELOCITY,
    new_scratch,
)
from .robot import Robot


@dataclass(frozen=True, eq=False)
class Mechanics:
    """A robot's mechanics in one state, all arrays along the world's axes.

    Attributes:
        mass: Mass matrix with armatures, shape (nv, nv).
        bias: Coriolis, centrifugal and weight, shape (nv,) [N, N m].
        springs: Forces of springs, shape (nv,) [N, N m].
        dampers: Forces of dampers, shape (nv,) [N, N m].
        actuators: Forces of actuators, shape (nv,) [N, N m].
        qacc: Acceleration without contact, limits and dry friction, shape (nv,) [m/s^2, rad/s^2].
        qpos_dot: Rates of the positions, shape (nq,) [m/s, rad/s, 1/s of quaternions].
        act_dot: Rates of the activations, shape (na,).
        kinetic: Kinetic energy [J].
        potential: Energy of weight and springs [J].
        gap: Distance of each foot from the ground, shape (n_feet,) [m].
        foot_velocity: Of the points that touch, along normal and tangents, shape (n_feet, 3) [m/s].
        foot_rows: foot_velocity = foot_rows qvel, shape (n_feet, 3, nv).
        foot_drift: Acceleration of the feet = foot_rows qacc + foot_drift, shape (n_feet, 3) [m/s^2].
        equality_error: Of the n rows of equalities, zero where they hold, shape (n,) [m, rad].
        equality_velocity: Their rates at zero error, shape (n,) [m/s, rad/s].
        equality_rows: equality_velocity = equality_rows qvel, shape (n, nv).
        equality_drift: Rate of equality_velocity = equality_rows qacc + equality_drift, shape (n,) [m/s^2, rad/s^2].
    """

    mass: np.ndarray
    bias: np.ndarray
    springs: np.ndarray
    dampers: np.ndarray
    actuators: np.ndarray
    qacc: np.ndarray
    qpos_dot: np.ndarray
    act_dot: np.ndarray
    kinetic: float
    potential: float
    gap: np.ndarray
    foot_velocity: np.ndarray
    foot_rows: np.ndarray
    foot_drift: np.ndarray
    equality_error: np.ndarray
    equality_velocity: np.ndarray
    equality_rows: np.ndarray
    equality_drift: np.ndarray


@jit
def write_mechanics(robot, s, qpos, qvel, act, ctrl, qacc):
    """Write a `layout.Scratch` of `layout.Tables`, and the acceleration without constraints.

    Returns:
        The first degree of freedom that moves no mass (-1: none, all is written), kinetic and potential energy [J].
    """
    write_kinematics(robot, s, qpos, qvel)
    write_dynamics(robot, s)
    write_passive(robot, s, qpos, qvel)
    write_actuators(robot, s, qpos, qvel, act, ctrl)
    write_total(s)
    for i in range(len(robot.foot)):
        write_foot(robot, s, i, True)
    write_equalities(robot, s, qpos, qvel)
    massless = write_factor(s)
    if massless < 0:
        for i in range(len(qacc)):
            qacc[i] = s.force[i, TOTAL_FORCE]
        solve_mass(s.factor, qacc)
    return massless, kinetic_energy(robot, s, qvel), potential_energy(robot, s, qpos)


def evaluate(robot: Robot, qpos, qvel=None, act=None, ctrl=None) -> Mechanics:
    """Return the mechanics of a robot in a state.

    Args:
        robot: Of n degrees of freedom, as `mjcf.articulated.convert` makes it.
        qpos: Positions as MuJoCo has them, shape (nq,) [m, rad]; quaternions of any length but zero.
        qvel: Velocities as MuJoCo has them, shape (nv,) [m/s, rad/s]; zero by default, as all that follow.
        act: Activations, shape (na,).
        ctrl: Controls, shape (nu,); beyond a control's range its end counts.

    Raises:
        ValueError: If a shape or a number is wrong, a quaternion is zero, or a joint moves no mass; the sentence says
            which.
    """
    qpos, qvel, act, ctrl = (
        _array(name, value, n)
        for name, value, n in (
            ("qpos", qpos, robot.nq),
            ("qvel", qvel, robot.nv),
            ("act", act, robot.na),
            ("ctrl", ctrl, robot.nu),
        )
    )
    _check_quaternions(robot, qpos)
    s, qacc, qpos_dot = new_scratch(robot.tables, robot.na), np.zeros(robot.nv), np.zeros(robot.nq)
    write_rates(robot.tables, qpos, qvel, qpos_dot)
    massless, kinetic, potential = write_mechanics(robot.tables, s, qpos, qvel, act, ctrl, qacc)
    if massless >= 0:
        raise ValueError(f"the joint {robot.dof_name(massless)!r} moves no mass: give its body mass, or an armature")
    return Mechanics(
        mass=s.mass,
        bias=s.force[:, BIAS_FORCE],
        springs=s.force[:, SPRING_FORCE],
        dampers=s.force[:, DAMPER_FORCE],
        actuators=s.force[:, ACTUATOR_FORCE],
        qacc=qacc,
        qpos_dot=qpos_dot,
        act_dot=s.act_dot[0],
        kinetic=kinetic,
        potential=potential,
        gap=s.foot[:, GAP],
        foot_velocity=s.foot[:, VELOCITY : VELOCITY + 3],
        foot_rows=s.foot_rows.reshape(robot.n_feet, 3, robot.nv),
        foot_drift=s.foot[:, DRIFT : DRIFT + 3],
        equality_error=s.equality[:, ROW_ERROR],
        equality_velocity=s.equality[:, ROW_VELOCITY],
        equality_rows=s.equality_rows,
        equality_drift=s.equality[:, ROW_DRIFT],
    )


def _array(name: str, value, n: int) -> np.ndarray:
    if value is None and name != "qpos":
        return np.zeros(n)
    array = np.array(value, np.float64)  # a copy: compiled code knows one kind of array
    if array.shape != (n,):
        raise ValueError(f"{name} must have the shape ({n},), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; it holds NaN or infinity")
    return array


def _check_quaternions(robot: Robot, qpos: np.ndarray) -> None:
    for name, (kind, address, _) in zip(robot.joint_names, robot.tables.joint_index, strict=True):
        first = address + (3 if kind == FREE else 0)
        if kind <= BALL and not qpos[first : first + 4].any():
            raise ValueError(f"the quaternion of the joint {name!r}, qpos[{first}:{first + 4}], must not be zero")
