"""The contact problem: closed forms, every solution of small planar problems, symmetries, and what has no solution."""

import numpy as np
import pytest
from contact_modes import solutions
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic.articulated.contact_problem import solve
from tarsus.analytic.articulated.contact_rows import HELD, LOWER, OPEN, SLIPS, UPPER, Blocks, ContactStatus

SOLVED = ContactStatus.SOLVED
G_EARTH = 9.81


def contacts(n, mu):
    return Blocks.of(["contact"] * n, mu)


def on_slope(slope, mu, mass=2.0):
    b = G_EARTH * np.array([-np.cos(slope), -np.sin(slope), 0.0])
    return solve(np.eye(3) / mass, b, contacts(1, mu))


def drawn(rng, n, rank=1.0):
    """Return mobilities, motions and coefficients of n contacts on bodies of very different masses."""
    m = 3 * n
    d = max(3, int(rank * m))
    R = rng.standard_normal((m, d))
    return R / 10.0 ** rng.uniform(-2, 2, d) @ R.T, R @ rng.standard_normal(d), rng.uniform(0.1, 1.2, n)


def broken(G, b, mu, f):
    """Return by how much forces of contacts break Coulomb's law, in units of the largest motion and force."""
    w = G @ f + b
    (fn, f1, f2), (wn, w1, w2) = f.reshape(-1, 3).T, w.reshape(-1, 3).T
    force, motion = max(np.abs(f).max(), 1e-300), np.abs(b).max()
    slip, friction = np.hypot(w1, w2), np.hypot(f1, f2)
    rules = [-fn / force, -wn / motion, fn * wn / force / motion, (friction - mu * fn) / force]
    rules += [np.abs(slip * np.column_stack((f1, f2)).T + mu * fn * np.array((w1, w2))).max(0) / force / motion]
    return max(rule.max() for rule in rules)


@pytest.mark.parametrize("slope", [0.0, 0.2, 0.4, 0.46, 0.47, 0.9, 1.5])
def test_a_block_on_a_slope_sticks_or_slides_by_the_formula(slope):
    made, mu = on_slope(slope, 0.5), 0.5
    slides = np.tan(slope) > mu
    assert made.status is SOLVED and made.mode[0] == (SLIPS if slides else HELD)
    normal, along = 2.0 * G_EARTH * np.cos(slope), 2.0 * G_EARTH * np.sin(slope)
    np.testing.assert_allclose(made.force, [normal, min(along, mu * normal), 0.0], rtol=1e-12, atol=1e-12)
    fall = -G_EARTH * (np.sin(slope) - mu * np.cos(slope)) if slides else 0.0
    np.testing.assert_allclose(made.motion, [0.0, fall, 0.0], atol=1e-12)


@pytest.mark.parametrize("share, mode", [(1 + 1e-9, HELD), (1 - 1e-9, SLIPS)])
def test_at_the_limit_of_friction_a_billionth_decides(share, mode):
    made = on_slope(0.3, share * np.tan(0.3))
    assert made.status is SOLVED and made.mode[0] == mode


def test_a_point_that_lands_aslant_keeps_what_coulomb_leaves_it():
    """By the convex law of MuJoCo it would jump up at 0.2 m/s."""
    made = solve(np.eye(3), [-1.0, 1.0, 0.0], contacts(1, 0.5))
    np.testing.assert_allclose(made.motion, [0.0, 0.5, 0.0], atol=1e-12)


