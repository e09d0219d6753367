"""Optimal control of hybrid models by shooting, on exact derivatives through events.

A problem has decisions (parameters of the model, or states of its start), a cost, and bounds on what the model's
auxiliary functions, guards and states may be, at nodes, at events, at the end::

    problem = control.Problem(
        model, decisions={"u_0": (-50, 50), ...}, node="node", settings={"stop_count": 40, "chart": 1},
        cost="cost", running=("error", "effort"), terminal=("missed",),
        bounds=[control.Bound("cone", lower=0.0, charts=in_stance), control.Bound("slide", 0.0, 0.0, at="touchdown")])
    found = control.solve(problem, guess, order=["liftoff@1", "touchdown", "liftoff@6"])
    found.status, found.message, found.decisions, found.cost, found.violation
    control.orders(problem, {order: guess, ...})  # each solved, best first
    control.verify(found)  # the free model, with events where the engine finds them: the same order, the same cost?

With decisions z the engine gives X = dx/dz at every node and event. The cost is a state, c' = l(x, u), so that jumps
are in its derivative; where l is a sum of squares of outputs r and the end costs squares r_T, the matrix of Gauss and
Newton

    H = 2 sum_j h (r_x X_j + r_z)' (r_x X_j + r_z) + 2 (r_T)_z' (r_T)_z

needs nothing new. Orders are given, because a descent across a change of order meets corners; see `schedule`.

Source: Nocedal & Wright, Numerical Optimization (2006), 10.3, 18.5; the order of events is given, as in Posa,
Kuindersma & Tedrake, Optimization and stabilization of trajectories for constrained dynamical systems, ICRA 2016.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .model import Model
from .quadratic import choose
from .trust_region import Status, minimise


@dataclass(frozen=True)
class Bound:
    """Bounds of an output: an auxiliary function, a state or a memory entry of the model.

    Attributes:
        output: Its name.
        lower: Least value allowed.
        upper: Greatest value allowed; equal to `lower` for an equation.
        at: A guard: at all its events; "end": at the end. None: at the nodes.
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
            raise ValueError(f"bound of {self.output}: got lower {self.lower} and upper {self.upper}")
        if self.side not in (None, "minus", "plus", "both"):
            raise ValueError(f"bound of {self.output}: side must be minus, plus or both, got {self.side!r}")
        if not self.scale > 0:
            raise ValueError(f"bound of {self.output}: scale must be positive, got {self.scale}")


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
class Problem:
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

    @cached_property
    def shooting(self) -> Any:
        """The compiled runs of the problem, `shooting.Shooting`."""
        from .shooting import Shooting

        return Shooting(self)


@dataclass(frozen=True)
class Solution:
    """What a descent found. Check `status`; `feasible` is the last that satisfied the constraints, if any did."""

    status: Status
    message: str
    decisions: dict[str, float]  # "name", of the start of segment i > 0 "name@i"
    cost: float
    violation: float  # largest, over the bounds' scales; behind events without the ramp
    order: tuple[str, ...]  # of events other than nodes, as they happened
    n_steps: int
    n_runs: int  # without derivatives
    n_derived: int  # with
    results: tuple  # of `Result`, one for each segment
    feasible: dict[str, float] | None
    problem: Problem = field(repr=False)
    segments: tuple[Segment, ...] = field(repr=False)


@dataclass(frozen=True)
class Verification:
    """A solution in the free model."""

    agrees: bool
    message: str
    cost: float
    order: tuple[str, ...]
    results: tuple


def solve(
    problem: Problem,
    guess: Mapping[str, float],
    order: Sequence[str] | None = None,
    *,
    segments: Sequence[Segment] | None = None,
    tol: float = 1e-7,
    feasible: float = 1e-6,
    rho: float = 100.0,
    radius: float = 0.5,
    max_steps: int = 200,
    solver: str | None = None,
) -> Solution:
    """Return the decisions of least cost near a guess.

    Args:
        problem: The problem.
        guess: Decisions by name; what is missing is the model's value. Starts of segments, "x@1", are by default where
            the segment before ends.
        order: Events in order: "touchdown" (the engine finds when) or "liftoff@6" (made with the sixth node). None:
            the engine finds them all, and a step that changes their number is refused.
        segments: Parts that are shot on their own (multiple shooting), with orders of their own.
        tol: A step that is to lower the merit by less than this share ends the descent. Too small: it ends in noise of
            the runs' tolerance.
        feasible: Largest violation accepted, over the bounds' scales.
        rho: Price of a violation to begin with.
        radius: Of the first step, in tenths of the decisions' ranges.
        max_steps: Steps allowed.
        solver: "clarabel" or "slsqp"; None: Clarabel if installed, see `quadratic.choose`.

    Raises:
        ValueError: If a name is unknown, or order and segments are both given.
        ImportError: If Clarabel is needed and missing.
    """
    if order is not None and segments is not None:
        raise ValueError("give the order of each segment, not one for all")
    parts = tuple(segments or (Segment(tuple(problem.decisions), {}, None if order is None else tuple(order)),))
    course = problem.shooting.course(parts)
    chosen = choose(solver, course.n)
    made = minimise(
        course.plain, course.derived, course.start(guess), course.bounds, tol=tol, feasible=feasible, rho=rho,
        radius=radius, max_steps=max_steps, solver=chosen,
    )  # fmt: skip
    kept = None if made.feasible is None else course.named(made.feasible[0])
    detail = made.sample.detail
    return Solution(
        made.status, made.message, course.named(made.z), made.sample.cost, course.violation(made.sample),
        course.events(detail), made.n_steps, course.n_runs, course.n_derived,
        tuple(part.result for part in detail), kept, problem, parts,
    )  # fmt: skip


def orders(
    problem: Problem, candidates: Mapping[tuple[str, ...], Mapping[str, float]], **how: Any
) -> list[tuple[tuple[str, ...], Solution]]:
    """Solve for each order of events and return them, the best first: those that converged, by cost.

    Args:
        problem: The problem.
        candidates: A guess for each order.
        **how: As in `solve`.
    """
    made = [(order, solve(problem, guess, order, **how)) for order, guess in candidates.items()]
    return sorted(made, key=lambda one: (one[1].status is not Status.CONVERGED, one[1].violation > 1e-3, one[1].cost))


def verify(found: Solution, *, tol: float = 1e-6, decisions: Mapping[str, float] | None = None) -> Verification:
    """Run a solution in the free model, from the start to the end in one piece, and say whether it is what was planned.

    Args:
        found: The solution.
        tol: Difference of the cost that counts as none, relative to 1 + |cost|.
        decisions: Others in its place, for instance `found.feasible`.
    """
    problem = found.problem
    course = problem.shooting.course(found.segments)
    cost, order, result = course.free(found.decisions if decisions is None else decisions)
    if result is None:
        return Verification(False, "the free model does not come to the end", math.nan, order, ())
    planned = found.order
    same = order == planned and abs(cost - found.cost) <= tol * (1.0 + abs(found.cost))
    words = "the free model does the same" if same else "the free model does something else"
    text = f"{words}: {', '.join(order) or 'no events'}; cost {cost:.8g}, planned {found.cost:.8g}"
    return Verification(same, text, cost, order, (result,))


__all__ = "Bound Problem Segment Solution Status Verification orders solve verify".split()
