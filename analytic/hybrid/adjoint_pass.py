"""The gradient of one number by everything a run began with: one pass back over its recorded steps and events.

With lambda the gradient by the state, delta by the memory and tau by the time of an event, the transposed saltation at
an event of guard h, reset r and fields f-, f+ is

    tau -= lambda f+,   (lambda, delta, p, t) <- (lambda, delta) r',   tau += t + lambda f-,
    (lambda, delta, p) -= tau / (h_t + h_x f-) h'.

A step of DOP853 is taken again on traces (`compilation.traces`) and its tape run through backward: the transposed
derivative of the numerical solution. Nothing in it depends on how many parameters there are.

Source: Griewank & Walther, Evaluating Derivatives (2008), chapters 3 and 15; Serban & Recuero, J. Comput. Nonlinear
Dyn. 14 (2019), for hybrid systems.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..compilation.rebuild import rebuild
from .kernel import codes
from .loader import Functions
from .saltation import ENTRY_TIME, GRAZING_RATE
from .tableau import METHODS

DONE, FULL, GRAZING, SIMULTANEOUS = range(4)
ROW = 4  # words of a tape's row


class Tape(NamedTuple):
    """A tape as floats and as integers, gradients by its places, and arrays of traces as floats and as integers."""

    words: Any  # (ROW rows,)
    wholes: Any
    bar: Any  # (rows,)
    address: int
    x: Any  # (3 n,), as are dx, and d, p, g, t of their sizes
    xi: Any
    dx: Any
    dxi: Any
    d: Any
    di: Any
    p: Any
    pi: Any
    g: Any
    gi: Any
    t: Any
    ti: Any
    k: Any  # (stages, n) of a step
    out: Any  # their places
    place: Any  # (stages, 2): where the traces of a stage begin and end


def backward(functions: Functions) -> tuple[Callable, ...]:
    """Return the model's functions of traces in arrays of floats: field, guards, transition."""
    from ..compilation.carrier_arrays import VERSION, numpy_of, view

    traces, version, done = view(0), VERSION, {}
    field_of, guards_of, transition_of = (
        rebuild(f, lambda again: again, {id(np): numpy_of(0)}, done, f"{__name__}_of_traces", frozen=True)
        for f in (functions.field, functions.guards, functions.transition)
    )

    def field(t, w, chart):
        if version:  # in the fingerprint of what is compiled
            field_of(t, traces(w.x), traces(w.d), traces(w.p), chart, traces(w.dx))

    def guards(w, chart):
        guards_of(traces(w.t)[0], traces(w.x), traces(w.d), traces(w.p), chart, traces(w.g))

    def transition(w, chart, fired):
        transition_of(traces(w.t)[0], traces(w.x), traces(w.d), traces(w.p), chart, fired)

    return field, guards, transition


def sweep(w, first, end, floor):
    """Run back along the rows from `end` to `first`; places below `floor` are left as they are."""
    for row in range(end - 1, first - 1, -1):
        by = w.bar[row]
        if by != 0.0:
            w.bar[row] = 0.0
            for pair in range(2):
                at = ROW * row + 2 * pair
                parent, weight = w.wholes[at], w.words[at + 1]
                if weight != 0.0 and parent >= floor:  # what does not move adds nothing, however steep it is further on
                    w.bar[parent] += by * weight
    w.bar[0] = 0.0


def trace(numbers, wholes, i, value, place, address):
    """Write a trace into an array of them."""
    numbers[3 * i], wholes[3 * i + 1], wholes[3 * i + 2] = value, place, address


def give(w, numbers, wholes, values):
    """Write values as traces with places of their own; return the first of these."""
    first = w.wholes[0]
    for i in range(values.size):
        trace(numbers, wholes, i, values[i], first + i, w.address)
    w.wholes[0] = first + values.size
    return first


def take(w, first, out):
    """Move the gradients at places from `first` on into `out`."""
    for i in range(out.size):
        out[i] = w.bar[first + i]
        w.bar[first + i] = 0.0


