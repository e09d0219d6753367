"""Twist and tractions: certificates recomputed from the answer alone, a general optimiser, and known answers."""

from dataclasses import dataclass

import numpy as np
import pytest

from tarsus.analytic.contact import (
    Coulomb,
    Epsilon,
    Feet,
    SlidingLaw,
    SolverStatus,
    Viscous,
    connection_matrix,
    kernels,
    slide,
    solve,
)
from tarsus.analytic.contact.epsilon import traction_factor


def slips(pos, vel, twist):
    """Return the feet's velocities over the ground, body frame."""
    u, omega = twist[..., None, :2], twist[..., None, 2:]
    return vel + u + omega * np.stack([-pos[..., 1], pos[..., 0]], axis=-1)


def metric(w):
    return np.eye(2) + w[..., :, None] * w[..., None, :]


@pytest.mark.parametrize("gap", [1e-6, 1e-9])
@pytest.mark.parametrize("bend", [0.0, 1.0, 6.0])
def test_coulomb_answers_are_certified(hexapods, rng, certificates, gap, bend):
    pos, vel = hexapods
    mu, w = rng.uniform(0.2, 1, (200, 6)), bend * rng.normal(size=(200, 6, 2))
    found = solve(pos, vel, Feet(100.0, mu, 5.0, w), Coulomb(gap))
    assert found.solved.all() and found.twist_unique.all()
    certificates.assert_certified(found, pos, vel, mu, w, gap)
    assert np.all(found.residual < 1e-12) and np.all(found.gap <= gap * found.dissipation)


def test_coulomb_agrees_with_a_general_optimiser(oracle, rng):
    compared = 0
    for _ in range(30):
        n = int(rng.integers(3, 8))
        pos, vel, m, w = (
            rng.normal(size=(n, 2)),
            rng.normal(size=(n, 2)),
            rng.uniform(0.2, 2, n),
            rng.normal(size=(n, 2)),
        )
        least, success = oracle.least_dissipation(pos, vel, m, metric(w))
        compared += success
        if success:
            assert slide(pos, vel, m, 1.0, w, "coulomb").dissipation == pytest.approx(least, rel=1e-6)
    assert compared >= 25


def hard_frames(kind, oracle, rng, count):
    """Yield stances of a kind with every kind of slip and frictions alike or over 12 decades."""
    slip_kinds = oracle_slips()
    for i in range(count):
        pos, k, weight = oracle.stance(kind, rng)
        name = list(slip_kinds)[i % len(slip_kinds)]
        mu = 10 ** rng.uniform(-6, 6, len(k)) if rng.random() < 0.5 else rng.uniform(0.2, 1, len(k))
        yield name, pos, slip_kinds[name](rng, pos[:, :2]), k, weight, mu


