"""Simulations of a task in the exact engine: one in a `mujoco.MjData`, or many in arrays, on threads."""

from __future__ import annotations

import copy
import importlib
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np

from ...analytic import hybrid as hy
from ..camera import Camera
from ..steps import DIVERGED
from .machine import Row

STATUSES = tuple(hy.Status)
# Where a task's machine is, by the name of the task's class, which a user may have derived from.
MACHINES = {
    "HexapodTask": ("hexapod", "ExactHexapod"),
    "HoppingLegTask": ("legs", "ExactHoppingLeg"),
    "SlipLegTask": ("legs", "ExactSlipLeg"),
}


def machine_of(task):
    """Return the machine of a task."""
    name = next(kind.__name__ for kind in type(task).__mro__ if kind.__name__ in MACHINES)
    module, machine = MACHINES[name]
    return getattr(importlib.import_module(f".{module}", __package__), machine)(task)


def complaint(counts: np.ndarray) -> str:
    """Return the first of the engine's statuses, by their counts, as the reason why an episode ended."""
    status = STATUSES[int(np.flatnonzero(counts)[0])]
    return f"{DIVERGED}: the exact engine ended with {status.name}: {status.value}"


class Runs:
    """Runs of a task's machine, each with a row of MuJoCo's arrays.

    Args:
        task: The task.
        rows: Of each run.

    Attributes:
        warnings: Whether a run ended with each of `STATUSES`, shape (n, n_statuses).
    """

    def __init__(self, task, rows: list[Row]):
        self.task, self.rows, self.machine = task, rows, machine_of(task)
        self.runs = hy.Continued(self.machine.simulator, len(rows), **self.machine.settings)
        self.warnings = np.zeros((len(rows), len(STATUSES)), int)
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
        """Continue a run by a control period."""
        row, runs, seen = self.rows[run], self.runs, self._seen[run]
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

    def put_back(self, run: int) -> None:
        """Restore what a run was before its last period."""
        self.restore(run, self._good[run])

    def restore(self, run: int, saved: np.ndarray) -> None:
        """Restore what was `runs.saved`."""
        self.runs.restore(run, saved)
        self.warnings[run] = 0
        self.read(run)


