"""The basin of a gait over a box of states: how much of it returns, and an ellipsoid in it that comes nearer.

The box is the user's: how far each coordinate may be off. Of points drawn evenly from it, the share that returns within
some periods has Clopper and Pearson's interval. Beside it stands `hybrid.basin`: the largest ellipsoid, from one that
contains the whole box downward, of which with a confidence nearly all comes nearer in a period.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tarsus.analytic.hybrid.basin import Basin, basin, lyapunov_shape
from tarsus.scripts.library.stability.ensembles import share_interval

RETURNED = 0.05  # of the way from the fixed point to the box's sides: nearer is back


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
