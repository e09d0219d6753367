"""The geoms of a compiled model that are its feet, and the forces on them."""

from collections.abc import Sequence

import mujoco
import numpy as np

from tarsus.mjcf import own_feet, own_robot
from tarsus.mjcf.feet import toes


def geoms_of_feet(model: mujoco.MjModel, feet: Sequence[str], data: mujoco.MjData | None = None) -> list[list[int]]:
    """Return the geoms of each foot, by the name of a geom or body; of a body those by which it stands.

    The model is compiled by a user, or put on this project's ground, where feet have the names of the file. The lowest
    geoms of a body are taken in the state of `data`, by default that of the file. ValueError names a similar name, or
    what has that name instead.
    """
    if isinstance(feet, str) or not len(feet):
        raise ValueError(f"feet must be names of geoms, as in ('left_foot', 'right_foot'), got {feet!r}")
    renamed, tips, found = own_robot.names_of_feet(model), toes(model), []
    if data is None:
        data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for name in feet:
        foot = tips[int(renamed[name].removeprefix("toe_"))] if name in renamed else None
        found.append(foot or list(own_feet.geoms_of(model, data, name, list(renamed))))
    return found


def foot_geoms(model: mujoco.MjModel, feet: Sequence[str]) -> np.ndarray:
    """Return the spheres that are these feet, shape (n_feet,); ValueError if one is none, or has no such name."""
    found = geoms_of_feet(model, feet)
    for name, geoms in zip(feet, found, strict=True):
        if len(geoms) > 1 or model.geom_type[geoms[0]] != mujoco.mjtGeom.mjGEOM_SPHERE:
            raise ValueError(f"the foot {name!r} is not a sphere: the contact solver takes spheres at the ends of legs")
    return np.array([geoms[0] for geoms in found])


def loads(model: mujoco.MjModel, data: mujoco.MjData, feet: Sequence) -> tuple[np.ndarray, np.ndarray]:
    """Return the force on each foot, world frame, shape (n_feet, 3) [N], by what is not the robot, and if it touches.

    The robot's free joint is first, and the state is one after `mj_forward` or `mj_step`; feet are geoms, or lists of
    them.
    """
    wrench, root = np.zeros(6), int(model.jnt_bodyid[0])
    leg_of = {int(geom): leg for leg, geoms in enumerate(feet) for geom in np.atleast_1d(geoms)}
    force, touches = np.zeros((len(feet), 3)), np.zeros(len(feet), bool)
    for number, contact in enumerate(data.contact[: data.ncon]):
        for geom, other, sign in ((contact.geom1, contact.geom2, -1.0), (contact.geom2, contact.geom1, 1.0)):
            leg = leg_of.get(int(geom))
            if leg is None or contact.efc_address < 0 or model.body_rootid[model.geom_bodyid[other]] == root:
                continue
            mujoco.mj_contactForce(model, data, number, wrench)
            force[leg] += sign * wrench[:3] @ contact.frame.reshape(3, 3)  # its rows are the contact's axes
            touches[leg] = True
    return force, touches
