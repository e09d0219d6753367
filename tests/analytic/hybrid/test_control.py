"""Optimal control through events: closed forms, exact derivatives against differences, orders, and bad problems."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import control, quadratic, trust_region
from tarsus.analytic.hybrid.constraints import APART
from tarsus.analytic.hybrid.control import Bound, ControlProblem, ControlStatus, Segment
from tarsus.analytic.models import planar_hopper, planned_slip
from tarsus.analytic.models.slip import Slip

G, E, LENGTH = 9.81, 0.6, 3.0
WALL = 0.7  # [m]


def thrown_ball():
    """A ball thrown from the ground bounces once and lands; a wall is passed on the way. Effort: its velocity."""
    model = hy.Model(
        "thrown", state={"x": 0.0, "z": 0.0, "vx": 2.0, "vz": 5.0}, memory={"u": 0.0, "w": 0.0},
        charts=["first", "behind", "second", "landed"], aux=["effort_x", "effort_z", "height"],
    )  # fmt: skip

    @model.field("first", "behind", "second", "landed")
    def fly(t, x, d, p, dx):
        dx[0], dx[1], dx[2], dx[3] = x[2], x[3], 0.0, -G

    @model.guard("first", to="behind")
    def wall(t, x, d, p):
        return WALL - x[0]

    @model.guard("behind", to="second")
    def bounce(t, x, d, p):
        return x[1]

    @model.guard("second", to="landed")
    def land(t, x, d, p):
        return x[1]

    @model.reset("bounce")
    def up(t, x, d, p):
        d[0], d[1] = x[2], -x[3]  # of the throw: both speeds are kept until here
        x[1], x[3] = 0.0, -E * x[3]

    @model.aux
    def outputs(t, x, d, p, chart, out):
        out[0], out[1], out[2] = d[0], d[1], x[1]

    return model


def throw(height):
    return ControlProblem(
        thrown_ball(), {"vx": (0.5, 10.0), "vz": (1.0, 12.0)}, terminal=("effort_x", "effort_z"),
        bounds=[Bound("x", LENGTH, LENGTH, at="land"), Bound("height", lower=height, at="wall")],
        settings={"chart": "first", "stop_at": "land", "final_time": 9.0, "rtol": 1e-10}, mode="python",
    )  # fmt: skip


def test_the_weakest_throw_that_lands_at_a_place():
    """x = 2 (1 + e) vx vz / g is given, so vx^2 + vz^2 is least where both are equal, over a low wall."""
    found = control.solve(throw(0.01), {"vx": 2.5, "vz": 4.0}, solver="slsqp", feasible=1e-8, tol=1e-12)
    assert found.status is ControlStatus.CONVERGED, found.message
    speed = math.sqrt(LENGTH * G / (2.0 * (1.0 + E)))
    assert found.decisions["vx"] == pytest.approx(speed, abs=1e-5)
    assert found.decisions["vz"] == pytest.approx(speed, abs=1e-5)
    assert found.cost == pytest.approx(2.0 * speed**2, rel=1e-9) and found.violation < 1e-8
    assert found.order == ("wall", "bounce", "land") and found.n_derived <= 20
    made = control.verify(found)
    assert made.agrees and made.cost == pytest.approx(found.cost, rel=1e-9), made.message


def test_a_high_wall_is_just_passed():
    """With c = x g / (2 (1 + e)) = vx vz, the height at the wall is WALL vz / vx - g WALL^2 / (2 vx^2), a bound."""
    found = control.solve(throw(0.9), {"vx": 2.5, "vz": 5.0}, solver="slsqp", feasible=1e-8, tol=1e-12)
    assert found.status is ControlStatus.CONVERGED, found.message
    c = LENGTH * G / (2.0 * (1.0 + E))
    speed = math.sqrt((WALL * c - 0.5 * G * WALL**2) / 0.9)
    np.testing.assert_allclose([found.decisions["vx"], found.decisions["vz"]], [speed, c / speed], atol=1e-6)


T, N = 0.8, 4  # of the vertical hopper: seconds, and intervals of its force


def vertical_hopper():
    """A point on the ground that pushes itself up with forces held over intervals; charts 2 j + 1 stand, 2 j fly."""
    model = hy.Model(
        "vertical hopper", state={"z": 0.0, "v": 0.0, "cost": 0.0}, params={"w": np.zeros(N)},
        aux=["force", "missed", "impact"],
    )  # fmt: skip
    h = T / N

    def field(t, x, d, p, chart, dx):
        stands = chart % 2
        w = p[min(chart // 2, N - 1)]
        dx[0], dx[1] = x[1], (w if stands else 0.0) - G
        dx[2] = w * w

    def guards(t, x, d, p, chart, g):
        g[0] = h * (chart // 2 + 1) - t
        if chart % 2 == 1:
            g[1] = p[min(chart // 2, N - 1)]
        else:
            g[2] = x[0]
        return 3

    def transition(t, x, d, p, chart, fired):
        stands = chart % 2
        if fired[1]:
            stands = 0
        if fired[2]:
            stands = 1
        return 2 * (chart // 2 + fired[0]) + stands

    def outputs(t, x, d, p, chart, out):
        out[0], out[1], out[2] = p[min(chart // 2, N - 1)], 30.0 * (x[0] - 1.0), x[1]

    table = [hy.Guard("node"), hy.Guard("liftoff", on_entry="fire"), hy.Guard("touchdown", on_entry="ignore")]
    model.functions(field=field, guards=guards, transition=transition, table=table)
    model.aux(outputs)
    return model


def hop(**more):
    given = {
        "cost": "cost", "running": ("force",), "terminal": ("missed",), "node": "node", "ramp": T / N,
        "settings": {"chart": 1, "stop_count": N, "final_time": 2.0, "rtol": 1e-10}, "mode": "python",
    } | more  # fmt: skip
    return ControlProblem(vertical_hopper(), {f"w_{i}": (-60.0, 60.0) for i in range(N)}, **given)


def by_hand(k):
    """Return forces and cost of a liftoff at node k: z(T) is linear in the forces, the cost quadratic."""
    h, pushing = T / N, np.arange(N) < k
    lever = h * (T - h * (np.arange(N) + 0.5)) * pushing  # of the force of an interval on the final height
    offset = -0.5 * G * T**2 - 1.0
    matrix = h * np.eye(N) + 900.0 * np.outer(lever, lever)
    w = np.linalg.solve(matrix, -900.0 * lever * offset)
    return w, h * w @ w + 900.0 * (lever @ w + offset) ** 2


GUESS = {f"w_{i}": 30.0 for i in range(N)}


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_hop_whose_liftoff_is_given_is_the_quadratic_program_by_hand(k):
    """Where a force is due to stay zero behind the liftoff, the bound of its guard is active and changes nothing."""
    found = control.solve(hop(), GUESS, [f"liftoff@{k}"], solver="slsqp", tol=1e-11)
    assert found.status is ControlStatus.CONVERGED, found.message
    w, cost = by_hand(k)
    np.testing.assert_allclose([found.decisions[f"w_{i}"] for i in range(N)], w, atol=2e-4)
    assert found.cost == pytest.approx(cost, rel=1e-7) and found.order == ("liftoff",)


def test_the_best_order_comes_first_and_the_free_model_agrees():
    problem = hop()
    ranked = control.orders(problem, {(f"liftoff@{k}",): GUESS for k in (1, 2, 3)}, solver="slsqp", tol=1e-10)
    costs = {f"liftoff@{k}": by_hand(k)[1] for k in (1, 2, 3)}
    assert [order[0] for order, _ in ranked] == sorted(costs, key=costs.get)
    clear = hop(bounds=[Bound("force", upper=-0.1, charts=lambda chart: chart % 2 == 0)])  # not just at zero
    made = control.verify(control.solve(clear, GUESS, ["liftoff@2"], solver="slsqp"))
    assert made.agrees and made.order == ("liftoff",), made.message


def test_a_plan_that_the_free_model_does_not_follow_is_found_out():
    """Forces that stay positive behind the liftoff of the plan: the free model goes on pushing."""
    found = control.solve(hop(), GUESS, ["liftoff@2"], solver="slsqp", max_steps=1)
    made = control.verify(found, decisions=found.decisions | {"w_2": 20.0})
    assert not made.agrees and "something else" in made.message


@pytest.mark.parametrize(
    ("order", "held"),
    [(("liftoff@1", "touchdown"), False), (("liftoff@1", "touchdown"), True), (("liftoff@2",), False)],
)
def test_derivatives_are_differences(order, held):
    """Cost and every constraint, behind the touchdown too, where the ramp moves with the event."""
    problem = hop(bounds=[
        Bound("force", -3.0, charts=lambda chart: chart % 2 == 1, scale=10.0),
        Bound("impact", lower=-4.0, at="touchdown", side="minus"), Bound("z", upper=2.0, at="end"),
    ])  # fmt: skip
    course = control.horizon(problem, [Segment(tuple(problem.decisions), {}, order)])
    z = course.start({"w_0": 22.0, "w_1": 18.0 if order[0] == "liftoff@2" else -1.0, "w_2": 4.0, "w_3": 12.0})
    n_free = course.plain(z).c.size
    course.hold(course.plain(z).detail if held else None)
    made = course.derived(z)
    assert not made.message and made.c.size == n_free + 2 * held > 6
    h = 1e-5
    for e in np.eye(len(z)):
        ends = [course.plain(z + s * h * e) for s in (1, -1)]
        assert (ends[0].cost - ends[1].cost) / (2 * h) == pytest.approx(made.gradient @ e, rel=1e-6, abs=1e-5)
        np.testing.assert_allclose((ends[0].c - ends[1].c) / (2 * h), made.jac @ e, rtol=0, atol=1e-6)


def test_an_event_that_is_held_stays_between_its_nodes():
    """The lowest jump would land at once. Free, its touchdown sticks where it meets a node; held, it keeps apart."""
    problem = hop(terminal=(), bounds=[Bound("force", 1.0, charts=lambda chart: chart % 2 == 1)])
    guess, order = {"w_0": 14.0, "w_1": 2.0, "w_2": 12.0, "w_3": 12.0}, ["liftoff@1", "touchdown"]
    times = {}
    for held in (True, False):
        found = control.solve(problem, guess, order, held=held, solver="slsqp", max_steps=40)
        log = found.results[0].events
        times[held] = log.t[log.fired[:, 2] > 0][0]
    assert times[False] == pytest.approx(2 * T / N, abs=1e-7)
    assert times[True] == pytest.approx(2 * T / N + APART * T / N, abs=1e-7)


def test_the_matrix_of_gauss_and_newton_is_that_of_the_second_derivatives():
    """The cost is quadratic here: its gradients differ by the matrix."""
    problem = hop()
    course = control.horizon(problem, [Segment(tuple(problem.decisions), {}, ("liftoff@3",))])
    z = course.start(GUESS)
    a, step = course.derived(z), np.array([0.3, -0.2, 0.1, 0.2])
    b = course.derived(z + step)
    np.testing.assert_allclose(b.gradient - a.gradient, a.hessian @ step, rtol=1e-6, atol=1e-6)


def test_segments_find_what_one_shot_finds():
    """Shot in two parts, which start where one likes and are joined by equations."""
    names = [f"w_{i}" for i in range(N)]
    problem = hop(joint={"z": (-1.0, 3.0), "v": (-10.0, 10.0)})
    parts = [
        Segment(tuple(names[:2]), {"stop_count": 2}, ()),
        Segment(tuple(names[2:]), {"stop_count": 2, "chart": 5, "t0": T / 2}, ("liftoff@1",)),
    ]
    found = control.solve(problem, GUESS | {"z@1": 1.0, "v@1": 0.0}, segments=parts, solver="slsqp", tol=1e-11)
    assert found.status is ControlStatus.CONVERGED, found.message
    w, cost = by_hand(3)
    np.testing.assert_allclose([found.decisions[name] for name in names], w, atol=1e-3)
    assert found.cost == pytest.approx(cost, rel=1e-6)
    first = found.results[0].x_end
    np.testing.assert_allclose([found.decisions["z@1"], found.decisions["v@1"]], first[:2], atol=1e-5)


def test_what_cannot_be_done_is_said():
    high = hop(bounds=[Bound("z", lower=20.0, at="end")])
    found = control.solve(high, GUESS, ["liftoff@2"], solver="slsqp", max_steps=60)
    assert found.status is ControlStatus.INFEASIBLE and found.feasible is None and "violated by" in found.message
    early = control.solve(hop(), GUESS, ["liftoff@1", "touchdown", "liftoff@4"], solver="slsqp")
    assert early.status is ControlStatus.WRONG_ORDER and "asked for liftoff, touchdown, liftoff, got" in early.message
    short = control.solve(throw(0.01), {"vx": 9.0, "vz": 12.0}, solver="slsqp", max_steps=1)
    assert short.status is ControlStatus.STEP_LIMIT


def test_the_last_feasible_decisions_are_kept():
    """A bound that the guess satisfies, and a first step that would not."""
    problem = hop(bounds=[Bound("force", upper=40.0, charts=lambda chart: chart % 2 == 1)])
    guess = GUESS | {"w_2": -1.0, "w_3": -1.0}
    found = control.solve(problem, guess, ["liftoff@2"], solver="slsqp", max_steps=2)
    assert found.feasible is not None and max(found.feasible[f"w_{i}"] for i in range(2)) <= 40.0 + 1e-5


def test_misuse_is_explained():
    with pytest.raises(ValueError, match="no output 'forse'; known: .*force"):
        control.solve(hop(bounds=[Bound("forse", 0.0)]), GUESS, ["liftoff@2"])
    with pytest.raises(ValueError, match="'liftoff@2' must name a node after node 3"):
        control.solve(hop(), GUESS, ["liftoff@3", "liftoff@2"])
    with pytest.raises(ValueError, match="unknown guard 'lift' in 'lift@2'; known: node, liftoff, touchdown"):
        control.solve(hop(), GUESS, ["lift@2"])
    with pytest.raises(ValueError, match=r"unknown decisions \['q'\]"):
        control.solve(hop(), {"q": 1.0}, ["liftoff@2"])
    with pytest.raises(ValueError, match="decision w needs finite bounds"):
        ControlProblem(vertical_hopper(), {"w": (0.0, math.inf)}, cost="cost")
    with pytest.raises(ValueError, match="unknown solver 'ipopt'; known: clarabel, slsqp"):
        control.solve(hop(), GUESS, ["liftoff@2"], solver="ipopt")
    with pytest.raises(ValueError, match="bound of z: lower <= upper, one finite, got 1.0 and 0.0"):
        Bound("z", 1.0, 0.0)


def random_program(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    box = -rng.uniform(0.2, 1.0, 6), rng.uniform(0.2, 1.0, 6)
    return root.T @ root, rng.normal(size=6), rng.normal(size=9), rng.normal(size=(9, 6)), box


@pytest.mark.skipif(not quadratic.is_installed(), reason="it needs the extra `control`")
def test_a_small_box_is_solved_as_a_large_one():
    """With everything s times smaller, so is the step."""
    hessian, gradient, c, jac, box = random_program(0)
    s = 1e-7
    large = quadratic.elastic(hessian, gradient, c, jac, box, 1e3, "clarabel")
    small = quadratic.elastic(hessian / s, gradient, s * c, jac, (s * box[0], s * box[1]), 1e3, "clarabel")
    np.testing.assert_allclose(small / s, large, atol=1e-6)


@pytest.mark.extra
def test_where_the_solver_fails_steps_become_smaller(monkeypatch):
    def fails_far_away(hessian, gradient, c, jac, box, rho, solver):
        d = quadratic.elastic(hessian, gradient, c, jac, box, rho, solver)
        return d if np.abs(box[1]).max() < 0.1 else np.full_like(d, np.nan)

    monkeypatch.setattr(trust_region, "elastic", fails_far_away)
    found = control.solve(hop(), GUESS, ["liftoff@2"], solver="slsqp", tol=1e-9, max_steps=400)
    assert found.status is ControlStatus.CONVERGED and found.cost == pytest.approx(by_hand(2)[1], rel=1e-6)
    monkeypatch.setattr(trust_region, "elastic", lambda *a: np.full(N, np.nan))
    assert control.solve(hop(), GUESS, ["liftoff@2"], solver="slsqp").status is ControlStatus.SOLVER_FAILED


@pytest.mark.parametrize("solver", [
    "slsqp", pytest.param("clarabel", marks=pytest.mark.skipif(
        not quadratic.is_installed(), reason="it needs the extra `control`")),
])  # fmt: skip
@pytest.mark.parametrize("seed", range(4))
def test_no_step_is_better_than_that_of_the_quadratic_program(solver, seed):
    hessian, gradient, c, jac, box = random_program(seed)
    rho = 5.0
    d = quadratic.elastic(hessian, gradient, c, jac, box, rho, solver)
    assert np.all(d >= box[0] - 1e-9) and np.all(d <= box[1] + 1e-9)

    def value(d):
        return gradient @ d + 0.5 * d @ hessian @ d + rho * np.maximum(0.0, -(c + jac @ d)).sum()

    rng = np.random.default_rng(10)
    for _ in range(300):
        other = np.clip(d + rng.normal(size=6) * rng.choice([1e-3, 0.1]), *box)
        assert value(other) >= value(d) - 1e-6


def test_slip_is_brought_to_a_height_and_speed_in_few_runs():
    """Two strides from 1.05 m, 3 m/s to 1.12 m, 3.5 m/s; the energy gained is what the springs' changes add."""
    runner = Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
    model = planned_slip.build(2, runner, 0.29723)
    ranges = {"angle": (0.0, 0.8), "before": (0.5, 2.0), "after": (0.5, 2.0)}
    problem = ControlProblem(
        model, {name: ranges[name[:-2]] for name in planned_slip.decisions(2)}, terminal=model.aux_names,
        bounds=[Bound("y", 1.12, 1.12, at="end"), Bound("xdot", 3.5, 3.5, at="end")],
        settings={"chart": "descent", "stop_at": "apex", "stop_count": 2, "final_time": 9.0, "rtol": 1e-10},
        mode="python",
    )  # fmt: skip
    found = control.solve(problem, {}, solver="slsqp", feasible=1e-8, tol=1e-10)
    assert found.status is ControlStatus.CONVERGED and found.n_derived <= 15, found.message
    r, p = found.results[0], found.decisions
    energy = runner.body_mass * (G * (r.x_end[1] - 1.05) + 0.5 * (r.x_end[2] ** 2 - 9.0))
    added = sum((p[f"after_{i}"] - p[f"before_{i}"]) * r.d_end[planned_slip.COMPRESSED + i] for i in range(2))
    assert energy == pytest.approx(added, abs=1e-7) and energy == pytest.approx(184.93565, abs=1e-3)
    assert control.verify(found).agrees


@pytest.mark.extra
@pytest.mark.skipif(not quadratic.is_installed(), reason="it needs the extra `control`")
def test_the_hopper_of_nosnoc_jumps_for_less():
    """At most 13.17, with constraints on nodes of 25 ms, and the free model does the same."""
    course = planar_hopper.Course()
    candidates = dict(planar_hopper.order_and_guess(course, 1, second) for second in (5, 6))
    (order, found), (_, other) = control.orders(planar_hopper.problem(course), candidates)
    assert order == ("liftoff@2", "touchdown", "liftoff@12") and other.cost > found.cost  # 14.52
    assert found.status is ControlStatus.CONVERGED and found.cost < 13.17, found.message
    assert control.verify(found).agrees
