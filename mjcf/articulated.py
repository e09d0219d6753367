"""Any MJCF's robot as arrays for the exact mechanics of `analytic.articulated`, or a sentence that says why not."""

from collections.abc import Sequence

import mujoco
import numpy as np

from ..analytic.articulated import layout
from ..analytic.articulated.layout import DOFADR, KIND, QPOSADR, Tables
from ..analytic.articulated.robot import Robot
from .articulated_actuators import actuators
from .articulated_feet import feet_of, ground_of, name_of
from .articulated_lines import equalities_of, limits_of, lines_of
from .articulated_refusals import check


def convert(
    model: mujoco.MjModel,
    feet: Sequence[str | int],
    *,
    ground: str | None = None,
    mu: float | None = None,
    restitution: float = 0.0,
) -> Robot:
    """Return the robot of a compiled model, for which MuJoCo is not needed any more.

    Contact is rigid: `solref`, `solimp`, margins, and how MuJoCo softens limits and dry friction have no meaning here.
    Only the feet touch the ground, and nothing else touches anything.

    Args:
        model: The compiled model.
        feet: Geoms that touch the ground, by name or number: spheres, capsules (both ends), boxes (the corners).
        ground: The plane they touch; None: the world's only plane, or z = 0 where it has none.
        mu: Coefficient of friction of all feet; None: as MuJoCo combines each foot's with the ground's.
        restitution: Of the feet, from 0 to 1.
    """
    check(model)
    if not 0.0 <= restitution <= 1.0:
        raise ValueError(f"restitution must be from 0 to 1, got {restitution!r}")
    if mu is not None and not 0.0 <= mu < np.inf:
        raise ValueError(f"mu must be a finite number, not negative, got {mu!r}")
    floor, plane = ground_of(model, ground)
    foot, foot_of, foot_names = feet_of(model, feet, floor, mu, restitution)
    line, line_row, line_of, lines, line_names = lines_of(model)
    limit, limit_of, limit_names = limits_of(model, lines)
    equality, equality_of, row_names = equalities_of(model, lines)
    tables = Tables(
        *_bodies(model), *_joints(model), *_dofs(model), line, line_row, line_of, *actuators(model, lines),
        _controls(model), limit, limit_of, equality, equality_of, foot, foot_of, plane, model.opt.gravity.copy(),
    )  # fmt: skip
    joints = [name_of(model, "joint", k) for k in range(model.njnt)]
    dof_names = tuple(joints[k] for k in model.dof_jntid)
    _check_mass(model, dof_names)
    return Robot(tables, model.qpos0.copy(), int(model.na), foot_names, limit_names, dof_names, line_names, row_names)


def _bodies(model) -> tuple[np.ndarray, np.ndarray]:
    columns = [model.body_mass[:, None], model.body_pos, model.body_quat, model.body_ipos, model.body_iquat,
               model.body_inertia, 1.0 - model.body_gravcomp[:, None]]  # fmt: skip
    last = np.full(model.nbody, -1)
    for b in range(1, model.nbody):
        n = model.body_dofnum[b]
        last[b] = model.body_dofadr[b] + n - 1 if n else last[model.body_parentid[b]]
    of = np.column_stack([model.body_parentid, model.body_jntadr, model.body_jntnum, last])
    return np.hstack(columns), of.astype(np.int64)


def _joints(model) -> tuple[np.ndarray, np.ndarray]:
    q = model.jnt_qposadr
    numbers = np.column_stack([model.jnt_pos, model.jnt_axis, model.qpos0[q]])
    of = np.column_stack([model.jnt_type, q, model.jnt_dofadr])
    return numbers.reshape(model.njnt, layout.JOINT_COLUMNS), of.astype(np.int64)


def _dofs(model) -> tuple[np.ndarray, np.ndarray]:
    dof = np.zeros((model.nv, layout.DOF_COLUMNS))
    dof[:, layout.ARMATURE], dof[:, layout.DAMPING] = model.dof_armature, model.dof_damping
    dof[:, layout.DAMPING + 1 : layout.DAMPING + 3] = model.dof_dampingpoly
    dof[:, layout.LEAST], dof[:, layout.MOST] = -np.inf, np.inf
    for j in np.flatnonzero(model.jnt_actfrclimited):
        dof[model.jnt_dofadr[j], [layout.LEAST, layout.MOST]] = model.jnt_actfrcrange[j]
    last = np.arange(model.nv)
    for k in range(model.nv - 1, 0, -1):
        if model.dof_parentid[k] >= 0:
            last[model.dof_parentid[k]] = max(last[model.dof_parentid[k]], last[k])
    of = np.column_stack([model.dof_parentid, model.jnt_qposadr[model.dof_jntid], last])
    return dof, of.reshape(model.nv, 3).astype(np.int64)


def _controls(model) -> np.ndarray:
    limited = model.actuator_ctrllimited[:, None].astype(bool)
    return np.where(limited, model.actuator_ctrlrange, [-np.inf, np.inf]).reshape(model.nu, 2)


def _check_mass(model, dof_names: Sequence[str]) -> None:
    """Refuse a robot of which a part can move without any inertia."""
    data, full = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, full)
    values, vectors = np.linalg.eigh(full) if model.nv else (np.ones(1), np.ones((1, 1)))
    if values[0] <= 1e-14 * values[-1]:
        name = dof_names[int(np.argmax(np.abs(vectors[:, 0])))]
        raise ValueError(
            f"joint {name!r} moves nothing that has mass; give what it moves a mass, or the joint armature"
        )


assert (KIND, QPOSADR, DOFADR) == (0, 1, 2)  # the order of the columns in `_joints`
