"""The one timer of the benchmarks: runs take turns, and medians of processor time are compared.

A busy machine hits all runs of a round alike, so that ratios hold within one run of a benchmark, not between machines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
from tqdm import tqdm

from tarsus.scripts.command import arguments

Simulations = Annotated[int, arguments.simulations]
Run = Callable[[], object]


class Times(NamedTuple):
    """What each round of a run took, shape (rounds,) [s]."""

    cpu: np.ndarray  # of this process
    wall: np.ndarray

    def median(self, scale: float = 1.0, form: str = ".3g") -> str:
        """Return median, least and most processor time in words, times a scale."""
        return spread(scale * self.cpu, form)


def seconds(run: Run) -> tuple[float, float]:
    """Return the processor time and the wall time that a call takes [s]."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.process_time() - cpu, time.perf_counter() - wall


def rounds(
    runs: Mapping[Any, Run], n_rounds: int, prepare: Mapping[Any, Run] | None = None, progress: bool = False
) -> dict[Any, Times]:
    """Return the time of every run in every round, by its name, after a round that warms up.

    Args:
        runs: What is timed; the runs of a round follow each other.
        n_rounds: How often.
        prepare: What is done before some of the runs, and not timed.
        progress: Whether to show a progress bar.
    """
    took: dict[Any, list] = {name: [] for name in runs}
    for _ in tqdm(range(n_rounds + 1), desc="rounds", disable=not progress):
        for name, run in runs.items():
            (prepare or {}).get(name, lambda: None)()
            took[name].append(seconds(run))
    return {name: Times(*np.array(values[1:]).T) for name, values in took.items()}


def medians(runs: Mapping[Any, Run], n_rounds: int, wall: bool = False) -> dict[Any, float]:
    """Return the median seconds of every run, by its name."""
    return {name: float(np.median(took[wall])) for name, took in rounds(runs, n_rounds).items()}


def spread(values: np.ndarray, form: str = ",.0f") -> str:
    """Return median, least and most in words."""
    return f"{np.median(values):{form}} ({values.min():{form}} to {values.max():{form}})"


def repeated(run: Run, count: int) -> Run:
    """Return a function that runs it so many times."""

    def loop() -> None:
        for _ in range(count):
            run()

    return loop
