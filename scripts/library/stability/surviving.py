"""What a gait survives, as fields of its result: margins of a closed loop, the basin of a return map over a box."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.analytic.hybrid import sections
from tarsus.scripts.library.stability import single, survival_panel
from tarsus.scripts.library.stability.box_basin import box_basin
from tarsus.scripts.library.stability.gaits import Gait
from tarsus.scripts.library.stability.loop import Loop
from tarsus.scripts.library.stability.margins import N_PHASES, N_TRIALS, PUSHES, Margin, Question, margins
from tarsus.scripts.library.stability.result import Stability
from tarsus.scripts.library.stability.system import MapSystem
from tarsus.scripts.library.stability.verdict import Kind

APERIODIC = 1.0  # what is taken for the period of what has none [s]


def refuse(subject: Loop | Gait, with_margins: bool, box: Sequence[float], trials: int = N_TRIALS) -> None:
    """Refuse what cannot be asked of a subject."""
    if trials < N_PHASES or trials % N_PHASES:
        raise ValueError(f"trials must be a multiple of {N_PHASES}, the phases that are pushed in; got {trials}")
    if with_margins and isinstance(subject, Gait) and subject.pushed is None:
        raise ValueError(f"{subject.name} is a return map that is not pushed: ask for a box instead")
    if box and not isinstance(subject, Gait):
        raise ValueError("a box needs a return map: a robot's file with --engine exact, or a model; loops have margins")
    if box and len(box) not in (1, len(subject.system.names)):
        names = ", ".join(subject.system.names)
        raise ValueError(f"a box takes one number, or one for each of {names}; got {len(box)}")


def added(
    found: Stability,
    subject: Loop | Gait,
    make: Callable[[], Loop | Gait],
    with_margins: bool,
    box: Sequence[float],
    store: Path | None = None,
    jobs: int = -1,
    trials: int = N_TRIALS,
    said: single.Said = single.silent,
) -> Stability:
    """Return a result with margins, or a basin over a box, if they were asked for.

    The box is how far each coordinate may be off, in typical values: one number for all, or none for no basin. Parts of
    the result, trials among them, are kept in the folder `store`; `make` makes the subject anew, in any process; `said`
    is told each margin as it is found.
    """
    if box and isinstance(subject, Gait):
        found = replace(found, basin=basin_of(subject.system, box))
    if not with_margins:
        return found
    if found.verdict in (Kind.FALLS.value, Kind.STOCHASTIC.value):
        return replace(found, lines=(*found.lines, f"no margins: the verdict is {found.verdict}"))
    steps = 0 if isinstance(subject, Gait) else round((found.period or APERIODIC) / subject.ctrl_dt)
    about = {name: getattr(found, name) for name in ("policy", "environment", "engine", "versions")}
    about |= {"options": repr(dict(found.options)), "mark": single.mark(subject, found.seed)}
    survived = margins(Question(make, steps, store, about, n_trials=trials), jobs, said=said)
    return replace(found, margins=tuple(map(asdict, survived)))


def basin_of(system: MapSystem, box: Sequence[float]) -> dict[str, Any]:
    """Return the basin of a map over a box, see `added`, as numbers; of an unstable gait the sentence alone."""
    nothing = np.zeros(len(system.names))

    def stride(z: np.ndarray) -> np.ndarray:
        return (system.stride(system.at + system.scale * z) - system.at) / system.scale

    reach = nothing + np.asarray(box, float)
    closed = sections.derivative(stride, nothing)
    try:
        found = box_basin(stride, nothing, closed, reach, np.random.default_rng(0))
    except ValueError as error:
        return {"reach": reach.tolist(), "message": f"no basin: {error}"}
    numbers = {name: getattr(found, name) for name in ("n_returned", "n_points", "low", "high", "confidence", "inside")}
    ellipsoid = {"radii": found.ellipsoid.radii.tolist(), "level": found.ellipsoid.level}
    return {"reach": reach.tolist(), "message": found.message} | numbers | ellipsoid


def messages(found: Stability) -> list[str]:
    """Return sentences on what is survived."""
    told = [Margin.restored(one).message for one in found.margins]
    return told + ([found.basin["message"]] if found.basin else [])


def pushes(found: Stability) -> str:
    """Return the threshold of pushes from all directions, for a table; "-" if they were not tried."""
    restored = (Margin.restored(one) for one in found.margins if one["name"] == PUSHES)
    return next((one.threshold.cell for one in restored if one.threshold), "-")


def panel(found: Stability) -> Callable[[Any], None] | None:
    """Return a function that draws the pushes survived in each direction on axes; None if there are none."""
    restored = [Margin.restored(one) for one in found.margins if one["name"] != PUSHES]
    return functools.partial(survival_panel.draw, margins=restored) if restored else None
