"""A walker: a machine of driven joints and sprung legs in MuJoCo, and what is asked of it.

A machine joins by subclassing `WalkerTask` with what `walker_machine.Machine` asks for. See `multipod` and `bigant`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import mujoco
import numpy as np

from ..analytic.terrain import Flat, Rough, make
from ..mjcf.compile import compile_model
from ..mjcf.ground import Ground
from ..mjcf.parameters import take_parameters
from ..mjcf.presets import find
from ..mjcf.terrain import HALF_EXTENT, is_plane, reroll
from . import actions, observations
from .hexapod_config import UPRIGHT
from .measure import rotation
from .task import Task
from .walker_config import REMAKE_MODEL, reward_terms
from .walker_machine import Machine
from .walker_observations import Frame, default_names, pieces


class WalkerTask(Machine, Task):
    """What a walker's environment simulates and asks for.

    Attributes:
        config: The options as they are now.
        params: The robot of each simulation, by `sim`.
        terrain: The terrain of each simulation, by `sim`.
        layout: Names of joints and legs.
        action_names: Of each entry of an action: a joint, or in the action mode "gait" a parameter of the gait.
        observation_slices: Where each entry lies in the observation.
        observation_names: Name of every number of the observation.
    """

    def __init__(self, shape: tuple[int, ...], **options):
        super().__init__(shape)
        config = self.config = self.config_class().changed(options)
        self.layout = self.layout_of(config.robot)
        self.action_names = tuple(self.gait_ranges) if config.action_mode == "gait" else self.layout.joints
        known = pieces(self.layout, self.action_names)
        names = config.observations or default_names(known, config.action_mode, config.task)
        self._entries = observations.select(names, config.action_mode, config.task, known)
        self.observation_slices = observations.slices(self._entries)
        self.observation_names = tuple(
            f"{name}.{label}" for name, entry in self._entries.items() for label in entry.labels
        )
        bound = np.concatenate([np.full(entry.size, entry.bound) for entry in self._entries.values()])
        bound = bound.astype(np.float32)
        self.observation_space = gymnasium.spaces.Box(-bound, bound, dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (len(self.action_names),), np.float32)
        self._build()

    @property
    def varies(self) -> bool:
        """Whether an episode draws its robot or its ground."""
        return bool(self.config.randomise) or self._rerolls

    def _build(self) -> None:
        """Compile the model of the present configuration, and make room for what is kept of each simulation."""
        config, shape, robot = self.config, self.shape, self.config.robot
        if self.layout_of(robot) != self.layout:
            raise ValueError(f"the robot's joints and legs are fixed when the environment is made: {self.layout.legs}")
        terrain = make(config.terrain)
        model = compile_model(self.build(self._servo(robot), terrain, config.preset))
        self._load(model, Ground(terrain, shape), find(config.preset), config.ctrl_dt)
        self._rerolls = isinstance(terrain, Rough) and config.reroll_terrain
        self._extent = np.inf if is_plane(terrain) else HALF_EXTENT - 1.0
        sims = range(shape[0]) if shape else ((),)
        self.params, self.terrain = dict.fromkeys(sims, robot), dict.fromkeys(sims, terrain)
        self._joints, self._springs = self.indices_of(robot)
        self._limits, self._motor = self.limits_of(robot), robot.motor
        self._low, self._high = np.array(list(self.gait_ranges.values())).T
        self._kp, self._kd = np.full((*shape, 1), robot.KP), np.full((*shape, 1), robot.KD)
        n_joints, n_actions = len(self.layout.joints), len(self.action_names)
        self._reference, self._rate = np.zeros((*shape, n_joints)), np.zeros((*shape, n_joints))
        self._action, self._last_action = np.zeros((*shape, n_actions)), np.zeros((*shape, n_actions))
        self._cycles, self._command_until = np.zeros(shape), np.zeros(shape)
        self._start_xy, self._before_xy = np.zeros((*shape, 2)), np.zeros((*shape, 2))
        self._velocity, self._command = np.zeros((*shape, 2)), np.zeros((*shape, 2))

    def _servo(self, params):
        """Return the parameters of the model; torques are commanded past the servo."""
        return replace(params, KP=0.0, KD=0.0) if self.config.action_mode == "torque" else params

    def configure(self, options: dict[str, Any]) -> bool:
        """Take options of a reset; a change of `REMAKE_MODEL` builds a new model."""
        before, self.config = self.config, self.config.changed(options, fixed=self.config.fixed)
        rebuilt = any(getattr(before, name) is not getattr(self.config, name) for name in REMAKE_MODEL)
        if rebuilt:
            self._build()
        return rebuilt

    def start(self, sim, model, data, **state) -> None:
        """Draw robot and ground, stand the robot on the ground, draw a command."""
        rng = self.rngs[sim]
        self._randomise(sim, model, rng)
        self._reroll(sim, model, rng)
        self._cycles[sim] = rng.uniform() if self.config.action_mode == "gait" else 0.0
        self._place(sim, model, data, rng, **state)
        self._reference[sim], self._rate[sim] = data.qpos[7 + self._joints], 0.0
        self._action[sim] = self._last_action[sim] = self._velocity[sim] = self._command[sim] = 0.0
        self._start_xy[sim] = data.qpos[:2]
        self._draw_command(sim, data.time)

    def _randomise(self, sim, model, rng) -> None:
        """Draw the robot's parameters from their ranges and write them into the model."""
        if not self.config.randomise:
            return
        nominal = self.config.robot
        drawn = {name: getattr(nominal, name) * rng.uniform(*span) for name, span in self.config.randomise.items()}
        params = self.params[sim] = replace(nominal, **drawn)
        take_parameters(model, compile_model(self.build(self._servo(params), Flat(), self.config.preset)))
        self._kp[sim], self._kd[sim] = params.KP, params.KD

    def _reroll(self, sim, model, rng) -> None:
        """Give a seeded terrain new ground."""
        if self._rerolls:
            terrain = self.terrain[sim] = replace(self.terrain[sim], seed=int(rng.integers(2**31)))
            reroll(model, terrain)
            self.ground[sim] = terrain

    def _place(self, sim, model, data, rng, qpos=None, qvel=None) -> None:
        """Stand the robot on the ground, joints where the gait wants them, with noise on joints and velocities."""
        noise, angle = self.config.reset_noise, np.zeros(len(self._joints))
        mujoco.mj_resetDataKeyframe(model, data, 0)
        if self.config.action_mode == "gait":
            angle, _ = self.gait(self.params[sim], 0.5 * (self._low + self._high), self._cycles[sim])
        angle = angle + noise * rng.standard_normal(len(angle))
        data.qpos[:] = self.start_state(
            self.params[sim], self.terrain[sim], np.clip(angle, -self._limits, self._limits)
        )
        data.qvel[:6] = noise * rng.standard_normal(6)
        for name, value in (("qpos", qpos), ("qvel", qvel)):
            if value is not None:
                given, target = np.asarray(value, float), getattr(data, name)
                if given.shape != target.shape or not np.isfinite(given).all():
                    raise ValueError(f"{name} must be finite and of shape {target.shape}, got {given}")
                target[:] = given

    def _draw_command(self, sim, time: float) -> None:
        """Draw a new command, which holds for a while."""
        if self.config.task == "commanded":
            ranges = np.array([self.config.command_speed, self.config.command_yaw_rate])
            self._command[sim] = self.rngs[sim].uniform(ranges[:, 0], ranges[:, 1])
            self._command_until[sim] = time + self.config.command_period

    def act(self, action: np.ndarray) -> np.ndarray:
        """Return the joint commands that the action means in this action mode."""
        self._last_action, self._action = self._action, action
        np.copyto(self._before_xy, self._frame.qpos[..., :2])
        if self.config.task == "commanded":
            time = self.data.time
            for sim in self.where(time >= self._command_until - 1e-9):
                self._draw_command(sim, time[sim] if self.shape else time)
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

    def observe(self) -> np.ndarray:
        """Return the chosen entries side by side."""
        frame = self._frame
        return np.concatenate([entry.value(frame) for entry in self._entries.values()], axis=-1, dtype=np.float32)

    def reward_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task, weighted."""
        terms = reward_terms(self.config.task, self._frame, self._velocity, self._last_action)
        return {name: weight * terms[name] for name, weight in self.config.weights.items()}

    def endings(self) -> dict[str, np.ndarray]:
        """Return whether the robot has toppled or left its ground."""
        frame = self._frame
        over = {
            "toppled: tilted by more than 60 degrees": frame.rotation[..., 2, 2] < UPRIGHT,
            "toppled: the body is under the ground": frame.height < 0.0,
        }
        if self._extent < np.inf:
            over["left the terrain"] = np.abs(frame.qpos[..., :2]).max(-1) > self._extent
        return over

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

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what does not pickle: the entries' functions, and views into the simulation."""
        return self.__dict__ | {"_entries": tuple(self._entries), "_frame": None, "data": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Find the entries by their names again; the environment binds its arrays."""
        self.__dict__.update(state)
        known = pieces(self.layout, self.action_names)
        self._entries = {name: known[name] for name in self._entries}
