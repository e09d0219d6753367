"""Derivatives of a run with respect to its start, memory and parameters, forward through every event.

A direction moves any of the numbers that a run starts with: `Derivatives.run(["restitution", "height"], ...)` takes
one per name. With p the parameters, the derivative obeys Phi' = f_x Phi + f_d Delta + f_p P between events; at an event
of guard h the time moves by t_p = -(h_x Phi + h_d Delta + h_p P) / (h_x f- + h_t), and the reset r gives

    Phi+ = r_x Phi + r_d Delta + r_p P + (r_x f- + r_t - f+) t_p.

The model runs as it always does; then its accepted steps and events are taken once more with the directions (`replay`).

Where the derivative does not exist the answer is NaN and a sentence: see `Existence`.

Source: Leine & Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems (2004), section 7.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..compilation.rebuild import interpreted
from .directions import REL_STEP, Directions, along, pick
from .existence import Existence, judge
from .expand import to_functions
from .model import Model
from .replay import Replay, RunDerivatives
from .result import Result, Status
from .simulator import compile
from .start import RunStart, every_step

SIDES = ("minus", "plus")  # of an event


@dataclass(frozen=True)
class Tangent:
    """A point of a run and its derivatives along k directions, taken at the event (or at the final time)."""

    t: float  # [s]
    x: np.ndarray  # (n,)
    d: np.ndarray  # (n_memory,)
    p: np.ndarray  # (n_params,)
    t_by: np.ndarray  # (k,) of the event's time; zero at a final time
    x_by: np.ndarray  # (n, k)
    d_by: np.ndarray  # (n_memory, k)
    p_by: np.ndarray  # (n_params, k)
    rate: np.ndarray  # (n,) of the state, on the side of the event that was asked for

    @property
    def matrix(self) -> np.ndarray:
        """Derivatives of state and memory at a fixed time beside the event, shape (n + n_memory, k)."""
        return np.concatenate([self.x_by - np.outer(self.rate, self.t_by), self.d_by])

    def measure(self, function: Callable, rel_step: float = 1e-4) -> tuple[Any, np.ndarray]:
        """Return the value of a measure (speed, work, force, margin) and its derivatives, shape (..., k).

        Args:
            function: `function(t, x, d, p)`, a number or an array; differentiated by five-point differences.
            rel_step: Relative step of the differences; their error is about its fourth power.
        """
        at = (np.array([self.t]), self.x, self.d, self.p)

        def values(t, x, d, p):
            return np.asarray(function(float(t[0]), x, d, p), dtype=float)

        by = (self.t_by[None], self.x_by, self.d_by, self.p_by)
        columns = [along(values, at, tuple(part[:, c] for part in by), rel_step) for c in range(self.t_by.size)]
        return values(*at)[()], np.stack(columns, axis=-1)


@dataclass(frozen=True)
class DerivedRun:
    """A run with its derivatives. Check `existence`: if it is not EXISTS they are NaN, and `message` says why.

    With ONE_SIDED, if that was asked for, they hold along the directions, not against them.
    """

    existence: Existence
    message: str
    end: Tangent
    result: Result
    replayed: RunDerivatives  # at fixed times, of all events
    _tangent: Callable  # (row of the log, side: 0 or 1) -> Tangent

    @property
    def event_times(self) -> np.ndarray:
        """Times of the transitions [s], shape (n_events,)."""
        return self.result.events.t[self._rows]

    @property
    def event_times_by(self) -> np.ndarray:
        """Their derivatives, shape (n_events, k)."""
        return self.replayed.t_by[self._rows]

    def at(self, guard: str, occurrence: int = -1, side: str = "plus") -> Tangent:
        """Return the point just after an event, by default the last one of its guard.

        Args:
            guard: The guard's name.
            occurrence: Which of its events, from 0; negative ones count from the last.
            side: "minus": the point just before the event, where speeds of impact can be read.

        Raises:
            ValueError: If there is no such guard or side, or it fired less often.
        """
        if side not in SIDES:
            raise ValueError(f"side must be one of {', '.join(SIDES)}, got {side!r}")
        rows = self.result.events.of(guard)
        if not -len(rows) <= occurrence < len(rows):
            raise ValueError(f"guard {guard} fired {len(rows)} times, there is no occurrence {occurrence}")
        return self._tangent(rows[occurrence], SIDES.index(side))

    @property
    def _rows(self) -> np.ndarray:
        return np.flatnonzero(self.result.events.kind == "transition")


class Derivatives:
    """Runs a model together with its derivatives along a number of directions.

    Args:
        model: The model.
        n_directions: How many.
        method: As in `compile`.
        mode: As in `compile`.
        rel_step: Relative step of differences: large against round-off, 1e-12, and small against the scale on which the
            functions vary.
        jets: Whether the model's functions are differentiated by their arithmetic, exactly and several times faster,
            instead of by differences; runs compiled only. None: if the mode is.

    Raises:
        ValueError: If the model has a mistake, or jets are asked for of an interpreted one.
    """

    def __init__(
        self,
        model: Model,
        n_directions: int,
        method: str | None = None,
        mode: str = "auto",
        *,
        rel_step: float = REL_STEP,
        jets: bool | None = None,
    ) -> None:
        self.model, self.n_directions, self.rel_step = model, n_directions, rel_step
        self.sim = compile(model, method, mode)
        compiled = self.sim.mode == "compiled"
        self.jets = compiled if jets is None else jets
        if self.jets and not compiled:
            raise ValueError("jets are a type of numba's: an interpreted model is differentiated by differences")
        self._replay = Replay(self.sim, n_directions, rel_step, self.jets)
        self.sizes = self._replay.sizes  # of blocks of directions
        self._field = interpreted(to_functions(model).field)

    def run(
        self,
        wrt: Sequence[str] | Mapping[str, Mapping[str, float]] | Directions,
        x0: Any = None,
        d0: Any = None,
        params: Any = None,
        *,
        looser: float = 100.0,
        one_sided: bool = False,
        **how: Any,
    ) -> DerivedRun:
        """Return a run and its derivatives.

        Args:
            wrt: Names of states (of the start), memory entries or parameters, one direction each; or named directions,
                each a table of what it moves and how fast; or `Directions`.
            x0: Initial state; as `d0` and `params`, which follow, and all that `how` holds, as in `Simulator.run`.
            d0: Initial memory.
            params: Parameters.
            looser: Tolerance of the derivatives over that of the state, for a direction as large as what it moves: a
                step that is too long for them is halved. Infinity takes the state's steps, which serves where every
                kink is an event.
            one_sided: Whether, where events at one time part and do not commute, derivatives along the directions will
                do, which against them are others; `existence` is then ONE_SIDED. Otherwise they are refused.
            **how: `t0`, `chart`, `stop_at`, `stop_count` and settings, rtol by default 1e-10; every step is recorded.
                Without a chart the model's `initial` chooses it and completes the start, directions included.

        Raises:
            ValueError: If a name is unknown or stands for two things, or the directions are not `n_directions`.
        """
        start, settings = self.sim.start.of(x0, d0, params, **how)
        v = wrt if isinstance(wrt, Directions) else pick(self.model, wrt)
        if v.size != self.n_directions:
            raise ValueError(f"{self.n_directions} directions were compiled, got {v.size}: {', '.join(v.names)}")
        settings = every_step(settings)
        if start.chart < 0:
            start, v = v.begun(self.model, start)
        r = self.sim.run_from(start, settings)
        made = self._replay(r, start, v, self._scale(start.p), self._allowed(settings), looser, one_sided)
        return self._derived(r, start, v, made)

    def _scale(self, p: np.ndarray) -> np.ndarray:
        """Return the scale of each parameter: its own size, its default's, or 1 if both are zero."""
        scale = np.maximum(np.abs(p), np.abs(self.model.p0))
        return np.where(scale > 0, scale, 1.0)

    def _allowed(self, settings: dict[str, Any]) -> tuple[np.ndarray, float]:
        """Return the absolute tolerance of each state and the relative one."""
        given, rtol = settings.get("atol"), settings["rtol"]
        return np.broadcast_to(np.asarray(0.01 * rtol if given is None else given, float), (self.model.x0.size,)), rtol

    def _derived(self, r: Result, start: RunStart, v: Directions, made: RunDerivatives) -> DerivedRun:
        log, p = r.events, start.p

        def beside(row: int, side: int) -> Tangent:
            x, d = ((log.x_minus, log.d_minus), (log.x_plus, log.d_plus))[side]
            charts = (log.chart_before, log.chart_after)[side]
            by = made.t_by[row], made.x_by[side, row], made.d_by[side, row]
            return self._tangent(log.t[row], x[row], d[row], int(charts[row]), p, v, *by)

        existence, message = judge(r, v, made, start.stop_at)
        t_by = made.last_t_by if r.status is Status.STOPPED else np.zeros(v.size)
        end = self._tangent(r.t_end, r.x_end, r.d_end, r.chart_end, p, v, t_by, made.x_end_by, made.d_end_by)
        if existence not in (Existence.EXISTS, Existence.ONE_SIDED):
            end = replace(end, **{part: np.full_like(getattr(end, part), np.nan) for part in ("t_by", "x_by", "d_by")})
        return DerivedRun(existence, message, end, r, made, beside)

    def _tangent(self, t, x, d, chart, p, v, t_by, x_by, d_by) -> Tangent:
        """Return a point whose derivatives were taken at a fixed time."""
        rate = self.rate(t, x, d, p, chart)
        return Tangent(float(t), x.copy(), d.copy(), p, t_by, x_by + np.outer(rate, t_by), d_by, v.p, rate)

    def rate(self, t: float, x: np.ndarray, d: np.ndarray, p: np.ndarray, chart: int) -> np.ndarray:
        """Return the rate of the state in a chart, shape (n,)."""
        rate, some = np.zeros(x.size), lambda values: values if values.size else np.zeros(1)
        self._field(float(t), x, some(d), some(p), chart, rate)
        return rate
