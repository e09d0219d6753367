"""Measurements of a floating body from MuJoCo's state, with any leading dimensions for parallel simulations."""

from __future__ import annotations

import numpy as np


def _rotation_tensor() -> np.ndarray:
    """Return T with R_ij = T_ij,kl q_k q_l for a unit quaternion q = (w, x, y, z), shape (9, 16)."""
    tensor = np.zeros((3, 3, 4, 4))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        tensor[i, i, 0, 0] = tensor[i, i, 1 + i, 1 + i] = 1.0
        tensor[i, i, 1 + j, 1 + j] = tensor[i, i, 1 + k, 1 + k] = -1.0
        tensor[i, j, 1 + i, 1 + j] = tensor[j, i, 1 + i, 1 + j] = 2.0
        tensor[i, j, 0, 1 + k], tensor[j, i, 0, 1 + k] = -2.0, 2.0
    return tensor.reshape(9, 16)


_ROTATION = _rotation_tensor()


def rotation(quat: np.ndarray) -> np.ndarray:
    """Return the rotation matrix R_wb of unit quaternions (w, x, y, z), shape (..., 3, 3): v_w = R_wb v_b."""
    pairs = quat[..., :, None] * quat[..., None, :]
    return (pairs.reshape(*quat.shape[:-1], 16) @ _ROTATION.T).reshape(*quat.shape[:-1], 3, 3)


def to_body(rotation_wb: np.ndarray, vector_w: np.ndarray) -> np.ndarray:
    """Return world vectors in the body frame, R_wb^T v, shape (..., 3)."""
    return (vector_w[..., None, :] @ rotation_wb)[..., 0, :]


def heading(rotation_wb: np.ndarray) -> np.ndarray:
    """Return the unit vector of the body's forward axis (+y) seen from above, shape (..., 2), world frame."""
    forward = rotation_wb[..., :2, 1]
    return forward / np.maximum(np.linalg.norm(forward, axis=-1, keepdims=True), 1e-12)
