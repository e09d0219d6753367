"""A step of a Rosenbrock method on numbers with derivatives, for `tangent_pass`.

A stage U solves (I / (gamma h) - J) U = b; its derivative along a direction V = (x, p) solves the same system,

    (I / (gamma h) - J) dU = db + (J along V) U,

so that a direction costs its share of the factorisation's use, no other. The last term is a second derivative of the
field: the difference of f' V at x + e U and x. The Jacobian is exact, by unit directions in blocks.

Source: Hairer & Wanner, Solving Ordinary Differential Equations II (1996), section IV.7.
"""

from collections.abc import Callable

import numpy as np

from .jet_functions import JetFunctions, Sizes, at_rest
from .tableau import Method

LATER = 1e-6  # step of the derivative by time, relative to the step's length
APART = 1e-12  # and at least so long, relative to the time: a short step late in a run is one of rounding
NEAR = 1e-7  # step of the second derivative, relative to the state, of exact first ones
SLOPE, AHEAD = 9, 10  # rows of the working memory behind the stages


def factorising(n: int) -> Callable:
    """Return `factorise(w, diagonal)`, of diagonal I - J, as the kernel's `linear` has it.

    It is stored by columns and eliminated from the last state to the first, so that the limbs of a body cause no
    fill-in; zeros are skipped.
    """

    def factorise(w, diagonal):
        jac, lu = w.matrix[0], w.matrix[1]
        for j in range(n):
            for i in range(n):
                lu[j, i] = -jac[j, i]
            lu[j, j] += diagonal
        for row in range(n - 1, -1, -1):
            best = row
            for i in range(row):
                if abs(lu[row, i]) > abs(lu[row, best]):
                    best = i
            w.swap[row] = best
            if best != row:
                for j in range(row + 1):
                    lu[j, row], lu[j, best] = lu[j, best], lu[j, row]
            lu[row, row] = 1.0 / lu[row, row]
            for i in range(row):
                lu[row, i] *= lu[row, row]
            for j in range(row):
                top = lu[j, row]
                if top != 0.0:
                    for i in range(row):
                        lu[j, i] -= top * lu[row, i]

    return factorise


def solving(n: int, m: int) -> Callable:
    """Return `solve(w, b, first, last)`, for those of the m numbers of each jet in b, a row for all directions."""

    def solve(w, b, first, last):
        lu = w.matrix[1]
        for row in range(n - 1, -1, -1):
            best = w.swap[row]
            for c in range(first, last):
                b[row * m + c], b[best * m + c] = b[best * m + c], b[row * m + c]
            for i in range(row):
                by = lu[row, i]
                if by != 0.0:
                    for c in range(first, last):
                        b[i * m + c] -= by * b[row * m + c]
        for row in range(n):
            for c in range(first, last):
                b[row * m + c] *= lu[row, row]
            for i in range(row + 1, n):
                by = lu[row, i]
                if by != 0.0:
                    for c in range(first, last):
                        b[i * m + c] -= by * b[row * m + c]

    return solve


def jacobian(field: Callable, n: int, m: int) -> Callable:
    """Return the function that writes the Jacobian of n states by columns, m - 1 unit directions at a time."""

    def take_jacobian(w, out):
        still, jac = w.k[AHEAD], w.matrix[0]
        d, p = at_rest(w.d, m), at_rest(w.p, m)
        for first in range(0, n, m - 1):
            last = min(n, first + m - 1)
            for i in range(n):
                still[i * m] = w.x[i * m]
                for b in range(1, m):
                    still[i * m + b] = 1.0 if first + b - 1 == i else 0.0
            field(w.t, still, d, p, w.chart, out, w.norms)
            for j in range(first, last):
                for i in range(n):
                    jac[j, i] = out[i * m + 1 + j - first]

    return take_jacobian


def bending(field: Callable, s: Sizes, rel_step: float, jets: bool) -> Callable:
    """Return the function that adds what a Jacobian that changes along the directions does to a stage."""
    n, m, size = s.n, s.jet, s.state

    def bend(w, u, out):
        """Add to u the derivative along each direction of the Jacobian times u's values."""
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(u[i * m]) / (1.0 + abs(w.x[i * m])))
        if largest == 0.0:
            return
        e = (NEAR if jets else rel_step) / largest
        add_bend(w, u, out, e, 1.0 if jets else 0.5)
        if not jets:  # differences of differences need a larger step, and hence two
            add_bend(w, u, out, -e, 0.5)

    def add_bend(w, u, out, e, share):
        for j in range(size):
            out[j] = w.x[j]
        for i in range(n):
            out[i * m] += e * u[i * m]
        field(w.t, out, w.d, w.p, w.chart, w.k[AHEAD], w.norms)
        for i in range(n):
            for b in range(1, m):
                j = i * m + b
                u[j] += share / e * (w.k[AHEAD, j] - w.k[0, j])

    return bend


def rosenbrock_step(
    of: JetFunctions, s: Sizes, method: Method, rel_step: float, jets: bool
) -> tuple[Callable, Callable]:
    """Return the step on jets, and its error in units of what is allowed, the largest of all directions."""
    field, n, m = of.field, s.n, s.jet
    size, n_solves = s.state, method.n_stages - 1
    a, c, times, slopes, gamma = (*(method.arrays[name] for name in ("A", "C", "TIMES", "D")), method.gamma)
    take_jacobian, bend = jacobian(field, n, m), bending(field, s, rel_step, jets)
    factorise, solve = factorising(n), solving(n, m)

    def step(w, h, out):
        k, x, inner = w.k, w.x, w.inner
        take_jacobian(w, out)
        factorise(w, 1.0 / (gamma * h))
        field(w.t, x, w.d, w.p, w.chart, k[0], w.norms)
        later = w.t + max(LATER * h, APART * abs(w.t))
        field(later, x, w.d, w.p, w.chart, k[SLOPE], w.norms)
        for j in range(size):
            k[SLOPE, j] = (k[SLOPE, j] - k[0, j]) / (later - w.t)
        for stage in range(n_solves):
            u = k[stage + 1]
            for j in range(size):
                inner[j] = x[j]
            for i in range(stage):
                for j in range(size):
                    inner[j] += a[stage, i] * k[i + 1, j]
            if stage == 0:
                for j in range(size):  # `u[:] = k[0]` uses Python's objects, for the text of an error message
                    u[j] = k[0, j]
            else:
                field(w.t + times[stage] * h, inner, w.d, w.p, w.chart, u, w.norms)
            for i in range(stage):
                for j in range(size):
                    u[j] += c[stage, i] / h * k[i + 1, j]
            for j in range(size):
                u[j] += h * slopes[stage] * k[SLOPE, j]
            solve(w, u, 0, 1)
            bend(w, u, out)
            solve(w, u, 1, m)
        for j in range(size):
            out[j] = inner[j] + k[n_solves, j]

    def error(w, h, out, allowed, rtol):
        worst = 0.0
        for b in range(1, m):
            total = 0.0
            for i in range(n):
                j = i * m + b
                share = w.k[n_solves, j] / (allowed[j] + rtol * max(abs(w.x[j]), abs(out[j])))
                total += share * share
            worst = max(worst, total)
        return np.sqrt(worst / n)

    return step, error
