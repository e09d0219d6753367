"""The planar hopper: its contact against the constrained equations, its impact, its invariants, its cost."""

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import planar_hopper as ph

HOPPER = ph.Hopper()
M = np.diag(HOPPER.mass)
MODEL = ph.build(ph.Course(n=4))
FREE = MODEL.three
X = np.array([0.2, 0.47, 0.25, 0.45, 0.3, -1.1, 0.8, 0.4, 0.0])
U, W = 3.0, 17.0
P = np.array([U] * 4 + [W] * 4)


def jacobian(q):
    """Rows: the foot's normal and tangential velocity, by differences of the foot's place."""
    h = 1e-6
    columns = [(ph.foot(q + h * e) - ph.foot(q - h * e)) / (2 * h) for e in np.eye(4)]
    return np.array(columns).T[::-1]


def loads_of_the_constrained_equations():
    q, v = X[:4], X[4:8]
    s, c = np.sin(q[2]), np.cos(q[2])
    force = np.array([-s * W, c * W - M[0, 0] * HOPPER.g, U, W])
    h = 1e-5
    turning = (jacobian(q + h * v) - jacobian(q - h * v)) / (2 * h) @ v
    j = jacobian(q)
    whole = np.block([[M, -j.T], [j, np.zeros((2, 2))]])
    made = np.linalg.solve(whole, np.concatenate([force, -turning]))
    return made[:4], made[4:]


def test_in_stance_the_foot_is_held_by_the_constrained_equations():
    acceleration, loads = loads_of_the_constrained_equations()
    dx, g, out = np.empty(9), np.full(3, np.inf), np.empty(len(MODEL.aux_names))
    FREE["field"](0.0, X, np.zeros(1), P, 1, dx)
    np.testing.assert_allclose(dx[:4], X[4:8])
    np.testing.assert_allclose(dx[4:8], acceleration, rtol=1e-5, atol=1e-5)
    FREE["guards"](0.0, X, np.zeros(1), P, 1, g)
    assert g[2] == pytest.approx(loads[0], rel=1e-6) and np.isinf(g[1])
    MODEL.hooks["aux"](0.0, X, np.zeros(1), P, 1, out)
    named = dict(zip(MODEL.aux_names, out, strict=True))
    mu = HOPPER.friction_coeff
    np.testing.assert_allclose(
        [named["cone_ahead"], named["cone_behind"]], [mu * loads[0] - loads[1], mu * loads[0] + loads[1]], rtol=1e-5
    )


def test_in_flight_controls_push_body_and_leg_apart():
    dx = np.empty(9)
    FREE["field"](0.0, X, np.zeros(1), P, 0, dx)
    s, c = np.sin(X[2]), np.cos(X[2])
    np.testing.assert_allclose(M @ dx[4:8], [-s * W, c * W - M[0, 0] * HOPPER.g, U, W], rtol=1e-12)


def test_an_impact_stops_the_foot_and_nothing_else():
    """M (v+ - v-) is an impulse at the foot, J v+ = 0, and energy is lost."""
    x, before = X.copy(), X.copy()
    assert FREE["transition"](0.0, x, np.zeros(1), P, 0, np.array([0, 1, 0])) == 1
    j = jacobian(X[:4])
    np.testing.assert_allclose(j @ x[4:8], 0.0, atol=1e-9)
    np.testing.assert_array_equal(x[:4], before[:4])
    impulse = np.linalg.lstsq(j.T, M @ (x[4:8] - before[4:8]), rcond=None)[0]
    np.testing.assert_allclose(j.T @ impulse, M @ (x[4:8] - before[4:8]), atol=1e-9)
    assert x[4:8] @ M @ x[4:8] < before[4:8] @ M @ before[4:8]
    out = np.empty(len(MODEL.aux_names))
    MODEL.hooks["aux"](0.0, before, np.zeros(1), P, 0, out)
    mu = HOPPER.friction_coeff
    np.testing.assert_allclose(out[-2:], [mu * impulse[0] - impulse[1], mu * impulse[0] + impulse[1]], rtol=1e-6)
    assert out[-3] == pytest.approx((j @ before[4:8])[1], abs=1e-9)


def test_the_foot_stays_and_energy_too():
    """A stance keeps the foot's place; without control, a flight keeps the energy."""
    sim = hy.compile(MODEL, mode="python")
    standing = sim.run(params={"w_0": 12.0, "u_0": 0.2}, chart=1, final_time=0.12, rtol=1e-10)
    np.testing.assert_allclose(ph.foot(standing.x.T), np.tile([[0.1], [0.0]], len(standing.t)), atol=1e-9)
    start = X + np.array([0, 1.0, 0, 0, 0, 0, 0, 0, 0])
    flying = sim.run(start, params=np.zeros(8), chart=0, final_time=0.2, rtol=1e-11)
    energy = 0.5 * np.einsum("ti,ij,tj->t", flying.x[:, 4:8], M, flying.x[:, 4:8])
    energy += M[0, 0] * HOPPER.g * flying.x[:, 1]
    np.testing.assert_allclose(energy, energy[0], rtol=1e-10)


@pytest.mark.parametrize("chart", [0, 1, 9, 13])
def test_the_running_cost_is_the_sum_of_squares_of_its_outputs(chart):
    dx, out = np.empty(9), np.empty(len(MODEL.aux_names))
    FREE["field"](0.0, X, np.zeros(1), P, chart, dx)
    MODEL.hooks["aux"](0.0, X, np.zeros(1), P, chart, out)
    assert dx[8] == pytest.approx(np.sum(out[: len(ph.RUNNING)] ** 2), rel=1e-12)
    end = ph.Course(n=4).reference[-1]
    assert np.sum(out[10:18] ** 2) == pytest.approx(np.sum(np.array(ph.Q_END) * (X[:8] - end) ** 2))


def test_the_reference_goes_over_the_middle_of_each_jump():
    ref = ph.Course(final_time=5.0, n=50, jumps=5, goal=5.0).reference
    assert ref.shape == (51, 8)
    np.testing.assert_allclose(ref[::10, 0], 0.1 + 0.98 * np.arange(6))
    np.testing.assert_allclose(ref[5::10, 1], 1.0)
    np.testing.assert_allclose(ref[::10, 1], 0.5)
    np.testing.assert_allclose(ref[5::10, 3], 0.1)


def test_misuse_is_explained():
    with pytest.raises(ValueError, match="n must be a multiple of jumps, got 10 and 3"):
        ph.Course(n=10, jumps=3)
    with pytest.raises(ValueError, match="leg_mass must be positive"):
        ph.Hopper(leg_mass=0.0)
    with pytest.raises(ValueError, match="intervals must be at least 4 apart"):
        ph.order_and_guess(ph.Course(), 5, 7)
