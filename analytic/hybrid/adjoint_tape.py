"""A model's functions on numbers that record how they were computed, and the way back along the record.

See `compilation.traces` for the rows of a tape.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..compilation.rebuild import rebuild
from .loader import Functions

ROW = 4  # words of a tape's row


class Tape(NamedTuple):
    """A tape, the gradients by its places, and the arrays of traces; each array as floats and (`...i`) as integers."""

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
    from ..compilation.number_arrays import VERSION, numpy_of, view

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


def remember(w, d, first):
    """Write the memory as traces at its places, which begin at `first`."""
    for i in range(d.size):
        trace(w.d, w.di, i, d[i], first + i, w.address)
