"""Legs as springs, from a model: where feet would be without load, how they move, and how forces bend legs.

Where all joints of a leg have servos or springs, its foot gives way by C f under a force f: C = J K^-1 J^T,
with the foot's Jacobian J and the joints' stiffness K. The contact solver's legs give way along the vertical only, so
that what tractions do to heights, C_zx f_x + C_zy f_y, is added to the heights it is given, until both agree.
"""

from collections.abc import Sequence

import mujoco
import numpy as np

from tarsus.analytic.contact import Feet, solve
from tarsus.mjcf import own_servos

ROUNDS, SETTLED = 40, 1e-6  # of the search for tractions and heights that agree: most, and by which share of the size
SHARE = 0.5  # of each correction that is made: whole ones may swing between stuck feet


def lowest(model, data, geoms) -> np.ndarray:
    """Return the lowest points of the feet from the robot's centre of mass, body axes, shape (n, 3) [m]."""
    root = int(model.jnt_bodyid[0])
    points = data.geom_xpos[geoms] - model.geom_size[geoms, :1] * (0, 0, 1)
    return (points - data.subtree_com[root]) @ data.xmat[root].reshape(3, 3)


def jacobians(model, data, geoms) -> np.ndarray:
    """Return the Jacobians of the feet's lowest points by the joints, body axes, shape (n, 3, nv - 6).

    They are points of the leg: those of a rolling foot do not move over the ground.
    """
    body, found = data.xmat[int(model.jnt_bodyid[0])].reshape(3, 3), np.zeros((len(geoms), 3, model.nv))
    for jacobian, geom in zip(found, geoms, strict=True):
        point = data.geom_xpos[geom] - (0, 0, model.geom_size[geom, 0])
        mujoco.mj_jac(model, data, jacobian, None, point, model.geom_bodyid[geom])
    return body.T @ found[..., 6:]


def unload(model, data) -> None:
    """Move the joints that have servos to their set-points."""
    for joint, k in own_servos.by_joint(model).items():
        number = int(model.actuator_ctrladr[k])
        ctrl = data.ctrl[number]
        if model.actuator_ctrllimited[number]:
            ctrl = np.clip(ctrl, *model.actuator_ctrlrange[number])
        data.qpos[model.jnt_qposadr[joint]] = ctrl / model.actuator_gear[k, 0]
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)


def feet_of(model, data, geoms) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the feet without load, under load, and their velocities relative to the body, each (n, 3); moves `data`.

    Only the heights are those without load: forces act where the feet are.
    """
    vel, seen = jacobians(model, data, geoms) @ data.qvel[6:], lowest(model, data, geoms)
    unload(model, data)
    return np.column_stack([seen[:, :2], lowest(model, data, geoms)[:, 2]]), seen, vel


def compliance(model, data, geoms, names: Sequence[str]) -> np.ndarray:
    """Return the compliance of each foot, body axes, shape (n, 3, 3) [m/N]; ValueError if a joint has no spring."""
    stiffness, kp = np.array(model.jnt_stiffness[1:], float), own_servos.gains_of(model)[1]
    for joint, k in own_servos.by_joint(model).items():
        stiffness[joint - 1] += kp[k] * float(model.actuator_gear[k, 0]) ** 2
    found = jacobians(model, data, geoms)
    for jacobian, name in zip(found, names, strict=True):
        lifts = np.abs(jacobian[2]) > 1e-9
        loose = [model.joint(k + 1).name for k in np.flatnonzero(lifts & (stiffness <= 0))]
        if loose:
            raise ValueError(
                f"the joints {', '.join(loose)} of the foot {name!r} have no servo and no spring, so that the "
                "leg's stiffness is not known: pass stiffness=... [N/m], such as 10 weights per metre"
            )
        if not lifts.any():
            raise ValueError(f"no joint moves the foot {name!r} up or down: pass stiffness=... [N/m]")
    joints = stiffness > 0
    return (found[..., joints] / stiffness[joints]) @ found[..., joints].swapaxes(-1, -2)


def bent(foot_pos, foot_vel, feet: Feet, bend: np.ndarray, law) -> tuple[np.ndarray, np.ndarray]:
    """Return the feet at the heights that tractions leave them, shape (..., n, 3) [m], and which frames agree, (...).

    Positions without load [m] and velocities relative to the body [m/s] have the same shape; tractions along x and y
    raise a foot by `bend`, C_zx and C_zy, shape (..., n, 2) [m/N].
    """
    shifted, size = np.array(foot_pos, float), np.abs(foot_pos).max()
    for _ in range(ROUNDS):
        traction = np.nan_to_num(solve(shifted, foot_vel, feet, law).force[..., :2])
        off = foot_pos[..., 2] + np.sum(bend * traction, axis=-1) - shifted[..., 2]
        settled = np.abs(off).max(axis=-1) <= SETTLED * size
        if settled.all():
            break
        shifted[..., 2] += SHARE * off
    return shifted, settled
