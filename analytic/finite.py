"""The checks shared by parameters: numbers must be finite, of a sign, and angles within their limits."""

import math
from collections.abc import Iterable
from dataclasses import fields

import numpy as np

# What numbers are annotated as: types, or their text where a module postpones its annotations.
_NUMBERS = [float, int, np.ndarray, tuple[float, float], tuple[float, float, float]]
_NUMBERS += ["float", "int", "ndarray", "np.ndarray", "tuple[float, float]", "tuple[float, float, float]"]


def check_finite(parameters) -> None:
    """Refuse a dataclass whose fields annotated as numbers, or arrays of them, hold something else, inf or NaN."""
    for entry in fields(parameters):
        value = getattr(parameters, entry.name)
        if type(value) is float and math.isfinite(value):
            continue
        if entry.type in _NUMBERS and not _is_finite(value):
            raise ValueError(f"{entry.name} of {type(parameters).__name__} must be finite, got {value!r}")


def check_signs(parameters, positive: Iterable[str] = (), not_negative: Iterable[str] = (), of: str = "") -> None:
    """Refuse a dataclass with numbers, or arrays, of these names that are not positive or negative, or not finite."""
    signs = (positive, np.greater, "be positive"), (not_negative, np.greater_equal, "not be negative")
    for names, has_sign, words in signs:
        for name in names:
            value = getattr(parameters, name)
            if not np.all(has_sign(value, 0) & np.less(value, np.inf)):
                raise ValueError(f"{name}{of} must {words}, got {value}")


def check_angle(name: str, value, low: float, high: float) -> None:
    """Refuse an angle, or array of them, that is not between its limits [rad]; degrees may have been meant."""
    values = np.atleast_1d(value)
    if np.all((low < values) & (values < high)):
        return
    worst = float(values[~((low < values) & (values < high))][0])
    meant = math.radians(worst)
    hint = f"; did you mean {meant:.3g} ({worst:g} degrees)?" if low < meant < high else ""
    raise ValueError(f"{name} must lie between {low:.4g} and {high:.4g} in radians, got {worst:g}{hint}")


def _is_finite(value) -> bool:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return False
    return array.dtype.kind in "biuf" and bool(np.isfinite(array).all())