def test_four_legs_carry_a_weight_with_the_least_forces():
    """Of all that balance it: those of the pseudo-inverse, as long as none pulls."""
    places = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    mass, inertia, load = 10.0, 2.0, np.array([0.3, 0.1])  # the load's place is where the weight acts
    rows = np.column_stack((np.ones(4), places[:, 1] - load[1], load[0] - places[:, 0]))
    mobility = np.diag([1 / mass, 1 / inertia, 1 / inertia])
    R = np.zeros((12, 3))
    R[::3] = rows
    G, b = R @ mobility @ R.T, R @ np.array([-G_EARTH, 0.0, 0.0])
    made = solve(G, b, contacts(4, 0.0))
    assert made.status is SOLVED
    weights = np.sqrt(np.diag(G)[::3])  # forces count in units of equal mobility
    balance = rows.T / weights
    want = np.linalg.pinv(balance) @ [mass * G_EARTH, 0.0, 0.0] / weights
    np.testing.assert_allclose(made.force[::3], want, rtol=1e-9)
    np.testing.assert_allclose(rows.T @ made.force[::3], [mass * G_EARTH, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_motions_are_of_one_of_all_solutions_that_modes_have(n):
    rng = np.random.default_rng(n)
    for _ in range(60):
        R = rng.standard_normal((2 * n, 2 * n))
        flat, b, mu = (
            R @ np.diag(10.0 ** rng.uniform(-1, 1, 2 * n)) @ R.T,
            rng.standard_normal(2 * n),
            rng.uniform(0, 1, n),
        )
        wide, in_space = np.eye(3 * n), np.zeros(3 * n)
        at = np.arange(3 * n).reshape(n, 3)[:, :2].ravel()
        wide[np.ix_(at, at)], in_space[at] = flat, b
        made = solve(wide, in_space, contacts(n, mu))
        every = solutions(flat, b, mu)
        assert made.status is SOLVED
        assert min(np.abs(made.motion[at] - w).max() for _, w in every) < 1e-8 * np.abs(b).max()


@pytest.mark.parametrize("n", [1, 2, 4, 8])
@pytest.mark.parametrize("rank", [1.0, 0.5])
def test_random_problems_are_solved_to_the_law(n, rank):
    rng = np.random.default_rng(n)
    for _ in range(20):
        G, b, mu = drawn(rng, n, rank)
        made = solve(G, b, contacts(n, mu))
        assert made.status is SOLVED
        assert broken(G, b, mu, made.force) < 1e-8


@pytest.mark.thorough
def test_of_a_thousand_random_problems_all_but_a_few_are_solved():
    rng, unsolved = np.random.default_rng(0), 0
    for _ in range(1000):
        n = int(rng.integers(1, 31))
        G, b, mu = drawn(rng, n, rng.choice([0.5, 1.0]))
        made = solve(G, b, contacts(n, mu))
        unsolved += made.status is not SOLVED
        assert made.status is ContactStatus.NOT_SOLVED or broken(G, b, mu, made.force) < 1e-7
    assert unsolved <= 5


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.floats(-3.0, 3.0), st.floats(-6.0, 6.0), st.floats(-6.0, 6.0))
def test_units_and_tangents_are_anybodys_choice(seed, angle, heavier, faster):
    G, b, mu = drawn(np.random.default_rng(seed), 3)
    first = solve(G, b, contacts(3, mu))
    c, s = np.cos(angle), np.sin(angle)
    turn = np.kron(np.eye(3), np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]))
    second = solve(turn @ G @ turn.T * 10.0**-heavier, turn @ b * 10.0**faster, contacts(3, mu))
    assert first.status is second.status is SOLVED
    want = turn @ first.motion * 10.0**faster
    np.testing.assert_allclose(second.motion, want, atol=1e-6 * np.abs(b).max() * 10.0**faster)


def test_a_contact_that_is_named_twice_shares_its_force():
    rng = np.random.default_rng(3)
    for _ in range(20):
        G, b, mu = drawn(rng, 2)
        twice = np.r_[0:3, 0:6]
        one, two = solve(G, b, contacts(2, mu)), solve(G[np.ix_(twice, twice)], b[twice], contacts(3, mu[[0, 0, 1]]))
        assert two.status is SOLVED
        np.testing.assert_allclose(two.motion[3:], one.motion, atol=1e-8 * np.abs(b).max())
        np.testing.assert_allclose(two.force[:3], two.force[3:6], atol=1e-6 * np.abs(one.force).max())


