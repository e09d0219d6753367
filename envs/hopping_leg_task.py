"""What `HoppingLeg-v0` simulates, one leg or many at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import mujoco
import numpy as np

from ..analytic.models.hopping_leg import limited_torque, places
from ..analytic.terrain import Rough, Terrain, make
from ..mjcf.compile import compile_model
from ..mjcf.ground import Ground
from ..mjcf.hopping_leg import PRESETS, build
from ..mjcf.hopping_leg_parameters import set_parameters
from ..mjcf.presets import find
from ..mjcf.terrain import reroll
from . import observations
from .hopping_leg_config import FIXED_AT_MAKE, REMAKE_MODEL, HoppingLegConfig, reward_terms
from .hopping_leg_observations import OBSERVATIONS, Frame, default_names
from .task import Task


class HoppingLegTask(Task):
    """The leg, its observation, reward and end; `docs/envs/hopping_leg.md` has its tables.

    Attributes:
        config: The options as they are now.
        params: The leg of each simulation, by `sim`.
        terrain: The terrain of each simulation, by `sim`.
        observation_slices: Where each entry of the observation lies.
    """

    def __init__(self, shape: tuple[int, ...], **options):
        super().__init__(shape)
        self.config = HoppingLegConfig().changed(options)
        names = self.config.observations or default_names(self.config.task)
        self._entries = observations.select(names, "torque", self.config.task, OBSERVATIONS)
        self.observation_slices = observations.slices(self._entries)
        bound = np.concatenate([np.full(entry.size, entry.bound) for entry in self._entries.values()])
        bound = bound.astype(np.float32)
        self.observation_space = gymnasium.spaces.Box(-bound, bound, dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self._build()

    @property
    def varies(self) -> bool:
        """Whether an episode draws its leg or its ground."""
        return bool(self.config.randomise) or self._rerolls

    @property
    def action_scale(self) -> np.ndarray:
        """Torques of hip and knee that an action of one means, shape (2,) [N m]."""
        return self.config.params.rated_torque

    def _build(self) -> None:
        """Compile the model of the present configuration, and make room for what is kept of each simulation."""
        config, shape = self.config, self.shape
        terrain = make(config.terrain)
        model = compile_model(build(config.params, terrain, config.preset))
        self._load(model, Ground(terrain, shape), find(config.preset, PRESETS), config.ctrl_dt)
        self._rerolls = isinstance(terrain, Rough) and config.reroll_terrain
        sims = range(shape[0]) if shape else ((),)
        self.terrain: dict[int | tuple, Terrain] = dict.fromkeys(sims, terrain)
        self.params = dict.fromkeys(sims, config.params)
        limits = config.params.torque_limits
        self._limits = np.empty((3, *shape, 2))
        self._limits[:] = limits.reshape(3, *[1] * len(shape), 2)
        self._action, self._last_action = np.zeros((*shape, 2)), np.zeros((*shape, 2))
        self._speed, self._command, self._command_until = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._start_yaw, self._before_yaw = np.zeros(shape), np.zeros(shape)

    def configure(self, options: dict[str, Any]) -> bool:
        """Take options of a reset; a change of `REMAKE_MODEL` builds a new model."""
        before, self.config = self.config, self.config.changed(options, fixed=FIXED_AT_MAKE)
        rebuilt = any(getattr(before, name) is not getattr(self.config, name) for name in REMAKE_MODEL)
        if rebuilt:
            self._build()
        return rebuilt

    def start(self, sim, model, data, **state) -> None:
        """Draw leg and ground, hold the leg up in the air, draw a command."""
        rng = self.rngs[sim]
        self._draw_leg(sim, model, rng)
        if self._rerolls:
            terrain = self.terrain[sim] = replace(self.terrain[sim], seed=int(rng.integers(2**31)))
            reroll(model, terrain)
            self.ground[sim] = terrain
        self._place(model, data, rng, **state)
        self._action[sim] = self._last_action[sim] = self._speed[sim] = self._command[sim] = 0.0
        self._start_yaw[sim] = data.qpos[0]
        self._draw_command(sim, data.time)

    def _draw_leg(self, sim, model, rng) -> None:
        """Draw the parameters from their ranges and write them into the model."""
        if not self.config.randomise:
            return
        nominal, drawn = self.config.params, {}
        for name, (low, high) in self.config.randomise.items():
            value = np.asarray(getattr(nominal, name))
            drawn[name] = value * rng.uniform(low, high, value.shape[:1] + (1,) * (value.ndim - 1))  # each link its own
        params = self.params[sim] = replace(nominal, **drawn)
        set_parameters(model, params, self.config.preset)
        self._limits[(slice(None), sim) if self.shape else ...] = params.torque_limits

    def _place(self, model, data, rng, qpos=None, qvel=None) -> None:
        noise = self.config.reset_noise
        mujoco.mj_resetDataKeyframe(model, data, 0)
        data.qpos[1:] += noise * rng.standard_normal(3)
        data.qvel[:] = noise * rng.standard_normal(4)
        for name, value in (("qpos", qpos), ("qvel", qvel)):
            if value is not None:
                given, target = np.asarray(value, float), getattr(data, name)
                if given.shape != target.shape or not np.isfinite(given).all():
                    raise ValueError(f"{name} must be finite and of shape {target.shape}, got {given}")
                target[:] = given

    def _draw_command(self, sim, time: float) -> None:
        """Draw a new command, which holds for a while."""
        if self.config.task == "commanded":
            self._command[sim] = self.rngs[sim].uniform(*self.config.command_speed)
            self._command_until[sim] = time + self.config.command_period

    def act(self, action: np.ndarray) -> np.ndarray:
        """Return the torques asked of hip and knee, held for the control period."""
        self._last_action, self._action = self._action, action
        np.copyto(self._before_yaw, self._frame.qpos[..., 0])
        if self.config.task == "commanded":
            time = self.data.time
            for sim in self.where(time >= self._command_until - 1e-9):
                self._draw_command(sim, time[sim] if self.shape else time)
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

    def observe(self) -> np.ndarray:
        """Return the chosen entries side by side."""
        frame = self._frame
        return np.concatenate([entry.value(frame) for entry in self._entries.values()], axis=-1, dtype=np.float32)

    def reward_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task, weighted."""
        terms = reward_terms(self.config.task, self._frame, self._speed, self._last_action)
        return {name: weight * terms[name] for name, weight in self.config.weights.items()}

    def endings(self) -> dict[str, np.ndarray]:
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
            "command": self._command[()].copy(),
            "hip_position": frame.places.hip,
            "foot_position": frame.places.foot,
            "foot_contact": frame.foot[..., :1] > 0,
            "foot_force": frame.foot[..., None, 1:].copy(),
            "torque": frame.torque.copy(),
        }

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what does not pickle: the entries' functions, and views into the simulation."""
        return self.__dict__ | {"_entries": tuple(self._entries), "_frame": None, "data": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Find the entries by their names again; the environment binds its arrays."""
        self.__dict__.update(state)
        self._entries = {name: OBSERVATIONS[name] for name in self._entries}
