"""A model's auxiliary functions and guards along a run, with their derivatives: what an optimiser bounds."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from ..compilation.functions import compiled
from ..compilation.rebuild import interpreted
from .derivatives import Derivatives
from .expand import to_functions
from .jet_functions import Sizes, jet_functions
from .loader import INLINE_BYTES
from .model import Model


class Outputs:
    """Evaluates the auxiliary functions of a model, then its guards, at rows of states.

    `derivatives` are of the model, or of one with more parameters and memory behind its own: sizes, mode and step of
    differences are taken from there.
    """

    def __init__(self, model: Model, derivatives: Derivatives) -> None:
        self.names = (*model.aux_names, *model.guards)
        s = derivatives.sizes
        self.sizes = Sizes(s.n, s.nd, s.n_p, len(self.names), s.k)
        both = _both(model)
        self._is_compiled = derivatives.sim.mode == "compiled"
        trivial = SimpleNamespace(field=_nothing, transition=_nothing, guards=both)
        jets = jet_functions(trivial, self.sizes, derivatives.rel_step, derivatives.jets).guards
        self._plain, self._jets = self._loop(_plain_rows(both)), self._loop(_jet_rows(jets))

    def _loop(self, function: Any) -> Any:
        return compiled(function, INLINE_BYTES) if self._is_compiled else interpreted(function)

    def values(self, t: np.ndarray, x: np.ndarray, d: np.ndarray, p: np.ndarray, chart: np.ndarray) -> np.ndarray:
        """Return the outputs at m rows, shape (m, n_outputs); infinite where a guard is not active."""
        out = np.full((len(t), len(self.names)), np.inf)
        self._plain(t, np.ascontiguousarray(x), _some(d), p if p.size else np.zeros(1), chart, out)
        return out

    def derived(self, at: tuple, by: tuple, chart: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the derivatives of the outputs, shape (m, n_outputs, k); zero where a guard is not active.

        Args:
            at: t, x, d, p, as in `values`.
            by: Their derivatives: (m, k), (m, n, k), (m, n_memory, k), (n_params, k).
            chart: Codes, shape (m,).
            values: What `values` returned.
        """
        s, (m, k) = self.sizes, by[0].shape
        made = np.zeros((m, s.ng, k))
        for first in range(0, k, s.k):
            width = min(s.k, k - first)
            own = slice(first, first + width)
            t, x, d, p = (_jets(value, part[..., own], s.k) for value, part in zip(at, by, strict=True))
            norms = np.pad(np.max(np.abs(by[3][:, own]), axis=0, initial=0.0), (0, s.k - width))
            out = np.zeros((m, s.ng * s.jet))
            d = d.reshape(m, -1) if d.size else np.zeros((m, s.jet))
            p = p.ravel() if p.size else np.zeros(s.jet)
            with np.errstate(invalid="ignore"):  # differences of guards that are not active
                self._jets(t.reshape(m, -1), x.reshape(m, -1), d, p, chart, norms, out)
            made[:, :, own] = out.reshape(m, s.ng, s.jet)[:, :, 1 : 1 + width]
        made[~np.isfinite(values)] = 0.0
        return made


def _some(d: np.ndarray) -> np.ndarray:
    """Return memory with at least one entry, as the engine has it."""
    return np.ascontiguousarray(d) if d.shape[1] else np.zeros((len(d), 1))


def _jets(value: np.ndarray, by: np.ndarray, k: int) -> np.ndarray:
    """Return jets with k derivatives, shape (..., k + 1), the last ones zero if there are fewer."""
    made = np.zeros((*value.shape, k + 1))
    made[..., 0] = value
    made[..., 1 : 1 + by.shape[-1]] = by
    return made


def _both(model: Model) -> Any:
    """Return a function that writes a model's auxiliary functions, then its guards."""
    aux, guards = model.hooks.get("aux", _nothing), to_functions(model).guards
    n_aux, n_guards = len(model.aux_names), len(model.guards)

    def both(t, x, d, p, chart, out):
        first, then = np.empty(n_aux), np.empty(n_guards)
        for i in range(n_guards):
            then[i] = np.inf
        aux(t, x, d, p, chart, first)
        guards(t, x, d, p, chart, then)
        for i in range(n_aux):
            out[i] = first[i]
        for i in range(n_guards):
            out[n_aux + i] = then[i]

    return both


def _plain_rows(both: Any) -> Any:
    def rows(t, x, d, p, chart, out):
        for i in range(len(chart)):
            both(t[i], x[i], d[i], p, chart[i], out[i])

    return rows


def _jet_rows(jets: Any) -> Any:
    def rows(t, x, d, p, chart, norms, out):
        for i in range(len(chart)):
            jets(t[i], x[i], d[i], p, chart[i], out[i], norms)

    return rows


def _nothing(t, x, d, p, chart, out):
    pass
