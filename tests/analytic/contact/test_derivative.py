"""Derivatives of twist and forces: against central differences, by their identities, and where there are none."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic.contact import (
    LAWS,
    Coulomb,
    Feet,
    Viscous,
    force_derivatives,
    load_derivatives,
    solve,
    twist_derivatives,
)

# Central differences of a frame solved to 1e-12 are good to about 1e-9 of the largest entry of a block.
SHARP = Coulomb(1e-12)
LAWS_TRIED = {"viscous": Viscous(), "viscous, given speed": Viscous(0.3), "coulomb": SHARP}
ERROR = 3e-7  # 1e-8 on most processors; without wide vectors one law has 1e-7
STEPS = {"velocity": 1e-6, "position": 1e-7, "mu": 1e-6, "stiffness": 1e-3, "anisotropy": 1e-6, "weight": 1e-4}


def robots(rng, count, n=6):
    """Feet on a ring, some of them in the air, with friction of their own in every direction."""
    angle = np.arange(n) * 2 * np.pi / n + 0.2 * rng.standard_normal((count, n))
    far = 1 + 0.3 * rng.random((count, n))
    pos = np.stack([0.25 * np.cos(angle) * far, 0.2 * np.sin(angle), -0.1 + 0.02 * rng.standard_normal((count, n))], -1)
    feet = Feet(
        300 * (0.5 + rng.random((count, n))),
        0.3 + rng.random((count, n)),
        np.full(count, 20.0),
        0.7 * rng.standard_normal((count, n, 2)),
    )
    return pos, 0.1 * rng.standard_normal((count, n, 2)), feet


def moved(frame, name, step, index):
    """Return the frames with one number of each changed."""
    pos, vel, feet = frame
    column = (slice(None), *index)
    if name in ("velocity", "position"):
        changed = (pos if name == "position" else vel).copy()
        changed[column] += step
        return (changed, vel, feet) if name == "position" else (pos, changed, feet)
    values = np.array(getattr(feet, name))
    values[column] += step
    return pos, vel, replace(feet, **{name: values})


def differences(frame, law, name, shape, answer):
    """Return central differences of `answer(motion)` by a parameter of that shape, and where the same feet stood."""
    step, base = STEPS[name], solve(*frame, law).load > 0
    same, columns = np.ones(len(base), bool), []
    for index in np.ndindex(shape):
        ends = [solve(*moved(frame, name, sign * step, index), law) for sign in (1, -1)]
        same &= ((ends[0].load > 0) == base).all(-1) & ((ends[1].load > 0) == base).all(-1)
        columns.append((answer(ends[0]) - answer(ends[1])) / (2 * step))
    found = np.stack(columns, axis=-1)
    return found.reshape((*found.shape[:-1], *shape)), same


def shape_of(name, n=6):
    return {"velocity": (n, 2), "position": (n, 3), "anisotropy": (n, 2), "weight": ()}.get(name, (n,))


def assert_close(found, expected):
    """Compare frame by frame, relative to the largest entry: of three loaded feet stiffness changes nothing."""
    count = len(found)
    size = np.abs(expected).reshape(count, -1).max(-1)
    error = np.abs(found - expected).reshape(count, -1).max(-1) / np.maximum(size, 1e-3 * size.max())
    assert np.quantile(error, 0.95) < ERROR


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("law", LAWS_TRIED.values(), ids=LAWS_TRIED)
def test_derivatives_are_those_of_the_solver(law, name, rng):
    frame = robots(rng, 24)
    for derive, answer in ((twist_derivatives, lambda m: m.twist), (force_derivatives, lambda m: m.force)):
        found = derive(*frame, law)
        expected, same = differences(frame, law, name, shape_of(name), answer)
        usable = found.exists & same
        assert usable.sum() > 16
        assert_close(getattr(found, name)[usable], expected[usable])


def test_frames_with_and_without_a_sticking_foot_are_both_among_those(rng):
    found = twist_derivatives(*robots(rng, 100), SHARP)
    sticks = found.sticking.any(-1)[found.exists]
    assert found.sticking.sum(-1).max() == 1 and 0.3 < sticks.mean() < 0.95
    assert not twist_derivatives(*robots(rng, 20), "viscous").sticking.any()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["viscous", "coulomb"]))
def test_the_twist_is_homogeneous(seed, law):
    """Twice as fast feet make it twice as fast; more friction everywhere, or stiffness with weight, change nothing."""
    pos, vel, feet = frame = robots(np.random.default_rng(seed), 4)
    law = SHARP if law == "coulomb" else law
    d = twist_derivatives(*frame, law)
    size = np.abs(d.twist).max(-1)[d.exists, None]

    def change(derivative, direction):
        return np.einsum("...ik,...k->...i", derivative.reshape(4, 3, -1), direction.reshape(4, -1))[d.exists] / size

    np.testing.assert_allclose(change(d.velocity, vel), d.twist[d.exists] / size, atol=1e-5)
    np.testing.assert_allclose(change(d.mu, feet.mu), 0, atol=1e-9)
    springs = change(d.stiffness, feet.stiffness) + d.weight[d.exists] * feet.weight[d.exists, None] / size
    np.testing.assert_allclose(springs, 0, atol=1e-8)
    lifted = np.broadcast_to([0.0, 0.0, 1.0], pos.shape)
    np.testing.assert_allclose(change(d.position, lifted), 0, atol=1e-8)


def test_turning_the_robot_turns_its_twist(rng):
    """Places, velocities and w turned together by a small angle turn u and v and leave omega."""
    pos, vel, feet = robots(rng, 30)
    d = twist_derivatives(pos, vel, feet, SHARP)

    def turned(xy):
        return np.stack([-xy[..., 1], xy[..., 0]], axis=-1)

    total = np.einsum("...ikc,...kc->...i", d.position[..., :2], turned(pos[..., :2]))
    total += np.einsum("...ikc,...kc->...i", d.velocity, turned(vel))
    total += np.einsum("...ikc,...kc->...i", d.anisotropy, turned(feet.anisotropy))
    expected = np.concatenate([turned(d.twist[..., :2]), np.zeros((30, 1))], axis=-1)
    size = np.abs(d.twist).max(-1, keepdims=True)
    good = np.abs(total - expected)[d.exists] / size[d.exists]
    assert np.quantile(good, 0.95) < 1e-6


def test_the_derivative_by_the_centre_of_mass_is_that_of_a_moved_robot(rng):
    pos, vel, feet = robots(rng, 20)
    d, h = twist_derivatives(pos, vel, feet, "viscous"), 1e-7
    for axis in range(2):
        shift = h * np.eye(3)[axis]
        moved_by = [solve(pos - sign * shift, vel, feet, "viscous").twist for sign in (1, -1)]
        np.testing.assert_allclose(d.centre_of_mass[..., axis], (moved_by[0] - moved_by[1]) / (2 * h), atol=1e-6)


def test_forces_keep_their_balance(rng):
    """Whatever changes, tractions and moments sum to zero, and loads to the weight."""
    pos, vel, feet = robots(rng, 30)
    d = force_derivatives(pos, vel, feet, SHARP)
    good = d.exists
    assert good.sum() > 20
    np.testing.assert_allclose(d.weight[good].sum(-2), np.broadcast_to([0, 0, 1], (good.sum(), 3)), atol=1e-9)
    for by in (d.velocity, d.mu, d.anisotropy):
        parts = by.reshape(30, 6, 3, -1)[good]
        size = 1 + np.abs(parts).max()
        np.testing.assert_allclose(parts.sum(1) / size, 0, atol=1e-9)
        turn = pos[good, :, 0, None] * parts[:, :, 1] - pos[good, :, 1, None] * parts[:, :, 0]
        np.testing.assert_allclose(turn.sum(1) / size, 0, atol=1e-7)
    loads = load_derivatives(pos, feet.stiffness, feet.weight)
    np.testing.assert_allclose(d.stiffness[good][:, :, 2], loads.stiffness[good], atol=1e-14)


def test_the_ground_is_minus_the_height_of_a_foot(rng):
    pos, vel, feet = robots(rng, 10)
    step = 0.01 * rng.random((10, 6))
    stairs = twist_derivatives(pos, vel, feet, ground=step)
    lowered = pos - step[..., None] * [0, 0, 1]
    np.testing.assert_allclose(stairs.position, twist_derivatives(lowered, vel, feet).position, atol=1e-9)


def test_frames_of_one_robot_share_its_feet(rng):
    pos, vel, _ = robots(rng, 5)
    feet = Feet(300.0, 1.0, 20.0)
    batch = twist_derivatives(pos, vel, feet)
    single = twist_derivatives(pos[3], vel[3], feet)
    assert batch.exists.shape == (5,) and single.mu.shape == (3, 6)
    np.testing.assert_array_equal(batch.mu[3], single.mu)


def square(height=0.0):
    return np.array([[0.2, 0.1, -0.1], [0.2, -0.1, -0.1], [-0.2, 0.1, -0.1], [-0.2, -0.1, -0.1 + height]])


@pytest.mark.parametrize(
    "pos, vel, law",
    [
        (square(), np.zeros((4, 2)), "coulomb"),  # all stick
        (square(), np.ones((4, 2)), "coulomb"),  # all stick, the body moves
        (square()[:2] + [-0.2, 0, 0], np.array([[1.0, 0], [0, 1]]), "viscous"),  # in line: the tilt is free
        (square() + [0.5, 0, 0], np.array([[1.0, 0], [0, 1], [0, 0], [1, 0]]), "viscous"),  # no equilibrium
        (np.zeros((3, 3)), np.eye(3)[:, :2], "viscous"),  # in a point: it may spin
    ],
)
def test_where_there_is_no_derivative_it_says_so(pos, vel, law):
    for derive in (twist_derivatives, force_derivatives):
        found = derive(pos, vel, Feet(100.0, 1.0, 10.0), law)
        assert not found.exists and np.isnan(found.mu).all() and np.isnan(found.weight).all()


def test_a_foot_that_just_touches_has_none():
    """Three feet sink 20/300 m each; the fourth ends just so high."""
    pos = np.array([[0.2, 0.0, 0.0], [-0.1, 0.17, 0.0], [-0.1, -0.17, 0.0], [0.0, 0.0, 20 / 300]])
    vel = np.array([[1.0, 0], [0, 1], [0, 0], [1, 0]])
    there = twist_derivatives(pos, vel, Feet(100.0, 1.0, 20.0), "viscous")
    higher = twist_derivatives(
        pos + [0, 0, 1e-9] * (np.arange(4) == 3)[:, None], vel, Feet(100.0, 1.0, 20.0), "viscous"
    )
    assert not there.exists and higher.exists and not higher.velocity[:, 3].any()


def test_misuse_is_refused(rng):
    pos, vel, feet = robots(rng, 1)
    for derive in (twist_derivatives, force_derivatives):
        with pytest.raises(ValueError, match="a gap of at most 1e-06, got 0.001"):
            derive(pos, vel, feet, Coulomb(1e-3))
        with pytest.raises(ValueError, match="unknown law"):
            derive(pos, vel, feet, LAWS["epsilon"])
        with pytest.raises(ValueError, match="as many feet as foot_pos: got 5 and 6"):
            derive(pos, vel[:, :5], feet)
        with pytest.raises(ValueError, match="finite"):
            derive(pos * np.nan, vel, feet)
