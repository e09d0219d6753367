"""The task of `MultipodQuasistatic-v0`: options, observation, reward and termination, by `analytic.models.quasistatic`.

Only this file of the folder imports the contact solver, and with it numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..analytic.contact.kernels import DISSIPATION, NO_EQUILIBRIUM, OMEGA, STATUS_MASK, UX
from ..analytic.models.multipod import MultipodParams
from ..analytic.models.quasistatic import KEPT, Robots
from .kinds import check_fields
from .observations import Observation, labelled
from .state import Randoms

TILTED = np.pi / 3  # beyond which a robot has toppled [rad], as in `Multipod-v0`


# Weight and meaning of each term of the reward.
REWARDS = {
    "forward": (1.0, "speed forward, along the world's axis of the start [m/s]"),
    "drift": (-0.2, "speed sideways of that axis, absolute [m/s]"),
    "dissipation": (-0.002, "power that the sliding feet dissipate [W]"),
    "action_change": (-0.005, "squared change of the action, mean over its entries"),
    "healthy": (0.05, "1 until the episode terminates"),
}


@dataclass(frozen=True)
class QuasistaticConfig:
    """The options of `MultipodQuasistatic-v0`."""

    params: MultipodParams = field(default_factory=MultipodParams)  # the robot
    n_legs: int | None = None  # even, 4 to 50; by default that of `params`
    law: str | object = "viscous"  # or "coulomb": closer to MuJoCo, at under half the speed
    ctrl_dt: float = 0.02  # control period [s]
    reset_noise: float = 0.02  # standard deviation of the joint angles at the start [rad]
    reward_weights: Mapping[str, float] = field(default_factory=dict)  # of terms to weigh differently

    def __post_init__(self) -> None:
        check_fields(self)
        if not (isinstance(self.law, str) or hasattr(self.law, "kernel_code")):
            raise ValueError(f"law must be viscous, coulomb or a law with a kernel of its own, got {self.law!r}")
        if not self.ctrl_dt > 0:
            raise ValueError(f"ctrl_dt must be positive, got {self.ctrl_dt}")
        if not self.reset_noise >= 0:
            raise ValueError(f"reset_noise must not be negative, got {self.reset_noise}")
        for name in self.reward_weights:
            if name not in REWARDS:
                raise ValueError(f"reward_weights: unknown reward term {name!r}; there are {', '.join(REWARDS)}")
        self.robot  # noqa: B018  refuses impossible numbers of legs

    @property
    def robot(self) -> MultipodParams:
        """The parameters of the robot, with the requested number of legs."""
        return self.params if self.n_legs is None else replace(self.params, n_legs=self.n_legs)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each term of the reward."""
        return {name: weight for name, (weight, _) in REWARDS.items()} | dict(self.reward_weights)


