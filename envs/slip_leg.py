"""`SlipLeg-v1`: the articulated leg runs forward, or as commanded, on a terrain of choice."""

from dataclasses import dataclass, field
from typing import ClassVar

import mujoco
import numpy as np

from ..analytic.models.slip_leg import SlipLegParams, apex_state
from ..analytic.terrain import Flat
from ..mjcf.slip_leg import JOINT_RANGES, PRESETS, RANDOMISABLE, SERVO, SPEED_LINES, TORQUE_LIMITS, build
from .leg import JOINTS, LegConfig, LegEnv, LegTask, rewards
from .leg_law import PLANE
from .measure import track
from .observations import Observation, labelled
from .vector import LeggedVectorEnv

START_LEG = (0.435, 1.3648)  # length and angle of attack of the retracted leg at the start [m], [rad]
SCAN = (0.0, 0.15, 0.3, 0.45, 0.6)  # where the height scan looks, ahead of the base [m]
LIMITS = np.array(TORQUE_LIMITS)
_LOW, _HIGH = np.array(JOINT_RANGES).T
_STALL, _NO_LOAD = np.array(SPEED_LINES).T
MOTORS = np.stack([LIMITS, _STALL, _STALL / _NO_LOAD])  # as `limited_torque` takes them
SPEED_WIDTH = 0.5  # fixed: half of the command would hardly tell one speed of its range from another [m/s]
FALLEN = 0.3  # height of the base above the ground below which the leg has fallen [m]
BASELINE_SPEED = 2.45  # of the action zero [m/s]
REWARDS = rewards(
    BASELINE_SPEED,
    1339.0,
    forward="forward speed along the world's x [m/s]",
    tracked="exp(-((forward speed - command) / 0.5 m/s)^2)",
)


@dataclass(frozen=True)
class SlipLegConfig(LegConfig):
    """Options of `SlipLeg-v1`: keywords of `gymnasium.make`, most also options of `reset`."""

    REWARDS = REWARDS
    RANDOMISABLE = RANDOMISABLE
    PRESETS = PRESETS
    ACTION_MODES = ("torque", "position", "residual")
    PERIODS: ClassVar[dict[str, float]] = {"torque": 0.002, "position": 0.002}
    LAW_PERIOD = 0.002

    params: SlipLegParams = field(default_factory=SlipLegParams)  # the robot
    reset_noise: float = 0.01  # standard deviation of joint angles [rad], and of velocities [m/s], [rad/s]
    terrain_distance: float = 8.0  # distance that counts as far in this curriculum [m]
    command_speed: tuple[float, float] = (2.0, 3.0)  # range of the commanded forward speed [m/s]
    command_standing: float = 0.0  # share of commands to stand still, which this leg cannot do
    action_mode: str = "residual"  # or "torque", "position"
    residual_range: float = 0.05  # in the mode "residual", largest correction over largest torque
    residual_lag: float = 0.09  # in the mode "residual", time constant of the correction after the action [s]
    tempo_range: float = 1.3  # in the mode "residual", factor on the commanded speed at a tempo of 1
    tempo_lag: float = 1.5  # in the mode "residual", time constant of tempo and command [s]
    apex_height: float = 0.62  # height of the centre of mass at the start [m]
    speed: float = 2.5  # forward speed at the start [m/s]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.apex_height >= 0:
            raise ValueError(f"apex_height must not be negative, got {self.apex_height} m")


def _height_scan(task: "SlipLegTask") -> np.ndarray:
    """Return the height of the base above points of the ground ahead."""
    x = task.qpos[..., :1] + np.array(SCAN)
    return task.qpos[..., 1:2] - task.ground.height(x, np.zeros_like(x))


OBSERVATIONS: dict[str, Observation] = {
    "height": Observation(1, 100, "m", "base above the ground below it", lambda t: t.height[..., None], typical=0.5),
    "velocity": labelled(PLANE, 100, "m/s", "of the base", lambda t: t.qvel[..., :2], typical=2),
    "joint_angle": labelled(JOINTS, 100, "rad", "of hip and knee", lambda t: t.qpos[..., 2:]),
    "joint_speed": labelled(JOINTS, 1e3, "rad/s", "of hip and knee", lambda t: t.qvel[..., 2:], typical=10),
    "foot_place": labelled(
        PLANE, 10, "m", "foot from the base", lambda task: task.toe[..., ::2] - task.qpos[..., :2], typical=0.4
    ),
    "foot_contact": Observation(1, 1, "1", "1 where the foot touches the ground", lambda t: t.foot[..., 0]),
    "foot_force": labelled(PLANE, 1e6, "N", "of the ground on the foot", lambda t: t.foot[..., 0, 1::2], typical=200),
    "height_scan": Observation(
        len(SCAN), 100, "m", "base above points on the ground, up to 0.6 m ahead", _height_scan, typical=0.5
    ),
    "action": labelled(JOINTS, 1, "1", "the last action", lambda t: t.action),
    "command": Observation(1, 100, "m/s", "forward speed", lambda t: t.command, "commanded", typical=2),
}


