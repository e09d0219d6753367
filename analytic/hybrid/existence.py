"""Whether the derivative of a run exists, and the sentence that says why not."""

from enum import Enum

import numpy as np

from .directions import Directions
from .replay import RunDerivatives
from .result import Result, Status
from .simultaneous import ONE, SIDED


class Existence(Enum):
    """Whether the derivative of a run exists; the values are sentences."""

    EXISTS = "the derivative exists"
    ONE_SIDED = "guards fire at the same time and part along a direction; against it the derivative is another one"
    GRAZING = "a guard touches zero without crossing it; there the derivative does not exist"
    SIMULTANEOUS = "guards fire at the same time and part along a direction, and do not commute"
    ACCUMULATION = "the events accumulate at a finite time, which the derivative cannot pass"
    JUMP = "a guard jumps at an event, whose time has no derivative"
    DECLINED = "a transition declined and changed the memory; return the chart's code instead, which derivatives follow"
    UNREACHED = "the run did not come to where it was asked to stop"
    UNDEFINED = "a function of the model has no finite derivative"


def judge(r: Result, v: Directions, made: RunDerivatives, stop_at: str | None) -> tuple[Existence, str]:
    """Return the `Existence` of the derivatives `made` along directions v, k, and a sentence."""
    log = r.events
    for row in np.flatnonzero((log.kind == "transition") & np.isnan(made.t_by).any(axis=1)):
        bad = np.isnan(made.t_by[row])
        if row < made.n_rows and log.t[row] <= made.t_undefined:
            why = Existence.SIMULTANEOUS if log.reached[row].sum() > 1 else Existence.GRAZING
            if r.zeno is not None and r.zeno.settled_after <= row + 1:
                why = Existence.ACCUMULATION  # impacts become as slow as touches
            names = ", ".join(np.array(v.names)[bad])
            return why, f"{why.value}: {log.name[row]} at t = {float(log.t[row])!r}, along {names}"
    if stop_at is not None and len(log) and made.kinds[-1] != ONE:
        why = Existence.SIMULTANEOUS
        return why, f"{why.value}: the last event, {log.name[-1]} at t = {float(log.t[-1])!r}, has two times"
    if np.isfinite(made.t_undefined):
        names = ", ".join(np.array(v.names)[made.undefined])
        return Existence.UNDEFINED, f"{Existence.UNDEFINED.value}: at t = {made.t_undefined!r}, along {names}"
    existence, message = judge_run(r, stop_at)
    sided = np.flatnonzero(made.kinds == SIDED)
    if existence is Existence.EXISTS and len(sided):
        existence = Existence.ONE_SIDED
        message = f"{existence.value}: {log.name[sided[0]]} at t = {float(log.t[sided[0]])!r}"
    return existence, message


def judge_run(r: Result, stop_at: str | None) -> tuple[Existence, str]:
    """Whether a run may have a derivative, and a sentence: it came to its end, touched no guard, met no limit."""
    log = r.events
    if r.status is Status.ZENO or np.any(log.kind == "accumulation"):
        return Existence.ACCUMULATION, f"{Existence.ACCUMULATION.value}: {r.message}"
    remembered = (log.kind == "declined") & (log.d_minus != log.d_plus).any(axis=1)
    for why, rows in (
        (Existence.GRAZING, log.kind == "grazing"),
        (Existence.JUMP, log.jumped.any(axis=1)),
        (Existence.DECLINED, remembered),
    ):
        for row in np.flatnonzero(rows):
            return why, f"{why.value}: {log.name[row]} at t = {float(log.t[row])!r}"
    if r.status is not (Status.FINAL_TIME if stop_at is None else Status.STOPPED):
        return Existence.UNREACHED, f"{Existence.UNREACHED.value}: {r.message}"
    return Existence.EXISTS, f"{Existence.EXISTS.value}, at t = {r.t_end!r}"
