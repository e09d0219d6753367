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


def limit_rows(run: Run, limits) -> np.ndarray:
    """Return the rows of limits, by their numbers or a mask, shape (n, nv)."""
    robot = run.robot.tables
    return robot.limit[limits, SIGN, None] * robot.line_row[robot.limit_of[limits]]


def through_mass(run: Run, rows: np.ndarray) -> np.ndarray:
    """Return the motions that forces of these rows give, equalities being kept: M^-1 (R^T + E^T g), shape (nv, m)."""
    back, equality = np.linalg.solve(run.work.mass, rows.T), run.work.equality_jacobian
    if len(equality):
        hold = np.linalg.solve(run.work.mass, equality.T)
        back -= hold @ np.linalg.lstsq(equality @ hold, equality @ back, rcond=1e-12)[0]
    return back


def stop_rows(run: Run, rows: np.ndarray, speeds: np.ndarray) -> None:
    """Take the speeds of these rows to zero, by the least change of kinetic energy; nothing else is written."""
    if np.abs(speeds).max(initial=0.0) > 1e-15:
        nq, back = run.robot.nq, through_mass(run, rows)
        run.x[nq : nq + run.robot.nv] -= back @ np.linalg.lstsq(rows @ back, speeds, rcond=1e-6)[0]


def let_turn(run: Run) -> None:
    """Give slack to dry joints that go slowly against their mode, kept from a stop by rows that nearly follow."""
    speed, hold = run.robot.tables.line_row @ run.qvel, 2.0 * run.options.hold_speed
    back = (run.contact.dry * speed < 0.0) & (np.abs(speed) <= hold)
    run.contact.slack[run.robot.n_feet :][back] = hold


def slow_rows(run: Run, feet: np.ndarray, limits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and speeds of what touches and is slower than `hold_speed`: rounding, that rows would contradict."""
    hold, velocity = 2.0 * run.options.hold_speed, run.work.foot[:, VELOCITY:DRIFT]
    slip = np.hypot(velocity[:, 1], velocity[:, 2])
    slow = feet[:, None] & (np.abs(np.column_stack([velocity[:, 0], slip, slip])) <= hold)
    robot, speed, mode = run.robot.tables, run.work.line[:, SPEED], run.contact.dry
    # What has just begun to move goes on, or it never would where others have events.
    off = (mode * speed > 0.0) & (mode * (robot.line_row @ run.contact.qacc) > 0.0)
    dry = (robot.line[:, FRICTIONLOSS] > 0.0) & (np.abs(speed) <= hold) & ~off
    return _rows_of(run, slow, limits & (np.abs(limit_speeds(run)) <= hold), dry)


def closed_rows(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and speeds of what the modes hold at rest: feet that bounced at less than `rest_speed`."""
    foot = run.contact.foot
    feet = np.column_stack([foot != FREE, foot == STICK, foot == STICK])
    return _rows_of(run, feet, run.contact.limit == CLOSED, run.contact.dry == AT_REST)


def _rows_of(run: Run, feet: np.ndarray, limits: np.ndarray, dry: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, shape (n, nv), and their speeds, by masks of the feet's three, of limits, and of dry lines."""
    work = run.work
    rows = work.jacobian[feet], limit_rows(run, limits), run.robot.tables.line_row[dry]
    speeds = work.foot[:, VELOCITY:DRIFT][feet], limit_speeds(run)[limits], work.line[dry, SPEED]
    return np.concatenate(rows), np.concatenate(speeds)
