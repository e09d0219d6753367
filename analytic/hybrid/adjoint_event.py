"""Back over an event: the transposed saltation, for `adjoint_pass`."""

from collections.abc import Callable

import numpy as np

from .adjoint_tape import give, remember, sweep, take
from .saltation import ENTRY_TIME, GRAZING_RATE

DONE, FULL, GRAZING, SIMULTANEOUS = range(4)  # how a pass ended


def backward_reset(transition: Callable, n: int, nd: int) -> Callable:
    """Return the function that takes lambda and the memory's gradients back over a transition."""

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

    return through_reset


def backward_guard(guards: Callable, n: int, ng: int) -> Callable:
    """Return the function that takes tau back to what the time of an event depends on."""

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

    return through_guard


def backward_event(parts: tuple[Callable, ...], n: int, nd: int, ng: int) -> Callable:
    """Return the function that takes lambda and tau back over an event; its `event`."""
    field, guards, transition = parts
    through_reset, through_guard = backward_reset(transition, n, nd), backward_guard(guards, n, ng)

    def rates(t, x, w, chart, base, f):
        w.wholes[0] = base
        give(w, w.x, w.xi, x)
        field(t, w, chart)
        for i in range(n):
            f[i] = w.dx[3 * i]

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
