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

from collections.abc import Callable

import numpy as np

from .adjoint_event import DONE, FULL, backward_event
from .adjoint_tape import Tape, backward, give, remember, sweep, take
from .kernel import codes
from .loader import Functions
from .tableau import METHODS


def backward_step(field: Callable, n: int) -> Callable:
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


def pieces_of(n: int, nd: int) -> Callable:
    """Return the function that writes the steps of a run in order, and its states at their starts."""

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
            for i in range(n):  # `starts[m] = x` takes numba two seconds to compile
                starts[m, i] = x[i]
            m += 1
            t = until
            if due:
                x, chart, before = log[e, 4 + n + nd : 4 + 2 * n + nd], log[e, 3], e
                e += 1
            else:
                x = rec[row, 2 : 2 + n]

    return pieces


def adjoint_pass(functions: Functions, plain: Callable) -> Callable:
    """Return the function that takes a gradient back over a recorded run; `carry_back` says how."""
    sizes = functions.sizes
    n, nd, n_p, ng = (sizes[name] for name in ("N", "ND", "NP", "NG"))
    parts = backward(functions)
    step, event, pieces = backward_step(parts[0], n), backward_event(parts, n, nd, ng), pieces_of(n, nd)
    memory, base = 1 + n_p, 1 + n_p + nd

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
                    fired[i] = log[e, 4 + 2 * (n + nd) + i] != 0.0
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
                remember(w, held, memory)
                chart = int(flows[m, 2])
                if not step(flows[m, 0], flows[m, 1], starts[m], lam, w, chart, base):
                    return FULL, 0
            if w.wholes[0] > w.wholes[1]:
                return FULL, 0
        return DONE, 0

    return carry_back
