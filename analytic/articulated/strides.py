"""The return map of a robot under controls that repeat, for `hybrid.sections`: fixed points and multipliers of gaits.

Coordinates are those of the motion that is left by what is closed at the base: positions with its feet on the ground,
speeds with its closed rows at rest; place and heading on the level ground are left out. A lifted state is brought back
onto what is closed along the base's rows, so that its coordinates stay what they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from . import saltation
from .closed import closed_rows, limit_row
from .layout import FREE as FREE_JOINT
from .layout import KIND
from .mechanics import mechanics
from .modes import CLOSED, FREE
from .outcome import RunStatus
from .simulation import Simulation, start
from .vectors import product, rotated

FLAT = 3  # of the root's six degrees of freedom: x, y, and yaw, the last of its angular ones
STEPS = 10  # of Newton's method


@dataclass
class StrideMap:
    """The map of coordinates z, shape (k,), over one period; zero is the base. NaN where a run stops before.

    Args:
        base: A run at the instant and in the state about which coordinates are taken; it is not changed. Its first
            joint is free, and its ground level.
        controls: `controls(time, qpos, qvel)` returns the controls at a time after the base's [s], shape (nu,).
        period: After which they repeat [s].
        hold: For how long each is held [s].

    Raises:
        ValueError: If the first joint is not free, the ground not level, or the time of the hold no part of the period.
    """

    base: Simulation
    controls: Callable[[float, np.ndarray, np.ndarray], np.ndarray]
    period: float
    hold: float
    positions: np.ndarray = field(init=False)  # (nv, n) basis of positions, then of speeds
    speeds: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        robot, run = self.base.robot, self.base
        if not len(robot.tables.joint_of) or robot.tables.joint_of[0, KIND] != FREE_JOINT:
            raise ValueError("the robot's first joint must be free, for its place on the ground to be left out")
        if not np.allclose(robot.tables.ground[1], (0.0, 0.0, 1.0), atol=1e-12):
            raise ValueError("the ground must be level, for a stride not to depend on place and heading")
        if abs(round(self.period / self.hold) * self.hold - self.period) > 1e-9 * self.period:
            raise ValueError(f"the period {self.period:g} s must be a multiple of hold, got {self.hold:g} s")
        back = run.x[3:7] * (1.0, -1.0, -1.0, -1.0) / np.linalg.norm(run.x[3:7])
        up = rotated(back, 0.0, 0.0, 1.0)  # a yaw of the body is this angular motion along its axes
        flat = np.zeros((FLAT, robot.nv))
        flat[0, 0] = flat[1, 1] = 1.0
        flat[2, 3:6] = up
        self._feet = np.flatnonzero(run.contact.foot != FREE)
        self._limits = np.flatnonzero(run.contact.limit == CLOSED)
        rows, _ = closed_rows(run)
        self._shut = np.array([*self._position_rows(run.work.jacobian), *run.work.equality_jacobian]).reshape(
            -1, robot.nv
        )
        self._still = np.array([*rows, *run.work.equality_jacobian]).reshape(-1, robot.nv)
        self.positions, self.speeds = _null([*flat, *self._shut], robot.nv), _null(self._still, robot.nv)

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return self.positions.shape[1] + self.speeds.shape[1]

    def __call__(self, z: np.ndarray) -> np.ndarray:
        """Return the coordinates one period after these."""
        run = self.lifted(np.asarray(z, float))
        for k in range(round(self.period / self.hold)):
            run.set_controls(self.controls(k * self.hold, run.qpos, run.qvel))
            if run.to((k + 1) * self.hold) is not RunStatus.FINAL_TIME:
                return np.full(self.size, np.nan)
        return self.coordinates(run.qpos, run.qvel)

    def derivative(self, z: np.ndarray | None = None) -> np.ndarray:
        """Return the derivative of the map at coordinates z, by default zero, shape (k, k), see `saltation`.

        Displacements go along the modes of one run. Where the order of events does not change nearby, it is what
        `hybrid.sections.derivative` finds by runs that are displaced.

        Raises:
            ValueError: If the run stops before the period, or two events come at once: then there is no derivative.
        """
        return saltation.derivative(self, np.zeros(self.size) if z is None else np.asarray(z, float))

    def lifted(self, z: np.ndarray) -> Simulation:
        """Return a run at time zero in the state of coordinates."""
        run, n = self.base, self.positions.shape[1]
        moved, at_rest = self.positions @ z[:n], np.zeros(run.robot.nv)
        for _ in range(STEPS):
            qpos = _moved(run, run.qpos, moved)
            found = mechanics(run.robot, qpos, at_rest)
            left = np.concatenate([found.gap[self._feet], self._limit_gaps(qpos), found.equality_error])
            if np.abs(left).max(initial=0.0) < 1e-13:
                break
            rows = np.array([*self._position_rows(found.jacobian), *found.equality_jacobian])
            moved -= self._shut.T @ np.linalg.lstsq(rows @ self._shut.T, left, rcond=1e-12)[0]
        act = run.x[run.robot.nq + run.robot.nv :][: run.robot.na]
        there = start(run.robot, qpos, ctrl=run.ctrl, act=act, options=run.options)
        there.contact.foot[:], there.contact.limit[:], there.contact.dry[:] = (
            run.contact.foot, run.contact.limit, run.contact.dry)  # fmt: skip
        rows, _ = closed_rows(there)
        rows, qvel = [*rows, *there.work.equality_jacobian], run.qvel + self.speeds @ z[n:]
        if rows:
            rows = np.array(rows)
            qvel -= self._still.T @ np.linalg.lstsq(rows @ self._still.T, rows @ qvel, rcond=1e-12)[0]
        return start(run.robot, qpos, qvel, run.ctrl, act, run.options)

    def coordinates(self, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
        """Return the coordinates of a state, brought to the base's place and heading by a motion along the ground."""
        base, qpos, qvel = self.base, qpos.copy(), qvel.copy()
        turn = _heading(base.x[3:7]) - _heading(qpos[3:7])
        c, s = np.cos(turn), np.sin(turn)
        qpos[3:7] = _product((np.cos(0.5 * turn), 0.0, 0.0, np.sin(0.5 * turn)), qpos[3:7])
        qpos[:2], qvel[:2] = base.x[:2], np.array([[c, -s], [s, c]]) @ qvel[:2]
        moved = _apart(base, qpos)
        return np.concatenate([self.positions.T @ moved, self.speeds.T @ (qvel - base.qvel)])

    def _position_rows(self, jacobian: np.ndarray) -> list[np.ndarray]:
        return [*jacobian[self._feet, 0], *(limit_row(self.base, k) for k in self._limits)]

    def _limit_gaps(self, qpos: np.ndarray) -> np.ndarray:
        moved = _apart(self.base, qpos)
        return np.array([limit_row(self.base, k) @ moved for k in self._limits])


