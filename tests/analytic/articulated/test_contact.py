"""The contact problem: closed forms, every law checked by itself, all modes of small problems, and honest statuses."""

import contact_laws
import numpy as np
import pytest

from tarsus.analytic.articulated import contact, jam
from tarsus.analytic.articulated.blocks import natural_residual
from tarsus.analytic.articulated.contact import ContactStatus, bounded, cone, pack, sliding, solve, unilateral
from tarsus.analytic.articulated.one_contact import solutions_beside
from tarsus.analytic.articulated.redundant import consistent

G = 9.81
MASS, INERTIA = 2.0, np.array([0.1, 0.2, 0.25])
MAKE = {"cone": cone, "sliding": lambda mu, *u: sliding(mu, u), "unilateral": unilateral, "bounded": bounded}


def body(points, gravity):
    """Return matrix and free accelerations of a rigid body at rest that touches a plane z = const. at these points."""
    rows = [np.concatenate([axis, np.cross(point, axis)]) for point in points for axis in np.eye(3)[[2, 0, 1]]]
    rows, inverse = np.array(rows), np.diag(1.0 / np.array([MASS] * 3 + list(INERTIA)))
    return rows @ inverse @ rows.T, rows @ np.concatenate([gravity, np.zeros(3)])


def down(angle):
    return G * np.array([np.sin(angle), 0.0, -np.cos(angle)])


CORNERS = [(x, y, -0.1) for x in (0.3, -0.3) for y in (0.2, -0.2)]


@pytest.mark.parametrize("points", [CORNERS[:3], CORNERS, [*CORNERS, (0.0, 0.0, -0.1)]], ids=len)
@pytest.mark.parametrize("angle", [0.1, 0.3, 0.6])
def test_a_block_on_a_slope_slides_as_the_formula_says(points, angle):
    """It stays below atan mu, else a = g (sin - mu cos), however many points it stands on."""
    mu = 0.4
    found = solve(*body(points, down(angle)), [cone(mu)] * len(points))
    assert found.status is ContactStatus.SOLVED and found.residual < 1e-10
    slip = found.velocity.reshape(-1, 3)
    assert np.allclose(slip[:, 1], max(G * (np.sin(angle) - mu * np.cos(angle)), 0.0), atol=1e-9)
    assert np.allclose(slip[:, [0, 2]], 0.0, atol=1e-9)
    assert found.force[::3].sum() == pytest.approx(MASS * G * np.cos(angle), rel=1e-9)


@pytest.mark.parametrize("side", [-1, 1])
def test_a_block_at_the_limit_of_friction_stays_or_slides_to_nine_digits(side):
    mu = 0.5
    angle = np.arctan(mu) * (1.0 + side * 1e-9)
    found = solve(*body(CORNERS, down(angle)), [cone(mu)] * 4)
    expected = max(G * (np.sin(angle) - mu * np.cos(angle)), 0.0)
    assert found.status is ContactStatus.SOLVED
    assert np.allclose(found.velocity[1::3], expected, atol=1e-12) and (expected > 0.0) == (side > 0)


def test_a_chair_stands_with_the_least_forces():
    """Its legs share the load: of all that balance, the least sum of squares. A leg in the middle gets its part too."""
    found = solve(*body(CORNERS, down(0.0)), [cone(0.5)] * 4)
    assert np.allclose(found.force.reshape(4, 3), [MASS * G / 4, 0, 0], atol=1e-9)
    normal = solve(*(part[..., ::3] if part.ndim == 1 else part[::3, ::3] for part in body(
        [*CORNERS, (0.1, 0.0, -0.1)], down(0.0))), [unilateral()] * 5).force  # fmt: skip
    weight = np.diag(body([*CORNERS, (0.1, 0.0, -0.1)], down(0.0))[0])[::3]
    rows = np.array([[1.0] * 5, [0.3, 0.3, -0.3, -0.3, 0.1], [0.2, -0.2, 0.2, -0.2, 0.0]])  # force and two moments
    least = rows.T / weight[:, None] @ np.linalg.solve(rows / weight @ rows.T, [MASS * G, 0.0, 0.0])
    assert (least > 0.0).all() and np.allclose(normal, least, rtol=1e-7)


