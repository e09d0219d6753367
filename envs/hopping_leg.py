"""`HoppingLeg-v1`: the leg on its boom hops forward, or as fast as commanded, on a terrain of choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np

from ..analytic.models.hopping_leg import HoppingLegParams, places
from ..analytic.terrain import Terrain
from ..mjcf.hopping_leg import PRESETS, RANDOMISABLE, build
from .commands import tracking
from .leg import JOINTS, LegConfig, LegEnv, LegTask, rewards
from .leg_law import PLANE
from .observations import Observation, labelled
from .vector import LeggedVectorEnv

SCAN = (-0.2, 0.0, 0.2, 0.4)  # where the height scan looks, along the hip's way [m]
PITCH_STEP = 1e-12  # how near to the ground a foot is put that would begin under it, as an angle of the boom [rad]
CIRCLE, FRAME = ("cosine", "sine"), ("forward", "left", "up")  # components of entries
SPEED_WIDTH = 0.25  # the least width of the reward of the speed, see `commands` [m/s]
# The line between torque and speed as MIT's Cheetah-Software has it for the Mini Cheetah's motors (ActuatorModel.h,
# 24 V, 0.17 ohm): tau = 1.5 kT (V - 2 kT w) / R, that is kT (V / 2 - kT w) / (R / 3).
DRIVEN = HoppingLegParams(motor_mode="current", voltage=24.0 / 2, resistance=0.17 / 3)
BASELINE_SPEED = 1.02  # of the action zero [m/s]
REWARDS = rewards(
    BASELINE_SPEED,
    45.0,
    forward="speed of the hip along its circle [m/s]",
    tracked="exp(-((speed - command) / width)^2); width half the command, at least 0.25 m/s",
)


@dataclass(frozen=True)
class HoppingLegConfig(LegConfig):
    """Options of the environment: keywords of `make`, most also options of `reset`."""

    REWARDS = REWARDS
    RANDOMISABLE = RANDOMISABLE
    CALLED = LegConfig.CALLED | {"mass": "leg_mass"}
    PRESETS = PRESETS
    ACTION_MODES = ("torque", "residual")
    PERIODS: ClassVar[dict[str, float]] = {"torque": 0.005}
    LAW_PERIOD = 0.005

    params: HoppingLegParams = DRIVEN  # the leg; by default its motors have limits
    reset_noise: float = 0.02  # standard deviation of pitch, hip and knee [rad], and of velocities [rad/s]
    command_speed: tuple[float, float] = (-0.5, 1.5)  # range of the commanded speed [m/s]


def _both(k: int) -> Callable:
    """Return the entry of cosine and sine of angle k."""

    def value(task: HoppingLegTask) -> np.ndarray:
        both = np.empty((*task.qpos.shape[:-1], 2))
        both[..., 0], both[..., 1] = task.places.cosine[..., k], task.places.sine[..., k]
        return both

    return value


def foot_force(task: HoppingLegTask) -> np.ndarray:
    """Return the force on the foot forward along the hip's way, left to the boom's pivot, and up."""
    cosine, sine = task.places.cosine[..., 0], task.places.sine[..., 0]
    x, y, z = task.foot[..., 0, 1], task.foot[..., 0, 2], task.foot[..., 0, 3]
    return np.stack([cosine * y - sine * x, -cosine * x - sine * y, z], axis=-1)


def _height_scan(task: HoppingLegTask) -> np.ndarray:
    """Return the height of the hip above points of the ground on its circle."""
    angle = np.array(SCAN) / task.leg.LB
    cosine, sine = np.cos(angle), np.sin(angle)
    hip = task.places.hip
    x, y = hip[..., 0:1], hip[..., 1:2]
    return hip[..., 2:3] - task.ground.height(cosine * x - sine * y, sine * x + cosine * y)


OBSERVATIONS: dict[str, Observation] = {
    "height": Observation(1, 10, "m", "hip above the ground below it", lambda t: t.height[..., None], typical=0.3),
    "speed": Observation(1, 100, "m/s", "of the hip along its circle", lambda t: t.leg.LB * t.qvel[..., 0, None]),
    "pitch": Observation(
        1, 10, "rad", "of the boom; positive is tip down", lambda t: t.qpos[..., 1, None], typical=0.1
    ),
    "pitch_rate": Observation(1, 1e3, "rad/s", "its rate", lambda t: t.qvel[..., 1, None]),
    "hip_angle": labelled(CIRCLE, 1, "1", "cosine and sine of the hip angle", _both(2)),
    "knee_angle": labelled(CIRCLE, 1, "1", "cosine and sine of the knee angle", _both(3)),
    "joint_speed": labelled(JOINTS, 1e3, "rad/s", "of hip and knee", lambda t: t.qvel[..., 2:], typical=10),
    "foot_position": labelled(PLANE, 10, "m", "foot from the hip", lambda t: t.places.leg, typical=0.2),
    "foot_contact": Observation(1, 1, "1", "1 where the foot touches the ground", lambda t: t.foot[..., 0] > 0),
    "foot_force": labelled(FRAME, 1e5, "N", "of the ground on the foot, along the hip's way", foot_force, typical=50),
    "yaw": labelled(CIRCLE, 1, "1", "cosine and sine of the boom's yaw", _both(0)),
    "torque": labelled(JOINTS, 1e3, "N m", "of hip and knee", lambda t: t.torque, typical=10),
    "height_scan": Observation(
        len(SCAN), 100, "m", "hip above points of the ground on its way", _height_scan, typical=0.3
    ),
    "action": labelled(JOINTS, 1, "1", "the last action", lambda t: t.action),
    "command": Observation(1, 100, "m/s", "commanded speed", lambda t: t.command, "commanded"),
}


class HoppingLegTask(LegTask):
    """The leg with its observation, reward and termination; tables are in `docs/envs/hopping_leg.md`.

    Attributes:
        leg: The nominal leg: its lengths are never randomised.
        places: Of leg, hip and foot, with sines and cosines of `qpos`: yaw, pitch, hip, knee [rad].
        height: Of the hip above the ground below it, shape (...,) [m].
    """

    config_class = HoppingLegConfig
    EXACT = "tarsus.envs.exact.legs:ExactHoppingLeg"
    OBSERVATIONS = OBSERVATIONS
    DEFAULT = (
        *("height", "speed", "pitch", "pitch_rate", "hip_angle", "knee_angle", "joint_speed", "foot_position"),
        *("foot_contact", "action", "command", "law_torque", "law_stance", "law_time", "correction", "tempo"),
    )
    INFO = {
        "qpos": "qpos",
        "qvel": "qvel",
        "hip_position": lambda t: t.places.hip,
        "foot_position": lambda t: t.places.foot,
        "torque": "torque",
    }
    PLACE = 0  # the yaw
    BASELINE_SPEED, LAW_SPEED = BASELINE_SPEED, 1.0
    roams = False

    def build(self, params, terrain, preset) -> mujoco.MjSpec:
        """Return the model."""
        return build(params, terrain, preset, stops=True)

    def baseline(self):
        """Return Raibert's controller."""
        from ..controllers import raibert  # with it comes the compiler

        return raibert.baseline(self.config.params)

    def limits_of(self, params: HoppingLegParams) -> np.ndarray:
        """Return the limits of a leg's motors, shape (3, 2)."""
        return params.torque_limits

    def make_room(self) -> None:
        """Make room for the motors' limits."""
        super().make_room()
        self.leg = self.config.params

    def place(self, sim, model, data, rng) -> None:
        """Hold the leg up in the air, with noise on all but the yaw; at least as high as its foot needs."""
        noise = self.config.reset_noise
        mujoco.mj_resetDataKeyframe(model, data, 0)
        data.qpos[1:] += noise * rng.standard_normal(3)
        data.qvel[:] = noise * rng.standard_normal(4)
        data.qpos[1] = self._clear_pitch(self.terrain[sim], data.qpos)

    def _clear_pitch(self, terrain: Terrain, qpos: np.ndarray) -> float:
        """Return the boom's pitch [rad], or one farther up at which the foot comes out of the ground.

        Raises:
            ValueError: If it is under the ground even below the upright boom.
        """
        asked, upright = float(qpos[1]), -0.5 * np.pi

        def above(pitch: float) -> bool:
            x, y, z = places(self.leg, np.array([qpos[0], pitch, *qpos[2:]])).foot
            return bool(z >= terrain.height(x, y))

        if above(asked):
            return asked
        if not above(upright):
            raise ValueError(f"the foot would begin under the ground; lower the {type(terrain).__name__} at the start")
        low, high = asked, upright
        while (
            abs(high - low) > PITCH_STEP
        ):  # the foot moves inward as it rises: there is no closed form on all terrains
            middle = 0.5 * (low + high)
            low, high = (low, middle) if above(middle) else (middle, high)
        return high

    def asked(self, action: np.ndarray) -> np.ndarray:
        """Return the torques asked of hip and knee, shape (..., 2) [N m]."""
        return action * self.leg.rated_torque

    def refresh(self) -> None:
        """Measure hip, torques and height."""
        super().refresh()
        self.places = places(self.leg, self.qpos)
        hip = self.places.hip
        self.height = hip[..., 2] - self.ground.height(hip[..., 0], hip[..., 1])

    @property
    def place_scale(self) -> float:
        """The radius of the hip's circle [m]."""
        return self.leg.LB

    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task, each of shape (...,) or a number."""
        terms = self.shared_terms()
        if self.config.task == "forward":
            return {"forward": self.paid_speed()} | terms
        command = self.command[..., 0]
        error = self.velocity - command
        return {"speed": tracking(error * error, command * command, SPEED_WIDTH)} | terms

    def failures(self) -> dict[str, np.ndarray]:
        """Return the mask of legs that have fallen, shape (...,), by the reason."""
        low = self.leg.fall_height
        return {f"fell: the hip is less than {low:g} m above the ground": self.height < low}


class HoppingLegEnv(LegEnv):
    """The leg on its boom; options are the fields of `HoppingLegConfig`, tables are in `docs/envs/hopping_leg.md`."""

    task_class = HoppingLegTask
    task: HoppingLegTask


class HoppingLegVectorEnv(LeggedVectorEnv):
    """Many legs, each identical to a `HoppingLegEnv`."""

    task_class = HoppingLegTask
