"""Optimal control of hybrid models by shooting, on exact derivatives through events.

A problem has decisions (parameters of the model, or states of its start), a cost, and bounds on what the model's
auxiliary functions, guards and states may be, at events, at the end, or at all times, which nodes sample:

    problem = control.ControlProblem(
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

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .backward import BackwardHorizon, obstacle
from .between import Excess, allowances, excesses
from .horizon import Horizon
from .problem import Bound, ControlProblem, Segment
from .quadratic import choose
from .shooting import Shooting
from .trust_region import ControlStatus, Descent, minimise

STUCK = (ControlStatus.INFEASIBLE, ControlStatus.SOLVER_FAILED, ControlStatus.STEP_LIMIT)
PHASE = 60  # steps at most with events held
CLOSELY = 1e-3  # of `feasible`: how far segments may gape at last, since a refined plan is run in one piece
MANY = 100  # decisions, from which on derivatives go backward


@dataclass(frozen=True)
class Solution:
    """What a descent found. Check `status`; `feasible` is the last that satisfied the constraints, if any did."""

    status: ControlStatus
    message: str
    decisions: dict[str, float]  # "name", of the start of segment i > 0 "name@i"
    cost: float
    violation: float  # largest, over the bounds' scales: between nodes too, and behind events without the ramp
    order: tuple[str, ...]  # of events other than nodes, as they happened
    n_steps: int
    n_runs: int  # without derivatives
    n_derived: int  # with
    results: tuple  # of `Result`, one for each segment
    feasible: dict[str, float] | None
    problem: ControlProblem = field(repr=False)
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
    problem: ControlProblem,
    guess: Mapping[str, float],
    order: Sequence[str] | None = None,
    *,
    segments: Sequence[Segment] | None = None,
    tol: float = 1e-7,
    feasible: float = 1e-6,
    rho: float = 100.0,
    radius: float = 0.5,
    max_steps: int = 200,
    held: bool = False,
    refine: int = 0,
    solver: str | None = None,
    derivatives: str | None = None,
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
        max_steps: Steps allowed, in each solution anew if `refine` is positive.
        held: Whether awaited events are first held between the nodes that they are between in the guess: where one
            reaches a node, a bound of single charts begins to count, or the control jumps, and steps across it fail. A
            descent that is stuck goes on with events held if they were free, and free if they were held.
        refine: How often at most to solve again where bounds are left between nodes by more than `feasible`: the nodes
            beside such a place are held back by as much. Bounds of all charts are read at nodes, at the start and at
            other events; those of single charts at nodes, and at events only if `refine` is positive: an event then
            does not pass a node behind which they do not hold. `violation` says how far they are left between, refined
            or not, and the message where.
        solver: "clarabel" or "slsqp"; None: Clarabel if installed, see `quadratic.choose`.
        derivatives: "forward", or "backward" for very many decisions, where bounds are read at the end only; None:
            backward from `MANY` decisions on, if that can be.

    Raises:
        ValueError: If a name is unknown, order and segments are both given, or derivatives do not go backward here.
        ImportError: If Clarabel is needed and missing.
    """
    if order is not None and segments is not None:
        raise ValueError("give the order of each segment, not one for all")
    parts = tuple(segments or (Segment(tuple(problem.decisions), {}, None if order is None else tuple(order)),))
    whole = horizon(problem, parts, derivatives)
    whole.strict = refine > 0
    chosen = choose(solver, whole.n)
    how = dict(tol=tol, feasible=feasible, rho=rho, radius=radius, solver=chosen)
    made = _descended(whole, whole.start(guess), held, max_steps, how)
    made, left = _refined(whole, made, refine, max_steps, how)
    kept = None if made.feasible is None else whole.named(made.feasible[0])
    detail, message, violation = made.sample.detail, made.message, whole.violation(made.sample)
    if left:
        violation = max(violation, left[0].size)
    if left and left[0].size > feasible:
        message += f"; but between nodes they are left by {left[0].size:.1e}: {left[0].words(problem.bounds)}"
    return Solution(
        made.status, message, whole.named(made.z), made.sample.cost, violation, whole.events(detail), made.n_steps,
        whole.n_runs, whole.n_derived, tuple(part.result for part in detail), kept, problem, parts,
    )  # fmt: skip


