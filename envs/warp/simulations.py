"""The simulations of a task in MuJoCo Warp: see `simulations.Simulations`, the same in MuJoCo.

The task works on arrays of its own, in double precision: what a control period begins with is written to Warp's, and
what it ends with is read. Episodes start from what MuJoCo computes of their first state. So a simulation does not
depend on its neighbours' starts, and time, which single precision would round, is exact.
"""

from types import SimpleNamespace

import mujoco
import numpy as np

from .. import forks
from ..camera import Camera
from ..episodes import checked_action
from ..steps import DIVERGED, own_models
from .worlds import STATE, Worlds

READ = ("qpos", "qvel", "qacc_warmstart", "sensordata", "site_xpos")
LARGEST = 1e10  # of a position or velocity, as in MuJoCo
KINDS = ("MuJoCo Warp's state is not finite", "MuJoCo Warp has no room for all contacts")


def complaint(counts: np.ndarray) -> str:
    """Return the first of the warnings, by their counts, shape (2,), as why an episode ended."""
    return f"{DIVERGED}: {KINDS[int(np.flatnonzero(counts)[0])]}"


class Starts:
    """The arrays of many simulations of a task, and how their episodes start: as MuJoCo computes the first state.

    Args:
        task: The task; it is bound to these arrays.
        models: MuJoCo's model of each simulation, if they are not all the task's.

    Attributes:
        data: The arrays of all simulations.
        warnings: Whether each diverged, and whether it had too little room, shape (n, 2).
        models: The model of each; the same object unless episodes change it.
    """

    def __init__(self, task, models: list[mujoco.MjModel] | None = None):
        self.task, self.n, model = task, task.shape[0], task.model
        self.models = models or [model] * self.n
        self._scratch = mujoco.MjData(model)
        names = (*STATE, "ctrl", "sensordata", "site_xpos", "time")
        arrays = {name: np.zeros((self.n, *np.shape(getattr(self._scratch, name)))) for name in names}
        self.data = SimpleNamespace(**arrays)
        self.warnings = np.zeros((self.n, len(KINDS)), int)
        self._kept = tuple(name for name in arrays if name not in task.OUTPUTS)
        task.bind(self.data)

    def start(self, sims: list[int], states: list[dict[str, np.ndarray]] | None = None) -> None:
        """Start an episode in each of these simulations, from its `qpos`, (nq,), and `qvel`, (nv,), if given."""
        task, scratch = self.task, self._scratch
        self.models = own_models(task, self.models)
        for sim in sims:
            model = self.models[sim]
            task.start(sim, model, scratch, **(states[sim] if states else {}))
            if task.patches:
                mujoco.mj_forward(model, scratch)
                task.patches.follow(scratch, task.ground[sim])
            self._compute(sim)

    def _compute(self, sim: int) -> None:
        """Let MuJoCo compute what follows from the scratch state, and copy both to a simulation."""
        scratch = self._scratch
        scratch.warning.number[:] = 0
        mujoco.mj_forward(self.models[sim], scratch)
        for name, array in vars(self.data).items():
            array[sim] = getattr(scratch, name)
        self.warnings[sim] = scratch.warning.number.any(), 0


