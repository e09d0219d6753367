"""The field of a model and of its derivatives in one evaluation, by arithmetic that carries derivatives.

The model's own function is compiled for numbers with m partial derivatives each; see `compilation.jets`.
Interpreted models have no such field.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compilation.rebuild import rebuild
from .saltation import Sizes


def jets_of(p: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return numbers (n,) with their directions (n, m) as the engine's jets, shape (max(n, 1) (m + 1),)."""
    made = np.column_stack([p, along])
    return made.ravel() if p.size else np.zeros(along.shape[1] + 1)


def jet_field(field: Any, s: Sizes) -> Any:
    """Return the augmented field; its parameters end with those of the model as jets."""
    from ..compilation.jet_arrays import VERSION, of_jets, view

    n, nd, m, width = s.n, s.nd, s.m, s.width
    k = m + 1
    as_jets = view(m)
    where = s.n_p + s.n_p * m + m
    version = VERSION
    until = where + max(s.n_p, 1) * k
    moved = rebuild(field, lambda again: again, {id(np): of_jets(m)}, {}, f"{__name__}_of_jets", frozen=True)

    def augmented_field(t, x, d, p, chart, dx):
        room = np.empty((2 * n + width) * k if version else 0)
        for i in range(n):
            room[i * k] = x[i]
            for c in range(m):
                room[i * k + 1 + c] = x[n + c * n + i]
        first = n * k
        for i in range(width):
            room[first + i * k] = d[i]
            for c in range(m):
                room[first + i * k + 1 + c] = d[nd + c * width + i]
        last = (n + width) * k
        moved(t, as_jets(room[:first]), as_jets(room[first:last]), as_jets(p[where:until]), chart, as_jets(room[last:]))
        for i in range(n):
            dx[i] = room[last + i * k]
            for c in range(m):
                dx[n + c * n + i] = room[last + i * k + 1 + c]

    return augmented_field
