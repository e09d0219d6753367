"""The undulation under a steerer: joint angles from decisions; and as a policy of the multipods' environments."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ..analytic.clock import TURN, wrap
from .connection_mpc import Decision, DecisionStatus, Steerer
from .path import relative

SETTLE = 2.0  # in which the robot takes the posture in which the undulation begins, and comes to rest [s]
LAG = 0.09  # time constant with which the controls follow decisions: set-points do not jump [s]
EARLY = 1e-9  # by which a decision may be taken before its time: round-off [s]


class Decided(NamedTuple):
    """A decision and when it was taken."""

    time: float  # since the walk began [s]
    controls: np.ndarray  # (3,) [rad]
    status: DecisionStatus


class SteeredGait:
    """Joint angles of an undulation whose controls a steerer decides on.

    The reference begins where the robot is at the first decision, after `SETTLE`.

    Args:
        steerer: The steerer.
        decisions: How many a stride; by default one with up to six legs, two with more. A stride of few legs sways the
            body in ways that the model does not know, and more often they would be steered against.

    Attributes:
        origin: The pose at which the reference begins, in the frame of the poses measured, (3,); None before.
        decided: All decisions.
    """

    def __init__(self, steerer: Steerer, decisions: int | None = None) -> None:
        few = steerer.walk.params.n_legs <= 6
        self.steerer, self.origin = steerer, None
        self._period = steerer.walk.period / (decisions or (1 if few else 2))
        self._controls, self._time = steerer.controls, 0.0
        self.decided: list[Decided] = []

    def steer(self, t: float, measure: Callable[[], np.ndarray | None]) -> Decision | None:
        """Decide if it is time to; return the decision, or None.

        Args:
            t: Time since the robot began to settle [s].
            measure: Returns x, y and heading (3,) [m, m, rad], or None if there is no measurement.
        """
        walked = t - SETTLE
        if walked < len(self.decided) * self._period - EARLY:
            return None
        pose = measure()
        if pose is not None and np.isfinite(pose).all():
            pose = np.asarray(pose, float)
            if self.origin is None:
                self.origin = origin_of(pose, self.steerer.reference(0.0))
            pose = relative(pose, self.origin)
        found = self.steerer(walked, pose, self.phase(t))
        self.decided.append(Decided(walked, found.controls, found.status))
        return found

    def phase(self, t: float) -> float:
        """Return the phase of the undulation at a time, 0 until the robot walks [rad]."""
        return TURN * self.steerer.walk.frequency * max(0.0, t - SETTLE)

    def __call__(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Return yaw and roll of the pairs [rad] and their rates [rad/s] at a time, not before the last, (n_pairs, 2).

        The controls follow the last decision with a lag, whose rate is left out.
        """
        self._controls = self._controls - np.expm1((self._time - t) / LAG) * (self.steerer.controls - self._controls)
        self._time = t
        angle, rate = self.steerer.walk.joints(self._controls, self.phase(t))
        return angle, rate if t > SETTLE else 0.0 * rate


class ConnectionPolicy:
    """A steered undulation as a policy: `policy(observation, info)` returns an action of the mode "velocity".

    Args:
        make: Makes the steered gait, at the start of every episode.
        pose: Measures x, y and heading in the world from `info`, (3,) [m, m, rad]; None where there is no measurement.
        ctrl_dt: The environment's control period [s].
        scale: The joint speed of an action of 1 [rad/s].

    Attributes:
        gait: Of this episode.
    """

    def __init__(self, make: Callable[[], SteeredGait], pose: Callable, ctrl_dt: float, scale: float) -> None:
        self.make, self.pose, self.ctrl_dt, self.scale = make, pose, ctrl_dt, scale
        self.gait = make()

    def __call__(self, observation: np.ndarray, info: Mapping) -> np.ndarray:
        """Return the speeds (n,) that move the set-points in `info` to those of the undulation a period later."""
        if info["time"] == 0.0:
            self.gait = self.make()
        self.gait.steer(info["time"], lambda: self.pose(info))
        angle, _ = self.gait(info["time"] + self.ctrl_dt)
        speed = wrap(angle.ravel() - info["joint_reference"]) / self.ctrl_dt
        return np.clip(speed / self.scale, -1.0, 1.0).astype(np.float32)


def origin_of(pose: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the frame (3,), in the world, in which a robot at a pose (3,) of the world stands at `start` (3,)."""
    heading = pose[2] - start[2]
    cos, sin = np.cos(heading), np.sin(heading)
    place = pose[:2] - [cos * start[0] - sin * start[1], sin * start[0] + cos * start[1]]
    return np.array([*place, heading])
