"""The models of a task's simulations: how they are built, and how an episode draws robot, contact and ground."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from ..analytic.terrain import Flat, Rough, Terrain, make
from ..mjcf.compile import become, compile_model, take_parameters
from ..mjcf.ground import Ground
from ..mjcf.parts import foot_readings
from ..mjcf.presets import Preset, contacts, find
from ..mjcf.terrain import GroundPatches, is_plane, reroll
from .config import n_substeps_of

MOST_DONORS = 16  # models with other contacts that are kept


class Modelled:
    """The part of a task that builds the model of its simulations, and changes it between episodes.

    Attributes:
        params: The robot of each simulation, by `sim`.
        presets: The settings of MuJoCo of each simulation, by `sim`.
        terrain: The terrain of each simulation, by `sim`.
        hardest: The terrain of difficulty 1.
    """

    def _build(self) -> None:
        """Compile the model of the current configuration, and allocate what is kept of each simulation."""
        config, shape = self.config, self.shape
        terrain, preset = make(config.terrain), find(config.preset, config.PRESETS)
        self.model = model = self.compiled(config.robot, terrain, preset)
        timestep = model.opt.timestep
        self.n_substeps = n_substeps_of(config.period, timestep)
        self.ctrl_dt = self.n_substeps * timestep
        self.substep_times = np.arange(self.n_substeps + 1) * timestep
        self._steps_per_second = np.array(1.0 / self.ctrl_dt)
        self.lead, self.follow_every = round(preset.command_lead / timestep), preset.follow_every
        self.lead = self.lead if config.engine != "exact" else 0  # an integrator's need
        self.ground = Ground(terrain, shape, config.graded)
        self._feet = foot_readings(model)
        self.patches = GroundPatches(model, self.ground)
        self.bounded = self.roams and not is_plane(terrain)
        low, high = model.actuator_ctrlrange.T
        self._mid_range, self._half_range = 0.5 * (low + high), 0.5 * (high - low)
        self.draw_from(config.robot, preset, terrain, isinstance(terrain, Rough) and config.reroll_terrain)
        self.action, self.last_action = np.zeros((*shape, self.n_actions)), np.zeros((*shape, self.n_actions))
        self.make_room_for_commands()
        self._before = np.zeros((*shape, *np.shape(np.zeros(model.nq)[self.PLACE])))
        self._start_place, self.velocity = np.zeros_like(self._before), np.zeros_like(self._before)
        self.make_room()

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
            ValueError: If the timestep or the integrator differs, or the engine shares contacts.
        """
        if self.config.engine == "warp":
            raise ValueError("engine 'warp' shares contacts between simulations; settle robots in engine 'mujoco'")
        shared = self.nominal[sim][1]
        if (preset.timestep, preset.integrator) != (shared.timestep, shared.integrator):
            raise ValueError(f"simulations share timestep and integrator, got {preset} beside {shared}")
        self.nominal[sim], self._settled = (robot, preset), True

    def compiled(self, params, terrain: Terrain, preset) -> mujoco.MjModel:
        """Return the compiled model of a robot."""
        return compile_model(self.build(params, terrain, preset))

    def drawn_robot(self, nominal, rng: np.random.Generator):
        """Return a robot whose parameters are drawn from their ranges around those of `nominal`."""
        drawn, fields = {}, self.config.randomisable()
        for name, (low, high) in self.config.randomise.items():
            value = getattr(nominal, fields[name])
            drawn[fields[name]] = value * rng.uniform(low, high, self.factor_shape(np.asarray(value)))
        return replace(nominal, **drawn)

    def parameter(self, robot, name: str):
        """Return a parameter of a robot that may be randomised, a number or an array."""
        return getattr(robot, self.config.randomisable()[name])

    def factor_shape(self, value: np.ndarray) -> tuple[int, ...] | None:
        """Return the shape of the factors on a parameter: one per leg or link if it has a value for each."""
        return value.shape[:1] + (1,) * (value.ndim - 1) if value.ndim else None

    def write_robot(self, sim, model: mujoco.MjModel, params) -> None:
        """Write the robot drawn for a simulation into its model."""
        take_parameters(model, self.compiled(params, Flat(), self.presets[sim]))

    def draw(self, sim, model: mujoco.MjModel, rng: np.random.Generator) -> None:
        """Draw contact, robot and ground of a simulation's episode, and change its model accordingly."""
        self._draw_contact(sim, model, rng)
        self._draw_robot(sim, model, rng)
        if self._relays:
            self._lay(sim, model, self.ground_to_come(sim))

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
            self._donors[key] = robot, self.compiled(robot, self.hardest, preset)  # `id` needs the robot
        return self._donors[key][1]

    def _draw_robot(self, sim, model, rng) -> None:
        """Draw a robot's parameters from their ranges."""
        if not self.config.randomise:
            return
        self.params[sim] = self.drawn_robot(self.nominal[sim][0], rng)
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