@pytest.mark.parametrize(
    "b, force, mode", [(1.5, -3.0, HELD), (-2.0, 4.0, HELD), (3.0, -5.0, LOWER), (-3.0, 5.0, UPPER)]
)
def test_a_dry_joint_holds_up_to_its_bound(b, force, mode):
    made = solve([[0.5]], [b], Blocks.of(["dry"], bound=5.0))
    assert made.status is SOLVED and made.mode[0] == mode
    np.testing.assert_allclose([made.force[0], made.motion[0]], [force, b + 0.5 * force], atol=1e-12)


def test_limits_push_and_do_not_pull():
    made = solve(np.diag([0.5, 0.5]), [-1.0, 1.0], Blocks.of(["limit", "limit"]))
    np.testing.assert_allclose(made.force, [2.0, 0.0], atol=1e-12)
    assert list(made.mode) == [HELD, OPEN]


def test_rows_that_are_there_twice_may_differ_by_the_noise_and_no_more():
    G, rows = np.ones((2, 2)), Blocks.of(["bilateral"] * 2)
    np.testing.assert_allclose(solve(G, [3.0, 3.0], rows).force, [-1.5, -1.5], rtol=1e-9)
    assert solve(G, [3.0, 3.0 + 1e-7], rows, noise=1e-6).status is SOLVED
    assert solve(G, [3.0, 3.0 + 1e-7], rows).status is ContactStatus.NO_SOLUTION
    assert solve(np.zeros((3, 3)), [-1.0, 0.0, 0.0], contacts(1, 0.5)).status is ContactStatus.NO_SOLUTION


# Of a rod of mass and half length one: whether it is pressed down, and how much friction there is.
ROD = [
    (-1.0, 1.0, SOLVED),
    (1.0, 1.0, SOLVED),
    (-1.0, 2.5, ContactStatus.NO_SOLUTION),
    (1.0, 2.5, ContactStatus.INDETERMINATE),
]


@pytest.mark.parametrize("angle", [0.0, 0.7])
@pytest.mark.parametrize("pressed, mu, status", ROD)
def test_painleves_rod_has_one_solution_or_none_or_two(pressed, mu, status, angle):
    """It slides on its lower end, at 45 degrees; friction presses the end into the ground where mu exceeds 5/3."""
    x, z, inertia = np.sqrt(0.5), -np.sqrt(0.5), 1 / 3
    along = np.array([np.cos(angle), np.sin(angle)])  # where the rod lies, between the tangents
    j = np.array([-x, *(z * along)])
    rows = Blocks.of(["sliding"], mu, direction=-along)
    made = solve(np.eye(3) + np.outer(j, j) / inertia, [pressed, 0.0, 0.0], rows)
    assert made.status is status
    effective = 1.0 + x**2 / inertia - mu * abs(x * z) / inertia
    if status is SOLVED:
        np.testing.assert_allclose(made.force[0], max(0.0, -pressed / effective), rtol=1e-10)
        np.testing.assert_allclose(made.force[1:], -mu * made.force[0] * along, atol=1e-12)
    if status is ContactStatus.INDETERMINATE:
        normal = sorted([made.motion[0], made.other[0]])
        np.testing.assert_allclose(normal, [0.0, pressed], atol=1e-9)


def test_misuse_is_explained():
    with pytest.raises(
        ValueError, match="unknown kind of rows 'glue'; there are contact, sliding, limit, dry, bilateral"
    ):
        Blocks.of(["glue"])
    with pytest.raises(ValueError, match="mu must be finite and not negative.*a row that never slips is bilateral"):
        contacts(1, np.inf)
    with pytest.raises(ValueError, match=r"blocks of 3 rows need G of shape \(3, 3\) and b of shape \(3,\)"):
        solve(np.eye(2), np.zeros(2), contacts(1, 0.5))
    for G, b in ((np.full((3, 3), np.nan), np.zeros(3)), (np.eye(3), [np.inf, 0.0, 0.0])):
        with pytest.raises(ValueError, match="G and b must be finite"):
            solve(G, b, contacts(1, 0.5))
    assert solve(np.empty((0, 0)), np.empty(0), Blocks.of([])).status is SOLVED