def oracle_slips():
    import importlib.util
    from pathlib import Path

    path = Path(__file__).parents[2] / "oracles" / "contact_slips.py"
    spec = importlib.util.spec_from_file_location("contact_slips", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.KINDS


def test_hard_stances_with_hard_slips_are_certified(kind, oracle, rng, certificates):
    for _, pos, vel, k, weight, mu in hard_frames(kind, oracle, rng, 135):
        w = rng.normal(size=(len(k), 2)) * rng.integers(2)
        found = solve(pos, vel, Feet(k, mu, weight, w), Coulomb(1e-6))
        assert found.solved or found.status is SolverStatus.NO_EQUILIBRIUM
        assert found.status is not SolverStatus.SOLVED or found.gap <= 1e-6 * found.dissipation
        if found.solved:
            certificates.assert_certified(found, pos, vel, mu, w, 1e-6)
        viscous = solve(pos, vel, Feet(k, mu, weight, w))
        assert viscous.solved == found.solved
        if viscous.solved:  # slips far below the velocities keep only the velocities' rounding
            noise = np.sum(mu * viscous.load * np.abs(vel).sum(axis=-1)) / np.sum(mu * viscous.load)
            assert (viscous.residual - 2e-12) * viscous.reference_speed <= 1e-11 * noise


def test_viscous_is_the_weighted_least_squares_fit(hexapods, rng):
    pos, vel = hexapods
    mu, w = rng.uniform(0.2, 1, 6), rng.normal(size=(6, 2))
    found = solve(pos, vel, Feet(100.0, mu, 5.0, w))
    for i in range(0, 200, 10):
        on = found.load[i] > 0
        root = np.linalg.cholesky(metric(w[on])).swapaxes(-1, -2) * np.sqrt(mu * found.load[i])[on, None, None]
        lever = np.stack([-pos[i, on, 1], pos[i, on, 0]], axis=-1)
        rows = np.einsum(
            "nij,njk->nik", root, np.concatenate([np.tile(np.eye(2), (on.sum(), 1, 1)), lever[..., None]], 2)
        )
        sides = -np.einsum("nij,nj->ni", root, vel[i, on])
        expected = np.linalg.lstsq(rows.reshape(-1, 3), sides.ravel(), rcond=None)[0]
        np.testing.assert_allclose(found.twist[i], expected, atol=1e-11)


def test_the_isotropic_path_is_the_general_path(hexapods):
    pos, vel = hexapods
    plain = solve(pos, vel, Feet(100.0, 0.5, 5.0))
    general = solve(pos, vel, Feet(100.0, 0.5, 5.0, np.full((6, 2), 1e-12)))
    np.testing.assert_allclose(general.twist, plain.twist, atol=1e-10)
    np.testing.assert_allclose(general.force, plain.force, atol=1e-10)
    np.testing.assert_allclose(general.dissipation, plain.dissipation, rtol=1e-10)


def test_viscous_tractions_follow_the_law_and_default_to_equal_dissipation(hexapods, rng):
    pos, vel = hexapods
    mu, w = rng.uniform(0.2, 1, 6), rng.normal(size=(6, 2))
    fixed = solve(pos, vel, Feet(100.0, mu, 5.0, w), Viscous(0.7))
    slip = slips(pos, vel, fixed.twist)
    pull = -(mu * fixed.load)[..., None] * np.einsum("nij,fnj->fni", metric(w), slip) / 0.7
    np.testing.assert_allclose(fixed.force[..., :2], pull, atol=1e-12)
    free = solve(pos, vel, Feet(100.0, mu, 5.0, w))
    np.testing.assert_allclose(free.twist, fixed.twist, atol=1e-14)
    coulomb = np.sum(mu * free.load * np.sqrt(np.einsum("fni,nij,fnj->fn", slip, metric(w), slip)), axis=-1)
    np.testing.assert_allclose(-np.sum(free.force[..., :2] * slip, axis=(-1, -2)), coulomb, rtol=1e-12)


def test_on_a_line_coulomb_is_the_median_and_viscous_the_mean(rng):
    for n in (3, 5, 9):
        pos = np.column_stack([np.zeros(n), rng.normal(size=n)])  # feet abreast, moving along x; mirrored, so no yaw
        pos, x = np.concatenate([pos, -pos]), rng.normal(size=n)
        vel = np.column_stack([np.concatenate([x, x]), np.zeros(2 * n)])
        assert slide(pos, vel, 1.0, 1.0).twist[0] == pytest.approx(-np.mean(x))
        assert slide(pos, vel, 1.0, 1.0, law="coulomb").twist[0] == pytest.approx(-np.median(x), abs=1e-4)


def test_feet_that_move_as_one_body_stick_and_carry_no_traction(hexapods):
    pos, _ = hexapods
    twist = np.array([0.3, -0.2, 0.7])
    vel = -slips(pos, np.zeros((200, 6, 2)), twist)
    for law in ("viscous", "coulomb"):
        found = solve(pos, vel, Feet(100.0, 0.5, 5.0), law)
        np.testing.assert_allclose(found.twist, np.tile(twist, (200, 1)), atol=1e-13)
        assert found.solved.all() and np.abs(found.force[..., :2]).max() < (1e-12 if law == "coulomb" else 5.0)


@pytest.mark.parametrize("gap", [1e-6, 1e-9, 1e-12])
def test_solved_means_within_the_gap_asked_for_and_another_status_names_rounding(hexapods, rng, certificates, gap):
    """The feet's own motion is from 1e-12 to 1e-2 of the body's: the less, the worse their slips are known."""
    pos, _ = hexapods
    mu, w = rng.uniform(0.2, 1, (200, 6)), rng.normal(size=(200, 6, 2))
    vel = -slips(pos, np.zeros((200, 6, 2)), rng.normal(size=(200, 3)))
    vel += np.logspace(-12, -2, 200)[:, None, None] * rng.normal(size=(200, 6, 2))
    found = solve(pos, vel, Feet(100.0, mu, 5.0, w), Coulomb(gap))
    within = found.gap <= gap * found.dissipation
    assert found.solved.all() and 0 < within.sum() < 200
    np.testing.assert_array_equal(found.status == SolverStatus.SOLVED, within)
    np.testing.assert_array_equal(found.status == SolverStatus.TO_ROUNDING, ~within)
    certificates.assert_certified(found, pos, vel, mu, w, gap)
    held = np.sum(mu * found.load * np.sqrt(np.einsum("...ni,...nij,...nj->...n", vel, metric(w), vel)), axis=-1)
    assert np.all(found.gap[~within] <= 1.01 * kernels.GAP_FLOOR * held[~within])
    assert np.all(within[found.dissipation > 2 * kernels.GAP_FLOOR / gap * held])  # the floor counts nowhere else


@pytest.mark.parametrize("law", ["viscous", "coulomb"])
def test_no_size_of_anything_gives_a_silent_wrong_answer(hexapods, rng, law):
    """Lengths, speeds, forces and frictions, up to where squares would overflow or underflow, and beyond."""
    pos, vel = hexapods[0][:20], hexapods[1][:20]
    mu, w = rng.uniform(0.2, 1, 6), rng.normal(size=(6, 2))
    base = solve(pos, vel, Feet(100.0, mu, 5.0, w), law)
    for decade in (-300, -160, -120, -90, -48, 48):
        a = 10.0**decade
        fast = solve(pos, a * vel, Feet(100.0, mu, 5.0, w), law)
        assert fast.solved.all() and np.isfinite(fast.twist).all() and np.isfinite(fast.force).all()
        np.testing.assert_allclose(fast.twist, a * base.twist, rtol=1e-3, atol=2e-3 * a + 1e-119)
        size = solve(a * pos, vel, Feet(100.0 * min(1 / a, 1e48), mu, 5.0, w), law)
        assert size.solved.all() and np.isfinite(size.twist).all() and np.isfinite(size.force).all()
        np.testing.assert_allclose(size.load.sum(axis=-1), 5.0)
        if abs(decade) == 48:
            np.testing.assert_allclose(size.load, base.load, rtol=1e-9, atol=1e-12)
            heavy = solve(pos, vel, Feet(100.0 * a, a * mu, 5.0 * a, w), law)
            np.testing.assert_allclose(heavy.load, a * base.load, rtol=1e-9, atol=1e-12 * a)
            np.testing.assert_allclose(heavy.twist, base.twist, rtol=1e-3, atol=2e-3)
            scaled = heavy.force[..., :2] / a / a
            np.testing.assert_allclose(np.abs(scaled).max(), np.abs(base.force[..., :2]).max(), rtol=0.1)


FLAT = {
    "a tie on a line": ([[0, 1], [0, -1], [0, 2], [0, -2]], [[1, 0], [1, 0], [-1, 0], [-1, 0]], 1.0),
    "two equal loads": ([[1, 0.3], [-1, 0.2]], [[1, 0.5], [-0.3, 0.2]], 1.0),
    "all slips about one centre": (
        [[1, 0], [-1, 0], [0, 1], [0, -1]],
        [[0, 1], [0, -1], [1, 0], [-1, 0]],  # two feet turn one way, two the other, equally loaded
        1.0,
    ),
}


@pytest.mark.parametrize("case", FLAT)
def test_an_ambiguous_velocity_is_flagged_and_reproducible(case):
    pos, vel, load = FLAT[case]
    found = slide(np.array(pos, float), np.array(vel, float), load, 1.0, law="coulomb")
    assert found.status is SolverStatus.SOLVED and not found.twist_unique
    again = slide(np.array(pos, float), np.array(vel, float), load, 1.0, law="coulomb")
    np.testing.assert_array_equal(found.twist, again.twist)
    uneven = np.array([1.0, 1.3, 0.6, 0.5])[: len(pos)]
    assert slide(np.array(pos, float), np.array(vel, float), uneven, 1.0, law="coulomb").twist_unique


@pytest.mark.parametrize("law", ["viscous", "coulomb"])
def test_one_point_of_contact_does_not_spin(law):
    found = slide([[0.3, 0.1], [0.3, 0.1], [1, 1]], [[1.0, 0], [0, 1.0], [5, 5]], [1, 2, 0], 0.5, law=law)
    assert not found.twist_unique and found.twist[2] == 0 and found.status is SolverStatus.SOLVED
    single = slide([[0.3, 0.1]], [[1.0, 2.0]], 1.0, 0.5, law=law)
    np.testing.assert_allclose(single.twist, [-1, -2, 0])


@pytest.mark.parametrize("law", ["viscous", "coulomb"])
def test_without_traction_the_velocity_is_undefined_and_zero(law):
    found = slide(np.eye(2), np.eye(2), 1.0, 0.0, law=law)
    assert found.status is SolverStatus.NO_TRACTION and not found.twist_unique
    assert not found.twist.any() and not found.force[..., :2].any()


def test_the_connection_matrix_gives_the_viscous_twist(hexapods, rng):
    pos, vel = hexapods
    mu, w = rng.uniform(0.2, 1, 6), rng.normal(size=(6, 2))
    found = solve(pos, vel, Feet(100.0, mu, 5.0, w))
    a = connection_matrix(pos, found.load, mu, w)
    np.testing.assert_allclose(-np.einsum("fink,fnk->fi", a, vel), found.twist, atol=1e-13)
    # A rigid motion of the feet is undone exactly: A B = 1.
    b = np.concatenate([np.tile(np.eye(2), (200, 6, 1, 1)), np.stack([-pos[..., 1], pos[..., 0]], -1)[..., None]], -1)
    np.testing.assert_allclose(np.einsum("fink,fnkj->fij", a, b), np.tile(np.eye(3), (200, 1, 1)), atol=1e-13)
    point = connection_matrix([[0.3, 0.1], [0.3, 0.1]], 1.0, 1.0)
    assert not point[2].any()
    assert np.isnan(connection_matrix(np.eye(2), 0.0, 1.0)).all()


def test_epsilon_approaches_coulomb_on_ordinary_frames(hexapods):
    pos, vel = hexapods[0][:10], hexapods[1][:10]
    feet = Feet(100.0, 0.5, 5.0)
    found, exact = solve(pos, vel, feet, Epsilon()), solve(pos, vel, feet, "coulomb")
    assert np.median(np.linalg.norm(found.twist - exact.twist, axis=-1)) < 0.01
    assert np.isnan(found.gap).all()


@dataclass(frozen=True)
class Constant(SlidingLaw):
    """The viscous law once more, as a function of the slip speed."""

    speed: float = 0.7

    def factors(self):
        yield lambda u: np.full_like(u, 1 / self.speed)


@dataclass(frozen=True)
class Rounded(SlidingLaw):
    """Coulomb's law, rounded near rest."""

    rests: tuple = (1.0, 0.1, 0.01)

    def factors(self):
        for rest in self.rests:
            yield lambda u, rest=rest: 1 / np.hypot(u, rest)


@dataclass(frozen=True)
class Stribeck(SlidingLaw):
    """Friction that is larger near rest, and sharp there: the root finder comes to rest out of balance."""

    def factors(self):
        yield lambda u: (1.0 + 0.2 * np.exp(-((u / 0.1) ** 2))) / np.hypot(u, 1e-3)


def test_a_law_of_ones_own_is_solved_by_the_same_equations(hexapods, rng):
    pos, vel = hexapods[0][:10], hexapods[1][:10]
    feet = Feet(100.0, rng.uniform(0.2, 1, 6), 5.0, rng.normal(size=(6, 2)))
    found, viscous = solve(pos, vel, feet, Constant()), solve(pos, vel, feet, Viscous(0.7))
    assert found.solved.all()
    np.testing.assert_allclose(found.twist, viscous.twist, atol=1e-9)
    np.testing.assert_allclose(found.force, viscous.force, atol=1e-8)
    np.testing.assert_allclose(
        found.dissipation, -np.sum(viscous.force[..., :2] * slips(pos, vel, viscous.twist), (1, 2))
    )
    rounded, coulomb = solve(pos, vel, feet, Rounded()), solve(pos, vel, feet, "coulomb")
    assert rounded.solved.all() and np.median(np.linalg.norm(rounded.twist - coulomb.twist, axis=-1)) < 0.05
    last = solve(pos, vel, feet, Rounded(rests=(0.01,)))
    np.testing.assert_allclose(rounded.twist[last.solved], last.twist[last.solved], atol=1e-6)


def test_a_law_that_does_not_balance_says_so(hexapods):
    found = solve(hexapods[0][:10], hexapods[1][:10], Feet(100.0, 0.5, 5.0), Stribeck())
    lost = found.code & 7 == kernels.GAP_MISSED
    assert lost.any() and not lost.all()
    total = found.force[..., :2].sum(axis=1)
    assert np.all(np.abs(total[~lost]).max(axis=-1) < 1e-5) and np.isnan(found.reference_speed).all()


def test_faults_of_the_epsilon_family_are_as_documented():
    v = np.linspace(0, 5, 5001)
    force = traction_factor(v, 0.1) * v
    peak = v[np.argmax(force)]
    assert peak == pytest.approx(1 + np.sqrt(1.1), abs=2e-3)  # and falls from there on: not monotone
    assert force.max() == pytest.approx((1 + np.sqrt(1.1)) / 2, rel=1e-6)
    for eps in (1e-2, 1e-5):
        assert traction_factor(np.array(1e-9), eps) == pytest.approx(1.0, rel=1e-4)  # the slope at rest, whatever eps
    assert traction_factor(np.array(1.0), 1e-2, 1.0) != pytest.approx(traction_factor(np.array(1.0), 1e-2, 1e-3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: slide(np.eye(2), np.eye(2), -1.0, 1.0), "load must not be below 0"),
        (lambda: slide(np.eye(2), np.eye(2), 1.0, -1.0), "mu must not be below 0"),
        (lambda: slide(np.eye(2), np.ones((3, 2)), 1.0, 1.0), "foot_vel must have as many feet"),
        (lambda: slide(np.eye(2), np.eye(2) * np.nan, 1.0, 1.0), "foot_vel must be finite"),
        (
            lambda: slide(np.eye(2), np.eye(2), 1.0, 1.0, law="coloumb"),
            "unknown friction law 'coloumb'; known: viscous",
        ),
        (lambda: slide(np.eye(2), np.eye(2), 1.0, 1.0, law=3), "law must be one of"),
        (lambda: Coulomb(0.0), "gap must lie in"),
        (lambda: Viscous(-1.0), "reference_speed must be positive"),
        (lambda: Epsilon(factor=1.0), "factor must lie in"),
        (lambda: Feet(-1.0, 1.0, 1.0), "stiffness must not be below 0"),
        (lambda: Feet(1.0, 1.0, -1.0), "weight must be positive"),
        (lambda: Feet(1.0, -1.0, 1.0), "mu must not be below 0"),
        (lambda: Feet(1.0, 1.0, 1.0, np.zeros(2)), "anisotropy must have shape"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
