"""Rows of what touches or is closed, and the end of slow motion in them."""

from __future__ import annotations

import numpy as np

from .layout import BOUND, DRIFT, FRICTIONLOSS, LENGTH, SIGN, SPEED, VELOCITY
from .modes import AT_REST, CLOSED, FREE, STICK
from .run import Run


def limit_gaps(run: Run) -> np.ndarray:
    """Return the distance of each limit from closing."""
    robot = run.robot.tables
    return robot.limit[:, SIGN] * (run.work.line[robot.limit_of, LENGTH] - robot.limit[:, BOUND])


def limit_speeds(run: Run) -> np.ndarray:
    """Return the speeds at which the gaps of limits grow."""
    robot = run.robot.tables
    return robot.limit[:, SIGN] * run.work.line[robot.limit_of, SPEED]


def limit_row(run: Run, k: int) -> np.ndarray:
    """Return the row of a limit, shape (nv,)."""
    robot = run.robot.tables
    return robot.limit[k, SIGN] * robot.line_row[robot.limit_of[k]]


def through_mass(run: Run, rows: np.ndarray) -> np.ndarray:
    """Return the motions that forces of these rows give, equalities being kept: M^-1 (R^T + E^T g), shape (nv, m)."""
    back, equality = np.linalg.solve(run.work.mass, rows.T), run.work.equality_jacobian
    if len(equality):
        hold = np.linalg.solve(run.work.mass, equality.T)
        back -= hold @ np.linalg.lstsq(equality @ hold, equality @ back, rcond=1e-12)[0]
    return back


def stop_rows(run: Run, rows: list, speeds: list) -> None:
    """Take the speeds of these rows to zero, by the least change of kinetic energy; nothing else is written."""
    if rows and np.abs(speeds).max() > 1e-15:
        nq, rows = run.robot.nq, np.array(rows)
        back = through_mass(run, rows)
        run.x[nq : nq + run.robot.nv] -= back @ np.linalg.lstsq(rows @ back, np.array(speeds), rcond=1e-6)[0]


def let_turn(run: Run) -> None:
    """Give slack to dry joints that go slowly against their mode, kept from a stop by rows that nearly follow."""
    speed, hold = run.robot.tables.line_row @ run.qvel, 2.0 * run.options.hold_speed
    back = (run.contact.dry * speed < 0.0) & (np.abs(speed) <= hold)
    run.contact.slack[run.robot.n_feet :][back] = hold


def slow_rows(run: Run, feet: np.ndarray, limits: np.ndarray) -> tuple[list, list]:
    """Return rows and speeds of what touches and is slower than `hold_speed`: rounding, that rows would contradict."""
    rows, speeds, hold = [], [], 2.0 * run.options.hold_speed
    for i in np.flatnonzero(feet):
        velocity = run.work.foot[i, VELOCITY:DRIFT]
        chosen = [0] * bool(abs(velocity[0]) <= hold) + [1, 2] * bool(np.linalg.norm(velocity[1:]) <= hold)
        rows += [run.work.jacobian[i, k] for k in chosen]
        speeds += [velocity[k] for k in chosen]
    for k in np.flatnonzero(limits & (np.abs(limit_speeds(run)) <= hold)):
        rows.append(limit_row(run, k))
        speeds.append(limit_speeds(run)[k])
    robot, speed = run.robot.tables, run.work.line[:, SPEED]
    mode = run.contact.dry  # what has just begun to move goes on, or it never would where others have events
    off = (mode * speed > 0.0) & (mode * (robot.line_row @ run.contact.qacc) > 0.0)
    dry = (robot.line[:, FRICTIONLOSS] > 0.0) & (np.abs(speed) <= hold) & ~off
    return [*rows, *robot.line_row[dry]], [*speeds, *speed[dry]]


def closed_rows(run: Run) -> tuple[list, list]:
    """Return rows and speeds of what the modes hold at rest: feet that bounced at less than `rest_speed`."""
    rows, speeds, contact = [], [], run.contact
    for i in np.flatnonzero(contact.foot != FREE):
        chosen = [0, 1, 2] if contact.foot[i] == STICK else [0]
        rows += [run.work.jacobian[i, k] for k in chosen]
        speeds += [run.work.foot[i, VELOCITY + k] for k in chosen]
    for k in np.flatnonzero(contact.limit == CLOSED):
        rows.append(limit_row(run, k))
        speeds.append(limit_speeds(run)[k])
    dry = contact.dry == AT_REST
    return [*rows, *run.robot.tables.line_row[dry]], [*speeds, *run.work.line[dry, SPEED]]
