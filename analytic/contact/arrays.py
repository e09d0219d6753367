"""Checks of the solvers' arguments, and their error messages."""

import math
import operator

import numpy as np

from .kernels import LARGEST, SMALLEST


def finite(name: str, value, least: float = -np.inf) -> np.ndarray:
    """Return `value` as a float array, of any shape."""
    array = _numbers(name, value)
    axes = list(range(array.ndim))
    # The sum of squares is below that unless an entry is not, or there are very many: only then look closer.
    if not np.einsum(array, axes, array, axes, []) <= LARGEST * LARGEST:
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite; it holds NaN or infinity")
        if np.abs(array).max() > LARGEST:
            raise ValueError(f"{name} must not exceed {LARGEST:g} in size, got {np.abs(array).max():g}")
    if least > -np.inf and array.size and array.min() < least:
        raise ValueError(f"{name} must not be below {least:g}, got {array.min():g}")
    return array


def _numbers(name: str, value) -> np.ndarray:
    """Return `value` as a float array, with any entries."""
    if _is_masked(value):
        raise ValueError(f"{name} has masked entries; leave those frames out, or fill them in")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{name} must be an array of numbers: {str(error).partition(chr(10))[0]}") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be an array of numbers, real ones, got {type(value).__name__} of {array.dtype}")
    return array.astype(np.float64, copy=False)


def _is_masked(value) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_is_masked, value))
    return isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value)


def not_negative(name: str, value) -> np.ndarray:
    """Return `value` as a float array of non-negative numbers, of any shape."""
    return finite(name, value, 0.0)


def sizes(name: str, value) -> np.ndarray:
    """Return `value` as a float array, of any shape, whose numbers are zero or large enough to be squared."""
    array = finite(name, value, 0.0)
    if array.size and array.min() < SMALLEST and np.any((array > 0.0) & (array < SMALLEST)):
        raise ValueError(f"{name} must be 0 or at least {SMALLEST:g}, got {array[array > 0.0].min():g}")
    return array


def positive(name: str, value) -> np.ndarray:
    """Return `value` as a float array of positive numbers, of any shape."""
    array = finite(name, value)
    if array.size and not array.min() > 0.0:
        raise ValueError(f"{name} must be positive, got {array.min():g}")
    return sizes(name, array)


def number(name: str, value) -> float:
    """Return `value` as a float."""
    array = finite(name, value)
    if array.ndim:
        raise ValueError(f"{name} must be one number, got an array of shape {array.shape}")
    return float(array)


def count(name: str, value) -> int:
    """Return `value` as an int."""
    try:
        whole = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, got {type(value).__name__}") from None
    if whole < 1:
        raise ValueError(f"{name} must be at least 1, got {whole}")
    return whole


def choice(name: str, value) -> bool:
    """Return `value` as a bool."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {type(value).__name__}")
    return bool(value)


def vectors(name: str, value, widths: tuple[int, ...]) -> np.ndarray:
    """Return one vector per foot, shape (..., n, width)."""
    array = finite(name, value)
    wanted = " or ".join(map(str, widths))
    if array.ndim < 2 or array.shape[-1] not in widths or array.shape[-2] == 0:
        raise ValueError(f"{name} must have shape (..., n, {wanted}) with n >= 1 feet, got {array.shape}")
    return array


def per_foot(name: str, value, n: int, check=sizes) -> np.ndarray:
    """Return one number per foot, shape (..., n), from a scalar, (n,) or (..., n)."""
    array = check(name, value)
    if array.ndim and array.shape[-1] not in (1, n):
        raise ValueError(f"{name} must have one entry per foot, shape (..., {n}), got {array.shape}")
    return np.broadcast_to(array, (*array.shape[:-1], n))


def batch_shape(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the common leading shape of the named arguments."""
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
