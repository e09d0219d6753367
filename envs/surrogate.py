"""The task of `MultipodQuasistatic-v1`: options, observation, reward and termination, by `analytic.models.quasistatic`.

Only this file of the folder imports the contact solver, and with it numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

import numpy as np

from ..analytic.contact.kernels import DISSIPATION, NO_EQUILIBRIUM, OMEGA, STATUS_MASK, UX
from ..analytic.models.multipod import MultipodParams
from ..analytic.models.quasistatic import KEPT, Robots
from ..analytic.spelling import check_name, listed
from .gait_kernels import UNDULATION
from .kernels import COMPILED
from .kinds import RESIDUAL, check_fields, check_residual
from .state import Randoms
from .surrogate_entries import action_names, flat

TILTED = np.pi / 3  # beyond which a robot has toppled [rad], as in `Multipod-v1`
WALK = np.array([0.3, 1.35 * np.pi, 0.3, 0.15, 0.0])  # the undulation that is corrected, that of `Multipod-v1`
SPEED = 0.08  # of that gait [m/s]


@dataclass(frozen=True)
class QuasistaticConfig:
    """The options of `MultipodQuasistatic-v1`.

    Attributes:
        REWARDS: Weight and meaning of each term of the reward.
        ACTION_MODES: What an action may mean.
    """

    REWARDS: ClassVar[dict[str, tuple[float, str]]] = {
        "forward": (0.8 / SPEED, "forward speed, along the world's axis faced at the start [m/s]"),
        "drift": (-0.1 / SPEED, "speed across that axis, absolute [m/s]"),
        "dissipation": (-0.005, "power that the sliding feet dissipate [W]"),
        "action_change": (-0.02, "squared change of the action, mean over its entries"),
        "healthy": (0.25, "1 until the episode terminates"),
    }
    ACTION_MODES: ClassVar[tuple[str, ...]] = ("residual", "velocity")

    params: MultipodParams = field(default_factory=MultipodParams)  # the robot
    n_legs: int | None = None  # even, 4 to 50; by default that of `params`
    law: str | object = "viscous"  # or "coulomb": closer to MuJoCo, at under half the speed
    ctrl_dt: float = 0.02  # control period [s]
    reset_noise: float = 0.02  # standard deviation of the joint angles at the start [rad]
    reward_weights: Mapping[str, float] = field(default_factory=dict)  # new weights, by term
    action_mode: str = "residual"  # or "velocity"
    residual_range: float = 0.5  # in the mode "residual", largest correction of a joint's angle [rad]
    residual_lag: float = 0.4  # in the mode "residual", time constant of the correction after the action [s]
    tempo_range: float = 2.0  # in the mode "residual", factor on the tempo at a last entry of 1; 1: no such entry
    tempo_lag: float = 0.4  # in the mode "residual", time constant of the tempo after the action [s]
    scaled: bool = True  # divide the entries by their typical values; else SI units

    def __post_init__(self) -> None:
        check_fields(self)
        if not (isinstance(self.law, str) or hasattr(self.law, "kernel_code")):
            raise ValueError(f"law must be viscous, coulomb or a law with a kernel of its own, got {self.law!r}")
        check_name("action_mode", self.action_mode, self.ACTION_MODES)
        defaults = {entry.name: entry.default for entry in fields(self)}
        if not self.ctrl_dt > 0:
            raise ValueError(f"ctrl_dt must be positive, got {self.ctrl_dt} s")
        check_residual(self)
        for name in RESIDUAL:
            if self.action_mode != "residual" and getattr(self, name) != defaults[name]:
                raise ValueError(f"{name} needs action_mode 'residual', here it is {self.action_mode!r}")
        if not self.reset_noise >= 0:
            raise ValueError(f"reset_noise must not be negative, got {self.reset_noise}")
        for name in self.reward_weights:
            if name not in self.REWARDS:
                known = listed(name, self.REWARDS)
                raise ValueError(f"reward_weights: unknown reward term {name!r}; there are {known}")
        self.robot  # noqa: B018  refuses impossible numbers of legs

    @property
    def robot(self) -> MultipodParams:
        """The parameters of the robot, with the requested number of legs."""
        return self.params if self.n_legs is None else replace(self.params, n_legs=self.n_legs)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each term of the reward."""
        return {name: weight for name, (weight, _) in self.REWARDS.items()} | dict(self.reward_weights)


