"""Loads and pose: against subset enumeration, by their optimality conditions, and on the frames that break searches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic.contact import SolverStatus, load_derivatives, support

# The kernel stops at 1e-13; a centre of mass within 1e-12 of the edge counts as on it, and leaves that much.
BALANCE = 2e-12
# Heights come from pose and from loads; nearly collinear feet tilt far, and rounding of places grows with it.
HEIGHTS = 1e-11


def assert_optimal(found, pos, k, weight):
    """Check the sufficient conditions of the convex problem: balance, no pulling foot, contact where there is load."""
    load = found.load
    size = np.hypot(*pos[k > 0, :2].T).max()
    assert np.all(load >= 0)
    assert abs(load.sum() - weight) <= BALANCE * weight
    assert np.abs(load @ pos[:, :2]).max() <= BALANCE * weight * size
    height = found.height - found.pitch * pos[:, 0] + found.roll * pos[:, 1] + pos[:, 2]
    scale = abs(found.height) + np.abs(pos[:, 2]).max() + (abs(found.pitch) + abs(found.roll)) * size
    sunk = np.divide(load, k, out=np.zeros_like(load), where=k > 0)
    assert np.all(np.abs(height + sunk)[load > 0] <= HEIGHTS * scale)
    assert np.all(height[(load == 0) & (k > 0)] >= -HEIGHTS * scale)


def test_loads_agree_with_subset_enumeration(oracle, rng):
    solved = 0
    for _ in range(150):
        pos, k, weight = oracle.stance("generic", rng, 7)
        found = support(pos, k, weight)
        expected = oracle.loads_by_subsets(pos, k, weight)
        assert (expected is None) == (found.status is SolverStatus.NO_EQUILIBRIUM)
        if expected is not None:
            solved += 1
            np.testing.assert_allclose(found.load, expected, atol=1e-11 * weight)
    assert solved > 40


def test_every_kind_is_certified_or_refused(kind, oracle, rng):
    for _ in range(300):
        pos, k, weight = oracle.stance(kind, rng)
        found = support(pos, k, weight)
        margin = oracle.hull_margin(pos[k > 0, :2])
        size = np.hypot(*pos[k > 0, :2].T).max() if (k > 0).any() else 1.0
        if found.status is SolverStatus.NO_EQUILIBRIUM:
            # Stances narrower than 3e-13 of their size are taken as lines, and may be refused so near the edge.
            assert margin >= -1e-12 * size
            assert np.isnan(found.load).all() and np.isnan(found.height)
        else:
            assert found.status is SolverStatus.SOLVED
            assert margin <= 2e-12 * size
            assert_optimal(found, pos, k, weight)


@settings(max_examples=150, deadline=None)
@given(st.integers(3, 9), st.integers(0, 2**32 - 1), st.floats(-6, 6), st.floats(-6, 6))
def test_scaling_forces_and_lengths_scales_the_answer(n, seed, force_decade, length_decade):
    rng = np.random.default_rng(seed)
    pos, k = rng.uniform(-1, 1, (n, 3)), rng.uniform(1, 100, n)
    a, b = 10.0**force_decade, 10.0**length_decade
    one, other = support(pos, k, 1.0), support(b * pos, a / b * k, a)
    assert one.code == other.code
    np.testing.assert_allclose(other.load, a * one.load, rtol=1e-6, atol=1e-9 * a)
    np.testing.assert_allclose(other.height, b * one.height, rtol=1e-6, atol=1e-9 * b)


def test_three_feet_carry_what_statics_says_whatever_their_stiffness(rng):
    pos = np.array([[1.0, 0.2, -0.1], [-0.8, 0.7, 0.0], [-0.3, -0.9, 0.1]])
    statics = np.linalg.solve(np.vstack([np.ones(3), pos[:, 0], pos[:, 1]]), [7.0, 0.0, 0.0])
    for _ in range(20):
        np.testing.assert_allclose(support(pos, 10 ** rng.uniform(0, 6, 3), 7.0).load, statics, rtol=1e-10)


def test_signs_of_pitch_and_roll():
    # Softer front feet sink: nose down, positive pitch. Softer left feet: left side down, negative roll.
    square = np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0.0]])
    nose = support(square, [10, 10, 20, 20], 4.0)
    assert nose.pitch > 0 and abs(nose.roll) < 1e-15
    left = support(square, [10, 20, 10, 20], 4.0)
    assert left.roll < 0 and abs(left.pitch) < 1e-15


def test_stairs_move_the_body_as_shorter_legs_would(rng):
    pos, k = rng.uniform(-1, 1, (8, 3)), rng.uniform(10, 20, 8)
    ground = 0.17 * rng.integers(0, 3, 8)
    lowered = pos - ground[:, None] * [0, 0, 1]
    np.testing.assert_array_equal(support(pos, k, 2.0, ground).load, support(lowered, k, 2.0).load)


def test_a_trot_reports_its_free_tilt_and_takes_the_smallest():
    pos = np.array([[1, 0.5, -0.02], [-1, -0.5, -0.02], [1, -0.5, 0], [-1, 0.5, 0]])
    level = support(pos, 100.0, 2.0)
    assert not level.tilt_unique and level.pitch == pytest.approx(0) and level.roll == pytest.approx(0)
    uneven = pos.copy()
    uneven[1, 2] = -0.05  # the diagonal leans: along it the tilt is held, across it the least is zero
    leaning = support(uneven, 100.0, 2.0)
    tilt = np.array([-leaning.pitch, leaning.roll])
    assert not leaning.tilt_unique
    assert np.dot(tilt, [-0.5, 1.0]) == pytest.approx(0, abs=1e-15)
    blocked = pos.copy()
    blocked[:, 2] += [0, 0, -0.03, 0]  # foot 2 hangs lower than the diagonal at zero tilt: it holds the tilt off zero
    held = support(blocked, 1000.0, 2.0)
    assert_optimal(held, blocked, np.full(4, 1000.0), 2.0)


def test_one_foot_under_the_centre_of_mass_carries_all():
    found = support([[0, 0, -0.2], [1, 0, 0], [0, 1, 0.1]], 50.0, 3.0)
    np.testing.assert_allclose(found.load, [3, 0, 0], atol=1e-14)
    assert found.height == pytest.approx(0.2 - 3.0 / 50.0) and not found.tilt_unique
    assert found.pitch == 0 and found.roll == 0


def test_derivatives_agree_with_differences(hexapods, rng):
    pos, _ = hexapods
    pos, k = pos[:40], rng.uniform(50, 90, 6)
    found = load_derivatives(pos, k, 5.0)
    assert found.exists.sum() > 30
    for j in range(6):
        step = 1e-6 * k[j] * (np.arange(6) == j)
        slope = (support(pos, k + step, 5.0).load - support(pos, k - step, 5.0).load) / (2 * step[j])
        np.testing.assert_allclose(found.stiffness[found.exists][..., j], slope[found.exists], atol=1e-8)
        for axis in range(3):
            step = np.zeros((6, 3))
            step[j, axis] = 1e-7
            slope = (support(pos + step, k, 5.0).load - support(pos - step, k, 5.0).load) / 2e-7
            np.testing.assert_allclose(found.position[found.exists][..., j, axis], slope[found.exists], atol=1e-5)
    slope = (support(pos, k, 5.0 + 1e-6).load - support(pos, k, 5.0 - 1e-6).load) / 2e-6
    np.testing.assert_allclose(found.weight[found.exists], slope[found.exists], atol=1e-7)


def test_no_derivative_is_invented_where_the_tilt_is_free():
    pos = np.array([[1, 0.5, -0.02], [-1, -0.5, -0.02], [1, -0.5, 0], [-1, 0.5, 0]])
    found = load_derivatives(pos, 100.0, 2.0)
    assert not found.exists and np.isnan(found.stiffness).all() and np.isnan(found.position).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"foot_pos": np.zeros((4, 2))}, "foot_pos must have shape"),
        ({"foot_pos": np.full((4, 3), np.nan)}, "foot_pos must be finite"),
        ({"stiffness": -1.0}, "stiffness must not be below 0"),
        ({"stiffness": [1.0, 2.0]}, "stiffness must have one entry per foot"),
        ({"weight": 0.0}, "weight must be positive"),
        ({"weight": np.inf}, "weight must be finite"),
        ({"ground": np.nan}, "ground must be finite"),
        ({"weight": np.ones(3), "foot_pos": np.zeros((2, 4, 3))}, "do not broadcast"),
    ],
)
def test_bad_input_is_named(change, message):
    good = {"foot_pos": np.zeros((4, 3)), "stiffness": 1.0, "weight": 1.0}
    with pytest.raises(ValueError, match=message):
        support(**(good | change))


def test_a_load_of_round_off_leaves_the_tilt_free(rng):
    """One foot under the centre of mass bears all; a detour by a pose of nine radians left the others 1e-14 N."""
    pos = np.array([
        [0.0, 0.0, -0.2],
        [-0.5716473853485668, 0.783032903941723, -0.0005430103011529741],
        [0.6558336596476811, -0.9641086605045326, 0.07503746770994209],
    ])  # fmt: skip
    k, weight = np.array([16.84222779939602, 8.950435211453465, 11.274154922105701]), 0.6554626709039835
    frames = pos * (1 + rng.integers(-2, 3, (900, 3, 3)) * 2.0**-53)
    found = support(frames, k, weight)
    assert found.solved.all() and not found.tilt_unique.any()
    np.testing.assert_allclose(found.load, np.broadcast_to([weight, 0, 0], (900, 3)), atol=1e-12)
