"""How far from a gait disturbances return: an ellipsoid, and with which confidence nearly all of it comes nearer.

With P from Lyapunov's equation of the closed loop M, M'PM - P = -1, V = (z - z*)'P(z - z*) falls near the fixed point.
`basin` finds how far: of n points drawn from the ellipsoid V <= level none came back with a larger V. Then with
confidence 1 - beta at most a share eps of it does, if n >= ln(1/beta) / eps. It is a statement about draws, not a
proof: what comes nearer in one period may still leave later, with a share that small in each.

Source: Calafiore & Campi, The scenario approach to robust control design, IEEE Trans. Automatic Control 51 (2006), of
which one level is the simplest case (Clopper & Pearson's bound for no failures).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SMALLER = 0.7  # of the level, after a point that did not come nearer


@dataclass(frozen=True)
class Basin:
    """An ellipsoid of disturbances (z - z*)'P(z - z*) <= level."""

    shape: np.ndarray  # P, (m, m)
    level: float  # zero if no level held
    n_points: int  # drawn at this level
    share: float  # of it that may fail: eps
    confidence: float  # 1 - beta
    n_levels: int  # tried

    @property
    def message(self) -> str:
        """What is known, in a sentence."""
        if not self.level > 0.0:
            return f"of {self.n_levels} levels none held: disturbances return from nearby only, or not at all"
        return (
            f"with confidence {self.confidence:.9g} at most {self.share:g} of the disturbances up to level "
            f"{self.level:.4g} do not come nearer in a period ({self.n_points} drawn)"
        )

    @property
    def radii(self) -> np.ndarray:
        """The largest disturbance of each coordinate alone, shape (m,)."""
        return np.sqrt(self.level / np.diag(self.shape))


def points_needed(share: float, beta: float) -> int:
    """Return the number of points without a failure that show, with confidence 1 - beta, that at most a share fails.

    Raises:
        ValueError: If one is not between 0 and 1.
    """
    if not (0.0 < share < 1.0 and 0.0 < beta < 1.0):
        raise ValueError(f"share and beta must lie between 0 and 1, got {share} and {beta}")
    return math.ceil(math.log(beta) / math.log1p(-share))


def lyapunov_shape(closed: np.ndarray) -> np.ndarray:
    """Return P with M'PM - P = -1 for a stable matrix M, shape (m, m).

    Raises:
        ValueError: If M has a multiplier on or outside the unit circle.
    """
    from scipy.linalg import solve_discrete_lyapunov  # slow to import, and needed only here

    largest = float(np.abs(np.linalg.eigvals(closed)).max())
    if not largest < 1.0:
        raise ValueError(f"the closed loop is not stable, its largest multiplier is {largest:.4g}; give another gain")
    return solve_discrete_lyapunov(closed.T, np.eye(len(closed)))


def basin(
    period: Callable[[np.ndarray], np.ndarray],
    z: np.ndarray,
    closed: np.ndarray,
    rng: np.random.Generator,
    *,
    level: float,
    share: float = 1e-3,
    beta: float = 1e-6,
    max_levels: int = 30,
) -> Basin:
    """Return the largest tried ellipsoid of which all drawn points come nearer in a period.

    Levels are tried from `level` down; each has draws of its own, and the k-th a confidence of 1 - beta / 2^k, so that
    all statements together hold with 1 - beta.

    Args:
        period: `period(z) -> z'` with feedback, shape (m,); NaN where it falls.
        z: The fixed point, shape (m,).
        closed: Derivative of `period` there, shape (m, m).
        rng: Draws the points.
        level: The first level: beyond what is hoped for.
        share: What may fail at most.
        beta: One minus the confidence.
        max_levels: Levels tried.

    Raises:
        ValueError: If the closed loop is unstable, or the level is not positive.
    """
    if not level > 0.0:
        raise ValueError(f"level must be positive, a value of the quadratic form, got {level}")
    shape = lyapunov_shape(np.asarray(closed, dtype=float))
    root = np.linalg.cholesky(np.linalg.inv(shape))  # takes the unit ball to the ellipsoid
    for k in range(1, max_levels + 1):
        n = points_needed(share, beta / 2.0**k)
        if _all_nearer(period, z, shape, root * math.sqrt(level), n, rng):
            return Basin(shape, level, n, share, 1.0 - beta, k)
        level *= SMALLER
    return Basin(shape, 0.0, 0, share, 1.0 - beta, max_levels)


def _all_nearer(period, z, shape, root, n: int, rng: np.random.Generator) -> bool:
    """Return whether n points, drawn evenly from an ellipsoid, all come nearer to its centre."""
    m = len(z)
    for _ in range(n):
        direction = rng.normal(size=m)
        off = root @ (direction / np.linalg.norm(direction) * rng.random() ** (1.0 / m))
        after = period(z + off) - z
        if not after @ shape @ after < off @ shape @ off:
            return False
    return True
