"""Names for the entries of state, memory and parameter vectors.

A table is a dictionary, a frozen dataclass or an instance of one: names with a number or an array each. An array takes
one entry per element, named `name_0`, `name_1`, ... as an init file spells them.
"""

from __future__ import annotations

import dataclasses
import re
from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..spelling import listed

SYMBOL = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


def items(table: Any) -> dict[str, Any]:
    """Return a table's names and values: of a mapping, a dataclass or a dataclass instance (its own fields)."""
    if table is None:
        return {}
    if isinstance(table, type) and dataclasses.is_dataclass(table):
        table = table()
    if dataclasses.is_dataclass(table):
        return {field.name: getattr(table, field.name) for field in dataclasses.fields(table)}
    if isinstance(table, Mapping):
        return dict(table)
    raise ValueError(f"a table of names is a dictionary or a dataclass, got {type(table).__name__}")


def flatten(table: Any) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the names of all entries and their values, shape (n,)."""
    names: list[str] = []
    values: list[float] = []
    for name, value in items(table).items():
        if not SYMBOL.match(name):
            raise ValueError(f"{name!r} is not a valid name: a letter, then letters, digits or underscores")
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"{name} must be a number or an array of numbers, got {value!r}") from None
        flat = array.ravel()
        names += [name] if array.ndim == 0 else [f"{name}_{i}" for i in range(flat.size)]
        values += flat.tolist()
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"names must differ, but {sorted(twice)} stand for several entries")
    return tuple(names), np.array(values, dtype=float)


def indices(table: Any) -> Any:
    """Return the positions of a table's names, for `p[P.mass]` with `P = ...(Params)`; an array's name gives its first.

    Compiled functions may use it as a global: its entries are constants.
    """
    places: dict[str, int] = {}
    start = 0
    for name, value in items(table).items():
        places[name] = start
        start += np.asarray(value, dtype=float).size
    return namedtuple("Indices", places)(**places)


def vector(table: Any) -> np.ndarray:
    """Return a table's values as the vector the engine works on, in the order of its names, shape (n,)."""
    return flatten(table)[1]


def overlay(what: str, names: tuple[str, ...], default: np.ndarray, given: Any) -> np.ndarray:
    """Return `default`, shape (n,), updated by what is given: None, such a vector, or a table of some of the names."""
    if given is None:
        return default.copy()
    if isinstance(given, (Mapping, type)) or dataclasses.is_dataclass(given):
        result = default.copy()
        position = {name: i for i, name in enumerate(names)}
        for name, value in zip(*flatten(given), strict=True):
            if name not in position:
                raise ValueError(f"unknown {what} {name!r}; known: {listed(name, names)}")
            result[position[name]] = value
        return result
    if np.iscomplexobj(given):
        raise ValueError(f"{what} must be real, got {given!r}; real and imaginary part are two entries")
    try:
        result = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{what} must be numbers, a table of names or None, got {given!r}") from None
    if result.shape != default.shape:
        raise ValueError(f"{what} must have shape {default.shape} ({', '.join(names)}), got {result.shape}")
    return result
