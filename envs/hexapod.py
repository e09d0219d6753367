"""`Hexapod-v0`: the compliant hexapod runs forward, or as commanded, on a terrain of choice.

By default an action corrects the hip angles of an alternating-tripod clock. It can also mean hip speeds, hip torques,
the clock's parameters, or the rates at which six independent legs go round.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..analytic.clock import RIGHT, TRIPOD_PHASE, TripodGait, profile, wrap
from ..analytic.models.hexapod import N_LEGS, HexapodParams, robot
from ..analytic.spelling import check_name
from ..mjcf import hexapod
from ..mjcf.hexapod_state import start_state
from . import actions, free_body
from .hexapod_clocks import CLOCKS, GAIT_RANGES, tripod_gait
from .observations import Observation, labelled
from .rate_mode import Rate
from .servos import Layout
from .vector import LeggedVectorEnv
from .walker import WalkerConfig, WalkerEnv, WalkerTask, by_baseline, info_of

LEGS = tuple(f"leg_{k}" for k in range(N_LEGS))
HIPS = tuple(f"hip_{k}" for k in range(N_LEGS))
MODES = actions.MODES | {"rate": Rate}
SPEED = 0.255  # of the clock's walk, which an action of zero is [m/s]


@dataclass(frozen=True)
class HexapodConfig(WalkerConfig):
    """Options of `Hexapod-v0`: keywords of `gymnasium.make`, most also options of `reset`."""

    REWARDS = {
        "forward": by_baseline(free_body.WIDTHS, SPEED, power=0.004)["forward"],
        "commanded": free_body.rewards(action_change=-0.03, power=WalkerConfig.REWARDS["forward"]["power"])[
            "commanded"
        ],
    }
    RANDOMISABLE = hexapod.RANDOMISABLE
    ACTION_MODES = tuple(MODES)
    PERIODS = {"torque": 0.002}  # a PD law of sampled torques walks as in the exact engine; at 6 ms it falls

    FIXED = (*WalkerConfig.FIXED, "clock", "rate_range")
    NEEDS = WalkerConfig.NEEDS | {
        "clock": ("action_mode", ("gait", "residual")),
        "phase_spread": ("action_mode", ("rate",)),
        "rate_range": ("action_mode", ("rate",)),
        "coupling": ("action_mode", ("rate",)),
    }

    action_mode: str = "residual"  # or "velocity", "torque", "gait", "rate"
    clock: str = "table2"  # of "gait" and "residual"; or "rhex", with its table of gaits and blended corners
    rate_range: float = 0.5  # in the mode "rate", share of a turn's rate that an action of 1 adds
    coupling: float = 0.0  # in the mode "rate", added to an action per radian of a leg's phase lag
    phase_spread: float = 0.5  # in the mode "rate", largest initial phase error of a leg in its tripod [cycle]
    params: HexapodParams | str = field(default_factory=HexapodParams)  # the robot, or its name, for instance "rhex"
    ctrl_dt: float | None = None  # control period, a multiple of the timestep [s]; None is 0.02, with torques 0.002
    reset_noise: float = 0.05  # standard deviation of hip angles [rad], and of velocities [m/s], [rad/s]
    command_speed: tuple[float, float] = (0.0, 0.5)  # range of the commanded forward speed [m/s]
    command_yaw_rate: tuple[float, float] = (-0.5, 0.5)  # range of the commanded yaw rate [rad/s], left positive

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "params", robot(self.params))
        except ValueError as error:
            raise ValueError(f"params: {error}") from None
        if isinstance(self.params, HexapodParams):
            object.__setattr__(self, "PRESETS", hexapod.presets_of(self.params))
        super().__post_init__()
        check_name("clock", self.clock, CLOCKS)
        if not 0 < self.rate_range <= 1:
            raise ValueError(f"rate_range must be a share above 0, at most 1, got {self.rate_range}")
        if not self.coupling >= 0:
            raise ValueError(f"coupling must not be negative, got {self.coupling}")
        if not 0 <= self.phase_spread <= 0.5:
            raise ValueError(f"phase_spread must lie from 0 to 0.5 cycles, got {self.phase_spread} cycles")


class HexapodTask(WalkerTask):
    """The hexapod with its observation, reward and termination; tables are in `docs/envs/hexapod.md`.

    `qpos` has hip, splay [rad] and length [m] of each leg after the root.
    """

    KEPT = (*WalkerTask.KEPT, "_drained")
    DEFAULT = (
        *("height", "gravity", "velocity", "angular_velocity", "hip_cosine", "hip_sine", "hip_speed", "compression"),
        *("foot_contact", "action", "hip_lead", "clock", "command", "pace", "heading"),
    )
    config_class = HexapodConfig
    EXACT = "tarsus.envs.exact.hexapod:ExactHexapod"
    FORWARD = 1
    WIDTHS = free_body.WIDTHS
    JOINT = "hip"
    INFO = info_of(JOINT) | {"battery_drained": "_drained"}
    MODES = MODES
    RATE_GAIT = TripodGait(cycle_time=0.7, slow_time=0.42)  # of the mode "rate", each leg's own at rate 1
    TYPICAL = {"height": 0.2, "velocity": 0.3, "hip_speed": 10.0, "hip_lead": 0.5, "compression": 0.02}
    TYPICAL |= {"foot_force": 20.0, "accelerometer": 10.0, "height_scan": 0.2, "command": 0.3, "pace": 0.3}
    TYPICAL |= {"correction": 0.2, "splay": 0.1}
    gait_ranges = GAIT_RANGES
    CLOCK = TRIPOD_PHASE, np.where(RIGHT, -1.0, 1.0)
    spec_of = staticmethod(hexapod.build)
    start_state = staticmethod(start_state)
    gait = staticmethod(tripod_gait)

    @staticmethod
    def layout_of(params: HexapodParams) -> Layout:
        """Return the names of hips and legs."""
        return Layout(HIPS, LEGS, turning=True)

    def default_observations(self) -> tuple[str, ...]:
        """Return the default ones; in the task "commanded" no direction of the world is meant."""
        names = super().default_observations()
        return names if self.config.task == "forward" else tuple(name for name in names if name != "heading")

    def of_joints(self, values: np.ndarray) -> np.ndarray:
        """Return the entries of the hips, shape (..., 6)."""
        return values[..., ::3]

    def joint_entries(self) -> dict[str, Observation]:
        """Return the entries of hips and legs."""
        return {
            "hip_cosine": labelled(HIPS, 1, "1", "cosines of the hip angles; 1 is straight down"),
            "hip_sine": labelled(HIPS, 1, "1", "sines of the hip angles; 1 is forward"),
            "hip_speed": labelled(HIPS, 1e3, "rad/s", "of the hips"),
            "hip_lead": labelled(
                HIPS, 100, "rad", "set-point before the hip", needs="rate or velocity or gait or residual"
            ),
            "splay": labelled(LEGS, 100, "rad", "sideways angle of the legs", lambda t: t.qpos[..., 8::3]),
            "compression": labelled(LEGS, 10, "m", "of the legs, positive when shorter than at rest"),
        }

    def refresh(self) -> None:
        """Fill in what is observed of hips and legs."""
        super().refresh()
        frame, angle = self.frame, self.joint_angle
        np.cos(angle, out=frame.hip_cosine)
        np.sin(angle, out=frame.hip_sine)
        frame.compression[...] = self.compression()

    def bind(self, data) -> None:
        """Take a view of the legs' lengths."""
        super().bind(data)
        self._length = self.qpos[..., 9::3]

    def compression(self) -> np.ndarray:
        """Return the compression of the legs, shape (..., 6) [m]."""
        return self.rest_length - self._length

    def gait_corrected(self, command: np.ndarray | None) -> np.ndarray:
        """Return the parameters of the clock's walk, shape (n,), or of what follows the command, shape (..., n)."""
        clock = CLOCKS[self.config.clock]
        return clock.walk if command is None else clock.steered(command)

    def quickened(self, parameters: np.ndarray, factor: np.ndarray) -> np.ndarray:
        """Return a gait, shape (..., n), with a cycle so many times as short, (...,)."""
        return np.concatenate([parameters[..., :1] / factor[..., None], parameters[..., 1:]], -1)

    def prepare(self) -> None:
        """Choose the clock, and find the names of joints, legs and actions."""
        self.gait_ranges = CLOCKS[self.config.clock].ranges
        super().prepare()

    def scattered(self, rng: np.random.Generator) -> np.ndarray:
        """Return hip angles at a random phase of `RATE_GAIT`, each leg some way from its tripod, shape (6,) [rad].

        How far at most is drawn evenly up to the option `phase_spread`: some episodes begin nearly in step.
        """
        spread = self.config.phase_spread * rng.uniform()
        phase = rng.uniform() + TRIPOD_PHASE + spread * rng.uniform(-1.0, 1.0, N_LEGS)
        turn = self.RATE_GAIT
        return -wrap(profile(phase, turn.cycle_time, turn.slow_time, turn.sweep_angle)[0])

    def make_room(self) -> None:
        """Make room also for the battery, and where robots are drawn for their legs."""
        super().make_room()
        self._drained = np.zeros(self.shape)
        self.rest_length = self.config.params.rho_r0
        if self.config.randomise:
            self.rest_length = np.broadcast_to(self.rest_length, (*self.shape, N_LEGS)).copy()

    def factor_shape(self, value: np.ndarray) -> tuple[int, ...] | None:
        """Return the shape of factors: one for each leg where there is a value for each; an inertia matrix has one."""
        return (N_LEGS,) if value.shape[:1] == (N_LEGS,) else None

    def write_robot(self, sim, model, params) -> None:
        """Write a robot's parameters into its model, and keep its servos and legs."""
        super().write_robot(sim, model, params)
        self.rest_length[sim] = params.rho_r0

    def begin(self, sim, data) -> None:
        """Begin place, set-points and battery."""
        super().begin(sim, data)
        self._drained[sim] = 0.0

    def advance(self) -> None:
        """Take the mean velocity of the step, and what the motors drained meanwhile."""
        super().advance()
        self._drained += self.ctrl_dt * self.frame.drain_rate.T[0]


class HexapodEnv(WalkerEnv):
    """The compliant hexapod; options are the fields of `HexapodConfig`, tables are in `docs/envs/hexapod.md`."""

    task_class = HexapodTask
    task: HexapodTask


class HexapodVectorEnv(LeggedVectorEnv):
    """Many hexapods, each identical to a `HexapodEnv`."""

    task_class = HexapodTask
