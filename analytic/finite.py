"""The check shared by all dataclasses of parameters: numbers must be finite."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np

_NUMBERS = ("float", "int", "ndarray", "np.ndarray", "tuple[float, float]", "tuple[float, float, float]")


def check_finite(parameters) -> None:
    """Refuse a dataclass whose fields annotated as numbers, or arrays of them, hold something else, inf or NaN."""
    for entry in fields(parameters):
        value = getattr(parameters, entry.name)
        if type(value) is float and math.isfinite(value):
            continue
        if getattr(entry.type, "__name__", entry.type) in _NUMBERS and not _is_finite(value):
            raise ValueError(f"{entry.name} of {type(parameters).__name__} must be finite, got {value!r}")


def _is_finite(value) -> bool:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return False
    return array.dtype.kind in "biuf" and bool(np.isfinite(array).all())
