"""Batches, broadcasting, the fast path, calls from compiled code, plain Python, and misuse."""

import subprocess
import sys

import numpy as np
import pytest

from tarsus.analytic import contact
from tarsus.analytic.compilation import jit
from tarsus.analytic.contact import LAWS, Feet, Solver, SolverStatus, force_scale, kernels, lag_filter, solve

FEET = Feet(100.0, 0.5, 5.0)

# The paths are compiled apart, and sums may be reordered: 1e-16 of 5 N, grown by the tilt of narrow stances. Coulomb's
# velocity is known to the square root of its gap of 1e-9.
ROUNDING = {"viscous": 1e-9, "coulomb": 1e-3}


@pytest.mark.parametrize("law", LAWS)
def test_every_law_honours_the_contract(law, hexapods):
    pos, vel = hexapods[0][:8].reshape(2, 4, 6, 3), hexapods[1][:8].reshape(2, 4, 6, 2)
    found = solve(pos, vel, FEET, law)
    assert found.twist.shape == (2, 4, 3) and found.force.shape == (2, 4, 6, 3) and found.load.shape == (2, 4, 6)
    assert found.solved.all() and found.status[1, 2] is SolverStatus.SOLVED
    slip = vel + found.twist[..., None, :2] + found.twist[..., None, 2:] * np.stack([-pos[..., 1], pos[..., 0]], -1)
    assert np.all(np.sum(found.force[..., :2] * slip, axis=-1) <= 1e-8)  # no foot drives, up to the gap
    np.testing.assert_allclose(found.force[..., :2].sum(axis=-2), 0, atol=1e-8)
    one = solve(pos[1, 2], vel[1, 2], FEET, law)
    np.testing.assert_allclose(one.force, found.force[1, 2], rtol=0, atol=1e-9 if law == "viscous" else 1e-3)
    assert one.status is SolverStatus.SOLVED and one.twist.shape == (3,)


def test_arguments_broadcast_as_in_numpy(hexapods, rng):
    pos, vel = hexapods[0][:5], hexapods[1][0]
    weight, mu = rng.uniform(4, 6, (3, 1)), rng.uniform(0.2, 1, (5, 6))
    found = solve(pos, vel, Feet(100.0, mu, weight), ground=0.01 * rng.random(6))
    assert found.twist.shape == (3, 5, 3)
    np.testing.assert_allclose(found.load.sum(axis=-1), np.broadcast_to(weight, (3, 5)))
    empty = solve(np.zeros((0, 6, 3)), np.zeros((0, 6, 2)), FEET)
    assert empty.force.shape == (0, 6, 3) and empty.status.shape == (0,)


@pytest.mark.extra
@pytest.mark.parametrize("law", ["viscous", "coulomb"])
def test_threads_change_nothing(law, rng):
    pos, vel = rng.uniform(-1, 1, (5000, 6, 3)), rng.normal(size=(5000, 6, 2))
    serial, parallel = (solve(pos, vel, FEET, law, parallel=choice) for choice in (False, True))
    np.testing.assert_allclose(serial.force, parallel.force, rtol=0, atol=ROUNDING[law])
    np.testing.assert_array_equal(serial.code, parallel.code)
    assert 0 < np.sum(~serial.solved) < 5000


@pytest.mark.parametrize("law", ["viscous", "coulomb"])
def test_the_fast_path_gives_the_same_answer(law, hexapods):
    pos, vel = hexapods
    solver, batch = Solver(FEET, 6, law), solve(pos, vel, FEET, law)
    for i in range(20):
        found = Solver.motion(solver(pos[i], vel[i]))
        np.testing.assert_allclose(found.force, batch.force[i], rtol=0, atol=ROUNDING[law])
        np.testing.assert_allclose(found.twist, batch.twist[i], rtol=0, atol=ROUNDING[law])
        assert found.status is SolverStatus.SOLVED


@pytest.mark.extra
def test_compiled_code_calls_the_kernels(hexapods):
    pos, vel = hexapods
    frames, rows, columns = kernels.frames, kernels.SCRATCH_ROWS, kernels.OUT_COLUMNS
    feet, weight = np.array([[[100.0, 0.5, 0.0, 0.0, 0.0]] * 6]), np.array([5.0])

    @jit
    def mean_speed(pos, vel, feet, weight):
        out, force = np.empty((pos.shape[0], columns)), np.empty((pos.shape[0], pos.shape[1], 3))
        code, scratch = np.empty(pos.shape[0], np.int64), np.empty((rows, pos.shape[1]))
        frames(0, pos.shape[0], pos, vel, feet, weight, 1, 0.0, False, scratch, out, force, code)
        return out[:, 3].mean()

    assert mean_speed(pos, vel, feet, weight) == pytest.approx(solve(pos, vel, FEET).twist[:, 0].mean())


def test_without_numba_the_same_source_gives_the_same_numbers(hexapods, tmp_path):
    pos, vel = hexapods[0][:20], hexapods[1][:20]
    np.savez(tmp_path / "frames.npz", pos=pos, vel=vel)
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "import numpy as np\n"
        "from tarsus.analytic.compilation import has_numba\n"
        "from tarsus.analytic.contact import Feet, solve, se2\n"
        "assert not has_numba()\n"
        f"f = np.load({str(tmp_path / 'frames.npz')!r})\n"
        "v, c = (solve(f['pos'], f['vel'], Feet(100.0, 0.5, 5.0), law) for law in ('viscous', 'coulomb'))\n"
        "walked = se2.integrate(v.twist, 0.01, method='blocks')\n"
        f"np.savez({str(tmp_path / 'plain.npz')!r}, v=v.force, c=c.force, t=v.twist, walked=walked)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    plain = np.load(tmp_path / "plain.npz")
    viscous, coulomb = solve(pos, vel, FEET), solve(pos, vel, FEET, "coulomb")
    np.testing.assert_allclose(plain["v"], viscous.force, atol=1e-12)
    np.testing.assert_allclose(plain["t"], viscous.twist, atol=1e-12)
    np.testing.assert_allclose(plain["c"], coulomb.force, atol=1e-3)  # both within the gap of 1e-9
    assert plain["walked"].shape == (21, 3)


