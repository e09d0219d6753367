"""Many quasi-static multipods at once: the slip solver in the place of a physics engine, as array operations.

Nothing here has inertia: at each instant loads, tilt and velocity of the body follow from where the joints are and how
fast they move. A step of a robot turns its joints at constant speeds through one control period, solves the slip model
once, in the posture and at the speeds at its end, and moves the body by the twist found, held for the period.

This file alone of its folder imports the contact solver, and with it numba.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, section 2; `docs/contact.md`, and `docs/slip_test.md` for its error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..analytic.contact import Feet, Status, se2, solve
from ..analytic.contact.connection import named_law
from ..analytic.models.multipod import MultipodParams, foot_positions, foot_velocities

TILTED = np.pi / 3  # beyond which a robot has toppled [rad], as in `Multipod-v0`

# Weight and meaning of each term of the reward.
REWARDS = {
    "forward": (1.0, "forward speed along the world's x [m/s]"),
    "drift": (-0.2, "sideways speed along the world's y, absolute [m/s]"),
    "dissipation": (-0.002, "power that the sliding feet dissipate [W]"),
    "action_change": (-0.005, "squared change of the action, mean over its entries"),
    "healthy": (0.05, "1 until the episode terminates"),
}


class Surrogate:
    """The robots, with arrays whose first dimension counts them.

    Attributes:
        params: Of each robot; all are alike.
        angle: Yaw and roll of each segment, shape (n, n_segments, 2) [rad].
        rate: Their rates in the last step [rad/s].
        pose: x, y and heading of the centre of mass in the world, shape (n, 3) [m, m, rad].
        motion: What the solver found at the end of the last step: loads, tilt, twist, forces.
    """

    def __init__(self, n: int, params: MultipodParams, law: str, ctrl_dt: float):
        self.params, self.law, self.ctrl_dt = params, named_law(law), ctrl_dt
        self.feet = Feet(params.leaf_k, params.friction_coeff, params.total_mass * params.g)
        self.limits = np.array([params.yaw_range, params.roll_range])
        self.angle, self.pose = np.zeros((n, params.n_segments, 2)), np.zeros((n, 3))
        self.rate = np.zeros_like(self.angle)
        self.action, self.last_action = np.zeros((n, 2 * params.n_segments)), np.zeros((n, 2 * params.n_segments))
        self.time, self.start_xy = np.zeros(n), np.zeros((n, 2))
        self.velocity_w = np.zeros((n, 2))
        self._solve()
        self.posture = self._posture()
        self.posture_rate = np.zeros((n, 3))

    def _solve(self) -> None:
        feet = foot_positions(self.params, self.angle), foot_velocities(self.params, self.angle, self.rate)
        self.motion = solve(*feet, self.feet, self.law, parallel=False)
        self.broken = self.motion.code & 7 == _NO_EQUILIBRIUM

    def _posture(self) -> np.ndarray:
        """Return height, roll and pitch, shape (n, 3)."""
        return np.stack([self.motion.height, self.motion.roll, self.motion.pitch], axis=-1)

    def start(self, robots: np.ndarray, angle: np.ndarray) -> None:
        """Put robots, by their indices, at the origin with these joint angles, at rest."""
        self.angle[robots] = np.clip(angle, -self.limits, self.limits)
        for array in (self.rate, self.pose, self.action, self.last_action, self.time, self.start_xy, self.velocity_w):
            array[robots] = 0.0
        self._solve()
        self.posture[robots] = self._posture()[robots]
        self.posture_rate[robots] = 0.0

    def step(self, action: np.ndarray, hold: np.ndarray) -> None:
        """Advance all robots by one control period, but those to `hold`.

        Args:
            action: Joint speeds as shares of the servos' no-load speed, shape (n, 2 n_segments).
            hold: Robots that stay as they are, shape (n,).
        """
        asked = (action * self.params.motor.no_load_speed).reshape(self.angle.shape)
        asked[hold] = 0.0
        angle = np.clip(self.angle + asked * self.ctrl_dt, -self.limits, self.limits)
        self.rate, self.angle = (angle - self.angle) * (1.0 / self.ctrl_dt), angle
        self.last_action, self.action = self.action, action
        self._solve()
        twist = self.motion.twist
        moving = ~(hold | self.broken)
        if not moving.all():
            twist = np.where(moving[:, None], twist, 0.0)
        before, posture = self.pose, self._posture()
        self.pose = se2.compose(before, se2.exponential(twist, self.ctrl_dt))
        self.velocity_w = (self.pose[:, :2] - before[:, :2]) * (1.0 / self.ctrl_dt)
        self.posture_rate, self.posture = (posture - self.posture) * (1.0 / self.ctrl_dt), posture
        self.time = self.time + np.where(hold, 0.0, self.ctrl_dt)

    def endings(self) -> dict[str, np.ndarray]:
        """Return which robots have toppled, shape (n,), by the sentence that says why."""
        height, roll, pitch = self.posture.T
        return {
            "toppled: the centre of mass is not over the feet": self.broken,
            "toppled: tilted by more than 60 degrees": np.maximum(np.abs(roll), np.abs(pitch)) > TILTED,
            "toppled: the body is under the ground": height < 0.0,
        }

    def reward_terms(self) -> dict[str, np.ndarray]:
        """Return the unweighted terms of the reward, each of shape (n,)."""
        change = self.action - self.last_action
        return {
            "forward": self.velocity_w[:, 0],
            "drift": np.abs(self.velocity_w[:, 1]),
            "dissipation": np.where(self.broken, 0.0, self.motion.dissipation),
            "action_change": np.vecdot(change, change) * (1.0 / change.shape[1]),
            "healthy": np.ones(len(self.time)),
        }

    def measurements(self) -> dict[str, np.ndarray]:
        """Return what `info` reports besides the reward, new arrays."""
        return {
            "time": self.time.copy(),
            "position": np.column_stack([self.pose[:, :2], self.posture[:, 0]]),
            "heading": self.pose[:, 2].copy(),
            "speed": self.velocity_w[:, 0].copy(),
            "distance": self.pose[:, 0] - self.start_xy[:, 0],
        }


_NO_EQUILIBRIUM = tuple(Status).index(Status.NO_EQUILIBRIUM)


@dataclass(frozen=True)
class Entry:
    """A named piece of the observation: its bound, unit, meaning, value and the name of each of its numbers."""

    labels: tuple[str, ...]
    bound: float
    unit: str
    text: str
    value: Callable[[Surrogate], np.ndarray]


def _flat(values: np.ndarray) -> np.ndarray:
    return values.reshape(len(values), -1)


def _gravity(s: Surrogate) -> np.ndarray:
    _, roll, pitch = s.posture.T
    return np.stack([np.sin(pitch), -np.cos(pitch) * np.sin(roll), -np.cos(pitch) * np.cos(roll)], axis=-1)


def _velocity(s: Surrogate) -> np.ndarray:
    return np.column_stack([s.motion.twist[:, :2], s.posture_rate[:, 0]])


def _angular_velocity(s: Surrogate) -> np.ndarray:
    return np.column_stack([s.posture_rate[:, 1:], s.motion.twist[:, 2]])


def entries(params: MultipodParams) -> dict[str, Entry]:
    """Return the observation of a robot: names, order and sizes are those of `Multipod-v0` in its mode "velocity".

    There is no `joint_lead`: joints are where their set-points are.
    """
    joints = tuple(f"{joint}_{k}" for k in range(params.n_segments) for joint in ("yaw", "roll"))
    legs, axes = tuple(params.leg_names()), ("x", "y", "z")
    return {
        "height": Entry(("height",), 10, "m", "body above the ground below it", lambda s: s.posture[:, :1]),
        "gravity": Entry(axes, 1, "1", "direction of gravity, body frame", _gravity),
        "velocity": Entry(axes, 100, "m/s", "of the body, body frame; vertical: its height's change", _velocity),
        "angular_velocity": Entry(axes, 1e3, "rad/s", "of the body; x and y: the tilt's change", _angular_velocity),
        "joint_angle": Entry(joints, 10, "rad", "of the driven joints", lambda s: _flat(s.angle)),
        "joint_speed": Entry(joints, 1e3, "rad/s", "of the driven joints", lambda s: _flat(s.rate)),
        "compression": Entry(
            legs,
            10,
            "m",
            "by which a leg's spring lets its foot give way upward",
            lambda s: s.motion.load * (1.0 / s.params.leaf_k),
        ),
        "foot_contact": Entry(legs, 1, "1", "1 where a foot carries load", lambda s: s.motion.load > 0.0),
        "action": Entry(joints, 1, "1", "the last action", lambda s: s.action),
    }
