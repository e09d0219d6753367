"""`Hexapod-v0`: the compliant hexapod runs forward, or as commanded, on a terrain of choice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import mujoco
import numpy as np

from ..analytic.battery import Battery
from ..analytic.models.hexapod import N_LEGS
from ..analytic.terrain import Rough, make
from ..mjcf.compile import compile_model
from ..mjcf.hexapod import build
from ..mjcf.hexapod_parameters import set_parameters
from ..mjcf.hexapod_state import start_state
from ..mjcf.presets import find
from ..mjcf.terrain import HALF_EXTENT, GroundPatches, is_plane, reroll
from . import actions, observations
from .base import LeggedEnv
from .hexapod_task import FIXED_AT_MAKE, REMAKE_MODEL, UPRIGHT, HexapodConfig, reward_terms


class HexapodEnv(LeggedEnv):
    """The compliant hexapod on a terrain; `docs/envs/hexapod.md` has its tables.

    Args:
        render_mode: None, "human", "rgb_array" or "depth_array".
        width: Of an image [pixel].
        height: Of an image [pixel].
        camera: "follow" or "side".
        options: The fields of `HexapodConfig`. `reset(options=...)` takes them too, but for those that shape the
            spaces, and keeps them for the episodes that follow; besides, `qpos` and `qvel` set one episode's start.

    Raises:
        ValueError: If an option is unknown or its value impossible; the sentence says what is allowed.
    """

    def __init__(self, render_mode: str | None = None, width: int = 640, height: int = 480, camera="follow", **options):
        super().__init__(render_mode, width, height, camera)
        self.config = HexapodConfig().changed(options)
        config = self.config
        names = config.observations or observations.default_names(config.action_mode, config.task)
        self._entries = observations.select(names, config.action_mode, config.task)
        self.observation_slices = observations.slices(self._entries)
        bound = np.concatenate([np.full(entry.size, entry.bound) for entry in self._entries.values()])
        self._bound = bound.astype(np.float32)
        self.observation_space = gymnasium.spaces.Box(-self._bound, self._bound, dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (actions.N_ACTIONS,), np.float32)
        self._battery = Battery()
        self._started = False
        self._build()

    @property
    def action_scale(self) -> float:
        """What an action of one means: hip speed [rad/s] or torque [N m]; 1 for gaits, see `actions.GAIT_RANGES`."""
        motor = self.params.motor
        return {"velocity": motor.no_load_speed, "torque": motor.max_torque, "gait": 1.0}[self.config.action_mode]

    def _build(self) -> None:
        """Compile the model of the present configuration."""
        config = self.config
        self.params, self.terrain = config.params, make(config.terrain)
        params = config.params
        if config.action_mode == "torque":
            params = replace(params, KP=0.0, KD=0.0)
        model = compile_model(build(params, self.terrain, config.preset))
        self._load(model, GroundPatches(model, self.terrain), find(config.preset), config.ctrl_dt)
        self._extent = np.inf if is_plane(self.terrain) else HALF_EXTENT - 1.0

    def _start(self, options: dict[str, Any]) -> None:
        start = {name: options.pop(name) for name in ("qpos", "qvel") if name in options}
        before, self.config = self.config, self.config.changed(options, fixed=FIXED_AT_MAKE)
        if any(getattr(before, name) is not getattr(self.config, name) for name in REMAKE_MODEL):
            self._build()
        self._weights = self.config.weights
        self._randomise()
        self._motor = self.params.motor
        self._reroll()
        self._cycles = np.array(self.np_random.uniform()) if self.config.action_mode == "gait" else np.array(0.0)
        self._place(**start)
        self._reference, self._rate = self.data.qpos[7::3].copy(), np.zeros(N_LEGS)
        self._action = self._last_action = np.zeros(actions.N_ACTIONS)
        self._start_xy, self._drained = self.data.qpos[:2].copy(), 0.0
        self._velocity, self._started = np.zeros(2), True
        self._command_until = 0.0
        self._command = np.zeros(2)
        self._resample_command()

    def _randomise(self) -> None:
        """Draw the robot's parameters from their ranges and write them into the model."""
        if not self.config.randomise:
            return
        nominal, drawn = self.config.params, {}
        for name, (low, high) in self.config.randomise.items():
            value = np.asarray(getattr(nominal, name))
            per_leg = value.shape[:1] == (N_LEGS,)  # each leg its own factor; an inertia matrix has one
            drawn[name] = value * self.np_random.uniform(low, high, N_LEGS if per_leg else None)
        self.params = replace(nominal, **drawn)
        servo = {"KP": 0.0, "KD": 0.0} if self.config.action_mode == "torque" else {}
        set_parameters(self.model, replace(self.params, **servo), self.config.preset)

    def _reroll(self) -> None:
        """Give a seeded terrain new ground."""
        if isinstance(self.terrain, Rough) and self.config.reroll_terrain:
            self.terrain = replace(self.terrain, seed=int(self.np_random.integers(2**31)))
            reroll(self.model, self.terrain)
            self._patches.terrain = self.terrain
            if self._renderer is not None:  # it holds the old ground
                self._renderer.close()
                self._renderer = None
            if self._viewer is not None:
                self._viewer.update_hfield(0)

    def _place(self, qpos: np.ndarray | None = None, qvel: np.ndarray | None = None) -> None:
        """Stand the robot on the ground, legs where the clock wants them, with noise on hips and velocities."""
        model, data, noise = self.model, self.data, self.config.reset_noise
        mujoco.mj_resetDataKeyframe(model, data, 0)
        angle = data.qpos[7::3].copy()
        if self.config.action_mode == "gait":
            _, angle, _, _ = actions.gait_commands(np.zeros(actions.N_ACTIONS), self._cycles, np.zeros(2))
        angle = angle + noise * self.np_random.standard_normal(N_LEGS)
        data.qpos[:] = start_state(self.params, self.terrain, angle)
        data.qvel[:6] = noise * self.np_random.standard_normal(6)
        for name, value in (("qpos", qpos), ("qvel", qvel)):
            if value is not None:
                given, target = np.asarray(value, float), getattr(data, name)
                if given.shape != target.shape or not np.isfinite(given).all():
                    raise ValueError(f"{name} must be finite and of shape {target.shape}, got {given}")
                target[:] = given

    def _resample_command(self) -> None:
        """Draw a new command when the present one's time is over."""
        if self.config.task == "commanded" and self.data.time >= self._command_until - 1e-9:
            ranges = np.array([self.config.command_speed, self.config.command_yaw_rate])
            self._command = self.np_random.uniform(ranges[:, 0], ranges[:, 1])
            self._command_until = self.data.time + self.config.command_period

    def _act(self, action: np.ndarray) -> np.ndarray:
        self._last_action, self._action = self._action, action
        self._before_xy = self._frame.qpos[:2].copy()
        self._resample_command()
        if self.config.action_mode == "velocity":
            angle = self._frame.qpos[7::3]
            speed = action * self._motor.no_load_speed
            commands, self._reference = actions.velocity_commands(
                self._reference, angle, speed, self._substep_times, self._lead
            )
            self._rate = speed
        elif self.config.action_mode == "torque":
            commands = actions.torque_commands(action * self._motor.max_torque, 1)
        else:
            commands, self._reference, self._rate, self._cycles = actions.gait_commands(
                action, self._cycles, self._substep_times, self._lead
            )
        return commands.reshape(len(commands), -1)

    def _bind(self) -> None:
        super()._bind()
        data = self.data
        self._frame = observations.Frame(
            qpos=data.qpos,
            qvel=data.qvel,
            rotation=np.eye(3),
            foot=data.sensordata[: 4 * N_LEGS].reshape(N_LEGS, 4),
            accelerometer=data.sensordata[4 * N_LEGS + 3 : 4 * N_LEGS + 6],
            torque=np.zeros(N_LEGS),
            rest_length=self.params.rho_r0,
            reference=np.zeros(N_LEGS),
            action=np.zeros(actions.N_ACTIONS),
            command=np.zeros(2),
            cycles=np.zeros(()),
            height=np.zeros(()),
            ground=self.terrain.height,
        )

    def _refresh(self) -> None:
        frame = self._frame
        mujoco.mju_quat2Mat(frame.rotation.reshape(9), frame.qpos[3:7])
        frame.reference, frame.action, frame.command = self._reference, self._action, self._command
        frame.cycles, frame.ground, frame.rest_length = self._cycles, self.terrain.height, self.params.rho_r0
        frame.torque = self._hip_torque(frame.qpos[7::3], frame.qvel[6::3])
        x, y, z = frame.qpos[:3]
        frame.height = z - frame.ground(x, y)

    def _hip_torque(self, angle: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """Return the motors' torque in the present state [N m].

        MuJoCo's own `actuator_force` belongs to the last substep's start; with the integrator `discrete` it lacks the
        implicit part, and overstates the torque of a hip in swing by 0.3 N m.
        """
        if self.config.action_mode == "torque":
            asked = self._action * self._motor.max_torque
        else:
            params = self.params
            asked = params.KP * (self._reference - angle) + params.KD * (self._rate - speed)
        return self._motor.limit(asked, speed)

    def _observe(self) -> np.ndarray:
        frame = self._frame
        return np.concatenate([entry.value(frame) for entry in self._entries.values()], dtype=np.float32)

    def _reward_terms(self) -> dict[str, float]:
        self._velocity = (self._frame.qpos[:2] - self._before_xy) * (1.0 / self.ctrl_dt)
        terms = reward_terms(self.config.task, self._frame, self._velocity, self._last_action)
        return {name: weight * float(terms[name]) for name, weight in self._weights.items()}

    def _termination(self, observation: np.ndarray) -> str:
        if not (np.abs(observation) <= self._bound).all():
            return "diverged: an observation is beyond its bound"
        if self._frame.rotation[2, 2] < UPRIGHT:
            return "toppled: tilted by more than 60 degrees"
        if self._frame.height < 0.0:
            return "toppled: the body is under the ground"
        if self._extent < np.inf and np.abs(self._frame.qpos[:2]).max() > self._extent:
            return "left the terrain"
        return ""

    def _measurements(self) -> dict[str, Any]:
        frame, motor = self._frame, self._motor
        qpos, foot, torque = frame.qpos.copy(), frame.foot.copy(), frame.torque.copy()
        speed = frame.qvel[6::3].copy()
        current = motor.current(torque)
        if self.data.time > 0.0:
            self._drained += self.ctrl_dt * self._battery.drain_rate(current, motor.voltage(torque, speed))
        return {
            "time": self.data.time,
            "position": qpos[:3],
            "speed": float(self._velocity[1]),
            "distance": float(qpos[1] - self._start_xy[1]),
            "command": self._command.copy(),
            "hip_angle": qpos[7::3],
            "hip_speed": speed,
            "hip_reference": self._reference.copy(),
            "foot_contact": foot[:, 0] > 0,
            "foot_force": foot[:, 1:],
            "torque": torque,
            "current": current,
            "battery_drained": float(self._drained),
        }

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what does not pickle: the entries' functions, and views into the simulation."""
        return super().__getstate__() | {"_entries": tuple(self._entries), "_frame": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Find the entries by their names again."""
        super().__setstate__(state)
        self._entries = {name: observations.OBSERVATIONS[name] for name in self._entries}
        if self._started:
            self._refresh()
