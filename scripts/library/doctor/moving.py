"""What MuJoCo can tell of two geoms in a state: the mass that their contacts move, how far apart they are, how fast."""

import mujoco
import numpy as np

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