def backward_step(functions: Functions, field: Callable, n: int) -> Callable:
    """Return the function that takes lambda (n,) back over a step of DOP853; False: the tape is full."""
    tableau = METHODS["dop853"].arrays
    a, b, c = tableau["A"], tableau["B"], tableau["C"]
    n_stages = METHODS["dop853"].n_stages

    def record(t, h, x, w, chart, base):
        inner, k = np.empty(n), w.k
        w.wholes[0] = base
        for s in range(n_stages):
            for i in range(n):
                inner[i] = x[i]
                for j in range(s):
                    inner[i] += h * a[s, j] * k[j, i]
            w.place[s, 0] = give(w, w.x, w.xi, inner)
            field(t + c[s] * h, w, chart)
            w.place[s, 1] = w.wholes[0]
            for i in range(n):
                k[s, i], w.out[s, i] = w.dx[3 * i], w.dxi[3 * i + 1]
        return w.wholes[0] <= w.wholes[1]

    def step(t, h, x, lam, w, chart, base):
        if not record(t, h, x, w, chart, base):
            return False
        by, k = np.empty(n), w.k
        for s in range(n_stages):
            for i in range(n):
                k[s, i] = h * b[s] * lam[i]
        for s in range(n_stages - 1, -1, -1):
            for i in range(n):
                if w.out[s, i] != 0:
                    w.bar[w.out[s, i]] += k[s, i]
            sweep(w, w.place[s, 0] + n, w.place[s, 1], 0)
            take(w, w.place[s, 0], by)
            for i in range(n):
                lam[i] += by[i]
                for j in range(s):
                    k[j, i] += h * a[s, j] * by[i]
        return True

    return step


def backward_event(parts: tuple[Callable, ...], n: int, nd: int, ng: int) -> Callable:
    """Return the function that takes lambda and tau back over an event; see `event` in it."""
    field, guards, transition = parts

    def rates(t, x, w, chart, base, f):
        w.wholes[0] = base
        give(w, w.x, w.xi, x)
        field(t, w, chart)
        for i in range(n):
            f[i] = w.dx[3 * i]

    def remember(w, d, first):
        for i in range(nd):
            trace(w.d, w.di, i, d[i], first + i, w.address)

    def through_reset(t, x, d, lam, w, chart, fired, base, memory):
        """Take lambda and the memory's gradients, which stand at their places, back; return that by the time."""
        delta, now = np.empty(nd), np.empty(1)
        take(w, memory, delta)
        w.wholes[0] = base
        now[0] = t
        at = give(w, w.t, w.ti, now)
        first = give(w, w.x, w.xi, x)
        remember(w, d, memory)
        transition(w, chart, fired)
        for i in range(n):
            if w.xi[3 * i + 1] != 0:
                w.bar[w.xi[3 * i + 1]] += lam[i]
        for i in range(nd):
            if w.di[3 * i + 1] != 0:
                w.bar[w.di[3 * i + 1]] += delta[i]
        sweep(w, first + n, w.wholes[0], 0)
        take(w, first, lam)
        take(w, at, now)
        remember(w, d, memory)
        return now[0]

    def through_guard(t, x, lam, tau, w, chart, fired, base, f):
        """Take tau to lambda, memory and parameters, if a guard reached zero here; return what is left, and a code."""
        now, by, found = np.empty(1), np.empty(n), 0
        w.wholes[0] = base
        now[0] = t
        at = give(w, w.t, w.ti, now)
        first = give(w, w.x, w.xi, x)
        guards(w, chart)
        end, left = w.wholes[0], tau
        for i in range(ng):
            place = w.gi[3 * i + 1]
            if not fired[i]:
                continue
            if place != 0:
                w.bar[place] += 1.0
            sweep(w, first + n, end, base)
            take(w, first, by)
            take(w, at, now)
            rate = now[0]
            for j in range(n):
                rate += by[j] * f[j]
            if abs(w.g[3 * i]) > ENTRY_TIME * max(1.0, abs(rate)):
                continue  # the event before, at this very time, made the guard negative: the time is that one's
            found += 1
            if found > 1:
                return left, SIMULTANEOUS
            if not abs(rate) > GRAZING_RATE:
                return left, GRAZING
            w.bar[place] -= tau / rate
            sweep(w, first + n, end, 0)
            take(w, first, by)
            take(w, at, now)
            for j in range(n):
                lam[j] += by[j]
            left = 0.0
        return left, DONE

    def event(t, before, after, charts, fired, lam, tau, w, base, memory, last):
        """Return tau for the event before, and a code. `before`, `after`: state and memory, (n + nd,)."""
        f = np.empty(n)
        if not last:
            remember(w, after[n:], memory)
            rates(t, after[:n], w, charts[1], base, f)
            for i in range(n):
                tau -= lam[i] * f[i]
        tau += through_reset(t, before[:n], before[n:], lam, w, charts[0], fired, base, memory)
        rates(t, before[:n], w, charts[0], base, f)
        for i in range(n):
            tau += lam[i] * f[i]
        return through_guard(t, before[:n], lam, tau, w, charts[0], fired, base, f)

    return event


