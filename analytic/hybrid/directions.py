"""Directions in the numbers that a run starts with: its state, memory and parameters."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilation.rebuild import interpreted
from .jet_functions import STEPS, WEIGHTS
from .model import Model
from .start import RunStart

REL_STEP = 1e-4  # relative step of the five-point differences: truncation 1e-16 f^(5) / 30, rounding 1e-12


def along(function: Callable, at: tuple, v: tuple, rel_step: float = REL_STEP) -> np.ndarray:
    """Return the derivative of `function(*at)` along `v`, in its shape, by five-point differences.

    `at` and `v` are tuples of arrays of the same shapes.
    """
    size = max((np.max(np.abs(b) / (1.0 + np.abs(a)), initial=0.0) for a, b in zip(at, v, strict=True)), default=0.0)
    if not size > 0.0:
        value = np.asarray(function(*at), dtype=float)
        return np.zeros_like(value) if size == 0.0 else np.full_like(value, np.nan)
    e = rel_step / size
    terms = [
        w / e * np.asarray(function(*(a + s * e * b for a, b in zip(at, v, strict=True))), dtype=float)
        for s, w in zip(STEPS, WEIGHTS, strict=True)
    ]
    return sum(terms)


def norms(x: np.ndarray, d: np.ndarray, x_by: np.ndarray, d_by: np.ndarray) -> np.ndarray:
    """Return the norm of each direction in state and memory, relative to their sizes, shape (k,)."""
    of_x = np.max(np.abs(x_by) / (1.0 + np.abs(x))[:, None], axis=0, initial=0.0)
    return np.maximum(of_x, np.max(np.abs(d_by) / (1.0 + np.abs(d))[:, None], axis=0, initial=0.0))


@dataclass(frozen=True)
class Directions:
    """k directions of a start, one column each."""

    names: tuple[str, ...]
    x: np.ndarray  # (n, k)
    d: np.ndarray  # (n_memory, k)
    p: np.ndarray  # (n_params, k)

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.names)

    @classmethod
    def of_start(cls, model: Model, by: np.ndarray | None = None) -> "Directions":
        """Return directions of state and memory: the columns of `by`, (n + n_memory, k); None: all unit vectors.

        Raises:
            ValueError: If they have another shape.
        """
        n, nd = model.x0.size, model.d0.size
        by = np.eye(n + nd) if by is None else np.asarray(by, dtype=float)
        if by.ndim != 2 or len(by) != n + nd:
            raise ValueError(f"directions must have shape {(n + nd, 'k')}, got {by.shape}")
        k = by.shape[1]
        return cls(tuple(f"direction {c}" for c in range(k)), by[:n], by[n:], np.zeros((model.p0.size, k)))

    def passes(self, width: int) -> "list[Directions]":
        """Return the directions in groups of `width`, one for each run; the last group repeats its last direction."""
        groups = [np.minimum(np.arange(i, i + width), self.size - 1) for i in range(0, self.size, width)]
        return [Directions(tuple(self.names[c] for c in g), self.x[:, g], self.d[:, g], self.p[:, g]) for g in groups]

    def begun(self, model: Model, start: RunStart) -> "tuple[RunStart, Directions]":
        """Return a start without a chart, and its directions, as the model's `initial` completes them.

        Raises:
            ValueError: If it chooses another chart beside the start: the start lies on a border of charts.
        """
        function = model.hooks.get("initial")
        if function is None:
            return start._replace(chart=model.chart_code(model.start)), self
        at, by = start[:3], (self.x, self.d, self.p)
        function, sizes = interpreted(function), np.cumsum([part.size for part in at[:2]])

        def begin(*at):
            parts = [part.copy() if part.size else np.zeros(1) for part in at]
            charts.append(int(function(start.t, *parts)))
            return np.concatenate([part[: whole.size] for part, whole in zip(parts, at, strict=True)])

        charts: list[int] = []
        whole = begin(*at)
        columns = [along(begin, at, tuple(part[:, c] for part in by)) for c in range(self.size)]
        if len(set(charts)) > 1:
            raise ValueError(f"the start lies on the border of charts {sorted(set(charts))}: give the first chart")
        moved = np.split(np.stack(columns, axis=1), sizes)
        x, d, p = np.split(whole, sizes)
        return start._replace(x=x, d=d, p=p, chart=charts[0]), Directions(self.names, *moved)


def pick(model: Model, wrt: Sequence[str] | Mapping[str, Mapping[str, float]]) -> Directions:
    """Return directions by name: each moves the one number of that name, or several, at the rates of its table.

    Raises:
        ValueError: If a name is unknown, or stands for a state and a parameter.
    """
    tables: dict[str, Mapping[str, float]] = (
        dict(wrt) if isinstance(wrt, Mapping) else {name: {name: 1.0} for name in wrt}
    )
    parts: dict[str, Any] = {"state": model.state_names, "memory": model.memory_names, "parameter": model.param_names}
    columns = {what: np.zeros((len(names), len(tables))) for what, names in parts.items()}
    for c, table in enumerate(tables.values()):
        for name, rate in table.items():
            own = [what for what, names in parts.items() if name in names]
            if len(own) != 1:
                known = "; ".join(f"{what}: {', '.join(names) or 'none'}" for what, names in parts.items())
                fault = f"stands for a {' and a '.join(own)}" if own else "is unknown"
                raise ValueError(f"model {model.name}: {name!r} {fault}; {known}")
            columns[own[0]][parts[own[0]].index(name), c] = rate
    return Directions(tuple(tables), columns["state"], columns["memory"], columns["parameter"])


def place_of(model: Model, names: Sequence[str]) -> np.ndarray:
    """Return the index of each name among states, memory entries and parameters, in this order, shape (k,) of int.

    Raises:
        ValueError: If a name is unknown, or stands for two things.
    """
    known = [*model.state_names, *model.memory_names, *model.param_names]
    table, count = {name: i for i, name in enumerate(known)}, Counter(known)
    for name in names:
        if count[name] != 1:
            pick(model, [name])  # says why not
    return np.array([table[name] for name in names], dtype=np.int64)
