"""A trial call of a model's functions, interpreted and with every index checked, before anything is compiled.

Compiled code does not check indices: a field that writes past the end of its array silently corrupts memory, one that
forgets a component integrates whatever was there. Here both are refused with an error message.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..compilation.rebuild import interpreted
from .loader import Functions
from .model import Model

UNSET = -7.25e307  # a number no field computes: marks entries that a function did not write


def check_model(model: Model, functions: Functions, mixed: bool = False) -> None:
    """Call every function once per named chart, at the initial state, and refuse one that does not fit the sizes."""
    done: dict = {}

    def plain(function: Callable | None) -> Callable | None:
        return None if function is None else interpreted(function, done)

    for name, guard in model.guards.items():
        if guard.function is not None:
            value = _call(model, f"guard {name}", plain(guard.function), 0.0, *_point(model))
            _check_value(model, name, 0.0 if value is None else value)
    charts = range(len(model.charts)) if model.charts is not None else ()
    first = _call(model, "initial", plain(functions.initial), 0.0, *_point(model))
    _check_chart(model, "initial", first)
    for chart in sorted({*charts, first}):
        _check_field(model, plain(functions.field), chart)
        _check_guards(model, plain(functions.guards), chart)
        if functions.validate is not None:
            _call(model, "validate", plain(functions.validate), 0.0, *_point(model), chart)
        if "aux" in model.hooks:
            _check_aux(model, plain(model.hooks["aux"]), chart)
    if not mixed:
        _check_transitions(model, plain(functions.transition), charts)


def _point(model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return model.x0.copy(), model.d0.copy(), model.p0.copy()


def _call(model: Model, what: str, function: Callable, *arguments: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            return function(*arguments)
    except IndexError as error:
        sizes = f"{model.x0.size} states, {model.d0.size} memory entries, {model.p0.size} parameters"
        more = f"{len(model.guards)} guards, {len(model.aux_names)} auxiliary functions"
        raise ValueError(
            f"model {model.name}: {what} indexes an array out of bounds ({error}); there are {sizes}, {more}"
        ) from None
    except TypeError as error:
        raise ValueError(f"model {model.name}: {what} cannot be called: {error}") from None
    except ArithmeticError:
        return None  # the initial state need not be a good point of every chart


def _check_chart(model: Model, what: str, chart: Any) -> None:
    if not isinstance(chart, (int, np.integer)):
        code = f": {model.chart_code(chart)}" if isinstance(chart, str) and chart in (model.charts or ()) else ""
        raise ValueError(f"model {model.name}: {what} must return a chart's code, got {chart!r}{code}")
    try:
        model.chart_code(int(chart))
    except ValueError as error:
        raise ValueError(f"{what} leads to no chart: {error}") from None


def _check_field(model: Model, field: Callable, chart: int) -> None:
    dx = np.full(model.x0.size, UNSET)
    what = f"the field of chart {_name(model, chart)}"
    x, d, p = _point(model)
    _call(model, what, field, 0.0, x, d, p, chart, dx)
    missing = [name for name, value in zip(model.state_names, dx, strict=True) if value == UNSET]
    if missing and len(missing) < dx.size or (missing and model.charts is not None):
        raise ValueError(f"model {model.name}: {what} does not set the rate of {', '.join(missing)}")
    for before, after, kind in zip(_point(model), (x, d, p), ("state", "memory", "parameters"), strict=True):
        if not np.array_equal(before, after):
            raise ValueError(f"model {model.name}: {what} changes the {kind}; only transitions may")


def _check_guards(model: Model, guards: Callable, chart: int) -> None:
    g = np.full(max(len(model.guards), 1), math.inf, dtype=object)  # keeps what is written as it is
    n = _call(model, f"the guards of chart {_name(model, chart)}", guards, 0.0, *_point(model), chart, g)
    if n is not None and not 0 <= n <= len(model.guards):
        raise ValueError(f"model {model.name}: guards returned {n}, but the table has {len(model.guards)} guards")
    for name, value in zip(model.guards, g[: n or 0], strict=False):
        _check_value(model, name, value)


def _check_value(model: Model, name: str, value: Any) -> None:
    """Refuse a guard that is no real number; numba and Python would each make something else of it."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return
    what, advice = "a real number whose sign changes at the event", ""
    if isinstance(value, (bool, np.bool_)):
        advice = '; write "x[0] > 2.0" as x[0] - 2.0, or a yes as 1.0 and a no as -1.0: such a jump is bisected'
    elif np.ndim(value):
        advice = f"; it has shape {np.shape(value)}: declare one guard for each entry"
    raise ValueError(f"model {model.name}: guard {name} must be {what}, got {value!r}{advice}")


def _check_aux(model: Model, aux: Callable, chart: int) -> None:
    out = np.full(len(model.aux_names), UNSET)
    what = "the auxiliary function"
    _call(model, what, aux, 0.0, *_point(model), chart, out)
    missing = [name for name, value in zip(model.aux_names, out, strict=True) if value == UNSET]
    if missing:
        raise ValueError(f"model {model.name}: {what} does not set {', '.join(missing)}")


def _check_transitions(model: Model, transition: Callable, charts: range) -> None:
    for place, name in enumerate(model.guards):
        for chart in charts:
            fired = np.zeros(len(model.guards), dtype=np.int64)
            fired[place] = 1
            after = _call(model, f"the transition of guard {name}", transition, 0.0, *_point(model), chart, fired)
            if after is not None and np.any(after != -1):
                _check_chart(model, f"the transition of guard {name}", after)


def _name(model: Model, chart: int) -> str:
    return repr(model.charts[chart]) if model.charts is not None else str(chart)