def adjoint_pass(functions: Functions, plain: Callable) -> Callable:
    """Return the function that takes a gradient back over a recorded run; `carry_back` says how."""
    sizes = functions.sizes
    n, nd, n_p, ng = (sizes[name] for name in ("N", "ND", "NP", "NG"))
    parts = backward(functions)
    step, event = backward_step(functions, parts[0], n), backward_event(parts, n, nd, ng)
    memory, base = 1 + n_p, 1 + n_p + nd

    def pieces(rec, log, flows, starts):
        """Write the run's steps in order: (time, length, chart, row of the event before, row that follows it)."""
        t, chart, row, e, before, m = rec[0, 0], rec[0, 1], 0, 0, -1, 0
        x = rec[0, 2 : 2 + n]
        while True:
            while e < len(log) and log[e, 1] != codes.TRANSITION:
                e += 1
            while row < len(rec) and rec[row, 0] <= t:
                row += 1
            due = e < len(log) and (row == len(rec) or log[e, 0] <= rec[row, 0])
            if not due and row == len(rec):
                return m
            until = log[e, 0] if due else rec[row, 0]
            flows[m, 0], flows[m, 1], flows[m, 2], flows[m, 3] = t, until - t, chart, before
            flows[m, 4] = e if due else -1
            starts[m] = x
            m += 1
            t = until
            if due:
                x, chart, before = log[e, 4 + n + nd : 4 + 2 * n + nd], log[e, 3], e
                e += 1
            else:
                x = rec[row, 2 : 2 + n]

    def carry_back(rec, log, d, lam, tau, stopped, active, w):
        """Take the gradient back; the places of `w.bar` behind the first then hold it by parameters and memory.

        Args:
            rec: The record of every step.
            log: The event log.
            d: The first memory, (n_memory,).
            lam: Gradient by the last state, (n,); by the first one when it returns.
            tau: Gradient by the last event's time.
            stopped: Whether the run ends just behind its last event.
            active: Which parameters are no constants, (n_params,), their values in `w.p`.
            w: The tape; its gradients by memory and parameters are those of the end.

        Returns:
            A code, and the row of the log where it applies.
        """
        rec, log = plain(rec), plain(log)
        w = Tape(  # counted references would take longer than a small model's arithmetic
            plain(w.words), plain(w.wholes), plain(w.bar), w.address, plain(w.x), plain(w.xi), plain(w.dx),
            plain(w.dxi), plain(w.d), plain(w.di), plain(w.p), plain(w.pi), plain(w.g), plain(w.gi), plain(w.t),
            plain(w.ti), plain(w.k), plain(w.out), plain(w.place),
        )  # fmt: skip
        for i in range(n_p):
            w.pi[3 * i + 1], w.pi[3 * i + 2] = (1 + i if active[i] else 0), w.address
        most = len(rec) + len(log) + 1
        flows, starts = np.empty((most, 5)), np.empty((most, n))
        fired, charts = np.empty(ng, np.int64), np.empty(2, np.int64)
        last = stopped
        for m in range(pieces(rec, log, flows, starts) - 1, -1, -1):
            e, before = int(flows[m, 4]), int(flows[m, 3])
            if e >= 0:
                for i in range(ng):
                    fired[i] = int(log[e, 4 + 2 * (n + nd) + i])
                charts[0], charts[1] = int(log[e, 2]), int(log[e, 3])
                tau, code = event(
                    log[e, 0], log[e, 4 : 4 + n + nd], log[e, 4 + n + nd : 4 + 2 * (n + nd)], charts, fired, lam, tau,
                    w, base, memory, last,
                )  # fmt: skip
                last = False
                if code != DONE:
                    return code, e
            if flows[m, 1] > 0.0:
                held = log[before, 4 + 2 * n + nd : 4 + 2 * (n + nd)] if before >= 0 else d
                for i in range(nd):
                    trace(w.d, w.di, i, held[i], memory + i, w.address)
                chart = int(flows[m, 2])
                if not step(flows[m, 0], flows[m, 1], starts[m], lam, w, chart, base):
                    return FULL, 0
            if w.wholes[0] > w.wholes[1]:
                return FULL, 0
        return DONE, 0

    return carry_back
