"""Building blocks of observations, rewards and terminations, with any leading dimensions for parallel simulations."""

from __future__ import annotations

import numpy as np

# R_ij is the sum of two products q_k q_l, or their difference, twice; on the diagonal it is one less the sum of two.
_FIRST = np.array([10, 6, 7, 6, 5, 11, 7, 11, 5])  # of the 16 products, row by row
_SECOND = np.array([15, 3, 2, 3, 15, 1, 2, 1, 10])
_SIGN = np.array([1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0])
UPRIGHT = 0.5  # cosine of the tilt beyond which a robot has toppled: 60 degrees


def rotation(quat: np.ndarray) -> np.ndarray:
    """Return the rotation matrix R_wb of unit quaternions (w, x, y, z), shape (..., 3, 3): v_w = R_wb v_b."""
    if quat.ndim == 1:  # a single one is five times as fast in plain floats, and bitwise identical
        return _rotation(*quat.tolist())
    products = ((2.0 * quat)[..., :, None] * quat[..., None, :]).reshape(*quat.shape[:-1], 16)
    entries = products.take(_FIRST, -1) + _SIGN * products.take(_SECOND, -1)
    entries[..., ::4] = 1.0 - entries[..., ::4]
    return entries.reshape(*quat.shape[:-1], 3, 3)


def _rotation(w: float, x: float, y: float, z: float) -> np.ndarray:
    w2, x2, y2, z2 = 2.0 * w, 2.0 * x, 2.0 * y, 2.0 * z
    xx, yy, zz, xy, xz, yz, wx, wy, wz = x2 * x, y2 * y, z2 * z, x2 * y, x2 * z, y2 * z, w2 * x, w2 * y, w2 * z
    entries = (1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy))
    return np.array(entries).reshape(3, 3)


def to_body(rotation_wb: np.ndarray, vector_w: np.ndarray) -> np.ndarray:
    """Return world vectors in the body frame, R_wb^T v, shape (..., 3)."""
    if vector_w.ndim == 1:
        return vector_w @ rotation_wb
    return (vector_w[..., None, :] @ rotation_wb)[..., 0, :]


def heading(rotation_wb: np.ndarray, forward_axis: int = 1) -> np.ndarray:
    """Return the unit vector of the body's forward axis (by default +y) from above, shape (..., 2), world frame."""
    forward = rotation_wb[..., :2, forward_axis]
    return forward / np.maximum(np.linalg.norm(forward, axis=-1, keepdims=True), 1e-12)


def inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the inner product over the last axis; of two vectors `dot` is the same sum in half the time."""
    return a.dot(b) if a.ndim == 1 else np.vecdot(a, b)


def track(value, target, width):
    """Return exp(-((value - target) / width)^2): 1 on target, 1/e at an error of `width`, in the quantity's unit."""
    error = (np.asarray(value) - target) / width
    return np.exp(-error * error)


def power(torque, speed):
    """Return the absolute mechanical power of all joints, sum |tau w| [W], over the last axis."""
    return inner(np.abs(torque), np.abs(speed))


def squared_change(action, last_action):
    """Return |action - last action|^2 over the last axis."""
    change = action - last_action
    return inner(change, change)