class WarpSimulations(Starts):
    """The simulations of a task with leading dimension n; for arguments and other attributes see `Starts`.

    Attributes:
        pid: The process that has them.
    """

    complaint, accepted = staticmethod(complaint), staticmethod(checked_action)

    def __init__(self, task, models: list[mujoco.MjModel] | None = None):
        self.pid, self._own = forks.pid(), task.models.vary
        self._worlds = Worlds(task.model, task.shape[0], self._own)
        super().__init__(task, models)
        if self.models[0] is not task.model:
            self._become(range(self.n))

    def _become(self, sims) -> None:
        """Give these worlds their own models."""
        for sim in sims:
            self._worlds.become(sim, self.models[sim])

    def start(self, sims: list[int], states: list[dict[str, np.ndarray]] | None = None) -> None:
        """Start episodes as `Starts` does, in the worlds too."""
        super().start(sims, states)
        if self._own:
            self._become(sims)

    def step(self, controls: np.ndarray, sims: np.ndarray | None) -> None:
        """Step these simulations, or all, by one control period; controls have the shape (n_substeps, n, nu).

        A single row of them is held throughout. Other simulations are as they were.
        """
        task, data, worlds = self.task, self.data, self._worlds.arrays
        chosen = slice(None) if sims is None else sims
        for name in STATE:
            worlds[name][:] = getattr(data, name)
        for k in range(task.n_substeps):
            if task.patches and k % task.follow_every == 0:
                self._follow(chosen, k > 0)
            worlds["ctrl"][:] = controls[min(k, len(controls) - 1)]
            self._worlds.step()
            data.time[chosen] += task.model.opt.timestep
        for name in READ:
            getattr(data, name)[chosen] = worlds[name][chosen]
        data.ctrl[chosen] = worlds["ctrl"][chosen]
        self._look(chosen)

    def _follow(self, chosen, moved: bool) -> None:
        """Bring the ground under the feet, where they are if they have moved since the period began."""
        data, worlds = self.data, self._worlds.arrays
        if moved:
            data.site_xpos[chosen] = worlds["site_xpos"][chosen]
        self.task.patches.follow(data)
        worlds["mocap_pos"][:], worlds["mocap_quat"][:] = data.mocap_pos, data.mocap_quat

    def _look(self, chosen) -> None:
        """Note which of these simulations diverged or had too little room."""
        full = self._worlds.full()
        state = np.concatenate([self.data.qpos, self.data.qvel], -1)
        self.warnings[chosen, 0] += ~(np.abs(state) < LARGEST).all(-1)[chosen]
        self.warnings[chosen, 1] += full[chosen]

    def put_back(self, sims: np.ndarray, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Set simulation i to row i of `qpos`, (n, nq), and `qvel`, (n, nv), and clear its warnings."""
        scratch = self._scratch
        for sim in sims.tolist():
            mujoco.mj_resetData(self.models[sim], scratch)
            scratch.qpos[:], scratch.qvel[:] = qpos[sim], qvel[sim]
            self._compute(sim)

    def kept_rows(self, sims: np.ndarray) -> dict[str, np.ndarray]:
        """Return copies of the state and outputs of these k simulations, each of shape (k, ...)."""
        physics = [getattr(self.data, name)[sims].reshape(len(sims), -1) for name in self._kept]
        outputs = {name: getattr(self.data, name)[sims] for name in self.task.OUTPUTS}
        return {"physics": np.concatenate(physics, -1)} | outputs

    def refuse(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse nothing: Warp simulates any numbers."""

    def take_rows(self, sims: np.ndarray, arrays: dict[str, np.ndarray]) -> None:
        """Restore these simulations from what `kept_rows` returned."""
        at, physics = 0, arrays["physics"]  # a row for each, or one for all
        for name in self._kept:
            array = getattr(self.data, name)
            size = array[0].size
            array[sims] = physics[:, at : at + size].reshape(len(physics), *array.shape[1:])
            at += size
        for name in self.task.OUTPUTS:
            getattr(self.data, name)[sims] = arrays[name]
        self.warnings[sims] = 0

    def redraw(self, sims: np.ndarray, drawn: tuple[tuple, ...]) -> None:
        """Apply to these k simulations what their episodes drew, k tuples of `Models.drawn`."""
        self.models = own_models(self.task, self.models)
        for sim, one in zip(sims.tolist(), drawn, strict=True):
            self.task.models.redraw(self.task, sim, self.models[sim], one)
        self._become(sims.tolist())

    def image(self, sim: int, camera: Camera) -> np.ndarray:
        """Return the camera's image of a simulation; see `Camera.image`."""
        model, scratch = self.models[sim], self._scratch
        if self.task.models.vary and model.nhfield:
            camera.ground_changed()
        for name in (*STATE, "ctrl"):
            getattr(scratch, name)[...] = getattr(self.data, name)[sim]
        mujoco.mj_forward(model, scratch)
        return camera.image(model, scratch)
