"""A compiled (or interpreted) model: `run` one initial state, or a `batch` of them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import loader
from .check import check_model
from .driver import Driver, message
from .expand import to_functions
from .kernel import codes
from .model import Model
from .names import overlay
from .options import Options
from .result import STATUS_OF_CODE, Names, Result
from .tableau import METHODS
from .workspace import layout

COPIED = [  # settings that go into the workspace under the same name
    "rtol", "max_step", "min_step", "first_step", "pi_control", "measure_period", "frame_period", "max_charts",
    "max_steps", "stop_precision", "max_stop_iter", "time_tol", "graze_tol", "zeno_tol", "zeno_drift", "min_gap",
    "warn_only",
]  # fmt: skip


def compile(model: Model, method: str = "dop853", mode: str = "auto") -> Simulator:
    """Return a simulator of a model.

    Args:
        model: What `hybrid.Model` collected. Functions, constants and closures are taken as they are now.
        method: "dop853" (order 8, the best choice below rtol 1e-6), "dopri5" or "rk23" (SimSect's class of method).
        mode: "compiled" (numba); "mixed": compiled flow, transitions in plain Python, which may use any library;
            "python": interpreted, the same results bit for bit; "auto": compiled if numba is installed.

    Raises:
        ValueError: If the model has a mistake, or the method or mode is unknown.
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
    if mode == "auto":
        mode = "compiled" if loader.has_numba() else "python"
    functions = to_functions(model)
    check_model(model, functions, mixed=mode == "mixed")
    return Simulator(model, functions, METHODS[method], mode)


@dataclass(frozen=True)
class Batch:
    """The ends of many runs, one row each."""

    status: np.ndarray  # (m,) of Status
    t: np.ndarray  # (m,) [s]
    x: np.ndarray  # (m, n)
    d: np.ndarray  # (m, n_memory)
    chart: np.ndarray  # (m,) codes
    n_transitions: np.ndarray  # (m,)
    zeno_time: np.ndarray  # (m,) predicted limit of events, infinite if none [s]


class Simulator:
    """Runs a model. Made by `compile`; holds no state of any run."""

    def __init__(self, model: Model, functions: loader.Functions, method: Any, mode: str) -> None:
        self.model = model
        self.method = method
        self.mode = mode
        self.functions = functions
        self.kernel = loader.load(functions, method, mode)
        self.names = Names(
            model.state_names,
            model.memory_names,
            model.param_names,
            tuple(model.guards),
            model.aux_names,
            model.charts,
        )
        sizes = functions.sizes
        self._dtype = layout(sizes["N"], sizes["ND"], sizes["NP"], sizes["NG"], method.n_rows, method.n_dense)
        self._last: tuple = (None, None)
        self._aux = aux_evaluator(model) if "aux" in model.hooks else None

    def run(
        self,
        x0: Any = None,
        d0: Any = None,
        params: Any = None,
        *,
        t0: float = 0.0,
        chart: str | int | None = None,
        stop_at: str | None = None,
        stop_count: int = 1,
        on_measure: Callable | None = None,
        on_frame: Callable | None = None,
        **settings: Any,
    ) -> Result:
        """Integrate from `t0` to the final time, or to whatever ends the run before.

        Args:
            x0: Initial state: None (the model's), a table of some of its names, or a vector, shape (n,).
            d0: Initial memory, likewise, shape (n_memory,).
            params: Parameters, likewise, shape (n_params,).
            t0: Initial time [s].
            chart: First chart by name or code; None lets the model choose (its `initial` is then called).
            stop_at: Name of a guard: the run ends (STOPPED) just after its transition ...
            stop_count: ... the how-many-th time.
            on_measure: `on_measure(t, x, d, chart)` at multiples of `measure_period`; a true return value stops.
            on_frame: The same at multiples of `frame_period`.
            **settings: See `Options`.

        Returns:
            The result. Check `status`: numerics report, they do not raise. What was recorded is kept in any case.

        Raises:
            ValueError: If a name, size or setting is wrong.
        """
        ws = self._workspace(x0, d0, params, t0, chart, settings)
        if stop_at is not None:
            self._set_stop(ws[0], stop_at, stop_count)
        driver = Driver(self.kernel, self.mode, self.functions, ws, bool(ws["record_on"][0]))
        error = driver.run(on_measure, on_frame)
        w = driver.record()
        status = STATUS_OF_CODE[int(w["status"])]
        return Result(
            status=status,
            message=message(w, status, self.names, error),
            t_end=float(w["t"]),
            x_end=w["x"].copy(),
            d_end=w["d"][: self.model.d0.size].copy(),
            chart_end=int(w["chart"]),
            p=w["p"][: self.model.p0.size].copy(),
            names=self.names,
            error=error,
            _record=driver.rows(),
            _log=driver.log(),
            _aux=self._aux or _no_aux,
            _w=w,
        )

    def batch(
        self,
        x0s: Any = None,
        d0s: Any = None,
        params: Any = None,
        *,
        chart: str | int | None = None,
        t0: float = 0.0,
        stop_at: str | None = None,
        stop_count: int = 1,
        n_threads: int | None = None,
        **settings: Any,
    ) -> Batch:
        """Run many initial states or parameters on all cores; only their ends are kept.

        Args:
            x0s: Initial states, shape (m, n), or one for all, as in `run`.
            d0s: Initial memories, shape (m, n_memory), or one for all.
            params: Parameters, shape (m, n_params), or one for all.
            chart: First chart of all runs; None lets the model choose.
            t0: Initial time [s].
            stop_at: As in `run`.
            stop_count: As in `run`.
            n_threads: None: one per core. (Interpreted and mixed models use one.)
            **settings: See `Options`.

        Raises:
            ValueError: If names, sizes or settings are wrong, or the three disagree in m.
        """
        rows = [_rows(x0s, self.model.x0), _rows(d0s, self.model.d0), _rows(params, self.model.p0)]
        sizes = {len(value) for value in rows if value is not None}
        if len(sizes) > 1:
            raise ValueError(f"x0s, d0s and params must agree in their number of rows, got {sorted(sizes)}")
        m = sizes.pop() if sizes else 1
        one = [value if row is None else None for value, row in zip((x0s, d0s, params), rows, strict=True)]
        one_run = self._workspace(*one, t0, chart, {**settings, "record_period": None})
        one_run["log_on"] = 0
        if stop_at is not None:
            self._set_stop(one_run[0], stop_at, stop_count)
        ws = _copies(one_run, m)
        for name, value in zip("xdp", rows, strict=True):
            if value is not None and value.shape[1]:
                ws[name] = value
        self._run_all(ws, n_threads)
        return Batch(
            np.array([STATUS_OF_CODE[code] for code in ws["status"]]),
            ws["t"].copy(),
            ws["x"].copy(),
            ws["d"][:, : self.model.d0.size].copy(),
            ws["chart"].copy(),
            ws["n_charts"].copy(),
            ws["zeno_limit"].copy(),
        )

    def _run_all(self, ws: np.ndarray, n_threads: int | None) -> None:
        empty = np.zeros((0, 1))
        if self.mode != "compiled":
            for i in range(len(ws)):
                driver = Driver(self.kernel, self.mode, self.functions, ws[i : i + 1], False)
                driver.run(None, None)
                ws[i] = driver.record()
            return
        n_threads = n_threads or os.cpu_count() or 1
        # Several pieces per thread: runs differ in length.
        edges = np.unique(np.linspace(0, len(ws), 8 * n_threads + 1).astype(int))
        with ThreadPoolExecutor(n_threads) as pool:
            list(
                pool.map(
                    lambda i: self.kernel.advance_many(ws, edges[i], edges[i + 1], empty, empty), range(len(edges) - 1)
                )
            )

    def _workspace(self, x0: Any, d0: Any, params: Any, t0: float, chart: Any, settings: dict) -> np.ndarray:
        """Return a run's workspace, an array of one record."""
        model = self.model
        ws = _copies(self._template(settings), 1)
        w = ws[0]
        w["x"] = overlay("state", model.state_names, model.x0, x0)
        if model.d0.size:
            w["d"] = overlay("memory", model.memory_names, model.d0, d0)
        if model.p0.size:
            w["p"] = overlay("parameter", model.param_names, model.p0, params)
        w["t"] = w["t_event"] = t0
        w["chart"] = -1 if chart is None else model.chart_code(chart)
        for name, period in (("k_record", w["record_period"]), ("k_frame", w["frame_period"])):
            w[name] = math.ceil(t0 / period) if period > 0 else 0
        w["k_measure"] = math.floor(t0 / w["measure_period"]) + 1 if w["measure_period"] > 0 else 0
        return ws

    def _template(self, settings: dict[str, Any]) -> np.ndarray:
        """Return a workspace with these settings filled in; the last ones are kept, since runs come in series."""
        key = tuple(settings.items())
        try:
            if key == self._last[0]:
                return self._last[1]
        except ValueError:  # a tolerance given as an array does not compare
            pass
        ws = np.zeros(1, self._dtype)
        self._fill(ws[0], Options(**_known(settings)))
        self._last = (key, ws)
        return ws

    def _fill(self, w: np.void, options: Options) -> None:
        w["atol"] = options.absolute(self.model.x0.size)
        w["exponent"] = options.exponent or self.method.exponent
        w["t_final"] = options.final_time
        w["record_period"] = -1.0 if options.record_period is None else options.record_period
        w["record_on"] = options.record_period is not None
        w["log_on"] = 1
        w["zeno_on"] = options.zeno
        w["zeno_limit"] = math.inf
        w["zeno_guard"] = w["zeno_chart_count"] = w["stop_guard"] = -1
        w["old_error"] = 1e-4
        w["phase"] = codes.BEGIN
        for name in COPIED:
            w[name] = getattr(options, name)

    def _set_stop(self, w: np.void, guard: str, count: int) -> None:
        if guard not in self.names.guards:
            raise ValueError(f"unknown guard {guard!r}; known: {', '.join(self.names.guards)}")
        w["stop_guard"] = self.names.guards.index(guard)
        w["stop_count"] = count


def _copies(ws: np.ndarray, m: int) -> np.ndarray:
    """Return a record `m` times, copied as bytes: numpy copies records field by field, which takes longer than a run."""
    return np.repeat(ws.view(np.uint8).reshape(1, -1), m, axis=0).reshape(-1).view(ws.dtype)


def _known(settings: dict[str, Any]) -> dict[str, Any]:
    unknown = settings.keys() - set(Options.names())
    if unknown:
        raise ValueError(f"unknown setting {', '.join(sorted(unknown))}; known: {', '.join(Options.names())}")
    return settings


def _rows(values: Any, default: np.ndarray) -> np.ndarray | None:
    """Return values as an array of rows, or None if they are one for all."""
    if values is None or not isinstance(values, (np.ndarray, list)):
        return None
    array = np.asarray(values, dtype=float)
    if array.ndim != 2:
        return None
    if array.shape[1] != default.size:
        raise ValueError(f"rows must have {default.size} entries, got shape {array.shape}")
    return array


def aux_evaluator(model: Model) -> Callable:
    """Return `f(t, x, d, p, chart) -> (m, n_aux)`, which evaluates the model's auxiliary functions on a record.

    Interpreted: a record is evaluated once, and compiling costs more than that.
    """
    function = loader.interpreted(model.hooks["aux"])
    n_aux = len(model.aux_names)

    def evaluate(t: np.ndarray, x: np.ndarray, d: np.ndarray, p: np.ndarray, chart: np.ndarray) -> np.ndarray:
        out = np.empty((t.size, n_aux))
        for i in range(t.size):
            function(t[i], x[i], d[i], p, int(chart[i]), out[i])
        return out

    return evaluate


def _no_aux(t: np.ndarray, *_: Any) -> np.ndarray:
    return np.empty((t.size, 0))
