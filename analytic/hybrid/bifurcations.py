"""Bifurcations on a curve of fixed points: found by a test function that changes sign, located by its zero.

| kind | test function | at its zero |
|---|---|---|
| fold | dp/ds of the curve | it turns back; a multiplier is 1 |
| branch point | determinant of the derivative of f(z, p) - z, bordered by the tangent | another family crosses |
| period doubling | product of (multiplier + 1) | a multiplier is -1; a family of twice the period begins |
| Neimark-Sacker | product of (multiplier times another - 1), over all pairs | a complex pair lies on the unit circle |

The last one is also zero where two real multipliers have the product 1, which is no bifurcation and left out.

Source: Kuznetsov, Elements of Applied Bifurcation Theory, 3rd ed. (2004), sections 4.1 and 10.3.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

import numpy as np

from .arclength import CurvePoint, FixedPointCurve

# Test functions smaller than this at both ends of a step are rounding of one that is zero throughout, as in a map that
# conserves a quantity, where a multiplier is 1 everywhere.
NOISE = 1e-7
JUMP = 1e-4  # share of its values at the step's ends below which a test function's zero is none of a jump
ON_CIRCLE = 1e-3  # how near to 1 the product of a pair must be that made the test function zero


class BifurcationKind(Enum):
    """What happens to a family of fixed points."""

    FOLD = "the family turns back: a multiplier is 1"
    BRANCH_POINT = "another family crosses: a multiplier is 1"
    PERIOD_DOUBLING = "a family of twice the period begins: a multiplier is -1"
    NEIMARK_SACKER = "an invariant circle begins: a complex pair of multipliers lies on the unit circle"


@dataclass(frozen=True)
class Bifurcation:
    """A bifurcation of a family."""

    kind: BifurcationKind
    z: np.ndarray  # (k,) fixed point
    p: float  # parameter
    multipliers: np.ndarray  # (k,) complex or real, largest modulus first
    located: bool  # False: the map failed on the way to it, z and p are the last good point before; or it jumps there
    index: int  # it lies behind this point of the family
    point: CurvePoint  # in the family's scaled coordinates

    @property
    def critical(self) -> np.ndarray:
        """The multipliers that make it, shape (1,), or (2,) of a Neimark-Sacker bifurcation."""
        if self.kind is BifurcationKind.NEIMARK_SACKER:
            pair = min(_pairs(self.multipliers), key=lambda pair: abs(pair[0] * pair[1] - 1.0))
            return np.array(pair)
        where = -1.0 if self.kind is BifurcationKind.PERIOD_DOUBLING else 1.0
        return self.multipliers[[np.argmin(np.abs(self.multipliers - where))]]


def _pairs(values: np.ndarray) -> list[tuple]:
    return list(combinations(values, 2))


TESTS: dict[BifurcationKind, Callable[[CurvePoint], float]] = {
    BifurcationKind.FOLD: lambda point: float(point.tangent[-1]),
    BifurcationKind.BRANCH_POINT: lambda point: float(np.linalg.det(point.bordered)),  # not zero at a fold
    BifurcationKind.PERIOD_DOUBLING: lambda point: float(
        np.linalg.det(point.jacobian[:, :-1] + np.eye(len(point.jacobian)))
    ),
    BifurcationKind.NEIMARK_SACKER: lambda point: float(
        np.prod([a * b - 1.0 for a, b in _pairs(point.multipliers)]).real
    ),
}


class _MapFailed(Exception):
    """The corrector found no point on the way to a bifurcation."""


def between(curve: FixedPointCurve, a: CurvePoint, b: CurvePoint, index: int) -> list[Bifurcation]:
    """Return the bifurcations between two neighbouring points of the curve, in their order.

    An even number of the same kind within the step stays unseen. Each is located to the accuracy of the map and of its
    derivative: the zero of the test function along the curve is refined to rounding.
    """
    found = []
    for kind, test in TESTS.items():
        values = test(a), test(b)
        if values[0] * values[1] < 0.0 and max(np.abs(values)) > NOISE:
            found.append(_locate(curve, a, b, index, kind))
    return sorted(filter(_is_one, found), key=lambda one: (one.point.u - a.u) @ a.tangent)


def _locate(curve: FixedPointCurve, a: CurvePoint, b: CurvePoint, index: int, kind: BifurcationKind) -> Bifurcation:
    from scipy.optimize import brentq  # slow to import, and needed only here

    def at(s: float) -> CurvePoint:
        _, point = curve.correct(a.u + s * a.tangent, a.tangent)
        if point is None:
            raise _MapFailed
        return point

    test, end = TESTS[kind], float((b.u - a.u) @ a.tangent)
    ends = {0.0: a, end: b}
    try:
        s = brentq(lambda s: test(ends.get(s) or at(s)), 0.0, end, xtol=1e-15, rtol=1e-14)
        point = ends.get(s) or at(s)
        located = abs(test(point)) <= JUMP * max(abs(test(a)), abs(test(b)))
    except (_MapFailed, ValueError):
        point, located = a, False
    real = point.u * curve.scale
    return Bifurcation(kind, real[:-1], float(real[-1]), point.multipliers, located, index, point)


def _is_one(found: Bifurcation) -> bool:
    """Return whether the bifurcation is real: not a pair of real multipliers of product 1."""
    if found.kind is not BifurcationKind.NEIMARK_SACKER or not found.located:
        return True
    a, b = found.critical
    return abs(a * b - 1.0) < ON_CIRCLE and abs(np.imag(a)) > 0.0
