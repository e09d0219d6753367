"""How far MuJoCo's solver is from its solution in the steps of a model: they are solved again, with many iterations."""

import copy

import mujoco
import numpy as np

SAMPLES = 40  # steps of a simulation that are solved again
ITERATIONS, LS_ITERATIONS, TOLERANCE = 400, 100, 1e-12  # with which they are


class ForceErrors:
    """The error of the contact forces in some steps of a simulation of n."""

    def __init__(self, model: mujoco.MjModel, n: int) -> None:
        self.model, self.fine = model, copy.copy(model)
        self.fine.opt.iterations, self.fine.opt.ls_iterations = ITERATIONS, LS_ITERATIONS
        self.fine.opt.tolerance = self.fine.opt.ls_tolerance = TOLERANCE
        self.fine.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
        self.one, self.other = mujoco.MjData(model), mujoco.MjData(self.fine)
        self.every, self.rows, self.errors, self.forces = max(1, n // SAMPLES), [], [], []

    def before(self, k: int, data: mujoco.MjData) -> None:
        """Look at the state that a step starts from, if it is one of the samples."""
        if k % self.every:
            return
        mujoco.mj_copyData(self.one, self.model, data)
        mujoco.mj_copyData(self.other, self.fine, data)
        mujoco.mj_forward(self.model, self.one)
        mujoco.mj_forward(self.fine, self.other)
        if self.one.ncon == self.other.ncon:
            rough, exact = (_forces(model, at) for model, at in ((self.model, self.one), (self.fine, self.other)))
            self.rows.append(k)
            self.errors.append(float(np.linalg.norm(rough - exact, axis=1).sum()))
            self.forces.append(float(np.linalg.norm(exact, axis=1).sum()))

    def error(self, rows: slice, n: int, weight: float) -> float:
        """Return the mean error of the contact forces over the weight, or the forces, in rows of n; 0 of none."""
        inside = np.isin(self.rows, np.arange(n)[rows])
        if not inside.any():
            return 0.0
        scale = max(weight, float(np.mean(np.array(self.forces)[inside])))
        return float(np.mean(np.array(self.errors)[inside])) / scale if scale > 0 else 0.0


def _forces(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Return the forces of all contacts in their frames, shape (ncon, 3) [N]."""
    forces, wrench = np.zeros((data.ncon, 3)), np.zeros(6)
    for index in range(data.ncon):
        mujoco.mj_contactForce(model, data, index, wrench)
        forces[index] = wrench[:3]
    return forces
