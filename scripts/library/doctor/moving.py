"""What MuJoCo tells of two geoms in a state, mass moved, distance and speed; and how far its solver is from solving."""

import copy

import mujoco
import numpy as np

SAMPLES = 40  # steps of a simulation that are solved again
ITERATIONS, LS_ITERATIONS, TOLERANCE = 400, 100, 1e-12  # with which they are

IMMOVABLE = 1e-12  # acceleration by a unit of force below which nothing moves [1/kg]
NEARBY = 1.0  # farther than that apart geoms are not measured [m]
UNTOLD = (int(mujoco.mjtGeom.mjGEOM_HFIELD), int(mujoco.mjtGeom.mjGEOM_SDF))  # geoms without distances


def mass_of(model: mujoco.MjModel, data: mujoco.MjData, contacts: list[int]) -> tuple[float, float] | None:
    """Return the mass that contacts of one pair move when they press alike [kg], and it over MuJoCo's estimate.

    MuJoCo gives every contact the inverse masses of its two bodies alone; n contacts together are n times as stiff.
    None if no joint moves the pair along its normal.
    """
    row, jacobian = np.zeros(model.nv), np.zeros((3, model.nv))
    for index in contacts:
        contact = data.contact[index]
        for geom, sign in ((contact.geom1, -1.0), (contact.geom2, 1.0)):
            mujoco.mj_jac(model, data, jacobian, None, contact.pos, model.geom_bodyid[geom])
            row += sign * (contact.frame[:3] @ jacobian) / len(contacts)
    solved = np.zeros((1, model.nv))
    mujoco.mj_solveM(model, data, solved, row[None])
    inverse = float(row @ solved[0])
    if not inverse > IMMOVABLE:
        return None
    bodies = model.geom_bodyid[[data.contact[contacts[0]].geom1, data.contact[contacts[0]].geom2]]
    guess = float(model.body_invweight0[bodies, 0].sum()) / len(contacts)
    exact = bool(model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_DIAGEXACT)
    return 1.0 / inverse, 1.0 if exact or not guess > 0 else guess / inverse


def distance(model: mujoco.MjModel, data: mujoco.MjData, geoms: tuple[int, int]) -> float:
    """Return the distance of two geoms [m]; infinite where MuJoCo does not tell."""
    told = not np.isin(model.geom_type[list(geoms)], UNTOLD).any()
    return mujoco.mj_geomDistance(model, data, *geoms, NEARBY, None) if told else np.inf


def velocity_at(model: mujoco.MjModel, data: mujoco.MjData, geom: int, place: np.ndarray) -> np.ndarray:
    """Return the velocity of what is at a place of a geom's body, world frame [m/s]."""
    body, twist = model.geom_bodyid[geom], np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, twist, 0)
    return twist[3:] + np.cross(twist[:3], place - data.xpos[body])


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
