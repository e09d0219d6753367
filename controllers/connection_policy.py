"""Steering by the sliding model as a policy of the multipods' environments, in the action mode "velocity"."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..analytic.clock import TURN, wrap
from .connection_mpc import Decision, Steerer
from .path import relative

SETTLE = 2.0  # in which the robot takes the posture in which the undulation begins, and comes to rest [s]
PERIOD = 0.1  # between decisions [s]
LAG = 0.09  # time constant with which the controls follow decisions: set-points do not jump [s]


class ConnectionPolicy:
    """A steerer as a policy: `policy(observation, info)` returns an action.

    The reference begins where the robot is when it begins to walk.

    Args:
        make: Makes the steerer, at the start of every episode.
        pose: Measures x, y and heading in the world from `info`, (3,) [m, m, rad]; None where there is no measurement.
        ctrl_dt: The environment's control period [s].
        scale: The joint speed of an action of 1 [rad/s].

    Attributes:
        steerer: The steerer of this episode.
        decision: The last one.
        origin: The pose at which the reference begins, (3,), or None before.
        phase: Of the undulation [rad].
    """

    def __init__(self, make: Callable[[], Steerer], pose: Callable, ctrl_dt: float, scale: float) -> None:
        self.make, self.pose, self.ctrl_dt, self.scale = make, pose, ctrl_dt, scale
        self._every = max(1, round(PERIOD / ctrl_dt))
        self._begin()

    def _begin(self) -> None:
        self.steerer, self.decision, self.origin, self.phase = self.make(), None, None, 0.0
        self._controls, self._steps = self.steerer.controls, 0

    @property
    def walking(self) -> float:
        """Time since it began to walk [s]."""
        return self._steps * self.ctrl_dt

    def __call__(self, observation: np.ndarray, info: Mapping) -> np.ndarray:
        """Return the speeds (n,) that move the set-points in `info` to those of the undulation a period later."""
        if info["time"] == 0.0:
            self._begin()
        if info["time"] >= SETTLE:
            self._walk(info)
        angle = self.steerer.walk.joints(self._controls, self.phase)[0]
        speed = wrap(angle.ravel() - info["joint_reference"]) / self.ctrl_dt
        return np.clip(speed / self.scale, -1.0, 1.0).astype(np.float32)

    def _walk(self, info: Mapping) -> None:
        """Decide if it is time to, and go on by a control period."""
        if self._steps % self._every == 0:
            self.decision = self._decide(self.pose(info))
        target = self.steerer.controls if self.decision is None else self.decision.controls
        self._controls = self._controls - np.expm1(-self.ctrl_dt / LAG) * (target - self._controls)
        self.phase += TURN * self.steerer.walk.frequency * self.ctrl_dt
        self._steps += 1

    def _decide(self, pose: np.ndarray | None) -> Decision:
        if pose is not None and np.isfinite(pose).all():
            if self.origin is None:
                self.origin = origin_of(np.asarray(pose, float), self.steerer.reference(0.0))
            pose = relative(pose, self.origin)
        return self.steerer(self.walking, pose, self.phase)


def origin_of(pose: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the frame (3,), in the world, in which a robot at a pose (3,) of the world stands at `start` (3,)."""
    heading = pose[2] - start[2]
    cos, sin = np.cos(heading), np.sin(heading)
    place = pose[:2] - [cos * start[0] - sin * start[1], sin * start[0] + cos * start[1]]
    return np.array([*place, heading])
