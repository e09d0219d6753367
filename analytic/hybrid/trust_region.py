"""Sequential quadratic programming with a trust region, on costs and constraints with exact derivatives.

A step solves the elastic quadratic program (`quadratic`) within a box. It is accepted if the merit

    phi = f + rho sum max(0, -c)

falls by a tenth of what was predicted; the box then grows or shrinks. If the constraints are left violated, rho grows.

Source: Nocedal & Wright, Numerical Optimization (2006), algorithms 4.1 and 18.5; Fletcher's Sl1QP.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from .quadratic import elastic

ACCEPTED = 0.1  # share of the predicted fall of the merit
GOOD = 0.7  # share above which the box grows
SMALLEST = 1e-9  # box
DEAREST = 1e8  # price of a violation


class ControlStatus(Enum):
    """How an optimisation ended; the values are sentences."""

    CONVERGED = "no step lowers the cost any more, and the constraints hold"
    INFEASIBLE = "no controls nearby satisfy the constraints; they are violated least here"
    NO_DERIVATIVE = "a guard grazes or events part on the way, so that there is no derivative to go on with"
    WRONG_ORDER = "the guess does not have the order of events that was asked for, or does not reach its end"
    STEP_LIMIT = "the largest allowed number of steps was taken"
    SOLVER_FAILED = "the quadratic program of a step was not solved"


@dataclass(frozen=True)
class Sample:
    """Cost and constraints at some decisions; with derivatives, unless they were not asked for."""

    cost: float
    c: np.ndarray  # (m,), to be positive
    message: str  # empty, or why there are no numbers
    status: ControlStatus | None = None  # then
    gradient: np.ndarray | None = None  # (k,)
    hessian: Any = None  # (k, k), of Gauss and Newton
    jac: Any = None  # (m, k)
    detail: Any = None  # what it was made from

    @property
    def violation(self) -> float:
        """The most negative constraint, as a positive number."""
        return float(-min(0.0, self.c.min(initial=0.0)))

    def merit(self, rho: float) -> float:
        """Return the cost with violations, at the price rho."""
        return self.cost + rho * float(np.maximum(0.0, -self.c).sum())


@dataclass(frozen=True)
class Descent:
    """Where an optimisation ended."""

    status: ControlStatus
    message: str
    z: np.ndarray  # (k,)
    sample: Sample
    n_steps: int
    n_rejected: int
    feasible: tuple[np.ndarray, Sample] | None  # the last decisions that satisfied the constraints


def minimise(
    plain: Callable[[np.ndarray], Sample],
    derived: Callable[[np.ndarray], Sample],
    z: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    *,
    tol: float,
    feasible: float,
    rho: float,
    radius: float,
    max_steps: int,
    solver: str,
) -> Descent:
    """Return the constrained minimum found by descent from z.

    Args:
        plain: Cost and constraints of decisions (k,).
        derived: The same with derivatives.
        z: Where to begin, scaled so that 1 is a large step of every entry.
        bounds: Lower and upper bounds, shape (k,) each.
        tol: A step that is to lower the merit by less than this share of 1 + |cost| ends the descent.
        feasible: Largest accepted violation.
        rho: Price of a violation to begin with; it grows where needed. A high one makes small steps.
        radius: First half-width of the box, and its largest is 4 times that.
        max_steps: Steps allowed, rejected ones included.
        solver: Of the quadratic programs.
    """
    z = np.clip(z, *bounds)
    now, largest, n_rejected = derived(z), 4.0 * radius, 0
    kept = (z, now) if not now.message and now.violation <= feasible else None
    if now.message:
        return Descent(now.status, f"{now.status.value}: {now.message}", z, now, 0, 0, kept)
    status, more = ControlStatus.STEP_LIMIT, ""
    n = 0
    while n < max_steps:
        n += 1
        box = np.maximum(-radius, bounds[0] - z), np.minimum(radius, bounds[1] - z)
        d = elastic(now.hessian, now.gradient, now.c, now.jac, box, rho, solver)
        if not np.isfinite(d).all():
            radius, n_rejected, status = 0.4 * radius, n_rejected + 1, ControlStatus.SOLVER_FAILED
            if radius < SMALLEST:
                break
            continue
        predicted = now.merit(rho) - _model(now, d, rho)
        if predicted <= tol * (1.0 + abs(now.cost)) or radius < SMALLEST:
            if now.violation > feasible and rho < DEAREST:
                rho, radius = 10.0 * rho, max(radius, 0.1 * largest)
                continue
            status = ControlStatus.CONVERGED if now.violation <= feasible else ControlStatus.INFEASIBLE
            break
        trial = plain(z + d)
        fall = -np.inf if trial.message else now.merit(rho) - trial.merit(rho)
        if not fall > ACCEPTED * predicted:
            radius, n_rejected = 0.4 * float(np.abs(d).max()), n_rejected + 1
            continue
        made = derived(z + d)
        if made.message:
            radius, n_rejected, status, more = 0.4 * float(np.abs(d).max()), n_rejected + 1, made.status, made.message
            if radius < SMALLEST:
                break
            continue
        if fall > GOOD * predicted:
            radius = min(2.0 * radius, largest)
        z, now, status, more = z + d, made, ControlStatus.STEP_LIMIT, ""
        if now.violation <= feasible:
            kept = z, now
    message = f"{status.value}{f': {more}' if more else ''}; violated by {now.violation:.1e}"
    return Descent(status, message, z, now, n, n_rejected, kept)


def _model(now: Sample, d: np.ndarray, rho: float) -> float:
    """Return the merit that the linear constraints and the quadratic cost predict behind a step."""
    slack = np.maximum(0.0, -(now.c + now.jac @ d))
    return float(now.cost + now.gradient @ d + 0.5 * d @ (now.hessian @ d) + rho * slack.sum())
