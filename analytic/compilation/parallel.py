"""Loops over all of numba's threads: `prange`, the loop of functions compiled by `jit(parallel=True)`."""

from .functions import has_numba

if has_numba():
    from numba import get_num_threads as n_threads
    from numba import prange
else:
    prange = range

    def n_threads() -> int:
        """Return the number of threads a parallel loop uses."""
        return 1
