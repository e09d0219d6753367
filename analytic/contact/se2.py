"""Integration of body twists in the plane: poses (x, y, theta) from (u, v, omega), exact for twists constant per step.

A step adds omega dt to the heading and dt sinc(omega dt / 2) R(theta + omega dt / 2) (u, v) to the position. Both are
prefix sums over the steps: one for theta, one for the rotated chords. Blocks of steps can be integrated independently
from the identity and transformed afterwards.
"""

from __future__ import annotations

import math

import numpy as np

from ..compilation import jit
from ..compilation.parallel import prange
from ..spelling import listed
from . import arrays


def exponential(twist, dt) -> np.ndarray:
    """Return the pose reached from the origin after `dt` at a constant twist, shapes (..., 3).

    Args:
        twist: Body twists, shape (..., 3) [m/s, m/s, rad/s].
        dt: Durations, a scalar or (...) [s].

    Raises:
        ValueError: If the twist has no last dimension of 3, the shapes do not broadcast, or an entry is not finite.
    """
    xi, dt = _twists(twist, 1), arrays.finite("dt", dt)
    arrays.batch_shape(twist=xi.shape[:-1], dt=dt.shape)
    half = 0.5 * xi[..., 2] * dt
    chord = dt * np.sinc(half / np.pi)
    cos, sin = chord * np.cos(half), chord * np.sin(half)
    return np.stack([cos * xi[..., 0] - sin * xi[..., 1], sin * xi[..., 0] + cos * xi[..., 1], 2.0 * half], axis=-1)


def compose(first, second) -> np.ndarray:
    """Return the pose `second`, given in the frame of `first`, in the reference frame of `first`, shape (..., 3).

    Raises:
        ValueError: If a pose has no last dimension of 3 or is not finite, or the shapes do not broadcast.
    """
    a, b = _poses("first", first), _poses("second", second)
    arrays.batch_shape(first=a.shape[:-1], second=b.shape[:-1])
    cos, sin = np.cos(a[..., 2]), np.sin(a[..., 2])
    x = a[..., 0] + cos * b[..., 0] - sin * b[..., 1]
    y = a[..., 1] + sin * b[..., 0] + cos * b[..., 1]
    return np.stack([x, y, a[..., 2] + b[..., 2]], axis=-1)


def integrate(twist, dt, start=(0.0, 0.0, 0.0), method="sequential") -> np.ndarray:
    """Return the poses before the first and after every step.

    Args:
        twist: Body twists, shape (..., steps, 3) [m/s, m/s, rad/s].
        dt: Duration of a step, positive [s].
        start: First pose, (3,) or (..., 3) [m, m, rad].
        method: A name in `METHODS`: "sequential", "scan" (NumPy prefix sums) or "blocks" (all cores).

    Returns:
        Shape (..., steps + 1, 3). The heading is not wrapped.

    Raises:
        ValueError: If a shape, `dt` or the method is not as described.
    """
    xi = _twists(twist, 2)
    if not isinstance(method, str) or method not in METHODS:
        named = repr(method) if isinstance(method, str) else type(method).__name__
        raise ValueError(f"unknown method {named}; known: {listed(method, METHODS)}")
    dt, begin = arrays.number("dt", dt), _poses("start", start)
    if not dt > 0.0:
        raise ValueError(f"dt must be positive, got {dt}")
    batch = arrays.batch_shape(twist=xi.shape[:-2], start=begin.shape[:-1])
    steps = xi.shape[-2]
    poses = np.empty((*batch, steps + 1, 3))
    poses[..., 0, :] = begin
    flat_poses = poses.reshape((math.prod(batch), steps + 1, 3))
    METHODS[method](arrays.flat(xi, batch, (steps, 3)), dt, flat_poses)
    return poses


def _poses(name: str, value) -> np.ndarray:
    array = arrays.finite(name, value)
    if array.shape[-1:] != (3,):
        raise ValueError(f"{name} must have shape (3,) or (..., 3), got {array.shape}")
    return array


def _twists(twist, ndim: int) -> np.ndarray:
    xi = arrays.finite("twist", twist)
    if xi.ndim < ndim or xi.shape[-1] != 3:
        raise ValueError(f"twist must have shape ({'..., steps' if ndim == 2 else '...'}, 3), got {xi.shape}")
    return xi


