"""Derivatives of a run that was recorded: its accepted steps and events once more, in blocks of directions."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..compilation.functions import compiled, is_tried
from ..compilation.rebuild import interpreted
from ..compilation.references import size
from .directions import Directions
from .directions import norms as norms_of
from .jet_functions import JetFunctions, Sizes, jet_functions, jets_of
from .known_times import refuse
from .loader import INLINE_BYTES, intrinsic_plain
from .result import Result, Status
from .simulator import Simulator
from .start import RunStart
from .tangent_pass import N_ROOM, tangent_pass

LEAST = 1e-7  # relative tolerance of directions along stiff steps, whose own differences are exact to 2e-8
LARGEST = 12  # directions in a block: one vector of jets in registers
ENDED_IN_LOG = (Status.INVALID_CHART, Status.UNKNOWN_CHART)  # their last event was not performed


@dataclass(frozen=True)
class RunDerivatives:
    """Derivatives along k directions, at fixed times beside each row of the event log and at the end.

    The first axis of `x_by` and `d_by` is the side: 0 just before the event, 1 just behind it.
    """

    t_by: np.ndarray  # (n_rows, k) of the events' times; NaN where they do not exist, and behind that
    x_by: np.ndarray  # (2, n_rows, n, k)
    d_by: np.ndarray  # (2, n_rows, n_memory, k)
    x_end_by: np.ndarray  # (n, k)
    d_end_by: np.ndarray  # (n_memory, k)
    kinds: np.ndarray  # (n_rows,) what each event was: `simultaneous.ONE`, COMMUTE or SIDED
    n_rows: int  # rows of the log that could be passed, had the derivatives existed
    t_undefined: float  # where a function has no finite derivative [s], infinity if nowhere
    undefined: np.ndarray  # (k,) of bool: along which

    @property
    def last_t_by(self) -> np.ndarray:
        """Those of the last event's time, shape (k,)."""
        return self.t_by[-1] if len(self.t_by) else np.zeros(self.x_end_by.shape[1])


