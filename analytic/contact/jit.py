"""Compile with numba where it is installed; the same source runs as plain Python where it is not.

Machine code is kept on disk under a fingerprint of the function, of all functions it calls and of the constants they
use (`machine_code`), so that a change of any of them compiles anew.
"""

from __future__ import annotations

try:
    import numba
except ImportError:  # plain Python: same results to rounding, some hundred times slower
    numba = None

HAVE_NUMBA = numba is not None

# Sums may be reordered and products fused (they are certified afterwards); NaN and infinity keep their meaning.
FASTMATH = {"contract", "reassoc", "nsz", "arcp"}
OPTIONS = {"fastmath": FASTMATH, "error_model": "numpy"}


def jit(function):
    """Return `function` compiled for one thread, callable from Python and from other compiled code."""
    return function if numba is None else _compiled(function, nogil=True)


def jit_parallel(function):
    """Return `function` compiled with its `prange` loops spread over all of numba's threads."""
    return function if numba is None else _compiled(function, parallel=True)


prange = range if numba is None else numba.prange


def n_threads() -> int:
    """Return the number of threads a parallel loop uses."""
    return 1 if numba is None else numba.get_num_threads()


def _compiled(function, **options):
    from ..machine_code import Key, keep_on_disk

    dispatcher = numba.njit(**OPTIONS, **options)(function)
    return keep_on_disk(dispatcher, "contact", lambda: Key(dispatcher, rebuilt=False))