class Surrogate:
    """The robots of an environment and their data.

    Attributes:
        config: The options.
        rngs: The random generator of each robot.
        robots: The robots; the first dimension of every array counts them.
        action_names: Of each entry of an action.
        action: The last action, shape (n, n_actions).
        last_action: The one before it.
        time: Since the episode's start, shape (n,) [s].
        cycles: The gait that is corrected has gone, shape (n,).
        tempo: Of that gait, shape (n,): 1 is `tempo_range` times as fast, -1 as slow.
        correction: Of its angles, shape (n, 2 n_segments) [rad].
    """

    bounded = False  # the ground has no end

    def __init__(self, n: int, params: MultipodParams, config: QuasistaticConfig):
        self.robots, self.ctrl_dt = Robots(n, params, config.law, config.ctrl_dt), config.ctrl_dt
        self.config, self.rngs, self._weights = config, Randoms(), config.weights
        self.action_names, n_joints = action_names(config), 2 * params.n_segments
        self.action, self.last_action = np.zeros((2, n, len(self.action_names)))
        self.time, self.cycles, self.tempo = np.zeros((3, n))
        self.correction, self._goal, self._rate = np.zeros((3, n, n_joints))
        self._gait, self._commands = np.tile(WALK, (n, 1)), np.zeros((n, 1, n_joints, 3))
        self._fastest = self.ctrl_dt * params.motor.no_load_speed  # turn of a joint in a period [rad]
        self._shares = [-np.expm1(-self.ctrl_dt / lag) for lag in (config.residual_lag, config.tempo_lag)]

    def start(self, robots: np.ndarray) -> None:
        """Place k robots, by their indices, at the origin, at rest; joints are straight or on the gait, with noise."""
        shape, noise = self.robots.angle.shape[1:], self.config.reset_noise
        angle, phase = np.zeros((len(robots), shape[0] * shape[1])), np.zeros(len(robots))
        own = [self.rngs[robot] for robot in robots.tolist()]
        if self.config.action_mode == "residual":
            phase[:] = [rng.uniform() for rng in own]
            COMPILED.pose_of_gait(UNDULATION, np.tile(WALK, (len(robots), 1)), phase, angle)
        scattered = np.array([noise * rng.standard_normal(shape) for rng in own])
        self.robots.start(robots, angle.reshape(-1, *shape) + scattered)
        self.cycles[robots], self.tempo[robots], self.correction[robots] = phase, 0.0, 0.0
        self.action[robots] = self.last_action[robots] = 0.0
        self.time[robots] = 0.0

    def step(self, action: np.ndarray, hold: np.ndarray) -> None:
        """Advance all robots by one control period with actions (n, n_actions), except those to `hold`, (n,)."""
        self.robots.step(self._speeds(action) if self.config.action_mode == "residual" else action, hold)
        self.last_action, self.action = self.action, action
        self.time += np.where(hold, 0.0, self.ctrl_dt)

    def _speeds(self, action: np.ndarray) -> np.ndarray:
        """Return the shares of the no-load speed that take the joints to where the corrected gait is a period later."""
        slow, quick = self._shares
        if self.config.tempo_range > 1.0:
            self.tempo += quick * (action[:, -1] - self.tempo)
        self._gait[:, 0] = WALK[0] * np.exp(np.log(self.config.tempo_range) * self.tempo)
        times, kept = np.array([0.0, self.ctrl_dt]), (self.correction, self._goal, self._rate, self._commands)
        COMPILED.joints_of_gait(
            UNDULATION, self._gait, self.cycles, times, 1, self.config.residual_range, slow, action, *kept
        )
        return np.clip((self._goal - flat(self.robots.angle)) / self._fastest, -1.0, 1.0)

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
        return (self.robots, KEPT), (self, ("action", "time", "cycles", "tempo", "correction"))

    def endings(self) -> dict[str, np.ndarray]:
        """Return the masks of robots that have toppled, shape (n,), by the reason."""
        height, roll, pitch = self.robots.posture.T
        return {
            "toppled: the centre of mass is not over the feet": self.robots.broken,
            "toppled: tilted by more than 60 degrees": np.maximum(np.abs(roll), np.abs(pitch)) > TILTED,
            "toppled: the body is under the ground": height < 0.0,
        }

    def reasons(self) -> list[str]:
        """Return the reasons of `endings`, in their order."""
        return [*self.endings()]

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
        """Return the entries of `info` besides the reward, new arrays of shape (n, ...)."""
        pose = self.robots.pose.copy()
        return {
            "time": self.time.copy(),
            "position": np.column_stack([pose[:, :2], self.robots.posture[:, 0]]),
            "heading": pose[:, 2],
            "speed": self.robots.velocity[:, 0].copy(),
            "distance": pose[:, 0],
            "joint_reference": flat(self.robots.angle).copy(),
        }
