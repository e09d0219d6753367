"""Unit quaternions (..., 4), w first, as arrays."""

from __future__ import annotations

import numpy as np

from tarsus.scripts.library.reality.tosses import angle_between, matrix  # noqa: F401


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the quaternion product: the rotation q, then p."""
    w, v, s, u = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    scalar = w * s - (v * u).sum(-1, keepdims=True)
    return np.concatenate([scalar, w * u + s * v + np.cross(v, u)], -1)


def inverse(q: np.ndarray) -> np.ndarray:
    """Return the rotation back."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def vector(q: np.ndarray) -> np.ndarray:
    """Return the rotation vector, of at most half a turn, shape (..., 3) [rad]."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    return 2.0 * np.arctan2(size, q[..., :1]) * q[..., 1:] / np.maximum(size, 1e-300)


def exponential(turn: np.ndarray) -> np.ndarray:
    """Return the quaternion of a rotation vector (..., 3) [rad]."""
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), turn * np.sinc(angle / (2 * np.pi)) / 2], -1)
