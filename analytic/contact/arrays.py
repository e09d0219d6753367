"""Checked arguments: what the solvers accept, with the sentences they raise otherwise."""

from __future__ import annotations

import math

import numpy as np


def finite(name: str, value, least: float = -np.inf) -> np.ndarray:
    """Return `value` as a float array.

    Raises:
        ValueError: If it does not convert, holds NaN or infinity, or an entry below `least`.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from None
    # The sum is finite unless an entry is not, or it overflows: only then look closer.
    if not np.isfinite(array.sum()) and not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; it holds NaN or infinity")
    if least > -np.inf and array.size and array.min() < least:
        raise ValueError(f"{name} must not be below {least:g}, got {array.min():g}")
    return array


def positive(name: str, value) -> np.ndarray:
    """Return `value` as a float array of positive numbers.

    Raises:
        ValueError: If an entry is not a positive number.
    """
    array = finite(name, value)
    if array.size and not array.min() > 0.0:
        raise ValueError(f"{name} must be positive, got {array.min():g}")
    return array


def vectors(name: str, value, widths: tuple[int, ...]) -> np.ndarray:
    """Return one vector per foot, shape (..., n, width).

    Raises:
        ValueError: If the shape differs, there is no foot, or an entry is not finite.
    """
    array = finite(name, value)
    wanted = " or ".join(map(str, widths))
    if array.ndim < 2 or array.shape[-1] not in widths or array.shape[-2] == 0:
        raise ValueError(f"{name} must have shape (..., n, {wanted}) with n >= 1 feet, got {array.shape}")
    return array


def per_foot(name: str, value, n: int, least: float = 0.0) -> np.ndarray:
    """Return one number per foot, shape (..., n), from a scalar, (n,) or (..., n).

    Raises:
        ValueError: If the last dimension is neither n nor 1, or an entry is below `least` or not finite.
    """
    array = finite(name, value, least)
    if array.ndim and array.shape[-1] not in (1, n):
        raise ValueError(f"{name} must have one entry per foot, shape (..., {n}), got {array.shape}")
    return np.broadcast_to(array, (*array.shape[:-1], n))


def batch_shape(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the common leading shape of the named arguments.

    Raises:
        ValueError: If they do not broadcast together.
    """
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"the leading dimensions do not broadcast: {listed}") from None


def flat(array: np.ndarray, batch: tuple[int, ...], tail: tuple[int, ...]) -> np.ndarray:
    """Return `array` broadcast over the batch, as one contiguous leading dimension."""
    if array.shape != batch + tail:
        array = np.broadcast_to(array, batch + tail)
    count = math.prod(batch)  # reshape cannot infer it when a dimension is empty
    # Writable too: numba compiles another version for arrays that are not, and broadcast ones are not.
    return np.require(array, requirements=["C", "W"]).reshape((count, *tail))
