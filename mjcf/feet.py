"""Feet of a user's machine: geoms of any convex shape, by their names, each foot one geom or several of a body.

Where all feet are single spheres of one radius, the ground is lower by it, so that their centres count as toes
(`terrain`). Other feet stand on the ground itself. The first geom of foot i is called `toe_i`, the others `toe_i_1`,
`toe_i_2`; its site `foot_i` is at the centre of its geoms, and of a single capsule at the centre of the end that is
farther from its body's origin.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Mapping, Sequence

import mujoco
import numpy as np

from ..analytic.spelling import listed
from .kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, SPHERE
from .terrain import LOWERED

SHAPES = (SPHERE, CAPSULE, BOX, CYLINDER, ELLIPSOID, MESH)
CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
ROUND = np.array([(np.cos(a), np.sin(a)) for a in np.arange(8) * np.pi / 4])  # points of a rim
OTHER = "geom of another shape, or fixed"
MOST_POINTS = 64  # of a mesh that count: the lowest


def candidates(spec: mujoco.MjSpec) -> dict[str, mujoco.MjsGeom]:
    """Return the geoms that can be feet, by name: convex ones of moving bodies."""
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
    kinds = {OTHER: spec.geoms, "body": spec.bodies, "site": spec.sites, "joint": spec.joints}
    others = {kind: {element.name for element in elements} for kind, elements in kinds.items()}
    raise ValueError(no_foot(name, "geom", list(known), others))


def no_foot(name: str, what: str, known: Sequence[str], others: Mapping[str, Container[str]], more: str = "") -> str:
    """Return the sentence on a name that is no foot's: what else has it, of what is known, and what is alike."""
    other = "".join(f", but a {kind}" for kind, names in others.items() if name in names)
    there_are = f"{', '.join(known) or 'none'}{more}" if other else listed(name, known, more)
    return f"there is no {what} {name!r} to be a foot{other}; there are {there_are}"


def lowering(kinds: np.ndarray, radii: np.ndarray, n_feet: int) -> float:
    """Return the depth of the ground below the terrain [m], for geoms of these shapes and radii, shape (n,)."""
    alike = len(kinds) == n_feet and (np.asarray(kinds) == SPHERE).all() and len(set(np.asarray(radii).tolist())) == 1
    return float(radii[0]) if alike else 0.0


def toe(model: mujoco.MjModel, geoms: Sequence[int]) -> np.ndarray:
    """Return the position of the site of a foot with these geoms in its body, shape (3,) [m]."""
    first = geoms[0]
    if len(geoms) > 1 or model.geom_type[first] != CAPSULE:
        return model.geom_pos[geoms].mean(axis=0)
    half = model.geom_size[first, 1]
    axis = np.zeros(3)
    mujoco.mju_rotVecQuat(axis, np.array([0.0, 0.0, 1.0]), model.geom_quat[first])
    ends = model.geom_pos[first] + np.outer((-half, half), axis)
    return ends[np.argmax(np.linalg.norm(ends, axis=1))]


def clearance(model: mujoco.MjModel) -> np.ndarray:
    """Return the height of the feet's sites above the terrain they stand on at rest, shape (n_feet,) [m].

    It is 0 of the machines whose presets have a toe radius.
    """
    feet = toes(model)
    if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_NUMERIC, LOWERED) < 0:
        return np.zeros(len(feet))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_kinematics(model, data)
    low = [min(points_of(model, data, k)[:, 2].min() for k in geoms) for geoms in feet]
    sites = np.array([data.site(f"foot_{leg}").xpos[2] for leg in range(len(feet))])
    return sites - np.array(low) - _lowered(model, feet)


def n_feet(model: mujoco.MjModel) -> int:
    """Return the number of a model's feet: its sensors `foot_i`."""
    return sum(model.sensor(k).name.startswith("foot_") for k in range(model.nsensor))


def toes(model: mujoco.MjModel) -> list[list[int]]:
    """Return the geoms of each foot."""

    def geom(name: str) -> int:
        return mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name)

    found = []
    for leg in range(n_feet(model)):
        more = (geom(f"toe_{leg}_{k}") for k in itertools.count(1))
        found.append([geom(f"toe_{leg}"), *itertools.takewhile(lambda k: k >= 0, more)])
    return found


def _lowered(model: mujoco.MjModel, feet: list[list[int]]) -> float:
    geoms = [k for leg in feet for k in leg]
    return lowering(model.geom_type[geoms], model.geom_size[geoms, 0], len(feet))


def support_points(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Return the points that are at the terrain's height where the feet `toe_i` touch it, world frame, (n, 3) [m].

    The feet are level ground's: of a sphere or the ends of a capsule the lowest points, of other shapes corners, rims
    or vertices.
    """
    feet = toes(model)
    points = np.concatenate([points_of(model, data, k) for leg in feet for k in leg])
    return points + (0.0, 0.0, _lowered(model, feet))


def points_of(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> np.ndarray:
    """Return the points with which a geom may stand on level ground, world frame, shape (n, 3) [m]."""
    size, place, turn = model.geom_size[geom], data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3)
    kind, offsets, down = model.geom_type[geom], np.zeros((1, 3)), np.zeros(3)
    if kind == SPHERE:
        down[2] = size[0]
    elif kind == CAPSULE:
        offsets, down[2] = np.outer((-size[1], size[1]), (0.0, 0.0, 1.0)), size[0]
    elif kind == BOX:
        offsets = CORNERS * size
    elif kind == CYLINDER:
        rim = np.vstack([ROUND, _lowest_of_rim(turn)]) * size[0]
        offsets = np.vstack([np.column_stack([rim, np.full(len(rim), z)]) for z in (-size[1], size[1])])
    elif kind == ELLIPSOID:
        way = turn[2] * size
        offsets = (-size * way / np.linalg.norm(way))[None]
    elif kind == MESH:
        offsets = _vertices(model, geom, turn[2])
    return place + offsets @ turn.T - down


def _lowest_of_rim(turn: np.ndarray) -> np.ndarray:
    """Return the unit vector of a cylinder's own plane that points down most, shape (1, 2)."""
    x, y = turn[2, :2]
    length = np.hypot(x, y)
    return np.array([[-x / length, -y / length]]) if length > 1e-9 else np.array([[1.0, 0.0]])


def _vertices(model: mujoco.MjModel, geom: int, down: np.ndarray) -> np.ndarray:
    """Return the lowest vertices of a mesh, geom frame, shape (n, 3) [m]."""
    mesh = int(model.geom_dataid[geom])
    first = model.mesh_vertadr[mesh]
    found = model.mesh_vert[first : first + model.mesh_vertnum[mesh]].astype(float)
    if len(found) <= MOST_POINTS:
        return found
    return found[np.argpartition(found @ down, MOST_POINTS)[:MOST_POINTS]]
