"""A plain function of arrays, compiled on its own with all it calls: what the engine does to a model's functions."""

from __future__ import annotations

import functools
from collections.abc import Callable

from .hybrid.loader import JIT_OPTIONS, has_numba
from .hybrid.rebuild import rebuild


@functools.cache
def compiled(function: Callable) -> Callable:
    """Return the function compiled by numba, or as it is where there is no numba."""
    if not has_numba():
        return function
    import numba

    return rebuild(function, numba.njit(**JIT_OPTIONS), {}, {}, __name__)
