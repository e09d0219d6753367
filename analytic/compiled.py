"""Plain functions compiled one at a time, with everything they call: for laws that are called from Python.

The compiled code is kept on disk under a fingerprint of the function and of all it refers to, so that an edit of any of
them compiles anew. (The hybrid engine does the same for a model's functions, but as one piece with its kernel.)
"""

from __future__ import annotations

import sys
import sysconfig
import types
from collections.abc import Callable

import numpy as np

from .hybrid.fingerprint import fingerprint
from .hybrid.loader import INNER_OPTIONS, JIT_OPTIONS, cached_file, has_numba
from .hybrid.rebuild import rebuild

_DONE: dict[int, tuple[Callable, Callable]] = {}  # by the plain function's id, which the entry keeps alive


def compiled(function: Callable) -> Callable:
    """Return a function compiled if numba is installed, and as it is otherwise; arguments are numbers and arrays."""
    if not has_numba():
        return function
    if id(function) not in _DONE:
        _DONE[id(function)] = (function, _compile(function))
    return _DONE[id(function)][1]


def _compile(function: Callable) -> Callable:
    import numba

    stem = f"law_{fingerprint(function, [numba.__version__, np.__version__, sys.version, sysconfig.get_platform()])}"
    names = ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])
    # Numba keeps machine code beside the file a function comes from: the entry gets a file of its own.
    text = f"def entry({names}):\n    return law({names})\n"
    path = cached_file(stem, text)
    module = types.ModuleType(f"tarsus_{stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    module.__dict__["law"] = rebuild(function, numba.njit(**INNER_OPTIONS), {}, {}, module.__name__)
    exec(compile(text, str(path), "exec"), module.__dict__)
    return numba.njit(cache=True, **JIT_OPTIONS)(module.__dict__["entry"])