class Replay:
    """Carries k directions along the runs of a simulator; `jets`: by the functions' arithmetic, not by differences."""

    def __init__(self, sim: Simulator, n_directions: int, rel_step: float, jets: bool) -> None:
        refuse(sim.model, "derivatives")
        sizes = sim.functions.sizes
        self.n_states, self.n_memory = sim.model.x0.size, sim.model.d0.size
        self.k, self._implicit = n_directions, sim.method.gamma > 0
        at_once = _at_once(n_directions, sim.mode == "compiled")
        self.sizes = s = Sizes(sizes["N"], sizes["ND"], sizes["NP"], sizes["NG"], at_once)
        of = jet_functions(sim.functions, s, rel_step, jets)
        if sim.mode == "compiled":
            self._carry = _compiled(of, s, sim, rel_step, jets)
        else:
            self._carry = interpreted(tangent_pass(of, s, sim.method, rel_step, jets, lambda array: array))

    def __call__(
        self,
        r: Result,
        start: RunStart,
        v: Directions,
        scale: np.ndarray,
        tolerances: tuple,
        looser: float,
        sided: bool = False,
    ) -> RunDerivatives:
        """Return the derivatives of a run along k directions.

        Args:
            r: The run, with every step recorded.
            start: Where it began.
            v: The directions.
            scale: What is a large step of each parameter, shape (n_params,).
            tolerances: Absolute, shape (n,), and relative.
            looser: The derivatives' tolerance over these.
            sided: Whether derivatives along the directions only will do.
        """
        n_log, n, nd, b = len(r.events), self.n_states, self.n_memory, self.sizes.k
        k = max(1, math.ceil(self.k / b)) * b  # the last block is filled with directions that move nothing
        t_by, x_by, d_by = (np.full(shape, np.nan) for shape in ((n_log, k), (2, n_log, n, k), (2, n_log, nd, k)))
        x_end, d_end, undefined, when = np.empty((n, k)), np.empty((nd, k)), np.zeros(k, bool), math.inf
        rec, log = _passable(r)
        kinds = np.zeros(n_log, np.int64)
        if self._implicit:
            looser = max(looser, LEAST / tolerances[1])
        for first in range(0, k, b):
            block = slice(first, first + b)
            columns = [_columns(part, block, b) for part in (v.x, v.d, v.p)]
            norms = np.max(np.abs(columns[2]) / scale[:, None], axis=0, initial=0.0)
            norms_of_all = np.maximum(norms, norms_of(start.x, start.d, *columns[:2]))
            made = self._block(rec, log, start[:3], columns, norms, norms_of_all, tolerances, looser, int(sided))
            rows = slice(0, len(log))
            t_by[rows, block] = made[0]
            x_by[:, rows, :, block], d_by[:, rows, :, block] = made[1], made[2][:, :, :nd]
            x_end[:, block], d_end[:, block] = made[3], made[4][:nd]
            kinds[rows] = np.maximum(kinds[rows], made[6])
            when = min(when, made[5])
            undefined[block] = ~np.isfinite(made[3]).all(axis=0) if made[5] < math.inf else False
        own = slice(0, self.k)
        by = t_by[:, own], x_by[..., own], d_by[..., own], x_end[:, own], d_end[:, own]
        return RunDerivatives(*by, kinds, len(log), when, undefined[own])

    def _block(self, rec, log, at, columns, norms, norms_of_all, tolerances, looser, sided) -> tuple:
        """Return t_by, x_by, d_by and kinds of the rows of the log, x_by and d_by at the end, and when not finite."""
        s = self.sizes
        x, d, p = (jets_of(values, by) for values, by in zip(at, columns, strict=True))
        t_by = np.full((len(log), s.k), np.nan)
        xs, ds = (np.full((2, len(log), size * s.jet), np.nan) for size in (s.n, s.nd))
        kinds = np.zeros(len(log), np.int64)
        atol, rtol = tolerances
        allowed = np.zeros((s.n, s.jet))
        if looser < math.inf:
            allowed[:, 1:] = looser * np.outer(atol + rtol, norms_of_all)
        room, n_jac = np.empty((N_ROOM, s.n * s.jet)), s.n if self._implicit else 1
        work = kinds, sided, room, np.empty((2, n_jac, n_jac)), np.empty(n_jac, np.int64)
        with np.errstate(all="ignore"):
            when = self._carry(rec, log, x, d, p, norms, allowed.ravel(), looser * rtol, t_by, xs, ds, *work)
        rows = xs.reshape(2, len(log), s.n, s.jet)[..., 1:], ds.reshape(2, len(log), s.nd, s.jet)[..., 1:]
        return t_by, *rows, x.reshape(s.n, s.jet)[:, 1:], d.reshape(s.nd, s.jet)[:, 1:], when, kinds


def _at_once(n_directions: int, compiled: bool) -> int:
    """Return the number of directions in a block: even if compiled, since each number is compiled for itself."""
    each = max(1, math.ceil(n_directions / max(1, math.ceil(n_directions / LARGEST))))
    return each + each % 2 if compiled else each


def _compiled(of: JetFunctions, s: Sizes, sim: Simulator, rel_step: float, jets: bool) -> Callable:
    parts = {name: getattr(sim.functions, name) for name in of._fields}
    apart = tuple(name for name, part in parts.items() if size(part) >= INLINE_BYTES)

    def whole(of):
        return compiled(tangent_pass(of, s, sim.method, rel_step, jets, intrinsic_plain()), INLINE_BYTES, apart)

    if not is_tried():
        return whole(of)
    from .linked_pass import load

    return load(of, s, sim.method, rel_step, jets, whole)


def _columns(part: np.ndarray, block: slice, b: int) -> np.ndarray:
    """Return the columns of a block, filled with zeros to b."""
    made = np.zeros((len(part), b))
    own = part[:, block]
    made[:, : own.shape[1]] = own
    return made


def _passable(r: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of record and log up to where the run leaves its equations: an accumulation, a failure."""
    rec, log, kind = r._record, r.events.log, r.events.kind
    if np.any(kind == "accumulation"):
        log = log[: np.argmax(kind == "accumulation")]
        rec = rec[rec[:, 0] <= (log[-1, 0] if len(log) else rec[0, 0])]
    elif r.status in ENDED_IN_LOG:
        log = log[:-1]
    elif r.status is Status.MODEL_ERROR:
        log, rec = log[:0], rec[:1]
    return np.require(rec, float, "CW"), np.require(log, float, "CW")
