"""The layout of a robot's tables and of the arrays that its mechanics write: columns, kinds, sizes.

A robot is a few tables, a row for each body, joint, degree of freedom, and so on; addresses are in the tables of
integers. Names are MuJoCo's where the quantity is MuJoCo's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FREE, BALL, SLIDE, HINGE = range(4)  # types of joints, as MuJoCo numbers them
DOFS = (6, 3, 1, 1)  # of each type
COORDINATES = (7, 4, 1, 1)  # of each type

# Bodies: the world is the first. Its own pose is in its parent's frame, that of its inertia in its own.
PARENT, FIRST_JOINT, N_JOINTS, LAST_DOF = range(4)  # the last that moves the body, -1 if none does
BODY_INTEGERS = 4
POS, QUAT, IPOS, IQUAT, MASS, INERTIA = 0, 3, 7, 10, 14, 15
BODY_NUMBERS = 18

TYPE, QPOS, DOF = range(3)  # of a joint: its type and its first addresses in qpos and qvel
JOINT_INTEGERS = 3
ANCHOR, AXIS, QPOS0, STIFFNESS, SPRINGREF = 0, 3, 6, 7, 8  # anchor and axis in the body's frame
JOINT_NUMBERS = 9

DOF_PARENT, DOF_BODY = range(2)  # -1: no parent
DOF_INTEGERS = 2
ARMATURE, DAMPING, FRICTIONLOSS, FORCE_LOW, FORCE_HIGH = range(5)  # forces: the range of all actuators of a joint
DOF_NUMBERS = 5

# Terms: a length of a fixed tendon, or of an actuator, is a sum of coefficients times joint positions.
TERM_QPOS, TERM_DOF = range(2)
TERM_INTEGERS = 2
COEFFICIENT = 0
TERM_NUMBERS = 1

FIRST_TERM, N_TERMS = range(2)  # of a tendon and of an actuator
TENDON_INTEGERS = 2
TENDON_STIFFNESS, TENDON_DAMPING, SPRING_LOW, SPRING_HIGH = range(4)  # the spring is slack between these lengths
TENDON_NUMBERS = 4

AFFINE, DC_MOTOR, PID = range(3)  # kinds of actuators
DIRECT, INTEGRATOR, FILTER = range(3)  # what the force of an affine one depends on: control, its integral, its lag
KIND, DYNAMICS, CTRL, INPUTS, ACT, CURRENT = range(2, 8)  # first control; inputs; states (-1: none)
ACTUATOR_INTEGERS = 8
POSITION_INPUT, VELOCITY_INPUT, FEEDFORWARD_INPUT, VOLTAGE_INPUT = 1, 2, 4, 8  # bits of INPUTS, controls in this order
# GAIN and BIAS: constant, times length, times velocity. KP, KI, KD: of a motor's or PID's controller.
GAIN, BIAS, TIME_CONSTANT, LOW, HIGH, RESISTANCE, MOTOR_CONSTANT, KP, KI, KD, VOLTAGE = 0, 3, *range(6, 15)
ACTUATOR_NUMBERS = 15

LIMIT_QPOS, LIMIT_DOF = range(2)  # of a joint's limit, one row for each side: gap = sign * (qpos - value)
LIMIT_INTEGERS = 2
SIGN, VALUE = range(2)
LIMIT_NUMBERS = 2

CONNECT, WELD, JOINTS = range(3)  # kinds of equalities
# Two bodies; or addresses in qpos and qvel of a joint, and of another (-1: none).
EQUALITY_KIND, FIRST_ROW, FIRST, SECOND, SECOND_QPOS, SECOND_DOF = range(6)
FIRST_QPOS, FIRST_DOF = FIRST, SECOND
EQUALITY_INTEGERS = 6
POINT_1, POINT_2, RELATIVE = 0, 3, 6  # in the bodies' frames; the second's orientation in the first's
POLYNOMIAL, REFERENCE_1, REFERENCE_2 = 0, 5, 6  # of joints: five coefficients, and positions from which they count
EQUALITY_NUMBERS = 10
ROWS = (3, 6, 1)  # of each kind

FOOT_POS, RADIUS, MU, RESTITUTION = 0, 3, 4, 5  # of a sphere that touches the ground, in its body's frame
FOOT_NUMBERS = 6

ORIGIN, NORMAL, TANGENT_1, TANGENT_2, GRAVITY = range(5)  # rows of the world: a plane and its directions
WORLD_ROWS = 5

# Columns of generalised forces.
BIAS_FORCE, SPRING_FORCE, DAMPER_FORCE, ACTUATOR_FORCE, TOTAL_FORCE = range(5)
FORCE_COLUMNS = 5
GAP, VELOCITY, DRIFT = 0, 1, 4  # of a foot: distance to the ground; velocity and drift along normal and tangents
FOOT_COLUMNS = 7
ROW_ERROR, ROW_VELOCITY, ROW_DRIFT = range(3)  # of an equality's row


class Tables(NamedTuple):
    """A robot as compiled code takes it: integers and numbers of each kind of thing."""

    body_index: np.ndarray  # (nbody, BODY_INTEGERS)
    body: np.ndarray  # (nbody, BODY_NUMBERS)
    joint_index: np.ndarray  # (njnt, JOINT_INTEGERS)
    joint: np.ndarray  # (njnt, JOINT_NUMBERS)
    dof_index: np.ndarray  # (nv, DOF_INTEGERS)
    dof: np.ndarray  # (nv, DOF_NUMBERS)
    term_index: np.ndarray  # (n_terms, TERM_INTEGERS)
    term: np.ndarray  # (n_terms, TERM_NUMBERS)
    tendon_index: np.ndarray  # (ntendon, TENDON_INTEGERS)
    tendon: np.ndarray  # (ntendon, TENDON_NUMBERS)
    actuator_index: np.ndarray  # (nactuator, ACTUATOR_INTEGERS)
    actuator: np.ndarray  # (nactuator, ACTUATOR_NUMBERS)
    control: np.ndarray  # (nu, 2) range
    limit_index: np.ndarray  # (n_limits, LIMIT_INTEGERS)
    limit: np.ndarray  # (n_limits, LIMIT_NUMBERS)
    equality_index: np.ndarray  # (n_equalities, EQUALITY_INTEGERS)
    equality: np.ndarray  # (n_equalities, EQUALITY_NUMBERS)
    foot_index: np.ndarray  # (n_feet, 1) body
    foot: np.ndarray  # (n_feet, FOOT_NUMBERS)
    world: np.ndarray  # (WORLD_ROWS, 3)


class Scratch(NamedTuple):
    """What the mechanics write, all along the world's axes.

    Spatial vectors are angular part first; they and the inertias are taken at `reference`, the momentary place of the
    first body, so that nothing is lost far from the origin.
    """

    reference: np.ndarray  # (1, 3) [m]
    xpos: np.ndarray  # (nbody, 3) from the reference [m]
    xquat: np.ndarray  # (nbody, 4)
    xipos: np.ndarray  # (nbody, 3) centres of mass from the reference [m]
    cinert: np.ndarray  # (nbody, 10) mass, first moments x y z, inertia xx yy zz xy xz yz
    crb: np.ndarray  # (nbody, 10) the same of the body with all that it carries
    cvel: np.ndarray  # (nbody, 6)
    cacc: np.ndarray  # (nbody, 6) accelerations while qacc is zero, without gravity
    cfrc: np.ndarray  # (nbody, 6) forces that these and gravity take, with all that the body carries
    cdof: np.ndarray  # (nv, 6) motion of a unit velocity
    cdof_dot: np.ndarray  # (nv, 6) its rate; of a joint's degrees of freedom their sum times qvel counts
    mass: np.ndarray  # (nv, nv)
    factor: np.ndarray  # (nv, nv) lower triangle L, mass = L L'
    force: np.ndarray  # (nv, FORCE_COLUMNS)
    act_dot: np.ndarray  # (1, na)
    foot: np.ndarray  # (n_feet, FOOT_COLUMNS)
    foot_rows: np.ndarray  # (3 n_feet, nv): three rows for each foot, normal and two tangents
    equality: np.ndarray  # (n_rows, 3) error, velocity, drift
    equality_rows: np.ndarray  # (n_rows, nv)


def new_scratch(tables: Tables, na: int) -> Scratch:
    """Return arrays for a robot that has `na` activation states."""
    nbody, nv, feet = len(tables.body), len(tables.dof), len(tables.foot)
    bodies = [np.zeros((nbody, columns)) for columns in (3, 4, 3, 10, 10, 6, 6, 6)]
    motions = [np.zeros((nv, columns)) for columns in (6, 6, nv, nv, FORCE_COLUMNS)]
    rows = sum(ROWS[kind] for kind in tables.equality_index[:, EQUALITY_KIND])
    contacts = np.zeros((feet, FOOT_COLUMNS)), np.zeros((3 * feet, nv))
    return Scratch(
        np.zeros((1, 3)), *bodies, *motions, np.zeros((1, na)), *contacts, np.zeros((rows, 3)), np.zeros((rows, nv))
    )