def test_answers_turn_with_the_robot(hexapods):
    pos, vel = hexapods
    turn = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    turned = pos.copy()
    turned[..., :2] = pos[..., :2] @ turn.T
    one, other = solve(pos, vel, FEET), solve(turned, vel @ turn.T, FEET)
    np.testing.assert_allclose(other.load, one.load, atol=1e-12)
    np.testing.assert_allclose(other.twist[..., :2], one.twist[..., :2] @ turn.T, atol=1e-11)
    np.testing.assert_allclose(other.twist[..., 2], one.twist[..., 2], atol=1e-11)


def test_tilt_terms_move_places_and_velocities_by_the_tilt(hexapods, rng):
    pos, vel = hexapods[0], rng.normal(size=(200, 6, 3))
    found = solve(pos, vel, FEET, tilt_terms=True)
    a = np.stack([found.pitch, -found.roll], axis=-1)[:, None]
    from tarsus.analytic.contact import slide

    moved, faster = pos[..., :2] + a * pos[..., 2:], vel[..., :2] + a * vel[..., 2:]
    np.testing.assert_allclose(found.twist, slide(moved, faster, found.load, 0.5).twist, atol=1e-12)
    assert np.abs(found.twist - solve(pos, vel, FEET).twist).max() > 1e-3


def test_nothing_is_unique_beside_nan(hexapods):
    """Without equilibrium there is no tilt and no twist; loads that are given say nothing of the tilt."""
    pos, vel = hexapods
    beside = solve(pos + [10.0, 0, 0], vel, FEET, "coulomb")
    assert np.isnan(beside.twist).all() and np.isnan(beside.pitch).all()
    assert not beside.tilt_unique.any() and not beside.twist_unique.any()
    assert not contact.support(pos + [10.0, 0, 0], 100.0, 5.0).tilt_unique.any()
    given = contact.slide(pos, vel, 1.0, 0.5)
    assert np.isnan(given.pitch).all() and not given.tilt_unique.any() and given.twist_unique.all()
    one = Solver.motion(Solver(FEET, 6)(pos[0] + [10.0, 0, 0], vel[0]))
    assert one.status is SolverStatus.NO_EQUILIBRIUM and not one.tilt_unique and not one.twist_unique


def test_the_lag_filter_is_its_recursion(rng):
    x = rng.normal(size=(3, 40, 3))
    y = lag_filter(x, 0.15)
    np.testing.assert_allclose(y[:, 0], x[:, 0], rtol=1e-15)
    np.testing.assert_allclose(y[:, 1:], 0.15 * y[:, :-1] + 0.85 * x[:, 1:], atol=1e-14)
    np.testing.assert_allclose(lag_filter(x, 0.0), x, atol=0)


def test_the_force_scale_is_the_minimum(rng):
    model, data = rng.normal(size=(7, 6, 2)), rng.normal(size=(7, 6, 2))
    a, b = np.linalg.norm(model, axis=-1), np.linalg.norm(data, axis=-1)
    best = force_scale(model, data)
    loss = [np.sum((s[:, None] * a - b) ** 2, axis=-1) for s in (best, 1.001 * best, 0.999 * best)]
    assert np.all(loss[0] < loss[1]) and np.all(loss[0] < loss[2])
    assert np.isnan(force_scale(np.zeros((1, 6, 2)), data[:1]))


POS, VEL = np.zeros((6, 3)), np.zeros((6, 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: solve(POS[:, :2], VEL, FEET), r"foot_pos must have shape \(\.\.\., n, 3\)"),
        (lambda: solve(POS, VEL[:5], FEET), "foot_vel must have as many feet as foot_pos: got 5 and 6"),
        (lambda: solve(POS, VEL + np.inf, FEET), "foot_vel must be finite"),
        (lambda: solve(POS, VEL, FEET, tilt_terms=True), "foot_vel must have shape"),
        (lambda: solve(np.zeros((2, 6, 3)), np.zeros((3, 6, 2)), FEET), "do not broadcast: foot_pos"),
        (lambda: solve("abc", VEL, FEET), "foot_pos must be an array of numbers"),
        (lambda: Solver(FEET, 6)(POS[:5], VEL), "foot_pos must have shape"),
        (lambda: Solver(FEET, 6)(np.stack([POS, POS]), VEL), "a Solver takes one frame"),
        (lambda: Solver(FEET, 6)(1e155 + POS, VEL), "not beyond 1e50 in size"),
        (lambda: solve(1e155 + POS, VEL, FEET), r"foot_pos must not exceed 1e\+50 in size, got 1e\+155"),
        (lambda: solve(POS, 1e51 + VEL, FEET), r"foot_vel must not exceed 1e\+50 in size, got 1e\+51"),
        (lambda: Solver(FEET, 6)(POS, VEL[:, :1].copy()), "foot_vel must have shape"),
        (lambda: Solver(FEET, 6)(POS * np.nan, VEL), "must be finite"),
        (lambda: Solver(FEET, 6, "epsilon"), "use solve"),
        (lambda: Solver(Feet(np.ones((2, 6)), 1.0, 1.0), 6), "Solver takes one robot"),
        (lambda: lag_filter(np.zeros((5, 3)), 1.0), "gamma must lie in"),
        (lambda: lag_filter(np.zeros(5), 0.1), "twist must have shape"),
    ],
)
def test_misuse_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