@jit(fast=True)
def _walk(twist, dt, poses, i, first, last):
    """Integrate steps `first` to `last` of trajectory `i` from poses[i, first]."""
    x, y, theta = poses[i, first, 0], poses[i, first, 1], poses[i, first, 2]
    for k in range(first, last):
        half = 0.5 * dt * twist[i, k, 2]
        h2 = half * half
        # sin(h) / h; the series is exact to rounding below 0.02, where the quotient starts to lose digits at 0
        sinc = 1.0 - h2 / 6.0 * (1.0 - h2 / 20.0 * (1.0 - h2 / 42.0)) if h2 < 4e-4 else math.sin(half) / half
        cos, sin = dt * sinc * math.cos(theta + half), dt * sinc * math.sin(theta + half)
        x += cos * twist[i, k, 0] - sin * twist[i, k, 1]
        y += sin * twist[i, k, 0] + cos * twist[i, k, 1]
        theta += 2.0 * half
        poses[i, k + 1, 0], poses[i, k + 1, 1], poses[i, k + 1, 2] = x, y, theta


@jit(fast=True)
def sequential(twist, dt, poses):
    """Fill `poses` (trajectories, steps + 1, 3) from their first entries, step after step, on one thread."""
    for i in range(twist.shape[0]):
        _walk(twist, dt, poses, i, 0, twist.shape[1])


BLOCKS = 16  # per trajectory; a few times the cores of a usual computer


@jit(fast=True, parallel=True)
def blocks(twist, dt, poses):
    """Fill `poses` like `sequential`, in blocks spread over the threads: each from the identity, then moved."""
    n, steps = twist.shape[0], twist.shape[1]
    start = poses[:, 0, :].copy()
    ends = np.zeros((n, BLOCKS, 3))
    moves = np.empty((n, BLOCKS, 3))
    for job in prange(n * BLOCKS):
        i, b = job // BLOCKS, job % BLOCKS
        first, last = steps * b // BLOCKS, steps * (b + 1) // BLOCKS
        scratch = np.zeros((1, last - first + 1, 3))
        _walk(twist[i : i + 1, first:last], dt, scratch, 0, 0, last - first)
        poses[i, first + 1 : last + 1] = scratch[0, 1:]
        ends[i, b] = scratch[0, last - first]
    for i in range(n):
        x, y, theta = start[i, 0], start[i, 1], start[i, 2]
        for b in range(BLOCKS):
            moves[i, b, 0], moves[i, b, 1], moves[i, b, 2] = x, y, theta
            cos, sin = math.cos(theta), math.sin(theta)
            x, y = x + cos * ends[i, b, 0] - sin * ends[i, b, 1], y + sin * ends[i, b, 0] + cos * ends[i, b, 1]
            theta += ends[i, b, 2]
    for job in prange(n * BLOCKS):
        i, b = job // BLOCKS, job % BLOCKS
        cos, sin = math.cos(moves[i, b, 2]), math.sin(moves[i, b, 2])
        for k in range(steps * b // BLOCKS + 1, steps * (b + 1) // BLOCKS + 1):
            x, y = poses[i, k, 0], poses[i, k, 1]
            poses[i, k, 0] = moves[i, b, 0] + cos * x - sin * y
            poses[i, k, 1] = moves[i, b, 1] + sin * x + cos * y
            poses[i, k, 2] += moves[i, b, 2]


def scan(twist, dt, poses):
    """Fill `poses` like `sequential`, by two prefix sums in NumPy."""
    half = 0.5 * dt * twist[..., 2]
    poses[:, 1:, 2] = poses[:, :1, 2] + np.cumsum(2.0 * half, axis=-1)
    middle = poses[:, :-1, 2] + half
    chord = dt * np.sinc(half / np.pi)
    cos, sin = chord * np.cos(middle), chord * np.sin(middle)
    poses[:, 1:, 0] = poses[:, :1, 0] + np.cumsum(cos * twist[..., 0] - sin * twist[..., 1], axis=-1)
    poses[:, 1:, 1] = poses[:, :1, 1] + np.cumsum(sin * twist[..., 0] + cos * twist[..., 1], axis=-1)


METHODS = {"sequential": sequential, "scan": scan, "blocks": blocks}
