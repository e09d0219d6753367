"""What `Hexapod-v0` simulates and asks for, one robot or many at once."""

from __future__ import annotations

import mujoco
import numpy as np

from ..analytic.battery import Battery
from ..analytic.models.hexapod import N_LEGS
from ..mjcf.hexapod import build
from ..mjcf.hexapod_state import start_state
from . import actions, observations
from .hexapod_config import HexapodConfig, reward_terms
from .hexapod_robots import Robots, modelled
from .legged_task import LeggedTask
from .measure import rotation, toppled
from .observations import Observation


class HexapodTask(LeggedTask):
    """The hexapod, its observation, reward and end; `docs/envs/hexapod.md` has its tables.

    Attributes:
        robots: Motors, servos and legs of the robots.
    """

    KEPT = (*LeggedTask.KEPT, "_reference", "_rate", "_cycles", "_drained", "_start_xy", "_velocity")
    config_class = HexapodConfig
    n_actions = actions.N_ACTIONS

    def known(self) -> dict[str, Observation]:
        """Return every entry there is."""
        return observations.OBSERVATIONS

    def default_observations(self) -> tuple[str, ...]:
        """Return the default entries of the present mode and task."""
        return observations.default_names(self.config.action_mode, self.config.task)

    def build(self, params, terrain, preset):
        """Return the model; its servos are off where torques are commanded."""
        return build(modelled(params, self.config.action_mode), terrain, preset)

    def make_room(self) -> None:
        """Make room for set-points, the clock, the battery, and where a step began."""
        shape = self.shape
        self._battery, self.robots = Battery(), Robots(self.config, shape)
        self._reference, self._rate = np.zeros((*shape, N_LEGS)), np.zeros((*shape, N_LEGS))
        self._cycles, self._drained = np.zeros(shape), np.zeros(shape)
        self._start_xy, self._before_xy = np.zeros((*shape, 2)), np.zeros((*shape, 2))
        self._velocity = np.zeros((*shape, 2))

    def factor_shape(self, value: np.ndarray) -> tuple[int, ...] | None:
        """Return one factor for each leg where there is a value for each; an inertia matrix has one."""
        return (N_LEGS,) if value.shape[:1] == (N_LEGS,) else None

    def write_robot(self, sim, model, params) -> None:
        """Write a robot's parameters into its model, and keep what a step needs of them."""
        super().write_robot(sim, model, params)
        self.robots.take(sim, params)

    def place(self, sim, model, data, rng) -> None:
        """Stand the robot on the ground, legs where the clock wants them, with noise on hips and velocities."""
        noise, in_gait = self.config.reset_noise, self.config.action_mode == "gait"
        self._cycles[sim] = rng.uniform() if in_gait else 0.0
        mujoco.mj_resetDataKeyframe(model, data, 0)
        angle = data.qpos[7::3].copy()
        if in_gait:
            _, angle, _, _ = actions.gait_commands(np.zeros(actions.N_ACTIONS), self._cycles[sim], np.zeros(2))
        angle = angle + noise * rng.standard_normal(N_LEGS)
        data.qpos[:] = start_state(self.params[sim], self.terrain[sim], angle)
        data.qvel[:6] = noise * rng.standard_normal(6)

    def begin(self, sim, data) -> None:
        """Begin set-points, battery and distance."""
        self._reference[sim], self._rate[sim] = data.qpos[7::3], 0.0
        self._start_xy[sim], self._drained[sim], self._velocity[sim] = data.qpos[:2], 0.0, 0.0

    def act(self, action: np.ndarray) -> np.ndarray:
        """Return the hip commands that the action means in this action mode."""
        self.take_action(action)
        np.copyto(self._before_xy, self._frame.qpos[..., :2])
        if self.config.action_mode == "velocity":
            angle = self._frame.qpos[..., 7::3]
            speed = action * self.robots.motor.no_load_speed
            commands, self._reference = actions.velocity_commands(
                self._reference, angle, speed, self.substep_times, self.lead
            )
            self._rate = speed
        elif self.config.action_mode == "torque":
            commands = actions.torque_commands(action * self.robots.motor.max_torque, 1)
        else:
            commands, self._reference, self._rate, self._cycles = actions.gait_commands(
                action, self._cycles, self.substep_times, self.lead
            )
        return commands.reshape(*commands.shape[:-2], -1)

    def bind(self, data) -> None:
        """Take views of the state and the sensors."""
        super().bind(data)
        self._frame = observations.Frame(
            qpos=data.qpos,
            qvel=data.qvel,
            rotation=np.eye(3),
            foot=data.sensordata[..., : 4 * N_LEGS].reshape(*self.shape, N_LEGS, 4),
            accelerometer=data.sensordata[..., 4 * N_LEGS + 3 : 4 * N_LEGS + 6],
            torque=self._rate,
            rest_length=self.robots.rest_length,
            reference=self._reference,
            action=self._action,
            command=self._command,
            cycles=self._cycles,
            height=self._cycles,
            ground=self.ground.height,
        )

    def refresh(self) -> None:
        """Measure body orientation, hip torques and height."""
        frame = self._frame
        frame.rotation = rotation(frame.qpos[..., 3:7])
        frame.reference, frame.action, frame.command = self._reference, self._action, self._command
        frame.cycles = self._cycles
        asked = self._reference, self._rate, self._action
        frame.torque = self.robots.hip_torque(frame.qpos[..., 7::3], frame.qvel[..., 6::3], *asked)
        frame.height = frame.qpos[..., 2] - frame.ground(frame.qpos[..., 0], frame.qpos[..., 1])

    def advance(self) -> None:
        """Take the mean velocity of the step, and what the motors drained meanwhile."""
        frame, motor = self._frame, self.robots.motor
        self._velocity = (frame.qpos[..., :2] - self._before_xy) * (1.0 / self.ctrl_dt)
        voltage = motor.voltage(frame.torque, frame.qvel[..., 6::3])
        self._drained += self.ctrl_dt * self._battery.drain_rate(motor.current(frame.torque), voltage)

    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task."""
        return reward_terms(self.config.task, self._frame, self._velocity, self._last_action)

    def falls(self) -> dict[str, np.ndarray]:
        """Return whether the robot has toppled."""
        return toppled(self._frame)

    @property
    def action_scale(self) -> float:
        """What an action of one means: hip speed [rad/s] or torque [N m]; 1 for gaits, see `actions.GAIT_RANGES`."""
        motor = self.config.params.motor
        return {"velocity": motor.no_load_speed, "torque": motor.max_torque, "gait": 1.0}[self.config.action_mode]

    def measurements(self) -> dict[str, np.ndarray]:
        """Return where the robot is, and what its hips, feet and battery do."""
        frame, time = self._frame, self.data.time
        qpos, torque = frame.qpos.copy(), frame.torque.copy()
        return {
            "time": time if not self.shape else time.copy(),
            "position": qpos[..., :3],
            "speed": self._velocity.T[1].copy(),
            "distance": qpos[..., 1] - self._start_xy[..., 1],
            "command": self._command.copy(),
            "hip_angle": qpos[..., 7::3],
            "hip_speed": frame.qvel[..., 6::3].copy(),
            "hip_reference": self._reference.copy(),
            "foot_contact": frame.foot[..., 0] > 0,
            "foot_force": frame.foot[..., 1:].copy(),
            "torque": torque,
            "current": self.robots.motor.current(torque),
            "battery_drained": self._drained[()].copy(),
        }