class ExactSimulation:
    """The only simulation of a task; see `simulations.Simulation`, which is the same in MuJoCo."""

    complaint = staticmethod(complaint)

    def __init__(self, task):
        self.task, self.data = task, mujoco.MjData(task.model)
        self._saved: np.ndarray | None = None
        self._runs: Runs | None = None

    def bind(self) -> None:
        """Keep views into `data`, also into a copy's own, whose run goes on."""
        data = self.data
        self._runs = Runs(self.task, [Row(data.qpos, data.qvel, data.sensordata, data.site_xpos)])
        self.warnings = self._runs.warnings[0]
        self.task.bind(data)
        if self._saved is not None:
            self.take_row({"physics": self._saved})

    def begin(self) -> None:
        """Begin a run at the state that was written to `data`."""
        self._runs.begin(0, (), self.data.time)
        self._show()

    def step(self, controls: np.ndarray) -> None:
        """Step by one control period; see `machine.Machine.periods`."""
        self._runs.step(0, (), controls)
        if not self.warnings.any():
            self._runs.read(0)
            self._show()

    def _show(self) -> None:
        """Write to `data` what pictures and tasks need besides."""
        self.data.time = self._runs.runs.t[0]
        for place in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_camlight):
            place(self.task.model, self.data)

    def put_back(self, before) -> None:
        """Restore what was before the last period."""
        self._runs.put_back(0)
        self._show()

    def kept_row(self) -> dict[str, np.ndarray]:
        """Return a copy of the run, as a row."""
        return {"physics": self._runs.runs.saved(0)[None]}

    def take_row(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore what `kept_row` returned."""
        self._runs.restore(0, arrays["physics"][0])
        self._show()

    def __getstate__(self) -> dict[str, Any]:
        """Drop the engine, but keep the run."""
        return self.__dict__ | {"_saved": self.kept_row()["physics"], "_runs": None, "warnings": None}


class ExactSimulations:
    """The simulations of a task with leading dimension n; see `simulations.Simulations`, the same in MuJoCo."""

    complaint = staticmethod(complaint)

    def __init__(self, task, n_threads: int, models: list[mujoco.MjModel] | None = None):
        self.task, self.n, model = task, task.shape[0], task.model
        self.models = models or [model] * self.n
        sizes = {"qpos": (model.nq,), "qvel": (model.nv,), "sensordata": (model.nsensordata,)}
        sizes |= {"site_xpos": (model.nsite, 3), "time": ()}
        self.data = SimpleNamespace(**{name: np.zeros((self.n, *size)) for name, size in sizes.items()})
        arrays = [getattr(self.data, name) for name in Row._fields]
        self._runs = Runs(task, [Row(*(array[sim] for array in arrays)) for sim in range(self.n)])
        self.warnings, self._scratch = self._runs.warnings, mujoco.MjData(model)
        threads = min(n_threads or cpu_count() or 1, self.n)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        task.bind(self.data)

    def start(self, sims: list[int], states: list[dict[str, np.ndarray]] | None = None) -> None:
        """Start an episode in each of these simulations, from `qpos` and `qvel` if given."""
        scratch = self._scratch
        self._part_models()
        for sim in sims:
            self.task.start(sim, self.models[sim], scratch, **(states[sim] if states else {}))
            self.data.qpos[sim], self.data.qvel[sim] = scratch.qpos, scratch.qvel
            self._runs.begin(sim, sim, scratch.time)
            self._show(sim)

    def _part_models(self) -> None:
        """Give each simulation its own model if episodes change it."""
        if self.task.varies and self.models[0] is self.task.model:
            self.models = [copy.copy(self.task.model) for _ in range(self.n)]

    def _show(self, sim: int) -> None:
        """Write what pictures and tasks need besides, of a simulation, to its row and to the scratch state."""
        data, scratch = self.data, self._scratch
        data.time[sim] = self._runs.runs.t[sim]
        scratch.qpos[:], scratch.qvel[:], scratch.time = data.qpos[sim], data.qvel[sim], data.time[sim]
        mujoco.mj_kinematics(self.models[sim], scratch)
        data.site_xpos[sim] = scratch.site_xpos

    def step(self, controls: np.ndarray, sims: np.ndarray | None) -> None:
        """Step these simulations, or all, by one control period; controls have shape (n_substeps, n, nu)."""
        chosen = range(self.n) if sims is None else sims.tolist()

        def work(sim: int) -> None:
            self._runs.step(sim, sim, controls[:, sim])

        list(self._pool.map(work, chosen) if self._pool else map(work, chosen))
        for sim in chosen:
            if not self.warnings[sim].any():
                self._runs.read(sim)
                self._show(sim)

    def put_back(self, sims: np.ndarray, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Restore what these simulations were before their last period."""
        for sim in sims.tolist():
            self._runs.put_back(sim)
            self._show(sim)

    def kept_rows(self, sims: np.ndarray) -> dict[str, np.ndarray]:
        """Return copies of the runs of these simulations."""
        return {"physics": np.stack([self._runs.runs.saved(sim) for sim in sims.tolist()])}

    def take_rows(self, sims: np.ndarray, arrays: dict[str, np.ndarray]) -> None:
        """Restore what `kept_rows` returned."""
        for sim, saved in zip(sims.tolist(), np.broadcast_to(arrays["physics"], (len(sims), -1)), strict=True):
            self._runs.restore(sim, saved)
            self._show(sim)

    def redraw(self, sims: np.ndarray, drawn: tuple[tuple, ...]) -> None:
        """Apply to these simulations what their episodes drew."""
        self._part_models()
        for sim, one in zip(sims.tolist(), drawn, strict=True):
            self.task.redraw(sim, self.models[sim], one)

    def image(self, sim: int, camera: Camera) -> np.ndarray:
        """Return the camera's image of a simulation."""
        self._show(sim)
        model, scratch = self.models[sim], self._scratch
        mujoco.mj_comPos(model, scratch), mujoco.mj_camlight(model, scratch)
        return camera.image(model, scratch)
