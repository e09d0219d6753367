"""The answers of the cases with impacts, read from their files, against ways that share no formula with the makers."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tarsus.analytic import hybrid
from tarsus.analytic.articulated.contact import ContactStatus, cone, solve
from tarsus.analytic.models import bouncing_ball
from tarsus.scripts.suite.case import ids, load
from tarsus.scripts.suite.making.walker import WalkerStep

CASES = [name for name in ids() if load(name)["phenomenon"] == "impact"]


def with_gaps(case, gap=1e-6):
    """Part touching balls of a row by a little, which makes their impacts come one after the other."""
    for n, body in enumerate(case["bodies"]):
        body["position"][0] += n * gap
    return case


CHANGES = {"cradle_touching": with_gaps}  # of cases whose answer is a convention


def test_every_number_has_a_case():
    assert {load(name)["number"] for name in CASES} == {*range(19, 26), 41, 42}


@pytest.mark.parametrize("name", [name for name in CASES if name != "box_lands_sliding"])
def test_answers_agree_with_an_event_driven_integration(name, planar):
    assert not planar(CHANGES.get(name, lambda case: case)(load(name)))


@pytest.mark.parametrize("ball", range(3))
def test_bounces_agree_with_our_exact_engine(ball):
    case = load("ball_bounces")
    height = case["bodies"][ball]["position"][2] - case["bodies"][ball]["shapes"][0]["size"][0]
    params = bouncing_ball.BouncingBall(restitution=case["contacts"][ball]["restitution"])
    run = hybrid.compile(bouncing_ball.build(params), mode="python").run(
        [height, 0.0], final_time=case["duration"], rtol=1e-12
    )
    third = next(m for m in case["measurements"] if m["of"] == f"ball_{ball + 1}" and "crossing" in m)
    assert run.events.t[2] == pytest.approx(third["answer"], abs=1e-10)
    rest = next(
        m for m in case["measurements"] if m["of"] == f"ball_{ball + 1}" and m["name"].startswith("speed after")
    )
    assert run.zeno.time == pytest.approx(rest["greatest"][0] - 0.05, abs=1e-9)


def routh(velocity, inverse_mass, friction, restitution, steps=20_000):
    """Friction's and the normal impulse, in small increments of the normal one: first compression, then restitution."""
    slip, normal = velocity
    impulse, push, end = np.zeros(2), abs(normal) * 2 / steps / inverse_mass[1, 1], None
    while end is None or impulse[1] < end:
        stick = -inverse_mass[0, 1] / inverse_mass[0, 0]  # keeps the slip velocity
        if abs(slip) > 2 * push * inverse_mass[0, 0] * friction:
            share = -friction * np.sign(slip)
        else:
            share = np.clip(stick, -friction, friction)
        change = inverse_mass @ [share * push, push]
        impulse += [share * push, push]
        slip, normal = slip + change[0], normal + change[1]
        if end is None and normal >= 0:
            end = (1 + restitution) * impulse[1]  # Poisson's hypothesis: Newton's, where slip does not turn the impulse
    return impulse


def foot_of(case, body):
    """Place of a body's contact from its centre, in the plane of x and z."""
    shape = body["shapes"][0]
    return np.array(shape["position"])[[0, 2]] if shape["type"] == "point" else np.array([0.0, -shape["size"][0]])


@pytest.mark.parametrize("name", ["sphere_impact", "rod_lands", "point_lands_sliding", "rod_lands_sliding"])
def test_impacts_agree_with_increments_of_the_impulse(name):
    case = load(name)
    for body, contact in zip(case["bodies"], case["contacts"], strict=False):
        x, z = foot_of(case, body)
        mass, inertia, spin = body["mass"], body["inertia"][1], body["angular_velocity"][1]
        inverse = np.eye(2) / mass + np.array([[z * z, -x * z], [-x * z, x * x]]) / inertia
        fall = body["position"][2] + z
        speed = np.sqrt(body["velocity"][2] ** 2 - 2 * case["gravity"][2] * fall)
        start = np.array([body["velocity"][0] + spin * z, -speed - spin * x])
        impulse = routh(start, inverse, contact["friction"], contact["restitution"])
        expected = {
            ("velocity", 0): body["velocity"][0] + impulse[0] / mass,
            ("angular_velocity", 1): spin + (z * impulse[0] - x * impulse[1]) / inertia,
        }
        if not any(case["gravity"]):
            expected["velocity", 2] = -speed + impulse[1] / mass
        found = [m for m in case["measurements"] if m["of"] == body["name"]]
        assert found
        for m in found:
            value = expected[m["quantity"], m["along"].index(1)]
            assert m["answer"] == pytest.approx(value, abs=1e-3 * m["scale"]), m["name"]


