"""The hopping leg's leaps: rest is rest, its heat is the torques', and a planned leap is one in both engines."""

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import control
from tarsus.analytic.models.hopping_leg import places
from tarsus.analytic.models.hopping_leg_hybrid import stand
from tarsus.analytic.models.hopping_leg_mechanics import impact
from tarsus.scripts.laboratory.benchmarks import leap as benchmark
from tarsus.scripts.laboratory.models import hopping_leg_leap
from tarsus.scripts.laboratory.models.hopping_leg_leap import MOTORS_OF, Leap


def test_without_a_plan_it_stands_still_and_its_heat_is_that_of_its_torques():
    leap = Leap()
    r = hy.compile(hopping_leg_leap.build(leap), mode="python").run(chart=1, final_time=0.4)
    angles, torque, place = hopping_leg_leap.rest(leap)
    np.testing.assert_allclose(r.x_end[:4], angles, atol=1e-10)
    np.testing.assert_allclose(r.x_end[4:8], 0.0, atol=1e-9)
    assert r.x_end[8] == pytest.approx(0.4 * np.sum((torque / MOTORS_OF.rated_torque) ** 2), rel=1e-9)
    assert abs(place[2]) < 1e-12 and set(r.events.name) == {"node"}


def test_torques_follow_a_plan_between_its_knots():
    leap = Leap()
    plan = hopping_leg_leap.knots(leap, {"hip_3": 0.5, "knee_4": -1.0})
    at_rest, angle, speed = plan[0], np.array([0.8, -1.7]), np.array([0.3, -0.2])
    asked = [at_rest[0] + 0.2 * (0.5 - at_rest[0]), at_rest[1]]  # a fifth of the way from knot 2 to knot 3
    found = hopping_leg_leap.torque_asked(leap, plan, 0.11, angle, speed)
    np.testing.assert_allclose(found, 40.0 * (asked - angle) - speed, rtol=1e-9)
    model = hopping_leg_leap.build(leap)
    p, x = model.p0.copy(), np.concatenate([[0.0, 0.0], angle, [0.0, 0.0], speed, [0.0]])
    p[model.param_names.index("hip_3")] = 0.5
    dx = np.empty(9)
    hy.compile(model, mode="python").functions.field(0.11, x, model.d0, p, 2 * 11, dx)
    assert dx[8] == pytest.approx(np.sum((found / MOTORS_OF.rated_torque) ** 2), rel=1e-9)


def test_what_is_bounded_is_what_its_name_says():
    leap = Leap(friction_coeff=0.5)
    sim = hy.compile(hopping_leg_leap.build(leap), mode="python")
    r = sim.run([0.2, -0.05, 0.7, -1.6, 0.3, -0.4, 0.5, 2.0, 0.0], chart=0, final_time=1e-9, record_period=1e-9)
    x, d, p, out = r.x[0], r.d[0], r.p, dict(zip(r.names.aux, r.aux[0], strict=True))
    torque = hopping_leg_leap.torque_asked(leap, hopping_leg_leap.knots(leap, {}), 0.0, x[2:4], x[6:8])
    stall, slope = MOTORS_OF.torque_limits[1:]
    heat, forward, backward = (
        [out[form.format(joint)] for joint in ("hip", "knee")] for form in ("heat_{}", "{}_forward", "{}_backward")
    )
    np.testing.assert_allclose(heat, torque / MOTORS_OF.rated_torque, rtol=1e-12)
    np.testing.assert_allclose(forward, stall - slope * x[6:8] - torque, rtol=1e-12)
    np.testing.assert_allclose(backward, stall + slope * x[6:8] + torque, rtol=1e-12)
    F, push, after = np.empty(2), np.empty(2), x[4:8].copy()
    stand(x, d, p, torque, np.empty(9), F)
    foot = places(MOTORS_OF, x[:4]).foot
    impact(x[:4], after, p, foot[:2] / np.hypot(*foot[:2]), push)
    for name, force in (("cone", F), ("impulse", push)):
        assert out[f"{name}_ahead"] == pytest.approx(0.5 * force[1] - force[0], rel=1e-9)
        assert out[f"{name}_behind"] == pytest.approx(0.5 * force[1] + force[0], rel=1e-9)
    place = hopping_leg_leap.rest(leap)[2]
    turned = np.arctan2(foot[1], foot[0]) - np.arctan2(place[1], place[0])
    assert out["pressure"] == F[1] and out["along"] == pytest.approx(np.hypot(foot[0], foot[1]) * turned, rel=1e-12)
    assert out["along"] > 0.1


def test_a_leap_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="first must be a knot from 2 to 13, got 15"):
        hopping_leg_leap.order_and_guess(Leap(), 15)
    with pytest.raises(ValueError, match="width must be positive"):
        Leap(width=0.0)
    with pytest.raises(ValueError, match="nodes must be a whole number"):
        Leap(nodes=1.5)


@pytest.mark.thorough
def test_a_planned_leap_is_one_in_both_engines():
    pytest.importorskip("clarabel")
    leap = Leap(width=0.6)
    found = benchmark.plan(leap)
    assert found.status is control.ControlStatus.CONVERGED and found.violation < 1e-6, found.message
    checked = control.verify(found)
    assert checked.agrees and checked.order == ("liftoff", "touchdown"), checked.message
    events, start = found.results[0].events, hopping_leg_leap.rest(leap)[2]
    foot = places(MOTORS_OF, events.x_minus[events.of("touchdown")[0], :4]).foot
    planned = np.hypot(foot[0], foot[1]) * (np.arctan2(foot[1], foot[0]) - np.arctan2(start[1], start[0]))
    assert planned > 0.6 - 1e-6
    landed, speed = benchmark.in_mujoco(leap, found.decisions)
    assert landed == pytest.approx(planned, abs=0.02)
    assert speed < 0.3
