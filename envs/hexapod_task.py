"""What `Hexapod-v0` simulates and asks for, one robot or many at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import mujoco
import numpy as np

from ..analytic.battery import Battery
from ..analytic.models.hexapod import N_LEGS
from ..analytic.terrain import Rough, Terrain, make
from ..mjcf.compile import compile_model
from ..mjcf.ground import Ground
from ..mjcf.hexapod import build
from ..mjcf.hexapod_state import start_state
from ..mjcf.presets import find
from ..mjcf.terrain import HALF_EXTENT, is_plane, reroll
from . import actions, observations
from .hexapod_config import FIXED_AT_MAKE, REMAKE_MODEL, UPRIGHT, HexapodConfig, reward_terms
from .hexapod_robots import Robots
from .measure import rotation
from .task import Task


class HexapodTask(Task):
    """The hexapod, its observation, reward and end; `docs/envs/hexapod.md` has its tables.

    Attributes:
        config: The options as they are now.
        robots: The robot of each simulation.
        terrain: The terrain of each simulation, by `sim`.
        observation_slices: Where each entry of the observation lies.
    """

    def __init__(self, shape: tuple[int, ...], **options):
        super().__init__(shape)
        self.config = HexapodConfig().changed(options)
        config = self.config
        names = config.observations or observations.default_names(config.action_mode, config.task)
        self._entries = observations.select(names, config.action_mode, config.task)
        self.observation_slices = observations.slices(self._entries)
        bound = np.concatenate([np.full(entry.size, entry.bound) for entry in self._entries.values()])
        bound = bound.astype(np.float32)
        self.observation_space = gymnasium.spaces.Box(-bound, bound, dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (actions.N_ACTIONS,), np.float32)
        self._battery = Battery()
        self._build()

    @property
    def varies(self) -> bool:
        """Whether an episode draws its robot or its ground."""
        return bool(self.config.randomise) or self._rerolls

    def _build(self) -> None:
        """Compile the model of the present configuration, and make room for what is kept of each simulation."""
        config, shape = self.config, self.shape
        terrain = make(config.terrain)
        self.robots = Robots(config, shape)
        model = compile_model(build(self.robots.modelled(config.params), terrain, config.preset))
        self._load(model, Ground(terrain, shape), find(config.preset), config.ctrl_dt)
        self._rerolls = isinstance(terrain, Rough) and config.reroll_terrain
        self._extent = np.inf if is_plane(terrain) else HALF_EXTENT - 1.0
        sims = range(shape[0]) if shape else ((),)
        self.terrain: dict[int | tuple, Terrain] = dict.fromkeys(sims, terrain)
        self._reference, self._rate = np.zeros((*shape, N_LEGS)), np.zeros((*shape, N_LEGS))
        self._action, self._last_action = np.zeros((*shape, actions.N_ACTIONS)), np.zeros((*shape, actions.N_ACTIONS))
        self._cycles, self._drained, self._command_until = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._start_xy, self._before_xy = np.zeros((*shape, 2)), np.zeros((*shape, 2))
        self._velocity, self._command = np.zeros((*shape, 2)), np.zeros((*shape, 2))

    def configure(self, options: dict[str, Any]) -> bool:
        """Take options of a reset; a change of `REMAKE_MODEL` builds a new model."""
        before, self.config = self.config, self.config.changed(options, fixed=FIXED_AT_MAKE)
        rebuilt = any(getattr(before, name) is not getattr(self.config, name) for name in REMAKE_MODEL)
        if rebuilt:
            self._build()
        return rebuilt

    def start(self, sim, model, data, **state) -> None:
        """Draw robot and ground, stand the robot on the ground, draw a command."""
        rng, mode = self.rngs[sim], self.config.action_mode
        self.robots.draw(sim, model, rng)
        self._reroll(sim, model, rng)
        self._cycles[sim] = rng.uniform() if mode == "gait" else 0.0
        self._place(sim, model, data, rng, **state)
        self._reference[sim], self._rate[sim] = data.qpos[7::3], 0.0
        self._action[sim] = self._last_action[sim] = self._velocity[sim] = self._command[sim] = 0.0
        self._start_xy[sim], self._drained[sim] = data.qpos[:2], 0.0
        self._draw_command(sim, data.time)

    def _reroll(self, sim, model, rng) -> None:
        """Give a seeded terrain new ground."""
        if self._rerolls:
            terrain = self.terrain[sim] = replace(self.terrain[sim], seed=int(rng.integers(2**31)))
            reroll(model, terrain)
            self.ground[sim] = terrain

    def _place(self, sim, model, data, rng, qpos=None, qvel=None) -> None:
        """Stand the robot on the ground, legs where the clock wants them, with noise on hips and velocities."""
        noise = self.config.reset_noise
        mujoco.mj_resetDataKeyframe(model, data, 0)
        angle = data.qpos[7::3].copy()
        if self.config.action_mode == "gait":
            _, angle, _, _ = actions.gait_commands(np.zeros(actions.N_ACTIONS), self._cycles[sim], np.zeros(2))
        angle = angle + noise * rng.standard_normal(N_LEGS)
        data.qpos[:] = start_state(self.robots.params[sim], self.terrain[sim], angle)
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
        """Return the hip commands that the action means in this action mode."""
        self._last_action, self._action = self._action, action
        np.copyto(self._before_xy, self._frame.qpos[..., :2])
        if self.config.task == "commanded":
            time = self.data.time
            for sim in self.where(time >= self._command_until - 1e-9):
                self._draw_command(sim, time[sim] if self.shape else time)
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

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what does not pickle: the entries' functions, and views into the simulation."""
        return self.__dict__ | {"_entries": tuple(self._entries), "_frame": None, "data": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Find the entries by their names again; the environment binds its arrays."""
        self.__dict__.update(state)
        self._entries = {name: observations.OBSERVATIONS[name] for name in self._entries}
