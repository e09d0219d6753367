"""Compile with numba where it is installed; the same source runs as plain Python where it is not.

A compiled function is cached on disk by its own file alone: numba does not notice that a function called from
another file was edited. Everything one compiled entry point calls therefore stands in the entry point's file.
"""

from __future__ import annotations

try:
    import numba
except ImportError:  # plain Python: same results to rounding, some hundred times slower
    numba = None

HAVE_NUMBA = numba is not None

# Sums may be reordered and products fused (they are certified afterwards); NaN and infinity keep their meaning.
FASTMATH = {"contract", "reassoc", "nsz", "arcp"}


def jit(function):
    """Return `function` compiled for one thread, callable from Python and from other compiled code."""
    if numba is None:
        return function
    return numba.njit(cache=True, fastmath=FASTMATH, error_model="numpy", nogil=True)(function)


def jit_parallel(function):
    """Return `function` compiled with its `prange` loops spread over all of numba's threads."""
    if numba is None:
        return function
    return numba.njit(cache=True, fastmath=FASTMATH, error_model="numpy", parallel=True)(function)


prange = range if numba is None else numba.prange


def n_threads() -> int:
    """Return the number of threads a parallel loop uses."""
    return 1 if numba is None else numba.get_num_threads()