def _refined(
    whole: Horizon, made: Descent, rounds: int, max_steps: int, how: Mapping[str, Any]
) -> tuple[Descent, list[Excess]]:
    """Return a descent and what bounds are left by between nodes, after at most so many rounds with nodes held back."""
    closed = False
    for n in range(rounds + 1):
        left = [] if made.sample.message else excesses(whole, made.sample.detail)
        far = [one for one in left if one.size > how["feasible"]]
        more = allowances(whole, made.sample.detail, far)
        if n == rounds or (far and not more) or (not far and (closed or not whole.allowances)):
            break
        closed = not far  # a last round joins segments closely
        whole.allowances += more
        closely = how | {"feasible": CLOSELY * how["feasible"]} if closed else how
        again = _descended(whole, made.z, True, max_steps, closely)
        made = replace(again, n_steps=made.n_steps + again.n_steps)
    if whole.allowances:
        whole.allowances = ()
        made = replace(made, sample=whole.plain(made.z))
    return made, left


def _descended(whole: Horizon, z: np.ndarray, held: bool, max_steps: int, how: Mapping[str, Any]) -> Descent:
    """Return the descent that holds events between nodes and frees them, in turns, until it converges."""
    n_steps, kept, stuck = 0, None, 0
    waits = any("@" not in entry for part in whole.parts for entry in part.order or ())
    while True:
        begun = whole.plain(z) if held else None
        whole.hold(None if begun is None or begun.message else begun.detail)
        most = min(PHASE, max_steps - n_steps) if held else max_steps - n_steps
        made = minimise(whole.plain, whole.derived, z, whole.bounds, max_steps=most, **how)
        n_steps, kept = n_steps + made.n_steps, made.feasible or kept
        stuck = stuck + 1 if np.array_equal(made.z, z) else 0
        if made.status not in STUCK or n_steps >= max_steps or stuck == 2 or not waits:
            return replace(made, n_steps=n_steps, feasible=kept)
        z, held = made.z, not held


def orders(
    problem: ControlProblem, candidates: Mapping[tuple[str, ...], Mapping[str, float]], **how: Any
) -> list[tuple[tuple[str, ...], Solution]]:
    """Solve for each order of events and return them, the best first: those that converged, by cost.

    What bounds are violated by between nodes, and at full weight right behind an event, their `violation` says: finer
    nodes lower it, `refine` removes it.

    Args:
        problem: The problem.
        candidates: A guess for each order.
        **how: As in `solve`.
    """
    made = [(order, solve(problem, guess, order, **how)) for order, guess in candidates.items()]
    return sorted(made, key=lambda one: (one[1].status is not ControlStatus.CONVERGED, one[1].cost))


def verify(found: Solution, *, tol: float = 1e-6, decisions: Mapping[str, float] | None = None) -> Verification:
    """Run a solution in the free model, from the start to the end in one piece, and say whether it is what was planned.

    Args:
        found: The solution.
        tol: Difference of the cost that counts as none, relative to 1 + |cost|.
        decisions: Others in its place, for instance `found.feasible`.
    """
    problem = found.problem
    cost, order, result = horizon(problem, found.segments).free(found.decisions if decisions is None else decisions)
    if result is None:
        return Verification(False, "the free model does not come to the end", math.nan, order, ())
    planned = found.order
    same = order == planned and abs(cost - found.cost) <= tol * (1.0 + abs(found.cost))
    words = "the free model does the same" if same else "the free model does something else"
    text = f"{words}: {', '.join(order) or 'no events'}; cost {cost:.8g}, planned {found.cost:.8g}"
    return Verification(same, text, cost, order, (result,))


def horizon(problem: ControlProblem, segments: Sequence[Segment], derivatives: str | None = "forward") -> Horizon:
    """Return cost and constraints of a problem in segments, as functions of its scaled decisions; see `solve`.

    Raises:
        ValueError: If a name is unknown, or derivatives do not go backward here.
    """
    if derivatives not in (None, "forward", "backward"):
        raise ValueError(f"derivatives must be 'forward' or 'backward', got {derivatives!r}")
    problem.check_names()
    key = id(problem.model), problem.node, problem.mode
    if key not in problem.compiled:
        problem.compiled[key] = Shooting(problem.model, problem.node, problem.mode)
    if derivatives is None and len(problem.decisions) >= MANY and not obstacle(problem, segments):
        derivatives = "backward"
    kind = BackwardHorizon if derivatives == "backward" else Horizon
    return kind(problem, problem.compiled[key], segments)


__all__ = [
    "Bound", "ControlProblem", "ControlStatus", "Segment", "Solution", "Verification", "horizon", "orders", "solve",
    "verify",
]  # fmt: skip
