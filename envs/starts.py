"""The start of an episode: changes of options, random draws, the initial state, and restoring a state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import mujoco
import numpy as np

from ..analytic.terrain import Flat, Terrain
from ..mjcf.compile import become, compile_model, take_parameters
from ..mjcf.presets import Preset, contacts, find
from ..mjcf.terrain import reroll
from .commands import Commanded
from .config import REMAKE_MODEL, TaskConfig
from .curriculum import Curricula
from .extras import Extra, kept
from .state import Randoms

MOST_DONORS = 16  # models with other contacts that are kept


class Startable(Commanded, Curricula, ABC):
    """The part of a task that works between two episodes; `equipped.Equipped` and `task.Task` are the other parts.

    Attributes:
        KEPT: Names of the arrays with leading dimensions `shape` that a later step or reset reads; a saved state
            contains their rows.
        shape: Leading dimensions: () for one simulation, (n,) for n of them.
        rngs: The random generator of each simulation, by `sim`.
        params: The robot of each simulation, by `sim`.
        presets: The settings of MuJoCo of each simulation, by `sim`.
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

    def draw_from(self, robot, preset: Preset, terrain: Terrain, rerolls: bool) -> None:
        """Use these in all simulations; with `rerolls`, an episode draws the terrain's seed."""
        sims = range(self.shape[0]) if self.shape else ((),)
        self.params: dict[int | tuple, Any] = dict.fromkeys(sims, robot)
        self.presets: dict[int | tuple, Preset] = dict.fromkeys(sims, preset)
        self.nominal = dict.fromkeys(sims, (robot, preset))
        self._settled, self._donors = False, {}
        fine = find("reference", self.config.PRESETS) if self.config.randomise_contact else preset
        self._contacts = (preset, *contacts(preset, fine).values())
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
        """Whether an episode has a robot, a contact or ground of its own, so that its start changes the model."""
        config = self.config
        return bool(config.randomise) or config.randomise_contact or self._relays or self._settled

    def settle(self, sim, robot, preset: Preset) -> None:
        """Give a simulation a robot and a contact of its own, from its next episode on.

        Args:
            sim: The simulation.
            robot: Differs from the configuration's in friction or springs; motors and lengths are shared by all.
            preset: Differs from the configuration's in its contact; the timestep is shared by all.

        Raises:
            ValueError: If the timestep or the integrator differs.
        """
        shared = self.nominal[sim][1]
        if (preset.timestep, preset.integrator) != (shared.timestep, shared.integrator):
            raise ValueError(f"simulations share timestep and integrator, got {preset} beside {shared}")
        self.nominal[sim], self._settled = (robot, preset), True

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
        take_parameters(model, compile_model(self.build(params, Flat(), self.presets[sim])))

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
        self._draw_contact(sim, model, rng)
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

    def _draw_contact(self, sim, model, rng) -> None:
        """Draw an episode's contact from the preset's and its variations."""
        robot, preset = self.nominal[sim]
        if self.config.randomise_contact:
            preset = self._contacts[rng.integers(len(self._contacts))]
        self._rebuild(sim, model, robot, preset)

    def _rebuild(self, sim, model, robot, preset) -> bool:
        """Give a simulation a robot and a contact, on the ground of the configuration; return whether it had others."""
        other_robot = self._settled and not self.config.randomise and robot is not self.params[sim]
        if preset == self.presets[sim] and not other_robot:
            return False
        become(model, self._donor(robot, preset))
        self.params[sim], self.presets[sim] = robot, preset
        if self._relays:
            self.terrain[sim] = self.ground[sim] = self.hardest
        return True

    def _donor(self, robot, preset: Preset) -> mujoco.MjModel:
        """Return a model that simulations take their numbers from; the last ones are kept."""
        key = id(robot), preset
        if key not in self._donors:
            if len(self._donors) == MOST_DONORS:
                self._donors.clear()
            self._donors[key] = robot, compile_model(self.build(robot, self.hardest, preset))  # `id` needs the robot
        return self._donors[key][1]

    def _draw_robot(self, sim, model, rng) -> None:
        """Draw a robot's parameters from their ranges."""
        if not self.config.randomise:
            return
        (nominal, _), drawn = self.nominal[sim], {}
        for name, (low, high) in self.config.randomise.items():
            value = getattr(nominal, name)
            drawn[name] = value * rng.uniform(low, high, self.factor_shape(np.asarray(value)))
        self.params[sim] = replace(nominal, **drawn)
        self.write_robot(sim, model, self.params[sim])

    def _lay(self, sim, model, terrain) -> None:
        """Give a simulation ground of its own."""
        if terrain != self.terrain[sim]:
            reroll(model, terrain, self.presets[sim])
            self.terrain[sim] = self.ground[sim] = terrain

    def drawn(self, sim) -> tuple:
        """Return a simulation's robot, its terrain and its contact; used if the task `varies`."""
        return self.params[sim], self.terrain[sim], self.presets[sim]

    def redraw(self, sim, model: mujoco.MjModel, drawn: tuple) -> bool:
        """Give a simulation what `drawn` returned; this takes milliseconds if it has something else.

        Returns:
            Whether its model has changed.
        """
        params, terrain, preset = drawn
        other_contact = self._rebuild(sim, model, self.nominal[sim][0] if self.config.randomise else params, preset)
        other_robot = bool(self.config.randomise) and params is not self.params[sim]
        other_ground = self._relays and terrain != self.terrain[sim]
        if other_robot:
            self.write_robot(sim, model, params)
            self.params[sim] = params
        if other_ground:
            self._lay(sim, model, terrain)
        return other_contact or other_robot or other_ground

    def kept_rows(self, rows) -> dict[str, np.ndarray]:
        """Return copies of the arrays `KEPT`, of these rows; None makes the one simulation a row."""
        own = {name: np.array(getattr(self, name)[rows]) for name in self.KEPT}
        return own | {name: np.array(array[rows]) for name, array in kept(self.extras)}

    def refuse(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse arrays of a saved state with which a step would fail."""
        for key, part in self.extras.items():
            part.refuse({name: arrays[f"{key}.{name}"] for name in part.KEPT})

    def take_rows(self, rows, arrays: dict[str, np.ndarray]) -> None:
        """Write what `kept_rows` returned to these rows."""
        for name in self.KEPT:
            getattr(self, name)[rows] = arrays[name]
        for name, array in kept(self.extras):
            array[rows] = arrays[name]
