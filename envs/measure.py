"""Measurements of a floating body from MuJoCo's state, with any leading dimensions for parallel simulations."""

from __future__ import annotations

import numpy as np

# R_ij is the sum of two products q_k q_l, or their difference, twice; on the diagonal it is one less the sum of two.
_FIRST = np.array([10, 6, 7, 6, 5, 11, 7, 11, 5])  # of the 16 products, row by row
_SECOND = np.array([15, 3, 2, 3, 15, 1, 2, 1, 10])
_SIGN = np.array([1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0])


def rotation(quat: np.ndarray) -> np.ndarray:
    """Return the rotation matrix R_wb of unit quaternions (w, x, y, z), shape (..., 3, 3): v_w = R_wb v_b."""
    products = ((2.0 * quat)[..., :, None] * quat[..., None, :]).reshape(*quat.shape[:-1], 16)
    entries = products.take(_FIRST, -1) + _SIGN * products.take(_SECOND, -1)
    entries[..., ::4] = 1.0 - entries[..., ::4]
    return entries.reshape(*quat.shape[:-1], 3, 3)


def to_body(rotation_wb: np.ndarray, vector_w: np.ndarray) -> np.ndarray:
    """Return world vectors in the body frame, R_wb^T v, shape (..., 3)."""
    return (vector_w[..., None, :] @ rotation_wb)[..., 0, :]


def heading(rotation_wb: np.ndarray) -> np.ndarray:
    """Return the unit vector of the body's forward axis (+y) seen from above, shape (..., 2), world frame."""
    forward = rotation_wb[..., :2, 1]
    return forward / np.maximum(np.linalg.norm(forward, axis=-1, keepdims=True), 1e-12)