class SlipLegTask(LegTask):
    """The articulated leg runs forward, or as commanded; `docs/envs/slip_leg.md` has its tables.

    Attributes:
        toe: Position of the foot in the world, a view, shape (..., 3) [m].
        height: Of the base above the ground below it, shape (...,) [m].
    """

    config_class = SlipLegConfig
    EXACT = "tarsus.envs.exact.legs:ExactSlipLeg"
    OBSERVATIONS = OBSERVATIONS
    DEFAULT = (
        *("height", "velocity", "joint_angle", "joint_speed", "foot_place", "foot_contact", "action", "command"),
        *("law_torque", "law_stance", "law_time", "correction", "tempo"),
    )
    INFO = {
        "qpos": "qpos",
        "qvel": "qvel",
        "ground": lambda t: t.ground.height(t.toe[..., 0], t.toe[..., 1]),
        "torque": "torque",
    }
    PLACE = 0  # the base's x; `qpos` goes on with its z [m], hip and knee [rad]
    BASELINE_SPEED, LAW_SPEED = BASELINE_SPEED, 2.5

    def build(self, params, terrain, preset) -> mujoco.MjSpec:
        """Return the model, with servos where positions are commanded."""
        return build(params, terrain, preset, servo=self.config.action_mode == "position", limited=True, stops=True)

    def baseline(self):
        """Return the controller that runs as the SLIP does; energy that sampled torques add is taken out again."""
        from ..controllers import slip  # with it comes the compiler

        return slip.baseline(self.config.params, self.config.LAW_PERIOD)

    def limits_of(self, params: SlipLegParams) -> np.ndarray:
        """Return the limits of the motors, the same of all legs, shape (3, 2)."""
        return MOTORS

    @property
    def uneven(self) -> bool:
        """Whether the controller asks for the height of the ground: it is not 0 everywhere."""
        return not isinstance(self.hardest, Flat)

    def ground_below(self, sim) -> np.ndarray | float:
        """Return the height of the ground below the foot, of one simulation or of all, shape (...,) [m]."""
        leg, qpos, ground = self.config.params, self.qpos, self.ground
        if sim is not None:
            qpos, ground = qpos[sim], self.terrain[sim]
        hip, knee = qpos[..., 2], qpos[..., 2] + qpos[..., 3]
        x = qpos[..., 0] + leg.thigh_length * np.sin(hip) + leg.shank_length * np.sin(knee)
        return ground.height(x, np.zeros_like(x))

    def first_pace(self, sim) -> float:
        """Return the speed of the start: the controller falls when it is asked for another at once [m/s]."""
        return self.config.speed

    def place(self, sim, model, data, rng) -> None:
        """Put the leg at an apex above the ground, retracted, with noise on joints and velocities.

        It is higher where its foot would begin under the ground.
        """
        config, terrain = self.config, self.terrain[sim]
        mujoco.mj_resetData(model, data)
        ground = float(terrain.height(0.0, 0.0))
        x = apex_state(self.params[sim], config.apex_height + ground, config.speed, *START_LEG)
        data.qpos[:], data.qvel[:] = x[:4], x[4:]
        data.qpos[2:] += config.reset_noise * rng.standard_normal(2)
        data.qvel[:] += config.reset_noise * rng.standard_normal(4)
        mujoco.mj_kinematics(model, data)
        toe = data.site_xpos[model.site("foot_0").id]
        data.qpos[1] += max(0.0, float(terrain.height(toe[0], 0.0)) - toe[2])

    def begin(self, sim, data) -> None:
        """Begin place and speed."""
        super().begin(sim, data)
        self.velocity[sim] = data.qvel[0]

    def asked(self, action: np.ndarray) -> np.ndarray:
        """Return the torques [N m] or the joints' set-points [rad] of an action, shape (..., 2)."""
        if self.config.action_mode == "torque":
            return action * LIMITS
        return _LOW + 0.5 * (action + 1.0) * (_HIGH - _LOW)

    def bind(self, data) -> None:
        """Take views of the state, the sensor and the foot."""
        super().bind(data)
        self.toe = data.site_xpos[..., self.model.site("foot_0").id, :]

    def refresh(self) -> None:
        """Measure height and torques."""
        super().refresh()
        self.height = self.qpos[..., 1] - self.ground.height(self.qpos[..., 0], 0.0)

    def torque_asked(self) -> np.ndarray:
        """Return the torques that the last action, or its servos, ask for in the current state, (..., 2) [N m]."""
        asked = super().torque_asked()
        if self.config.action_mode == "position":
            return SERVO[0] * (asked - self.qpos[..., 2:]) - SERVO[1] * self.qvel[..., 2:]
        return asked

    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task, each of shape (...,) or a number."""
        terms = self.shared_terms()
        if self.config.task == "forward":
            return {"forward": self.paid_speed()} | terms
        return {"speed": track(self.velocity, self.command[..., 0], SPEED_WIDTH)} | terms

    def failures(self) -> dict[str, np.ndarray]:
        """Return the mask of legs that have fallen, shape (...,), by the reason."""
        return {f"fell: the base is less than {FALLEN} m above the ground": self.height < FALLEN}


class SlipLegEnv(LegEnv):
    """The articulated leg; options are the fields of `SlipLegConfig`, tables are in `docs/envs/slip_leg.md`."""

    task_class = SlipLegTask
    task: SlipLegTask


class SlipLegVectorEnv(LeggedVectorEnv):
    """Many legs, each identical to a `SlipLegEnv`."""

    task_class = SlipLegTask
