"""Many runs at once, on all cores: the compiled loop releases Python's GIL, so threads suffice."""

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from .driver import Driver
from .result import STATUS_OF_CODE
from .start import copies, rows_of


@dataclass(frozen=True)
class Batch:
    """The final states of many runs, one row each."""

    status: np.ndarray  # (m,) of Status
    t: np.ndarray  # (m,) [s]
    x: np.ndarray  # (m, n)
    d: np.ndarray  # (m, n_memory)
    chart: np.ndarray  # (m,) codes
    n_transitions: np.ndarray  # (m,)
    zeno_time: np.ndarray  # (m,) predicted limit of events, infinite if none [s]

    def __repr__(self) -> str:
        ends = Counter(status.name for status in self.status)
        return f"Batch({len(self.t)} runs: {', '.join(f'{n} {name}' for name, n in ends.items())})"


def run_batch(sim: Any, given: tuple, n_threads: int | None, how: dict[str, Any]) -> Batch:
    """Do what `Simulator.batch` does; `given` are x0s, d0s and params."""
    model = sim.model
    rows = [rows_of(value, default) for value, default in zip(given, (model.x0, model.d0, model.p0), strict=True)]
    sizes = {len(value) for value in rows if value is not None}
    if len(sizes) > 1:
        raise ValueError(f"x0s, d0s and params must agree in their number of rows, got {sorted(sizes)}")
    m = sizes.pop() if sizes else 1
    one = [value if row is None else None for value, row in zip(given, rows, strict=True)]
    start, settings = sim.start.of(*one, **how)
    one_run = sim.start.workspace(start, settings | {"record_period": None})
    one_run["log_on"] = 0
    if rows[2] is not None:
        sim.start.check_periods(rows[2])
    ws = copies(one_run, m)
    for name, value in zip("xdp", rows, strict=True):
        if value is not None and value.shape[1]:
            ws[name] = value
    run_all(sim, ws, n_threads)
    status, d = np.array([STATUS_OF_CODE[code] for code in ws["status"]]), ws["d"][:, : model.d0.size].copy()
    ends = (ws[name].copy() for name in ("chart", "n_charts", "zeno_limit"))
    return Batch(status, ws["t"].copy(), ws["x"].copy(), d, *ends)


def run_all(sim: Any, ws: np.ndarray, n_threads: int | None) -> None:
    """Finish all runs, in place: `ws` are their workspaces, shape (m,)."""
    empty = np.zeros((0, 1))
    if sim.mode != "compiled":
        for i in range(len(ws)):
            driver = Driver(sim.kernel, sim.mode, sim.functions, ws[i : i + 1], False)
            driver.run(None, None)
            ws[i] = driver.record()
        return
    n_threads = n_threads or os.cpu_count() or 1
    # Several pieces per thread: runs differ in length.
    edges = np.unique(np.linspace(0, len(ws), 8 * n_threads + 1).astype(int))
    with ThreadPoolExecutor(n_threads) as pool:
        list(
            pool.map(lambda i: sim.kernel.advance_many(ws, edges[i], edges[i + 1], empty, empty), range(len(edges) - 1))
        )
