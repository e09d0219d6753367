"""What optimal control through exact events costs, beside nosnoc on its hopper, and SciPy on SLIP.

Usage: tarsus benchmark control
Runtime: six minutes, and up to ten that compile the models the first time. CPU time of this process, one run each;
compiling is not counted, nor nosnoc's building. Without nosnoc (extra `bench`) its row is left out.
Needs the extra `control`. Set OMP_NUM_THREADS=1: threads of nosnoc's linear algebra wait for
one another busily, which counts as processor time.

nosnoc's numbers are reported three ways: the cost as it counts it, with the time in which its clock stands still; the
cost in physical time, from its states and controls; and what the exact model does with its forces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tarsus.analytic.hybrid import control
from tarsus.analytic.hybrid.control import Bound, ControlProblem, ControlStatus
from tarsus.analytic.models import planar_hopper as hopper
from tarsus.analytic.models import planned_slip
from tarsus.analytic.models.slip import Slip
from tarsus.scripts.laboratory.benchmarks import control_peers, timing
from tarsus.scripts.laboratory.frame import Page, Table
from tarsus.scripts.laboratory.models.planar_hopper_jumps import FIVE, Jumps

PACKAGES = ("tarsus", "numpy", "scipy", "clarabel", "nosnoc", "casadi")
FIRST, SECOND = (1, 2, 3), (5, 6, 7, 8)  # intervals with which the two flights of a jump begin
COARSE, FINE = 2, 10  # nodes in an interval of 50 ms: of the search over orders, and of what is reported
RUNNER = Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
TARGET = {"y": 1.12, "xdot": 3.5}  # apex, from 1.05 m and 3 m/s
ANGLE = 0.29723  # with which the first apex would repeat [rad]


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """Return the value of a call, and its processor time [s]."""
    made: list = []
    cpu, _ = timing.seconds(lambda: made.append(run()))
    return made[0], cpu


def jump() -> list[tuple]:
    """Return the rows of one jump by exact events: the search over orders, then the best on fine nodes."""
    coarse, fine = hopper.Course(nodes=COARSE), hopper.Course(nodes=FINE)
    search, last = hopper.problem(coarse), hopper.problem(fine)
    candidates = {}
    for first in FIRST:
        for second in SECOND:
            if second >= first + 4:
                order, guess = hopper.order_and_guess(coarse, first, second)
                candidates[order] = guess
    one = next(iter(candidates.items()))
    for problem in (search, last):  # compiles
        control.verify(control.solve(problem, one[1], hopper.order_and_guess(coarse, 1, 5)[0], max_steps=1))
    ranked, searching = timed(lambda: control.orders(search, candidates, tol=1e-4, feasible=1e-5))
    order, found = ranked[0]
    finer = tuple(_on_fine_nodes(entry) for entry in order)
    how = {"held": True, "refine": 8}  # it touches at a node; bounds hold between nodes too
    best, polishing = timed(lambda: control.solve(last, found.decisions, finer, **how))
    checked = control.verify(best)
    done = sum(one.status is ControlStatus.CONVERGED for _, one in ranked)
    return [
        (f"all {len(ranked)} orders, nodes of 25 ms", f"{found.cost:.4f}", "", f"{done} converged", f"{searching:.2f}"),
        (
            f"the best, {', '.join(finer)}, nodes of 5 ms", f"{best.cost:.4f}", f"{best.violation:.1e}",
            "same events, same cost" if checked.agrees else checked.message, f"{polishing:.2f}",
        ),
    ]  # fmt: skip


def five_jumps() -> list[tuple]:
    """Return the row of five jumps by exact events, shot in segments from apex to apex."""
    jumps = Jumps()
    jumps.solve(max_steps=1)  # compiles
    found, cpu = timed(jumps.solve)
    checked = control.verify(found)
    words = "same events, same cost" if checked.agrees else checked.message
    name = f"exact events, {found.n_derived} runs of a segment with derivatives, {found.n_runs} without"
    return [(name, f"{found.cost:.2f}", f"{found.violation:.1e}", words, f"{cpu:.2f}")]


def _on_fine_nodes(entry: str) -> str:
    name, _, node = entry.partition("@")
    return f"{name}@{FINE * int(node) // COARSE}" if node else name


def slip_problem() -> ControlProblem:
    """Return two strides of SLIP to a higher and faster apex with the least changes of the plan."""
    model = planned_slip.build(2, RUNNER, ANGLE)
    ranges = {"angle": (0.0, 0.8), "before": (0.5, 2.0), "after": (0.5, 2.0)}
    settings = {"chart": "descent", "stop_at": "apex", "stop_count": 2, "final_time": 9.0, "rtol": 1e-10}
    return ControlProblem(
        model, {name: ranges[name[:-2]] for name in planned_slip.decisions(2)}, terminal=model.aux_names,
        bounds=[Bound(name, value, value, at="end") for name, value in TARGET.items()], settings=settings,
    )  # fmt: skip


def slip_rows() -> list[tuple]:
    """Return the rows of SLIP: Gauss and Newton on exact derivatives, SciPy on differences of runs."""
    problem = slip_problem()
    control.solve(problem, {}, max_steps=1)
    found, cpu = timed(lambda: control.solve(problem, {}, feasible=1e-8, tol=1e-10))
    runs = f"{found.n_derived} with derivatives, {found.n_runs} plain"
    rows = [("Gauss and Newton, exact derivatives", runs, f"{found.violation:.1e}", f"{found.cost:.8f}", f"{cpu:.3f}")]
    (x, missed, cost, n), cpu = timed(lambda: by_differences(problem))
    return [*rows, ("SciPy's SLSQP, differences of runs", f"{n} plain", f"{missed:.1e}", f"{cost:.8f}", f"{cpu:.3f}")]


def by_differences(problem: ControlProblem) -> tuple[np.ndarray, float, float, int]:
    """Return SciPy's plan with differences of plain runs, what it misses, its cost, and its runs."""
    from scipy.optimize import minimize

    whole = control.horizon(problem, [control.Segment(tuple(problem.decisions))])
    start, states = whole.start({}), [problem.model.state_names.index(name) for name in TARGET]
    root = np.repeat([planned_slip.ANGLE_WEIGHT, 1.0], [2, 4]) * whole.scale**2

    def missed(z: np.ndarray) -> np.ndarray:
        return whole.plain(z).detail[0].result.x_end[states] - list(TARGET.values())

    made = minimize(
        lambda z: root @ (z - start) ** 2, start, jac=lambda z: 2.0 * root * (z - start), method="SLSQP",
        constraints={"type": "eq", "fun": missed}, options={"ftol": 1e-14, "maxiter": 200},
    )  # fmt: skip
    n = whole.n_runs
    return made.x, float(np.abs(missed(made.x)).max()), float(made.fun), n


def tables() -> Page:
    """Return the tables."""
    head = ("method", "cost in physical time", "violation", "verified", "CPU [s]")
    return Page(
        "nosnoc's hopper, one jump of 0.9 m in a second.",
        Table(head, [*jump(), *control_peers.rows()]),
        "Five jumps of 0.98 m in five seconds, as nosnoc's example is shipped.",
        Table(head, [*five_jumps(), *control_peers.rows(FIVE, warm=True)]),
        "SLIP from an apex of 1.05 m, 3 m/s to one of 1.12 m, 3.5 m/s in two strides.",
        Table(("method", "runs", "missed by", "cost", "CPU [s]"), slip_rows()),
    )  # fmt: skip
