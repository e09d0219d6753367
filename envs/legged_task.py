"""What the tasks of all machines share: options, terrain, randomised robots, commands, entries of the observation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import gymnasium
import mujoco
import numpy as np

from ..analytic.terrain import Flat, Rough, Terrain, make
from ..mjcf.compile import compile_model, take_parameters
from ..mjcf.ground import Ground
from ..mjcf.presets import find
from ..mjcf.terrain import HALF_EXTENT, is_plane, reroll
from . import observations
from .config import REMAKE_MODEL, TaskConfig
from .kinds import from_keywords
from .observations import Observation
from .task import Task


class LeggedTask(Task):
    """A machine with options, on a terrain; its own class fills in the abstract methods.

    Attributes:
        config: The options as they are now.
        params: The robot of each simulation, by `sim`.
        terrain: The terrain of each simulation, by `sim`.
        observation_slices: Where each entry of the observation lies.
    """

    config_class: ClassVar[type[TaskConfig]]
    KEPT = ("_action", "_command", "_command_until")
    roams = True  # whether it can walk off the edge of a terrain that has one

    def __init__(self, shape: tuple[int, ...], **options):
        super().__init__(shape)
        self._adopt(from_keywords(self.config_class, options))
        config = self.config
        self.prepare()
        names = config.observations or self.default_observations()
        self._entries = observations.select(names, getattr(config, "action_mode", ""), config.task, self.known())
        self.observation_slices = observations.slices(self._entries)
        bound = np.concatenate([np.full(entry.size, entry.bound) for entry in self._entries.values()])
        bound = bound.astype(np.float32)
        self.observation_space = gymnasium.spaces.Box(-bound, bound, dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (self.n_actions,), np.float32)
        self._build()

    def prepare(self) -> None:
        """Find, before anything else, what the spaces need to know of the configuration."""

    @property
    @abstractmethod
    def n_actions(self) -> int:
        """Numbers in an action."""

    @abstractmethod
    def known(self) -> dict[str, Observation]:
        """Return every entry of an observation there is, functions of `self._frame`."""

    @abstractmethod
    def default_observations(self) -> Sequence[str]:
        """Return the names of the entries of the present mode and task."""

    @abstractmethod
    def build(self, params, terrain: Terrain, preset) -> mujoco.MjSpec:
        """Return the model of a robot, as the present action mode drives it."""

    @abstractmethod
    def make_room(self) -> None:
        """Make room for what is kept of each simulation besides actions, commands, robot and terrain."""

    def write_robot(self, sim, model: mujoco.MjModel, params) -> None:
        """Write the robot drawn for a simulation into its model."""
        take_parameters(model, compile_model(self.build(params, Flat(), self.config.preset)))

    @abstractmethod
    def place(self, sim, model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        """Put the robot's start, with noise, into `data`."""

    @abstractmethod
    def begin(self, sim, data: mujoco.MjData) -> None:
        """Begin what is kept of a simulation, its start placed."""

    @abstractmethod
    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task's reward."""

    @abstractmethod
    def falls(self) -> dict[str, np.ndarray]:
        """Return whether the robot is down, by the sentence that says why."""

    def factor_shape(self, value: np.ndarray) -> tuple[int, ...] | None:
        """Return how many factors randomise a parameter; one by default."""
        return None

    @property
    def varies(self) -> bool:
        """Whether an episode draws its robot or its ground."""
        return bool(self.config.randomise) or self._rerolls

    def _build(self) -> None:
        """Compile the model of the present configuration, and make room for what is kept of each simulation."""
        config, shape = self.config, self.shape
        terrain, preset = make(config.terrain), find(config.preset, config.PRESETS)
        model = compile_model(self.build(config.robot, terrain, preset))
        self._load(model, Ground(terrain, shape), preset, config.ctrl_dt)
        self._rerolls = isinstance(terrain, Rough) and config.reroll_terrain
        self._extent = np.inf if is_plane(terrain) or not self.roams else HALF_EXTENT - 1.0
        sims = range(shape[0]) if shape else ((),)
        self.terrain: dict[int | tuple, Terrain] = dict.fromkeys(sims, terrain)
        self.params: dict[int | tuple, Any] = dict.fromkeys(sims, config.robot)
        self._action, self._last_action = np.zeros((*shape, self.n_actions)), np.zeros((*shape, self.n_actions))
        self._command, self._command_until = np.zeros((*shape, len(config.command_ranges))), np.zeros(shape)
        self.make_room()

    def _adopt(self, config: TaskConfig) -> None:
        """Take a configuration, and what a step needs of it."""
        self.config, self._weights = config, config.weights
        self._command_ranges = np.array(config.command_ranges, float).T

    def configure(self, options: dict[str, Any]) -> bool:
        """Take options of a reset; a change of `REMAKE_MODEL` builds a new model."""
        if not options:
            return False
        before = self.config
        self._adopt(before.changed(options))
        rebuilt = any(getattr(before, name) is not getattr(self.config, name) for name in REMAKE_MODEL)
        if rebuilt:
            self._build()
        return rebuilt

    def start(self, sim, model, data, **state) -> None:
        """Draw robot and ground, place the robot, draw a command."""
        rng = self.rngs[sim]
        self._draw_robot(sim, model, rng)
        if self._rerolls:
            self._lay(sim, model, replace(self.terrain[sim], seed=int(rng.integers(2**31))))
        self.place(sim, model, data, rng)
        for name, value in state.items():
            given, target = np.asarray(value, float), getattr(data, name)
            if given.shape != target.shape or not np.isfinite(given).all():
                raise ValueError(f"{name} must be finite and of shape {target.shape}, got {given}")
            target[:] = given
        self._action[sim] = self._last_action[sim] = self._command[sim] = 0.0
        self.begin(sim, data)
        self._draw_command(sim, data.time)

    def _draw_robot(self, sim, model, rng) -> None:
        """Draw a robot's parameters from their ranges."""
        if not self.config.randomise:
            return
        nominal, drawn = self.config.robot, {}
        for name, (low, high) in self.config.randomise.items():
            value = getattr(nominal, name)
            drawn[name] = value * rng.uniform(low, high, self.factor_shape(np.asarray(value)))
        self.params[sim] = replace(nominal, **drawn)
        self.write_robot(sim, model, self.params[sim])

    def drawn(self, sim):
        """Return a simulation's robot and its terrain."""
        return self.params[sim], self.terrain[sim]

    def redraw(self, sim, model, drawn) -> bool:
        """Give a simulation its robot and terrain; where they are not what it has, that takes milliseconds."""
        params, terrain = drawn
        other_robot = bool(self.config.randomise) and params is not self.params[sim]
        other_ground = self._rerolls and terrain != self.terrain[sim]
        if other_robot:
            self.write_robot(sim, model, params)
            self.params[sim] = params
        if other_ground:
            self._lay(sim, model, terrain)
        return other_robot or other_ground

    def _lay(self, sim, model, terrain) -> None:
        """Put rough ground under a simulation."""
        reroll(model, terrain)
        self.terrain[sim] = self.ground[sim] = terrain

    def _draw_command(self, sim, time: float) -> None:
        """Draw a new command, which holds for a while."""
        if self.config.task == "commanded":
            self._command[sim] = self.rngs[sim].uniform(*self._command_ranges)
            self._command_until[sim] = time + self.config.command_period

    def take_action(self, action: np.ndarray) -> None:
        """Remember the action, and draw new commands where it is time to."""
        self._last_action, self._action = self._action, action
        if self.config.task == "commanded":
            time = self.data.time
            for sim in self.where(time >= self._command_until - 1e-9):
                self._draw_command(sim, time[sim] if self.shape else time)

    def observe(self) -> np.ndarray:
        """Return the chosen entries side by side."""
        frame = self._frame
        return np.concatenate([entry.value(frame) for entry in self._entries.values()], axis=-1, dtype=np.float32)

    def reward_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task, weighted."""
        terms = self.unweighted_terms()
        return {name: weight * terms[name] for name, weight in self._weights.items()}

    def endings(self) -> dict[str, np.ndarray]:
        """Return whether the robot is down or has left its ground."""
        over = self.falls()
        if self._extent < np.inf:
            over["left the terrain"] = self.off_centre() > self._extent
        return over

    def off_centre(self) -> np.ndarray:
        """Return how far the body is from the origin along x or y, whichever is more [m]."""
        return np.abs(self._frame.qpos[..., :2]).max(-1)

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what does not pickle: the entries' functions, and views into the simulation."""
        return self.__dict__ | {"_entries": tuple(self._entries), "_frame": None, "data": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Find the entries by their names again; the environment binds its arrays."""
        self.__dict__.update(state)
        known = self.known()
        self._entries = {name: known[name] for name in self._entries}
