"""Many simulations of a task's model on the thread pool of `mujoco.batch`: start, step, restore, render."""

import mujoco
import numpy as np
from mujoco.batch import Batch

from . import forks, warp_refusals
from .camera import Camera
from .episodes import checked_action
from .steps import own_models, warning_sentence
from .task import Task

STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def simulation_of(task: Task):
    """Return the simulation of a task that has one, in the engine of its option `engine`."""
    if task.config.engine == "exact":
        from .exact import ExactSimulation  # with it comes the engine

        return ExactSimulation(task)
    warp_refusals.check_single(task.config)
    return Simulation(task)


def simulations_of(task: Task, n_threads: int, models: list[mujoco.MjModel] | None = None):
    """Return the simulations of a task with leading dimension n, in the engine of its option `engine`."""
    if task.config.engine == "exact":
        from .exact import ExactSimulations

        return ExactSimulations(task, n_threads, models)
    if task.config.engine == "warp":
        from .warp import WarpSimulations  # of an optional extra

        return WarpSimulations(task, models)
    return Simulations(task, n_threads, models)


class Simulation:
    """The only simulation of a task in MuJoCo.

    Attributes:
        data: Its state.
        warnings: Numbers of MuJoCo's warnings; `complaint` makes a sentence of them.
    """

    complaint, accepted = staticmethod(warning_sentence), staticmethod(checked_action)

    def __init__(self, task: Task):
        self.task, self.data = task, mujoco.MjData(task.model)

    def bind(self) -> None:
        """Keep views into `data`, also into a copy's own."""
        self.warnings, self._ctrl = self.data.warning.number, self.data.ctrl
        self.task.bind(self.data)

    def begin(self) -> None:
        """Compute what follows from a state that was written to `data`."""
        task, data = self.task, self.data
        mujoco.mj_forward(task.model, data)
        if task.patches:  # the ground comes under the feet, and only then are their contacts right
            task.patches.follow(data)
            mujoco.mj_forward(task.model, data)

    def step(self, controls: np.ndarray) -> None:
        """Step by one control period, by controls of shape (n_substeps, nu); a single row is held throughout.

        They are those of the first of its `n_samples` parts; the others' are asked for when it comes to them.
        """
        task, model, data, ctrl, step = self.task, self.task.model, self.data, self._ctrl, mujoco.mj_step
        n_substeps = task.n_substeps // task.n_samples
        for sample in range(task.n_samples):
            controls = task.resample() if sample else controls
            if task.patches:
                for k in range(n_substeps):
                    ctrl[:] = controls[min(k, len(controls) - 1)]
                    if k % task.follow_every == 0:
                        task.patches.follow(data)
                    step(model, data)
            elif len(controls) == 1:
                ctrl[:] = controls[0]
                step(model, data, n_substeps)
            else:
                for row in controls:
                    ctrl[...] = row
                    step(model, data)

    def put_back(self, before: tuple[np.ndarray, np.ndarray]) -> None:
        """Restore `qpos`, (nq,), and `qvel`, (nv,); MuJoCo silently resets a simulation that diverged."""
        mujoco.mj_resetData(self.task.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = before
        mujoco.mj_forward(self.task.model, self.data)

    def kept_row(self) -> dict[str, np.ndarray]:
        """Return copies of MuJoCo's state and outputs, each of shape (1, ...)."""
        task, data = self.task, self.data
        physics = np.empty((1, mujoco.mj_stateSize(task.model, STATE)))
        mujoco.mj_getState(task.model, data, physics[0], STATE)
        return {"physics": physics} | {name: getattr(data, name)[None].copy() for name in task.OUTPUTS}

    def refuse(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse nothing: MuJoCo simulates any numbers."""

    def take_row(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore what `kept_row` returned, or a row of `Simulations.kept_rows`."""
        task, data = self.task, self.data
        mujoco.mj_setState(task.model, data, arrays["physics"][0], STATE)
        for place in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_camlight):  # for pictures
            place(task.model, data)
        for name in task.OUTPUTS:
            getattr(data, name)[:] = arrays[name][0]


class BoundArrays:
    """A batch's arrays by MuJoCo's names, each looked up once: like an `MjData` of all simulations."""

    def __init__(self, batch: Batch):
        self._batch = batch

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        array = self._batch.bind(name)
        setattr(self, name, array)
        return array


class Simulations:
    """The simulations of a task with leading dimension n.

    Args:
        task: The task; it is bound to the arrays of these simulations.
        n_threads: Of the physics; 0 is one for each processor.
        models: The model of each simulation, if they are not all the task's.

    Attributes:
        data: The arrays of all simulations.
        warnings: Numbers of MuJoCo's warnings in each, shape (n, n_kinds).
        models: The model of each; the same object unless episodes change it.
        pid: The process that has the threads.
    """

    complaint, accepted = staticmethod(warning_sentence), staticmethod(checked_action)

    def __init__(self, task: Task, n_threads: int, models: list[mujoco.MjModel] | None = None):
        self.task, self.n, self.pid = task, task.shape[0], forks.pid()
        self._batch = forks.kept_in_children(Batch(task.model, self.n, n_threads))
        self.warnings = self._batch.warning[..., 1]  # the other column has where the last one was
        self.data = BoundArrays(self._batch)
        self.models = models or [task.model] * self.n
        if self.models[0] is not task.model:
            self._batch.set_models(self.models)
        self._scratch = mujoco.MjData(task.model)
        task.bind(self.data)
        for name in task.OUTPUTS:
            getattr(self.data, name)  # read before the first step, so bound before it

    def start(self, sims: list[int], states: list[dict[str, np.ndarray]] | None = None) -> None:
        """Start an episode in each of these simulations, from its `qpos`, (nq,), and `qvel`, (nv,), if given."""
        task, scratch = self.task, self._scratch
        self.models = own_models(self.task, self.models)
        for sim in sims:
            model = self.models[sim]
            task.start(sim, model, scratch, **(states[sim] if states else {}))
            if task.patches:
                mujoco.mj_forward(model, scratch)
                task.patches.follow(scratch, task.ground[sim])
            self._write(sim)
        if task.models.vary:
            self._batch.set_models(self.models)
        self._batch.forward(np.array(sims))

    def kept_rows(self, sims: np.ndarray) -> dict[str, np.ndarray]:
        """Return copies of MuJoCo's state and outputs of these k simulations, each of shape (k, ...)."""
        outputs = {name: getattr(self.data, name)[sims] for name in self.task.OUTPUTS}
        return {"physics": self._batch.state[sims]} | outputs

    def refuse(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse nothing: MuJoCo simulates any numbers."""

    def redraw(self, sims: np.ndarray, drawn: tuple[tuple, ...]) -> None:
        """Apply to these k simulations what their episodes drew, k tuples of `Models.drawn`."""
        self.models = own_models(self.task, self.models)
        pairs = zip(sims.tolist(), drawn, strict=True)
        if any([self.task.models.redraw(self.task, sim, self.models[sim], one) for sim, one in pairs]):
            self._batch.set_models(self.models)

    def take_rows(self, sims: np.ndarray, arrays: dict[str, np.ndarray]) -> None:
        """Restore these simulations from what `kept_rows` returned."""
        self._batch.state[sims] = arrays["physics"]
        for name in self.task.OUTPUTS:
            output = getattr(self.data, name)  # read-only, since the next step of a simulation writes its row anew
            output.flags.writeable = True
            output[sims] = arrays[name]
            output.flags.writeable = False
        self._batch.warning[sims] = 0

    def step(self, controls: np.ndarray, sims: np.ndarray | None) -> None:
        """Step these simulations, or all, by a control period; controls (n_substeps, n, nu) as of `Simulation.step`."""
        task = self.task
        n_substeps = task.n_substeps // task.n_samples
        self._step(controls, sims, n_substeps)
        for _ in range(1, task.n_samples):
            self._step(task.resample(), sims, n_substeps)

    def _step(self, controls: np.ndarray, sims: np.ndarray | None, n_substeps: int) -> None:
        task = self.task
        controls = (controls if sims is None else controls[:, sims]).swapaxes(0, 1)
        period = task.follow_every if task.patches else n_substeps
        for first in range(0, n_substeps, period):
            if task.patches:
                task.patches.follow(self.data)
            length = min(period, n_substeps - first)
            rows = controls if controls.shape[1] == 1 else controls[:, first : first + length]
            self._batch.rollout(length, rows, record=(), ids=sims)

    def put_back(self, sims: np.ndarray, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Set simulation i to row i of `qpos`, (n, nq), and `qvel`, (n, nv), and clear its warnings."""
        scratch = self._scratch
        for sim in sims.tolist():
            mujoco.mj_resetData(self.models[sim], scratch)
            scratch.qpos[:], scratch.qvel[:] = qpos[sim], qvel[sim]
            self._write(sim)
        self._batch.forward(sims)

    def _write(self, sim: int) -> None:
        """Copy a simulation to the scratch state."""
        mujoco.mj_getState(self.models[sim], self._scratch, self._batch.state[sim], STATE)
        self._batch.warning[sim] = 0

    def image(self, sim: int, camera: Camera) -> np.ndarray:
        """Return the camera's image of a simulation; see `Camera.image`."""
        model, scratch = self.models[sim], self._scratch
        if self.task.models.vary and model.nhfield:
            camera.ground_changed()
        self._batch.get_data(sim, scratch)
        mujoco.mj_forward(model, scratch)
        return camera.image(model, scratch)
