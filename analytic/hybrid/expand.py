"""A textbook model (a function per field, guard and transition) as the three functions the kernel calls.

The functions are generated as a chain of ifs over the chart code; numba and Python both run it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .guard import ON_ENTRY, SIDES, Guard, leaves_motion
from .interval_functions import tried
from .kernel import codes
from .known_times import tables as known_times
from .loader import Functions
from .model import Model
from .sliding import entering, sliding_functions


def to_functions(model: Model, mixed: bool = False) -> Functions:
    """Return a model as the kernel's functions, sizes and tables."""
    three = model.three or textbook_functions(model)
    enclosed, certified = enclosed_guards(model, three)
    guards = list(model.guards.values())
    start = model.chart_code(model.start)
    sizes = {"N": model.x0.size, "ND": max(model.d0.size, 1), "NP": max(model.p0.size, 1), "NG": max(len(guards), 1)}
    sizes["N_CHARTS"] = -1 if model.charts is None else len(model.charts)
    return Functions(
        field=three["field"],
        guards=three["guards"],
        transition=three["transition"],
        field_key=three["field_key"] or (lambda chart: chart),
        initial=model.hooks.get("initial") or _starts_in(start),
        validate=model.hooks.get("validate"),
        after_zeno=model.hooks.get("after_zeno") or (lambda t, x, d, p, chart: codes.DECLINE),
        sizes=sizes,
        tables=_tables(model, guards, mixed) | {"CERTIFIED": certified} | known_times(model),
        enclosed=enclosed,
        one_by_one=model.three is None,
    )


def enclosed_guards(model: Model, three: dict[str, Any]) -> tuple[Callable, np.ndarray]:
    """Return the function of the guards that can be enclosed, whose operations have rules, and 1 for each, (n_guards,).

    They are tried with intervals at the initial state: a textbook model's one by one, others all together.
    """
    certified = np.zeros(max(len(model.guards), 1), dtype=np.int64)
    point = (model.x0, model.d0, model.p0, max(model.chart_code(model.start), 0), certified.size)
    if model.three is not None:
        certified[:] = tried(three["enclosed"], *point) is None
        certified[: len(model.guards)] &= [not guard.sampled for guard in model.guards.values()]
        return (three["enclosed"] if certified.any() else _no_guards), certified
    values = {}
    for place, (name, function) in enumerate(three["values"].items()):
        if not model.guards[name].sampled and tried(_alone(function), *point) is None:
            certified[place] = 1
            values[name] = function
    for place, guard in enumerate(model.guards.values()):
        certified[place] |= guard.times is not None
    if len(values) == len(three["values"]) and certified.all():
        return three["guards"], certified
    space: dict[str, Any] = {}
    exec(compile(_guards_text(model, values, space), f"<enclosed guards of {model.name}>", "exec"), space)
    return space["guards"], certified


def _alone(function: Callable) -> Callable:
    def guards(t, x, d, p, chart, g):
        g[0] = function(t, x, d, p)

    return guards


def _no_guards(t, x, d, p, chart, g):
    return 0


def _tables(model: Model, guards: list[Guard], mixed: bool) -> dict[str, np.ndarray]:
    def table(values: list[int]) -> np.ndarray:
        return np.array(values or [0], dtype=np.int64)

    def default_entry(guard: Guard) -> str:
        return "ignore" if not mixed and leaves_motion(model, guard) else "refuse"

    return {
        "DIRECTION": table([guard.direction for guard in guards]),
        "SIDE": table([SIDES[guard.side] for guard in guards]),
        "KIND": table([codes.INVALID if guard.invalid else codes.CHANGE for guard in guards]),
        "ON_ENTRY": table([ON_ENTRY[guard.on_entry or default_entry(guard)] for guard in guards]),
        "PASSIVE": table(_passive(model)),
    }


def _passive(model: Model) -> list[bool]:
    """Return whether guards only name the next chart with the same field: they do not change the motion."""
    return [
        not guard.invalid
        and name not in model.resets
        and name not in model.handlers
        and (
            all(model.fields.get(chart) is model.fields.get(guard.to, guard) for chart in guard.charts)
            if guard.to is not None
            else model.three is None and (guard.function or guard.times) is not None  # a surface's have neither yet
        )
        for name, guard in model.guards.items()
    ]


def _starts_in(chart: int) -> Callable:
    def initial(t, x, d, p):
        return chart

    return initial


def textbook_functions(model: Model) -> dict[str, Callable]:
    """Return field, guards, transition and field_key of a textbook model."""
    space: dict[str, Any] = {}
    fields = dict(model.fields)
    values = {name: guard.function for name, guard in model.guards.items() if guard.times is None}
    handlers = dict(model.handlers)
    for surface in model.surfaces:
        _add_sliding(model, surface, fields, values, handlers)
    _refuse_gaps(model, fields, values)
    space["chart_chosen"] = chart_chosen
    texts = [
        _field_text(model, fields, space),
        _guards_text(model, values, space),
        _transition_text(model, handlers, space),
    ]
    exec(compile("\n\n".join(texts), f"<charts of {model.name}>", "exec"), space)
    return {name: space[name] for name in ("field", "field_key", "guards", "transition")} | {"values": values}


