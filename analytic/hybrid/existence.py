"""Whether the derivative of a run exists, and the sentence that says why not."""

from __future__ import annotations

from enum import Enum

import numpy as np

from .directions import Directions
from .result import Result, Status


class Existence(Enum):
    """Whether the derivative of a run exists; the values are sentences."""

    EXISTS = "the derivative exists"
    GRAZING = "a guard touches zero without crossing it; there the derivative does not exist"
    SIMULTANEOUS = "guards fire at the same time and part along a direction; the derivative is one-sided"
    ACCUMULATION = "the events accumulate at a finite time, which the derivative cannot pass"
    UNREACHED = "the run did not come to where it was asked to stop"
    UNDEFINED = "a function of the model is not defined within the step of its differences"


def judge(r: Result, v: Directions, n: int, stop_at: str | None) -> tuple[Existence, str]:
    """Return whether the derivative exists, and a sentence.

    Args:
        r: The run of the augmented model.
        v: Its directions, k.
        n: States of the model.
        stop_at: The guard that was to end it, or None.
    """
    log, k = r.events, v.size
    for row in np.flatnonzero(log.kind == "transition"):
        late = log.d_plus[row, -k:]
        if np.isnan(late).any():
            why = Existence.SIMULTANEOUS if log.fired[row].sum() > 1 else Existence.GRAZING
            if r.zeno is not None and r.zeno.settled_after <= row + 1:
                why = Existence.ACCUMULATION  # impacts become as slow as touches
            names = ", ".join(np.array(v.names)[np.isnan(late)])
            return why, f"{why.value}: {log.name[row]} at t = {float(log.t[row])!r}, along {names}"
    for row in np.flatnonzero(log.kind == "grazing"):
        return Existence.GRAZING, f"{Existence.GRAZING.value}: {log.name[row]} at t = {float(log.t[row])!r}"
    if r.status is Status.NONFINITE and (int(r._w["culprit"]) >= n or np.isnan(r.x_end[n:]).any()):
        column = max(int(r._w["culprit"]) - n, 0) // n
        return Existence.UNDEFINED, f"{Existence.UNDEFINED.value}: at t = {r.t_end!r}, along {v.names[column]}"
    if r.status is not (Status.FINAL_TIME if stop_at is None else Status.STOPPED):
        return Existence.UNREACHED, f"{Existence.UNREACHED.value}: {r.message}"
    return Existence.EXISTS, f"{Existence.EXISTS.value}, at t = {r.t_end!r}"
