"""What a gait survives, as fields of its result: margins of a closed loop, the basin of a return map over a box.

Of points drawn evenly from a box, the share that returns within some periods has Clopper and Pearson's interval. Beside
it stands `hybrid.basin`: the largest ellipsoid, from one that contains the whole box downward, of which with a
confidence nearly all comes nearer in a period.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.analytic.hybrid import sections
from tarsus.analytic.hybrid.basin import Basin, basin, lyapunov_shape
from tarsus.scripts.library.stability import single, survival_panel
from tarsus.scripts.library.stability.ensembles import share_interval
from tarsus.scripts.library.stability.gaits import Gait
from tarsus.scripts.library.stability.loop import Loop
from tarsus.scripts.library.stability.margins import N_PHASES, N_TRIALS, PUSHES, Margin, Question, margins
from tarsus.scripts.library.stability.result import Stability
from tarsus.scripts.library.stability.system import MapSystem
from tarsus.scripts.library.stability.verdict import Kind

RETURNED = 0.05  # of the way from the fixed point to the box's sides: nearer is back
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


@dataclass(frozen=True)
class BoxBasin:
    """What of a box of states returns to a gait."""

    n_returned: int  # points of the box that returned
    n_points: int  # points that were drawn
    # low, high: interval of the share of the box that returns
    low: float
    high: float
    confidence: float  # of that
    n_periods: int  # within which they are to return
    ellipsoid: Basin  # of which nearly all comes nearer in a period
    inside: float  # share of the drawn points that lie in it

    @property
    def message(self) -> str:
        """What is known, in two sentences."""
        return (
            f"{self.n_returned / self.n_points:.1%} of the box return within {self.n_periods} periods "
            f"({self.low:.1%} to {self.high:.1%}, confidence {self.confidence:.0%}, {self.n_points} drawn). "
            f"{self.inside:.0%} of it lie in an ellipsoid: {self.ellipsoid.message}"
        )


def box_basin(
    period: Callable[[np.ndarray], np.ndarray],
    z: np.ndarray,
    closed: np.ndarray,
    reach: np.ndarray,
    rng: np.random.Generator,
    *,
    n_points: int = 300,
    n_periods: int = 20,
    confidence: float = 0.9,
    share: float = 0.01,
    beta: float = 1e-3,
) -> BoxBasin:
    """Return the part of the box z - reach to z + reach that returns to z.

    Args:
        period: `period(z) -> z'`, shape (m,); NaN where it falls.
        z: The fixed point, shape (m,).
        closed: Derivative of `period` there, shape (m, m).
        reach: How far each coordinate may be off, shape (m,), positive.
        rng: Draws the points.
        n_points: Drawn from the box.
        n_periods: Within which a point is to return.
        confidence: Of the share's interval.
        share: Of the ellipsoid that may fail at most, see `hybrid.basin`.
        beta: One minus the ellipsoid's confidence.

    Raises:
        ValueError: If the closed loop is unstable, or the box has no width in a coordinate.
    """
    z, reach = np.asarray(z, float), np.asarray(reach, float)
    if reach.shape != z.shape or not (reach > 0.0).all():
        raise ValueError(f"the box needs a positive width in each of {z.size} coordinates, got {reach}")
    shape = lyapunov_shape(np.asarray(closed, float))
    points = z + reach * rng.uniform(-1.0, 1.0, (n_points, z.size))
    returned = sum(_returns(period, point, z, reach, n_periods) for point in points)
    level = float(np.sqrt(np.diag(shape)) @ reach) ** 2  # by the triangle inequality no corner has more
    ellipsoid = basin(period, z, closed, rng, level=level, share=share, beta=beta)
    off = points - z
    inside = np.einsum("ni,ij,nj->n", off, shape, off) <= ellipsoid.level
    interval = share_interval(returned, n_points, confidence)
    return BoxBasin(returned, n_points, *interval, confidence, n_periods, ellipsoid, float(inside.mean()))


def _returns(period: Callable, point: np.ndarray, z: np.ndarray, reach: np.ndarray, n_periods: int) -> bool:
    """Return whether a point is near z after some periods, at the end and not only in passing."""
    for _ in range(n_periods):
        point = period(point)
        if not np.isfinite(point).all():
            return False
    return bool((np.abs(point - z) <= RETURNED * reach).all())