def _null(rows, n: int) -> np.ndarray:
    """Return an orthonormal basis of the motions that leave rows at rest, shape (n, k)."""
    if not len(rows):
        return np.eye(n)
    _, sizes, basis = np.linalg.svd(np.array(rows))
    return basis[int((sizes > 1e-9 * sizes[0]).sum()) :].T


def _moved(run: Simulation, qpos: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Return positions moved by a motion, shape (nv,); quaternions turn by rotation vectors along the body's axes."""
    out = qpos.copy()
    for kind, q, v in run.robot.tables.joint_of:
        if kind > FREE_JOINT + 1:
            out[q] += by[v]
            continue
        if kind == FREE_JOINT:
            out[q : q + 3] += by[v : v + 3]
            q, v = q + 3, v + 3
        angle = float(np.linalg.norm(by[v : v + 3]))
        half = np.sinc(0.5 * angle / np.pi) * 0.5 * by[v : v + 3]
        out[q : q + 4] = _product(out[q : q + 4], (np.cos(0.5 * angle), *half))
        out[q : q + 4] /= np.linalg.norm(out[q : q + 4])
    return out


def _apart(run: Simulation, qpos: np.ndarray) -> np.ndarray:
    """Return the motion, shape (nv,), that takes the run's positions to these; the inverse of `_moved`."""
    by = np.zeros(run.robot.nv)
    for kind, q, v in run.robot.tables.joint_of:
        if kind > FREE_JOINT + 1:
            by[v] = qpos[q] - run.x[q]
            continue
        if kind == FREE_JOINT:
            by[v : v + 3] = qpos[q : q + 3] - run.x[q : q + 3]
            q, v = q + 3, v + 3
        w, *axis = _product(run.x[q : q + 4] * (1.0, -1.0, -1.0, -1.0), qpos[q : q + 4])
        size = float(np.linalg.norm(axis))
        by[v : v + 3] = np.array(axis) * (2.0 * np.arctan2(size, abs(w)) / size if size > 1e-300 else 2.0)
        by[v : v + 3] *= np.sign(w) if w else 1.0
    return by


def _product(p, q) -> np.ndarray:
    """Return the product of two quaternions."""
    return np.array(product(*map(float, p), *map(float, q)))


def _heading(quat: np.ndarray) -> float:
    """Return the yaw of a body: of the rotation about the vertical that is nearest to its orientation."""
    w, _, _, z = quat
    return float(2.0 * np.arctan2(z, w))
