"""Runs of a task's machine in the exact engine, and why one of them ended."""

from __future__ import annotations

import importlib
import zlib
from typing import Any

import numpy as np

from ...analytic import hybrid as hy
from ..episodes import as_numbers, checked_action
from ..steps import DIVERGED
from .machine import Row

STATUSES = tuple(hy.Status)
SEAL = 4  # size of a checksum [byte]
STRAY = len(STATUSES)  # counted behind them: an action that is not finite, which MuJoCo's environments refuse


def machine_of(task):
    """Return the task's machine in the exact engine, `EXACT` of its class."""
    module, _, machine = task.EXACT.partition(":")
    return getattr(importlib.import_module(module), machine)(task)


def complaint(counts: np.ndarray) -> str:
    """Return the first of the engine's statuses, by their counts, shape (n_statuses + 1,), as why an episode ended."""
    first = int(np.flatnonzero(counts)[0])
    if first == STRAY:
        return f"{DIVERGED}: an action is not finite"
    status = STATUSES[first]
    return f"{DIVERGED}: the exact engine ended with {status.name}: {status.value}"


def _checksum(saved: np.ndarray) -> np.ndarray:
    return np.frombuffer(zlib.crc32(saved).to_bytes(SEAL, "little"), np.uint8)


class Runs:
    """Runs of a task's machine, each with a row of MuJoCo's arrays.

    Args:
        task: The task.
        rows: Of each run.

    Attributes:
        warnings: Whether a run ended with each of `STATUSES`, or `STRAY`, shape (n, n_statuses + 1).
        stray: Whether the next action of a run is not finite, shape (n,).
    """

    def __init__(self, task, rows: list[Row]):
        self.task, self.rows, self.machine = task, rows, machine_of(task)
        self.runs = hy.Continued(self.machine.simulator, len(rows), **self.machine.settings)
        self.warnings = np.zeros((len(rows), len(STATUSES) + 1), int)
        self.stray = np.zeros(len(rows), bool)
        self._seen: list[Any] = [None] * len(rows)  # position and velocity as they were read last
        self._good: list[Any] = [None] * len(rows)  # all there is of a run before its last period

    def begin(self, run: int, sim, time: float) -> None:
        """Begin a run at the position and velocity of its row."""
        row = self.rows[run]
        status = self.runs.begin(run, *self.machine.start(sim, row.qpos, row.qvel), time)
        self._note(run, status)
        if status is hy.Status.FINAL_TIME:
            self.read(run)

    def read(self, run: int) -> None:
        """Write a run to its row."""
        row = self.rows[run]
        self.machine.read(self.runs, run, row)
        self._seen[run] = row.qpos.copy(), row.qvel.copy()

    def step(self, run: int, sim, controls: np.ndarray) -> None:
        """Continue a run by a control period, by controls of shape (n_substeps, nu)."""
        row, runs, seen = self.rows[run], self.runs, self._seen[run]
        if self.stray[run]:
            self._good[run], self.warnings[run, STRAY] = runs.saved(run), 1
            return
        if not (np.array_equal(row.qpos, seen[0]) and np.array_equal(row.qvel, seen[1])):  # a push
            self.begin(run, sim, runs.t[run])
        self._good[run] = runs.saved(run)
        for until in self.machine.periods(sim, runs, run, row, controls):
            if self.warnings[run].any() or not runs.advance(run, until):
                self._note(run, runs.status(run))
                return

    def _note(self, run: int, status: hy.Status) -> None:
        self.warnings[run] = 0
        if status is not hy.Status.FINAL_TIME:
            self.warnings[run, STATUSES.index(status)] = 1

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
        """Refuse rows other than `sealed` returned them: the compiled engine uses some of their bytes as indices.

        Raises:
            ValueError: If a row is not whole.
        """
        for row in arrays["physics"]:
            if not np.array_equal(_checksum(row[:-SEAL]), row[-SEAL:]):
                raise ValueError("'physics' of a state is not what the exact engine wrote; a state cannot be edited")

    def unseal(self, run: int, sealed: np.ndarray) -> None:
        """Restore what was `sealed`, shape (n_bytes,) of uint8."""
        self.restore(run, sealed[:-SEAL])

    def restore(self, run: int, saved: np.ndarray) -> None:
        """Restore what was `runs.saved`, shape (n_bytes,) of uint8."""
        self.runs.restore(run, saved)
        self.warnings[run] = 0
        self.read(run)
