"""Runs of a task's machine in the exact engine, and why one of them ended."""

import importlib
import zlib
from enum import Enum
from typing import Any

import numpy as np

from ..episodes import as_numbers, checked_action
from ..steps import DIVERGED
from .machine import Row

SEAL = 4  # size of a checksum [byte]
STRAY = -1  # counted behind the statuses: an action that is not finite, which MuJoCo's environments refuse


def _checksum(saved: np.ndarray) -> np.ndarray:
    return np.frombuffer(zlib.crc32(saved).to_bytes(SEAL, "little"), np.uint8)


class Runs:
    """Runs of a task's machine, each with a row of MuJoCo's arrays.

    Args:
        task: The task.
        rows: Of each run.

    Attributes:
        warnings: Whether a run ended with each of the machine's statuses, or `STRAY`, shape (n, n_statuses + 1).
        stray: Whether the next action of a run is not finite, shape (n,).
    """

    def __init__(self, task, rows: list[Row]):
        module, _, machine = task.EXACT.partition(":")
        self.task, self.rows, self.machine = task, rows, getattr(importlib.import_module(module), machine)(task)
        self.runs = self.machine.runs(len(rows))
        self.warnings = np.zeros((len(rows), len(self.machine.statuses) + 1), int)
        self.stray = np.zeros(len(rows), bool)
        self._seen: list[Any] = [None] * len(rows)  # position and velocity as they were read last
        self._good: list[Any] = [None] * len(rows)  # all there is of a run before its last period

    def complaint(self, counts: np.ndarray) -> str:
        """Return the first of the statuses, by their counts, shape (n_statuses + 1,), as why an episode ended."""
        first, statuses = int(np.flatnonzero(counts)[0]), self.machine.statuses
        if first == len(statuses):
            return f"{DIVERGED}: an action is not finite"
        return f"{DIVERGED}: the exact engine ended with {statuses[first].name}: {statuses[first].value}"

    def begin(self, run: int, sim, time: float) -> None:
        """Begin a run at the position and velocity of its row."""
        row = self.rows[run]
        self._begin(run, self.machine.start(sim, row.qpos, row.qvel), time)

    def _begin(self, run: int, given: tuple, time: float) -> None:
        self._note(run, self.runs.begin(run, *given, time))
        if not self.warnings[run].any():
            self.read(run)

    def read(self, run: int) -> None:
        """Write a run to its row."""
        row = self.rows[run]
        self._note(run, self.machine.read(self.runs, run, row))
        self._seen[run] = row.qpos.copy(), row.qvel.copy()

    def step(self, run: int, sim, controls: np.ndarray) -> None:
        """Continue a run by a control period, by controls of shape (n_substeps, nu)."""
        row, runs, seen = self.rows[run], self.runs, self._seen[run]
        if self.stray[run]:
            self._good[run], self.warnings[run, STRAY] = runs.saved(run), 1
            return
        if not (np.array_equal(row.qpos, seen[0]) and np.array_equal(row.qvel, seen[1])):  # a push
            self._begin(run, self.machine.restart(sim, runs, run, row), runs.t[run])
        self._good[run] = runs.saved(run)
        for until in self.machine.periods(sim, runs, run, row, controls):
            if self.warnings[run].any() or not runs.advance(run, until):
                self._note(run, runs.status(run))
                return

    def _note(self, run: int, status: Enum | None) -> None:
        self.warnings[run], statuses = 0, self.machine.statuses
        if status is not None and status is not statuses[0]:
            self.warnings[run, statuses.index(status)] = 1

    def accepted(self, action, space) -> np.ndarray:
        """Return a copy of an action of the space's shape, clipped; if not finite the last, its run being `stray`."""
        action = as_numbers(action)
        if action.shape == space.shape:
            stray = ~np.isfinite(action).all(-1)
            self.stray[:] = stray
            action[stray] = self.task.action[stray]
        return checked_action(action, space)

    def put_back(self, run: int) -> None:
        """Restore what a run was before its last period."""
        self.restore(run, self._good[run])

    def sealed(self, run: int) -> np.ndarray:
        """Return `runs.saved` with its checksum behind it, shape (n_bytes,) of uint8."""
        saved = self.runs.saved(run)
        return np.concatenate([saved, _checksum(saved)])

    @staticmethod
    def refuse(arrays: dict[str, np.ndarray]) -> None:
        """Refuse a row that `sealed` did not return so: the compiled engine uses some of their bytes as indices."""
        for row in arrays["physics"]:
            if not np.array_equal(_checksum(row[:-SEAL]), row[-SEAL:]):
                raise ValueError("'physics' of a state is not what the exact engine wrote; a state cannot be edited")

    def unseal(self, run: int, sealed: np.ndarray) -> None:
        """Restore what was `sealed`, shape (n_bytes,) of uint8."""
        self.restore(run, sealed[:-SEAL])

    def restore(self, run: int, saved: np.ndarray) -> None:
        """Restore what was `runs.saved`, shape (n_bytes,) of uint8."""
        self.runs.restore(run, saved)
        self.read(run)
        self.warnings[run] = 0
