"""Walks of one robot by one controller in both engines, as edges of its bodies that a page can turn."""

from __future__ import annotations

from typing import Any

import numpy as np

FPS = 20  # pictures per second of simulated time
ENGINES = ("exact", "MuJoCo")  # from the left
BEGIN, SECONDS = 1.0, 3.0  # the part of a walk that is shown
BOX = [(a, b) for a in range(8) for b in range(8) if a < b and (a ^ b).bit_count() == 1]  # edges between its corners


def edges(model: Any, data: Any) -> np.ndarray:
    """Return the edges of a model's shapes as its bodies stand, shape (k, 2, 3) [m]: boxes, and axes of capsules."""
    import mujoco

    drawn = []
    for i in np.flatnonzero(model.geom_bodyid > 0):
        half, place, axes = model.geom_size[i], data.geom_xpos[i], data.geom_xmat[i].reshape(3, 3)
        if model.geom_type[i] == mujoco.mjtGeom.mjGEOM_CAPSULE:
            drawn.append([place - half[1] * axes[:, 2], place + half[1] * axes[:, 2]])
        elif model.geom_type[i] == mujoco.mjtGeom.mjGEOM_BOX:
            signs = np.array([[1 if corner >> bit & 1 else -1 for bit in range(3)] for corner in range(8)])
            corners = place + (signs * half) @ axes.T
            drawn += [[corners[a], corners[b]] for a, b in BOX]
    return np.array(drawn)


def walk(record: Any, model: Any) -> np.ndarray:
    """Return a record's edges at the times shown, shape (n, k, 2, 3) [m]."""
    import mujoco

    from tarsus.scripts.library.views.rendering import qpos_of

    data, shown = mujoco.MjData(model), []
    for t in np.arange(round(SECONDS * FPS)) / FPS + BEGIN:
        data.qpos[:] = qpos_of(record, int(abs(record["time"].values - t).argmin()))
        mujoco.mj_kinematics(model, data)
        shown.append(edges(model, data))
    return np.array(shown)


def records(seconds: float) -> tuple[dict[str, Any], Any]:
    """Return the records of the dog's trot, by its clock, in the exact engine and in MuJoCo, and MuJoCo's model."""
    from tarsus import own_robot
    from tarsus.mjcf.own_robot import EXAMPLE, OwnRobot, model

    robot = OwnRobot(EXAMPLE)
    controls, engines = own_robot.clock(robot).controls, (own_robot.exact_rollout, own_robot.rollout)
    made = [rollout(robot, controls, seconds).record for rollout in engines]
    return dict(zip(ENGINES, made, strict=True)), model(robot)


def walks() -> np.ndarray:
    """Return these walks in both engines, shape (2, n, k, 2, 3) [m]."""
    made, model = records(BEGIN + SECONDS)
    return np.array([walk(record, model) for record in made.values()])
