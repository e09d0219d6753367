"""A task: a machine in MuJoCo with observation, action, reward and termination, for one simulation or many at once.

A new environment provides a subclass of `Task`, or of `free_body.FreeBodyTask`, which has more defaults. Two lines then
make the single and the vector environment (`base.LeggedEnv`, `vector.LeggedVectorEnv`), which do the stepping, and a
third registers both.

Everything in a step is an array operation. Arrays have leading dimensions `...`, the task's `shape`: none for one
simulation, (n,) for n. `task.data` holds MuJoCo's arrays by MuJoCo's names, with those leading dimensions.
What differs between episodes is drawn in `start`, for one simulation `sim`: the index of its row, or () if there is
only one; `array[sim] = value` is right in both cases. For bitwise identical results in both environments, use
elementwise operations, and `np.vecdot` for sums; the round-off of a matrix product depends on its number of rows, and
that of `**` on whether its operands are scalars or arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import gymnasium
import mujoco
import numpy as np

from ..analytic.terrain import Terrain
from .commands import Commanded
from .config import TaskConfig
from .curriculum import Curricula
from .equipped import Equipped
from .frame import Frame
from .kernels import COMPILED
from .kinds import from_keywords
from .models import Modelled
from .observations import Observation
from .starts import Startable
from .state import Randoms


class Task(Equipped, Startable, Modelled, Commanded, Curricula, ABC):
    """A machine with options, on a terrain: observation, action, reward and termination, for `shape` simulations.

    A machine defines `config_class`, `OBSERVATIONS` and the methods `build`, `place`, `unweighted_terms` and
    `failures`; the others have defaults. The classes it is made of are parts of one object, each in a file: they read
    each other's attributes in too many places to be objects themselves.

    Attributes:
        EXACT: The same machine in the exact engine, a subclass of `exact.machine.ExactMachine` as "module:Class", where
            the option `engine` may be "exact".
        WARP: Whether it may be "warp", which is checked against MuJoCo for such a machine.
        INFO: What `info` reports of the machine besides what it does of all: functions of the task that return new
            arrays, by name.
        OBSERVATIONS: All available entries of the observation, functions of the task.
        DEFAULT: Names of those that are observed by default, unless they would be constant.
        OUTPUTS: Names of MuJoCo's derived arrays that are read after a step, when they are those of the start of the
            last substep: they cannot be computed from the final state, so a saved state contains them.
        PLACE: The entries of `qpos` that are the machine's position; distance and speed are measured there.
        shape: Leading dimensions: () for one simulation, (n,) for n of them.
        rngs: The random generator of each simulation, by `sim`.
        n_samples: Into how many parts a control period is divided, each with controls of its own: those of `controls`,
            then of `resample`.
        roams: Whether it can walk off the edge of a terrain that has one.
        bounded: Whether it is on such a terrain.
        config: The current options.
        action_space: Of one simulation, a box from -1 to 1.
        model: The compiled model. If the task `varies`, each of many simulations has its own copy.
        data: MuJoCo's arrays of all simulations; a `mujoco.MjData`, or an equivalent with leading dimensions.
        qpos: Its array of that name, a view, shape (..., nq); as `qvel`, shape (..., nv).
        here: The machine's position, a view, `qpos[..., PLACE]`.
        foot: Whether each foot is in contact, and the force on it in the world frame [N], a view, (..., n_feet, 4).
        frame: What is measured, by name: the entries of the observation, and the `parts`.
        action: The last action, shape (..., n_actions).
        last_action: The one before it.
        velocity: Mean velocity of the position over the last step [m/s], shape as `here`.
        waiting: Simulations whose episode is over; `where` excludes them. None if none.
        together: Whether `where` returns all simulations in one, an array of their indices; `rngs` then draws for all.
        kernels: The compiled functions of a step.
    """

    KEPT = ("action", "_start_place", "velocity", *Commanded.COMMAND_STATE, *Curricula.CURRICULUM_STATE)
    config_class: ClassVar[type[TaskConfig]]
    EXACT: ClassVar[str] = ""
    WARP: ClassVar[bool] = False
    INFO: ClassVar[dict[str, Callable[[Any], np.ndarray]]] = {}
    OBSERVATIONS: ClassVar[dict[str, Observation]] = {}
    DEFAULT: ClassVar[tuple[str, ...]] = ()
    OUTPUTS: ClassVar[tuple[str, ...]] = ("sensordata", "site_xpos")
    PLACE: ClassVar[int | slice] = 0
    roams = True
    n_samples = 1
    together = False
    kernels: Any = COMPILED

    def __init__(self, shape: tuple[int, ...], **options):
        self.shape, self.rngs = shape, Randoms()
        self.waiting: np.ndarray | None = None
        self._adopt(from_keywords(self.config_class, options))
        engines = ("mujoco", *(["exact"] if self.EXACT else []), *(["warp"] if self.WARP else []))
        if self.config.engine not in engines:
            raise ValueError(f"unknown engine {self.config.engine!r}; there are {', '.join(engines)}")
        self.prepare()
        self._build()
        self.equip()
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (self.n_actions,), np.float32)

    # What a machine must define.

    @abstractmethod
    def build(self, params, terrain: Terrain, preset) -> mujoco.MjSpec:
        """Return the model of a robot for the current action mode, with the contact sensors `foot_i`."""

    @abstractmethod
    def place(self, sim, model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        """Write the robot's initial state, with noise, to `data`."""

    @abstractmethod
    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task's reward, each of shape (...,) or a number."""

    @abstractmethod
    def failures(self) -> dict[str, np.ndarray]:
        """Return whether the robot has failed, as by a fall, shape (...,), by the reason; the first one counts."""

    # What a machine may override.

    def prepare(self) -> None:
        """Prepare, first of all, what the spaces need from the configuration."""

    def machine_entries(self) -> dict[str, Observation]:
        """Return all available entries of the observation."""
        return self.OBSERVATIONS

    def default_observations(self) -> tuple[str, ...]:
        """Return those of `DEFAULT` that the machine has and that are not constant in the current mode and task."""
        mode, task, known = getattr(self.config, "action_mode", ""), self.config.task, self.machine_entries()
        return tuple(name for name in self.DEFAULT if name in known and known[name].varies(mode, task))

    @property
    def n_feet(self) -> int:
        """Number of feet, that is, of the model's sensors `foot_i`."""
        return (self._feet.stop - self._feet.start) // 4

    @property
    def action_names(self) -> tuple[str, ...]:
        """Name of each entry of an action; those of the actuators."""
        return tuple(self.model.actuator(k).name for k in range(self.model.nu))

    @property
    def n_actions(self) -> int:
        """Size of an action; one for each actuator."""
        return self.model.nu

    @property
    def action_scale(self) -> float | np.ndarray:
        """The physical value of an action of 1, relative to 0; half the range of each actuator, shape (nu,)."""
        return self._half_range

    def make_room(self) -> None:
        """Allocate what is kept of each simulation besides actions, commands, position, robot and terrain."""

    def begin(self, sim, data: mujoco.MjData) -> None:
        """Initialise what is kept of a simulation, after its initial state was placed."""
        self._start_place[sim], self.velocity[sim] = data.qpos[self.PLACE], 0.0

    def controls(self, action: np.ndarray) -> np.ndarray:
        """Return the controls of the substeps, shape (n_substeps, ..., nu); a single row is held throughout."""
        return (self._mid_range + action * self._half_range)[None]

    def resample(self, sim=None, time=None) -> np.ndarray:
        """Return the controls of the next part of the control period, as `controls` does; by default the same again.

        Args:
            sim: The only simulation whose state is new; None are all.
            time: Its time, if not that of the data [s].
        """
        return self.controls(self.action)

    def refresh(self) -> None:
        """Compute from the current state what observation, reward and info share; repeatable."""

    def advance(self) -> None:
        """Update what accumulates over steps: called once after each, with the state refreshed."""
        np.multiply(self.travelled(self._before), self._steps_per_second, out=self.velocity)
        self.keep_pace()
        self.note()
        for part in self.extras.values():
            part.advance(self)

    @property
    def place_scale(self) -> float:
        """Metres that a unit of the machine's position is."""
        return 1.0

    def travelled(self, since: np.ndarray) -> np.ndarray:
        """Return the displacement from a position [m], of the same shape."""
        return self.here - since

    def forward(self, along: np.ndarray) -> np.ndarray:
        """Return the forward component of a distance or velocity at `PLACE`, shape (...,)."""
        return along[()]

    def off_centre(self) -> np.ndarray:
        """Return how far the body is from the origin along x or y, whichever is more, shape (...,) [m]."""
        return np.abs(self.here)

    def parts(self) -> dict[str, int]:
        """Return name and size of what `refresh` writes to the frame besides entries of the observation."""
        return {}

    def measurements(self) -> dict[str, np.ndarray]:
        """Return what `info` reports besides the reward, new arrays, each of shape (..., ...)."""
        time = self.data.time
        found = {
            "time": time if not self.shape else time.copy(),
            "speed": 1.0 * self.forward(self.velocity),
            "distance": self.forward(self.travelled(self._start_place)),
            "command": self.command.copy(),
            "foot_contact": self.foot[..., 0].astype(bool),
            "foot_force": self.foot[..., 1:].copy(),
        } | self.levels()
        if self.privileged_slices:
            found["privileged"] = self.observe_privileged()
        for name, value in self.INFO.items():
            found[name] = value(self)
        return found

    # What all machines share.

    def bind(self, data) -> None:
        """Adopt the simulations' arrays; views into them are valid as long as they are."""
        self.data, self.qpos, self.qvel = data, data.qpos, data.qvel
        self.here = self.qpos[..., self.PLACE]
        self.foot = data.sensordata[..., self._feet].reshape(*self.shape, self.n_feet, 4)
        filled = {name: entry.size for name, entry in self.machine_entries().items() if entry.value is None}
        self.frame = Frame(self.shape, filled | self.parts(), self._entries, self.typical)

    def act(self, action: np.ndarray) -> np.ndarray:
        """Take an action, (..., n_actions), draw commands where they are due, and return the substeps' controls."""
        for part in self.extras.values():
            action = part.act(self, action)
        self.last_action[...], self.action[...] = self.action, action
        if self.config.task == "commanded":
            time = self.data.time
            for sim in self.where(time >= self._command_until - 1e-9):
                self.draw_command(sim, time[sim] if self.shape else time)
        self._before[...] = self.here
        return self.controls(action)

    def where(self, condition: np.ndarray) -> Iterable:
        """Return the simulations for which a condition of shape (...,) holds, except those that wait."""
        if not self.shape:
            return ((),) if condition else ()
        if self.waiting is not None:
            condition = condition & ~self.waiting
        found = np.flatnonzero(condition)
        return (found,) if self.together else found.tolist()
