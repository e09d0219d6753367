"""A machine of the exact engine, as a task needs it: its states, the commands of a control period, and its sensors."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...analytic import hybrid as hy
from ...analytic.terrain import TERRAINS


class Row(NamedTuple):
    """A simulation's arrays by MuJoCo's names, views."""

    qpos: np.ndarray
    qvel: np.ndarray
    sensordata: np.ndarray
    site_xpos: np.ndarray
    more: dict[str, np.ndarray]  # the others of the task's `OUTPUTS`


class ExactMachine(ABC):
    """A machine of the exact engine for a task."""

    settings: dict[str, Any]  # of the engine; see `hybrid.Options`
    simulator: hy.Simulator  # the compiled model; robot and ground are its parameters
    statuses: ClassVar[tuple[Enum, ...]] = tuple(hy.Status)  # with which a run may stop; the first: it reached its time

    @abstractmethod
    def __init__(self, task):
        """Refuse a terrain that the model does not have, and compile the model."""

    def tighten(self, rtol: float) -> None:
        """Integrate runs that are made from now on to a relative tolerance at least so small."""
        factor = min(rtol / self.settings["rtol"], 1.0)
        finer = {name: value * factor for name, value in self.settings.items() if name in ("rtol", "atol")}
        self.settings = self.settings | finer

    def runs(self, n: int):
        """Return n runs that `start` begins."""
        return hy.Continued(self.simulator, n, **self.settings)

    @abstractmethod
    def start(self, sim, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the start of a simulation's run, here state, memory and parameters; its commands rest."""

    def restart(self, sim, runs, run: int, row: Row) -> tuple[np.ndarray, ...]:
        """Return the state of a run at the position and velocity of its row, which a push has changed."""
        return self.start(sim, row.qpos, row.qvel)

    def held(self, runs, run: int, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a position and velocity near those of a run, brought to where all stays closed that is closed in it.

        Nothing is by default.
        """
        return qpos, qvel

    def closed(self, runs, run: int) -> tuple[str, ...]:
        """Return the names of what is closed in a run; by default nothing is."""
        return ()

    @abstractmethod
    def periods(self, sim, runs: hy.Continued, run: int, row: Row, controls: np.ndarray) -> Iterator[float]:
        """Yield the ends of the parts of a control period [s], each after its commands were written as parameters.

        `run` is that of the task's simulation `sim` in the engine's `runs`, and `row` its present arrays; controls have
        the shape (n_substeps, nu), and a single row is held.
        """

    @abstractmethod
    def read(self, runs: hy.Continued, run: int, row: Row) -> Enum | None:
        """Write position, velocity and sensors of a run to a row; return one of `statuses` if it cannot go on so."""


def refuse(terrain, known: str, why: str) -> None:
    """Refuse, always, a terrain that a machine does not have in the exact engine: which it has, and why."""
    raise ValueError(f"engine 'exact' has no terrain {type(terrain).__name__}: {why}; there are {known}")


def without_tables(terrain):
    """Return a terrain of closed form, whose numbers are parameters of the compiled model; refuse another."""
    if hasattr(terrain, "tables"):
        known = [name for name, kind in TERRAINS.items() if not hasattr(kind, "tables")]
        refuse(terrain, ", ".join(known), "its model would be compiled anew for every seed")
    return terrain
