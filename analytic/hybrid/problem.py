"""What an optimal control problem consists of: decisions, cost, bounds, and parts that are shot on their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..spelling import listed
from .directions import pick
from .model import Model


@dataclass(frozen=True)
class Bound:
    """Bounds of an output: an auxiliary function, a state or a memory entry of the model.

    Attributes:
        output: Its name.
        lower: Least value allowed.
        upper: Greatest value allowed; equal to `lower` for an equation.
        at: A guard: at all its events; "end": at the end. None: at all times, which is sought at the start, at nodes
            and at other events, and judged between them: see `refine` of `control.solve`.
        side: "minus", "plus" or "both" of an event; None: "plus", and "both" for auxiliary functions at nodes, where
            controls may jump.
        charts: Where it holds: a function of the chart's code, or names. None: everywhere.
        scale: What is a large violation, in the output's unit.
    """

    output: str
    lower: float = -math.inf
    upper: float = math.inf
    at: str | None = None
    side: str | None = None
    charts: Callable[[int], bool] | tuple[str, ...] | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        if not self.lower <= self.upper or (math.isinf(self.lower) and math.isinf(self.upper)):
            raise ValueError(f"bound of {self.output}: lower <= upper, one finite, got {self.lower} and {self.upper}")
        if self.side not in (None, "minus", "plus", "both"):
            raise ValueError(f"bound of {self.output}: side must be minus, plus or both, got {self.side!r}")
        if not self.scale > 0:
            raise ValueError(f"bound of {self.output}: scale must be positive, got {self.scale}")

    def holds(self, model: Model, charts: np.ndarray) -> np.ndarray:
        """Whether the bound holds in charts, shape (m,) of bool, by their codes (m,)."""
        if self.charts is None:
            return np.ones(len(charts), bool)
        if not callable(self.charts):
            return np.isin(charts, [model.chart_code(name) for name in self.charts])
        return np.array([bool(self.charts(int(code))) for code in charts], bool)


@dataclass(frozen=True)
class Segment:
    """A part of a horizon that is shot on its own: its decisions, and how its run differs.

    Attributes:
        decisions: Those of the problem that act here, beside the state it starts from.
        settings: Over the problem's: `t0`, `chart`, `stop_count`, `x0`, `d0`, `params`.
        order: Events of this segment, nodes counted from its start; None: the engine finds them.
    """

    decisions: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    order: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class ControlProblem:
    """An optimal control problem.

    Attributes:
        model: The free model, whose events the engine finds.
        decisions: Name of a parameter, a state of the start or a memory entry, and its bounds; a tenth of their
            distance is a large step.
        cost: The state that integrates the running cost; None: there is none.
        running: Outputs whose squares add up to the rate of `cost`, for the matrix of Gauss and Newton.
        terminal: Outputs whose squares at the end are part of the cost.
        bounds: What must hold.
        node: The guard of nodes: its events sample the bounds. Needed for an order.
        settings: Of the runs, as in `Simulator.run`: `chart`, `stop_at` (by default the node), `stop_count`, `t0`,
            `final_time`, `x0`, `d0`, `params`, tolerances.
        margins: How far suppressed guards stay from zero, by name, in the guard's unit.
        scales: What is a large violation of a guard, by name; by default 1.
        ramp: Behind an event, bounds of single charts grow from nothing to full weight over this time [s]: without it
            an event sticks at the node that it would have to pass. The time between nodes serves.
        joint: States that go on from segment to segment, with their bounds; for `segments`.
        mode: Of the engine, as in `compile`.
        compiled: Kept for the next descent, also of a problem that `dataclasses.replace` makes from this one.
    """

    model: Model
    decisions: Mapping[str, tuple[float, float]]
    cost: str | None = None
    running: tuple[str, ...] = ()
    terminal: tuple[str, ...] = ()
    bounds: Sequence[Bound] = ()
    node: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    margins: Mapping[str, float] = field(default_factory=dict)
    scales: Mapping[str, float] = field(default_factory=dict)
    ramp: float = 0.0
    joint: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    mode: str = "auto"
    compiled: dict = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for name, (lower, upper) in (*self.decisions.items(), *self.joint.items()):
            if not (math.isfinite(lower) and math.isfinite(upper) and lower < upper):
                raise ValueError(f"decision {name} needs finite bounds, the lower one first, got {lower} and {upper}")
        if not self.decisions:
            raise ValueError("a problem needs decisions")
        if self.cost is None and not self.terminal:
            raise ValueError("a problem needs a cost: the name of a state, or terminal outputs")
        if self.running and self.node is None:
            raise ValueError("running outputs are read at nodes: name the guard `node`")

    def check_names(self) -> None:
        """Check that the model has what is named."""
        model, at = self.model, [bound.at for bound in self.bounds if bound.at not in (None, "end")]
        named = {
            "output": (
                (*self.running, *self.terminal, *(bound.output for bound in self.bounds)),
                (*model.aux_names, *model.state_names, *model.memory_names),
            ),
            "guard": ((*self.margins, *self.scales, *at, *([self.node] if self.node else [])), tuple(model.guards)),
            "state": ((*self.joint, *([self.cost] if self.cost else [])), model.state_names),
        }
        for what, (asked, known) in named.items():
            for name in asked:
                if name not in known:
                    raise ValueError(f"model {model.name} has no {what} {name!r}; known: {listed(name, known)}")
        pick(model, list(self.decisions))