def test_a_spinning_block_on_a_slope_is_indeterminate_and_says_so():
    """Slips point different ways and loads of four corners are not unique: accelerations differ, by some 0.1 m/s^2."""
    matrix, free = body(CORNERS, down(0.3))
    blocks = [sliding(0.5, (0.3 - 2.0 * y, 2.0 * x)) for x, y, _ in CORNERS]
    found = solve(matrix, free, blocks)
    assert found.status is ContactStatus.INDETERMINATE
    for force in (found.force, found.other):
        laws = [("sliding", b.mu, *b.direction) for b in blocks]
        assert contact_laws.violation(matrix, free, force, laws) < 1e-8
    assert np.abs(matrix @ (found.other - found.force)).max() > 0.05


@pytest.mark.parametrize("angle", [0.3, 1.0, 1.3])
@pytest.mark.parametrize("push", [-1.0, 1.0])
@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_painleves_rod_has_one_solution_none_or_two(angle, push, way):
    """A rod of length 2 l slides on its end, at an angle to the ground.

    w = (1/m + l^2 cos^2/I + mu way l^2 sin cos / I) f + b: where the bracket is negative and friction digs the end in,
    there are two solutions for b > 0, and none for b < 0.
    """
    mass, length, mu = 1.0, 1.0, 2.0
    inertia = mass * length**2 / 3.0
    rows = [[0.0, 1.0, -length * np.cos(angle)], [1.0, 0.0, length * np.sin(angle)], [0.0, 0.0, 0.0]]  # n, t1, t2
    matrix = np.array(rows) @ np.diag([1.0 / mass, 1.0 / mass, 1.0 / inertia]) @ np.array(rows).T
    found = solve(matrix, [push, 0.0, 0.0], [sliding(mu, (way, 0.0))])
    slope = matrix[0, 0] - mu * way * matrix[0, 1]
    assert (slope < 0.0) == (way < 0.0 and angle > 0.5)
    if slope > 0.0:
        assert found.status is ContactStatus.SOLVED and found.force[0] == pytest.approx(max(0.0, -push / slope))
    elif push > 0.0:
        assert found.status is ContactStatus.INDETERMINATE
        assert sorted([found.force[0], found.other[0]]) == pytest.approx([0.0, -push / slope])
    else:
        assert found.status is ContactStatus.NO_SOLUTION


def test_a_jam_is_proved_with_redundant_contacts_and_not_claimed_where_friction_is_less():
    """The rod that has no solution, with its foot counted k times: no system of several feet that shut is regular."""
    rows = np.array([[0.0, 1.0, -np.cos(1.0)], [1.0, 0.0, np.sin(1.0)], [0.0, 0.0, 0.0]])
    for k in (1, 2, 5, 11):
        many = np.vstack([rows] * k)
        matrix, free = many @ np.diag([1.0, 1.0, 3.0]) @ many.T, np.array([-1.0, 0.0, 0.0] * k)
        status = [solve(matrix, free, [sliding(mu, (-1.0, 0.0))] * k).status for mu in (2.0, 0.5)]
        jams = ContactStatus.NO_SOLUTION if k <= jam.MOST else ContactStatus.NOT_SOLVED
        assert status == [jams, ContactStatus.SOLVED]


@pytest.mark.parametrize("seed", range(40))
def test_proofs_of_no_solution_are_those_of_all_modes(seed):
    rng = np.random.default_rng([7, seed])
    matrix, free, blocks = random_problem(rng, 4, 9, ["sliding", "sliding", "unilateral", "bounded"][: 3 + seed % 2])
    blocks = [(kind, (8.0 if kind == "sliding" else 1.0) * numbers[0], *numbers[1:]) if numbers else (kind,)
              for kind, *numbers in blocks]  # fmt: skip
    none = len(contact_laws.solutions(matrix, free, blocks)) == 0
    assert jam.has_no_solution(matrix, free, [MAKE[kind](*numbers) for kind, *numbers in blocks]) == none


