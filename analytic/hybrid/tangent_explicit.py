"""A step of DOP853 on numbers with derivatives, for `tangent_pass`: it serves the steps of any explicit method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .jet_functions import JetFunctions, Sizes
from .tableau import METHODS, Method
from .unroll import IMPORTS, unrolled


class Point(NamedTuple):
    """Where a step begins, under the names that the generated sums of the stages read (`unroll`)."""

    t: float
    x: Any  # flat jets, as are k[i], inner, d, p
    k: Any
    inner: Any
    d: Any
    p: Any
    chart: int
    matrix: Any  # (2, n, n) Jacobian, by columns, and its factors
    swap: Any  # (n,)
    norms: Any


def _as_it_is(value):
    return value


def _sums(method: Method, rates: Callable, n: int) -> dict[str, Any]:
    """Return the method's sums over n numbers, as plain functions by name."""
    space = {"jit": _as_it_is, "plain": _as_it_is, "N": n, "rates": rates}
    exec(compile(unrolled(method).removeprefix(IMPORTS), f"<sums of {method.name}>", "exec"), space)
    return space


def explicit_step(of: JetFunctions, s: Sizes) -> tuple[Callable, Callable]:
    """Return the step of DOP853 on jets, and its error in units of what is allowed, the largest of all directions."""
    field, n, m = of.field, s.n, s.jet

    def rates(w, t, x, dx):
        field(t, x, w.d, w.p, w.chart, dx, w.norms)

    sums = _sums(METHODS["dop853"], rates, s.state)
    stages, error3, error5 = sums["stages"], sums["error3_terms"], sums["error5_terms"]

    def step(w, h, out):
        rates(w, w.t, w.x, w.k[0])
        stages(w, h, out)

    def error(w, h, out, allowed, rtol):
        sum3, sum5 = np.zeros(m), np.zeros(m)
        for i in range(n):
            for c in range(1, m):
                j = i * m + c
                scale = 1.0 / (allowed[j] + rtol * max(abs(w.x[j]), abs(out[j])))
                e3, e5 = error3(w.k, j) * scale, error5(w.k, j) * scale
                sum3[c] += e3 * e3
                sum5[c] += e5 * e5
        worst = 0.0
        for c in range(1, m):
            if not sum5[c] == 0.0:
                worst = max(worst, sum5[c] * sum5[c] / (sum5[c] + 0.01 * sum3[c]))
        return abs(h) * np.sqrt(worst / n)

    return step, error
