"""The root of a user's robot whose frame is turned at rest: its motion as that of a frame that is level there."""

import mujoco
import numpy as np

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def turn_back(qpos: np.ndarray, qvel: np.ndarray, turn: np.ndarray, level_qpos, level_qvel) -> None:
    """Write pose and velocity of the frame that is parallel to the world when the root is at rest.

    Products are written out, so that one simulation among many gets the same bits as alone.

    Args:
        qpos: Shape (n, nq).
        qvel: Shape (n, nv), angular velocity along the root's axes.
        turn: The root's orientation at rest, a quaternion, shape (4,).
        level_qpos: Receives position and orientation, shape (n, 7).
        level_qvel: Receives the velocity, angular along the level frame's axes, shape (n, 6).
    """
    a, b, c, d = turn
    w, x, y, z = qpos[:, 3], qpos[:, 4], qpos[:, 5], qpos[:, 6]
    level_qpos[:, :3], level_qvel[:, :3] = qpos[:, :3], qvel[:, :3]
    level_qpos[:, 3] = w * a + x * b + y * c + z * d  # the root's orientation, times the inverse of that at rest
    level_qpos[:, 4] = x * a - w * b - y * d + z * c
    level_qpos[:, 5] = y * a - w * c - z * b + x * d
    level_qpos[:, 6] = z * a - w * d - x * c + y * b
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, turn)
    for k, row in enumerate(R.reshape(3, 3)):
        level_qvel[:, 3 + k] = row[0] * qvel[:, 3] + row[1] * qvel[:, 4] + row[2] * qvel[:, 5]
