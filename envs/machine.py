"""The base class of machines on a terrain: the parts of a task that they define, and those they may override."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import mujoco
import numpy as np

from ..analytic.terrain import Flat, Terrain, make
from ..mjcf.compile import compile_model, take_parameters
from ..mjcf.parts import foot_readings
from ..mjcf.presets import find
from ..mjcf.terrain import GroundPatches, is_plane
from .config import TaskConfig, n_substeps_of
from .extras import Extra
from .models import Models
from .observations import Observation


class LeggedMachine(ABC):
    """A machine with options, on a terrain: its model and arrays, and what a `task.Task` asks of it.

    It defines `config_class`, `OBSERVATIONS` and the methods `build`, `place`, `unweighted_terms` and `failures`; the
    others have defaults.

    Attributes:
        KEPT: Names of the arrays with leading dimensions `shape` that a later step or reset reads; a saved state
            contains their rows.
        EXACT: The same machine in the exact engine, a subclass of `exact.machine.ExactMachine` as "module:Class", where
            the option `engine` may be "exact"; else `NO_EXACT` says why not.
        WARP: Whether it may be "warp", which is checked against MuJoCo for such a machine.
        INFO: What `info` reports of the machine besides what it does of all, by name: an attribute of the task, which
            is copied, or a function of the task that returns a new array.
        OBSERVATIONS: All available entries of the observation, functions of the task.
        DEFAULT: Names of those that are observed by default, unless they would be constant.
        OUTPUTS: Names of MuJoCo's derived arrays that are read after a step, when they are those of the start of the
            last substep: they cannot be computed from the final state, so a saved state contains them.
        PLACE: The entries of `qpos` that are the machine's position; distance and speed are measured there.
        place_scale: Metres that a unit of the machine's position is.
        n_samples: Into how many parts a control period is divided, each with controls of its own: those of `controls`,
            then of `resample`.
        roams: Whether it can walk off the edge of a terrain that has one; it is `bounded` where it can and there is.
        shape: Leading dimensions of arrays: () for one simulation, (n,) for n of them.
        config: The current options.
        model: The compiled model. If the `models` vary, each of many simulations has its own copy.
        models: Robot, contact and ground of each simulation; `params`, `terrain`, `hardest` and `ground` are its own.
        patches: The planes under the feet on curved ground; None on a plane.
        ctrl_dt: The control period [s], of `n_substeps` at the `substep_times`.
        mid_range, half_range: Of the actuators' controls, shape (nu,).
        data: MuJoCo's arrays of all simulations; a `mujoco.MjData`, or an equivalent with leading dimensions.
        qpos: Its array of that name, a view, shape (..., nq); as `qvel`, shape (..., nv).
        here: The machine's position, a view, `qpos[..., PLACE]`.
        foot: Whether each foot is in contact, and the force on it in the world frame [N], a view, (..., n_feet, 4).
    """

    KEPT: ClassVar[tuple[str, ...]] = ()
    config_class: ClassVar[type[TaskConfig]]
    EXACT: ClassVar[str] = ""
    NO_EXACT: ClassVar[str] = "it needs a free body, or equations of motion of its own"
    WARP: ClassVar[bool] = False
    INFO: ClassVar[dict[str, str | Callable[[Any], np.ndarray]]] = {}
    OBSERVATIONS: ClassVar[dict[str, Observation]] = {}
    DEFAULT: ClassVar[tuple[str, ...]] = ()
    OUTPUTS: ClassVar[tuple[str, ...]] = ("sensordata", "site_xpos")
    PLACE: ClassVar[int | slice] = 0
    place_scale: float = 1.0
    n_samples = 1
    roams = True
    shape: tuple[int, ...]
    config: Any
    action: np.ndarray

    def _assemble(self) -> None:
        """Compile the model of the current configuration, for all simulations."""
        config = self.config
        terrain, preset = make(config.terrain), find(config.preset, config.PRESETS)
        self.model = model = self.compiled(config.robot, terrain, preset)
        timestep = model.opt.timestep
        self.n_substeps = n_substeps_of(config.period, timestep)
        self.ctrl_dt = self.n_substeps * timestep
        self.substep_times = np.arange(self.n_substeps + 1) * timestep
        self.lead, self.follow_every = round(preset.command_lead / timestep), preset.follow_every
        self.lead = self.lead if config.engine != "exact" else 0  # an integrator's need
        self.models = models = Models(self, preset, terrain)
        self.params, self.terrain, self.hardest, self.ground = models.params, models.terrain, terrain, models.ground
        self._feet = foot_readings(model)
        self.n_feet = (self._feet.stop - self._feet.start) // 4
        self.patches = GroundPatches(model, self.ground) or None
        self.bounded = self.roams and not is_plane(terrain)
        low, high = model.actuator_ctrlrange.T
        self.mid_range, self.half_range = 0.5 * (low + high), 0.5 * (high - low)

    def bind(self, data) -> None:
        """Adopt the simulations' arrays; views into them are valid as long as they are."""
        self.data, self.qpos, self.qvel = data, data.qpos, data.qvel
        self.here = self.qpos[..., self.PLACE]
        self.foot = data.sensordata[..., self._feet].reshape(*self.shape, self.n_feet, 4)

    # What a machine must define.

    @abstractmethod
    def build(self, params, terrain: Terrain, preset) -> mujoco.MjSpec:
        """The model of a robot for the current action mode, with the contact sensors `foot_i`."""

    @abstractmethod
    def place(self, sim, model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        """Write the robot's initial state, with noise, to `data`."""

    @abstractmethod
    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """The terms of the configured task's reward, each of shape (...,) or a number."""

    @abstractmethod
    def failures(self) -> dict[str, np.ndarray]:
        """Whether the robot has failed, as by a fall, shape (...,), by the reason; the first one counts."""

    # What it may override, of its action and observation.

    def prepare(self) -> None:
        """Prepare, first of all, what the spaces need from the configuration."""
        return

    @property
    def action_names(self) -> tuple[str, ...]:
        """Name of each entry of an action; those of the actuators."""
        return tuple(self.model.actuator(k).name for k in range(self.model.nu))

    @property
    def n_actions(self) -> int:
        """Size of an action."""
        return len(self.action_names)

    @property
    def action_scale(self) -> float | np.ndarray:
        """The physical value of an action of 1, relative to 0; half the range of each actuator, shape (nu,)."""
        return self.half_range

    def controls(self, action: np.ndarray) -> np.ndarray:
        """The controls of the substeps, shape (n_substeps, ..., nu); a single row is held throughout."""
        return (self.mid_range + action * self.half_range)[None]

    def resample(self, sim=None, time=None) -> np.ndarray:
        """The controls of the next part of the control period, as of `controls`; by default the same again.

        Args:
            sim: The only simulation whose state is new; None are all.
            time: Its time, if not that of the data [s].
        """
        return self.controls(self.action)

    def machine_entries(self) -> dict[str, Observation]:
        """All available entries of the observation."""
        return self.OBSERVATIONS

    def default_observations(self) -> tuple[str, ...]:
        """Those of `DEFAULT` that the machine has and that are not constant in the current mode and task."""
        mode, task, known = getattr(self.config, "action_mode", ""), self.config.task, self.machine_entries()
        return tuple(name for name in self.DEFAULT if name in known and known[name].varies(mode, task))

    def parts(self) -> dict[str, int]:
        """Name and size of what `refresh` writes to the frame besides entries of the observation."""
        return {}

    def machine_parts(self) -> dict[str, Extra]:
        """The machine's own parts that take a turn in every step, by name, made anew."""
        return {}

    # Of its episodes and steps.

    def make_room(self) -> None:
        """Allocate what is kept of each simulation besides actions, commands, position, robot and terrain."""
        return

    def begin(self, sim, data: mujoco.MjData) -> None:
        """Initialise what is kept of a simulation, after its initial state was placed."""
        return

    def refresh(self) -> None:
        """Compute from the current state what observation, reward and info share; repeatable."""
        return

    @property
    def command_ranges(self) -> tuple[tuple[float, float], ...]:
        """Lowest and highest of each number that is commanded."""
        return self.config.command_ranges

    def keep_pace(self) -> None:
        """Update what the reward of the commanded task compares, if that is not the velocity of the last step."""
        return

    def forward(self, along: np.ndarray) -> np.ndarray:
        """The forward component of a distance or velocity at `PLACE`, shape (...,)."""
        return along[()]

    def off_centre(self) -> np.ndarray:
        """How far the body is from the origin along x or y, whichever is more, shape (...,) [m]."""
        return np.abs(self.here)

    # Of its robots.

    def compiled(self, params, terrain: Terrain, preset) -> mujoco.MjModel:
        """The compiled model of a robot."""
        return compile_model(self.build(params, terrain, preset))

    def drawn_robot(self, nominal, rng: np.random.Generator):
        """A robot whose parameters are drawn from their ranges around those of `nominal`."""
        drawn, fields = {}, self.config.randomisable()
        for name, (low, high) in self.config.randomise.items():
            value = getattr(nominal, fields[name])
            drawn[fields[name]] = value * rng.uniform(low, high, self.factor_shape(np.asarray(value)))
        return replace(nominal, **drawn)

    def parameter(self, robot, name: str):
        """A parameter of a robot that may be randomised, a number or an array."""
        return getattr(robot, self.config.randomisable()[name])

    def factor_shape(self, value: np.ndarray) -> tuple[int, ...] | None:
        """The shape of the factors on a parameter: one per leg or link if it has a value for each."""
        return value.shape[:1] + (1,) * (value.ndim - 1) if value.ndim else None

    def write_robot(self, sim, model: mujoco.MjModel, params) -> None:
        """Write the robot drawn for a simulation into its model."""
        take_parameters(model, self.compiled(params, Flat(), self.models.presets[sim]))
