"""Independent pieces of work, spread by joblib; within `with joblib.parallel_config(...)` they run elsewhere."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import joblib
from tqdm import tqdm

from tarsus.scripts.library.base import interrupts, robot_warnings


def each(function: Callable, cases: Iterable[tuple], n_jobs: int, **bar: Any) -> list:
    """Return the values of a function for each case, in order; see `stream`."""
    return list(stream(function, cases, n_jobs, **bar))


def stream(
    function: Callable, cases: Iterable[tuple], n_jobs: int, names: Sequence[str] = (), **bar: Any
) -> Iterator[Any]:
    """Yield the value of a function for each case, in order and as soon as it is there, on joblib's active backend.

    It is called as `function(*case)` in any of `n_jobs` processes, -1 for every core; `bar` are settings of tqdm's. The
    bar ends with the name of the case that is waited for, where they have `names`.
    """
    cases, here = list(cases), (Path.cwd(), os.getpid())
    calls = (joblib.delayed(_called_in)(*here, function, case) for case in cases)
    with interrupts.terminated():
        made = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(calls)
        with tqdm(total=len(cases), mininterval=1.0, **bar) as line:
            for name in names or [""] * len(cases):
                line.set_postfix_str(name)
                yield next(made)
                line.update()


def _called_in(folder: Path, caller: int, function: Callable, case: tuple) -> Any:
    """Call in the caller's folder: joblib keeps its processes, and one may have begun in another.

    Another process than the caller's does not repeat what was said of a user's robot there.
    """
    if folder.is_dir():  # on another machine it may not be there
        os.chdir(folder)
    with robot_warnings.shown(None) if os.getpid() != caller else contextlib.nullcontext():
        return function(*case)
