"""Plain functions compiled one at a time, with everything they call: for laws that are called from Python.

The compiled code is kept on disk under a fingerprint of the function and of all it refers to, so that a change of any
of them compiles anew. (The hybrid engine does the same for a model's functions, but as one piece with its kernel.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .hybrid.loader import INNER_OPTIONS, JIT_OPTIONS, execute, has_numba, new_module
from .hybrid.rebuild import rebuild

_DONE: dict[str, Callable] = {}  # by fingerprint


def compiled(function: Callable) -> Callable:
    """Return a function compiled if numba is installed, and as it is otherwise; arguments are numbers and arrays.

    What it refers to is taken as it is now.
    """
    if not has_numba():
        return function
    from .machine_code import Key

    key = Key(function, JIT_OPTIONS, INNER_OPTIONS)
    if key.then not in _DONE:
        made = _compile(function, key)
        if not isinstance(key.then, str):
            return made
        _DONE[key.then] = made
    return _DONE[key.then]


def _compile(function: Callable, key: Any) -> Callable:
    import numba

    from .machine_code import keep_on_disk

    names = ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])
    module = new_module("law", key)
    module.__dict__["law"] = rebuild(function, numba.njit(**INNER_OPTIONS), {}, {}, module.__name__, frozen=True)
    execute(f"def entry({names}):\n    return law({names})\n", module)
    return keep_on_disk(numba.njit(**JIT_OPTIONS)(module.__dict__["entry"]), "hybrid", lambda: key)