def _add_sliding(model: Model, surface: tuple, fields: dict, values: dict, handlers: dict) -> None:
    h, plus, minus, slide, pull = surface
    for chart in (plus, minus):
        if chart not in fields:
            raise ValueError(f"model {model.name}: chart {chart!r} of surface {h.__name__} has no field")
    made = sliding_functions(fields[plus], fields[minus], h, pull, model.x0.size)
    fields[slide] = made["field"]
    codes_ = [model.chart_code(chart) for chart in (slide, plus, minus)]
    name = h.__name__

    def negative(t, x, d, p):
        return -h(t, x, d, p)

    values |= {f"{name}_down": h, f"{name}_up": negative}
    values |= {f"{slide}_to_{plus}": made["exit_plus"], f"{slide}_to_{minus}": made["exit_minus"]}
    handlers[f"{name}_down"], handlers[f"{name}_up"] = entering(made, *codes_)


def _refuse_gaps(model: Model, fields: dict, values: dict) -> None:
    if model.charts is None:
        raise ValueError(f"model {model.name} makes its charts on demand: give it by `functions`, not by decorators")
    missing = [chart for chart in model.charts if chart not in fields]
    if missing:
        raise ValueError(f"model {model.name}: no field for chart {', '.join(missing)}")
    for name, guard in model.guards.items():
        if not guard.charts:
            raise ValueError(f"model {model.name}: guard {name} is active in no chart")
        if guard.times is None and values[name] is None:
            raise ValueError(f"model {model.name}: guard {name} has neither a function nor known times")


def _among(variable: str, model: Model, charts: Any) -> str:
    return " or ".join(f"{variable} == {model.chart_code(chart)}" for chart in charts)


def _field_text(model: Model, fields: dict, space: dict) -> str:
    text = ["def field(t, x, d, p, chart, dx):"]
    keys = ["def field_key(chart):"]
    for i, function in enumerate(dict.fromkeys(fields.values())):
        charts = [chart for chart in model.charts if fields[chart] is function]
        space[f"field_{i}"] = function
        text += [f"    if {_among('chart', model, charts)}:", f"        field_{i}(t, x, d, p, dx)"]
        keys += [f"    if {_among('chart', model, charts)}:", f"        return {i}"]
    return "\n".join([*text, "", *keys, "    return -1 - chart"])


def _value(model: Model, name: str) -> str:
    target = model.guards[name].target
    place = list(model.guards).index(name)
    if isinstance(target, str):
        return f"guard_{place}(t, x, d, p) - p[{model.param_names.index(target)}]"
    return f"guard_{place}(t, x, d, p)" + (f" - {float(target)!r}" if target else "")


def _guards_text(model: Model, values: dict, space: dict) -> str:
    text = ["def guards(t, x, d, p, chart, g):"]
    for place, name in enumerate(model.guards):
        space[f"guard_{place}"] = values.get(name)
    word = "if"
    for code, chart in enumerate(model.charts):
        mine = [name for name, guard in model.guards.items() if chart in guard.charts and name in values]
        if mine:
            text.append(f"    {word} chart == {code}:")
            text += [f"        g[{list(model.guards).index(name)}] = {_value(model, name)}" for name in mine]
            word = "elif"
    return "\n".join([*text, f"    return {len(model.guards)}"])


def chart_chosen(chosen: int | None) -> int | None:
    """What a transition chose, -1 for nothing; numba prunes here what is no choice where there never is one."""
    if chosen is None:
        return -1
    return max(chosen, chosen)  # to numba: not one that may be None


def _transition_text(model: Model, handlers: dict, space: dict) -> str:
    """Perform the transitions of all guards that fired, in order; after the first, only of those still due.

    A guard is still due if the transitions before have not moved it away from zero: it is no larger than it was. One
    that is not due, or not part of the new chart, is taken out of `fired`: it has not fired.
    """
    signs = {name: {-1: "", 1: "-"}.get(guard.direction) for name, guard in model.guards.items()}
    size = {
        name: f"abs({_value(model, name)})" if sign is None else f"max({sign}({_value(model, name)}), 0.0)"
        for name, sign in signs.items()
    } | {name: "0.0" for name, guard in model.guards.items() if guard.times is not None}
    places = [place for place, guard in enumerate(model.guards.values()) if not guard.invalid]
    text = ["def transition(t, x, d, p, chart, fired):", "    now = chart", "    moved = False"]
    if len(places) > 1:
        text.append(f"    several = {' + '.join(f'fired[{place}]' for place in places)} > 1")
    for place, (name, guard) in enumerate(model.guards.items()):
        if not guard.invalid and len(places) > 1:
            text.append(f"    size_{place} = {size[name]} if several and fired[{place}] else 0.0")
    for place, (name, guard) in enumerate(model.guards.items()):
        if guard.invalid:
            continue
        due = f"not moved or {size[name]} <= size_{place}" if len(places) > 1 else "True"
        text.append(f"    if fired[{place}] and ({_among('now', model, guard.charts)}) and ({due}):")
        if name in handlers:
            space[f"on_{place}"] = handlers[name]
            text.append(f"        chosen = chart_chosen(on_{place}(t, x, d, p))")
            text.append("        if chosen != -1:")
            text += ["            now = chosen", "            moved = True"]
        else:
            if name in model.resets:
                space[f"reset_{place}"] = model.resets[name]
                text.append(f"        reset_{place}(t, x, d, p)")
            text += [] if guard.to is None else [f"        now = {model.chart_code(guard.to)}"]
            text.append("        moved = True")
        text += ["    else:", f"        fired[{place}] = 0"]
    return "\n".join([*text, "    return now if moved else -1"])
