"""A walker: a machine of driven joints and sprung legs in MuJoCo, and what is asked of it.

A machine joins by subclassing `WalkerTask` with what `walker_machine.Machine` asks for. See `multipod` and `bigant`.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from . import actions
from .legged_task import LeggedTask
from .measure import rotation, toppled
from .walker_config import reward_terms
from .walker_machine import Machine
from .walker_observations import Frame, Piece, default_names, pieces


class WalkerTask(Machine, LeggedTask):
    """What a walker's environment simulates and asks for.

    Attributes:
        layout: Names of joints and legs.
        action_names: Of each entry of an action: a joint, or in the action mode "gait" a parameter of the gait.
        observation_names: Name of every number of the observation.
    """

    KEPT = (*LeggedTask.KEPT, "_reference", "_rate", "_cycles", "_velocity", "_start_xy")

    def __init__(self, shape: tuple[int, ...], **options):
        super().__init__(shape, **options)
        self.observation_names = tuple(
            f"{name}.{label}" for name, entry in self._entries.items() for label in entry.labels
        )

    def prepare(self) -> None:
        """Find the names of joints, legs and actions."""
        self.layout = self.layout_of(self.config.robot)
        self.action_names = tuple(self.gait_ranges) if self.config.action_mode == "gait" else self.layout.joints

    @property
    def n_actions(self) -> int:
        """One for each joint, or each parameter of the gait."""
        return len(self.action_names)

    def known(self) -> dict[str, Piece]:
        """Return every entry there is for this machine."""
        return pieces(self.layout, self.action_names)

    def default_observations(self) -> tuple[str, ...]:
        """Return the default entries of the present mode and task."""
        return default_names(self.known(), self.config.action_mode, self.config.task)

    def build(self, params, terrain, preset) -> mujoco.MjSpec:
        """Return the model; its servos are off where torques are commanded."""
        if self.layout_of(params) != self.layout:
            raise ValueError(f"the robot's joints and legs are fixed when the environment is made: {self.layout.legs}")
        if self.config.action_mode == "torque":
            params = replace(params, KP=0.0, KD=0.0)
        return self.spec_of(params, terrain, preset)

    def make_room(self) -> None:
        """Make room for set-points, the gait, and where a step began."""
        shape, robot = self.shape, self.config.robot
        self._joints, self._springs = self.indices_of(robot)
        self._limits, self._motor = self.limits_of(robot), robot.motor
        self._low, self._high = np.array(list(self.gait_ranges.values())).T
        self._kp, self._kd = np.full((*shape, 1), robot.KP), np.full((*shape, 1), robot.KD)
        n_joints = len(self.layout.joints)
        self._reference, self._rate = np.zeros((*shape, n_joints)), np.zeros((*shape, n_joints))
        self._cycles, self._velocity = np.zeros(shape), np.zeros((*shape, 2))
        self._start_xy, self._before_xy = np.zeros((*shape, 2)), np.zeros((*shape, 2))

    def write_robot(self, sim, model, params) -> None:
        """Write a robot's parameters into its model, and keep its servos' gains."""
        super().write_robot(sim, model, params)
        self._kp[sim], self._kd[sim] = params.KP, params.KD

    def place(self, sim, model, data, rng) -> None:
        """Stand the robot on the ground, joints where the gait wants them, with noise on joints and velocities."""
        noise, angle, in_gait = self.config.reset_noise, np.zeros(len(self._joints)), self.config.action_mode == "gait"
        self._cycles[sim] = rng.uniform() if in_gait else 0.0
        mujoco.mj_resetDataKeyframe(model, data, 0)
        if in_gait:
            angle, _ = self.gait(self.params[sim], 0.5 * (self._low + self._high), self._cycles[sim])
        angle = np.clip(angle + noise * rng.standard_normal(len(angle)), -self._limits, self._limits)
        data.qpos[:] = self.start_state(self.params[sim], self.terrain[sim], angle)
        data.qvel[:6] = noise * rng.standard_normal(6)

    def begin(self, sim, data) -> None:
        """Begin set-points and distance."""
        self._reference[sim], self._rate[sim] = data.qpos[7 + self._joints], 0.0
        self._start_xy[sim], self._velocity[sim] = data.qpos[:2], 0.0

    def act(self, action: np.ndarray) -> np.ndarray:
        """Return the joint commands that the action means in this action mode."""
        self.take_action(action)
        np.copyto(self._before_xy, self._frame.qpos[..., :2])
        if self.config.action_mode == "velocity":
            commands = self._velocity_commands(action * self._motor.no_load_speed)
        elif self.config.action_mode == "torque":
            commands = actions.torque_commands(action * self._motor.max_torque, 1)
        else:
            commands = self._gait_commands(self._low + 0.5 * (action + 1.0) * (self._high - self._low))
        return commands.reshape(*commands.shape[:-2], -1)

    def _velocity_commands(self, speed: np.ndarray) -> np.ndarray:
        """Ramp the set-points at these speeds [rad/s], up to the joints' limits."""
        commands, reference = actions.velocity_commands(
            self._reference, self._joint_angle(), speed, self.substep_times, self.lead
        )
        commands[..., 0] = np.clip(commands[..., 0], -self._limits, self._limits)
        self._reference, self._rate = np.clip(reference, -self._limits, self._limits), speed
        return commands

    def _gait_commands(self, parameters: np.ndarray) -> np.ndarray:
        """Follow the gait of these parameters; it goes on from where it was, whatever it was before."""
        gone = self._cycles + np.multiply.outer(self.substep_times, parameters[..., 0])  # (n_substeps + 1, ...)
        angle, rate = self.gait(self.config.robot, parameters, gone)
        n = self.n_substeps
        commands = actions.no_commands(n, angle.shape[1:])
        window = slice(self.lead, n + self.lead)
        commands[..., 0], commands[..., 1] = angle[window], rate[window]
        self._reference, self._rate, self._cycles = angle[-1], rate[-1], np.array(gone[-1])
        return commands

    def bind(self, data) -> None:
        """Take views of the state and the sensors."""
        super().bind(data)
        n_legs = len(self.layout.legs)
        self._frame = Frame(
            qpos=data.qpos,
            qvel=data.qvel,
            rotation=np.eye(3),
            foot=data.sensordata[..., : 4 * n_legs].reshape(*self.shape, n_legs, 4),
            accelerometer=data.sensordata[..., 4 * n_legs + 3 : 4 * n_legs + 6],
            joint_angle=self._rate,
            joint_speed=self._rate,
            compression=np.zeros(n_legs),
            torque=self._rate,
            reference=self._reference,
            action=self._action,
            command=self._command,
            cycles=self._cycles,
            height=self._cycles,
            ground=self.ground.height,
        )

    def refresh(self) -> None:
        """Measure orientation, joints, springs, torques and height."""
        frame = self._frame
        frame.rotation = rotation(frame.qpos[..., 3:7])
        frame.joint_angle = self._joint_angle()
        frame.joint_speed = np.take(frame.qvel, 6 + self._joints, axis=-1)
        frame.compression = self.give_of(self.config.robot) * np.take(frame.qpos, 7 + self._springs, axis=-1)
        frame.reference, frame.action, frame.command = self._reference, self._action, self._command
        frame.cycles = self._cycles
        frame.torque = self._torque(frame.joint_angle, frame.joint_speed)
        frame.height = frame.qpos[..., 2] - frame.ground(frame.qpos[..., 0], frame.qpos[..., 1])

    def _joint_angle(self) -> np.ndarray:
        # `take` gives rows in the memory's order, as indexing does not: sums would round by how many rows there are.
        return np.take(self._frame.qpos, 7 + self._joints, axis=-1)

    def _torque(self, angle: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """Return the servos' torque in the present state [N m]; MuJoCo's own reading is a substep old."""
        if self.config.action_mode == "torque":
            asked = self._action * self._motor.max_torque
        else:
            asked = self._kp * (self._reference - angle) + self._kd * (self._rate - speed)
        return self._motor.limit(asked, speed)

    def advance(self) -> None:
        """Take the mean velocity of the step."""
        self._velocity = (self._frame.qpos[..., :2] - self._before_xy) * (1.0 / self.ctrl_dt)

    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task."""
        return reward_terms(self.config.task, self._frame, self._velocity, self._last_action)

    def falls(self) -> dict[str, np.ndarray]:
        """Return whether the robot has toppled."""
        return toppled(self._frame)

    @property
    def action_scale(self) -> float:
        """What an action of one means: joint speed [rad/s] or torque [N m]; 1 for gaits."""
        motor = self._motor
        return {"velocity": motor.no_load_speed, "torque": motor.max_torque, "gait": 1.0}[self.config.action_mode]

    def measurements(self) -> dict[str, np.ndarray]:
        """Return where the robot is, and what its joints and feet do."""
        frame, time = self._frame, self.data.time
        return {
            "time": time if not self.shape else time.copy(),
            "position": frame.qpos[..., :3].copy(),
            "speed": self._velocity.T[0].copy(),
            "distance": frame.qpos[..., 0] - self._start_xy[..., 0],
            "command": self._command.copy(),
            "joint_angle": frame.joint_angle.copy(),
            "joint_speed": frame.joint_speed.copy(),
            "joint_reference": self._reference.copy(),
            "foot_contact": frame.foot[..., 0] > 0,
            "foot_force": frame.foot[..., 1:].copy(),
            "torque": frame.torque.copy(),
            "current": self._motor.current(frame.torque),
        }
