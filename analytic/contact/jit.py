"""Compile with numba where it is installed; the same source runs as plain Python where it is not.

A compiled function is cached on disk by its own file alone: numba does not notice that a function called from
another file was edited. The cache therefore stands in a folder named after a fingerprint of all files whose functions
call each other, so that an edit of any of them starts a new one and a stale entry cannot be loaded.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import time
from pathlib import Path

from ..cache import cache_folder

try:
    import numba
except ImportError:  # plain Python: same results to rounding, some hundred times slower
    numba = None

HAVE_NUMBA = numba is not None

# Sums may be reordered and products fused (they are certified afterwards); NaN and infinity keep their meaning.
FASTMATH = {"contract", "reassoc", "nsz", "arcp"}
OPTIONS = {"cache": True, "fastmath": FASTMATH, "error_model": "numpy"}

KEEP = 8  # fingerprints with a cache on disk; the longest unused are removed beyond that


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
    """Return `function` decorated by numba while its cache folder is ours: numba reads the setting only then."""
    own = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_cache(own))
    try:
        return numba.njit(**OPTIONS, **options)(function)
    finally:
        numba.config.CACHE_DIR = own


def fingerprint(folder: Path) -> str:
    """Return a hash of `jit.py` and the kernels' files in `folder`, their names, and numba's version."""
    text = hashlib.sha256(numba.__version__.encode() if numba else b"")
    for path in (folder / "jit.py", *sorted((folder / "kernels").glob("*.py"))):
        text.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return text.hexdigest()[:16]


@functools.cache
def _cache(preferred: str) -> Path:
    """Return this version's cache folder, marked as used; remove those of the versions longest unused."""
    parent = cache_folder("contact", preferred)
    folder = parent / fingerprint(Path(__file__).parent)
    folder.mkdir(exist_ok=True)
    os.utime(folder, (time.time(), time.time()))
    others = sorted(parent.iterdir(), key=_last_use, reverse=True)
    for old in others[KEEP:]:
        shutil.rmtree(old, ignore_errors=True)  # a process that still uses it compiles again
    return folder


def _last_use(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process removed it
        return 0.0
