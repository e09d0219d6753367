"""`SlipLeg-v1`: the articulated leg runs forward, or as commanded, on a terrain of choice."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np

from ..analytic.models.hopping_leg import limited_torque
from ..analytic.models.slip_leg import SlipLegParams, apex_state
from ..mjcf.slip_leg import JOINT_RANGES, PRESETS, RANDOMISABLE, SERVO, SPEED_LINES, TORQUE_LIMITS, build
from .base import LeggedEnv
from .config import TaskConfig, Terms
from .measure import bounded_speed, mean_change, power, track
from .observations import Observation
from .task import Task
from .vector import LeggedVectorEnv

START_LEG = (0.435, 1.3648)  # length and angle of attack of the retracted leg at the start [m], [rad]
SCAN = (0.0, 0.15, 0.3, 0.45, 0.6)  # where the height scan looks, ahead of the base [m]
LIMITS = np.array(TORQUE_LIMITS)
_LOW, _HIGH = np.array(JOINT_RANGES).T
_STALL, _NO_LOAD = np.array(SPEED_LINES).T
MOTORS = np.stack([LIMITS, _STALL, _STALL / _NO_LOAD])  # as `limited_torque` takes them
GIVE = 0.1  # of an end stop: a joint that is driven further past it has broken [rad]
SPEED_WIDTH = 0.5  # fixed: half of the command would hardly tell one speed of its range from another [m/s]
FALLEN = 0.3  # height of the base above the ground below which the leg has fallen [m]
BASELINE_SPEED, BASELINE_POWER = 2.45, 1339.0  # of the action zero [m/s], [W]: the reward is one a step for them
SHARED: Terms = {
    "power": (-0.05 / BASELINE_POWER, "absolute mechanical power of hip and knee [W]"),
    "action_change": (-0.02, "squared change of the action, mean over its entries"),
    "healthy": (0.25, "1 until the episode terminates"),
}
REWARDS: dict[str, Terms] = {  # weight and meaning of each term, by task
    "forward": {"forward": (0.8 / BASELINE_SPEED, "forward speed along the world's x [m/s]")} | SHARED,
    "commanded": {"speed": (0.8, "exp(-((forward speed - command) / 0.5 m/s)^2)")} | SHARED,
}


@dataclass(frozen=True)
class SlipLegConfig(TaskConfig):
    """Options of `SlipLeg-v1`: keywords of `gymnasium.make`, most also options of `reset`."""

    REWARDS = REWARDS
    RANDOMISABLE = RANDOMISABLE
    PRESETS = PRESETS
    ACTION_MODES = ("torque", "position")

    params: SlipLegParams = field(default_factory=SlipLegParams)  # the robot
    scaled: bool = True  # whether the entries are divided by their typical values, or in SI units
    reset_noise: float = 0.01  # standard deviation of joint angles [rad], and of velocities [m/s], [rad/s]
    terrain_distance: float = 8.0  # from the start, which is far [m]
    command_speed: tuple[float, float] = (1.5, 3.0)  # range of the commanded forward speed [m/s]
    command_standing: float = 0.0  # share of the commands that are to stand still, which this leg cannot
    action_mode: str = "torque"  # or "position"
    apex_height: float = 0.62  # of the centre of mass at the start [m]
    speed: float = 2.5  # forward at the start [m/s]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.apex_height >= 0:
            raise ValueError(f"apex_height must not be negative, got {self.apex_height}")


def _foot_place(task: SlipLegTask) -> np.ndarray:
    """Return the foot's position from the base, along x and z."""
    return task.toe[..., ::2] - task.qpos[..., :2]


def _height_scan(task: SlipLegTask) -> np.ndarray:
    """Return how high the base is above points of the ground ahead."""
    x = task.qpos[..., :1] + np.array(SCAN)
    return task.qpos[..., 1:2] - task.ground.height(x, np.zeros_like(x))


OBSERVATIONS: dict[str, Observation] = {
    "height": Observation(1, 100, "m", "base above the ground below it", lambda t: t.height[..., None], typical=0.5),
    "velocity": Observation(2, 100, "m/s", "of the base, along x and z", lambda t: t.qvel[..., :2], typical=2),
    "joint_angle": Observation(2, 100, "rad", "of hip and knee", lambda t: t.qpos[..., 2:]),
    "joint_speed": Observation(2, 1e3, "rad/s", "of hip and knee", lambda t: t.qvel[..., 2:], typical=10),
    "foot_place": Observation(2, 10, "m", "foot from the base, along x and z", _foot_place, typical=0.4),
    "foot_contact": Observation(1, 1, "1", "1 where the foot touches the ground", lambda t: t.foot[..., 0]),
    "foot_force": Observation(
        2, 1e6, "N", "of the ground on the foot, along x and z", lambda t: t.foot[..., 0, 1::2], typical=200
    ),
    "height_scan": Observation(
        len(SCAN), 100, "m", "base above points on the ground, up to 0.6 m ahead", _height_scan, typical=0.5
    ),
    "action": Observation(2, 1, "1", "the last action", lambda t: t.action),
    "command": Observation(1, 100, "m/s", "forward speed", lambda t: t.command, "commanded", typical=2),
}


