"""The floor of a user's file, and which parts may touch it: taken out, and its place taken by this project's ground.

MuJoCo lets two geoms touch if a bit of the contype of one is in the conaffinity of the other, or if a `<pair>` names
them. The parts that may touch the file's floor by either get the bit of this project's ground, `GROUND_BIT`; the file's
own bits move up, so that among themselves all parts meet as in the file.
"""

from collections.abc import Sequence

import mujoco
import numpy as np

from ..analytic.terrain import Terrain
from .kinds import HFIELD, MESH, PLANE
from .terrain import FOOT_BITS, is_plane

GROUND_BIT = 1
UPWARD = 0.5  # cosine between a floor's normal and the vertical: a steeper plane is a wall, and stays
BIT_FIELDS = ("contype", "conaffinity")
PLAIN = (PLANE, HFIELD)
BITS = 31  # of contype and conaffinity
ANY_FLOOR = ((1, 1),)  # contype and conaffinity of the floor of a file without one: MuJoCo's defaults


def floors(model: mujoco.MjModel) -> list[int]:
    """Return the geoms that are a file's floor: level planes and height fields, and fixed bodies under the robot."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    root = int(model.jnt_bodyid[0])
    return [k for k in _fixed(model) if _is_level(model, data, k) or _is_under(model, data, k, data.xpos[root])]


def _fixed(model: mujoco.MjModel) -> list[int]:
    return [k for k in range(model.ngeom) if model.body_weldid[model.geom_bodyid[k]] == 0]


def _called(geom: mujoco.MjsGeom) -> str:
    return geom.name or f"a {geom.type.name.removeprefix('mjGEOM_').lower()}"


def _is_level(model, data, k: int) -> bool:
    if model.geom_type[k] == HFIELD:
        return True
    return model.geom_type[k] == PLANE and abs(data.geom_xmat[k, 8]) > UPWARD


def _is_under(model, data, k: int, place: np.ndarray) -> bool:
    """Return whether a solid geom lies straight below a place, shape (3,)."""
    solid = model.geom_contype[k] or model.geom_conaffinity[k]
    if not solid or model.geom_type[k] == PLANE:
        return False
    down, normal = np.array([0.0, 0.0, -1.0]), np.zeros(3)
    if model.geom_type[k] == MESH:
        return mujoco.mj_rayMesh(model, data, k, place, down, normal) >= 0
    size, at, turn = model.geom_size[k], data.geom_xpos[k], data.geom_xmat[k]
    return mujoco.mju_rayGeom(at, turn, size, place, down, int(model.geom_type[k]), normal) >= 0


def meets(a: Sequence[int], b: Sequence[int]) -> bool:
    """Return whether geoms with these pairs (contype, conaffinity) may touch in MuJoCo."""
    return bool(a[0] & b[1] or b[0] & a[1])


def share_floor(
    spec: mujoco.MjSpec, model: mujoco.MjModel, feet: Sequence[str], terrain: Terrain, n_feet: int
) -> list[str]:
    """Take a file's floor out, and let the parts that may touch it touch this project's ground; return sentences on it.

    Args:
        spec: The file; feet by the names in `feet`, which may touch the ground whatever the file says.
        model: Of the same file, compiled as it is.
        feet: Names of the geoms of the feet.
        terrain: The terrain, whose feet need bits of their own.
        n_feet: How many feet these are.
    """
    geoms, ground = list(spec.geoms), floors(model)
    bits = [(model.geom_contype[k], model.geom_conaffinity[k]) for k in ground] or ANY_FLOOR
    own = [(geom.contype, geom.conaffinity) for geom in geoms]
    touching = {k for k, mine in enumerate(own) if any(meets(mine, floor) for floor in bits)}
    names = {geom.name: k for k, geom in enumerate(geoms) if geom.name}
    notes = _take_pairs(spec, names, set(ground), touching)
    _check_excludes(spec, feet)
    apart = [foot for foot in feet if names.get(foot, -1) not in touching and foot in names]
    if apart and ground:
        notes.append(f"feet that could not touch the file's floor touch the ground: {', '.join(apart)}")
    if solid := [k for k in ground if geoms[k].type not in PLAIN]:
        words = ", ".join(_called(geoms[k]) for k in solid)
        notes.append(f"fixed geoms under the robot are its floor and left out: {words}")
    if fixed := sorted({_called(geoms[k]) for k in _fixed(model) if k not in ground and any(own[k])}):
        words = ", ".join(fixed[:4]) + " ..." * (len(fixed) > 4)
        notes.append(f"fixed parts that are no floor stand where they are in the file: {words}")
    _move_bits(geoms, touching, 0 if is_plane(terrain) else min(n_feet, len(FOOT_BITS)))
    gone = {geoms[k].name for k in ground if geoms[k].name}
    for group in [group for group in spec.tuples if gone & set(group.objname)]:
        spec.delete(group)
    for k in ground:
        spec.delete(geoms[k])
    return notes


def _take_pairs(spec, names: dict[str, int], floor: set[int], touching: set[int]) -> list[str]:
    """Take out the pairs with the floor; whose other parts may touch the ground."""
    parts = []
    for pair in list(spec.pairs):
        ends = {names[pair.geomname1], names[pair.geomname2]}
        if floor & ends:
            touching.update(ends)
            parts += [name for name in (pair.geomname1, pair.geomname2) if names[name] not in floor]
            spec.delete(pair)
    if not parts:
        return []
    return [f"pairs with the floor ({', '.join(parts)}): the parts touch the ground, with its contact settings"]


def _check_excludes(spec: mujoco.MjSpec, feet: Sequence[str]) -> None:
    parents = {geom.parent.name: geom.name for geom in spec.geoms if geom.name in feet}
    for exclude in spec.excludes:
        ends = {exclude.bodyname1, exclude.bodyname2}
        kept = [foot for body, foot in parents.items() if ends == {"world", body}]
        if kept:
            raise ValueError(
                f"<exclude> of the world and {' '.join(ends - {'world'})} keeps the foot {kept[0]!r} from the ground; "
                "take it out of the file, or name another foot"
            )


def _move_bits(geoms, touching: set[int], n_taken: int) -> None:
    """Move the file's contact bits above the ground's and the feet's, and give the ground's to what may touch it."""
    kinds, affinities = (np.bitwise_or.reduce([0, *(getattr(geom, name) for geom in geoms)]) for name in BIT_FIELDS)
    used = [bit for bit in range(BITS) if kinds & affinities & (1 << bit)]  # others join nothing
    room = range(1 + n_taken, BITS)
    if len(used) > len(room):
        raise ValueError(
            f"contype and conaffinity of the file use {len(used)} bits, and on this terrain {len(room)} are free; "
            "use fewer, or flat ground"
        )
    moved = dict(zip(used, room, strict=False))
    for number, geom in enumerate(geoms):
        for name in BIT_FIELDS:
            setattr(geom, name, sum(1 << to for bit, to in moved.items() if getattr(geom, name) & (1 << bit)))
        if number in touching:
            geom.contype |= GROUND_BIT


def keep_apart(spec: mujoco.MjSpec, model: mujoco.MjModel, at_rest: mujoco.MjData) -> list[str]:
    """Let parts of a robot that overlap at rest not touch each other; return a sentence on them.

    In a URDF neighbours overlap, for its other readers let no parts of a robot collide.
    """
    data = mujoco.MjData(model)
    data.qpos[:] = at_rest.qpos
    mujoco.mj_forward(model, data)
    pairs: dict[tuple[str, str], None] = {}
    for contact in data.contact[: data.ncon]:
        first, second = sorted(int(model.geom_bodyid[k]) for k in contact.geom)
        if contact.dist < 0 and first and model.body_rootid[first] == model.body_rootid[second]:
            pairs[model.body(first).name, model.body(second).name] = None
    for first, second in pairs:
        spec.add_exclude(bodyname1=first, bodyname2=second)
    words = ", ".join(f"{first} and {second}" for first, second in list(pairs)[:4]) + " ..." * (len(pairs) > 4)
    return [f"{len(pairs)} pairs of parts overlap at rest and do not collide: {words}"] if pairs else []
