"""Bounds between nodes: what is left there is found, stated, and made good."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import between, control
from tarsus.analytic.hybrid.control import Bound, ControlProblem

G, PERIOD, CEILING = 9.81, 0.25, 0.5  # m/s^2, s between nodes, m


def throw(**more):
    """A stone thrown up from the ground, four nodes long, as near to 4 m/s as its bounds allow; charts count nodes."""
    model = hy.Model("stone", state={"z": 0.0, "v": 3.0}, aux=["missed", "height"])

    def flow(t, x, d, p, chart, dx):
        dx[0], dx[1] = x[1], -G

    def guards(t, x, d, p, chart, g):
        g[0] = PERIOD * (chart + 1) - t
        g[1] = x[0] + 0.3
        return 2

    def transition(t, x, d, p, chart, fired):
        if fired[1]:
            x[1] = -x[1]
        return chart + fired[0]

    def outputs(t, x, d, p, chart, out):
        out[0], out[1] = x[1] + G * PERIOD - 4.0, x[0]

    model.functions(
        field=flow, guards=guards, transition=transition, table=[hy.Guard("node"), hy.Guard("floor")],
        field_key=lambda chart: 0,
    )  # fmt: skip
    model.aux(outputs)
    given = {
        "terminal": ("missed",), "node": "node", "mode": "python",
        "settings": {"chart": 0, "stop_count": 1, "final_time": 5.0, "rtol": 1e-10},
    } | more  # fmt: skip
    return ControlProblem(model, {"v": (0.0, 6.0)}, **given)


def solved(problem, **how):
    return control.solve(problem, {"v": 3.0}, solver="slsqp", tol=1e-12, feasible=1e-9, **how)


@pytest.mark.parametrize("output", ["z", "height"])
def test_what_a_bound_is_left_by_between_nodes_is_the_violation(output):
    """The stone's top, v^2 / 2 g at .40 s, lies between the nodes; at both of them it is lower."""
    settings = {"chart": 0, "stop_count": 2, "final_time": 5.0, "rtol": 1e-10}
    problem = throw(bounds=[Bound(output, upper=0.75, scale=0.5)], settings=settings)
    found = solved(problem)
    v = found.decisions["v"]
    assert v == pytest.approx((0.75 + 0.5 * G * 0.5**2) / 0.5, abs=1e-6)  # .75 m at the second node
    top = v**2 / (2.0 * G)
    assert found.violation == pytest.approx((top - 0.75) / 0.5, rel=1e-7) and found.violation > 0.09
    assert f"{output} is {top:.4g} at t = {v / G:.4g} s, where 0.75 is allowed" in found.message


def test_refined_the_bound_holds_between_nodes_too():
    settings = {"chart": 0, "stop_count": 2, "final_time": 5.0, "rtol": 1e-10}
    found = solved(throw(bounds=[Bound("z", upper=CEILING)], settings=settings), refine=20)
    v = found.decisions["v"]
    assert found.violation < 1e-8, found.message
    assert v**2 / (2.0 * G) <= CEILING + 1e-8 and v > 0.95 * math.sqrt(2.0 * G * CEILING)
    left = solved(throw(bounds=[Bound("z", upper=CEILING)], settings=settings)).violation
    assert left > 0.01  # at the nodes alone


def test_an_event_between_nodes_is_read_on_both_sides():
    """The stone is fastest where it meets the floor, between two nodes: there its speed is bounded by the descent."""
    settings = {"chart": 0, "stop_count": 4, "final_time": 5.0, "rtol": 1e-10}
    problem = throw(bounds=[Bound("v", lower=-3.5)], settings=settings)
    found = solved(problem)
    log = found.results[0].events
    at_floor = log.x_minus[log.fired[:, 1], 1]
    assert len(at_floor) == 1 and at_floor[0] >= -3.5 - 1e-7 and found.violation < 1e-7
    assert found.decisions["v"] <= math.sqrt(3.5**2 - 2.0 * G * 0.3) + 1e-6


@pytest.mark.parametrize("refine", [0, 8])
def test_a_bound_of_single_charts_is_judged_at_events_and_kept_there_if_refined(refine):
    """Nothing but the floor, .3 m down, limits the speed: 4 m/s at the start become 4.68 there, before the bounce."""
    settings = {"chart": 0, "stop_count": 4, "final_time": 5.0, "rtol": 1e-10}
    bound = Bound("v", lower=-3.5, charts=lambda chart: chart < 4, scale=0.5)
    found = solved(throw(bounds=[bound], settings=settings), refine=refine)
    log = found.results[0].events
    (at_floor,) = log.x_minus[log.fired[:, 1] > 0, 1]
    if refine:
        assert found.violation < 1e-8 and at_floor == pytest.approx(-3.5, abs=1e-6), found.message
    else:
        assert found.violation == pytest.approx((-3.5 - at_floor) / 0.5, rel=1e-9) and found.violation > 0.1
        assert f"v is {at_floor:.4g}" in found.message


def test_what_lies_within_the_accepted_violation_is_no_news():
    problem = throw(bounds=[Bound("z", upper=CEILING)])
    assert "between nodes" not in control.solve(problem, {"v": 3.0}, solver="slsqp", feasible=2.0).message


def test_both_nodes_beside_a_place_are_given_room_and_rooms_add_up():
    given = [between.Allowance(0, 1.0, 0, 1, 0.1), between.Allowance(0, 1.0, 0, 2, 0.02)]
    node = np.array([0, 1, 2, 2, 3, 4])
    assert between.room(given, 0, 1.0, 0, node) == pytest.approx([0.0, 0.1, 0.12, 0.12, 0.02, 0.0])
    for other in ((1, 1.0, 0), (0, -1.0, 0), (0, 1.0, 1)):
        assert not between.room(given, *other, node).any()


def test_equations_are_given_no_room():
    """No v makes z constant: the equation is reported, and is not solved again and again."""
    settings = {"chart": 0, "stop_count": 2, "final_time": 5.0, "rtol": 1e-10}
    problem = throw(bounds=[Bound("z", 0.5, 0.5)], settings=settings)
    found, again = (solved(problem, refine=refine) for refine in (0, 8))
    assert again.n_steps == found.n_steps and again.violation > 0.1


def test_lows_are_those_of_parabolas_and_do_not_reach_across_an_event():
    t = np.array([0.0, 0.3, 0.7, 1.0, 1.0, 1.4, 2.0])
    arc = np.array([0, 0, 0, 0, 1, 1, 1])
    c = np.where(arc == 0, (t - 0.45) ** 2 - 0.1, 2.0 - t)
    (low,) = between._lows(t, c, arc)
    assert low == pytest.approx((-0.1, 0.45))
    c[4:] = -5.0 + t[4:]
    assert [low[1] for low in between._lows(t, c, arc)] == pytest.approx([0.45, 1.0])
    assert not list(between._lows(t, np.abs(c), arc))
