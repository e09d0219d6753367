"""Code that exact runs and the contact solver share, compiled ahead of time by `tarsus warm`."""

import functools
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np

from tarsus import analytic
from tarsus.analytic.compilation import cache, store

DONE = "warm"  # begins the name of the file that says what was made
LAWS = ("viscous", "coulomb")
TICK = 20_000_000  # by which the clock of files may be behind [ns]
UNKEPT = "there is no folder in which compiled code could be kept; TARSUS_CACHE_DIR names one"


class NotKept(Exception):
    """Nothing can be kept; the sentence says why."""


def warm(methods: list[str]) -> Iterator[str]:
    """Make what is missing, kernels for these methods, and yield a line on each part once it is there; or NotKept.

    What was made is noted beside it, so that a second call finds it without importing numba.
    """
    folder = cache.cache_folder(store.FOLDER)
    if folder is None:
        raise NotKept(UNKEPT)
    done = folder / f"{DONE}-{_key(methods)}.json"
    if _is_done(done):
        yield f"warm: all is in {folder}"
        return
    begin, n_files = time.time_ns() - TICK, 0
    for what, make in parts(methods):
        before, started = _files(folder), time.perf_counter()
        make()
        made = len(_files(folder) - before)
        n_files += made
        yield f"{what}: {f'{time.perf_counter() - started:.1f} s' if made else 'was there'}"
    used = [name for name in _files(folder) if (folder / name).stat().st_atime_ns >= begin]
    if not used:
        raise NotKept(f"nothing could be kept in {folder}")
    cache.write_whole(done, json.dumps(used).encode())
    yield f"warm: {n_files} new files in {folder}"


def parts(methods: list[str]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the name of each shared piece of code, and the call that compiles it by running a small model."""
    for method in methods:
        yield f"kernel for {method}", functools.partial(_run, method)
        yield f"derivatives for {method}", functools.partial(_derive, method)
    yield "rules of intervals", _rules
    for law in LAWS:
        yield f"contact solver, {law}", functools.partial(_solve, law)


def _run(method: str) -> None:
    from tarsus.analytic import hybrid
    from tarsus.analytic.models import bouncing_ball

    hybrid.compile(bouncing_ball.build(), method, "compiled").run(final_time=0.1)


def _derive(method: str) -> None:
    from tarsus.analytic.hybrid.derivatives import Derivatives
    from tarsus.analytic.models import bouncing_ball

    model = bouncing_ball.build()
    Derivatives(model, 1, method, "compiled").run(model.state_names[:1], final_time=0.1)


def _rules() -> None:
    from tarsus.analytic.compilation import functions

    if functions.is_tried():
        from tarsus.analytic.compilation.interval_library import library

        library()


def _solve(law: str) -> None:
    from tarsus.analytic import contact

    feet = contact.Feet(stiffness=1e3, mu=0.5, weight=10.0)
    place = np.array([[0.1, 0.1, -0.1], [0.1, -0.1, -0.1], [-0.1, 0.0, -0.1]])
    velocity = place[:, 1::-1].copy()
    contact.solve(place, velocity, feet, law)
    contact.Solver(feet, 3, law)(place, velocity)


def _key(methods: list[str]) -> str:
    """Return a hash of all that decides what is made, found without importing numba."""
    root = Path(analytic.__file__).parent
    texts = [path.read_bytes() for path in sorted(root.rglob("*.py"))]
    from llvmlite import binding

    processor = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    versions = [version(name) for name in ("numba", "llvmlite", "numpy")]
    of = hashlib.sha256(b"".join(texts)).hexdigest(), methods, versions, sys.version, processor, settings
    return hashlib.sha256(repr(of).encode()).hexdigest()[:20]


def _is_done(done: Path) -> bool:
    data = cache.read_private(done)
    try:
        return data is not None and all((done.parent / name).exists() for name in json.loads(data))
    except ValueError:
        return False


def _files(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.nbc")}