@pytest.mark.parametrize("seed", range(12))
def test_one_cone_among_others_has_all_its_solutions(seed):
    """Each obeys the laws, and there is one wherever friction along an angle lets the foot slip along that angle."""
    rng = np.random.default_rng([9, seed])
    _, _, blocks = random_problem(rng, 3, 9, ["sliding", "unilateral", "bounded"])
    blocks[0] = ("cone", rng.uniform(0.5, 8.0))
    rows = rng.normal(size=(sum(3 if block[0] in ("cone", "sliding") else 1 for block in blocks), 9))
    matrix, free = rows @ np.diag(10.0 ** rng.uniform(-1.0, 1.0, 9)) @ rows.T, rows @ rng.normal(size=9)
    free[0] = -abs(free[0])
    made = [MAKE[kind](*numbers) for kind, *numbers in blocks]
    found, one = solutions_beside(matrix, free, made), solve(matrix, free, made)
    assert (one.status is ContactStatus.NO_SOLUTION) == (not found)
    assert not found or min(np.abs(matrix @ force + free - one.velocity).max() for force in found) < 1e-7
    assert all(contact_laws.violation(matrix, free, force, blocks) < 1e-8 for force in found)
    slips = [np.arctan2(*(matrix @ force + free)[[2, 1]]) for force in found if force[0] > 0.0]
    grid = np.linspace(-np.pi, np.pi, 721)
    for angle in grid:
        along = [("sliding", blocks[0][1], np.cos(angle), np.sin(angle)), *blocks[1:]]
        for w in contact_laws.solutions(matrix, free, along):
            off = np.angle(np.exp(1j * (np.arctan2(w[2], w[1]) - angle)))
            if abs(w[0]) < 1e-9 and abs(off) < 0.4 * (grid[1] - grid[0]):
                assert min(np.abs(np.angle(np.exp(1j * (np.array(slips) - angle)))), default=9.0) < 0.1


