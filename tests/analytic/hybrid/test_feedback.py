"""Feedback on return maps: closed forms, exact derivatives against differences, draws of disturbances."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import basin, feedback
from tarsus.analytic.hybrid.derived_map import DerivedMap
from tarsus.analytic.hybrid.feedback import SectionModel
from tarsus.analytic.models import planned_slip
from tarsus.analytic.models.slip import Slip

RUNNER = Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
APEX = np.array([1.05, 3.0])


def linear(a, b):
    a, b = np.atleast_2d(np.array(a, float)), np.atleast_2d(np.array(b, float))
    k = b.shape[1]
    return SectionModel(a, b, np.zeros(len(a)), tuple(f"u_{i}" for i in range(k)), np.ones(k))


def test_lqr_of_one_number_is_the_root_of_its_riccati_equation():
    """p = q + a^2 p - (a b p)^2 / (r + b^2 p), a quadratic equation; the multiplier is a r / (r + b^2 p)."""
    a, b, q, r = 1.4, 0.5, 2.0, 3.0
    half = 0.5 * (b**2 * q + r * (a**2 - 1.0))
    p = (half + math.sqrt(half**2 + b**2 * q * r)) / b**2
    made = feedback.lqr(linear([[a]], [[b]]), [[q]], [[r]])
    assert made.gain[0, 0] == pytest.approx(a * b * p / (r + b**2 * p), rel=1e-12)
    assert made.multipliers[0] == pytest.approx(a * r / (r + b**2 * p), rel=1e-12)


def test_lqr_costs_least():
    """The sum of costs over many periods, of the gain and of gains beside it."""
    model = linear([[1.1, 0.4], [-0.3, 0.8]], [[0.2], [1.0]])
    q, r = np.diag([1.0, 2.0]), np.array([[0.5]])
    gain = feedback.lqr(model, q, r).gain

    def cost(k):
        z, total = np.array([1.0, -0.5]), 0.0
        for _ in range(400):
            u = -k @ z
            total += z @ q @ z + u @ r @ u
            z = model.a @ z + model.b @ u
        return total

    best = cost(gain)
    for change in ([0.02, 0.0], [-0.02, 0.0], [0.0, 0.02], [0.0, -0.02]):
        assert cost(gain + np.array([change])) > best + 1e-6


def test_a_multiplier_that_no_control_moves_is_named():
    with pytest.raises(ValueError, match="no feedback by u_0 moves the multiplier 1"):
        feedback.lqr(linear([[1.0, 0.0], [0.3, 0.5]], [[0.0], [1.0]]), np.eye(2), np.eye(1))


def test_the_gradient_of_the_norm_of_multipliers_is_that_of_differences():
    rng = np.random.default_rng(0)
    matrix, direction = rng.normal(size=(5, 5)), rng.normal(size=(5, 5))
    _, by = feedback._spectral(matrix, 6.0)
    h = 1e-5
    slope = (
        feedback._spectral(matrix + h * direction, 6.0)[0] - feedback._spectral(matrix - h * direction, 6.0)[0]
    ) / h
    assert np.sum(by * direction) == pytest.approx(0.5 * slope, rel=1e-7)


def test_output_feedback_is_as_good_as_any_gain():
    """One gain on one measured number: the least largest multiplier by a scan is reached within the price."""
    model, measured = linear([[1.2, 0.6], [-0.5, 0.7]], [[0.5], [1.0]]), np.array([[1.0, 0.3]])
    scan = [np.abs(np.linalg.eigvals(model.a - k * model.b @ measured)).max() for k in np.linspace(-8.0, 8.0, 8001)]
    made = feedback.output_feedback(model, measured, price=1e-8)
    assert abs(model.multipliers[0]) > 1.0  # it has something to do
    assert min(scan) - 1e-3 <= abs(made.multipliers[0]) < 1.02 * min(scan)
    assert made.measured.shape == (1, 2) and made(np.array([1.0, 0.0])).shape == (1,)


def test_more_starts_find_no_worse_a_gain():
    """Of two measured numbers and two controls the first start ends in a minimum that another undercuts."""
    rng = np.random.default_rng(4)  # its first minimum and the best one are the same on every processor
    model, measured = linear(0.75 * rng.standard_normal((6, 6)), rng.standard_normal((6, 2))), np.eye(6)[:3]
    one, more = (feedback.output_feedback(model, measured, starts=starts) for starts in (1, 24))
    assert abs(more.multipliers[0]) < 0.6 * abs(one.multipliers[0])
    with pytest.raises(ValueError, match="starts must be at least 1, got 0"):
        feedback.output_feedback(model, measured, starts=0)


def test_controls_stay_within_their_limit():
    made = feedback.lqr(linear([[1.4]], [[0.5]]), [[1.0]], [[1e-3]]).within(0.1)
    assert made([10.0])[0] == -0.1 and made([-10.0])[0] == 0.1 and abs(made([0.01])[0]) < 0.1
    assert made.named([10.0]) == {"u_0": -0.1}


def stride(wrt, angle):
    return DerivedMap(
        planned_slip.build(1, RUNNER, angle), "apex", lambda z, d, p: ([0.0, z[0], z[1], 0.0], d),
        lambda x, d, p: x[1:3], 2, wrt, mode="python", settings={"chart": "descent", "rtol": 1e-9},
    )  # fmt: skip


@pytest.fixture(scope="module")
def running():
    """SLIP's stride with three controls at its gait of 1.05 m and 3 m/s, whose angle is found first."""
    mapping, angle = stride(["angle_0", "before_0", "after_0"], 0.3), 0.3
    for _ in range(5):
        made = mapping.at(APEX, {"angle_0": angle})
        angle -= (made.value[0] - APEX[0]) / made.by[0, 0]
    return feedback.section_model(mapping, APEX, [0.1, 0.2, 0.2], {"angle_0": angle}), angle, mapping


