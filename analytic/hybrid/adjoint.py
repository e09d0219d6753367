"""Gradients of a run's outcome by very many parameters: backward through its steps and events, in one pass.

`Derivatives` carries every direction along, which serves up to about thirty. Backward, a gradient costs as much for a
thousand parameters as for ten, once for each number that is asked for. Where it does not exist the answer is NaN and a
sentence, as there; events of two guards at once are always refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilation import has_numba
from ..compilation.functions import compiled
from ..compilation.references import size
from .adjoint_event import DONE, FULL, SIMULTANEOUS
from .adjoint_pass import adjoint_pass
from .adjoint_tape import ROW, Tape
from .directions import along, place_of
from .existence import Existence, judge_run
from .known_times import refuse
from .loader import INLINE_BYTES, intrinsic_plain
from .model import Model
from .result import Result, Status
from .simulator import compile
from .start import RunStart, every_step

ROWS = 1 << 14  # of a tape to begin with: a step on SLIP takes 400


@dataclass(frozen=True)
class Gradient:
    """A measure of a run's end and its gradient. Check `existence`: if it is not EXISTS they are NaN."""

    existence: Existence
    message: str
    value: Any  # a number, or an array (m,)
    by: np.ndarray  # (k,) or (m, k), along the names that were given
    result: Result


class Adjoint:
    """Runs a model and the gradient of what comes out.

    Args:
        model: The model.
        method: As in `compile`, an explicit one.

    Raises:
        ValueError: If the method is none, or the model has a mistake.
        ImportError: If numba is not installed.
    """

    def __init__(self, model: Model, method: str | None = None) -> None:
        if not has_numba():
            raise ImportError("the adjoint runs compiled only: pip install numba; or use Derivatives")
        refuse(model, "derivatives")
        self.model, self.sim = model, compile(model, method, "compiled")
        if self.sim.method.gamma:
            raise ValueError(f"the adjoint goes back over explicit steps, not {self.sim.method.name}; use Derivatives")
        parts = {name: getattr(self.sim.functions, name) for name in ("field", "guards", "transition")}
        apart = tuple(name for name, part in parts.items() if size(part) >= INLINE_BYTES)
        self._back = compiled(adjoint_pass(self.sim.functions, intrinsic_plain()), INLINE_BYTES, apart)
        self._rows = ROWS

    def run(
        self, function: Callable, wrt: Sequence[str], x0: Any = None, d0: Any = None, params: Any = None, **how: Any
    ) -> Gradient:
        """Return a measure of the run's end and its gradient.

        Args:
            function: `function(t, x, d, p)`, a number or an array (m,), at the last event or the final time;
                differentiated by five-point differences.
            wrt: Names of states (of the start), memory entries and parameters, k of them. Other parameters count as
                constants, at which code may make a special case of a number.
            x0: Initial state; as `d0` and `params`, which follow, and all that `how` holds, as in `Simulator.run`.
            d0: Initial memory.
            params: Parameters.
            **how: `t0`, `chart`, `stop_at`, `stop_count` and settings, rtol by default 1e-10; every step is recorded.
                A model that has an `initial` must be given the chart.

        Raises:
            ValueError: If a name is unknown or stands for two things, or there is no chart.
        """
        model = self.model
        where = place_of(model, wrt)
        start, settings = self.sim.start.of(x0, d0, params, **how)
        if start.chart < 0:
            if "initial" in model.hooks:
                raise ValueError(f"give the first chart: what {model.name}'s `initial` completes is not differentiated")
            start = start._replace(chart=model.chart_code(model.start))
        r = self.sim.run_from(start, every_step(settings))
        value = np.asarray(function(r.t_end, r.x_end, r.d_end, start.p), dtype=float)
        existence, message = judge_run(r, start.stop_at)
        by = np.full((*value.shape, len(wrt)), np.nan)
        if existence is Existence.EXISTS:
            code, row = self._gradients(function, r, start, where, by.reshape(-1, len(wrt)))
            if code != DONE:
                existence = Existence.SIMULTANEOUS if code == SIMULTANEOUS else Existence.GRAZING
                message = f"{existence.value}: {r.events.name[row]} at t = {float(r.events.t[row])!r}"
            elif not np.isfinite(by).all():
                existence, message = Existence.UNDEFINED, Existence.UNDEFINED.value
            if existence is not Existence.EXISTS:
                by[:] = np.nan
        return Gradient(existence, message, value[()], by, r)

    def _gradients(self, function: Callable, r: Result, start: RunStart, where: Any, out: np.ndarray) -> tuple:
        """Write a row of `out` for each number of the measure; return a code and a row of the log."""
        n, nd, stopped = self.model.x0.size, self.model.d0.size, r.status is Status.STOPPED
        at, n_p = (np.array([r.t_end]), r.x_end, r.d_end, start.p), start.p.size
        parts = _unit_derivatives(function, at, where)
        active = np.zeros(max(n_p, 1), bool)
        active[[i for i in where - n - nd if i >= 0]] = True
        for j, (by_t, by_x, by_d, by_p) in enumerate(zip(*parts, strict=True)):
            tau = by_t if stopped else 0.0  # what the shift adds to the state behind the event, the reset takes away
            code, row, made = self._once(r, start.d, start.p, by_x, by_d, by_p, tau, stopped, active)
            if code != DONE:
                return code, row
            out[j] = made[where]
        return DONE, 0

    def _once(self, r, d, p, by_x, by_d, by_p, tau, stopped, active) -> tuple:
        """Return a code, a row of the log, and the gradient by states, memory and parameters."""
        sizes, some = self.sim.functions.sizes, lambda values: values if values.size else np.zeros(1)
        while True:
            w = _tape(sizes, self._rows, some(p))
            memory, lam = 1 + sizes["NP"], by_x.copy()
            w.bar[1 : 1 + p.size], w.bar[memory : memory + d.size] = by_p, by_d
            code, row = self._back(r._record, r.events.log, some(d), lam, tau, stopped, active, w)
            if code != FULL:
                made = np.concatenate([lam, w.bar[memory : memory + d.size], w.bar[1 : 1 + p.size]])
                return code, row, made
            self._rows *= 4


