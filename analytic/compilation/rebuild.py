"""Rebuilds a function with other values for its names: so a model's plain helper functions become compiled ones.

Interpreted code gets `ieee` instead of `math`, which behaves like the compiled code: NaN and infinity, no exceptions.
"""

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .numba_objects import is_jitted, made_from
from .references import Reached, builtin_names, plain_function, references


def _quiet(function: Callable) -> Callable:
    """Return a function of `math` that gives NaN outside its domain, and infinity where it overflows."""

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
    function: Any,
    wrap: Callable[[types.FunctionType], Any],
    swap: dict[int, Any],
    done: dict[int, Any],
    module: str,
    frozen: bool = False,
) -> Any:
    """Return `function` wrapped, and with every function it refers to rebuilt in the same way.

    Args:
        function: A plain or already jitted function.
        wrap: Applied to every rebuilt function, e.g. `numba.njit(...)`.
        swap: Values to put in place of others, Python's own functions included, by `id`, e.g. `{id(math): ieee}`.
        done: Functions already rebuilt, by `id`.
        module: Name of the module they belong to; numba imports it when it loads machine code from its cache.
        frozen: Whether what they refer to stays as it is now, as `fingerprint` hashes it, however late numba compiles
            them: arrays are copied, and modules of the user's become ones that hold what is read of them and no more.
    """
    plain = plain_function(function)
    if id(plain) in done:
        return done[id(plain)]
    known = {"__builtins__": plain.__globals__.get("__builtins__", __builtins__), "__name__": module}
    freevars = plain.__code__.co_freevars
    cells = tuple(types.CellType() for _ in freevars)
    defaults = _copied(plain.__defaults__) if frozen else plain.__defaults__
    again = types.FunctionType(plain.__code__, known, plain.__name__, defaults, cells or None)
    again.__kwdefaults__ = plain.__kwdefaults__
    again.__doc__ = plain.__doc__
    done[id(plain)] = wrap(again)

    def replaced(value: Any) -> Any:
        if frozen and isinstance(value, Reached):
            return _module(value.module.__name__, {name: replaced(part) for name, part in value.attributes.items()})
        if plain_function(value) is not None and not (frozen and _used_as_it_is(value)):
            return rebuild(value, wrap, swap, done, module, frozen)
        return swap.get(id(value), _copied(value) if frozen else value)

    known |= {name: swap[id(value)] for name, value in builtin_names(plain).items() if id(value) in swap}
    for name, value in references(plain, reached=frozen).items():
        if name in freevars:
            cells[freevars.index(name)].cell_contents = replaced(value)
        else:
            known[name] = replaced(value)
    return done[id(plain)]


def interpreted(function: Any, done: dict[int, Any] | None = None) -> Any:
    """Return a function for the interpreted kernel: where its arithmetic would raise, it answers NaN."""
    return rebuild(function, lambda again: again, {id(math): ieee}, {} if done is None else done, __name__)


def _used_as_it_is(value: Any) -> bool:
    """Return whether an overload is registered for the function, so that numba does not compile its code."""
    return made_from(value) is not None and not is_jitted(value)


def _module(name: str, attributes: dict[str, Any]) -> types.ModuleType:
    module = types.ModuleType(name)
    vars(module).update(attributes)
    return module


def _copied(value: Any) -> Any:
    """Return a copy of a value that numba compiles as a constant, so that nobody else can change it."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, tuple):
        parts = [_copied(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
