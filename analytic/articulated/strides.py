"""The return map of a robot under controls that repeat, for `hybrid.sections`: fixed points and multipliers of gaits.

Coordinates are those of the motion that is left by what is closed at the base: positions with its feet on the ground,
speeds with its closed rows at rest; place and heading on the level ground are left out. A lifted state is brought back
onto what is closed along the base's rows, so that its coordinates stay what they are.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .held import Held, apart, quaternion_product
from .layout import FREE as FREE_JOINT
from .layout import KIND
from .outcome import RunStatus
from .saltation import LIFTED, Displaced, central
from .simulation import Simulation, start
from .vectors import rotated

FLAT = 3  # of the root's six degrees of freedom: x, y, and yaw, the last of its angular ones


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
        self._held = Held(run)
        self.positions = _null([*flat, *self._held.shut], robot.nv)
        self.speeds = _null(self._held.still, robot.nv)

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
        z = np.zeros(self.size) if z is None else np.asarray(z, float)
        lifted = [central(lambda by, one=one: self.lifted(z + by * one).x, LIFTED) for one in np.eye(self.size)]
        along = Displaced(self.lifted(z), np.array(lifted))
        for k in range(round(self.period / self.hold)):
            along.control(lambda qpos, qvel, time=k * self.hold: self.controls(time, qpos, qvel))
            along.to((k + 1) * self.hold)
        nq, nv = along.run.robot.nq, along.run.robot.nv
        return along.differences(lambda x, _: self.coordinates(x[:nq], x[nq : nq + nv])).T

    def lifted(self, z: np.ndarray) -> Simulation:
        """Return a run at time zero in the state of coordinates."""
        run, held, n = self.base, self._held, self.positions.shape[1]
        qpos = held.position(self.positions @ z[:n])
        qvel = held.velocity(qpos, run.qvel + self.speeds @ z[n:])
        return start(run.robot, qpos, qvel, run.ctrl, held.activations, run.options)

    def coordinates(self, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
        """Return the coordinates of a state, brought to the base's place and heading by a motion along the ground."""
        base, qpos, qvel = self.base, qpos.copy(), qvel.copy()
        turn = _heading(base.x[3:7]) - _heading(qpos[3:7])
        c, s = np.cos(turn), np.sin(turn)
        qpos[3:7] = quaternion_product((np.cos(0.5 * turn), 0.0, 0.0, np.sin(0.5 * turn)), qpos[3:7])
        qpos[:2], qvel[:2] = base.x[:2], np.array([[c, -s], [s, c]]) @ qvel[:2]
        moved = apart(base, qpos)
        return np.concatenate([self.positions.T @ moved, self.speeds.T @ (qvel - base.qvel)])


def _null(rows, n: int) -> np.ndarray:
    """Return an orthonormal basis of the motions that leave rows at rest, shape (n, k)."""
    if not len(rows):
        return np.eye(n)
    _, sizes, basis = np.linalg.svd(np.array(rows))
    return basis[int((sizes > 1e-9 * sizes[0]).sum()) :].T


def _heading(quat: np.ndarray) -> float:
    """Return the yaw of a body: of the rotation about the vertical that is nearest to its orientation."""
    w, _, _, z = quat
    return float(2.0 * np.arctan2(z, w))
