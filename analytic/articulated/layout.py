"""Where the compiled functions find a robot's numbers, and where they write: tables, their columns, and the workspace.

The robot is an argument of the compiled functions, so that they are compiled once for all robots. Spatial vectors are
(angular, linear), along the world's axes, at the momentary place of the robot's first body: far from the world's
origin nothing is lost to rounding.
"""

from typing import NamedTuple

import numpy as np

# Kinds of joints, MuJoCo's numbers.
FREE, BALL, SLIDE, HINGE = range(4)

# Columns of `Tables.body`, MuJoCo's quantities: mass [kg], place and turn of the frame in the parent's frame, place and
# turn of the principal axes in the body's frame, moments of inertia [kg m^2], the part of gravity that it feels.
MASS, POS, QUAT, IPOS, IQUAT, INERTIA, HEAVY, BODY_COLUMNS = 0, 1, 4, 8, 11, 15, 18, 19
# Of `Tables.body_of`: parent (0: the world), first joint, number of joints, last degree of freedom that moves it (-1).
PARENT, JOINT_START, JOINT_COUNT, LAST_DOF = range(4)

# Columns of `Tables.joint`: anchor and axis in the body's frame, position at which the file's tree was drawn.
ANCHOR, AXIS, QPOS0, JOINT_COLUMNS = 0, 3, 6, 7
# Of `Tables.joint_of`: kind, addresses of its first position and its first speed.
KIND, QPOSADR, DOFADR = range(3)

# Columns of `Tables.dof`: armature, damper v (d0 + d1 |v| + d2 v^2), limits of the sum of its actuators' forces.
ARMATURE, DAMPING, LEAST, MOST, DOF_COLUMNS = 0, 1, 4, 5, 6
# Of `Tables.dof_of`: the next towards the world (-1: none); address of the position of a hinge or slide; the last that
# it carries, which all between them are, too.
NEXT, POSITION, LAST = range(3)

# Columns of `Tables.line`: spring x (k0 + k1 x + k2 x^2), x from where it is slack, from LOW to HIGH; damper; friction.
STIFFNESS, LOW, HIGH, LINE_DAMPING, FRICTIONLOSS, LINE_COLUMNS = 0, 3, 4, 5, 8, 9
# Of `Tables.line_of`: the degrees of freedom outside of which its row is zero.
FIRST_DOF, END_DOF = range(2)

# Columns of `Tables.actuator`. An affine law: (g0 + g1 length + g2 velocity) u + b0 + b1 length + b2 velocity. A servo:
# kp (u_pos - length) + ki times the integral of that, an activation, + kd (u_vel - velocity) + u_ff, within what the
# motor gives at its largest voltage, +-STALL - BACK_EMF velocity. The sum is clamped to FORCE_LEAST, FORCE_MOST. An
# activation follows in TIMECONST; that of a winding is its current, and CONSTANT is force by current.
(GEAR, GAIN, BIAS, KP, KD, STALL, BACK_EMF, CONSTANT, FORCE_LEAST, FORCE_MOST, TIMECONST, KI,
 ACTUATOR_COLUMNS) = 0, 1, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16  # fmt: skip
# Of `Tables.actuator_of`: the line it pulls; law; controls (-1: none); activation (-1: none); that of the integral.
LINE, LAW, U_POS, U_VEL, U_FF, ACTADR, DYNAMICS, INTEGRAL = range(8)
AFFINE, SERVO = range(2)  # laws
INTEGRATOR, FILTER, CURRENT = range(1, 4)  # dynamics of an activation: its rate is u; (u - a) / T; that of a winding

# Columns of `Tables.limit`: sign and bound, gap = sign (length - bound).
SIGN, BOUND = range(2)
# Kinds of equalities, and of `Tables.equality_of`: kind, first row, two bodies or lines (second line -1: none).
CONNECT, WELD, LINES = range(3)
EQUALITY, FIRST_ROW, ONE, TWO = range(4)
# Columns of `Tables.equality`: a point in each body, turn of the second in the first; or, of lines, a polynomial of the
# second, and lengths from which both count.
POINT_1, POINT_2, RELATIVE, EQUALITY_COLUMNS = 0, 3, 6, 10
POLYNOMIAL, REFERENCE_1, REFERENCE_2 = 0, 5, 6
ROWS = (3, 6, 1)  # of each kind
# Columns of `Tables.foot`: centre in the body's frame, radius, friction, restitution.
CENTRE, RADIUS, MU, RESTITUTION, FOOT_COLUMNS = 0, 3, 4, 5, 6


