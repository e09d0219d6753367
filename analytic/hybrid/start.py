"""The start of a run and the event that ends it; the workspace of a run, filled from these and the settings."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..spelling import listed
from .kernel import codes
from .model import Model
from .names import overlay
from .options import LARGEST, Options
from .tableau import Method
from .workspace import layout

COPIED = [  # settings that go into the workspace under the same name
    "rtol", "max_step", "min_step", "first_step", "pi_control", "measure_period", "frame_period", "max_charts",
    "max_steps", "stop_precision", "max_stop_iter", "time_tol", "graze_tol", "zeno_tol", "zeno_drift", "min_gap",
    "warn_only",
]  # fmt: skip


OTHERS = {  # names of SciPy's solve_ivp and what they are here
    "t_eval": "records at given times are times=[...]",
    "dense_output": "the state at any time is dense=True, then result.at(t)",
    "events": "events are guards of the model, result.events has those of a run",
    "method": "the method is chosen when the model is compiled, hy.compile(model, method=...)",
    "t_span": "a run goes from t0= to final_time=",
    "y0": "the initial state is x0=",
    "args": "parameters are params=",
    "jac": "methods that need a Jacobian take differences",
    "min_step_size": "the smallest step is min_step=",
    "max_step_size": "the largest step is max_step=",
}


class RunStart(NamedTuple):
    """The start of a run, in numbers, and the event that ends it before the final time."""

    x: np.ndarray  # (n,)
    d: np.ndarray  # (n_memory,)
    p: np.ndarray  # (n_params,)
    t: float  # [s]
    chart: int  # code; -1: the model chooses
    stop_at: str | None  # name of the guard
    stop_count: int  # which of its events


class Starter:
    """Makes starts and workspaces for the runs of one model."""

    def __init__(self, model: Model, sizes: dict[str, int], method: Method) -> None:
        self.model, self.method, self._guards = model, method, tuple(model.guards)
        n_jac = sizes["N"] if method.gamma else 1
        self._dtype = layout(*(sizes[name] for name in ("N", "ND", "NP", "NG")), method.n_rows, method.n_dense, n_jac)
        self._last: tuple = (None, None, None)
        named = {name: guard.times.period for name, guard in model.guards.items() if guard.times is not None}
        self._periods = [(name, period) for name, period in named.items() if isinstance(period, str)]

    def of(
        self,
        x0: Any = None,
        d0: Any = None,
        params: Any = None,
        *,
        t0: float = 0.0,
        chart: str | int | None = None,
        stop_at: str | None = None,
        stop_count: int = 1,
        **settings: Any,
    ) -> tuple[RunStart, dict[str, Any]]:
        """Return the start that the arguments of `Simulator.run` describe, and the settings among them."""
        model = self.model
        if not isinstance(t0, (int, float, np.number)):
            raise ValueError(f"t0 must be a number [s], got {t0!r}")
        if stop_at is not None and stop_at not in self._guards:
            raise ValueError(f"unknown guard {stop_at!r}; known: {listed(stop_at, self._guards)}")
        if (
            not isinstance(stop_count, (int, float, np.number))
            or not 1 <= stop_count <= LARGEST
            or int(stop_count) != stop_count
        ):
            raise ValueError(f"stop_count must be a whole number, at least 1, got {stop_count!r}")
        x = overlay("state", model.state_names, model.x0, x0)
        d = overlay("memory", model.memory_names, model.d0, d0)
        p = overlay("parameter", model.param_names, model.p0, params)
        code = -1 if chart is None else model.chart_code(chart)
        return RunStart(x, d, p, t0, code, stop_at, stop_count), settings

    def workspace(self, start: RunStart, settings: dict[str, Any]) -> np.ndarray:
        """Return a run's workspace, a record in an array of shape (1,)."""
        ws = copies(self._template(settings), 1)
        w = ws[0]
        self._last[2].check_span(start.t)
        w["x"] = start.x
        if start.d.size:
            w["d"] = start.d
        if start.p.size:
            w["p"] = start.p
        self.check_periods(start.p)
        w["t"] = w["t_event"] = start.t
        w["chart"] = start.chart
        if start.stop_at is not None:
            w["stop_guard"] = self._guards.index(start.stop_at)
            w["stop_count"] = start.stop_count
        for name, period in (("k_record", w["record_period"]), ("k_frame", w["frame_period"])):
            w[name] = math.ceil(start.t / period) if period > 0 else 0
        w["k_measure"] = math.floor(start.t / w["measure_period"]) + 1 if w["measure_period"] > 0 else 0
        return ws

    def check_periods(self, p: np.ndarray) -> None:
        """Raise a ValueError if a period that is one of the parameters, shape (..., n_params), is not positive."""
        for guard, name in self._periods:
            value = float(np.min(p[..., self.model.param_names.index(name)]))
            if not value > 0.0:
                raise ValueError(f"guard {guard}: its period, parameter {name}, must be positive, got {value!r}")

    def _template(self, settings: dict[str, Any]) -> np.ndarray:
        """Return a workspace with these settings filled in; the last ones are kept, since runs come in series."""
        key = tuple(settings.items())
        try:
            if key == self._last[0]:
                return self._last[1]
        except ValueError:  # a tolerance given as an array does not compare
            pass
        ws = np.zeros(1, self._dtype)
        options = Options(**_known(settings))
        self._fill(ws[0], options)
        self._last = (key, ws, options)
        return ws

    def _fill(self, w: np.void, options: Options) -> None:
        w["atol"] = options.absolute(self.model.x0.size)
        w["exponent"] = options.exponent or self.method.exponent
        w["t_final"] = options.final_time
        w["record_period"] = -1.0 if options.record_period is None else options.record_period
        w["record_on"] = options.record_period is not None
        w["log_on"] = 1
        w["listed"] = w["dense_on"] = 0
        w["zeno_on"] = options.zeno
        w["zeno_limit"] = math.inf
        w["zeno_guard"] = w["zeno_chart_count"] = w["stop_guard"] = -1
        w["old_error"] = 1e-4
        w["t_jac"] = math.nan
        w["phase"] = codes.BEGIN
        for name in COPIED:
            w[name] = getattr(options, name)


