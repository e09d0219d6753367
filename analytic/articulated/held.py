"""What is closed in a run, as rows, and how a state near it is brought back to where it stays closed.

Feet on the ground and joints at a limit fix positions; feet that stick, and dry joints at rest, speeds besides.
"""

from dataclasses import dataclass, field

import numpy as np

from .closed import closed_rows, limit_rows
from .layout import FREE as FREE_JOINT
from .mechanics import mechanics
from .modes import CLOSED, FREE
from .simulation import Simulation, start
from .vectors import product

STEPS = 10  # of Newton's method
CLOSE = 1e-13  # what is left of gaps [m], [rad]


@dataclass
class Held:
    """What is closed in a run, which is not changed.

    Attributes:
        run: The run.
        feet: Indices of the closed feet.
        shut: Rows that are zero for a motion that keeps positions closed, shape (m, nv).
        still: Rows that are zero for speeds that keep what is closed at rest, shape (k, nv).
    """

    run: Simulation
    feet: np.ndarray = field(init=False)
    shut: np.ndarray = field(init=False)
    still: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        run, nv = self.run, self.run.robot.nv
        self.feet, self._limits = np.flatnonzero(run.contact.foot != FREE), np.flatnonzero(run.contact.limit == CLOSED)
        rows, equality = closed_rows(run)[0], run.work.equality_jacobian
        self.shut = np.array([*self._position_rows(run.work.jacobian), *equality]).reshape(-1, nv)
        self.still = np.array([*rows, *equality]).reshape(-1, nv)

    def position(self, motion: np.ndarray) -> np.ndarray:
        """Return the positions, shape (nq,), a motion away from the run's, shape (nv,), brought back along `shut`."""
        run, motion = self.run, np.array(motion)
        for _ in range(STEPS):
            qpos = moved_by(run, motion)
            found = mechanics(run.robot, qpos, np.zeros(run.robot.nv))
            limits = limit_rows(run, self._limits) @ motion
            left = np.concatenate([found.gap[self.feet], limits, found.equality_error])
            if np.abs(left).max(initial=0.0) < CLOSE:
                break
            rows = np.array([*self._position_rows(found.jacobian), *found.equality_jacobian])
            motion -= self.shut.T @ np.linalg.lstsq(rows @ self.shut.T, left, rcond=1e-12)[0]
        return qpos

    def velocity(self, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
        """Return speeds, shape (nv,), at such positions, brought back along `still`."""
        run = self.run
        there = start(run.robot, qpos, ctrl=run.ctrl, act=self.activations, options=run.options)
        there.contact.foot[:], there.contact.limit[:], there.contact.dry[:] = (
            run.contact.foot, run.contact.limit, run.contact.dry)  # fmt: skip
        rows = np.array([*closed_rows(there)[0], *there.work.equality_jacobian]).reshape(-1, run.robot.nv)
        return qvel - self.still.T @ np.linalg.lstsq(rows @ self.still.T, rows @ qvel, rcond=1e-12)[0]

    def brought(self, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a position and velocity near the run's, brought back."""
        qpos = self.position(apart(self.run, qpos))
        return qpos, self.velocity(qpos, qvel)

    @property
    def activations(self) -> np.ndarray:
        """Of the run, shape (na,)."""
        robot = self.run.robot
        return self.run.x[robot.nq + robot.nv :][: robot.na]

    def _position_rows(self, jacobian: np.ndarray) -> list[np.ndarray]:
        return [*jacobian[self.feet, 0], *limit_rows(self.run, self._limits)]


def moved_by(run: Simulation, by: np.ndarray) -> np.ndarray:
    """Return a run's positions moved by a motion, shape (nv,); quaternions turn by rotation vectors on body axes."""
    out = run.qpos
    for kind, q, v in run.robot.tables.joint_of:
        if kind > FREE_JOINT + 1:
            out[q] += by[v]
            continue
        if kind == FREE_JOINT:
            out[q : q + 3] += by[v : v + 3]
            q, v = q + 3, v + 3
        angle = float(np.linalg.norm(by[v : v + 3]))
        half = np.sinc(0.5 * angle / np.pi) * 0.5 * by[v : v + 3]
        out[q : q + 4] = quaternion_product(out[q : q + 4], (np.cos(0.5 * angle), *half))
        out[q : q + 4] /= np.linalg.norm(out[q : q + 4])
    return out


def apart(run: Simulation, qpos: np.ndarray) -> np.ndarray:
    """Return the motion, shape (nv,), that takes the run's positions to these; the inverse of `moved_by`."""
    by = np.zeros(run.robot.nv)
    for kind, q, v in run.robot.tables.joint_of:
        if kind > FREE_JOINT + 1:
            by[v] = qpos[q] - run.x[q]
            continue
        if kind == FREE_JOINT:
            by[v : v + 3] = qpos[q : q + 3] - run.x[q : q + 3]
            q, v = q + 3, v + 3
        w, *axis = quaternion_product(run.x[q : q + 4] * (1.0, -1.0, -1.0, -1.0), qpos[q : q + 4])
        size = float(np.linalg.norm(axis))
        by[v : v + 3] = np.array(axis) * (2.0 * np.arctan2(size, abs(w)) / size if size > 1e-300 else 2.0)
        by[v : v + 3] *= np.sign(w) if w else 1.0
    return by


def quaternion_product(p, q) -> np.ndarray:
    """Return the product of two quaternions."""
    return np.array(product(*map(float, p), *map(float, q)))
