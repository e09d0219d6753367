"""Where the compiled functions find a robot's numbers, and where they write: tables, their columns, and the workspace.

The robot is an argument of the compiled functions, so that they are compiled once for all robots. Spatial vectors are
(angular, linear), along the world's axes, at the momentary place of the robot's first body: far from the world's
origin nothing is lost to rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Kinds of joints, MuJoCo's numbers.
FREE, BALL, SLIDE, HINGE = range(4)

# Columns of `Tables.body`, MuJoCo's quantities: mass [kg], place and turn of the frame in the parent's frame, place and
# turn of the principal axes in the body's frame, moments of inertia [kg m^2].
MASS, POS, QUAT, IPOS, IQUAT, INERTIA, BODY_COLUMNS = 0, 1, 4, 8, 11, 15, 18
# Of `Tables.body_of`: parent (0: the world), first joint, number of joints, last degree of freedom that moves it (-1).
PARENT, JOINT_START, JOINT_COUNT, LAST_DOF = range(4)

# Columns of `Tables.joint`: anchor and axis in the body's frame, position at which the file's tree was drawn, spring.
ANCHOR, AXIS, QPOS0, STIFFNESS, SPRINGREF, JOINT_COLUMNS = 0, 3, 6, 7, 8, 9
# Of `Tables.joint_of`: kind, addresses of its first position and its first speed.
KIND, QPOSADR, DOFADR = range(3)

# Columns of `Tables.dof`: armature, damping, limits of the sum of its actuators' forces, dry friction.
ARMATURE, DAMPING, LEAST, MOST, FRICTIONLOSS, DOF_COLUMNS = range(6)

# Columns of `Tables.actuator`. An affine law: (g0 + g1 length + g2 velocity) u + b0 + b1 length + b2 velocity. A servo:
# kp (u_pos - length) + kd (u_vel - velocity) + u_ff, within what the motor gives at its largest voltage,
# +-STALL - BACK_EMF velocity. The sum is clamped to FORCE_LEAST, FORCE_MOST. An activation follows in TIMECONST; that
# of a winding is its current, and CONSTANT is force by current.
(GEAR, GAIN, BIAS, KP, KD, STALL, BACK_EMF, CONSTANT, FORCE_LEAST, FORCE_MOST, TIMECONST,
 ACTUATOR_COLUMNS) = 0, 1, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15  # fmt: skip
# Of `Tables.actuator_of`: addresses of joint position and speed; law; controls (-1: none); activation (-1: none).
JOINT_QPOS, JOINT_DOF, LAW, U_POS, U_VEL, U_FF, ACTADR, DYNAMICS = range(8)
AFFINE, SERVO = range(2)  # laws
INTEGRATOR, FILTER, CURRENT = range(1, 4)  # dynamics of an activation: its rate is u; (u - a) / T; that of a winding

# Columns of `Tables.limit`: sign and bound, gap = sign (q - bound); of `limit_of`: address of position and speed.
SIGN, BOUND = range(2)
# Columns of `Tables.foot`: centre in the body's frame, radius, friction, restitution.
CENTRE, RADIUS, MU, RESTITUTION, FOOT_COLUMNS = 0, 3, 4, 5, 6


class Tables(NamedTuple):
    """A robot as arrays, which `Robot.tables` makes."""

    body: np.ndarray  # (nbody, BODY_COLUMNS)
    body_of: np.ndarray  # (nbody, 4) int
    joint: np.ndarray  # (njnt, JOINT_COLUMNS)
    joint_of: np.ndarray  # (njnt, 3) int
    dof: np.ndarray  # (nv, DOF_COLUMNS)
    dof_of: np.ndarray  # (nv,) int, the next degree of freedom towards the world, -1: none
    actuator: np.ndarray  # (n_actuators, ACTUATOR_COLUMNS)
    actuator_of: np.ndarray  # (n_actuators, 8) int
    control: np.ndarray  # (nu, 2) range of the controls
    limit: np.ndarray  # (n_limits, 2)
    limit_of: np.ndarray  # (n_limits, 2) int
    foot: np.ndarray  # (n_feet, FOOT_COLUMNS)
    foot_of: np.ndarray  # (n_feet,) int, the body
    ground: np.ndarray  # (4, 3) a point of the plane, its normal, two tangents
    gravity: np.ndarray  # (3,) [m/s^2]


class Workspace(NamedTuple):
    """What the compiled functions write, in the order in which they do."""

    origin: np.ndarray  # (3,) where spatial vectors are taken, world frame [m]
    xpos: np.ndarray  # (nbody, 3) places of the bodies' frames, world frame [m]
    xquat: np.ndarray  # (nbody, 4)
    com: np.ndarray  # (nbody, 3) centres of mass, from the origin [m]
    inertia: np.ndarray  # (nbody, 10) mass, first moments, xx, yy, zz, xy, xz, yz about the origin
    composite: np.ndarray  # (nbody, 10) the same of the body with all that it carries
    axis: np.ndarray  # (nv, 6) spatial velocity for unit speed of a degree of freedom
    axis_rate: np.ndarray  # (nv, 6) its rate
    velocity: np.ndarray  # (nbody, 6)
    drift: np.ndarray  # (nbody, 6) spatial acceleration at zero joint acceleration, without gravity
    wrench: np.ndarray  # (nbody, 6) force that this acceleration takes, less gravity, with all that is carried
    mass: np.ndarray  # (nv, nv) mass matrix with armature
    factor: np.ndarray  # (nv, nv) its lower Cholesky factor
    load: np.ndarray  # (3, nv) bias (Coriolis and gravity), passive and actuator forces
    actuator: np.ndarray  # (n_actuators, 2) force and velocity of each
    foot: np.ndarray  # (n_feet, 7) gap, velocity and drift of the contact point along normal and tangents
    jacobian: np.ndarray  # (n_feet, 3, nv) of that velocity


BIAS_FORCE, PASSIVE_FORCE, ACTUATOR_FORCE = range(3)  # rows of `Workspace.load`
GAP, VELOCITY, DRIFT = 0, 1, 4  # columns of `Workspace.foot`


def workspace(tables: Tables) -> Workspace:
    """Return an empty workspace for the robot of these tables."""
    nbody, nv, n_feet = len(tables.body), len(tables.dof), len(tables.foot)
    shapes = [(3,), (nbody, 3), (nbody, 4), (nbody, 3), (nbody, 10), (nbody, 10), (nv, 6), (nv, 6), (nbody, 6),
              (nbody, 6), (nbody, 6), (nv, nv), (nv, nv), (3, nv), (len(tables.actuator), 2), (n_feet, 7),
              (n_feet, 3, nv)]  # fmt: skip
    return Workspace(*map(np.zeros, shapes))
