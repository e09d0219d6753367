"""The quadratic program of a step: constraints relaxed by slacks that cost, so that it always has a solution.

    min  g'd + d'Hd/2 + rho sum s   with   c + J d + s >= 0,  s >= 0,  lower <= d <= upper

By Clarabel, an interior point method (github.com/oxfordcontrol/Clarabel.rs), or for a few decisions by SciPy's SLSQP.

Source: Nocedal & Wright, Numerical Optimization (2006), section 18.5 (the Sl1QP method).
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from ..compilation import extras
from ..spelling import listed

SOLVERS = ("clarabel", "slsqp")
FEW = 30  # decisions up to which SLSQP is quick


def is_installed() -> bool:
    """Return whether Clarabel is installed."""
    return importlib.util.find_spec("clarabel") is not None


def choose(solver: str | None, n: int) -> str:
    """Return the solver for n decisions: None is Clarabel if it is installed, else SLSQP."""
    installed = is_installed()
    if solver is not None and solver not in SOLVERS:
        raise ValueError(f"unknown solver {solver!r}; known: {listed(solver, SOLVERS)}")
    if not installed and (solver == "clarabel" or (solver is None and n > FEW)):
        raise ImportError(f"SLSQP serves up to {FEW} decisions, {n} need Clarabel: {extras.install('control')}")
    return solver or ("clarabel" if installed else "slsqp")


def elastic(hessian: Any, gradient: np.ndarray, c: np.ndarray, jac: Any, box: tuple, rho: float, solver: str) -> Any:
    """Return the step d, shape (k,); NaN if the solver fails.

    Args:
        hessian: Positive semidefinite, shape (k, k); dense or sparse.
        gradient: Shape (k,).
        c: Constraints' values, shape (m,).
        jac: Their Jacobian, shape (m, k); dense or sparse.
        box: Lower and upper bounds of d, shape (k,) each.
        rho: Price of a slack. Below the multipliers of the constraints, these stay violated.
        solver: "clarabel" or "slsqp".
    """
    reach = np.maximum(np.abs(box[0]), np.abs(box[1]))
    near = np.flatnonzero(c - abs(jac) @ reach < 0.0)  # those that a step can violate
    solve = {"clarabel": _by_clarabel, "slsqp": _by_slsqp}[solver]
    return solve(hessian, gradient, c[near], jac[near], box, rho)


def _by_clarabel(hessian, gradient, c, jac, box, rho):
    import clarabel
    import scipy.sparse as sp

    k, m = len(gradient), len(c)
    size = max(float(np.abs(box).max()), 1e-300)  # in its unit a small box is as well conditioned as a large one
    hessian, gradient = hessian * (size / rho), gradient / rho
    c, box = c / size, (box[0] / size, box[1] / size)
    upper = sp.triu(sp.csc_matrix(hessian), format="csc")
    whole = sp.block_diag([upper, sp.csc_matrix((m, m))], format="csc")
    one, slack = sp.eye(k), sp.eye(m)
    rows = [[-sp.csc_matrix(jac), -slack], [None, -slack], [one, None], [-one, None]] if m else [[one], [-one]]
    offsets = np.concatenate([c, np.zeros(m), box[1], -box[0]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(len(offsets))]
    cost = np.concatenate([gradient, np.ones(m)])
    made = clarabel.DefaultSolver(whole, cost, sp.bmat(rows, format="csc"), offsets, cones, settings).solve()
    done = str(made.status) in ("Solved", "AlmostSolved")
    return size * np.clip(np.array(made.x[:k]), *box) if done else np.full(k, np.nan)


def _by_slsqp(hessian, gradient, c, jac, box, rho):
    from scipy.optimize import minimize

    k, m = len(gradient), len(c)
    hessian, jac = (np.asarray(part.todense() if hasattr(part, "todense") else part) for part in (hessian, jac))
    rows = np.hstack([jac, np.eye(m)])

    def cost(v):
        curved = hessian @ v[:k]
        value = gradient @ v[:k] + 0.5 * v[:k] @ curved + rho * v[k:].sum()
        return value, np.concatenate([gradient + curved, np.full(m, rho)])

    start = np.concatenate([np.zeros(k), np.maximum(0.0, -c)])
    made = minimize(
        cost, start, jac=True, method="SLSQP", bounds=[*zip(*box, strict=True), *([(0.0, None)] * m)],
        constraints={"type": "ineq", "fun": lambda v: c + rows @ v, "jac": lambda v: rows} if m else (),
        options={"ftol": 1e-14, "maxiter": 300},
    )  # fmt: skip
    return made.x[:k] if np.isfinite(made.x).all() else np.full(k, np.nan)
