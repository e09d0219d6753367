"""What `SlipLeg-v0` simulates and asks for, for one simulation or many."""

from __future__ import annotations

import mujoco
import numpy as np

from ..analytic.models.slip_leg import apex_state
from ..mjcf.slip_leg import JOINT_RANGES, SERVO, TORQUE_LIMITS, build
from .legged_task import LeggedTask
from .observations import Observation
from .slip_leg_config import FALLEN, SlipLegConfig, reward_terms
from .slip_leg_observations import OBSERVATIONS, Frame, default_names

START_LEG = (0.435, 1.3648)  # length and angle of attack of the retracted leg at the start [m], [rad]
LIMITS = np.array(TORQUE_LIMITS)
FELL = f"fell: the base is less than {FALLEN} m above the ground"
_LOW, _HIGH = np.array(JOINT_RANGES).T


class SlipLegTask(LeggedTask):
    """The articulated leg runs forward, or as commanded; `docs/envs/slip_leg.md` has its tables."""

    KEPT = (*LeggedTask.KEPT, "_start_x", "_speed")
    config_class = SlipLegConfig
    n_actions = 2

    def known(self) -> dict[str, Observation]:
        """Return every entry there is."""
        return OBSERVATIONS

    def default_observations(self) -> tuple[str, ...]:
        """Return the default entries of the present task."""
        return default_names(self.config.task)

    def build(self, params, terrain, preset):
        """Return the model, with servos where positions are commanded."""
        return build(params, terrain, preset, servo=self.config.action_mode == "position")

    def make_room(self) -> None:
        """Make room for where an episode and a step began."""
        self._start_x, self._before_x, self._speed = (np.zeros(self.shape) for _ in range(3))

    def place(self, sim, model, data, rng) -> None:
        """Put the leg at an apex above the ground, retracted, with noise on joints and velocities."""
        config = self.config
        mujoco.mj_resetData(model, data)
        ground = float(self.terrain[sim].height(0.0, 0.0))
        x = apex_state(self.params[sim], config.apex_height + ground, config.speed, *START_LEG)
        data.qpos[:], data.qvel[:] = x[:4], x[4:]
        data.qpos[2:] += config.reset_noise * rng.standard_normal(2)
        data.qvel[:] += config.reset_noise * rng.standard_normal(4)

    def begin(self, sim, data) -> None:
        """Begin distance and speed."""
        self._start_x[sim], self._speed[sim] = data.qpos[0], data.qvel[0]

    def act(self, action: np.ndarray) -> np.ndarray:
        """Return the torques [N m] or the joints' set-points [rad] that the action means."""
        self.take_action(action)
        np.copyto(self._before_x, self._frame.qpos[..., 0])
        return self._asked(action)[None]

    def _asked(self, action: np.ndarray) -> np.ndarray:
        if self.config.action_mode == "torque":
            return action * LIMITS
        return _LOW + 0.5 * (action + 1.0) * (_HIGH - _LOW)

    def bind(self, data) -> None:
        """Take views of the state and the sensor."""
        super().bind(data)
        self._frame = Frame(
            qpos=data.qpos,
            qvel=data.qvel,
            foot=data.sensordata[..., :4],
            toe=data.site_xpos[..., 0, :],
            torque=self._action,
            action=self._action,
            command=self._command,
            height=self._speed,
            ground=self.ground.height,
        )

    def refresh(self) -> None:
        """Measure height and torques."""
        frame = self._frame
        frame.action, frame.command, frame.torque = self._action, self._command, self._torque()
        frame.height = frame.qpos[..., 1] - frame.ground(frame.qpos[..., 0], 0.0)

    def _torque(self) -> np.ndarray:
        """Return the joints' torque in the present state [N m]; MuJoCo's belongs to the last substep's start."""
        asked = self._asked(self._action)
        if self.config.action_mode == "position":
            frame = self._frame
            asked = SERVO[0] * (asked - frame.qpos[..., 2:]) - SERVO[1] * frame.qvel[..., 2:]
        return np.minimum(np.maximum(asked, -LIMITS), LIMITS)

    def advance(self) -> None:
        """Take the mean speed of the step."""
        self._speed[...] = (self._frame.qpos[..., 0] - self._before_x) * (1.0 / self.ctrl_dt)

    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task."""
        return reward_terms(self.config.task, self._frame, self._speed, self._last_action)

    def falls(self) -> dict[str, np.ndarray]:
        """Return whether the leg has fallen."""
        return {FELL: self._frame.height < FALLEN}

    def off_centre(self) -> np.ndarray:
        """Return how far the base is from the origin [m]."""
        return np.abs(self._frame.qpos[..., 0])

    @property
    def action_scale(self) -> np.ndarray:
        """What an action of one means in the mode "torque": torque of hip and knee, shape (2,) [N m]."""
        return LIMITS

    def measurements(self) -> dict[str, np.ndarray]:
        """Return where the leg is and what its joints and its foot do."""
        frame, time = self._frame, self.data.time
        qpos, toe = frame.qpos.copy(), frame.toe.copy()
        return {
            "time": time if not self.shape else time.copy(),
            "qpos": qpos,
            "qvel": frame.qvel.copy(),
            "speed": self._speed[()].copy(),
            "distance": qpos[..., 0] - self._start_x,
            "command": self._command.copy(),
            "ground": frame.ground(toe[..., 0], toe[..., 1]),
            "foot_contact": frame.foot[..., :1] > 0,
            "foot_force": frame.foot[..., None, 1:].copy(),
            "torque": frame.torque.copy(),
        }
