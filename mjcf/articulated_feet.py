"""Contact points of feet, the plane they touch, and how MuJoCo combines the friction of the two."""

from collections.abc import Sequence

import mujoco
import numpy as np

from ..analytic.articulated import layout
from .feet import CORNERS, no_foot
from .kinds import BOX, CAPSULE, PLANE, SPHERE


def name_of(model: mujoco.MjModel, kind: str, k: int) -> str:
    """Return the name of an element (`kind` as in `model.joint`), or its number where it has none."""
    return getattr(model, kind)(k).name or f"number {k}"


def ground_of(model: mujoco.MjModel, name: str | None) -> tuple[int, np.ndarray]:
    """Return the ground's geom (-1: none) and its plane: a point, the normal, two tangents, shape (4, 3)."""
    planes = [k for k in range(model.ngeom) if model.geom_type[k] == PLANE and model.geom_bodyid[k] == 0]
    names = [name_of(model, "geom", k) for k in planes]
    if name is not None and name not in names:
        raise ValueError(f"the ground must be a plane of the world, one of {names}, got {name!r}")
    if name is None and len(planes) > 1:
        raise ValueError(f"the world has several planes; name the ground, one of {names}")
    if not planes:
        return -1, np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    k = planes[0 if name is None else names.index(name)]
    turn = _matrix(model.geom_quat[k])
    return k, np.array([model.geom_pos[k], turn[:, 2], turn[:, 0], turn[:, 1]])


def feet_of(
    model: mujoco.MjModel, feet: Sequence[str | int], ground: int, mu: float | None, restitution: float
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return the contact points of these geoms, the bodies they are of, and their names."""
    rows, bodies, names = [], [], []
    known = {model.geom(k).name: k for k in range(model.ngeom) if model.geom(k).name}
    if isinstance(feet, str):
        raise ValueError(f"feet must be a list of names, got the text {feet!r}; write [{feet!r}]")
    for foot in feet:
        if isinstance(foot, str) and foot not in known:
            bodies_of = {"body": {model.body(k).name for k in range(model.nbody)}}
            raise ValueError(no_foot(foot, "geom", list(known), bodies_of))
        k = known[foot] if isinstance(foot, str) else int(foot)
        name = name_of(model, "geom", k)
        friction, condim = friction_of(model, k, ground)
        if condim > 3:
            raise ValueError(
                f"foot {name!r} has condim {condim}, friction of torsion or rolling; only 1 and 3 are covered"
            )
        if model.geom_bodyid[k] == 0:
            raise ValueError(f"foot {name!r} belongs to the world and cannot move")
        friction = (friction if condim == 3 else 0.0) if mu is None else mu
        for i, (centre, radius) in enumerate(_points(model, k, name)):
            rows.append([*centre, radius, friction, restitution])
            bodies.append(model.geom_bodyid[k])
            names.append(name if model.geom_type[k] == SPHERE else f"{name}_{i}")
    numbers = np.array(rows, float).reshape(len(rows), layout.FOOT_COLUMNS)
    return numbers, np.array(bodies, np.int64), tuple(names)


def _points(model, k: int, name: str) -> list[tuple[np.ndarray, float]]:
    """Return centre, in the body's frame, and radius of a geom's contact points."""
    kind, size, place = model.geom_type[k], model.geom_size[k], model.geom_pos[k]
    turn = _matrix(model.geom_quat[k])
    if kind == SPHERE:
        return [(place, size[0])]
    if kind == CAPSULE:
        return [(place + s * size[1] * turn[:, 2], size[0]) for s in (1.0, -1.0)]
    if kind == BOX:
        return [(place + turn @ (size * corner), 0.0) for corner in -CORNERS]
    shape = mujoco.mjtGeom(kind).name.removeprefix("mjGEOM_").lower()
    raise ValueError(f"foot {name!r} is a {shape}; a foot is a sphere, a capsule or a box: fit one to it")


def friction_of(model: mujoco.MjModel, k: int, ground: int) -> tuple[float, int]:
    """Return sliding friction and condim of a geom on the ground, combined as MuJoCo does."""
    own, condim = float(model.geom_friction[k, 0]), int(model.geom_condim[k])
    if ground < 0 or model.geom_priority[k] > model.geom_priority[ground]:
        return own, condim
    other, other_condim = float(model.geom_friction[ground, 0]), int(model.geom_condim[ground])
    if model.geom_priority[ground] > model.geom_priority[k]:
        return other, other_condim
    return max(own, other), max(condim, other_condim)


def _matrix(quat: np.ndarray) -> np.ndarray:
    out = np.empty(9)
    mujoco.mju_quat2Mat(out, quat)
    return out.reshape(3, 3)
