"""A compiled (or interpreted) model: `run` one initial state, or a `batch` of them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..compilation import has_numba
from ..compilation.functions import is_tried
from ..compilation.rebuild import interpreted
from ..finite import check_angle
from ..spelling import listed
from . import loader
from .batch import Batch, run_batch
from .check import check_model
from .driver import Driver
from .expand import to_functions
from .known_times import increasing
from .messages import message
from .model import Model
from .result import STATUS_OF_CODE, Names, Result
from .start import RunStart, Starter, set_record
from .tableau import METHODS


def compile(model: Model, method: str | None = None, mode: str = "auto") -> "Simulator":
    """Return a simulator of a model.

    Args:
        model: The model. The current values of functions, constants and closures are used.
        method: "dop853" (order 8, the best choice below rtol 1e-6), "dopri5", "rk23" (SimSect's class of method), or
            "rodas5p" for stiff fields: steps as long as accuracy allows, each with a field evaluation per state. None:
            the model's own.
        mode: "compiled" (numba); "mixed": compiled flow, transitions in plain Python, which may use any library;
            "python": interpreted, with bitwise identical results; "auto": compiled if numba is installed.

    Raises:
        ValueError: If the model has a mistake, or the method or mode is unknown.
    """
    method = model.method if method is None else method
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; known: {listed(method, METHODS)}")
    if mode == "auto":
        mode = "compiled" if has_numba() else "python"
    functions = to_functions(model, mixed=mode == "mixed")
    check_model(model, functions, mixed=mode == "mixed")
    return Simulator(model, functions, METHODS[method], mode)


class Simulator:
    """Runs a model. Made by `compile`; keeps no state between runs."""

    def __init__(self, model: Model, functions: loader.Functions, method: Any, mode: str) -> None:
        self.model = model
        self.method = method
        self.mode = mode
        self.functions = functions
        self.kernel = _kernel(functions, method, mode)
        self.names = Names(
            model.state_names, model.memory_names, model.param_names, tuple(model.guards), model.aux_names, model.charts
        )
        self.start = Starter(model, functions.sizes, method)
        self._aux = aux_evaluator(model) if "aux" in model.hooks else None

    @property
    def certified(self) -> dict[str, bool]:
        """Whether each guard's zeros are enclosed, by name; the others are sampled."""
        return dict(zip(self.model.guards, map(bool, self.functions.tables["CERTIFIED"]), strict=False))

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
        times: Any = None,
        dense: bool = False,
        partial: bool = False,
        **settings: Any,
    ) -> Result:
        """Integrate from `t0` to the final time, unless something ends the run before.

        Args:
            x0: Initial state: None (the model's), a table of some of its names, or a vector, shape (n,).
            d0: Initial memory, likewise, shape (n_memory,).
            params: Parameters, likewise, shape (n_params,).
            t0: Initial time [s].
            chart: First chart by name or code; None lets the model choose (its `initial` is then called).
            stop_at: Name of a guard: the run ends (STOPPED) just after its transition ...
            stop_count: ... has occurred so many times.
            on_measure: `on_measure(t, x, d, chart)` at multiples of `measure_period`; a true return value stops.
            on_frame: The same at multiples of `frame_period`.
            times: The record's times, exactly, in increasing order [s]; at an event the state behind it. They change
                nothing else. The final time is the last of them if none is given.
            dense: Whether to keep every step's dense output, for `Result.at`.
            partial: Whether Ctrl-C ends the run with what it has (STOPPED, `error` holds it), instead of raising.
            **settings: See `Options`.

        Returns:
            The result. Check `status`: numerical failures do not raise. What was recorded is kept in any case.

        Raises:
            ValueError: If a name, size or setting is wrong.
            KeyboardInterrupt: After Ctrl-C, unless results are to be partial.
        """
        if times is not None:
            times = increasing("times", times)
            settings = {"final_time": times[-1].item()} | settings
        start, _ = self.start.of(x0, d0, params, t0=t0, chart=chart, stop_at=stop_at, stop_count=stop_count)
        for name, most in self.model.angles.items():
            check_angle(name, start.d[self.model.memory_names.index(name)], -most, most)
        return self.run_from(start, settings, on_measure, on_frame, times=times, dense=dense, partial=partial)

    def run_from(
        self,
        start: RunStart,
        settings: dict[str, Any],
        on_measure: Callable | None = None,
        on_frame: Callable | None = None,
        *,
        times: np.ndarray | None = None,
        dense: bool = False,
        partial: bool = False,
    ) -> Result:
        """Do what `run` does, from a start made by `start.of`."""
        ws = self.start.workspace(start, settings)
        set_record(ws[0], start.t, settings, times, dense)
        n_dense = self.method.n_dense if dense else 0
        driver = Driver(self.kernel, self.mode, self.functions, ws, bool(ws["record_on"][0]), times, n_dense)
        error = driver.run(on_measure, on_frame, partial)
        w = driver.record()
        status, rows = STATUS_OF_CODE[int(w["status"])], driver.rows()
        if ws["record_on"][0] and times is None and not len(rows) and float(w["t"]) == start.t:  # a start was refused
            rows = np.array([[start.t, float(w["chart"]), *w["x"], *w["d"][: self.model.d0.size]]])
        return Result(
            status=status,
            message=message(w, status, self.names, error, start.t, self.functions),
            t_end=float(w["t"]),
            x_end=w["x"].copy(),
            d_end=w["d"][: self.model.d0.size].copy(),
            chart_end=int(w["chart"]),
            p=w["p"][: self.model.p0.size].copy(),
            names=self.names,
            error=error,
            _record=rows,
            _log=driver.log(),
            _aux=self._aux or (lambda t, *_: np.empty((t.size, 0))),
            _w=w,
            _steps=driver.steps() if dense else None,
        )

    def batch(
        self, x0s: Any = None, d0s: Any = None, params: Any = None, *, n_threads: int | None = None, **how: Any
    ) -> Batch:
        """Run many initial states or parameters on all cores; only the final states are kept.

        Args:
            x0s: Initial states, shape (m, n), or one for all, as in `run`.
            d0s: Initial memories, shape (m, n_memory), or one for all.
            params: Parameters, shape (m, n_params), or one for all.
            n_threads: None: one per core. (Interpreted and mixed models use one.)
            **how: `t0`, `chart`, `stop_at`, `stop_count` and settings, as in `run`.

        Raises:
            ValueError: If names, sizes or settings are wrong, or the three disagree in m.
        """
        return run_batch(self, (x0s, d0s, params), n_threads, how)


def _kernel(functions: loader.Functions, method: Any, mode: str) -> Any:
    if mode == "mixed":
        functions = replace(functions, transition=None)
    if mode in ("compiled", "mixed") and has_numba() and is_tried():
        from . import linked

        return linked.load(functions, method)
    return loader.load(functions, method, mode)


def aux_evaluator(model: Model) -> Callable:
    """Return `f(t, x, d, p, chart) -> (m, n_aux)`, which evaluates the model's auxiliary functions on a record.

    Interpreted: a record is evaluated once, and compiling costs more than that.
    """
    function = interpreted(model.hooks["aux"])
    n_aux = len(model.aux_names)

    def evaluate(t: np.ndarray, x: np.ndarray, d: np.ndarray, p: np.ndarray, chart: np.ndarray) -> np.ndarray:
        out = np.empty((t.size, n_aux))
        for i in range(t.size):
            function(t[i], x[i], d[i], p, int(chart[i]), out[i])
        return out

    return evaluate