def test_angles_keep_the_energy_and_stiffnesses_change_it(running):
    """Energy m (g y + v^2 / 2): kept by the stride, not changed by the angle; `after` adds what `before` takes away."""
    model, _, _ = running
    energy = RUNNER.body_mass * np.array([RUNNER.g_flight, APEX[1]])
    np.testing.assert_allclose(energy @ model.a, energy, rtol=1e-6)
    by = energy @ model.b
    assert abs(by[0]) < 1e-4 * abs(by[2]) and by[2] == pytest.approx(-by[1], rel=1e-6) and by[2] > 0.0
    np.testing.assert_allclose(np.sort(model.multipliers.real), [1.0, 1.497], atol=2e-3)  # of the specification


def test_derivatives_are_differences(running):
    model, angle, mapping = running
    sim = mapping.derivatives.sim

    def period(z, u):
        p = {"angle_0": angle + u[0], "before_0": 1.0 + u[1], "after_0": 1.0 + u[2]}
        r = sim.run([0.0, z[0], z[1], 0.0], None, p, chart="descent", stop_at="apex", final_time=9.0, rtol=1e-10)
        return r.x_end[1:3]

    made = feedback.from_differences(period, APEX, model.controls, model.scale)
    np.testing.assert_allclose(made.a, model.a, atol=1e-5)
    np.testing.assert_allclose(made.b, model.b, atol=1e-5)
    law = feedback.lqr(model, np.eye(2), np.diag([0.01, 1e6, 0.001]))
    assert np.abs(law.multipliers).max() < 0.5
    z = APEX + np.array([0.02, 0.1])
    for _ in range(6):
        z = period(z, law(z))
    assert np.abs(z - APEX).max() < 2e-3


def test_the_angle_alone_cannot_change_the_energy(running):
    model, _, _ = running
    alone = SectionModel(model.a, model.b[:, :1], model.z, model.controls[:1], model.scale[:1])
    with pytest.raises(ValueError, match="no feedback by angle_0 moves the multiplier 1"):
        feedback.lqr(alone, np.eye(2), np.eye(1))


def clock(wrt):
    """x decays to `rest` between ticks of a clock, whose period is a parameter."""
    model = hy.Model("clock", state={"x": 0.2, "s": 0.0}, params={"period": 1.0, "rest": 0.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0], dx[1] = p[1] - x[0], 1.0

    @model.guard("run", to="run")
    def tick(t, x, d, p):
        return p[0] - x[1]

    @model.reset("tick")
    def again(t, x, d, p):
        x[1] = 0.0

    lift = lambda z, d, p: ([z[0], 0.0], d)  # noqa: E731
    return DerivedMap(
        model, "tick", lift, lambda x, d, p: x[:1], 1, wrt, mode="python", settings={"chart": "run", "final_time": 5.0}
    )


def test_a_control_that_moves_the_sections_event_is_refused():
    made = feedback.section_model(clock(["rest"]), [0.0], [0.1])
    np.testing.assert_allclose([made.a[0, 0], made.b[0, 0]], [math.exp(-1.0), 0.1 * (1.0 - math.exp(-1.0))], rtol=1e-8)
    with pytest.raises(ValueError, match="period would move the section's own event, tick"):
        feedback.section_model(clock(["rest", "period"]), [0.0], [0.1, 0.1])
    with pytest.raises(ValueError, match="z is no fixed point"):
        feedback.section_model(clock(["rest"]), [0.5], [0.1])
    with pytest.raises(ValueError, match="scale must be a positive number for each of rest"):
        feedback.section_model(clock(["rest"]), [0.0], [0.1, 0.2])


def test_a_basin_ends_where_the_map_drives_away():
    """z' = z / 2 + z^3 comes nearer for z^2 < 1/2; P = 4/3, so the level is at most 2/3, and within a step of it."""
    found = basin.basin(
        lambda z: 0.5 * z + z**3, np.zeros(1), np.array([[0.5]]), np.random.default_rng(0), level=3.0, share=0.01,
        beta=1e-3,
    )  # fmt: skip
    assert 0.69 * basin.SMALLER * 2 / 3 < found.level < 1.03 * 2 / 3
    assert found.n_points >= basin.points_needed(0.01, 1e-3) and "with confidence 0.999 at most 0.01" in found.message
    assert found.radii[0] == pytest.approx(math.sqrt(found.level / found.shape[0, 0]))


def test_a_basin_turns_with_the_loop():
    """A stable rotation comes nearer everywhere in its own norm, though not in the usual one."""
    closed = np.array([[0.1, 3.0], [-0.2, 0.1]])
    found = basin.basin(
        lambda z: closed @ z, np.zeros(2), closed, np.random.default_rng(0), level=2.0, share=0.05, beta=0.01
    )
    assert found.level == 2.0 and found.n_levels == 1
    np.testing.assert_allclose(closed.T @ found.shape @ closed - found.shape, -np.eye(2), atol=1e-12)


def test_points_needed_are_as_few_as_may_be():
    n = basin.points_needed(1e-3, 1e-6)
    assert (1 - 1e-3) ** n <= 1e-6 < (1 - 1e-3) ** (n - 1) and n == 13809
    with pytest.raises(ValueError, match="share and beta must lie between 0 and 1"):
        basin.points_needed(0.0, 0.5)
    with pytest.raises(ValueError, match="the closed loop is not stable, its largest multiplier is 1.1"):
        basin.basin(lambda z: z, np.zeros(1), np.array([[1.1]]), np.random.default_rng(0), level=1.0)
