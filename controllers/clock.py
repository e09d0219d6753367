"""The open-loop clock: every leg follows its reference, whatever the body does.

`ClockController` commands the hips of a simulator; `ClockPolicy` is the same gait in the action space of `Hexapod-v0`.
Both are independent of the simulator: one takes time and hip angles, the other an environment's `info`.

Source: SimSect manual 5.2; hexapod report 5.1.
"""

from collections.abc import Mapping

import numpy as np

from tarsus.analytic.spelling import check_name

from ..analytic.clock import Clock, TripodGait, wrap
from .pd import nearest_turn, torque


class ClockController:
    """Commands angle and speed of every hip at time t."""

    def __init__(self, gait: TripodGait | Clock):
        self.clock = gait.clock() if isinstance(gait, TripodGait) else gait

    def __call__(self, t: float, hip_angle: np.ndarray) -> np.ndarray:
        """Return the hip commands at time t [s], shape (n_legs, 3): angle [rad], speed [rad/s], torque [N m].

        Args:
            t: Time [s].
            hip_angle: Hip angles, shape (n_legs,) [rad]; only used to wrap the error.
        """
        return self.commands(*self.clock(t), hip_angle)

    @staticmethod
    def commands(angle: np.ndarray, rate: np.ndarray, hip_angle: np.ndarray) -> np.ndarray:
        """Return the hip commands of reference angles [rad] and rates [rad/s], each shape (n_legs,)."""
        return np.stack([nearest_turn(angle, hip_angle), rate, np.zeros_like(rate)], axis=-1)


class ClockPolicy:
    """The clock as a policy of `Hexapod-v0`: `policy(observation, info)` returns an action.

    Args:
        gait: The gait.
        action_mode: The environment's: "velocity", "torque" or "gait".
        ctrl_dt: The environment's control period [s].
        scale: The physical value of an action of 1: hip speed [rad/s] or torque [N m].
        kp: Hip stiffness for the action mode "torque" [N m/rad].
        kd: Hip damping for the action mode "torque" [N m s/rad].
        ranges: For the action mode "gait": low and high of each gait parameter, in the order of the action.

    Raises:
        ValueError: If the action mode is unknown.
    """

    MODES = ("velocity", "torque", "gait")

    def __init__(
        self,
        gait: TripodGait,
        action_mode: str = "velocity",
        *,
        ctrl_dt: float = 0.02,
        scale: float = 1.0,
        kp: float = 10.0,
        kd: float = 0.5,
        ranges: Mapping[str, tuple[float, float]] | None = None,
    ):
        check_name("action mode", action_mode, self.MODES)
        self.gait, self.clock, self.action_mode = gait, gait.clock(), action_mode
        self.ctrl_dt, self.scale, self.kp, self.kd = ctrl_dt, scale, kp, kd
        self.ranges = ranges

    def __call__(self, observation: np.ndarray, info: Mapping) -> np.ndarray:
        """Return the action (n,) for the time and hip angles in `info`; the observation is not used."""
        return getattr(self, f"_{self.action_mode}")(info).astype(np.float32)

    def _velocity(self, info: Mapping) -> np.ndarray:
        """Move the hips' set-points to the clock's angles one control period later."""
        angle, _ = self.clock(info["time"] + self.ctrl_dt)
        return wrap(angle - info["hip_reference"]) / (self.ctrl_dt * self.scale)

    def _torque(self, info: Mapping) -> np.ndarray:
        """Hold the current torque of the PD law for one control period."""
        angle, rate = self.clock(info["time"])
        return torque(angle, rate, info["hip_angle"], info["hip_speed"], self.kp, self.kd) / self.scale

    def _gait(self, info: Mapping) -> np.ndarray:
        """Command the gait's parameters; the environment's own clock does the rest."""
        low, high = np.array(list(self.ranges.values())).T
        value = np.array([getattr(self.gait, name) for name in self.ranges])
        return 2 * (value - low) / (high - low) - 1
