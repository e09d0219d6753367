"""Mechanics without contact of a `Robot`, from NumPy arrays: acceleration, mass matrix, energy, motion of the feet.

Positions, speeds, controls and activations are MuJoCo's `qpos`, `qvel`, `ctrl` and `act`: a free joint's linear speed
is along the world's axes, its angular speed along the body's.
"""

from dataclasses import dataclass

import numpy as np

from . import actuators, dynamics, equalities, feet
from .layout import (
    ACTUATOR_FORCE,
    BIAS_FORCE,
    DAMPER_FORCE,
    DRIFT,
    ERROR,
    GAP,
    ROW_DRIFT,
    ROW_VELOCITY,
    SPRING_FORCE,
    VELOCITY,
    Workspace,
    workspace,
)
from .robot import Robot


@dataclass(frozen=True)
class Mechanics:
    """A robot's mechanics at one state.

    Attributes:
        qacc: Accelerations without contact, limits, dry friction and equalities, shape (nv,).
        act_rate: Rates of the activations, shape (na,).
        mass_matrix: Shape (nv, nv), armature included.
        bias: Coriolis, centrifugal and gravity forces, MuJoCo's `qfrc_bias`, shape (nv,).
        passive: Forces of springs and dampers, shape (nv,).
        actuator: Forces of actuators on the degrees of freedom, shape (nv,).
        kinetic: Kinetic energy [J].
        potential: Energy of gravity (zero at the world's origin) and of springs [J].
        gap: Heights of the feet's contact points above the ground, shape (n_feet,) [m].
        foot_velocity: Velocities of the material there, along normal and tangents, shape (n_feet, 3) [m/s].
        foot_drift: What their rates are at zero joint acceleration, shape (n_feet, 3) [m/s^2].
        jacobian: Of that velocity, shape (n_feet, 3, nv).
        equality_error: By how much the rows of equalities are not met, shape (rows,) [m, rad].
        equality_velocity: Its rate; of turns, where the error is zero [m/s, rad/s].
        equality_drift: What the rates of those velocities are at zero joint acceleration [m/s^2, rad/s^2].
        equality_jacobian: Of those velocities, shape (rows, nv).
    """

    qacc: np.ndarray
    act_rate: np.ndarray
    mass_matrix: np.ndarray
    bias: np.ndarray
    passive: np.ndarray
    actuator: np.ndarray
    kinetic: float
    potential: float
    gap: np.ndarray
    foot_velocity: np.ndarray
    foot_drift: np.ndarray
    jacobian: np.ndarray
    equality_error: np.ndarray
    equality_velocity: np.ndarray
    equality_drift: np.ndarray
    equality_jacobian: np.ndarray


def mechanics(robot: Robot, qpos, qvel, ctrl=None, act=None) -> Mechanics:
    """Return the mechanics of a robot at a state.

    Args:
        robot: The robot.
        qpos: Positions, shape (nq,); quaternions need not be of length one.
        qvel: Speeds, shape (nv,).
        ctrl: Controls, shape (nu,); None: zero. They are clamped to their ranges.
        act: Activations, shape (na,); None: zero.

    Raises:
        ValueError: If a shape is wrong, a number not finite, or a quaternion zero.
    """
    qpos = array_of("qpos", qpos, robot.nq)
    qvel = array_of("qvel", qvel, robot.nv)
    ctrl = array_of("ctrl", np.zeros(robot.nu) if ctrl is None else ctrl, robot.nu)
    act = array_of("act", np.zeros(robot.na) if act is None else act, robot.na)
    robot.check_quaternions(qpos)
    work, qacc, rate = workspace(robot.tables), np.zeros(robot.nv), np.zeros(robot.na)
    kinetic, potential = evaluate(robot.tables, work, qpos, qvel, ctrl, act, rate, qacc)
    return _result(work, qacc, rate, kinetic, potential)


@dynamics.jit
def evaluate(robot, work, qpos, qvel, ctrl, act, act_rate, qacc):
    """Write everything of `Mechanics` to the workspace; return kinetic and potential energy [J]."""
    dynamics.motion(robot, work, qpos, qvel)
    actuators.actuators(robot, work, ctrl, act, act_rate)
    kinetic, potential = dynamics.energy(robot, work, qvel)
    dynamics.free_acceleration(robot, work, qacc)
    feet.feet(robot, work)
    equalities.equalities(robot, work)
    return kinetic, potential


def array_of(name: str, value, n: int) -> np.ndarray:
    """Return a copy of `value` as an array of n finite numbers.

    Raises:
        ValueError: If it is none.
    """
    array = np.array(value, float)
    if array.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; it holds NaN or infinity")
    return array


def _result(work: Workspace, qacc, rate, kinetic: float, potential: float) -> Mechanics:
    load, foot, rows = work.load, work.foot, work.equality
    return Mechanics(
        qacc=qacc, act_rate=rate, mass_matrix=work.mass, bias=load[BIAS_FORCE],
        passive=load[SPRING_FORCE] + load[DAMPER_FORCE],
        actuator=load[ACTUATOR_FORCE], kinetic=kinetic, potential=potential, gap=foot[:, GAP],
        foot_velocity=foot[:, VELOCITY:DRIFT], foot_drift=foot[:, DRIFT:], jacobian=work.jacobian,
        equality_error=rows[:, ERROR], equality_velocity=rows[:, ROW_VELOCITY], equality_drift=rows[:, ROW_DRIFT],
        equality_jacobian=work.equality_jacobian,
    )  # fmt: skip
