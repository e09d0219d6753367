"""Functions compiled with numba if it is installed; otherwise the same source runs as plain Python.

Machine code is kept on disk under a fingerprint of the function and of all it refers to, so that any change causes
recompilation. numba is imported when the first function is compiled.
"""

import functools
import importlib.util
import sys
import types
from collections.abc import Callable
from typing import Any

from .rebuild import rebuild

# Exact IEEE arithmetic (no fastmath, no contraction): interpreted code computes the same bits.
EXACT = {"error_model": "numpy", "nogil": True}
# Called from compiled code only: without entry points for Python and C, a third of the compile time is saved.
INNER = {**EXACT, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# Sums may be reordered and products fused; NaN and infinity keep their meaning.
FASTMATH = {"contract", "reassoc", "nsz", "arcp"}

# Numba's releases that `together` was tried with. Any other takes twice as long for the same code.
TRIED = ((0, 68),)
_COMPILED: dict[str, Callable] = {}  # what `compiled` returned, by fingerprint


def has_numba() -> bool:
    """Return whether numba is installed."""
    return importlib.util.find_spec("numba") is not None


def jit(
    function: Callable | None = None,
    *,
    fast: bool = False,
    parallel: bool = False,
    inline: bool = False,
    views: bool = False,
) -> Callable:
    """Return a function compiled, or as it is without numba. What it calls must be compiled already.

    Args:
        function: Any function; None makes this a decorator with options.
        fast: Whether arithmetic may be rearranged (`FASTMATH`). What it calls keeps its own choice.
        parallel: Whether `prange` loops are spread over all of numba's threads.
        inline: Whether it is compiled into its callers: an array in a call is passed as seven to eleven numbers.
        views: Whether it only looks into arrays and makes none: references are not counted, which costs ten times the
            arithmetic on rows of a few numbers. Slices cannot be assigned to, for numba may copy them first.
    """
    if function is None:
        return functools.partial(jit, fast=fast, parallel=parallel, inline=inline, views=views)
    if not has_numba():
        return function
    from .machine_code import Key, keep_on_disk

    # Numba's own threads serve one caller at a time, so the GIL stays with it.
    options: dict[str, Any] = {**EXACT, "nogil": not parallel, "forceinline": inline}
    if fast:
        options["fastmath"] = FASTMATH
    if views:
        options["_nrt"] = False
    dispatcher = outer(function, parallel=parallel, **options)
    if is_tried():
        from .together import with_translation, without_literals

        with_translation(without_literals(dispatcher), inner(function, **{**INNER, **options}))
    return keep_on_disk(dispatcher, lambda: Key(dispatcher, rebuilt=False))


def compiled(function: Callable, inline: int = 0, apart: tuple[str, ...] = ()) -> Callable:
    """Return a plain function compiled with every plain function it calls, or as it is without numba.

    For laws that a user writes. What it refers to is taken as it is now; arguments are numbers and arrays.

    Args:
        function: The function.
        inline: What it calls is compiled into the callers if its bytecode is not larger: passing five arrays may cost
            more than a small function does.
        apart: Names of functions that are not, however small: large ones may hide behind them.
    """
    if not has_numba():
        return function
    from .machine_code import Key

    key = Key(function, EXACT, INNER, inline, apart) if inline else Key(function, EXACT, INNER)
    if key.name not in _COMPILED:
        _COMPILED[key.name] = _compiled(function, key, inline, apart)
    return _COMPILED[key.name]


def entry(function: Callable) -> Callable:
    """Return a caller of a compiled function that does not look at its arguments' types, which takes 15 us of many.

    They must be those of the call before. If it was called with others, too, it is the function itself.
    """
    made = list(getattr(function, "overloads", {}).values())
    return made[0].entry_point if len(made) == 1 else function


def is_tried() -> bool:
    """Return whether numba's compiler is on, and its release among `TRIED`."""
    import numba

    return numba.version_info.short in TRIED and not numba.config.DISABLE_JIT


def outer(function: Callable, **options: Any) -> Any:
    """Return a function jitted for Python; if numba is one of `TRIED`, LLVM optimises it with all that it calls."""
    import numba

    if not is_tried():
        return numba.njit(**options)(function)
    from .together import Outer

    return numba.njit(pipeline_class=Outer, **options)(function)


def inner(function: Callable, **options: Any) -> Any:
    """Return a function jitted for compiled callers, translated once and for all values of its arguments."""
    import numba

    if not is_tried():
        return numba.njit(**options)(function)
    from .together import Inner, without_literals

    return without_literals(numba.njit(pipeline_class=Inner, **options)(function))


def _compiled(function: Callable, key: Any, inline: int, apart: tuple[str, ...]) -> Callable:
    from .machine_code import keep_on_disk

    done: dict[int, Any] = {}

    def wrap(part: types.FunctionType) -> Any:
        if done:
            small = len(part.__code__.co_code) <= inline and part.__name__ not in apart
            return inner(part, forceinline=small, **INNER)
        return keep_on_disk(outer(part, **EXACT), lambda: key)  # the first is the function itself

    module = types.ModuleType(f"tarsus_law_{key.name}")
    sys.modules[module.__name__] = module  # where numba finds it when it loads machine code
    return rebuild(function, wrap, {}, done, module.__name__, frozen=True)