def random_problem(rng, n_blocks, rank, kinds):
    """Return a problem whose rows meet `rank` degrees of freedom of masses over a factor of 100."""
    blocks = []
    for kind in rng.choice(kinds, n_blocks):
        u = rng.normal(size=2)
        numbers = {"cone": [rng.uniform(0.0, 1.0)], "sliding": [rng.uniform(0.0, 0.3), *(u / np.linalg.norm(u))],
                   "unilateral": [], "bounded": [rng.uniform(0.0, 2.0)]}[kind]  # fmt: skip
        blocks.append((str(kind), *numbers))
    m = sum(3 if block[0] in ("cone", "sliding") else 1 for block in blocks)
    rows = rng.normal(size=(m, rank)) * 10.0 ** rng.uniform(-1.0, 1.0, rank)
    return rows @ rows.T, rows @ rng.normal(size=rank), blocks


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [1, 2, 4, 8, 12])
def test_solutions_of_random_problems_obey_every_law(size, seed):
    """Also where rows are redundant: twice as many as degrees of freedom. Solved in all cases that were ever drawn."""
    rng = np.random.default_rng([size, seed])
    for k in range(10):
        kinds = ["cone", "cone", "unilateral", "bounded"]
        matrix, free, blocks = random_problem(rng, size, max(3, 3 * size // (1 + k % 2)), kinds)
        found = solve(matrix, free, [MAKE[kind](*numbers) for kind, *numbers in blocks])
        assert found.status is ContactStatus.SOLVED
        assert contact_laws.violation(matrix, free, found.force, blocks) < 1e-8
        assert np.allclose(found.velocity, matrix @ found.force + free)


@pytest.mark.parametrize("seed", range(30))
def test_problems_whose_slips_are_known_are_judged_as_all_modes_say(seed):
    rng = np.random.default_rng(seed)
    kinds = ["sliding", "sliding", "unilateral", "bounded"]
    matrix, free, blocks = random_problem(rng, 3, 9, kinds)
    blocks = [
        (kind, 8.0 * numbers[0], *numbers[1:]) if kind == "sliding" else (kind, *numbers) for kind, *numbers in blocks
    ]
    expected = contact_laws.solutions(matrix, free, blocks)
    found = solve(matrix, free, [MAKE[kind](*numbers) for kind, *numbers in blocks])
    wanted = [ContactStatus.NO_SOLUTION, ContactStatus.SOLVED, ContactStatus.INDETERMINATE][min(len(expected), 2)]
    assert found.status is wanted
    if len(expected):
        first = [r.start for r in contact_laws.rows_of(blocks)]
        assert min(np.abs(found.velocity - w)[first].max() for w in expected) < 1e-7
        assert contact_laws.violation(matrix, free, found.force, blocks) < 1e-8


def test_redundant_rows_that_contradict_each_other_are_told_apart():
    """Within the noise they share the load, about evenly; else forces grow until one row gives way."""
    matrix, free = np.ones((2, 2)), np.array([-1.0, -1.0 - 1e-8])
    exact = solve(matrix, free, [unilateral(), unilateral()])
    assert exact.status is ContactStatus.SOLVED and np.allclose(exact.force, [0.0, 1.0 + 1e-8], atol=1e-9)
    shared = solve(matrix, free, [unilateral(), unilateral()], noise=1e-6)
    assert shared.status is ContactStatus.SOLVED and np.allclose(shared.force, 0.5, atol=0.05)
    assert 1e-9 < shared.mismatch < 1e-6
    held = solve(matrix, free, [bounded(0.7), bounded(0.7)])
    assert held.status is ContactStatus.SOLVED and np.allclose(held.force, [0.3, 0.7], atol=1e-8)


VERGE = [[0.8532858, 0, 0, 0, 0], [-0.003648, 0.7786815, 0, 0, 0], [0.1820076, 0.2063491, 0.4764323, 0, 0],
         [0.5207771, -0.1823456, -0.1063906, 0.6421211, 0], [0.0085509, 0.5423747, -0.0475029, -0.1010802, 0.1707606],
         [0.1685832, 0.4664041, 0.5287097, 0.1112383, -0.1879217]]  # fmt: skip


def test_rows_that_nearly_follow_lose_only_the_direction_that_hardly_moves():
    """Rows of different sizes, the last follows from two others but for 1e-5 of its size: of A that is 1e-10."""
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(4, 6)) * np.array([[1.0], [0.3], [3.0], [1.0]])
    rows[3] = rows[0] - 2.0 * rows[1] + 1e-5 * rng.normal(size=6)
    matrix, free = rows @ rows.T, rows @ rng.normal(size=6)
    found, inside = consistent(matrix, free, np.ones(4), 1e-3)
    assert np.linalg.matrix_rank(matrix, 1e-13) == 4 and np.linalg.matrix_rank(found, 1e-13) == 3
    assert found == pytest.approx(matrix, abs=1e-8) and inside == pytest.approx(free, abs=1e-4)
    assert np.abs(inside - free).max() > 1e-7 and np.allclose(found @ np.linalg.lstsq(found, inside)[0], inside)
    as_they_were = consistent(matrix, free, np.ones(4), 1e-9)
    assert np.array_equal(as_they_were[0], matrix) and np.array_equal(as_they_were[1], free)


def test_two_feet_of_a_body_at_the_verge_of_slipping_stay():
    """A trunk on its edge needs all but 1e-4 of its friction: accelerations are what the rows contradict each other by.

    What may be wrong in b does not excuse others, which would make a foot slip against its friction.
    """
    matrix, noise = np.array(VERGE) @ np.transpose(VERGE), 8e-4
    free = np.array([-25.3898219, -1.6562904, 1.8228572, -25.3897302, -1.6563477, 1.8229203])
    free[[0, 3]] *= 1.0001
    found = solve(matrix, free, [cone(0.7)] * 2, noise=noise)
    assert found.status is ContactStatus.SOLVED and found.residual < 1e-10
    assert 1e-8 < np.abs(found.velocity).max() < 5e-7
    assert found.mismatch == pytest.approx(np.abs(found.velocity).max(), rel=1e-2)


def test_a_row_that_nothing_moves_takes_no_force():
    matrix = np.diag([1.0, 0.0, 0.0])
    found = solve(matrix, [-1.0, 0.0, 0.0], [cone(0.5)])
    assert found.status is ContactStatus.SOLVED and np.allclose(found.force, [1.0, 0.0, 0.0])
    assert solve(np.zeros((0, 0)), [], []).status is ContactStatus.SOLVED


def test_what_closes_and_nothing_moves_has_no_solution():
    for matrix, free, blocks in (
        ([[0.0]], [-1.0], [unilateral()]),
        (np.diag([1.0, 1.0, 1.0, 0.0]), [-1.0, 0.0, 0.0, -1.0], [cone(0.5), unilateral()]),
        (np.diag([0.0, 1.0, 1.0]), [-1.0, 0.3, 0.0], [cone(0.5)]),
        (np.diag([0.0, 1.0, 1.0, 1.0]), [-1e-3, 0.0, 0.0, -1.0], [sliding(0.5, (1.0, 0.0)), unilateral()]),
    ):
        assert solve(matrix, free, blocks).status is ContactStatus.NO_SOLUTION
        opening = solve(matrix, np.abs(free), blocks)
        assert opening.status is ContactStatus.SOLVED and not opening.force.any()
    assert solve([[0.0]], [-1e-6], [unilateral()], noise=1e-5).status is ContactStatus.SOLVED


def test_friction_acts_on_what_moves_and_cannot_be_stopped():
    """A dry joint and a contact on a belt, which no force slows."""
    matrix, free = np.diag([1.0, 0.0]), np.array([-1.0, 3.0])
    dry = solve(matrix, free, [unilateral(), bounded(0.7)])
    assert dry.status is ContactStatus.SOLVED and np.allclose(dry.force, [1.0, -0.7], atol=1e-9)
    matrix, free = np.diag([1.0, 1.0, 0.0]), np.array([-1.0, 0.0, 2.0])
    belt = solve(matrix, free, [cone(0.5)])
    assert belt.status is ContactStatus.SOLVED and np.allclose(belt.force, [1.0, 0.0, -0.5], atol=1e-9)


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6, 1e-7, 1e-8])
def test_what_is_clamped_from_both_sides_is_not_called_solved(gap):
    """However large the forces: they move nothing, and both sides close."""
    matrix = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for one, blocks in (([[1.0]], [unilateral()] * 2), (np.eye(3), [cone(0.5)] * 2)):
        free = np.zeros(2 * len(one))
        free[[0, len(one)]] = -1.0, 1.0 - gap
        assert solve(np.kron(matrix, one), free, blocks).status is not ContactStatus.SOLVED


