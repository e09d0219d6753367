"""Simulations of a task in the exact engine: one in a `mujoco.MjData`, or many in arrays, on threads."""

from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np

from .. import forks
from ..camera import Camera
from ..steps import own_models
from .machine import Row
from .runs import Runs


class ExactSimulation:
    """The only simulation of a task; see `simulations.Simulation`, which is the same in MuJoCo."""

    refuse = staticmethod(Runs.refuse)

    def __init__(self, task):
        self.task, self.data = task, mujoco.MjData(task.model)
        self._saved: np.ndarray | None = None
        self._runs: Runs | None = None

    def bind(self) -> None:
        """Keep views into `data`, also into a copy's own, whose run goes on."""
        data = self.data
        more = {name: getattr(data, name) for name in self.task.OUTPUTS if name not in Row._fields}
        self._runs = Runs(self.task, [Row(data.qpos, data.qvel, data.sensordata, data.site_xpos, more)])
        self.warnings = self._runs.warnings[0]
        self.task.bind(data)
        if self._saved is not None:
            self.take_row({"physics": self._saved})

    def complaint(self, counts: np.ndarray) -> str:
        """Return the reason for which an episode ended; see `Runs.complaint`."""
        return self._runs.complaint(counts)

    def accepted(self, action, space) -> np.ndarray:
        """Return the action that is applied, of the space's shape; see `Runs.accepted`."""
        return self._runs.accepted(action, space)

    def begin(self) -> None:
        """Begin a run at the state that was written to `data`."""
        self._runs.begin(0, (), self.data.time)
        self._show()

    def tighten(self, rtol: float) -> None:
        """Integrate episodes from the next begin on to a relative tolerance at least so small."""
        self._runs.machine.tighten(rtol)
        self._runs.runs = self._runs.machine.runs(1)

    def held(self, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a position and velocity near the present ones, brought to where what is closed stays closed."""
        return self._runs.machine.held(self._runs.runs, 0, qpos, qvel)

    def closed(self) -> tuple[str, ...]:
        """Return the names of what is closed now: feet on the ground, joints at a limit or held by dry friction."""
        return self._runs.machine.closed(self._runs.runs, 0)

    def step(self, controls: np.ndarray) -> None:
        """Step by one control period, by controls of shape (n_substeps, nu); a single row is held throughout."""
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
        """Return a copy of the run, of shape (1, n_bytes)."""
        return {"physics": self._runs.sealed(0)[None]}

    def take_row(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore what `kept_row` returned."""
        self._runs.unseal(0, arrays["physics"][0])
        self._show()

    def __getstate__(self) -> dict[str, Any]:
        """Drop the engine, but keep the run."""
        return self.__dict__ | {"_saved": self.kept_row()["physics"], "_runs": None, "warnings": None}


class ExactSimulations:
    """The simulations of a task with leading dimension n; see `simulations.Simulations`, the same in MuJoCo."""

    refuse = staticmethod(Runs.refuse)

    def __init__(self, task, n_threads: int, models: list[mujoco.MjModel] | None = None):
        self.task, self.n, self.pid, model = task, task.shape[0], forks.pid(), task.model
        self.models = models or [model] * self.n
        sizes = {"qpos": (model.nq,), "qvel": (model.nv,), "sensordata": (model.nsensordata,)}
        self._scratch = mujoco.MjData(model)
        more = [name for name in task.OUTPUTS if name not in Row._fields]
        sizes |= {"site_xpos": (model.nsite, 3), "time": ()} | {n: getattr(self._scratch, n).shape for n in more}
        self.data = data = SimpleNamespace(**{name: np.zeros((self.n, *size)) for name, size in sizes.items()})
        rows = [
            Row(data.qpos[k], data.qvel[k], data.sensordata[k], data.site_xpos[k], {n: vars(data)[n][k] for n in more})
            for k in range(self.n)
        ]
        self._runs = Runs(task, rows)
        self.warnings, self.accepted, self.complaint = self._runs.warnings, self._runs.accepted, self._runs.complaint
        threads = min(n_threads or cpu_count() or 1, self.n)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        task.bind(self.data)

    def start(self, sims: list[int], states: list[dict[str, np.ndarray]] | None = None) -> None:
        """Start an episode in each of these simulations, from its `qpos`, (nq,), and `qvel`, (nv,), if given."""
        scratch = self._scratch
        self.models = own_models(self.task, self.models)
        for sim in sims:
            self.task.start(sim, self.models[sim], scratch, **(states[sim] if states else {}))
            self.data.qpos[sim], self.data.qvel[sim] = scratch.qpos, scratch.qvel
            self._runs.begin(sim, sim, scratch.time)
            self._show(sim)

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
        """Restore what these simulations were before their last period; `qpos` and `qvel`, (n, ...), are not needed."""
        for sim in sims.tolist():
            self._runs.put_back(sim)
            self._show(sim)

    def kept_rows(self, sims: np.ndarray) -> dict[str, np.ndarray]:
        """Return copies of the runs of these k simulations, shape (k, n_bytes)."""
        return {"physics": np.stack([self._runs.sealed(sim) for sim in sims.tolist()])}

    def take_rows(self, sims: np.ndarray, arrays: dict[str, np.ndarray]) -> None:
        """Restore what `kept_rows` returned."""
        saved_rows = arrays["physics"]  # one for each, or one for all
        for sim, saved in zip(
            sims.tolist(), np.broadcast_to(saved_rows, (len(sims), saved_rows.shape[1])), strict=True
        ):
            self._runs.unseal(sim, saved)
            self._show(sim)

    def redraw(self, sims: np.ndarray, drawn: tuple[tuple, ...]) -> None:
        """Apply to these k simulations what their episodes drew, k tuples of `Models.drawn`."""
        self.models = own_models(self.task, self.models)
        for sim, one in zip(sims.tolist(), drawn, strict=True):
            self.task.models.redraw(self.task, sim, self.models[sim], one)

    def image(self, sim: int, camera: Camera) -> np.ndarray:
        """Return the camera's image of a simulation; see `Camera.image`."""
        self._show(sim)
        model, scratch = self.models[sim], self._scratch
        mujoco.mj_comPos(model, scratch), mujoco.mj_camlight(model, scratch)
        return camera.image(model, scratch)
