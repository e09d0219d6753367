"""Rows of what touches or is closed, and the end of slow motion in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .layout import BOUND, DRIFT, FRICTIONLOSS, SIGN, VELOCITY
from .modes import AT_REST, CLOSED, FREE, STICK

if TYPE_CHECKING:
    from .simulation import Simulation


def limit_gaps(run: Simulation) -> np.ndarray:
    """Return how far each joint limit is from closing."""
    robot = run.robot.tables
    return robot.limit[:, SIGN] * (run.x[robot.limit_of[:, 0]] - robot.limit[:, BOUND])


def limit_speeds(run: Simulation) -> np.ndarray:
    """Return the speeds at which the gaps of joint limits grow."""
    robot = run.robot.tables
    return robot.limit[:, SIGN] * run.qvel[robot.limit_of[:, 1]]


def limit_row(run: Simulation, k: int) -> np.ndarray:
    """Return the row of a joint limit, shape (nv,)."""
    row = np.zeros(run.robot.nv)
    row[run.robot.tables.limit_of[k, 1]] = run.robot.tables.limit[k, SIGN]
    return row


def through_mass(run: Simulation, rows: np.ndarray) -> np.ndarray:
    """Return M^-1 R^T."""
    return np.linalg.solve(run.work.mass, rows.T)


def stop_rows(run: Simulation, rows: list, speeds: list) -> None:
    """Take the speeds of these rows to zero, by the least change of kinetic energy."""
    if rows and np.abs(speeds).max() > 1e-15:
        nq, rows = run.robot.nq, np.array(rows)
        back = through_mass(run, rows)
        run.x[nq : nq + run.robot.nv] -= back @ np.linalg.lstsq(rows @ back, np.array(speeds), rcond=1e-12)[0]
        run.refresh()


def slow_rows(run: Simulation, feet: np.ndarray, limits: np.ndarray) -> tuple[list, list]:
    """Return rows and speeds of what touches and is slower than `hold_speed`: rounding, that rows would contradict."""
    rows, speeds, hold = [], [], run.options.hold_speed
    for i in np.flatnonzero(feet):
        velocity = run.work.foot[i, VELOCITY:DRIFT]
        chosen = [0] * bool(abs(velocity[0]) <= hold) + [1, 2] * bool(np.linalg.norm(velocity[1:]) <= hold)
        rows += [run.work.jacobian[i, k] for k in chosen]
        speeds += [velocity[k] for k in chosen]
    for k in np.flatnonzero(limits & (np.abs(limit_speeds(run)) <= hold)):
        rows.append(limit_row(run, k))
        speeds.append(limit_speeds(run)[k])
    dry = (run.robot.tables.dof[:, FRICTIONLOSS] > 0.0) & (np.abs(run.qvel) <= hold)
    rows += list(np.eye(run.robot.nv)[dry])
    return rows, [*speeds, *run.qvel[dry]]


def closed_rows(run: Simulation) -> tuple[list, list]:
    """Return rows and speeds of what the modes hold at rest: feet that bounced at less than `rest_speed`."""
    rows, speeds, contact = [], [], run.contact
    for i in np.flatnonzero(contact.foot != FREE):
        chosen = [0, 1, 2] if contact.foot[i] == STICK else [0]
        rows += [run.work.jacobian[i, k] for k in chosen]
        speeds += [run.work.foot[i, VELOCITY + k] for k in chosen]
    for k in np.flatnonzero(contact.limit == CLOSED):
        rows.append(limit_row(run, k))
        speeds.append(limit_speeds(run)[k])
    rows += list(np.eye(run.robot.nv)[contact.dry == AT_REST])
    return rows, [*speeds, *run.qvel[contact.dry == AT_REST]]
