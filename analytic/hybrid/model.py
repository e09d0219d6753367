"""The definition of a hybrid model.

A continuous state `x`, a memory `d` that only transitions may change, parameters `p`; charts, each with a vector field;
guards (boundary functions), positive in their chart, whose zero is an event; transitions, which return the next chart
and may change `x` and `d`, or decline. There are two ways to write one. Textbook models
decorate one function per field, guard and transition::

    ball = Model("ball", state={"z": 1.0, "w": 0.0}, params={"g": 9.81, "e": 0.5}, charts=["flight"])

    @ball.field("flight")
    def fall(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = -p[0]

    @ball.guard("flight", to="flight")
    def impact(t, x, d, p):
        return x[0]

    @ball.reset("impact")
    def bounce(t, x, d, p):
        x[0] = 0.0
        x[1] = -p[1] * x[1]

Models with many charts define three functions of an integer chart code (`Model.functions`)::

    field(t, x, d, p, chart, dx)            guards(t, x, d, p, chart, g) -> n
    transition(t, x, d, p, chart, fired) -> chart, or DECLINE

where `guards` writes the active guards to their entries of `g` and leaves the others unchanged (infinity: not active).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..spelling import listed
from .guard import Guard
from .known_times import KnownTimes
from .names import flatten


class Model:
    """A hybrid model under construction; `compile` turns it into a simulator.

    Args:
        name: Name of the model.
        state: Continuous states with their default initial values: a dictionary or a dataclass; arrays allowed.
        memory: Entries that only transitions may change, with default values.
        params: Parameters with defaults, e.g. a frozen dataclass.
        charts: Names, in the order of their codes from 0; None for charts made on demand.
        aux: Names of the auxiliary functions.
        start: Default first chart, a name or a code; overridden by a function decorated with `initial`.
        method: The integration method that suits the field, see `compile`.
        angles: Entries of the memory that are angles, with their largest size [rad]: degrees are refused by `run`.

    Raises:
        ValueError: If there is no state, a name is no symbol, or names are used twice.
    """

    def __init__(
        self,
        name: str,
        *,
        state: Any,
        memory: Any = None,
        params: Any = None,
        charts: Sequence[str] | None = None,
        aux: Sequence[str] = (),
        start: str | int = 0,
        method: str = "dop853",
        angles: Mapping[str, float] | None = None,
    ) -> None:
        self.name = name
        self.state_names, self.x0 = flatten(state)
        self.memory_names, self.d0 = flatten(memory)
        self.param_names, self.p0 = flatten(params)
        if not self.state_names:
            raise ValueError(f"model {name} has no state")
        self.charts = None if charts is None else tuple(charts)
        if self.charts is not None and len(set(self.charts)) != len(self.charts):
            raise ValueError(f"model {name}: chart names must differ, got {self.charts}")
        self.aux_names = tuple(aux)
        self.start, self.method, self.angles = start, method, dict(angles or {})
        self.guards: dict[str, Guard] = {}
        self.fields: dict[str, Callable] = {}
        self.handlers: dict[str, Callable] = {}
        self.resets: dict[str, Callable] = {}
        self.surfaces: list = []
        self.hooks: dict[str, Callable] = {}  # initial, validate, after_zeno, aux, lines
        self.three: dict[str, Callable] | None = None

    def chart_code(self, chart: str | int) -> int:
        """Return the code of a chart given by name or code.

        Raises:
            ValueError: If the model has no such chart.
        """
        if self.charts is None:
            if isinstance(chart, (int, np.integer)) and chart >= 0:
                return int(chart)
            raise ValueError(f"model {self.name} makes its charts on demand: give a code >= 0, got {chart!r}")
        if isinstance(chart, str) and chart in self.charts:
            return self.charts.index(chart)
        if isinstance(chart, (int, np.integer)) and 0 <= chart < len(self.charts):
            return int(chart)
        raise ValueError(f"model {self.name} has no chart {chart!r}; known: {listed(chart, self.charts)}")

    def field(self, *charts: str) -> Callable:
        """Decorate `f(t, x, d, p, dx)`, which writes the rates of the state in these charts."""
        self._check_textbook("field")

        def register(function: Callable) -> Callable:
            for chart in charts:
                self.chart_code(chart)
                if chart in self.fields:
                    raise ValueError(f"model {self.name}: chart {chart!r} has two fields")
                self.fields[chart] = function
            return function

        return register

    def guard(self, *charts: str, to: str | None = None, target: float | str = 0.0, **options: Any) -> Callable:
        """Decorate `h(t, x, d, p) -> value`, a guard of these charts, named after the function; see `Guard`."""
        self._check_textbook("guard")

        def register(function: Callable) -> Callable:
            name = options.pop("name", function.__name__)
            self.add_guard(Guard(name, charts=charts, function=function, target=target, to=to, **options))
            return function

        return register

    def at(self, times: KnownTimes, *charts: str, to: str | None = None, name: str | None = None) -> Callable:
        """Decorate `r(t, x, d, p)`, which changes x and d in place at known times, `at(...)` or `every(...)`.

        It counts in these charts, in all if none are named, and leads to chart `to`, if given. Its guard is named after
        the function.
        """
        self._check_textbook("at")

        def register(function: Callable) -> Callable:
            guard = Guard(name or function.__name__, charts=charts or self.charts or (), to=to, times=times)
            self.add_guard(guard)
            self.resets[guard.name] = function
            return function

        return register

    def add_guard(self, guard: Guard) -> None:
        """Add a guard; simultaneous events have priority in the order in which guards were added.

        Raises:
            ValueError: If the name is taken, or a chart or target parameter does not exist.
        """
        if guard.name in self.guards:
            raise ValueError(f"model {self.name} already has a guard {guard.name!r}")
        for chart in (*guard.charts, *([guard.to] if guard.to is not None else [])):
            try:
                self.chart_code(chart)
            except ValueError as error:
                raise ValueError(f"guard {guard.name}: {error}") from None
        if isinstance(guard.target, str) and guard.target not in self.param_names:
            known = ", ".join(self.param_names) or "none"
            raise ValueError(f"guard {guard.name}: its target {guard.target!r} is not a parameter; known: {known}")
        self.guards[guard.name] = guard

    def reset(self, guard: str) -> Callable:
        """Decorate `r(t, x, d, p)`, which changes x and d in place when a guard fires; its `to=` is the next chart."""
        return self._handler(guard, self.resets)

    def on(self, guard: str) -> Callable:
        """Decorate `r(t, x, d, p) -> chart`, which changes x and d in place and returns a code, or DECLINE or None."""
        return self._handler(guard, self.handlers)

    def _handler(self, guard: str, table: dict[str, Callable]) -> Callable:
        if guard not in self.guards:
            raise ValueError(f"unknown guard {guard!r}; known: {listed(guard, self.guards)}")
        if guard in self.resets or guard in self.handlers:
            raise ValueError(f"guard {guard!r} already has a transition")

        def register(function: Callable) -> Callable:
            table[guard] = function
            return function

        return register

    def functions(
        self,
        *,
        field: Callable,
        guards: Callable,
        transition: Callable,
        table: Sequence,
        field_key: Callable | None = None,
        sampled: Callable | None = None,
    ) -> None:
        """Set the three functions of a model with many charts.

        Args:
            field: `field(t, x, d, p, chart, dx)`.
            guards: `guards(t, x, d, p, chart, g) -> n`.
            transition: `transition(t, x, d, p, chart, fired) -> chart`; `fired` has 1 where a guard fired.
            table: One `Guard` or name per entry of `g`, in order of priority.
            field_key: `field_key(chart) -> int`, equal for charts with the same field (as a function of t, x, d, p):
                an event between them that changes neither x nor d then needs no restart. None: all differ.
            sampled: `sampled(t, x, d, p, chart, g)` writes the guards that are declared so, which `guards` then leaves
                alone: what is enclosed is not slowed by them.
        """
        self._check_textbook("functions")
        for guard in table:
            self.add_guard(guard if isinstance(guard, Guard) else Guard(guard))
        whole = guards if sampled is None else _both(guards, sampled)
        self.three = {"field": field, "guards": whole, "transition": transition, "field_key": field_key}
        self.three["enclosed"] = guards

    def surface(self, plus: str, minus: str, *, slide: str, pull: float = 10.0) -> Callable:
        """Decorate `h(t, x, d, p)`, the common boundary of charts `plus` (h > 0) and `minus` (h < 0), with sliding.

        Where both fields point at the boundary the run continues in chart `slide`, whose field is Filippov's convex
        combination, and leaves it when one of the fields points away. The guards `<h>_down`, `<h>_up`,
        `<slide>_to_<plus>` and `<slide>_to_<minus>` are added. A run that starts in the chart of the wrong side
        ends at once with INVALID_ENTRY; `initial` may choose the chart.

        Args:
            plus: Chart where h > 0.
            minus: Chart where h < 0.
            slide: Chart on h = 0.
            pull: Rate at which round-off drift away from h = 0 decays [1/s]; too large makes sliding stiff.
        """
        self._check_textbook("surface")
        for chart in (plus, minus, slide):
            self.chart_code(chart)

        def register(function: Callable) -> Callable:
            self.surfaces.append((function, plus, minus, slide, pull))
            h = function.__name__
            # A chart entered from sliding begins on the surface, within round-off on either side; a run does not.
            self.add_guard(Guard(f"{h}_down", charts=(plus,), on_entry="ignore_later"))
            self.add_guard(Guard(f"{h}_up", charts=(minus,), on_entry="ignore_later"))
            self.add_guard(Guard(f"{slide}_to_{plus}", charts=(slide,), to=plus))
            self.add_guard(Guard(f"{slide}_to_{minus}", charts=(slide,), to=minus))
            return function

        return register

    def initial(self, function: Callable) -> Callable:
        """Decorate `i(t, x, d, p) -> chart`, which may complete x, d and p in place and chooses the first chart."""
        return self._hook("initial", function)

    def validate(self, function: Callable) -> Callable:
        """Decorate `v(t, x, d, p, chart) -> bool`, called at every accepted step and chart entry."""
        return self._hook("validate", function)

    def after_zeno(self, function: Callable) -> Callable:
        """Decorate `z(t, x, d, p, chart) -> chart`, the chart after an accumulation of events (or DECLINE)."""
        return self._hook("after_zeno", function)

    def aux(self, function: Callable) -> Callable:
        """Decorate `a(t, x, d, p, chart, out)`, which writes the auxiliary functions in the order of their names."""
        return self._hook("aux", function)

    def lines(self, function: Callable) -> Callable:
        """Decorate `l(t, x, d, p, chart) -> {name: (k, 3) array}`, line segments for a picture (plain Python)."""
        return self._hook("lines", function)

    def _hook(self, name: str, function: Callable) -> Callable:
        if name in self.hooks:
            raise ValueError(f"model {self.name} already has a function {name}")
        self.hooks[name] = function
        return function

    def _check_textbook(self, what: str) -> None:
        if self.three is not None:
            raise ValueError(f"model {self.name} is given by three functions; {what} cannot be added")


def _both(guards: Callable, sampled: Callable) -> Callable:
    """Return a guards function that calls two of them."""

    def whole(t, x, d, p, chart, g):
        n = guards(t, x, d, p, chart, g)
        sampled(t, x, d, p, chart, g)
        return n

    return whole
