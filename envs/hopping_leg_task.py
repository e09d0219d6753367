"""What `HoppingLeg-v0` simulates, one leg or many at once."""

from __future__ import annotations

import mujoco
import numpy as np

from ..analytic.models.hopping_leg import limited_torque, places
from ..mjcf.hopping_leg import build
from .hopping_leg_config import HoppingLegConfig, reward_terms
from .hopping_leg_observations import OBSERVATIONS, Frame, default_names
from .legged_task import LeggedTask
from .observations import Observation


class HoppingLegTask(LeggedTask):
    """The leg, its observation, reward and end; `docs/envs/hopping_leg.md` has its tables."""

    KEPT = (*LeggedTask.KEPT, "_start_yaw", "_speed")
    config_class = HoppingLegConfig
    n_actions = 2
    roams = False

    def known(self) -> dict[str, Observation]:
        """Return every entry there is."""
        return OBSERVATIONS

    def default_observations(self) -> tuple[str, ...]:
        """Return the default entries of the present task."""
        return default_names(self.config.task)

    def build(self, params, terrain, preset):
        """Return the model."""
        return build(params, terrain, preset)

    @property
    def action_scale(self) -> np.ndarray:
        """Torques of hip and knee that an action of one means, shape (2,) [N m]."""
        return self.config.params.rated_torque

    def make_room(self) -> None:
        """Make room for the motors' limits, and for where an episode and a step began."""
        shape = self.shape
        self._limits = np.empty((3, *shape, 2))
        self._limits[:] = self.config.params.torque_limits.reshape(3, *[1] * len(shape), 2)
        self._start_yaw, self._before_yaw, self._speed = np.zeros(shape), np.zeros(shape), np.zeros(shape)

    def factor_shape(self, value: np.ndarray) -> tuple[int, ...]:
        """Return one factor for each link."""
        return value.shape[:1] + (1,) * (value.ndim - 1)

    def write_robot(self, sim, model, params) -> None:
        """Write a leg's parameters into its model, and keep its motors' limits."""
        super().write_robot(sim, model, params)
        self._limits[(slice(None), sim) if self.shape else ...] = params.torque_limits

    def place(self, sim, model, data, rng) -> None:
        """Hold the leg up in the air, with noise on all but the yaw."""
        noise = self.config.reset_noise
        mujoco.mj_resetDataKeyframe(model, data, 0)
        data.qpos[1:] += noise * rng.standard_normal(3)
        data.qvel[:] = noise * rng.standard_normal(4)

    def begin(self, sim, data) -> None:
        """Begin distance and speed."""
        self._start_yaw[sim], self._speed[sim] = data.qpos[0], 0.0

    def act(self, action: np.ndarray) -> np.ndarray:
        """Return the torques asked of hip and knee, held for the control period."""
        self.take_action(action)
        np.copyto(self._before_yaw, self._frame.qpos[..., 0])
        return (action * self.action_scale)[None]

    def bind(self, data) -> None:
        """Take views of the state and the sensors."""
        super().bind(data)
        self._frame = Frame(
            params=self.config.params,
            qpos=data.qpos,
            qvel=data.qvel,
            places=places(self.config.params, data.qpos),
            foot=data.sensordata[..., :4],
            torque=self._action,
            action=self._action,
            command=self._command,
            height=self._speed,
            ground=self.ground.height,
        )

    def refresh(self) -> None:
        """Measure hip, torques and height."""
        frame = self._frame
        frame.action, frame.command = self._action, self._command
        frame.places = places(frame.params, frame.qpos)
        frame.torque = limited_torque(self._limits, self._action * self.action_scale, frame.qvel[..., 2:])
        hip = frame.places.hip
        frame.height = hip[..., 2] - frame.ground(hip[..., 0], hip[..., 1])

    def advance(self) -> None:
        """Take the mean speed of the step."""
        travelled = self._frame.params.LB * (self._frame.qpos[..., 0] - self._before_yaw)
        self._speed[...] = travelled * (1.0 / self.ctrl_dt)

    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task."""
        return reward_terms(self.config.task, self._frame, self._speed, self._last_action)

    def falls(self) -> dict[str, np.ndarray]:
        """Return whether the leg has fallen."""
        low = self.config.params.fall_height
        return {f"fell: the hip is less than {low:g} m above the ground": self._frame.height < low}

    def measurements(self) -> dict[str, np.ndarray]:
        """Return where the leg is, and what its joints and foot do."""
        frame, time = self._frame, self.data.time
        return {
            "time": time if not self.shape else time.copy(),
            "qpos": frame.qpos.copy(),
            "qvel": frame.qvel.copy(),
            "speed": self._speed[()].copy(),
            "distance": frame.params.LB * (frame.qpos[..., 0] - self._start_yaw),
            "command": self._command.copy(),
            "hip_position": frame.places.hip,
            "foot_position": frame.places.foot,
            "foot_contact": frame.foot[..., :1] > 0,
            "foot_force": frame.foot[..., None, 1:].copy(),
            "torque": frame.torque.copy(),
        }
