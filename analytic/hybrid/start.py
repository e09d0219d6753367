"""The workspace of a run, filled from the model, the caller's numbers and the settings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

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


class Starter:
    """Makes workspaces for the runs of one model."""

    def __init__(self, model: Model, sizes: dict[str, int], method: Method) -> None:
        self.model = model
        self.method = method
        n_jac = sizes["N"] if method.gamma else 1
        self._dtype = layout(*(sizes[name] for name in ("N", "ND", "NP", "NG")), method.n_rows, method.n_dense, n_jac)
        self._last: tuple = (None, None, None)

    def workspace(self, x0: Any, d0: Any, params: Any, t0: float, chart: Any, settings: dict) -> np.ndarray:
        """Return a run's workspace, an array of one record."""
        model = self.model
        ws = copies(self._template(settings), 1)
        w = ws[0]
        self._last[2].check_span(t0)
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
        w["zeno_on"] = options.zeno
        w["zeno_limit"] = math.inf
        w["zeno_guard"] = w["zeno_chart_count"] = w["stop_guard"] = -1
        w["old_error"] = 1e-4
        w["t_jac"] = math.nan
        w["phase"] = codes.BEGIN
        for name in COPIED:
            w[name] = getattr(options, name)

    def set_stop(self, w: np.void, guard: str, count: int) -> None:
        """Make a run end after the `count`-th event of a guard."""
        if guard not in tuple(self.model.guards):
            raise ValueError(f"unknown guard {guard!r}; known: {', '.join(tuple(self.model.guards))}")
        if not 1 <= count <= LARGEST or int(count) != count:
            raise ValueError(f"stop_count must be a whole number, at least 1, got {count!r}")
        w["stop_guard"] = tuple(self.model.guards).index(guard)
        w["stop_count"] = count


def copies(ws: np.ndarray, m: int) -> np.ndarray:
    """Return a record `m` times, copied as bytes: numpy copies records by field, which takes longer than a run."""
    return np.frombuffer(bytearray(ws.tobytes()) * m, ws.dtype)


def _known(settings: dict[str, Any]) -> dict[str, Any]:
    unknown = settings.keys() - set(Options.names())
    if unknown:
        raise ValueError(f"unknown setting {', '.join(sorted(unknown))}; known: {', '.join(Options.names())}")
    return settings


def rows_of(values: Any, default: np.ndarray) -> np.ndarray | None:
    """Return values as an array of rows, or None if they are one for all."""
    if values is None or not isinstance(values, (np.ndarray, list)):
        return None
    array = np.asarray(values, dtype=float)
    if array.ndim != 2:
        return None
    if array.shape[1] != default.size:
        raise ValueError(f"rows must have {default.size} entries, got shape {array.shape}")
    return array
