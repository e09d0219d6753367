"""100 strides of SLIP (400 events) by this engine and by others, at equal tolerance: time beside error.

Usage: tarsus benchmark hybrid [--rtol 1e-9] [--repeats 7]
Runtime: about 1 min, 5 min with all peers (extra `bench`). CPU time of this process, median of the
repeats; ratios hold within one run, not between machines.

All integrate the manual's default start (k = 1000, i = 1, j = -2, neutral touchdown rule) with atol = rtol / 100 and
stop at the same 400 events; Drake takes rtol as its accuracy, hybrid-tools takes none (1e-3, in windows of 10 ms).
`err16` is the worst event time of the first 16 strides against 40-digit arithmetic (tests/oracles/hybrid_slip.py),
`err100` the last event against our own run at rtol 1e-13.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.compilation.rebuild import rebuild
from tarsus.analytic.models import slip
from tarsus.analytic.models.slip import stance
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.benchmarks import hybrid_peers, timing
from tarsus.scripts.laboratory.frame import Page, Table

PACKAGES = ("tarsus", "numpy", "scipy", "numba", "diffrax", "jax", "hybrid-tools", "drake")
EVENTS = 400
FIRST_CALLS = 5  # new processes
REFERENCE = Path(__file__).parents[3] / "tests" / "oracles" / "hybrid_slip.txt"


def ours(method: str, mode: str) -> Callable:
    """Return a run of this engine."""
    sim = hy.compile(slip.build(), method, mode)

    def run(rtol: float, n_events: int) -> np.ndarray:
        return sim.run(final_time=1e9, max_charts=n_events, rtol=rtol).events.t

    return run


def runs() -> dict[str, Callable]:
    """Return the maker of a run, of this engine and of each peer that is installed, by its row's name."""
    methods = ("dop853", "dopri5") if hy.simulator.loader.has_numba() else ()
    table = {f"tarsus {method}, compiled": partial(ours, method, "compiled") for method in methods}
    return table | {"tarsus dop853, interpreted": partial(ours, "dop853", "python")} | hybrid_peers.installed()


def first_call() -> str:
    """Return the cost of the first compiled run in a new process, from the cache."""
    code = (
        "import time; a = time.process_time(); from tarsus.analytic import hybrid as hy; "
        "from tarsus.analytic.models import slip; b = time.process_time(); "
        "hy.compile(slip.build(), mode='compiled').run(final_time=1.0); c = time.process_time(); print(b - a, c - b)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(FIRST_CALLS)
    ]
    imports, run = np.median([list(map(float, run.stdout.split())) for run in runs], axis=0)
    return f"First compiled run in a new process, from cache: {run:.2f} s CPU (and {imports:.2f} s imports)."


def alone(n, x, d, p, dx):
    """Evaluate the field of the stance `n` times, each from a state that waits for the one before, as in a step."""
    for _ in range(n):
        stance(0.0, x, d, p, dx)
        x[0] += 1e-18 * dx[2]


def work(rtol: float) -> str:
    """Return the counts of a run of dop853, and the time of its stance steps' fields alone."""
    import numba

    sim = hy.compile(slip.build(), "dop853", "compiled")
    run = partial(sim.run, final_time=1e9, max_charts=EVENTS, rtol=rtol)
    field = rebuild(alone, numba.njit(error_model="numpy", forceinline=True), {}, {}, __name__)
    found = run()
    n, steps, tried = (found.counts[name] for name in ("field", "steps", "rejected"))
    in_stance = int(n * np.mean(found.chart >= slip.COMPRESSION))
    x, d, p = np.array([0.0, 0.9, 1.0, 0.0]), np.zeros(3), sim.model.p0.copy()
    took = timing.medians({"run": run, "field": lambda: field(in_stance, x, d, p, np.empty(4))}, 99)
    shares = (12 * (steps + tried) / n, 3 * steps / n, 1.0 - (15 * steps + 12 * tried) / n)
    return (
        "dop853: {} steps and {} rejected, {} evaluations of the field ({:.0%} of the steps, {:.0%} of the dense "
        "output, {:.0%} at events and starts). Those in stance, each waiting for the one before, take {:.0%} of a run."
    ).format(steps, tried, n, *shares, took["field"] / took["run"])


def check(**_) -> None:
    """Refuse to run where the tests' references are not.

    Raises:
        OSError: If they are not beside the package.
    """
    np.loadtxt(REFERENCE)


def tables(rtol: Annotated[float, arguments.rtol] = 1e-9, repeats: Count = 7) -> Page:
    """Return the table, and what a first run costs.

    Args:
        rtol: Relative tolerance of all.
        repeats: Measurements of each.
    """
    reference, last = np.loadtxt(REFERENCE), ours("dop853", "auto")(1e-13, EVENTS)[-1]
    known = {name: partial(make(), rtol, EVENTS) for name, make in runs().items()}
    events = {name: run() for name, run in known.items()}  # compiles
    inner = {name: 20 if timing.seconds(run)[0] < 0.02 else 1 for name, run in known.items()}
    loops = {name: timing.repeated(run, inner[name]) for name, run in known.items()}
    took = {name: times.cpu / inner[name] for name, times in timing.rounds(loops, repeats).items()}
    fastest, rows = np.median(next(iter(took.values()))), []
    for name, cpu in took.items():
        errors = np.abs(events[name][: reference.size] - reference).max(), abs(events[name][-1] - last)
        numbers = (f"{1e3 * np.median(cpu):.3f}", f"{1e3 * np.ptp(cpu):.3f}", f"{np.median(cpu) / fastest:.1f}")
        rows.append((name, *numbers, *(f"{error:.1e}" for error in errors)))
    head = ("engine", "CPU [ms]", "spread [ms]", "ratio", "err16 [s]", "err100 [s]")
    missing = hybrid_peers.missing()
    words = [f"Not installed, skipped: {', '.join(missing)} (extra `bench`)."] if missing else []
    words += [first_call()] if hy.simulator.loader.has_numba() else []
    words = [work(rtol), *words] if hy.simulator.loader.has_numba() else words
    return Page(f"{EVENTS} events, atol = rtol / 100.", Table(head, rows), *words)
