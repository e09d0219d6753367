"""A family of fixed points: its points, its bifurcations, and the reason for its end."""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from .arclength import CurvePoint, FixedPointCurve
from .bifurcations import Bifurcation


class FamilyEnd(Enum):
    """Why a family was followed no further; the values are sentences."""

    BOUND = "the parameter reached its bound"
    BIFURCATION = "a bifurcation was reached at which it was to stop"
    CLOSED = "the family came back to its first point"
    MAX_POINTS = "the largest allowed number of points was reached"
    NO_RETURN = "beyond the last point the map is not defined: the run does not come back to the section"
    NOT_CONVERGED = "beyond the last point Newton's method finds no fixed point with the shortest step"
    NO_START = "no fixed point was found near the start; the family has no points"


@dataclass(frozen=True)
class Pace:
    """How fast a family is followed; lengths are scaled, see `families.follow`."""

    step: float = 0.01  # first step along the curve
    min_step: float = 1e-6  # where the family is given up: how near to its end the last point lies
    max_step: float = 0.05  # a larger one may pass two bifurcations of one kind at once, which are then not seen
    max_points: int = 1000
    max_iter: int = 8  # Newton steps per point
    max_bend: float = 0.2  # angle between the tangents of neighbouring points [rad]
    max_change: float = 0.5  # of a multiplier from point to point, over one plus its modulus

    def __post_init__(self) -> None:
        if not 0 < self.min_step <= self.step <= self.max_step:
            raise ValueError(
                f"steps must be 0 < min_step <= step <= max_step, got {self.min_step}, {self.step}, {self.max_step}"
            )
        for name in ("max_points", "max_iter", "max_bend", "max_change"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")


@dataclass(frozen=True)
class Family:
    """A family of fixed points, or of cycles of a period. Check `status`; the last point is the last good one."""

    status: FamilyEnd
    message: str
    points: tuple[CurvePoint, ...]  # scaled
    bifurcations: tuple[Bifurcation, ...]  # in the order in which they were passed
    curve: FixedPointCurve
    bounds: tuple[float, float]
    pace: Pace

    @property
    def period(self) -> int:
        """How many times the map is applied in one period."""
        return self.curve.period

    @cached_property
    def _u(self) -> np.ndarray:
        k = self.curve.scale.size
        return np.array([point.u for point in self.points]).reshape(-1, k) * self.curve.scale

    @property
    def z(self) -> np.ndarray:
        """Fixed points, shape (m, k)."""
        return self._u[:, :-1]

    @property
    def p(self) -> np.ndarray:
        """The parameter, shape (m,)."""
        return self._u[:, -1]

    @cached_property
    def multipliers(self) -> np.ndarray:
        """Multipliers of the whole period, largest modulus first, shape (m, k), complex."""
        k = self.curve.scale.size - 1
        return np.array([point.multipliers for point in self.points], dtype=complex).reshape(-1, k)

    @property
    def stable(self) -> np.ndarray:
        """Whether all multipliers lie inside the unit circle, shape (m,)."""
        return np.all(np.abs(self.multipliers) < 1.0, axis=1)

    @cached_property
    def cycles(self) -> np.ndarray:
        """All points of each cycle, in their order, shape (m, period, k): maps are run for it."""
        shape = (-1, self.period, self.curve.scale.size - 1)
        cycles = [self.cycle(z, p) for z, p in zip(self.z, self.p, strict=True)]
        return np.array(cycles).reshape(shape)

    def cycle(self, z: np.ndarray, p: float) -> np.ndarray:
        """Return the points of the cycle through a point of it at p, shape (period, k)."""
        return self.curve.cycle(np.append(z, p) / self.curve.scale)[:-1] * self.curve.scale[:-1]

    def at(self, p: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the fixed points and their multipliers where the parameter has a value, in the order of passing.

        Newton's method corrects them between the neighbouring points of the family; where it fails, they are NaN.

        Returns:
            Shapes (j, k) both, j the number of times that the family passes p.
        """
        scaled = p / self.curve.scale[-1]
        normal = np.append(np.zeros(self.curve.scale.size - 1), 1.0)
        found = []
        for i, (a, b) in enumerate(zip(self.points[:-1], self.points[1:], strict=True)):
            starts_here = i == 0 and a.u[-1] == scaled
            if (a.u[-1] - scaled) * (b.u[-1] - scaled) < 0.0 or b.u[-1] == scaled or starts_here:
                guess = a.u + (scaled - a.u[-1]) / (b.u[-1] - a.u[-1]) * (b.u - a.u)
                _, point = self.curve.correct(guess, normal)
                found.append(point)
        shape = (-1, normal.size - 1)
        nan = np.full(normal.size - 1, np.nan)
        z = [nan if one is None else one.u[:-1] * self.curve.scale[:-1] for one in found]
        values = [nan if one is None else one.multipliers for one in found]
        return np.array(z).reshape(shape), np.array(values, dtype=complex).reshape(shape)

    def to_xarray(self) -> Any:
        """Return the family as a data set of xarray: z, multipliers, stable over p, and the status as attributes."""
        import xarray

        by_point = {"z": (("point", "coordinate"), self.z), "stable": (("point",), self.stable)}
        by_point["multipliers"] = (("point", "multiplier"), self.multipliers)
        attributes = {"status": self.status.name, "message": self.message, "period": self.period}
        return xarray.Dataset(by_point, {"p": (("point",), self.p)}, attributes)
