"""The start of an episode: changes of options, random draws, the initial state, and restoring a state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import mujoco
import numpy as np

from ..analytic.terrain import Flat, Terrain
from ..mjcf.compile import compile_model, take_parameters
from ..mjcf.presets import find
from ..mjcf.terrain import reroll
from .commands import Commanded
from .config import REMAKE_MODEL, TaskConfig
from .curriculum import Curricula
from .extras import Extra, kept
from .state import Randoms


class Startable(Commanded, Curricula, ABC):
    """The part of a task that works between two episodes; `equipped.Equipped` and `task.Task` are the other parts.

    Attributes:
        KEPT: Names of the arrays with leading dimensions `shape` that a later step or reset reads; a saved state
            contains their rows.
        shape: Leading dimensions: () for one simulation, (n,) for n of them.
        rngs: The random generator of each simulation, by `sim`.
        params: The robot of each simulation, by `sim`.
        terrain: The terrain of each simulation, by `sim`.
        extras: The parts that take a turn in every step, by name; none by default.
        turns: The same, in the order of their turns.
        hardest: The terrain of difficulty 1.
    """

    extras: dict[str, Extra]
    turns: tuple[Extra, ...]
    KEPT: ClassVar[tuple[str, ...]] = ("action", "_start_place", "velocity", *Commanded.COMMAND_STATE)
    KEPT += Curricula.CURRICULUM_STATE

    def __init__(self, shape: tuple[int, ...]):
        self.shape, self.rngs = shape, Randoms()

    def draw_from(self, robot, terrain: Terrain, rerolls: bool) -> None:
        """Use this robot and terrain in all simulations; with `rerolls`, an episode draws the terrain's seed."""
        sims = range(self.shape[0]) if self.shape else ((),)
        self.params: dict[int | tuple, Any] = dict.fromkeys(sims, robot)
        self.terrain: dict[int | tuple, Terrain] = dict.fromkeys(sims, terrain)
        self.make_room_for_curricula()
        self.hardest, self._rerolls, self._relays = terrain, rerolls, rerolls or self.config.graded

    def _adopt(self, config: TaskConfig) -> None:
        """Adopt a configuration, and keep what a step needs of it."""
        self.config, self._weights = config, config.weights
        self._command_ranges = np.array(config.command_ranges, float).T
        self._adopt_curricula()

    def configure(self, options: dict[str, Any]) -> bool:
        """Adopt options of a reset, which hold until changed; return whether the model is a new one.

        Raises:
            ValueError: If an option is unknown or its value impossible; the message says what is allowed.
        """
        if not options:
            return False
        before = self.config
        self._adopt(before.changed(options))
        rebuilt = any(getattr(before, name) is not getattr(self.config, name) for name in REMAKE_MODEL)
        if rebuilt:
            self._build()
        self.renew_extras()
        return rebuilt

    @property
    def varies(self) -> bool:
        """Whether an episode draws its robot or its ground, so that its start changes the model."""
        return bool(self.config.randomise) or self._relays

    @abstractmethod
    def place(self, sim, model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        """Write the robot's initial state, with noise, to `data`."""

    @abstractmethod
    def renew_extras(self) -> None:
        """Make the parts that the current options ask for."""

    def factor_shape(self, value: np.ndarray) -> tuple[int, ...] | None:
        """Return the number of factors that randomise a parameter: one per leg or link if it has a value for each."""
        return value.shape[:1] + (1,) * (value.ndim - 1) if value.ndim else None

    def write_robot(self, sim, model: mujoco.MjModel, params) -> None:
        """Write the robot drawn for a simulation into its model."""
        preset = find(self.config.preset, self.config.PRESETS)
        take_parameters(model, compile_model(self.build(params, Flat(), preset)))

    def start(self, sim, model: mujoco.MjModel, data: mujoco.MjData, **state: np.ndarray) -> None:
        """Draw robot and ground, place the robot, and draw a command.

        Args:
            sim: The simulation; `self.rngs[sim]` is its random generator.
            model: Its model.
            data: Receives the initial state; not yet the arrays of `self.data`.
            state: The user's `qpos`, `qvel` or `command`, if given.
        """
        rng, command = self.rngs[sim], state.pop("command", None)
        self.promote(sim)
        self._draw_robot(sim, model, rng)
        if self._relays:
            self._lay(sim, model, self.ground_to_come(sim))
        self.place(sim, model, data, rng)
        for name, value in state.items():
            given, target = np.asarray(value, float), getattr(data, name)
            if given.shape != target.shape or not np.isfinite(given).all():
                raise ValueError(f"{name} must be finite and of shape {target.shape}, got {given}")
            target[:] = given
        self.action[sim] = self.last_action[sim] = self.command[sim] = 0.0
        self.begin(sim, data)
        self.draw_command(sim, data.time) if command is None else self.fix_command(sim, command)
        for part in self.turns:
            part.begin(self, sim, data)

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

    def _lay(self, sim, model, terrain) -> None:
        """Give a simulation ground of its own."""
        if terrain != self.terrain[sim]:
            reroll(model, terrain, find(self.config.preset, self.config.PRESETS))
            self.terrain[sim] = self.ground[sim] = terrain

    def drawn(self, sim) -> tuple:
        """Return a simulation's robot and its terrain; used if the task `varies`."""
        return self.params[sim], self.terrain[sim]

    def redraw(self, sim, model: mujoco.MjModel, drawn: tuple) -> bool:
        """Give a simulation what `drawn` returned; this takes milliseconds if it has something else.

        Returns:
            Whether its model has changed.
        """
        params, terrain = drawn
        other_robot = bool(self.config.randomise) and params is not self.params[sim]
        other_ground = self._relays and terrain != self.terrain[sim]
        if other_robot:
            self.write_robot(sim, model, params)
            self.params[sim] = params
        if other_ground:
            self._lay(sim, model, terrain)
        return other_robot or other_ground

    def kept_rows(self, rows) -> dict[str, np.ndarray]:
        """Return copies of the arrays `KEPT`, of these rows; None makes the one simulation a row."""
        own = {name: np.array(getattr(self, name)[rows]) for name in self.KEPT}
        return own | {name: np.array(array[rows]) for name, array in kept(self.extras)}

    def take_rows(self, rows, arrays: dict[str, np.ndarray]) -> None:
        """Write what `kept_rows` returned to these rows."""
        for name in self.KEPT:
            getattr(self, name)[rows] = arrays[name]
        for name, array in kept(self.extras):
            array[rows] = arrays[name]
