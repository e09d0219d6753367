"""Where the energy of a simulation in MuJoCo goes, step by step.

A force does work over a step's motion, the mean of the velocities before and after times the timestep: then what is
worked and lost is the change of kinetic energy, but for what the mass matrix changes in a step. Forces are those that
the integrator takes: of contacts and stops what MuJoCo applied; of actuators and dampers what they are at the step's
end for `discrete`, at its first position and last velocity for `implicit`, `implicitfast` and, in rougher books,
`RK4`; of actuators at its start for `Euler`.
"""

import mujoco
import numpy as np

from tarsus.scripts.library.records.layouts import BUDGET

# What is dry among the constraints. As integers: an enum of MuJoCo's on the left never equals one of NumPy's.
JOINTS, TENDONS = (int(getattr(mujoco.mjtConstraint, f"mjCNSTR_FRICTION_{kind}")) for kind in ("DOF", "TENDON"))
DISCRETE, EULER = int(mujoco.mjtIntegrator.mjINT_DISCRETE), int(mujoco.mjtIntegrator.mjINT_EULER)


class Books:
    """Energy of a simulation, work of its actuators, losses in dampers and dry joints, and in contacts and stops.

    Attributes:
        now: Energy at the last state [J] and the other three since the start [J], in the order of `BUDGET`, shape (4,).
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData):
        """Begin at a state."""
        self.model, self._later = model, mujoco.MjData(model)
        self._qpos, self._qvel, self.now = data.qpos.copy(), data.qvel.copy(), np.zeros(len(BUDGET))
        self._look(data)
        self.now[0] = self._later.energy.sum()

    def add(self, data: mujoco.MjData) -> None:
        """Book a step that was taken."""
        model, h, integrator = self.model, self.model.opt.timestep, self.model.opt.integrator
        speed = 0.5 * (self._qvel + data.qvel)
        self._look(data, None if integrator == DISCRETE else self._qpos)
        driven, damped = self._later.qfrc_actuator @ speed, -self._later.qfrc_damper @ speed
        if integrator == EULER:
            driven = data.qfrc_actuator @ speed
        if integrator != DISCRETE:
            self._look(data)
        rows = np.zeros(data.nefc)
        if data.nefc:
            mujoco.mj_mulJacVec(model, data, rows, speed)
        rows *= data.efc_force
        dry = (data.efc_type == JOINTS) | (data.efc_type == TENDONS)
        done = driven, damped - rows[dry].sum(), -rows[~dry].sum()
        self.now = np.array([self._later.energy.sum(), *(self.now[1:] + h * np.array(done))])
        self._qpos, self._qvel = data.qpos.copy(), data.qvel.copy()

    def _look(self, data: mujoco.MjData, qpos: np.ndarray | None = None) -> None:
        """Compute energy and forces of a state, or of it at other positions, at its controls; contacts are left out."""
        model, later = self.model, self._later
        mujoco.mj_copyState(model, data, later, mujoco.mjtState.mjSTATE_INTEGRATION)
        if qpos is not None:
            later.qpos[:] = qpos
        mujoco.mj_fwdKinematics(model, later)
        mujoco.mj_makeM(model, later)
        mujoco.mj_transmission(model, later)
        mujoco.mj_energyPos(model, later)
        mujoco.mj_fwdVelocity(model, later)
        mujoco.mj_energyVel(model, later)
        mujoco.mj_fwdActuation(model, later)