SLIDING = ("point_lands_sliding", "rod_lands_sliding", "box_lands_sliding")


def landing(name):
    """Return of each body of a case its velocity (x, z, spin), inertia, rows of its feet, friction and measurements."""
    case = load(name)
    for body, contact in zip(case["bodies"], case["contacts"], strict=False):
        shape, mass = body["shapes"][0], np.array([body["mass"], body["mass"], body["inertia"][1]])
        half = np.array(shape["size"])[[0, 2]] if shape["type"] == "box" else None
        points = [foot_of(case, body)] if half is None else [half * [-1, -1], half * [1, -1]]
        rows = np.array([row for x, z in points for row in ([0, 1, -x], [1, 0, z])], float)  # normal, tangent
        velocity = np.array([body["velocity"][0], body["velocity"][2], body["angular_velocity"][1]])
        yield velocity, mass, rows, contact["friction"], [m for m in case["measurements"] if m["of"] == body["name"]]


def component(velocity, m):
    return velocity[2] if m["quantity"] == "angular_velocity" else velocity[0 if m["along"][0] else 1]


@pytest.mark.parametrize("name", SLIDING)
def test_the_convex_law_s_answers_are_the_least_change_of_kinetic_energy(name):
    """Of all velocities at which every foot opens at mu times its slip, or more."""
    for before, mass, rows, mu, measurements in landing(name):
        normal, slip = rows[::2], rows[1::2]
        opens = np.vstack([normal - mu * slip, normal + mu * slip])

        def cost(v, u=before, m=mass):
            return 0.5 * m @ (v - u) ** 2, m * (v - u)

        within = {"type": "ineq", "fun": lambda v, o=opens: o @ v, "jac": lambda v, o=opens: o}
        found = minimize(cost, before, jac=True, method="SLSQP", constraints=within, options={"ftol": 1e-15})
        assert found.success and len(measurements) >= 2
        for m in measurements:
            assert m["convex"] == pytest.approx(component(found.x, m), abs=1e-6), m["name"]


@pytest.mark.parametrize("name", SLIDING)
def test_the_answers_of_landings_agree_with_the_certified_solver(name):
    """All of a body's feet at once; across the plane nothing moves."""
    for before, mass, rows, mu, measurements in landing(name):
        n = len(rows) // 2
        wide = np.zeros((3 * n, 3))
        wide[::3], wide[1::3] = rows[::2], rows[1::2]
        across = np.diag(np.tile([0.0, 0.0, 1.0], n))  # a mobility of each foot's own, so that its tangent is one
        found = solve((wide / mass) @ wide.T + across, wide @ before, [cone(mu)] * n)
        assert found.status is ContactStatus.SOLVED
        after = before + wide.T @ found.force / mass
        for m in measurements:
            assert m["answer"] == pytest.approx(component(after, m), abs=1e-9), m["name"]


def test_light_feet_walk_as_published():
    """Fixed point and multipliers of the simplest walker: the limit of feet without mass, by extrapolation."""
    light, lighter = (WalkerStep(foot, 0.0, gravity=1.0) for foot in (1e-4, 1e-5))
    limit = lighter.fixed_point() + (lighter.fixed_point() - light.fixed_point()) / 9
    assert limit[:2] == pytest.approx([0.2003109, 0.1998325], abs=1e-7)
    start = lighter.fixed_point()
    map_slope = np.array([(lighter.map(start + d) - lighter.map(start - d)) / 2e-5 for d in 1e-5 * np.eye(3)]).T
    found = max(np.linalg.eigvals(map_slope), key=lambda value: value.imag)
    assert found == pytest.approx(-0.1900998 + 0.5575988j, abs=5e-4)
