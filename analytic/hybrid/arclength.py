"""The curve of fixed points of a map with a parameter: Newton's method across it, and its tangent.

Points are u = (z, p), each entry divided by its scale. On the curve the n-th iterate f of the map has f(z, p) = z.
Newton's method solves this with one more equation, normal . (u - guess) = 0: a plane that crosses the curve. With the
curve's own tangent as the normal this works at turning points too, where p alone does not determine z
(pseudo-arclength).

Source: Keller, Numerical solution of bifurcation and nonlinear eigenvalue problems (1977); Kuznetsov, Elements of
Applied Bifurcation Theory, 3rd ed. (2004), section 10.2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from .sections import multipliers

WEIGHTS = {-2: 1.0 / 12.0, -1: -8.0 / 12.0, 1: 8.0 / 12.0, 2: -1.0 / 12.0}  # of the five-point difference

CROSSING = 1e-9  # share of the largest singular value below which one is zero: rounding of the differences


class Correction(Enum):
    """How Newton's method ended."""

    CONVERGED = "a point of the curve was found"
    NO_RETURN = "the map is not defined near the point: the run did not come back to the section"
    NOT_CONVERGED = "Newton's method did not converge"
    SINGULAR = (
        "fixed points are not isolated at this parameter, nor a curve: fix a conserved quantity, or start elsewhere"
    )


@dataclass(frozen=True)
class CurvePoint:
    """A point of the curve."""

    u: np.ndarray  # (k + 1,) scaled coordinates and parameter
    jacobian: np.ndarray  # (k, k + 1) derivative of the iterated map, scaled
    tangent: np.ndarray  # (k + 1,) of length 1, scaled
    iterations: int  # Newton steps

    @property
    def bordered(self) -> np.ndarray:
        """The derivative of f(z, p) - z with the tangent as its last row, shape (k + 1, k + 1): regular on a curve."""
        return np.vstack([self.jacobian - np.eye(*self.jacobian.shape), self.tangent])

    @property
    def multipliers(self) -> np.ndarray:
        """Eigenvalues of the derivative in z, largest modulus first, shape (k,); scaling does not change them."""
        return multipliers(self.jacobian[:, :-1])


class FixedPointCurve:
    """Fixed points of the n-th iterate of a map.

    Args:
        mapping: `mapping(z, p) -> z'`, shapes (k,); NaN where it is not defined.
        period: n, the number of iterations.
        scale: Lengths of the entries of z and of p, shape (k + 1,).
        tol: Largest accepted |f(z, p) - z| of the scaled coordinates.
        difference: Step of the five-point differences, scaled. Their error is about step^4, times the fifth derivative,
            and the map's own error over step.
        derivative: `derivative(z, p) -> (k, k + 1)`, of the map itself, not scaled; None: differences.
        max_iter: Newton steps allowed.
    """

    def __init__(
        self,
        mapping: Callable,
        period: int,
        scale: np.ndarray,
        tol: float,
        difference: float,
        derivative: Callable | None,
        max_iter: int,
    ) -> None:
        self.mapping, self.period, self.scale = mapping, period, scale
        self.tol, self.difference, self.derivative, self.max_iter = tol, difference, derivative, max_iter

    def image(self, u: np.ndarray) -> np.ndarray:
        """Return the map's value at u, scaled, shape (k,)."""
        real = u * self.scale
        return np.asarray(self.mapping(real[:-1], real[-1]), dtype=float) / self.scale[:-1]

    def cycle(self, u: np.ndarray) -> np.ndarray:
        """Return the n points of the orbit, and the one that follows, scaled, shape (n + 1, k)."""
        points = [u[:-1]]
        for _ in range(self.period):
            points.append(self.image(np.append(points[-1], u[-1])))
        return np.stack(points)

    def jacobian(self, points: np.ndarray, p: float) -> np.ndarray:
        """Return the derivative (k, k + 1) of the iterated map along an orbit, by the chain rule."""
        k = points.shape[1]
        whole = np.eye(k, k + 1)
        for z in points[:-1]:
            one = self._of_one(np.append(z, p))
            whole = one[:, :-1] @ whole
            whole[:, -1] += one[:, -1]
        return whole

    def _of_one(self, u: np.ndarray) -> np.ndarray:
        if self.derivative is not None:
            real = u * self.scale
            return np.asarray(self.derivative(real[:-1], real[-1])) * self.scale / self.scale[:-1, None]
        h = self.difference
        return np.stack([sum(w / h * self.image(u + s * h * e) for s, w in WEIGHTS.items()) for e in np.eye(u.size)], 1)

    def correct(self, guess: np.ndarray, normal: np.ndarray) -> tuple[Correction, CurvePoint | None]:
        """Return the curve's point on the plane through `guess`, its tangent along `normal`, both (k + 1,), scaled."""
        u = guess.copy()
        for i in range(self.max_iter + 1):
            points = self.cycle(u)
            residual = points[-1] - points[0]
            if not np.all(np.isfinite(residual)):
                return Correction.NO_RETURN, None
            jacobian = self.jacobian(points, u[-1])
            if not np.all(np.isfinite(jacobian)):
                return Correction.NO_RETURN, None
            matrix = np.vstack([jacobian - np.eye(*jacobian.shape), normal])
            if np.abs(residual).max() <= self.tol and abs(normal @ (u - guess)) <= self.tol:
                tangent = _solve(matrix, np.append(np.zeros(residual.size), 1.0))
                return Correction.CONVERGED, CurvePoint(u, jacobian, tangent / np.linalg.norm(tangent), i)
            u = u - _solve(matrix, np.append(residual, normal @ (u - guess)))
        return Correction.NOT_CONVERGED, None


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the solution, the shortest one where two curves cross and the matrix is singular."""
    return np.linalg.lstsq(matrix, right, rcond=CROSSING)[0]
