"""What `SlipLeg-v0` simulates and asks for, for one simulation or many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import mujoco
import numpy as np

from ..analytic.models.slip_leg import SlipLegParams, apex_state
from ..analytic.terrain import Rough, Terrain, make
from ..mjcf.compile import compile_model
from ..mjcf.ground import Ground
from ..mjcf.presets import find
from ..mjcf.slip_leg import JOINT_RANGES, PRESETS, SERVO, TORQUE_LIMITS, build
from ..mjcf.slip_leg_parameters import set_parameters
from ..mjcf.terrain import HALF_EXTENT, is_plane, reroll
from . import observations
from .slip_leg_config import FALLEN, FIXED_AT_MAKE, REMAKE_MODEL, SlipLegConfig, reward_terms
from .slip_leg_observations import OBSERVATIONS, Frame, default_names
from .task import Task

START_LEG = (0.435, 1.3648)  # length and angle of attack of the retracted leg at the start [m], [rad]
LIMITS = np.array(TORQUE_LIMITS)
FELL = f"fell: the base is less than {FALLEN} m above the ground"
_LOW, _HIGH = np.array(JOINT_RANGES).T


class SlipLegTask(Task):
    """The articulated leg runs forward, or as commanded; `docs/envs/slip_leg.md` has its tables.

    Attributes:
        config: The options as they are now.
        params: The leg of each simulation, by `sim`.
        terrain: The terrain of each simulation, by `sim`.
        observation_slices: Where each entry of the observation lies.
    """

    def __init__(self, shape: tuple[int, ...], **options):
        super().__init__(shape)
        self.config = config = SlipLegConfig().changed(options)
        names = config.observations or default_names(config.task)
        self._entries = observations.select(names, config.action_mode, config.task, OBSERVATIONS)
        self.observation_slices = observations.slices(self._entries)
        bound = np.concatenate([np.full(entry.size, entry.bound) for entry in self._entries.values()])
        bound = bound.astype(np.float32)
        self.observation_space = gymnasium.spaces.Box(-bound, bound, dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self._weights = config.weights
        self._build()

    @property
    def varies(self) -> bool:
        """Whether an episode draws its robot or its ground."""
        return bool(self.config.randomise) or self._rerolls

    def _build(self) -> None:
        """Compile the model of the present configuration, and make room for what is kept of each simulation."""
        config, shape = self.config, self.shape
        terrain, preset = make(config.terrain), find(config.preset, PRESETS)
        model = compile_model(build(config.params, terrain, preset, servo=config.action_mode == "position"))
        self._load(model, Ground(terrain, shape), preset, config.ctrl_dt)
        self._rerolls = isinstance(terrain, Rough) and config.reroll_terrain
        self._extent = np.inf if is_plane(terrain) else HALF_EXTENT - 1.0
        sims = range(shape[0]) if shape else ((),)
        self.terrain: dict[int | tuple, Terrain] = dict.fromkeys(sims, terrain)
        self.params: dict[int | tuple, SlipLegParams] = dict.fromkeys(sims, config.params)
        self._action, self._last_action = np.zeros((*shape, 2)), np.zeros((*shape, 2))
        self._start_x, self._before_x, self._speed = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._command, self._command_until = np.zeros((*shape, 1)), np.zeros(shape)

    def configure(self, options: dict[str, Any]) -> bool:
        """Take options of a reset; a change of `REMAKE_MODEL` builds a new model."""
        before, self.config = self.config, self.config.changed(options, fixed=FIXED_AT_MAKE)
        self._weights = self.config.weights
        rebuilt = any(getattr(before, name) is not getattr(self.config, name) for name in REMAKE_MODEL)
        if rebuilt:
            self._build()
        return rebuilt

    def start(self, sim, model, data, **state) -> None:
        """Draw robot and ground, put the leg at an apex, draw a command."""
        rng = self.rngs[sim]
        self._draw_robot(sim, model, rng)
        if self._rerolls:
            terrain = self.terrain[sim] = replace(self.terrain[sim], seed=int(rng.integers(2**31)))
            reroll(model, terrain)
            self.ground[sim] = terrain
        self._place(sim, model, data, rng, **state)
        self._action[sim] = self._last_action[sim] = self._command[sim] = 0.0
        self._start_x[sim], self._speed[sim] = data.qpos[0], data.qvel[0]
        self._draw_command(sim, data.time)

    def _draw_robot(self, sim, model, rng) -> None:
        """Draw the leg's parameters from their ranges and write them into the model."""
        if self.config.randomise:
            nominal = self.config.params
            drawn = {
                name: getattr(nominal, name) * rng.uniform(low, high)
                for name, (low, high) in self.config.randomise.items()
            }
            self.params[sim] = replace(nominal, **drawn)
            set_parameters(model, self.params[sim], self.config.preset)

    def _place(self, sim, model, data, rng, qpos=None, qvel=None) -> None:
        """Put the leg at an apex above the ground, retracted, with noise on joints and velocities."""
        config = self.config
        mujoco.mj_resetData(model, data)
        ground = float(self.terrain[sim].height(0.0, 0.0))
        x = apex_state(self.params[sim], config.apex_height + ground, config.speed, *START_LEG)
        data.qpos[:], data.qvel[:] = x[:4], x[4:]
        data.qpos[2:] += config.reset_noise * rng.standard_normal(2)
        data.qvel[:] += config.reset_noise * rng.standard_normal(4)
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
        """Return the torques [N m] or the joints' set-points [rad] that the action means."""
        self._last_action, self._action = self._action, action
        np.copyto(self._before_x, self._frame.qpos[..., 0])
        if self.config.task == "commanded":
            time = self.data.time
            for sim in self.where(time >= self._command_until - 1e-9):
                self._draw_command(sim, time[sim] if self.shape else time)
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

    def observe(self) -> np.ndarray:
        """Return the chosen entries side by side."""
        frame = self._frame
        return np.concatenate([entry.value(frame) for entry in self._entries.values()], axis=-1, dtype=np.float32)

    def reward_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task, weighted."""
        terms = reward_terms(self.config.task, self._frame, self._speed, self._last_action)
        return {name: weight * terms[name] for name, weight in self._weights.items()}

    def endings(self) -> dict[str, np.ndarray]:
        """Return whether the leg has fallen or left its ground."""
        over = {FELL: self._frame.height < FALLEN}
        if self._extent < np.inf:
            over["left the terrain"] = np.abs(self._frame.qpos[..., 0]) > self._extent
        return over

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

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what does not pickle: the entries' functions, and views into the simulation."""
        return self.__dict__ | {"_entries": tuple(self._entries), "_frame": None, "data": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Find the entries by their names again; the environment binds its arrays."""
        self.__dict__.update(state)
        self._entries = {name: OBSERVATIONS[name] for name in self._entries}
