"""Derivatives of a run, from its record: the accepted steps and events are taken once more, with directions.

The record says where each step began and each event was; between them a step of the same method, on numbers with
derivatives, carries the directions along: the derivative of the numerical solution itself, its steps held. Rejected
steps and the search for events are not repeated, and a record serves any number of directions. Where the directions
need shorter steps than the state, because a field bends without an event, a step is halved until their error estimate
is within bounds.

Source: Griewank & Walther, Evaluating Derivatives (2008), section 15 (steps held), for ordinary differential equations.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .jet_functions import JetFunctions, Sizes, at_rest
from .kernel import codes
from .saltation import saltation
from .tableau import METHODS, Method
from .tangent_rosenbrock import rosenbrock_step
from .unroll import IMPORTS, unrolled

N_ROOM = 14  # rows of its working memory: twelve stages, a state within a step, and at its end
HALVINGS = 40  # of a step: a kink is then passed within 1e-12 of it


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


def advancing(s: Sizes, step: Callable, error: Callable) -> Callable:
    """Return the function that carries jets over a step of the run, in as many parts as their error asks for."""
    n, m = s.n, s.jet

    def advance(t, h, x, d, p, chart, room, out, inner, matrix, swap, norms, allowed, rtol):
        """Carry x from t to t + h; return whether every number stayed finite."""
        done, part = 0.0, h
        for _ in range(100 * HALVINGS):
            w = Point(t + done, x, room, inner, d, p, chart, matrix, swap, norms)
            step(w, part, out)
            if rtol < np.inf and part > h * 0.5**HALVINGS and error(w, part, out, allowed, rtol) > 1.0:
                part *= 0.5
                continue
            total = 0.0
            for j in range(n * m):
                x[j] = out[j]
                total += 0.0 * out[j]
            done += part
            if done >= h or total != 0.0:
                return total == 0.0
            part = min(2.0 * part, h - done)
        return False

    return advance


def tangent_pass(of: JetFunctions, s: Sizes, method: Method, rel_step: float, jets: bool, plain: Callable) -> Callable:
    """Return the function that carries directions along a recorded run; `carry` in it says how."""
    n, nd, ng, k, m = s.n, s.nd, s.ng, s.k, s.jet
    advance = advancing(s, *(rosenbrock_step(of, s, method, rel_step, jets) if method.gamma else explicit_step(of, s)))
    saltate = saltation(of, s)

    def keep(x, d, xs, ds):
        # Loops: for `a[0] = b` numba compiles 38 functions, for the text of an error message.
        for i in range(x.size):
            xs[i] = x[i]
        for i in range(d.size):
            ds[i] = d[i]

    def carry(rec, log, x, d, p, norms, allowed, rtol, t_by, xs, ds, kinds, sided, room, matrix, swap):
        """Carry the jets x, d in place from the record's first row to its end; return when they are not finite.

        Args:
            rec: The record of every step.
            log: The event log.
            x: Flat jets of the first state, those of the last when it returns.
            d: Likewise of the memory.
            p: Of the parameters.
            norms: How large the directions are in the parameters, shape (k,).
            allowed: Error allowed in each number of x, beside `rtol` times it.
            rtol: See allowed; infinity lets the directions take the state's steps.
            t_by: Written: shifts in time, a row for each event; NaN ends the pass there.
            xs: Written: jets of the state before and behind each event, shape (2, n_events, ...).
            ds: Written: jets of the memory there.
            kinds: Written: what each event was, see `simultaneous`, shape (n_events,) of int.
            sided: Whether derivatives along the directions only will do, 0 or 1.
            room: Working memory, shape (N_ROOM, n (k + 1)).
            matrix: Likewise of a method with linear systems, shape (2, n, n).
            swap: Likewise, shape (n,) of int.

        Returns:
            Where a number is not finite [s], infinity if all are.
        """
        # Counted references, of which every call makes some, would take longer than a small model's arithmetic.
        rec, log, x, d, p = plain(rec), plain(log), plain(x), plain(d), plain(p)
        norms, allowed = plain(norms), plain(allowed)
        room, matrix, swap = plain(room), plain(matrix), plain(swap)
        out, inner, room = room[12], room[13], room[:12]
        shift, still, fired = np.zeros(k), at_rest(p, m), np.zeros(ng, np.int64)
        first_fired = 4 + 2 * (n + nd)
        t, chart, row, e = rec[0, 0], int(rec[0, 1]), 0, 0
        while True:
            while e < len(log) and log[e, 1] != codes.TRANSITION:
                e += 1
            while row < len(rec) and rec[row, 0] <= t:
                row += 1
            event = e < len(log) and (row == len(rec) or log[e, 0] <= rec[row, 0])
            if not event and row == len(rec):
                return np.inf
            until = log[e, 0] if event else rec[row, 0]
            if until > t and not advance(
                t, until - t, x, d, p, chart, room, out, inner, matrix, swap, norms, allowed, rtol
            ):
                return t
            t = until
            for i in range(n):
                x[i * m] = log[e, 4 + i] if event else rec[row, 2 + i]
            if event:
                following = int(log[e, 3])
                for i in range(ng):
                    fired[i] = log[e, first_fired + i] != 0.0
                keep(x, d, xs[0, e], ds[0, e])
                kinds[e] = saltate(t, x, d, p, still, chart, following, fired, shift, norms, sided)
                chart = following
                keep(x, d, xs[1, e], ds[1, e])
                for c in range(k):
                    t_by[e, c] = shift[c]
                e += 1
                for c in range(k):
                    if np.isnan(shift[c]):
                        return np.inf

    return carry
