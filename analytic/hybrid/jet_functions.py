"""The functions of a model on numbers with derivatives along k directions (jets), as flat arrays of floats.

A jet is k + 1 numbers: a value and its derivatives. An array of n jets is flat, (n (k + 1),). Compiled, the model's own
functions are compiled for jets (`compilation.jets`): exact. Interpreted, they are differenced along each direction by
five points.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..compilation.rebuild import rebuild
from .loader import Functions

STEPS = (1.0, -1.0, 2.0, -2.0)
WEIGHTS = (8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0)


@dataclass(frozen=True)
class Sizes:
    """Sizes of a model and of its derivative; of memory, parameters and guards at least one, as in the engine."""

    n: int  # states
    nd: int  # memory entries
    n_p: int  # parameters
    ng: int  # guards
    k: int  # directions

    @property
    def jet(self) -> int:
        """Numbers in a jet."""
        return self.k + 1

    @property
    def state(self) -> int:
        """Numbers in the jets of a state."""
        return self.n * self.jet


class JetFunctions(NamedTuple):
    """Field, guards and transition of jets: those of the model, with how large each direction is, (k,), at the end.

    `field(t, x, d, p, chart, dx, norms)`; in `guards(t, x, d, p, chart, g, norms)` and `transition(t, x, d, p, chart,
    fired, norms)`, which returns the next chart, the time is a jet too, (k + 1,).
    """

    field: Callable
    guards: Callable
    transition: Callable


def jets_of(values: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return numbers (n,) with their directions (n, k) as flat jets; one zero of them if there are none."""
    made = np.column_stack([values, along])
    return made.ravel() if values.size else np.zeros(along.shape[1] + 1)


def by_arithmetic(functions: Functions, s: Sizes) -> JetFunctions:
    """Return the functions of jets as numba compiles them."""
    from ..compilation.number_arrays import VERSION, numpy_of, view

    as_jets, version, done = view(s.k), VERSION, {}
    field_of, guards_of, transition_of = (
        rebuild(f, lambda again: again, {id(np): numpy_of(s.k)}, done, f"{__name__}_of_jets", frozen=True)
        for f in (functions.field, functions.guards, functions.transition)
    )

    def field(t, x, d, p, chart, dx, norms):
        if version:  # in the fingerprint of what is compiled
            field_of(t, as_jets(x), as_jets(d), as_jets(p), chart, as_jets(dx))

    def guards(t, x, d, p, chart, g, norms):
        guards_of(as_jets(t)[0], as_jets(x), as_jets(d), as_jets(p), chart, as_jets(g))

    def transition(t, x, d, p, chart, fired, norms):
        return transition_of(as_jets(t)[0], as_jets(x), as_jets(d), as_jets(p), chart, fired)

    return JetFunctions(field, guards, transition)


def by_differences(functions: Functions, s: Sizes, rel_step: float) -> JetFunctions:
    """Return the functions of jets by five-point differences, with a step along a direction of unit size."""
    plain_field, plain_guards, plain_transition = functions.field, functions.guards, functions.transition
    n, nd, n_p, ng, k, m = s.n, s.nd, s.n_p, s.ng, s.k, s.jet

    def step_of(c, t, x, d, norms):
        """Return the step along direction c; infinite if it moves nothing."""
        size = max(norms[c], abs(t[1 + c]))
        for a in (x, d):
            for i in range(a.size // m):
                size = max(size, abs(a[i * m + 1 + c]) / (1.0 + abs(a[i * m])))
        return rel_step / size if size != 0.0 else np.inf

    def moved(a, c, e, out):
        for i in range(out.size):
            out[i] = a[i * m] + (e * a[i * m + 1 + c] if e != 0.0 else 0.0)

    def move(c, e, x, d, p, y, w, q):
        """Write state, memory and parameters, moved by e along direction c, into y, w and q."""
        moved(x, c, e, y)
        moved(d, c, e, w)
        moved(p, c, e, q)

    def add(values, out, c, weight):
        for i in range(values.size):
            out[i * m + 1 + c] += weight * values[i]

    def field(t, x, d, p, chart, dx, norms):
        still, y, w, q, f = np.zeros(m), np.empty(n), np.empty(nd), np.empty(n_p), np.empty(n)
        still[0] = t
        dx[:] = 0.0
        for c in range(k):
            e = step_of(c, still, x, d, norms)
            for j in range(4 if e < np.inf else 0):
                move(c, STEPS[j] * e, x, d, p, y, w, q)
                plain_field(t, y, w, q, chart, f)
                add(f, dx, c, WEIGHTS[j] / e)
        move(0, 0.0, x, d, p, y, w, q)
        plain_field(t, y, w, q, chart, f)
        for i in range(n):
            dx[i * m] = f[i]

    def guards(t, x, d, p, chart, g, norms):
        y, w, q, values = np.empty(n), np.empty(nd), np.empty(n_p), np.zeros(ng)
        g[:] = 0.0
        for c in range(k):
            e = step_of(c, t, x, d, norms)
            for j in range(4 if e < np.inf else 0):
                move(c, STEPS[j] * e, x, d, p, y, w, q)
                plain_guards(t[0] + STEPS[j] * e * t[1 + c], y, w, q, chart, values)
                add(values, g, c, WEIGHTS[j] / e)
        move(0, 0.0, x, d, p, y, w, q)
        values[:] = np.inf  # of guards that are not active; above, their differences are zero
        plain_guards(t[0], y, w, q, chart, values)
        for i in range(ng):
            g[i * m] = values[i]

    def transition(t, x, d, p, chart, fired, norms):
        y, w, q = np.empty(n), np.empty(nd), np.empty(n_p)
        new_x, new_d = np.zeros(n * m), np.zeros(nd * m)
        for c in range(k):
            e = step_of(c, t, x, d, norms)
            for j in range(4 if e < np.inf else 0):
                move(c, STEPS[j] * e, x, d, p, y, w, q)
                plain_transition(t[0] + STEPS[j] * e * t[1 + c], y, w, q, chart, fired)
                add(y, new_x, c, WEIGHTS[j] / e)
                add(w, new_d, c, WEIGHTS[j] / e)
        move(0, 0.0, x, d, p, y, w, q)
        following = plain_transition(t[0], y, w, q, chart, fired)
        for i in range(n):
            new_x[i * m] = y[i]
        for i in range(nd):
            new_d[i * m] = w[i]
        for i in range(x.size):
            x[i] = new_x[i]
        for i in range(d.size):
            d[i] = new_d[i]
        return following

    return JetFunctions(field, guards, transition)


def jet_functions(functions: Functions, s: Sizes, rel_step: float, jets: bool) -> JetFunctions:
    """Return the functions of jets, by arithmetic or by differences."""
    return by_arithmetic(functions, s) if jets else by_differences(functions, s, rel_step)


def at_rest(jets: Any, m: int) -> Any:
    """Return flat jets of m numbers with the same values and no derivatives."""
    made = np.zeros(jets.size)
    for i in range(jets.size // m):
        made[i * m] = jets[i * m]
    return made
