"""Poincare sections: return maps, their fixed points by Newton's method, and multipliers by finite differences.

Any guard of the model is a section: its map takes the state just after one of its events to that after the next.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from .result import Result, Status
from .simulator import Simulator


class Convergence(Enum):
    """How the search for a fixed point ended."""

    CONVERGED = "the map returns to the point within the tolerance"
    NO_RETURN = "the map is not defined near the point: the run did not come back to the section"
    NOT_CONVERGED = "Newton's method did not converge in the allowed number of iterations; start nearer"
    SINGULAR = "the derivative of the map has a multiplier 1: fixed points are not isolated; fix a conserved quantity"


@dataclass(frozen=True)
class FixedPoint:
    """A fixed point of a return map. Check `status`."""

    status: Convergence
    z: np.ndarray  # (k,) coordinates
    residual: float  # largest |map(z) - z|
    jacobian: np.ndarray  # (k, k) derivative of the map
    iterations: int

    @property
    def multipliers(self) -> np.ndarray:
        """Eigenvalues of the derivative, largest first, shape (k,): stable if all lie inside the unit circle.

        NaN where the search ended without a derivative.
        """
        return multipliers(self.jacobian)


def multipliers(matrix: np.ndarray) -> np.ndarray:
    """Return the eigenvalues of a matrix (n, n), largest modulus first, shape (n,); NaN if it is not finite."""
    if not np.all(np.isfinite(matrix)):
        return np.full(len(matrix), np.nan)
    values = np.linalg.eigvals(matrix)
    return values[np.argsort(-np.abs(values))]


def return_to(
    sim: Simulator, section: str, x0: Any, d0: Any = None, params: Any = None, *, count: int = 1, **kw: Any
) -> Result:
    """Run from a state to the `count`-th next event of a section; see `Simulator.run` for the arguments.

    The status is STOPPED if the run came back: `x_end` and `d_end` are then the map's value.
    """
    settings = {"final_time": 1e3, "record_period": None} | kw
    return sim.run(x0, d0, params, stop_at=section, stop_count=count, **settings)


def return_map(
    sim: Simulator, section: str, lift: Callable, project: Callable, params: Any = None, **kw: Any
) -> Callable:
    """Return the map `z -> z'` of a section in coordinates of the caller's choice.

    Args:
        sim: The simulator.
        section: Name of the guard.
        lift: `lift(z) -> (x, d)`, the state just after the section's event.
        project: `project(x, d) -> z`, its inverse.
        params: Parameters, as in `Simulator.run`.
        **kw: Further arguments of `return_to`, e.g. `chart`, the chart behind the section.

    Returns:
        A function of shape (k,) to shape (k,); NaN where the run does not come back.
    """
    begun = False

    def mapping(z: np.ndarray) -> np.ndarray:
        nonlocal begun
        z = np.atleast_1d(np.asarray(z, dtype=float))
        x, d = lift(z)
        if not (np.all(np.isfinite(x)) and np.all(np.isfinite(z))):
            return np.full(z.shape, np.nan)
        try:
            r = return_to(sim, section, x, d, params, **kw)
        except ValueError:
            if not (begun and sim.model.angles):
                raise
            return np.full(z.shape, np.nan)  # a search came to an angle that would be refused where it begins
        begun = True
        return np.atleast_1d(project(r.x_end, r.d_end)) if r.status is Status.STOPPED else np.full(z.shape, np.nan)

    return mapping


def derivative(mapping: Callable, z: np.ndarray, step: float = 1e-4) -> np.ndarray:
    """Return the derivative of a map at `z` by five-point differences, shape (k, k).

    Args:
        mapping: A function of shape (k,) to shape (k,).
        z: The point, shape (k,).
        step: Relative step: the error is about step^4, and the map's own error over step.
    """
    z = np.atleast_1d(np.asarray(z, dtype=float))
    columns = []
    for j in range(z.size):
        h = step * max(1.0, abs(z[j]))
        at = {m: np.asarray(mapping(z + m * h * np.eye(z.size)[j])) for m in (-2, -1, 1, 2)}
        columns.append((8.0 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12.0 * h))
    return np.stack(columns, axis=1)


def fixed_point(
    mapping: Callable, guess: Any, *, tol: float = 1e-10, max_iter: int = 20, step: float = 1e-4
) -> FixedPoint:
    """Find a fixed point of a return map by Newton's method.

    Args:
        mapping: A function of shape (k,) to shape (k,), e.g. from `return_map`.
        guess: Initial guess, shape (k,).
        tol: Largest accepted |map(z) - z|; below the map's own error it cannot be reached.
        max_iter: Newton steps allowed.
        step: Finite-difference step of the derivative, see `derivative`.
    """
    z = np.atleast_1d(np.asarray(guess, dtype=float))
    residual, jacobian = np.nan, np.full((z.size, z.size), np.nan)
    for i in range(max_iter + 1):
        value = np.asarray(mapping(z))
        residual = float(np.abs(value - z).max())
        if not np.isfinite(residual):
            return FixedPoint(Convergence.NO_RETURN, z, residual, jacobian, i)
        jacobian = derivative(mapping, z, step)
        if residual <= tol:
            return FixedPoint(Convergence.CONVERGED, z, residual, jacobian, i)
        if not np.all(np.isfinite(jacobian)):
            return FixedPoint(Convergence.NO_RETURN, z, residual, jacobian, i)
        matrix = jacobian - np.eye(z.size)
        if np.linalg.cond(matrix) > 1e10:
            return FixedPoint(Convergence.SINGULAR, z, residual, jacobian, i)
        z = z - np.linalg.solve(matrix, value - z)
    return FixedPoint(Convergence.NOT_CONVERGED, z, residual, jacobian, max_iter)