def set_record(w: np.void, t0: float, settings: dict[str, Any], times: np.ndarray | None, dense: bool) -> None:
    """Make a run's workspace keep records at given times, or every step with its dense output."""
    other = settings.get("record_period", 0.0) != 0.0
    if dense and (other or times is not None):
        raise ValueError("dense=True keeps every step: leave record_period and times out, and take result.at(times)")
    w["dense_on"] = bool(dense)
    if times is None:
        return
    if "record_period" in settings:
        raise ValueError(f"give times or record_period, not both; got record_period {settings['record_period']!r}")
    for t in (times[0], times[-1]):
        if not t0 <= t <= w["t_final"]:
            raise ValueError(
                f"times must be within the run, from {t0!r} to {float(w['t_final'])!r} s, got {float(t)!r}"
            )
    w["listed"], w["record_period"] = 1, 1.0


def every_step(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a run that is differentiated: it records every step; by default rtol is 1e-10."""
    if settings.get("record_period"):
        raise ValueError("derivatives need the record of every step: leave record_period out")
    return {"rtol": 1e-10} | settings | {"record_period": 0.0}


def copies(ws: np.ndarray, m: int) -> np.ndarray:
    """Return a record `m` times, shape (m,), copied as bytes: numpy copies by field, which takes longer than a run."""
    return np.frombuffer(bytearray(ws.tobytes()) * m, ws.dtype)


def _known(settings: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(settings.keys() - set(Options.names()))
    ours = [f"{name}: {OTHERS[name]}" for name in unknown if name in OTHERS]
    if ours:
        raise ValueError(f"unknown setting {ours[0]}")
    if unknown:
        known = listed(unknown[0], (*Options.names(), "t0", "chart", "stop_at", "stop_count", "times", "dense"))
        raise ValueError(f"unknown setting {', '.join(unknown)}; known: {known}")
    return settings


def rows_of(values: Any, default: np.ndarray) -> np.ndarray | None:
    """Return values as an array of rows, shape (m, n), or None if they are one for all."""
    if values is None or not isinstance(values, (np.ndarray, list)):
        return None
    array = np.asarray(values, dtype=float)
    if array.ndim != 2:
        return None
    if array.shape[1] != default.size:
        raise ValueError(f"rows must have {default.size} entries, got shape {array.shape}")
    return array
