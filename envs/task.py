"""A task: a machine in MuJoCo and what is asked of it, written once for one simulation and for many at once.

This is what a new environment provides: a subclass of `Task`, or of `free_body.FreeBodyTask`, which knows more. Two
lines then make its single and its vector version (`base.LeggedEnv`, `vector.LeggedVectorEnv`), which do the stepping,
and a third registers both.

Everything that happens in a step is an array operation. Arrays have leading dimensions `...`, the task's `shape`: none
for one simulation, (n,) for n. `task.data` holds MuJoCo's arrays by MuJoCo's names, with those dimensions in front.
What differs from episode to episode is drawn in `start`, for one simulation `sim`: the index of its row, or () where
there is only one; `array[sim] = value` is right in both cases. To give the same numbers to the bit in both versions,
use elementwise operations, and `np.vecdot` for sums; a product with a matrix rounds by how many rows it has, and so
does `**` between a lone number and an array.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import gymnasium
import mujoco
import numpy as np

from ..analytic.terrain import Rough, Terrain, make
from ..mjcf.compile import compile_model
from ..mjcf.ground import Ground
from ..mjcf.parts import foot_readings
from ..mjcf.presets import find
from ..mjcf.terrain import HALF_EXTENT, GroundPatches, is_plane
from . import observations
from .config import TaskConfig, n_substeps_of
from .kinds import from_keywords
from .observations import Observation
from .starts import Startable


class Task(Startable):
    """A machine with options, on a terrain: its observation, action, reward and end, for `shape` simulations.

    A machine gives `config_class` and `OBSERVATIONS`, and fills in the methods `build`, `place`, `unweighted_terms` and
    `falls`; the others have defaults.

    Attributes:
        OBSERVATIONS: Every entry of the observation there is, functions of the task.
        DEFAULT: Names of those that are observed by default, where they vary.
        OUTPUTS: Names of MuJoCo's derived arrays that are read after a step, when they are those of the last substep's
            start: they cannot be had from the state behind it, so that the state of a simulation has them too.
        PLACE: Which entries of `qpos` say where the machine is; distance and speed are measured there.
        roams: Whether it can walk off the edge of a terrain that has one.
        config: The options as they are now.
        observation_space: Of one simulation, as the `action_space`, a box from -1 to 1.
        observation_slices: Where each entry of the observation lies.
        model: The compiled model. Where `varies`, each of many simulations has its own copy.
        data: MuJoCo's arrays of all simulations; a `mujoco.MjData`, or its likeness with leading dimensions.
        qpos: Its array of that name, a view, shape (..., nq); as `qvel`, shape (..., nv).
        here: Where the machine is, a view, `qpos[..., PLACE]`.
        foot: Whether each foot touches, and the force on it in the world [N], a view, shape (..., n_feet, 4).
        action: The last, shape (..., n_actions).
        last_action: The one before it.
        command: Of the task "commanded", shape (..., n).
        velocity: Mean over the last step of the place [m/s], shape as `here`.
        waiting: Simulations whose episode is over; `where` leaves them out. None if none.
    """

    config_class: ClassVar[type[TaskConfig]]
    OBSERVATIONS: ClassVar[dict[str, Observation]] = {}
    DEFAULT: ClassVar[tuple[str, ...]] = ()
    OUTPUTS: ClassVar[tuple[str, ...]] = ("sensordata", "site_xpos")
    PLACE: ClassVar[int | slice] = 0
    roams = True

    def __init__(self, shape: tuple[int, ...], **options):
        super().__init__(shape)
        self.waiting: np.ndarray | None = None
        self._adopt(from_keywords(self.config_class, options))
        config = self.config
        self.prepare()
        self._build()
        names = config.observations or self.default_observations()
        self._entries = observations.select(names, getattr(config, "action_mode", ""), config.task, self.known())
        self.observation_slices = observations.slices(self._entries)
        bound = observations.bounds(self._entries)
        self.observation_space = gymnasium.spaces.Box(-bound, bound, dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (self.n_actions,), np.float32)

    # What a machine fills in.

    @abstractmethod
    def build(self, params, terrain: Terrain, preset) -> mujoco.MjSpec:
        """Return the model of a robot, as the present action mode drives it, with the contact sensors `foot_i`."""

    @abstractmethod
    def place(self, sim, model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        """Put the robot's start, with noise, into `data`."""

    @abstractmethod
    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task's reward, each of shape (...,) or a number."""

    @abstractmethod
    def falls(self) -> dict[str, np.ndarray]:
        """Return whether the robot is down, shape (...,), by the sentence that says why; the first counts."""

    # What a machine may do in its own way.

    def prepare(self) -> None:
        """Find, before anything else, what the spaces need to know of the configuration."""

    def known(self) -> dict[str, Observation]:
        """Return every entry of an observation there is."""
        return self.OBSERVATIONS

    def default_observations(self) -> tuple[str, ...]:
        """Return those of `DEFAULT` that the machine has and that would vary in the present mode and task."""
        mode, task, known = getattr(self.config, "action_mode", ""), self.config.task, self.known()
        return tuple(name for name in self.DEFAULT if name in known and known[name].varies(mode, task))

    @property
    def n_feet(self) -> int:
        """Number of feet, which the model's sensors `foot_i` are of."""
        return (self._feet.stop - self._feet.start) // 4

    @property
    def n_actions(self) -> int:
        """Numbers in an action; one for each actuator."""
        return self.model.nu

    @property
    def action_scale(self) -> float | np.ndarray:
        """What an action of one means, beyond one of zero; half the range of each actuator."""
        return self._half_range

    def make_room(self) -> None:
        """Make room for what is kept of each simulation besides actions, commands, place, robot and terrain."""

    def begin(self, sim, data: mujoco.MjData) -> None:
        """Begin what is kept of a simulation, its start placed."""
        self._start_place[sim], self.velocity[sim] = data.qpos[self.PLACE], 0.0

    def controls(self, action: np.ndarray) -> np.ndarray:
        """Return the controls of the substeps, shape (n_substeps, ..., nu); a single row is held throughout."""
        return (self._mid_range + action * self._half_range)[None]

    def refresh(self) -> None:
        """Measure in the present state what observation, reward and info share; with the same result when repeated."""

    def advance(self) -> None:
        """Keep what a step adds to: called once after each, the state refreshed."""
        self.velocity[...] = self.travelled(self._before) * (1.0 / self.ctrl_dt)

    def travelled(self, since: np.ndarray) -> np.ndarray:
        """Return how far the machine went from a place [m], shape as that."""
        return self.here - since

    def forward(self, along: np.ndarray) -> np.ndarray:
        """Return of a distance or a velocity at `PLACE` that which is forward, shape (...,)."""
        return along[()]

    def off_centre(self) -> np.ndarray:
        """Return how far the body is from the origin along x or y, whichever is more [m]."""
        return np.abs(self.here)

    def measurements(self) -> dict[str, np.ndarray]:
        """Return what `info` reports besides the reward, new arrays, each of shape (..., ...)."""
        time = self.data.time
        return {
            "time": time if not self.shape else time.copy(),
            "speed": self.forward(self.velocity).copy(),
            "distance": self.forward(self.travelled(self._start_place)),
            "command": self.command.copy(),
            "foot_contact": self.foot[..., 0] > 0,
            "foot_force": self.foot[..., 1:].copy(),
        }

    # What all machines share.

    def _build(self) -> None:
        """Compile the model of the present configuration, and make room for what is kept of each simulation."""
        config, shape = self.config, self.shape
        terrain, preset = make(config.terrain), find(config.preset, config.PRESETS)
        self.model = model = compile_model(self.build(config.robot, terrain, preset))
        timestep = model.opt.timestep
        self.n_substeps = n_substeps_of(config.ctrl_dt, timestep)
        self.ctrl_dt = self.n_substeps * timestep
        self.substep_times = np.arange(self.n_substeps + 1) * timestep
        self.lead, self.follow_every = round(preset.command_lead / timestep), preset.follow_every
        self.ground = Ground(terrain, shape)
        self._feet = foot_readings(model)
        self.patches = GroundPatches(model, self.ground)
        self._extent = np.inf if is_plane(terrain) or not self.roams else HALF_EXTENT - 1.0
        low, high = model.actuator_ctrlrange.T
        self._mid_range, self._half_range = 0.5 * (low + high), 0.5 * (high - low)
        self.draw_from(config.robot, terrain, isinstance(terrain, Rough) and config.reroll_terrain)
        self.action, self.last_action = np.zeros((*shape, self.n_actions)), np.zeros((*shape, self.n_actions))
        self.command, self._command_until = np.zeros((*shape, len(config.command_ranges))), np.zeros(shape)
        self._before = np.zeros((*shape, *np.shape(np.zeros(model.nq)[self.PLACE])))
        self._start_place, self.velocity = np.zeros_like(self._before), np.zeros_like(self._before)
        self.make_room()

    def bind(self, data) -> None:
        """Take the simulations' arrays; views into them live as long as they do."""
        self.data, self.qpos, self.qvel = data, data.qpos, data.qvel
        self.here = self.qpos[..., self.PLACE]
        self.foot = data.sensordata[..., self._feet].reshape(*self.shape, self.n_feet, 4)

    def act(self, action: np.ndarray) -> np.ndarray:
        """Take an action, draw new commands where it is time to, and return the controls of the substeps."""
        self.last_action, self.action = self.action, action
        if self.config.task == "commanded":
            time = self.data.time
            for sim in self.where(time >= self._command_until - 1e-9):
                self.draw_command(sim, time[sim] if self.shape else time)
        np.copyto(self._before, self.here)
        return self.controls(action)

    def observe(self) -> np.ndarray:
        """Return the chosen entries side by side, a new array, shape (..., n) of float32."""
        return np.concatenate([entry.value(self) for entry in self._entries.values()], axis=-1, dtype=np.float32)

    def reward_terms(self) -> dict[str, np.ndarray]:
        """Return the weighted terms whose sum is the reward; "healthy" is zero in the step that ends an episode."""
        terms = self.unweighted_terms()
        return {name: weight * terms[name] for name, weight in self._weights.items()}

    def endings(self) -> dict[str, np.ndarray]:
        """Return whether the robot is down or has left its ground, by the sentence that says so."""
        over = self.falls()
        if self._extent < np.inf:
            over["left the terrain"] = self.off_centre() > self._extent
        return over

    def where(self, condition: np.ndarray) -> Iterable:
        """Return the simulations for which a condition of shape (...,) holds, without those that wait."""
        if not self.shape:
            return ((),) if condition else ()
        if self.waiting is not None:
            condition = condition & ~self.waiting
        return np.flatnonzero(condition).tolist()

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what does not pickle: the entries' functions, and the simulation."""
        return self.__dict__ | {"_entries": tuple(self._entries), "data": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Find the entries by their names again; the environment binds its arrays."""
        self.__dict__.update(state)
        known = self.known()
        self._entries = {name: known[name] for name in self._entries}
