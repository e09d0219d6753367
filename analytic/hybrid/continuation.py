"""Continuation of a curve of fixed points: steps that adapt, bounds, the curve's end, and bifurcations on the way."""

import math

import numpy as np

from .arclength import Correction, CurvePoint, FixedPointCurve
from .bifurcations import Bifurcation, BifurcationKind, between
from .family import Family, FamilyEnd, Pace

FEW = 3  # Newton steps below which the next step is longer
LONGER, SHORTER = 1.5, 0.5
SHORTEST_FOR_CHANGE = 1e-2  # of the longest step: below it fast multipliers do not shorten the step any more


def continuation(
    curve: FixedPointCurve,
    outcome: Correction,
    first: CurvePoint | None,
    bounds: tuple[float, float],
    pace: Pace,
    stop_at: BifurcationKind | None,
) -> Family:
    """Return the family from its first point on, along its tangent; `outcome` is that of the search for this point."""
    if first is None:
        message = f"{FamilyEnd.NO_START.value}: {outcome.value}"
        return Family(FamilyEnd.NO_START, message, (), (), curve, bounds, pace)
    points, found, step, end = [first], [], pace.step, FamilyEnd.MAX_POINTS
    limits = np.array(bounds) / curve.scale[-1]
    while len(points) < pace.max_points:
        outcome, b, step, bounded = _advance(curve, points[-1], step, limits, pace)
        if b is None:
            end = FamilyEnd.NO_RETURN if outcome is Correction.NO_RETURN else FamilyEnd.NOT_CONVERGED
            break
        found += between(curve, points[-1], b, len(points) - 1)
        points.append(b)
        if stop_at is not None and any(one.kind is stop_at for one in found):
            end, found = FamilyEnd.BIFURCATION, _up_to(found, stop_at)
            break
        if bounded:
            end = FamilyEnd.BOUND
            break
        if _is_back(points):
            end = FamilyEnd.CLOSED
            break
    message = f"{end.value}, at p = {float(points[-1].u[-1] * curve.scale[-1])!r}"
    return Family(end, message, tuple(points), tuple(found), curve, bounds, pace)


def _up_to(found: list[Bifurcation], kind: BifurcationKind) -> list[Bifurcation]:
    first = next(i for i, one in enumerate(found) if one.kind is kind)
    return found[: first + 1]


def _advance(
    curve: FixedPointCurve, a: CurvePoint, step: float, limits: np.ndarray, pace: Pace
) -> tuple[Correction, CurvePoint | None, float, bool]:
    """Return the next point, the step after it, and whether it lies on a bound."""
    while True:
        outcome, b = curve.correct(a.u + step * a.tangent, a.tangent)
        bounded = False
        if b is not None and not limits[0] <= b.u[-1] <= limits[1]:
            outcome, b = _on_bound(curve, a, b, limits[int(b.u[-1] > limits[1])])
            bounded = True
        if b is not None and not _too_far(a, b, step, pace):
            longer = LONGER if b.iterations <= FEW else 1.0
            return outcome, b, min(step * longer, pace.max_step), bounded
        if step <= pace.min_step:
            return outcome if b is None else Correction.NOT_CONVERGED, None, step, False
        step = max(step * SHORTER, pace.min_step)


def _on_bound(
    curve: FixedPointCurve, a: CurvePoint, b: CurvePoint, limit: float
) -> tuple[Correction, CurvePoint | None]:
    share = (limit - a.u[-1]) / (b.u[-1] - a.u[-1])
    guess = a.u + share * (b.u - a.u)
    guess[-1] = limit
    normal = np.append(np.zeros(guess.size - 1), math.copysign(1.0, b.u[-1] - a.u[-1]))
    outcome, point = curve.correct(guess, normal)
    if point is not None and (point.u - a.u) @ a.tangent < 0.0:
        return Correction.NOT_CONVERGED, None  # a point on the other side of a fold
    return outcome, point


def _too_far(a: CurvePoint, b: CurvePoint, step: float, pace: Pace) -> bool:
    """Return whether a step turns the tangent, or changes the multipliers, by more than `pace` allows."""
    if math.acos(min(1.0, abs(a.tangent @ b.tangent))) > pace.max_bend or a.tangent @ b.tangent < 0.0:
        return True
    return step > SHORTEST_FOR_CHANGE * pace.max_step and change(a.multipliers, b.multipliers) > pace.max_change


def change(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest change of multipliers (k,), over one plus their modulus, if each becomes the nearest one."""
    from scipy.optimize import linear_sum_assignment  # slow to import, and needed only here

    distance = np.abs(a[:, None] - b[None, :]) / (1.0 + np.abs(a[:, None]))
    return float(distance[linear_sum_assignment(distance)].max())


def _is_back(points: list[CurvePoint]) -> bool:
    """Return whether the last step passed the first point, in its direction."""
    first = points[0]
    before, now = points[-2].u - first.u, points[-1].u - first.u
    step = np.linalg.norm(points[-1].u - points[-2].u)
    passed = before @ first.tangent < 0.0 <= now @ first.tangent
    return bool(len(points) > 3 and passed and np.linalg.norm(now) < step and np.linalg.norm(before) < step)
