"""Modes of feet, limits and dry friction, and the arrays in which compiled functions keep rows and forces.

A foot is free, sticks, slides, or creeps. Friction against a slip v turns with it at the rate mu f A / |v|, A the
mobility, so that slow slips are stiff. A foot that creeps has friction against v + a / `CREEP_RATE` instead, the slip
that is to be, a its acceleration: the same to first order, at rest the law of accelerations, and no faster than that.
A slide that stops keeps the direction of friction, so that the field is smooth where the slip passes through zero.
"""

from typing import NamedTuple

import numpy as np

from .layout import FRICTIONLOSS, Tables, n_rows

FREE, STICK, CREEP, SLIDE, STOPS, SMOOTH = range(6)  # of a foot; SMOOTH closed without friction
CREEP_RATE = 3e3  # [1/s]
OPEN, CLOSED = range(2)  # of a joint limit
AT_REST, NOT_DRY = 0, 2  # of a line: at rest by dry friction, +1 or -1 moving, or without such friction
WORK, DAMPED, RUBBED, DRY, N_BOOKS = range(5)  # after qpos, qvel, act: work of actuators, losses: dampers, feet, joints


class Contact(NamedTuple):
    """What is closed, and the rows and forces of it that the field writes."""

    foot: np.ndarray  # (n_feet,) int modes
    direction: np.ndarray  # (n_feet, 2) of the slip that friction acts against
    along: np.ndarray  # (n_feet,) slip that is to be, along it: v + a / CREEP_RATE [m/s]
    settling: np.ndarray  # (n_feet,) at which rate the last of a slip goes where a foot sticks [1/s]
    limit: np.ndarray  # (n_limits,) int modes
    dry: np.ndarray  # (n_lines,) int modes
    slack: np.ndarray  # (n_feet + n_lines,) at which speed what slips, though others hold it, is at rest [m/s, rad/s]
    row: np.ndarray  # (m, nv) L^-1 R^T of closed rows: w = row . row force
    column: np.ndarray  # (m, nv) L^-1 C^T of forces, with the friction of sliding feet
    right: np.ndarray  # (m,) accelerations that the forces must give
    soft: np.ndarray  # (m,) acceleration that a row gains by unit of force, beside that of mass (`slip`)
    force: np.ndarray  # (m,)
    foot_force: np.ndarray  # (n_feet, 3) along normal and tangents, on the foot [N]
    limit_force: np.ndarray  # (n_limits,)
    dry_force: np.ndarray  # (n_lines,)
    equality_force: np.ndarray  # (rows,)
    qacc: np.ndarray  # (nv,)


def contact_of(robot: Tables) -> Contact:
    """Return arrays for a robot of which nothing touches and all dry joints are at rest."""
    n, limits, lines, rows, nv = len(robot.foot), len(robot.limit), len(robot.line), n_rows(robot), len(robot.dof)
    most, z = 3 * n + limits + lines + rows, np.zeros
    dry = np.where(robot.line[:, FRICTIONLOSS] > 0.0, AT_REST, NOT_DRY).astype(np.int64)
    return Contact(
        z(n, np.int64), z((n, 2)), z(n), z(n), z(limits, np.int64), dry, z(n + lines), z((most, nv)), z((most, nv)),
        z(most), z(most), z(most), z((n, 3)), z(limits), z(lines), z(rows), z(nv),
    )  # fmt: skip
