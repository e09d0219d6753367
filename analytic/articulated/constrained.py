"""Accelerations and forces for given modes: M dv/dt + h = tau + C^T f with rows R dv/dt + r = 0 of what is closed."""

from ..compilation import jit
from . import layout
from .actuators import actuators
from .dynamics import motion, solve_lower, solve_upper, total_force
from .equalities import equalities
from .feet import closed_feet
from .layout import (
    ACTUATOR_FORCE,
    DAMPER_FORCE,
    DOFADR,
    END_DOF,
    FIRST_DOF,
    FRICTIONLOSS,
    KIND,
    MU,
    QPOSADR,
    ROW_VELOCITY,
    SIGN,
    SPEED,
    VELOCITY,
)
from .least import least_forces
from .modes import AT_REST, CLOSED, CREEP, DAMPED, DRY, FREE, N_BOOKS, NOT_DRY, RUBBED, SMOOTH, STICK, WORK
from .rows import write_foot_rows, write_rows
from .slip import slip_direction, turn
from .vectors import add_scaled, clear, copy

TURNS, TURNED = 8, 1e-6  # at most so many of the friction of feet that creep; the angle that is square of rounding


@jit(views=True)
def field(robot, work, contact, setting, ctrl, x, dx, moved):
    """Write the rates of x = (qpos, qvel, act, books) for the modes, and all forces.

    Where positions and speeds have not `moved` since the last time, what depends on them alone is there.
    """
    nq, nv = setting.nq, len(robot.dof)
    na = len(x) - nq - nv - N_BOOKS
    qvel, books = x[nq : nq + nv], nq + nv + na
    if moved:
        motion(robot, work, x[:nq], qvel)
    actuators(robot, work, ctrl, x[nq + nv : books], dx[nq + nv : books])
    closed_feet(robot, work, contact)
    _closed(robot, work, contact, setting.drift_rate)
    rates(robot, x[:nq], qvel, dx[:nq])
    for k in range(N_BOOKS):
        dx[books + k] = 0.0
    for i in range(nv):
        dx[nq + i] = contact.qacc[i]
        dx[books + WORK] += work.load[ACTUATOR_FORCE, i] * qvel[i]
        dx[books + DAMPED] -= work.load[DAMPER_FORCE, i] * qvel[i]
    for i in range(len(robot.foot)):
        for k in range(3):
            dx[books + RUBBED] -= contact.foot_force[i, k] * work.foot[i, VELOCITY + k]
    for k in range(len(robot.limit)):
        dx[books + RUBBED] -= contact.limit_force[k] * robot.limit[k, SIGN] * work.line[robot.limit_of[k], SPEED]
    for k in range(len(robot.line)):
        dx[books + DRY] -= contact.dry_force[k] * work.line[k, SPEED]
    for k in range(len(work.equality)):
        dx[books + RUBBED] -= contact.equality_force[k] * work.equality[k, ROW_VELOCITY]


@jit(views=True)
def _closed(robot, work, contact, drift_rate):
    """Write the accelerations of the modes, and the forces of feet, limits, dry lines and equalities."""
    equalities(robot, work)
    total_force(work, work.free)
    for k in range(len(robot.line)):
        if contact.dry[k] != AT_REST and contact.dry[k] != NOT_DRY:
            for i in range(robot.line_of[k, FIRST_DOF], robot.line_of[k, END_DOF]):
                work.free[i] -= contact.dry[k] * robot.line[k, FRICTIONLOSS] * robot.line_row[k, i]
    solve_upper(robot, work.factor, work.free)
    m = write_rows(robot, work, contact, drift_rate)
    for _ in range(TURNS):
        least_forces(work, contact, m)
        copy(work.free, contact.qacc)
        for k in range(m):
            add_scaled(contact.force[k], contact.column[k], contact.qacc)
        solve_lower(robot, work.factor, contact.qacc)
        _share(robot, work, contact)
        if turn(robot, work, contact) <= TURNED:
            break
        for i in range(len(robot.foot)):
            if contact.foot[i] == CREEP:
                write_foot_rows(robot, work, contact, drift_rate, i)


@jit(views=True)
def _share(robot, work, contact):
    """Write the forces of the rows to what they are of."""
    m = 0
    for i in range(len(robot.foot)):
        force = contact.foot_force[i]
        clear(force)
        if contact.foot[i] == FREE:
            continue
        force[0] = contact.force[m]
        if contact.foot[i] == STICK:
            force[1], force[2] = contact.force[m + 1], contact.force[m + 2]
            m += 2
        elif contact.foot[i] != SMOOTH:
            u1, u2 = slip_direction(work, contact, i)
            force[1], force[2] = -robot.foot[i, MU] * u1 * force[0], -robot.foot[i, MU] * u2 * force[0]
            if contact.foot[i] == CREEP:
                m += 1
                force[1], force[2] = force[1] - u2 * contact.force[m], force[2] + u1 * contact.force[m]
        m += 1
    for k in range(len(robot.limit)):
        contact.limit_force[k] = 0.0
        if contact.limit[k] == CLOSED:
            contact.limit_force[k] = contact.force[m]
            m += 1
    for k in range(len(robot.line)):
        contact.dry_force[k] = 0.0
        if contact.dry[k] == AT_REST:
            contact.dry_force[k] = contact.force[m]
            m += 1
        elif contact.dry[k] != NOT_DRY:
            contact.dry_force[k] = -contact.dry[k] * robot.line[k, FRICTIONLOSS]
    for k in range(len(work.equality)):
        contact.equality_force[k] = contact.force[m + k]


@jit(views=True)
def rates(robot, qpos, qvel, dqpos):
    """Write the rates of the positions; of a quaternion q half the product of q and the angular velocity."""
    for j in range(len(robot.joint)):
        kind, q, v = robot.joint_of[j, KIND], robot.joint_of[j, QPOSADR], robot.joint_of[j, DOFADR]
        if kind != layout.FREE and kind != layout.BALL:
            dqpos[q] = qvel[v]
            continue
        if kind == layout.FREE:
            for k in range(3):
                dqpos[q + k] = qvel[v + k]
            q, v = q + 3, v + 3
        w, x, y, z = qpos[q], qpos[q + 1], qpos[q + 2], qpos[q + 3]
        a, b, c = qvel[v], qvel[v + 1], qvel[v + 2]
        dqpos[q] = 0.5 * (-x * a - y * b - z * c)
        dqpos[q + 1] = 0.5 * (w * a + y * c - z * b)
        dqpos[q + 2] = 0.5 * (w * b + z * a - x * c)
        dqpos[q + 3] = 0.5 * (w * c + x * b - y * a)