class Tables(NamedTuple):
    """A robot as arrays, which `Robot.tables` makes."""

    body: np.ndarray  # (nbody, BODY_COLUMNS)
    body_of: np.ndarray  # (nbody, 4) int
    joint: np.ndarray  # (njnt, JOINT_COLUMNS)
    joint_of: np.ndarray  # (njnt, 3) int
    dof: np.ndarray  # (nv, DOF_COLUMNS)
    dof_of: np.ndarray  # (nv, 3) int
    line: np.ndarray  # (n_lines, LINE_COLUMNS) hinges and slides, then fixed tendons
    line_row: np.ndarray  # (n_lines, nv) its speed by those of the degrees of freedom
    line_of: np.ndarray  # (n_lines, 2) int
    actuator: np.ndarray  # (n_actuators, ACTUATOR_COLUMNS)
    actuator_of: np.ndarray  # (n_actuators, 8) int
    control: np.ndarray  # (nu, 2) range of the controls
    limit: np.ndarray  # (n_limits, 2)
    limit_of: np.ndarray  # (n_limits,) int, the line
    equality: np.ndarray  # (n_equalities, EQUALITY_COLUMNS)
    equality_of: np.ndarray  # (n_equalities, 4) int
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
    factor: np.ndarray  # (nv, nv) its factor (`dynamics.factorise_tree`)
    load: np.ndarray  # (4, nv) bias (Coriolis and gravity), spring, actuator and damper forces
    actuator: np.ndarray  # (n_actuators, 2) force and velocity of each
    line: np.ndarray  # (n_lines, 2) length and speed
    equality: np.ndarray  # (rows, 3) error, velocity, and the acceleration at zero joint acceleration
    equality_jacobian: np.ndarray  # (rows, nv) of that velocity
    foot: np.ndarray  # (n_feet, 7) gap, velocity and drift of the contact point along normal and tangents
    jacobian: np.ndarray  # (n_feet, 3, nv) of that velocity
    free: np.ndarray  # (nv,) L^-T of all forces but those of contact
    foot_row: np.ndarray  # (n_feet, 3, nv) L^-T of the Jacobians of closed feet
    first_row: np.ndarray  # (n_feet,) int, where the rows of a closed foot begin
    matrix: np.ndarray  # (m, m) accelerations of the closed rows by their forces
    system: np.ndarray  # (m, m) that is solved
    solving: np.ndarray  # (4, m) scales, residuals, and parts of them
    basis: np.ndarray  # (2, m + 1, m) of what rows and columns span
    scratch: np.ndarray  # (2, 6) for a moment


BIAS_FORCE, SPRING_FORCE, ACTUATOR_FORCE, DAMPER_FORCE = range(4)  # rows of `Workspace.load`
GAP, VELOCITY, DRIFT = 0, 1, 4  # columns of `Workspace.foot`
LENGTH, SPEED = range(2)  # of `Workspace.line`
ERROR, ROW_VELOCITY, ROW_DRIFT = range(3)  # of `Workspace.equality`


def workspace(tables: Tables) -> Workspace:
    """Return an empty workspace for the robot of these tables."""
    nbody, nv, n_feet, n_lines = len(tables.body), len(tables.dof), len(tables.foot), len(tables.line)
    rows = n_rows(tables)
    shapes = [(3,), (nbody, 3), (nbody, 4), (nbody, 3), (nbody, 10), (nbody, 10), (nv, 6), (nv, 6), (nbody, 6),
              (nbody, 6), (nbody, 6), (nv, nv), (nv, nv), (4, nv), (len(tables.actuator), 2), (n_lines, 2),
              (rows, 3), (rows, nv), (n_feet, 7), (n_feet, 3, nv), (nv,), (n_feet, 3, nv)]  # fmt: skip
    most = 3 * n_feet + len(tables.limit) + n_lines + rows
    first, sizes = np.zeros(n_feet, np.int64), [(most, most), (most, most), (4, most), (2, most + 1, most), (2, 6)]
    return Workspace(*map(np.zeros, shapes), first, *map(np.zeros, sizes))


def n_rows(tables: Tables) -> int:
    """Return the number of rows of all equalities."""
    return sum(ROWS[kind] for kind in tables.equality_of[:, EQUALITY])