def _tape(sizes: dict[str, int], rows: int, p: np.ndarray) -> Tape:
    """Return an empty tape, with the parameters' values as traces."""
    rows = max(rows, 64 + sizes["NP"] + sizes["ND"] + 16 * sizes["N"])
    words = np.zeros(ROW * rows)
    wholes = words.view(np.int64)
    wholes[0], wholes[1] = 1, rows
    x, dx, d, of_p, g, t = (np.zeros(3 * size) for size in (*(sizes[name] for name in ("N", "N", "ND", "NP", "NG")), 1))
    of_p[::3] = p
    as_int = [part.view(np.int64) for part in (x, dx, d, g, t)]
    stages = np.empty((12, sizes["N"]))
    return Tape(
        words, wholes, np.zeros(rows), words.ctypes.data, x, as_int[0], dx, as_int[1], d, as_int[2], of_p,
        of_p.view(np.int64), g, as_int[3], t, as_int[4], stages, np.zeros_like(stages, np.int64),
        np.empty((12, 2), np.int64),
    )  # fmt: skip


def _unit_derivatives(function: Callable, at: tuple, where: np.ndarray) -> list[np.ndarray]:
    """Return the derivatives of a measure by time (m,), state (m, n), memory (m, nd) and parameters (m, n_p)."""

    def values(t, x, d, p):
        return np.atleast_1d(np.asarray(function(float(t[0]), x, d, p), dtype=float))

    made, m = [], values(*at).size
    for j, part in enumerate(at):
        by = np.zeros((m, part.size))
        for i in range(part.size) if j < 3 or _depends(values, at) else ():
            if j == 3 and i + at[1].size + at[2].size not in where:
                continue
            unit = [np.zeros(other.size) for other in at]
            unit[j][i] = max(1.0, abs(part[i]))
            by[:, i] = along(values, at, tuple(unit)) / unit[j][i]
        made.append(by[:, 0] if j == 0 else by)
    return made


def _depends(values: Callable, at: tuple) -> bool:
    """Return whether a measure changes with the parameters: most do not, and there may be thousands."""
    rng = np.random.default_rng(0)
    moved = at[3] * (1.0 + 1e-3 * rng.random(at[3].size)) + 1e-9
    return bool(np.any(values(*at[:3], moved) != values(*at)))
