"""The robot on which Wu, Zhao and Revzen (arXiv:2310.20669, figure 8) time their model beside MuJoCo; its states."""

from __future__ import annotations

import mujoco
import numpy as np

RADIUS = 0.25  # of the disk [m]


def multipod(n: int) -> mujoco.MjSpec:
    """Return the paper's robot: a disk with n legs on its rim, each with two hinges and a vertical slide."""
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1], contype=1, conaffinity=2)
    body = spec.worldbody.add_body(name="disk", pos=[0, 0, 0.1])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[RADIUS, 0.01, 0], mass=1.0, contype=0, conaffinity=0)
    for k in range(n):
        angle = 2 * np.pi * k / n
        leg = body.add_body(pos=[RADIUS * np.cos(angle), RADIUS * np.sin(angle), 0])
        reach = 0.4 * np.pi / n  # so that workspaces do not overlap
        for axis in ([0, 0, 1], [-np.sin(angle), np.cos(angle), 0]):
            leg.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis, range=[-reach, reach], limited=1, armature=1e-4)
        leg.add_joint(
            type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], range=[-0.05, 0.05], limited=1, stiffness=300, damping=1
        )
        leg.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[0, 0, 0, 0, 0, -0.09], size=[0.004, 0, 0], mass=0.02,
                     contype=0, conaffinity=0)  # fmt: skip
        leg.add_geom(name=f"foot_{k}", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0], pos=[0, 0, -0.09],
                     mass=0.005, contype=2, conaffinity=1)  # fmt: skip
    return spec


def states(model, n: int, count: int, rng):
    """Return random states of the robot and its feet in them, relative to the disk: (count, n, 3) and (count, n, 2)."""
    data = mujoco.MjData(model)
    feet = [model.geom(f"foot_{k}").id for k in range(n)]
    qpos, qvel = np.tile(model.qpos0, (count, 1)), 0.3 * rng.normal(size=(count, model.nv))
    low, high = model.jnt_range[1:].T
    qpos[:, 7:] = rng.uniform(0.4 * low, 0.4 * high, (count, 3 * n))
    qpos[:, 2] = 0.1
    pos, vel, twist = np.empty((count, n, 3)), np.empty((count, n, 2)), np.empty(6)
    for i in range(count):
        data.qpos[:], data.qvel[:] = qpos[i], qvel[i]
        data.qvel[:6] = 0.0  # so that foot velocities are those relative to the body
        mujoco.mj_forward(model, data)
        pos[i] = data.geom_xpos[feet] - data.xpos[1]
        for k, foot in enumerate(feet):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_GEOM, foot, twist, 0)
            vel[i, k] = twist[3:5]
    return qpos, qvel, pos, vel
