"""The bipedal spring-mass model: walking and running of the source, against invariants, SLIP and another integrator."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status, sections
from tarsus.analytic.models import slip, spring_walker
from tarsus.analytic.models.spring_walker import SpringWalker

SIM = hy.compile(spring_walker.build(), mode="python")
WALKER = hy.vector(SpringWalker())
RUNNER = SpringWalker(stiffness=20e3, attack_angle=math.radians(68.0))
RUNNING_ENERGY = 1700.0


def upright_map(params: SpringWalker, energy: float):
    p = hy.vector(params)
    return sections.return_map(
        SIM,
        "upright",
        lambda z: spring_walker.lift(z, energy, p),
        spring_walker.project,
        p,
        chart="single",
        rtol=1e-11,
        atol=1e-13,
        final_time=3.0,
    )


@pytest.fixture(scope="module")
def walking():
    return sections.fixed_point(upright_map(SpringWalker(), spring_walker.WALKING_ENERGY), [0.97, 0.0], step=1e-5)


@pytest.fixture(scope="module")
def running():
    return sections.fixed_point(upright_map(RUNNER, RUNNING_ENERGY), [0.84, 0.0], step=1e-5)


def stride(orbit, params, energy, steps=2):
    p = hy.vector(params)
    x, d = spring_walker.lift(orbit.z, energy, p)
    return SIM.run(x, d, p, chart="single", stop_at="upright", stop_count=steps, final_time=5.0, rtol=1e-11)


def peaks(values: np.ndarray) -> int:
    return int(np.sum((values[1:-1] > values[:-2]) & (values[1:-1] >= values[2:])))


@pytest.mark.extra
def test_walking_is_self_stable_at_the_sources_energy(walking):
    """80 kg, 1 m, 14 kN/m, 69 degrees and 816 J: about 1.1 m/s, and upright the mass moves level."""
    assert walking.status is sections.Convergence.CONVERGED
    assert np.abs(walking.multipliers).max() < 0.98
    assert abs(walking.z[1]) < 1e-8
    x, _ = spring_walker.lift(walking.z, 816.0, WALKER)
    assert x[2] == pytest.approx(1.1, abs=0.02)
    z, mapping = walking.z + [0.002, 0.01], upright_map(SpringWalker(), 816.0)
    balanced = np.array([math.sqrt(-walking.jacobian[1, 0] / walking.jacobian[0, 1]), 1.0])  # the orbits are ellipses
    start = np.linalg.norm(balanced * (z - walking.z))
    for _ in range(60):
        z = mapping(z)
    assert np.linalg.norm(balanced * (z - walking.z)) == pytest.approx(
        np.abs(walking.multipliers[0]) ** 60 * start, rel=0.2
    )


def test_each_leg_of_walking_has_two_humps_of_force(walking):
    r = stride(walking, SpringWalker(), 816.0, steps=3)
    assert r.events.name.tolist() == ["touchdown", "rear_liftoff", "upright"] * 3
    force = spring_walker.ground_forces(r.p, r.x, r.d, r.chart)[..., 1]  # (m, 2), vertical
    # One leg: the front one from the first touchdown on, the one behind from the second one.
    steps, on = r.d[:, 2], r.chart == spring_walker.DOUBLE
    one_leg = np.where(steps == 1.0, force[:, 0], np.where((steps == 2.0) & on, force[:, 1], 0.0))
    assert peaks(one_leg) == 2
    weight = 80.0 * 9.81
    middle = one_leg[np.argmin(np.abs(r.t - r.events.t[2]))]
    assert one_leg.max() > weight > middle


def test_each_leg_of_running_has_one_hump_of_force_and_running_is_self_stable(running):
    assert running.status is sections.Convergence.CONVERGED and np.abs(running.multipliers).max() < 1.0
    r = stride(running, RUNNER, RUNNING_ENERGY, steps=1)
    assert r.events.name.tolist() == ["liftoff", "landing", "upright"]
    again = stride(running, RUNNER, RUNNING_ENERGY)
    force = spring_walker.ground_forces(again.p, again.x, again.d, again.chart)[:, 0, 1]
    assert peaks(np.where(again.d[:, 2] == 1.0, force, 0.0)) == 1


def test_running_is_slip(running):
    """The same stance and flight as SLIP with a linear spring: where and when the next stance begins."""
    r = stride(running, RUNNER, RUNNING_ENERGY)
    e = r.events
    i = e.of("liftoff")[0]
    angle = math.pi / 2 - RUNNER.attack_angle
    params = slip.Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
    sim = hy.compile(slip.build("fixed", params), mode="python")
    s = sim.run(
        e.x_plus[i],
        [0.0, 0.0, angle],
        chart="ascent",
        stop_at="liftoff",
        final_time=3.0,
        rtol=1e-12,
        atol=1e-14,
    )
    # From liftoff to liftoff takes one stance and one flight.
    later = e.of("liftoff")[1]
    assert s.t_end == pytest.approx(e.t[later] - e.t[i], abs=1e-8)
    assert np.abs(s.x_end - e.x_plus[later]).max() < 1e-8


def test_double_support_against_another_integrator(walking):
    r = stride(walking, SpringWalker(), 816.0, steps=1)
    begin, end = r.events.x_plus[0], r.events.x_minus[1]
    front, rear = r.events.d_plus[0, :2]
    assert front - begin[0] == pytest.approx(math.cos(math.radians(69.0)), abs=1e-12) and rear == 0.0

    def f(t, y):
        a = np.array([0.0, -9.81])
        for foot in (front, rear):
            leg = np.array([y[0] - foot, y[1]])
            length = np.hypot(*leg)
            a = a + 14e3 / 80.0 * (1.0 - length) * leg / length
        return [y[2], y[3], *a]

    span = (0.0, r.events.t[1] - r.events.t[0])
    s = solve_ivp(f, span, begin, method="DOP853", rtol=1e-12, atol=1e-14)
    assert np.abs(s.y[:, -1] - end).max() < 1e-9
    assert np.hypot(end[0] - rear, end[1]) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("gait", ["walking", "running"])
def test_energy_is_constant(gait, request):
    orbit = request.getfixturevalue(gait)
    params, total = (SpringWalker(), 816.0) if gait == "walking" else (RUNNER, RUNNING_ENERGY)
    r = stride(orbit, params, total, steps=4)
    assert np.abs(spring_walker.energy(r.p, r.x, r.d, r.chart) - total).max() < 1e-7


def test_without_energy_for_the_height_there_is_no_state():
    assert np.isnan(spring_walker.lift(np.array([1.2, 0.0]), 816.0, WALKER)[0][2])


def test_it_falls_without_speed():
    r = SIM.run({"xdot": 0.1}, chart="single", final_time=9.0)
    assert r.status is Status.INVALID_CHART and "fall" in r.message


def test_misuse():
    with pytest.raises(ValueError, match="stiffness must be positive"):
        SpringWalker(stiffness=-1.0)
    with pytest.raises(ValueError, match="attack_angle must lie between 0 and 1.571 in radians"):
        SpringWalker(attack_angle=1.7)
