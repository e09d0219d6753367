"""Feet of a user's machine: spheres, capsules or boxes of any size, found by their names in an MJCF.

Where all feet are spheres of one radius, the ground is lower by it, so that their centres count as toes (`terrain`).
Feet of other shapes stand on the ground itself. Their sites `foot_i` are at the centre of a sphere or box, and of a
capsule at the centre of the end that is farther from its body's origin.
"""

from __future__ import annotations

import difflib
import itertools

import mujoco
import numpy as np

from .terrain import LOWERED

SPHERE, CAPSULE, BOX = (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_BOX)
SHAPES = {SPHERE: "sphere", CAPSULE: "capsule", BOX: "box"}
CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def candidates(spec: mujoco.MjSpec) -> dict[str, mujoco.MjsGeom]:
    """Return the geoms that can be feet, by name: spheres, capsules and boxes of moving bodies."""
    fixed = {geom.name for geom in spec.worldbody.geoms}
    return {geom.name: geom for geom in spec.geoms if geom.name and geom.type in SHAPES and geom.name not in fixed}


def foot_of(spec: mujoco.MjSpec, name: str) -> mujoco.MjsGeom:
    """Return the geom of that name, to be a foot.

    Raises:
        ValueError: If there is none; the message says what has that name instead, or a similar one.
    """
    known = candidates(spec)
    if name in known:
        return known[name]
    hint = ""
    others = {"geom of another shape, or fixed": spec.geoms, "body": spec.bodies, "site": spec.sites}
    for kind, elements in (others | {"joint": spec.joints}).items():
        if any(element.name == name for element in elements):
            hint = f"; {name!r} is a {kind}: a foot is a geom at the end of a leg"
    close = difflib.get_close_matches(name, known, 1, 0.5)
    if close and not hint:
        hint = f"; did you mean {close[0]!r}?"
    raise ValueError(
        f"there is no sphere, capsule or box {name!r} to be a foot; there are {', '.join(known) or 'none'}{hint}"
    )


def lowering(kinds: np.ndarray, radii: np.ndarray) -> float:
    """Return the depth of the ground below the terrain [m], for feet of these shapes and radii, shape (n,)."""
    return float(radii[0]) if (kinds == SPHERE).all() and len(set(radii.tolist())) == 1 else 0.0


def toe(foot: mujoco.MjsGeom, model: mujoco.MjModel) -> np.ndarray:
    """Return the position of a foot's site in its body, shape (3,) [m].

    Args:
        foot: The geom.
        model: Of the same machine, compiled: there the geom's place is in numbers.
    """
    geom = model.geom(foot.name)
    if foot.type != CAPSULE:
        return geom.pos.copy()
    ends = geom.pos + np.outer((-geom.size[1], geom.size[1]), _axis(geom.quat))
    return ends[np.argmax(np.linalg.norm(ends, axis=1))]


def _axis(quat: np.ndarray) -> np.ndarray:
    rotated = np.zeros(3)
    mujoco.mju_rotVecQuat(rotated, np.array([0.0, 0.0, 1.0]), quat)
    return rotated


def clearance(model: mujoco.MjModel) -> np.ndarray:
    """Return the height of the sites of level feet `toe_i` above their terrain, shape (n_feet,) [m].

    It is 0 of the machines whose presets have a toe radius.
    """
    toes = _toes(model)
    if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_NUMERIC, LOWERED) < 0:
        return np.zeros(len(toes))
    kinds, sizes = model.geom_type[toes], model.geom_size[toes]
    return np.where(kinds == BOX, sizes[:, 2], sizes[:, 0]) - lowering(kinds, sizes[:, 0])


def n_feet(model: mujoco.MjModel) -> int:
    """Return the number of a model's feet: its sensors `foot_i`."""
    return sum(model.sensor(k).name.startswith("foot_") for k in range(model.nsensor))


def _toes(model: mujoco.MjModel) -> list[int]:
    return [model.geom(f"toe_{leg}").id for leg in range(n_feet(model))]


def support_points(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Return the points that are at the terrain's height where the feet `toe_i` touch it, world frame, (n, 3) [m].

    The feet are level ground's: of a sphere or the ends of a capsule the lowest points, of a box the corners.
    """
    toes = _toes(model)
    lowered, points = lowering(model.geom_type[toes], model.geom_size[toes, 0]), []
    for k in toes:
        size, place, turn = model.geom_size[k], data.geom_xpos[k], data.geom_xmat[k].reshape(3, 3)
        offsets, radius = np.zeros((1, 3)), size[0]
        if model.geom_type[k] == CAPSULE:
            offsets = np.outer((-size[1], size[1]), (0.0, 0.0, 1.0))
        elif model.geom_type[k] == BOX:
            offsets, radius = CORNERS * size, 0.0
        points.append(place + offsets @ turn.T + (0.0, 0.0, lowered - radius))
    return np.concatenate(points)
