"""The models of a task's simulations: how an episode draws robot, contact and ground, and changes its model."""

from dataclasses import replace
from typing import Any

import mujoco

from ..analytic.terrain import Rough, Terrain
from ..mjcf.compile import become
from ..mjcf.ground import Ground
from ..mjcf.presets import Preset, contacts, find
from ..mjcf.terrain import reroll

MOST_DONORS = 16  # models with other contacts that are kept


class Models:
    """Robot, contact and ground of each simulation, by `sim`.

    Args:
        task: The task, whose `compiled`, `drawn_robot` and `write_robot` know the machine.
        preset: The configuration's settings of MuJoCo.
        terrain: Its terrain.

    Attributes:
        params: The robot of each.
        presets: The settings of MuJoCo of each.
        terrain: The terrain of each.
        nominal: Robot and settings that episodes vary, of each.
        hardest: The terrain of difficulty 1.
        ground: Height and gradient of the terrain under all.
    """

    def __init__(self, task, preset: Preset, terrain: Terrain):
        self._config, robot = task.config, task.config.robot
        sims = range(task.shape[0]) if task.shape else ((),)
        self.params: dict[int | tuple, Any] = dict.fromkeys(sims, robot)
        self.presets: dict[int | tuple, Preset] = dict.fromkeys(sims, preset)
        self.terrain: dict[int | tuple, Terrain] = dict.fromkeys(sims, terrain)
        self.nominal = dict.fromkeys(sims, (robot, preset))
        graded = self._config.graded
        self.hardest, self.ground = terrain, Ground(terrain, task.shape, graded)
        self._rerolls = isinstance(terrain, Rough) and self._config.reroll_terrain
        self._relays, self._settled = self._rerolls or graded, False
        fine = find("reference", self._config.PRESETS) if self._config.randomise_contact else preset
        self._contacts = (preset, *contacts(preset, fine).values())
        self._donors: dict[tuple, tuple[Any, mujoco.MjModel]] = {}

    @property
    def vary(self) -> bool:
        """Whether an episode has a robot, a contact or ground of its own, so that its start changes the model."""
        config = self._config
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
        if self._config.engine == "warp":
            raise ValueError("engine 'warp' shares contacts between simulations; settle robots in engine 'mujoco'")
        shared = self.nominal[sim][1]
        if (preset.timestep, preset.integrator) != (shared.timestep, shared.integrator):
            raise ValueError(f"simulations share timestep and integrator, got {preset} beside {shared}")
        self.nominal[sim], self._settled = (robot, preset), True

    def draw(self, task, sim, model: mujoco.MjModel) -> None:
        """Draw contact, robot and ground of a simulation's episode, and change its model accordingly."""
        (robot, preset), rng = self.nominal[sim], task.rngs[sim]
        if self._config.randomise_contact:
            preset = self._contacts[rng.integers(len(self._contacts))]
        self._rebuild(task, sim, model, robot, preset)
        if self._config.randomise:
            self.params[sim] = task.drawn_robot(robot, rng)
            task.write_robot(sim, model, self.params[sim])
        if self._relays:
            terrain = self.hardest
            if self._rerolls:
                terrain = replace(terrain, seed=int(task.rngs[sim].integers(2**31)))
            self._lay(sim, model, terrain.eased(task.curriculum.level(task, sim)) if self._config.graded else terrain)

    def drawn(self, sim) -> tuple:
        """Robot, terrain and contact of a simulation; used if they `vary`."""
        return self.params[sim], self.terrain[sim], self.presets[sim]

    def redraw(self, task, sim, model: mujoco.MjModel, drawn: tuple) -> bool:
        """Give a simulation what `drawn` returned; this takes milliseconds if it has something else.

        Returns:
            Whether its model has changed.
        """
        params, terrain, preset = drawn
        robot = self.nominal[sim][0] if self._config.randomise else params
        other_contact = self._rebuild(task, sim, model, robot, preset)
        other_robot = bool(self._config.randomise) and params is not self.params[sim]
        other_ground = self._relays and terrain != self.terrain[sim]
        if other_robot:
            task.write_robot(sim, model, params)
            self.params[sim] = params
        if other_ground:
            self._lay(sim, model, terrain)
        return other_contact or other_robot or other_ground

    def _rebuild(self, task, sim, model, robot, preset) -> bool:
        """Give a simulation a robot and a contact, on the ground of the configuration; return whether it had others."""
        other_robot = self._settled and not self._config.randomise and robot is not self.params[sim]
        if preset == self.presets[sim] and not other_robot:
            return False
        key = id(robot), preset
        if key not in self._donors:
            if len(self._donors) == MOST_DONORS:
                self._donors.clear()
            self._donors[key] = robot, task.compiled(robot, self.hardest, preset)  # `id` needs the robot
        become(model, self._donors[key][1])
        self.params[sim], self.presets[sim] = robot, preset
        if self._relays:
            self.terrain[sim] = self.ground[sim] = self.hardest
        return True

    def _lay(self, sim, model, terrain) -> None:
        """Give a simulation ground of its own."""
        if terrain != self.terrain[sim]:
            reroll(model, terrain, self.presets[sim])
            self.terrain[sim] = self.ground[sim] = terrain

    def __getstate__(self) -> dict[str, Any]:
        """Drop the donors, which are known by the identity of their robots."""
        return self.__dict__ | {"_donors": {}}
