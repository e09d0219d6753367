"""A MuJoCo model as a robot of the exact engine: arrays of numbers, for which MuJoCo is not needed any more.

Contact is rigid there: margins and softness (`margin`, `solref`, `solimp`) have no counterpart, feet touch the ground
where their surfaces do, and joints stop at the ends of their ranges. Only feet touch the ground, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from ..analytic.articulated import Robot
from ..analytic.articulated import layout as at
from .articulated_actuators import tendon_tables
from .articulated_equalities import equality_tables
from .articulated_feet import FootPoint, FootSphere, friction, points_of
from .articulated_refusals import name_of, refuse

Plane = tuple[Sequence[float], Sequence[float]]  # a point of it [m], and its normal out of the ground


def convert(
    model: mujoco.MjModel,
    feet: Sequence[str | FootSphere] | str | FootSphere,
    *,
    mu: float | None = None,
    restitution: float = 0.0,
    ground: Plane | None = None,
) -> Robot:
    """Return the robot of a MuJoCo model.

    Args:
        model: Compiled.
        feet: Names of geoms, which are spheres, capsules (both ends) or boxes (all corners), and spheres of one's own.
        mu: Coefficient of friction of all feet; by default the larger of the foot's and the ground's, or that of the
            higher `priority`, as MuJoCo has it.
        restitution: Of all feet, from 0 to 1.
        ground: A point of the plane and its normal, in the world; by default the model's plane, z = 0 without one.

    Raises:
        ValueError: If the model has what is not covered, or a foot cannot be made; the sentence names the element.
    """
    refuse(model)
    plane, geom = _ground(model, ground)
    feet = (feet,) if isinstance(feet, str | FootSphere) else feet
    points = [point for foot in feet for point in points_of(model, foot)]
    repeated = {point.name for point in points if [one.name for one in points].count(point.name) > 1}
    if repeated:
        raise ValueError(f"the feet must have different names, but {', '.join(sorted(repeated))} is there twice")
    tables = at.Tables(
        **_body_tables(model),
        **_joint_tables(model),
        **_limit_tables(model),
        **tendon_tables(model),
        **equality_tables(model),
        **_foot_tables(points, [friction(model, point, geom) if mu is None else mu for point in points], restitution),
        world=np.vstack((*plane, model.opt.gravity)),
    )
    return Robot(
        tables=at.Tables(*map(np.ascontiguousarray, tables)),
        qpos0=np.array(model.qpos0),
        na=model.na,
        body_names=_names(model, "body", model.nbody),
        joint_names=_names(model, "joint", model.njnt),
        actuator_names=_names(model, "actuator", len(model.actuator_trntype)),
        foot_names=tuple(point.name for point in points),
    )


def _names(model: mujoco.MjModel, kind: str, count: int) -> tuple[str, ...]:
    names = (mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), k) for k in range(count))
    return tuple(name or f"number {k}" for k, name in enumerate(names))


def _ground(model: mujoco.MjModel, ground: Plane | None) -> tuple[np.ndarray, int]:
    """Return origin, normal and two tangents of the ground, shape (4, 3), and its geom, -1 if it is of none."""
    planes = np.flatnonzero(model.geom_type == int(mujoco.mjtGeom.mjGEOM_PLANE))
    if ground is None and len(planes) > 1:
        named = ", ".join(name_of(model, "geom", plane) for plane in planes)
        raise ValueError(f"the ground must be one plane, but there are {named}: give ground=(point, normal)")
    geom = int(planes[0]) if len(planes) == 1 else -1
    if ground is None and len(planes):
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        ground = data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3)[:, 2]
    origin, normal = np.array(ground if ground is not None else ((0, 0, 0), (0, 0, 1)), float)
    length = np.linalg.norm(normal)
    if not (np.isfinite(origin).all() and np.isfinite(length) and length > 0.0):
        raise ValueError(f"the ground needs a finite point and a normal that is not zero, got {origin} and {normal}")
    normal = normal / length
    # The first tangent is the x axis turned into the plane, so that on flat ground they are x and y.
    first = np.eye(3)[0 if abs(normal[0]) < 0.9 else 2]
    first = first - normal * (normal @ first)
    first /= np.linalg.norm(first)
    return np.array((origin, normal, first, np.cross(normal, first))), geom


def _body_tables(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    last = np.full(model.nbody, -1)
    for body in range(1, model.nbody):
        own = model.body_dofadr[body] + model.body_dofnum[body] - 1
        last[body] = own if model.body_dofnum[body] else last[model.body_parentid[body]]
    first = np.maximum(model.body_jntadr, 0)
    columns = (model.body_pos, model.body_quat, model.body_ipos, model.body_iquat, model.body_mass, model.body_inertia)
    return {
        "body_index": np.column_stack((model.body_parentid, first, model.body_jntnum, last)).astype(np.int64),
        "body": np.column_stack(columns).astype(float),
    }


def _joint_tables(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    reference = model.qpos0[model.jnt_qposadr], model.jnt_stiffness, model.qpos_spring[model.jnt_qposadr]
    limited = np.asarray(model.jnt_actfrclimited, bool)[model.dof_jntid][:, None]
    span = np.where(limited, model.jnt_actfrcrange[model.dof_jntid], (-np.inf, np.inf))
    passive = model.dof_armature, model.dof_damping, model.dof_frictionloss
    return {
        "joint_index": np.column_stack((model.jnt_type, model.jnt_qposadr, model.jnt_dofadr)).astype(np.int64),
        "joint": np.column_stack((model.jnt_pos, model.jnt_axis, *reference)).astype(float),
        "dof_index": np.column_stack((model.dof_parentid, model.dof_bodyid)).astype(np.int64),
        "dof": np.column_stack((*passive, span)).astype(float),
    }


def _limit_tables(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Return the two sides of each limited joint."""
    index, numbers = [], []
    for joint in np.flatnonzero(model.jnt_limited):
        address = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
        index += [address, address]
        numbers += [(1.0, model.jnt_range[joint, 0]), (-1.0, model.jnt_range[joint, 1])]
    return {
        "limit_index": np.array(index, np.int64).reshape(-1, at.LIMIT_INTEGERS),
        "limit": np.array(numbers, float).reshape(-1, at.LIMIT_NUMBERS),
    }


def _foot_tables(points: list[FootPoint], mu: list[float], restitution: float) -> dict[str, np.ndarray]:
    rows = [(*point.pos, point.radius, one, restitution) for point, one in zip(points, mu, strict=True)]
    return {
        "foot_index": np.array([point.body for point in points], np.int64).reshape(-1, 1),
        "foot": np.array(rows, float).reshape(-1, at.FOOT_NUMBERS),
    }