def heavy_and_light(seed, n):
    """Return a problem of n contacts of half rank, on masses over a factor of 1e4."""
    rng = np.random.default_rng([seed, n])
    rows = rng.standard_normal((3 * n, max(3, 3 * n // 2)))
    matrix = rows / 10.0 ** rng.uniform(-2.0, 2.0, rows.shape[1]) @ rows.T
    return matrix, rows @ rng.standard_normal(rows.shape[1]), [("cone", mu) for mu in rng.uniform(0.1, 1.2, n)]


@pytest.mark.parametrize("n", [7, 14, 30])
def test_many_contacts_on_few_degrees_of_freedom_are_solved(n):
    solved = 0
    for seed in range(100, 150):
        matrix, free, blocks = heavy_and_light(seed, n)
        found = solve(matrix, free, [cone(mu) for _, mu in blocks])
        solved += found.status is ContactStatus.SOLVED
        if found.status is ContactStatus.SOLVED:
            assert contact_laws.violation(matrix, free, found.force, blocks) < 1e-8
    assert solved >= 49


def test_units_do_not_matter():
    """A problem in grams and micrometres has the same solution, however far apart the mobilities of its blocks are."""
    rng = np.random.default_rng(1)
    matrix, free, blocks = random_problem(rng, 4, 9, ["cone", "unilateral"])
    one = solve(matrix, free, [MAKE[kind](*numbers) for kind, *numbers in blocks])
    scale = np.concatenate([np.full(r.stop - r.start, s) for r, s in zip(
        contact_laws.rows_of(blocks), 10.0 ** rng.uniform(-4.0, 4.0, 4), strict=True)])  # fmt: skip
    other = solve(matrix * scale[:, None] * scale, free * scale * 1e5, [MAKE[kind](*n) for kind, *n in blocks])
    assert np.allclose(other.force, one.force * 1e5 / scale, rtol=1e-6, atol=1e-12)


def test_nan_is_no_solution():
    """max(0, nan) is 0: a certificate that does not look would accept it."""
    w, out = np.zeros(3), np.zeros(3)
    assert natural_residual(np.eye(3), np.ones(3), np.full(3, np.nan), pack([cone(0.5)]), w, out) == np.inf


def test_misuse_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="blocks have 3 rows; matrix has shape"):
        solve(np.eye(2), np.ones(2), [cone(0.5)])
    with pytest.raises(ValueError, match="matrix and free must be finite"):
        solve(np.eye(1), [np.nan], [unilateral()])
    with pytest.raises(ValueError, match="matrix must be symmetric"):
        solve([[1.0, 0.5], [0.0, 1.0]], [0.0, 0.0], [unilateral()] * 2)
    with pytest.raises(ValueError, match="positive semidefinite"):
        solve([[1.0, 2.0], [2.0, 1.0]], [0.0, 0.0], [unilateral()] * 2)
    with pytest.raises(ValueError, match="mu must be a finite number"):
        cone(np.inf)
    with pytest.raises(ValueError, match="direction must be two numbers"):
        sliding(0.5, (0.0, 0.0))
    assert len(contact.STATUSES) == 4
