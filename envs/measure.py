"""Building blocks of observations, rewards and terminations, with any leading dimensions for parallel simulations."""

import numpy as np

UPRIGHT = 0.5  # cosine of the tilt beyond which a robot has toppled: 60 degrees


def heading(rotation_wb: np.ndarray, forward_axis: int = 1) -> np.ndarray:
    """Return the unit vector of the body's forward axis (by default +y) from above, shape (..., 2), world frame."""
    forward = rotation_wb[..., :2, forward_axis]
    return forward / np.maximum(np.linalg.norm(forward, axis=-1, keepdims=True), 1e-12)


def inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return inner products over the last axis, shape (...,); for two vectors `dot` takes half the time, to the bit."""
    return a.dot(b) if a.ndim == 1 else np.vecdot(a, b)


def track(value, target, width):
    """Return exp(-((value - target) / width)^2), elementwise: 1 on target, 1/e at an error of `width`."""
    error = (np.asarray(value) - target) / width
    return np.exp(-error * error)


def power(torque, speed):
    """Return the absolute mechanical power sum |tau w| of joints, shape (...,) [W]; tau [N m], w [rad/s], (..., n)."""
    return inner(np.abs(torque), np.abs(speed))


def bounded_speed(speed, baseline: float):
    """Return a speed between that of the baseline backward and ten times it forward, elementwise [m/s]."""
    return np.minimum(np.maximum(speed, -baseline), 10.0 * baseline)


def squared_change(action, last_action):
    """Return |action - last action|^2, shape (...,), of actions of shape (..., n)."""
    change = action - last_action
    return inner(change, change)


def mean_change(action, last_action):
    """Return the mean over the n entries of (action - last action)^2, shape (...,), of actions of shape (..., n)."""
    return squared_change(action, last_action) / action.shape[-1]
