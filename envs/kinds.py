"""Checks that an option has the kind its annotation declares: finite numbers, names, ranges, or a class of ours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from numbers import Integral, Real
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from tarsus.analytic.spelling import listed, nearest

RESIDUAL = ("residual_range", "residual_lag", "tempo_range", "tempo_lag")  # options of that action mode
LARGEST = 1e6  # of one of these

_WORDS = {
    bool: "True or False",
    int: "a whole number",
    float: "a finite number",
    str: "a name",
    type(None): "None",
    tuple: "a tuple",
    list: "a list",
    tuple[float, float]: "a pair of finite numbers",
    Sequence[str]: "a sequence of names",
    Mapping[str, Any]: "a mapping by names",
    Mapping[str, Callable]: "a mapping from names to functions",
    Mapping[str, float]: "a mapping from names to finite numbers",
    Mapping[str, tuple[float, float]]: "a mapping from names to pairs of finite numbers",
}


def check(name: str, value: Any, kind: Any) -> None:
    """Refuse a value that is not of the given kind: a class, one of those in `_WORDS`, or several joined by `|`."""
    kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    if not any(_fits(value, one) for one in kinds):
        allowed = " or ".join(_WORDS.get(one) or one.__name__ for one in kinds)
        raise ValueError(f"{name} must be {allowed}, got {value!r}")


def check_count(name: str, value: Any, least: int = 1) -> None:
    """Refuse what is not an integer, or less than `least`."""
    check(name, value, int)
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")


def check_residual(config, names: Sequence[str] = RESIDUAL) -> None:
    """Refuse what no correction of a baseline has, or what would make a state beyond single precision of it."""
    for name in names:
        value = getattr(config, name)
        if not value > 0:
            raise ValueError(f"{name} must be positive, got {value}")
        if not value <= LARGEST:
            raise ValueError(f"{name} must be at most {LARGEST:g}, got {value}")
    if "tempo_range" in names and config.tempo_range < 1:
        raise ValueError(f"tempo_range must be at least 1, got {config.tempo_range}")


def array_of(value: Any) -> np.ndarray:
    """Return the value as an array, or one of None, shape (), if its rows differ in length."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.array(None)


def numbers(name: str, value: Any) -> np.ndarray:
    """Return an array of float, of the value's shape; ValueError if it is not of numbers."""
    array = array_of(value)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be finite numbers, got {value!r}")
    return array.astype(float)


def check_fields(config) -> None:
    """Refuse a dataclass with a value not of its field's kind, or a range whose lower limit exceeds its upper limit."""
    for name, kind in _kinds(type(config)).items():
        value = getattr(config, name)
        check(name, value, kind)
        is_range = kind == tuple[float, float] or kind == tuple[float, float] | None
        if is_range and value is not None and value[0] > value[1]:
            raise ValueError(f"{name} must be a range, its lowest number first, got {value!r}")


@cache
def _kinds(owner: type) -> dict[str, Any]:
    hints = get_type_hints(owner)
    return {entry.name: hints[entry.name] for entry in fields(owner)}


def _fits(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    if kind is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if kind is float:
        with np.errstate(over="ignore"):  # of a float32 beside it
            return isinstance(value, Real) and bool(abs(value) <= sys.float_info.max)  # an int may be larger
    if get_origin(kind) is tuple:
        return _is_list(value) and len(value) == 2 and all(_fits(one, float) for one in value)
    if get_origin(kind) is Sequence:
        return _is_list(value) and all(isinstance(one, str) for one in value)
    if get_origin(kind) is Mapping:
        of_names = isinstance(value, Mapping) and all(isinstance(name, str) for name in value)
        return of_names and all(_fits(one, get_args(kind)[1]) for one in value.values())
    return isinstance(value, kind)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and array_of(value).ndim == 1


def from_keywords(config: type, keywords: Mapping[str, Any]):
    """Return the configuration of these keywords of `gymnasium.make`.

    Of an unknown one the TypeError is worded as Python's, by which wrappers such as TorchRL's recognise it. It may be a
    parameter of the robot.
    """
    known, of_robot = _kinds(config), config.randomisable() if hasattr(config, "randomisable") else ()
    for name in keywords:
        if name not in known:
            owner, near = config.__name__.removesuffix("Config"), nearest(name, [*known, *of_robot])
            there = f"{', '.join(known)}; of the robot randomise={{{near!r}: (0.5, 0.5)}} halves {near}"
            there = there if near in of_robot else listed(name, known)
            raise TypeError(f"{owner}() got an unexpected keyword argument {name!r}; there are {there}")
    return config(**keywords)
