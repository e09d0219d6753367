"""Feet of a robot for rigid contact: spheres in their bodies' frames, points where the radius is zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from .feet import CORNERS, MESH
from .feet import points_of as lowest_points
from .own_feet import posed, sphere_through

MISFIT = 0.05  # of the radius: how far a mesh may be off the sphere that stands for it


@dataclass(frozen=True)
class FootSphere:
    """A sphere that touches the ground, where a geom's shape does not say it.

    Attributes:
        body: Name of its body.
        pos: Its centre in the body's frame [m].
        radius: 0: a point [m].
        mu: Coefficient of friction.
        name: The body's by default.
    """

    body: str
    pos: Sequence[float]
    radius: float
    mu: float = 1.0
    name: str = ""


@dataclass(frozen=True)
class FootPoint:
    """A row of a robot's feet: name, body, centre in its frame [m], radius [m], friction and geom, -1 without one."""

    name: str
    body: int
    pos: np.ndarray
    radius: float
    mu: float
    geom: int = -1


def points_of(model: mujoco.MjModel, foot: str | FootSphere) -> list[FootPoint]:
    """Return the points of a foot: a sphere's centre, both ends of a capsule, all corners of a box.

    Args:
        model: Of the robot.
        foot: A geom's name, or a sphere of one's own.

    Raises:
        ValueError: If there is no such geom or body, or its shape has no such points; the sentence says what to do.
    """
    if isinstance(foot, FootSphere):
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, foot.body)
        if body < 0:
            raise ValueError(f"there is no body {foot.body!r} for a foot; there are {_names(model, 'body')}")
        return [FootPoint(foot.name or foot.body, body, np.array(foot.pos, float), float(foot.radius), float(foot.mu))]
    geom = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, foot)
    if geom < 0:
        raise ValueError(f"there is no geom {foot!r} for a foot; there are {_names(model, 'geom')}")
    mu = float(model.geom_friction[geom, 0])
    body, turn = int(model.geom_bodyid[geom]), np.empty(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
    spheres, radius = _spheres(model, geom, foot)
    centres = [model.geom_pos[geom] + turn.reshape(3, 3) @ np.array(sphere, float) for sphere in spheres]
    names = [foot] if len(centres) == 1 else [f"{foot}_{number}" for number in range(len(centres))]
    return [FootPoint(name, body, centre, radius, mu, geom) for name, centre in zip(names, centres, strict=True)]


def friction(model: mujoco.MjModel, point: FootPoint, ground: int) -> float:
    """Return the friction of a foot on a geom (-1: on ground of one's own) as MuJoCo combines theirs.

    Raises:
        ValueError: If they have torsional or rolling friction.
    """
    if point.geom < 0:
        return point.mu
    pair = [point.geom, ground] if ground >= 0 else [point.geom]
    decisive = [geom for geom in pair if model.geom_priority[geom] == model.geom_priority[pair].max()]
    condim = model.geom_condim[decisive].max()
    if condim > 3:
        raise ValueError(
            f"the foot {point.name!r} has torsional or rolling friction (condim {condim}), which is not covered: set "
            "condim to 1 or 3, or give mu=... of all feet"
        )
    return float(model.geom_friction[decisive, 0].max()) if condim == 3 else 0.0


def fitted(model: mujoco.MjModel, qpos: np.ndarray, geom: str) -> FootSphere:
    """Return the sphere that fits the lowest part of a mesh in a pose, with the mesh's friction.

    Args:
        model: Of the robot.
        qpos: A pose in which the foot stands on level ground, shape (nq,) [m, rad].
        geom: Name of the mesh's geom.

    Raises:
        ValueError: If there is no such mesh, or it is no sphere there, by more than a twentieth of its radius.
    """
    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, geom)
    if number < 0 or model.geom_type[number] != MESH:
        raise ValueError(f"there is no mesh of a geom {geom!r} to fit a sphere to")
    data, body = posed(model, qpos), int(model.geom_bodyid[number])
    centre, radius, error = sphere_through(lowest_points(model, data, number))
    if not 0.0 < radius or error > MISFIT * radius:
        raise ValueError(
            f"the lowest part of the mesh {geom!r} is no sphere: the best has a radius of {radius:.3g} m and is off by "
            f"up to {error:.3g} m; name a FootSphere of your own"
        )
    pos = data.xmat[body].reshape(3, 3).T @ (centre - data.xpos[body])
    return FootSphere(model.body(body).name, tuple(pos), radius, float(model.geom_friction[number, 0]))


def _spheres(model: mujoco.MjModel, geom: int, foot: str) -> tuple[list, float]:
    """Return the centres in the geom's frame and their radius."""
    kind, size = mujoco.mjtGeom(int(model.geom_type[geom])), model.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return [(0, 0, 0)], float(size[0])
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return [(0, 0, -size[1]), (0, 0, size[1])], float(size[0])
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return list(CORNERS * size), 0.0
    shape = kind.name.removeprefix("mjGEOM_").lower()
    raise ValueError(
        f"the foot {foot!r} is a {shape}; feet in the exact engine are spheres, ends of capsules and corners of boxes: "
        "give it one of these shapes, or name a FootSphere(body, pos, radius) instead of the geom, for a mesh "
        "that of fitted(model, qpos, geom)"
    )


def _names(model: mujoco.MjModel, kind: str) -> str:
    count = getattr(model, f"n{kind}")
    names = [mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), k) for k in range(count)]
    return ", ".join(name for name in names if name) or "none with a name"
