"""The geoms of a compiled model that are its feet, and the forces on them."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import mujoco
import numpy as np

from tarsus.mjcf import own_feet, own_robot
from tarsus.mjcf.feet import toes

GEOM, BODY = mujoco.mjtObj.mjOBJ_GEOM, mujoco.mjtObj.mjOBJ_BODY


def geoms_of_feet(model: mujoco.MjModel, feet: Sequence[str], data: mujoco.MjData | None = None) -> list[list[int]]:
    """Return the geoms of each foot, by the name of a geom or body; of a body those by which it stands.

    Args:
        model: Compiled by a user, or put on this project's ground, where feet have the names of the file.
        feet: The names.
        data: Its state where it stands, of which the lowest geoms of a body are taken; by default that of the file.

    Raises:
        ValueError: If there is none of a name; the message names a similar one, or what has that name instead.
    """
    if isinstance(feet, str) or not len(feet):
        raise ValueError(f"feet must be names of geoms, as in ('left_foot', 'right_foot'), got {feet!r}")
    renamed, found = own_robot.names_of_feet(model), []
    for name in feet:
        geom, body = (mujoco.mj_name2id(model, kind, name) for kind in (GEOM, BODY))
        if name in renamed:
            found.append(toes(model)[int(renamed[name].removeprefix("toe_"))])
        elif geom >= 0 and model.geom_bodyid[geom] > 0 and model.geom_type[geom] in own_feet.NUMBERS:
            found.append([geom])
        elif body > 0 and not renamed:
            found.append(_of_body(model, body, data))
        else:
            raise ValueError(_no_foot(model, name, list(renamed)))
    return found


def _of_body(model: mujoco.MjModel, body: int, data: mujoco.MjData | None) -> list[int]:
    if data is None:
        data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    tree = own_feet.Tree(model, data)
    geoms = [k for k in tree.solid if model.geom_bodyid[k] == body]
    if not geoms:
        raise ValueError(f"the body {model.body(body).name!r} has no geom that may touch the ground, to be a foot")
    return list(tree.foot(geoms))


def foot_geoms(model: mujoco.MjModel, feet: Sequence[str]) -> np.ndarray:
    """Return the ids of the spheres that are these feet, as the contact solver takes them, shape (n_feet,).

    Raises:
        ValueError: If there is none of a name, or a foot is no sphere.
    """
    found = geoms_of_feet(model, feet)
    for name, geoms in zip(feet, found, strict=True):
        if len(geoms) > 1 or model.geom_type[geoms[0]] != mujoco.mjtGeom.mjGEOM_SPHERE:
            raise ValueError(f"the foot {name!r} is not a sphere: the contact solver takes spheres at the ends of legs")
    return np.array([geoms[0] for geoms in found])


def loads(model: mujoco.MjModel, data: mujoco.MjData, feet: Sequence) -> tuple[np.ndarray, np.ndarray]:
    """Return the force on each foot by what is not the robot, and whether it touches that.

    Args:
        model: With the robot's free joint first.
        data: Its state, after `mj_forward` or `mj_step`.
        feet: The id of each foot's geom, or those of its geoms.

    Returns:
        Forces, world frame, shape (n_feet, 3) [N]; flags, shape (n_feet,).
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


def _no_foot(model: mujoco.MjModel, name: str, renamed: list[str]) -> str:
    for kind in ("geom", "body", "site", "joint"):
        if mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), name) >= 0:
            what = f"{kind} of another shape, or fixed" if kind == "geom" else kind
            return f"{name!r} is a {what}: a foot is a convex geom at the end of a leg, or its body"
    known = renamed or [model.geom(k).name for k in range(model.ngeom) if model.geom(k).name]
    close = difflib.get_close_matches(name, known, 1, 0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"there is no geom {name!r} to be a foot; there are {', '.join(known) or 'none'}{hint}"
