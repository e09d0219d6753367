"""A multipod that follows a path in MuJoCo, steered by the sliding model; and what such a walk gave."""

from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from tarsus.analytic.models.sliding_walk import SlidingWalk
from tarsus.controllers.connection_mpc import ConnectionMPC
from tarsus.controllers.connection_policy import SETTLE, Decided, SteeredGait
from tarsus.controllers.path import Path, relative
from tarsus.scripts.library.machines.multipod_mujoco import (
    MultipodWalk,
    Walking,
    WalkingStepper,
    servo_controls,
    walked,
)

TURNED = np.array([0.2, 0.0, 0.0])  # controls whose undulation names the gait of the record [rad]


@dataclass(frozen=True)
class PathWalking(Walking):
    """A multipod, its model, and the path that it is to follow."""

    model: SlidingWalk = field(default_factory=SlidingWalk)
    path: Path = field(default_factory=lambda: Path.sine(0.2, 6.0, 6.0, 0.06))
    noise: tuple[float, float] = (0.0, 0.0)  # standard deviations of measured places [m] and headings [rad]
    seed: int = 0  # of the noise

    def steered(self) -> SteeredGait:
        return SteeredGait(ConnectionMPC(self.model, self.path))


class FollowingStepper(WalkingStepper):
    """Steps a multipod whose undulation is steered by the `gait` of this run."""

    def __init__(self, following: PathWalking):
        """Build the model and stand it where the gait begins."""
        super().__init__(following)
        self.gait, self._rng = following.steered(), np.random.default_rng(following.seed)
        self._deviation = np.array([following.noise[0], *following.noise])

    def measure(self) -> np.ndarray:
        """Return x, y and heading of the body as they are measured, (3,) [m, m, rad]."""
        return pose_of(self.data.qpos) + self._deviation * self._rng.standard_normal(3)

    def command(self, data: mujoco.MjData) -> None:
        """Decide if it is time to, and command the servos."""
        self.gait.steer(data.time, self.measure)
        data.ctrl[:] = servo_controls(*self.gait(data.time + self._command_lead))


@dataclass(frozen=True)
class FollowedPath(MultipodWalk):
    """What a walk along a path gave."""

    decided: tuple[Decided, ...] = ()
    origin: np.ndarray = field(default_factory=lambda: np.zeros(3))  # of the path, in the world (3,) [m, m, rad]

    @property
    def track(self) -> np.ndarray:
        """Time since the walk along the path began [s], and the pose in the path's frame, (n, 4)."""
        on = self.time >= SETTLE
        return np.column_stack([self.time[on] - SETTLE, relative(pose_of(self.qpos[on]), self.origin)])

    @property
    def distance(self) -> np.ndarray:
        """Distance from the path, of every row of the track (m,) [m]."""
        return self.walking.path.distance(self.track[:, 1:3])

    @property
    def late(self) -> np.ndarray:
        """Distance from where it should be by now, likewise [m]."""
        track = self.track
        return np.hypot(*(track[:, 1:3] - self.walking.path(track[:, 0])[:, :2]).T)


def pose_of(qpos: np.ndarray) -> np.ndarray:
    """Return x, y and heading of bodies on a free joint, (..., 3) [m, m, rad], from MuJoCo's positions (..., nq)."""
    x, y, _, w, q_x, q_y, q_z = np.moveaxis(qpos[..., :7], -1, 0)
    return np.stack([x, y, np.arctan2(2.0 * (w * q_z + q_x * q_y), 1.0 - 2.0 * (q_y**2 + q_z**2))], axis=-1)


def follow(following: PathWalking, seconds: float | None, **options: Any) -> FollowedPath:
    """Return a walk along a path, by default to its end; it ends early if the robot topples.

    Args:
        following: The robot and the path.
        seconds: For how long, the time to settle included [s].
        options: As of `multipod_mujoco.walk`.
    """
    stepper = FollowingStepper(following)
    made = walked(stepper, following, SETTLE + following.path.duration if seconds is None else seconds, **options)
    origin = np.zeros(3) if stepper.gait.origin is None else stepper.gait.origin
    return FollowedPath(**vars(made), decided=tuple(stepper.gait.decided), origin=origin)
