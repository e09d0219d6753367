"""What the one-legged machines share: a run from apex to apex, of so many hops or for a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.scripts.library.base.interrupts import unbroken
from tarsus.scripts.library.machines.machine import RunStatus

ENDLESS = 10**6  # hops: the time ends the run
LONGEST_HOP = 1.0  # a run of n hops ends after n times this [s]


def limits(steps: int | None, seconds: float | None) -> tuple[int, float]:
    """Return after how many hops and after what time [s] a run ends, whichever comes first.

    Raises:
        ValueError: If there is no hop to make.
    """
    steps = ENDLESS if steps is None else steps
    if not steps >= 1:
        raise ValueError(f"the number of hops must be at least 1, got {steps}")
    return steps, steps * LONGEST_HOP if seconds is None else seconds


def exact(
    sim: hy.Simulator, x0: np.ndarray | None, steps: int | None, seconds: float | None, **settings: Any
) -> tuple[hy.Result, np.ndarray, str]:
    """Return a result of the hybrid engine, which of its rows to keep, and how the run ended.

    An instant with an event has two rows; that after it is kept.
    """
    steps, limit = limits(steps, seconds)
    run = unbroken(sim.run(x0, stop_at="apex", stop_count=steps, final_time=limit, **{"rtol": 1e-9} | settings))
    timely = seconds is not None and run.status is hy.Status.FINAL_TIME
    completed = timely or len(run.events.of("apex")) == steps
    keep = np.append(np.diff(run.t) > 0, True)[: run.t.size]
    return run, keep, RunStatus.COMPLETED if completed else run.message
