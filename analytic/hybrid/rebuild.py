"""A function again, with other values behind its names: how a model's plain helpers become compiled ones.

Interpreted, `math` is put in place by `ieee`, which answers like the compiled code: NaN and infinity, no exceptions.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

from .fingerprint import plain_function, references


def _quiet(function: Callable) -> Callable:
    """Return a function of `math` that gives NaN outside its domain and infinity where it overflows."""

    def wrapped(*args):
        try:
            return function(*args)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return wrapped


ieee = types.SimpleNamespace()
for _name in dir(math):
    if not _name.startswith("_"):
        _value = getattr(math, _name)
        setattr(ieee, _name, _quiet(_value) if callable(_value) else _value)


def rebuild(
    function: Any, wrap: Callable[[types.FunctionType], Any], swap: dict[int, Any], done: dict[int, Any], module: str
) -> Any:
    """Return `function` wrapped, and with every function it refers to rebuilt in the same way.

    Args:
        function: A plain or already jitted function.
        wrap: Applied to every rebuilt function, e.g. `numba.njit(...)`.
        swap: Values to put in place of others, by `id`, e.g. `{id(math): ieee}`.
        done: Functions already rebuilt, by `id`.
        module: Name of the module they belong to; numba imports it when it loads machine code from its cache.
    """
    plain = plain_function(function)
    if id(plain) in done:
        return done[id(plain)]
    known = {"__builtins__": plain.__globals__.get("__builtins__", __builtins__), "__name__": module}
    freevars = plain.__code__.co_freevars
    cells = tuple(types.CellType() for _ in freevars)
    again = types.FunctionType(plain.__code__, known, plain.__name__, plain.__defaults__, cells or None)
    again.__kwdefaults__ = plain.__kwdefaults__
    again.__doc__ = plain.__doc__
    done[id(plain)] = wrap(again)
    for name, value in references(plain).items():
        if plain_function(value) is not None:
            value = rebuild(value, wrap, swap, done, module)
        value = swap.get(id(value), value)
        if name in freevars:
            cells[freevars.index(name)].cell_contents = value
        else:
            known[name] = value
    return done[id(plain)]