class Surrogate:
    """The robots of an environment and their data.

    Attributes:
        config: The options.
        rngs: The random generator of each robot.
        robots: The robots; the first dimension of every array counts them.
        action: The last action, shape (n, 2 n_segments).
        last_action: The one before it.
        time: Since the episode's start, shape (n,) [s].
    """

    bounded = False  # the ground has no end

    def __init__(self, n: int, params: MultipodParams, config: QuasistaticConfig):
        self.robots, self.ctrl_dt = Robots(n, params, config.law, config.ctrl_dt), config.ctrl_dt
        self.config, self.rngs, self._weights = config, Randoms(), config.weights
        self.action, self.last_action = np.zeros((2, n, 2 * params.n_segments))
        self.time = np.zeros(n)

    def start(self, robots: np.ndarray, angle: np.ndarray) -> None:
        """Place k robots, by their indices, at the origin, at rest with joint angles (k, n_segments, 2) [rad]."""
        self.robots.start(robots, angle)
        self.action[robots] = self.last_action[robots] = 0.0
        self.time[robots] = 0.0

    def step(self, action: np.ndarray, hold: np.ndarray) -> None:
        """Advance all robots by one control period with actions (n, n_joints), except those to `hold`, (n,)."""
        self.robots.step(action, hold)
        self.last_action, self.action = self.action, action
        self.time += np.where(hold, 0.0, self.ctrl_dt)

    def kept_rows(self, robots: np.ndarray) -> dict[str, np.ndarray]:
        """Return copies of what is kept of k robots, each of shape (k, ...)."""
        return {name: getattr(owner, name)[robots] for owner, names in self._kept() for name in names}

    def take_rows(self, robots: np.ndarray, arrays: dict[str, np.ndarray]) -> None:
        """Write what `kept_rows` returned to the rows of some robots."""
        for owner, names in self._kept():
            for name in names:
                getattr(owner, name)[robots] = arrays[name]

    def refuse(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse arrays of a saved state in which a robot that stands is nowhere.

        Raises:
            ValueError: If so.
        """
        stands = arrays["code"] & STATUS_MASK != NO_EQUILIBRIUM
        known = arrays["posture"], arrays["force"], arrays["out"][:, UX : OMEGA + 1]
        if not all(np.isfinite(array[stands]).all() for array in known):
            raise ValueError(
                "'posture', 'force' and 'out' of a state must be finite where its robot has an equilibrium"
            )

    def _kept(self):
        return (self.robots, KEPT), (self, ("action", "time"))

    def endings(self) -> dict[str, np.ndarray]:
        """Return which robots have toppled, shape (n,), by the reason."""
        height, roll, pitch = self.robots.posture.T
        return {
            "toppled: the centre of mass is not over the feet": self.robots.broken,
            "toppled: tilted by more than 60 degrees": np.maximum(np.abs(roll), np.abs(pitch)) > TILTED,
            "toppled: the body is under the ground": height < 0.0,
        }

    def reward_terms(self) -> dict[str, np.ndarray]:
        """Return the weighted terms of the reward, each of shape (n,)."""
        robots, change = self.robots, self.action - self.last_action
        terms = {
            "forward": robots.velocity[:, 0],
            "drift": np.abs(robots.velocity[:, 1]),
            "dissipation": np.where(robots.broken, 0.0, robots.out[:, DISSIPATION]),
            "action_change": np.vecdot(change, change) * (1.0 / change.shape[1]),
            "healthy": np.ones(len(self.time)),
        }
        return {name: self._weights[name] * term for name, term in terms.items()}

    def measurements(self) -> dict[str, np.ndarray]:
        """Return what `info` reports besides the reward, new arrays of shape (n, ...)."""
        pose = self.robots.pose.copy()
        return {
            "time": self.time.copy(),
            "position": np.column_stack([pose[:, :2], self.robots.posture[:, 0]]),
            "heading": pose[:, 2],
            "speed": self.robots.velocity[:, 0].copy(),
            "distance": pose[:, 0],
            "joint_reference": _flat(self.robots.angle).copy(),
        }


def _flat(values: np.ndarray) -> np.ndarray:
    return values.reshape(len(values), -1)


def _gravity(s: Surrogate) -> np.ndarray:
    _, roll, pitch = s.robots.posture.T
    return np.stack([np.sin(pitch), -np.cos(pitch) * np.sin(roll), -np.cos(pitch) * np.cos(roll)], axis=-1)


def _velocity(s: Surrogate) -> np.ndarray:
    return np.column_stack([s.robots.twist[:, :2], s.robots.posture_rate[:, 0]])


def _angular_velocity(s: Surrogate) -> np.ndarray:
    return np.column_stack([s.robots.posture_rate[:, 1:], s.robots.twist[:, 2]])


def entries(params: MultipodParams) -> dict[str, Observation]:
    """Return the observation of a robot: names, order and sizes are those of `Multipod-v0` in its mode "velocity".

    There is no `joint_lead`: joints are at their set-points.
    """
    joints = tuple(f"{joint}_{k}" for k in range(params.n_segments) for joint in ("yaw", "roll"))
    legs, axes = tuple(params.leg_names()), ("forward", "left", "up")
    return {
        "height": labelled(("height",), 10, "m", "body above the ground below it", lambda s: s.robots.posture[:, :1]),
        "gravity": labelled(axes, 1, "1", "direction of gravity, along the body's forward, left, up", _gravity),
        "velocity": labelled(axes, 100, "m/s", "of the body, along the same; up: its height's change", _velocity),
        "angular_velocity": labelled(
            axes, 1e3, "rad/s", "of the body, about the same; the first two: the tilt's change", _angular_velocity
        ),
        "joint_angle": labelled(joints, 10, "rad", "of the driven joints", lambda s: _flat(s.robots.angle)),
        "joint_speed": labelled(joints, 1e3, "rad/s", "of the driven joints", lambda s: _flat(s.robots.rate)),
        "compression": labelled(
            legs,
            10,
            "m",
            "by which a leg's spring lets its foot give way upward",
            lambda s: s.robots.force[..., 2] * (1.0 / s.robots.params.leaf_k),
        ),
        "foot_contact": labelled(legs, 1, "1", "1 where a foot carries load", lambda s: s.robots.force[..., 2] > 0.0),
        "action": labelled(joints, 1, "1", "the last action", lambda s: s.action),
    }