class SlipLegTask(Task):
    """The articulated leg runs forward, or as commanded; `docs/envs/slip_leg.md` has its tables.

    Attributes:
        toe: Position of the foot in the world, a view, shape (..., 3) [m].
        torque: Of hip and knee, shape (..., 2) [N m].
        height: Of the base above the ground below it, shape (...,) [m].
    """

    config_class = SlipLegConfig
    EXACT = "tarsus.envs.exact.legs:ExactSlipLeg"
    OBSERVATIONS = OBSERVATIONS
    DEFAULT = ("height", "velocity", "joint_angle", "joint_speed", "foot_place", "foot_contact", "action", "command")
    INFO = {
        "qpos": lambda t: t.qpos.copy(),
        "qvel": lambda t: t.qvel.copy(),
        "ground": lambda t: t.ground.height(t.toe[..., 0], t.toe[..., 1]),
        "torque": lambda t: t.torque.copy(),
    }
    PLACE = 0  # the base's x; `qpos` goes on with its z [m], hip and knee [rad]
    change = staticmethod(mean_change)

    def build(self, params, terrain, preset) -> mujoco.MjSpec:
        """Return the model, with servos where positions are commanded."""
        return build(params, terrain, preset, servo=self.config.action_mode == "position", limited=True)

    @property
    def action_scale(self) -> np.ndarray:
        """The physical value of an action of 1 in the mode "torque": torque of hip and knee, shape (2,) [N m]."""
        return LIMITS

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

    def controls(self, action: np.ndarray) -> np.ndarray:
        """Return the torques [N m] or the joints' set-points [rad] of the action, held, shape (1, ..., 2)."""
        return self._asked(action)[None]

    def _asked(self, action: np.ndarray) -> np.ndarray:
        if self.config.action_mode == "torque":
            return action * LIMITS
        return _LOW + 0.5 * (action + 1.0) * (_HIGH - _LOW)

    def bind(self, data) -> None:
        """Take views of the state, the sensor and the foot."""
        super().bind(data)
        self.toe = data.site_xpos[..., self.model.site("foot_0").id, :]

    def refresh(self) -> None:
        """Measure height and torques."""
        self.torque = self._torque()
        self.height = self.qpos[..., 1] - self.ground.height(self.qpos[..., 0], 0.0)

    def _torque(self) -> np.ndarray:
        """Return the joints' torque in the current state [N m]; MuJoCo's is that of the start of the last substep."""
        asked = self._asked(self.action)
        if self.config.action_mode == "position":
            asked = SERVO[0] * (asked - self.qpos[..., 2:]) - SERVO[1] * self.qvel[..., 2:]
        return limited_torque(MOTORS.reshape(3, *[1] * len(self.shape), 2), asked, self.qvel[..., 2:])

    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task, each of shape (...,) or a number."""
        terms = {
            "power": power(self.torque, self.qvel[..., 2:]),
            "action_change": self.change(self.action, self.last_action),
            "healthy": 1.0,
        }
        if self.config.task == "forward":
            return {"forward": self.paid_speed()} | terms
        return {"speed": track(self.velocity, self.command[..., 0], SPEED_WIDTH)} | terms

    def paid_speed(self) -> np.ndarray:
        """Return the speed that the task "forward" pays, within bounds, shape (...,) [m/s]."""
        return bounded_speed(self.velocity, BASELINE_SPEED)

    def failures(self) -> dict[str, np.ndarray]:
        """Return whether the leg has fallen, or has broken, shape (...,), by the reason."""
        joints = self.qpos[..., 2:]
        past = (joints < _LOW - GIVE) | (joints > _HIGH + GIVE)
        return {
            f"fell: the base is less than {FALLEN} m above the ground": self.height < FALLEN,
            "broke: the hip is past its end stop": past[..., 0],
            "broke: the knee is past its end stop": past[..., 1],
        }


class SlipLegEnv(LeggedEnv):
    """The articulated leg; options are the fields of `SlipLegConfig`, tables are in `docs/envs/slip_leg.md`."""

    task_class = SlipLegTask
    task: SlipLegTask


class SlipLegVectorEnv(LeggedVectorEnv):
    """Many legs, each identical to a `SlipLegEnv`."""

    task_class = SlipLegTask
