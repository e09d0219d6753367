"""A task: a machine in MuJoCo and what is asked of it, written once for one simulation and for many at once.

This is what a new environment provides. It fills in `Task`; two lines then make its single and its vector version
(`base.LeggedEnv`, `vector.LeggedVectorEnv`), which do the stepping, and a third registers both.

Everything that happens in a step is an array operation. Arrays have leading dimensions `...`, the task's `shape`: none
for one simulation, (n,) for n. `task.data` holds MuJoCo's arrays by MuJoCo's names, with those dimensions in front.
What differs from episode to episode is drawn in `start`, for one simulation `sim`: the index of its row, or () where
there is only one; `array[sim] = value` is right in both cases. To give the same numbers to the bit in both versions,
use elementwise operations, and `np.vecdot` for sums; a product with a matrix rounds by how many rows it has, and so
does `**` between a lone number and an array.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import gymnasium
import mujoco
import numpy as np

from ..mjcf.ground import Ground
from ..mjcf.presets import Preset
from ..mjcf.terrain import GroundPatches
from .state import Randoms

MOST_SUBSTEPS = 100_000  # in a control period: their controls are made beforehand


def n_substeps_of(ctrl_dt: float, timestep: float) -> int:
    """Return how many physics steps make a control period.

    Raises:
        ValueError: If they do not divide; the sentence names the nearest period that does. Or if there are too many.
    """
    if not ctrl_dt <= MOST_SUBSTEPS * timestep:
        raise ValueError(f"control period {ctrl_dt:g} s is more than {MOST_SUBSTEPS} timesteps of {timestep:g} s")
    n_substeps = round(ctrl_dt / timestep)
    if n_substeps < 1 or abs(n_substeps * timestep - ctrl_dt) > 1e-9 * ctrl_dt:
        nearest = max(1, n_substeps) * timestep
        raise ValueError(
            f"control period {ctrl_dt:g} s is not a multiple of the timestep {timestep:g} s; "
            f"the nearest that is: {nearest:g} s"
        )
    return n_substeps


class Task(ABC):
    """A machine, its observation, action, reward and end, for `shape` simulations.

    A subclass sets the two spaces in its constructor (the observation's bounds are checked: an entry beyond them means
    a diverged simulation), and calls `_load` there.

    Attributes:
        KEPT: Names of the arrays with leading dimensions `shape` that a later step or reset reads; the state of a
            simulation has their rows.
        OUTPUTS: Names of MuJoCo's derived arrays that are read after a step, when they are those of the last substep's
            start: they cannot be had from the state behind it, so that the state of a simulation has them too.
        shape: Leading dimensions: () for one simulation, (n,) for n of them.
        observation_space: Of one simulation.
        action_space: Of one simulation; a box from -1 to 1.
        model: The compiled model. Where `varies`, each of many simulations has its own copy.
        data: MuJoCo's arrays of all simulations; a `mujoco.MjData`, or its likeness with leading dimensions.
        ground: The terrain under each simulation.
        rngs: The random numbers of each simulation, by `sim`.
        waiting: Simulations whose episode is over; `where` leaves them out. None if none.
    """

    KEPT: ClassVar[tuple[str, ...]] = ()
    OUTPUTS: ClassVar[tuple[str, ...]] = ("sensordata", "site_xpos")
    observation_space: gymnasium.spaces.Box
    action_space: gymnasium.spaces.Box
    model: mujoco.MjModel
    data: Any

    def __init__(self, shape: tuple[int, ...]):
        self.shape = shape
        self.rngs = Randoms()
        self.waiting: np.ndarray | None = None

    @property
    def varies(self) -> bool:
        """Whether an episode's start changes the model."""
        return False

    @abstractmethod
    def configure(self, options: dict[str, Any]) -> bool:
        """Take options of a reset, which hold until changed; return whether the model is a new one.

        Raises:
            ValueError: If an option is unknown or its value impossible; the sentence says what is allowed.
        """

    @abstractmethod
    def start(self, sim, model: mujoco.MjModel, data: mujoco.MjData, **state: np.ndarray) -> None:
        """Put the start of an episode into one simulation's `model` and `data`, and into row `sim` of what is kept.

        Args:
            sim: The simulation; `self.rngs[sim]` are its random numbers.
            model: Its model.
            data: Where its start goes; not yet the arrays of `self.data`.
            state: The user's `qpos` or `qvel`, if given.
        """

    @abstractmethod
    def act(self, action: np.ndarray) -> np.ndarray:
        """Return the controls of the substeps, shape (n_substeps, ..., nu); a single row is held throughout."""

    @abstractmethod
    def observe(self) -> np.ndarray:
        """Return the observation of the present state, a new array, shape (..., n) of float32."""

    @abstractmethod
    def reward_terms(self) -> dict[str, np.ndarray]:
        """Return the weighted terms whose sum is the reward, each of shape (...,) or a number.

        One called "healthy" is zero in the step that ends an episode.
        """

    @abstractmethod
    def endings(self) -> dict[str, np.ndarray]:
        """Return whether an episode is over, shape (...,), by the sentence that says why; the first counts."""

    @abstractmethod
    def measurements(self) -> dict[str, np.ndarray]:
        """Return what `info` reports besides the reward, new arrays, each of shape (..., ...)."""

    @abstractmethod
    def refresh(self) -> None:
        """Measure in the present state what observation, reward and info share; with the same result when repeated."""

    @abstractmethod
    def advance(self) -> None:
        """Keep what a step adds to: called once after each, the state refreshed."""

    def bind(self, data) -> None:
        """Take the simulations' arrays; views into them live as long as they do."""
        self.data = data

    def where(self, condition: np.ndarray) -> Iterable:
        """Return the simulations for which a condition of shape (...,) holds, without those that wait."""
        if not self.shape:
            return ((),) if condition else ()
        if self.waiting is not None:
            condition = condition & ~self.waiting
        return np.flatnonzero(condition).tolist()

    def kept_rows(self, rows) -> dict[str, np.ndarray]:
        """Return copies of the arrays `KEPT`, of these rows; None makes the one simulation a row."""
        return {name: np.array(getattr(self, name)[rows]) for name in self.KEPT}

    def take_rows(self, rows, arrays: dict[str, np.ndarray]) -> None:
        """Write what `kept_rows` returned into these rows."""
        for name in self.KEPT:
            getattr(self, name)[rows] = arrays[name]

    def drawn(self, sim) -> tuple:
        """Return what a simulation's episode drew that is in its model; asked for where the task `varies`."""
        return ()

    def redraw(self, sim, model: mujoco.MjModel, drawn: tuple) -> bool:
        """Give a simulation what `drawn` returned; return whether its model is another now."""
        return False

    def _load(self, model: mujoco.MjModel, ground: Ground, preset: Preset, ctrl_dt: float) -> None:
        """Take a new model, the ground it was built on, and its control period [s]."""
        self.n_substeps = n_substeps_of(ctrl_dt, model.opt.timestep)
        self.ctrl_dt = self.n_substeps * model.opt.timestep
        self.model, self.ground = model, ground
        self.patches = GroundPatches(model, ground)
        self.follow_every = preset.follow_every
        self.substep_times = np.arange(self.n_substeps + 1) * model.opt.timestep
        self.lead = round(preset.command_lead / model.opt.timestep)
