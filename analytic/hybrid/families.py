"""Families of periodic motions: fixed points of a return map, followed in one parameter through turning points.

Any map `z, p -> z'` will do; `section_map` makes one from a section of a hybrid model. `follow` walks along the family
by pseudo-arclength, with steps as long as the curve's bend and the multipliers' speed allow; it finds and locates
folds, period doublings, Neimark-Sacker bifurcations and crossings of families. `switch` goes over to the family of
twice the period, `cascade` does so again and again::

    family = families.follow(stride, z, slope, bounds=(0.0, 0.02))
    plt.plot(family.p, family.z[:, 0])
    family.status, family.p[-1]  # why it ended, and where

A family that ends, a section that is never reached: the status says so, and the last point is the last good one.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .arclength import Correction, CurvePoint, FixedPointCurve
from .bifurcations import Bifurcation, BifurcationKind
from .continuation import continuation
from .family import Family, FamilyEnd, Pace
from .sections import return_map
from .simulator import Simulator

NEW_ORBIT = 0.1  # a doubled orbit's two halves differ by this share of the way that was stepped towards it, or more
SINGULAR = 1e8  # condition number; differences cannot tell larger ones from infinity
HALVINGS = 12  # of the first step towards a doubled orbit


def section_map(
    sim: Simulator,
    section: str,
    lift: Callable,
    project: Callable,
    parameter: str | None = None,
    params: dict | None = None,
    **kw: Any,
) -> Callable:
    """Return the map `(z, p) -> z'` of a section.

    Args:
        sim: The simulator.
        section: Name of the guard.
        lift: `lift(z, p) -> (x, d)`, the state just after the section's event.
        project: `project(x, d) -> z`, its inverse.
        parameter: Name of the model's parameter that p is; None: `lift` alone makes use of p.
        params: Further parameters by name.
        **kw: Of `sections.return_to`, e.g. `chart`, the chart behind the section, and `rtol`.

    Returns:
        A function of (shape (k,), float) to shape (k,); NaN where the run does not come back.

    Raises:
        ValueError: If the model has no such parameter.
    """
    if parameter is not None and parameter not in sim.model.param_names:
        known = ", ".join(sim.model.param_names) or "none"
        raise ValueError(f"unknown parameter {parameter!r}; known: {known}")

    def mapping(z: np.ndarray, p: float) -> np.ndarray:
        values = dict(params or {}) | ({} if parameter is None else {parameter: p})
        return return_map(sim, section, lambda z: lift(z, p), project, values or None, **kw)(z)

    return mapping


def follow(
    mapping: Callable,
    z: Any,
    p: float,
    *,
    bounds: tuple[float, float],
    direction: int = 1,
    scale: Any = None,
    stop_at: BifurcationKind | None = None,
    tol: float = 1e-11,
    difference: float = 1e-4,
    derivative: Callable | None = None,
    **pace: Any,
) -> Family:
    """Follow the family of fixed points through a point, until a bound or its end.

    Args:
        mapping: `mapping(z, p) -> z'`, shapes (k,); NaN where it is not defined.
        z: A fixed point at p, or near one, shape (k,).
        p: The parameter's first value.
        bounds: Of the parameter.
        direction: +1 to set out towards larger p, -1 towards smaller.
        scale: Lengths that the entries of z and p vary over, shape (k + 1,); steps and differences are relative to
            them. None: the largest entry of z for all of z, and the distance of the bounds for p.
        stop_at: A kind of bifurcation: the family ends behind the first one.
        tol: Largest accepted |map(z) - z|, scaled; below the map's own error it cannot be reached.
        difference: Step of the differences for the derivative, scaled: error about its fourth power, and the map's own
            error over it. The family cannot be followed nearer than twice this to where the map is not defined.
        derivative: `derivative(z, p) -> (k, k + 1)`, in place of differences.
        **pace: See `Pace`.

    Raises:
        ValueError: If bounds, direction, scale or a step are wrong.
    """
    z = np.atleast_1d(np.asarray(z, dtype=float))
    if not (np.all(np.isfinite(bounds)) and bounds[0] <= p <= bounds[1] and bounds[0] < bounds[1]):
        raise ValueError(f"bounds must be finite, and p = {p} between them, got {bounds}")
    if direction not in (1, -1):
        raise ValueError(f"direction must be 1 or -1, got {direction}")
    scale = np.asarray(_scale(z, bounds) if scale is None else scale, dtype=float)
    if scale.shape != (z.size + 1,) or not np.all(scale > 0):
        raise ValueError(f"scale must be positive, of shape ({z.size + 1},), got {scale}")
    curve = FixedPointCurve(mapping, 1, scale, tol, difference, derivative, Pace(**pace).max_iter)
    normal = np.append(np.zeros(z.size), float(direction))
    outcome, first = curve.correct(np.append(z, p) / scale, normal)
    if first is not None and np.linalg.cond(first.bordered) > SINGULAR:
        outcome, first = Correction.SINGULAR, None
    return continuation(curve, outcome, first, bounds, Pace(**pace), stop_at)


def _scale(z: np.ndarray, bounds: tuple[float, float]) -> np.ndarray:
    return np.append(np.full(z.size, np.abs(z).max() or 1.0), bounds[1] - bounds[0])


def switch(family: Family, at: Bifurcation, *, stop_at: BifurcationKind | None = None, **pace: Any) -> Family:
    """Follow the family of twice the period that begins at a period doubling.

    Args:
        family: The family it was found on; bounds, scale, tolerances and pace are taken over.
        at: One of its bifurcations.
        stop_at: As in `follow`.
        **pace: What is to differ of the family's `Pace`. The first step is halved until it meets an orbit that is just
            born.

    Raises:
        ValueError: If it is no period doubling that was located.
    """
    if at.kind is not BifurcationKind.PERIOD_DOUBLING or not at.located:
        raise ValueError(f"branches are switched at period doublings that were located, got {at.kind.name}")
    old, steps = family.curve, replace(family.pace, **pace)
    curve = FixedPointCurve(
        old.mapping, 2 * old.period, old.scale, old.tol, old.difference, old.derivative, old.max_iter
    )
    outcome, first, step = _first_of_doubled(curve, at, steps.step)
    return continuation(curve, outcome, first, family.bounds, replace(steps, step=step), stop_at)


def _first_of_doubled(
    curve: FixedPointCurve, at: Bifurcation, step: float
) -> tuple[Correction, CurvePoint | None, float]:
    """Return a point of the doubled family near its birth, with a tangent that leads away."""
    values, vectors = np.linalg.eig(at.point.jacobian[:, :-1])
    across = np.append(np.real(vectors[:, np.argmin(np.abs(values + 1.0))]), 0.0)
    # A plane beside the old family, so that Newton's method cannot fall back onto it.
    normal = across - (across @ at.point.tangent) * at.point.tangent
    normal /= np.linalg.norm(normal)
    outcome = Correction.NOT_CONVERGED
    for _ in range(HALVINGS):
        outcome, first = curve.correct(at.point.u + step * across, normal)
        if first is not None:
            halves = curve.cycle(first.u)
            apart = np.abs(halves[curve.period // 2] - halves[0]).max()
            # At its birth the multiplier is 1; where it is negative already, the next doubling may have been passed.
            if apart > NEW_ORBIT * step and np.real(first.multipliers).min() > -0.5:
                return outcome, first, step
            outcome = Correction.NOT_CONVERGED
        step *= 0.5
    return outcome, None, step


def cascade(mapping: Callable, z: Any, p: float, doublings: int, **settings: Any) -> list[Family]:
    """Follow a family to its first period doubling, the doubled one to its own, and so on.

    Args:
        mapping: As in `follow`.
        z: As in `follow`.
        p: As in `follow`.
        doublings: How many doublings to pass.
        **settings: Of `follow`.

    Returns:
        Families of period 1, 2, 4, ..., each but the last with status BIFURCATION, its last bifurcation the doubling;
        fewer if one of them ends before.

    Raises:
        ValueError: As `follow`.
    """
    found = [follow(mapping, z, p, stop_at=BifurcationKind.PERIOD_DOUBLING, **settings)]
    while len(found) <= doublings and found[-1].status is FamilyEnd.BIFURCATION:
        last = found[-1]
        # Feigenbaum: amplitudes shrink by 2.5, ranges of the parameter by 4.7, from each doubling to the next.
        steps = {"step": last.pace.step / 2.5, "max_step": last.pace.max_step / 2.5}
        stop_at = BifurcationKind.PERIOD_DOUBLING if len(found) < doublings else None
        found.append(switch(last, last.bifurcations[-1], stop_at=stop_at, **steps))
    return found
