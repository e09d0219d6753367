"""The chain of rigid links, and both legs made of it, against derivatives of energies and a geometric recipe."""

import numpy as np
import pytest
import rigid_chain as geometric
import symbolic

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import hopping_leg_mechanics as hopping
from tarsus.analytic.models import rigid_chain as chain
from tarsus.analytic.models import slip_leg, slip_leg_motion
from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.analytic.models.slip_leg import SlipLegParams

ROUNDING = 1e-12  # of terms of size 10 to 100
JOINTS = [(2, 1, 0, 0), (3, 4, 2, 2), (5, 1, 3, 2, 4, 0), (0, 5, 2)]  # the legs', and slides behind hinges
N_LINK_NUMBERS, N_MOTOR_NUMBERS = 47, 12  # of the hopping leg's vector p; without motors, the latter are zero


def close(actual, wanted):
    np.testing.assert_allclose(actual, wanted, rtol=ROUNDING, atol=ROUNDING)


def filled(function, *arguments, shape):
    out = np.full(shape, np.nan)
    function(*arguments, out)
    return out


@pytest.fixture(params=JOINTS, ids=str)
def random_chain(request):
    """Return a random chain, gravity, and a state; then the same chain for the oracle."""
    rng, joints, n = np.random.default_rng(0), request.param, len(request.param)
    offset, com, inertia = rng.uniform(-1, 1, (n, 3)), rng.uniform(-1, 1, (n, 3)), rng.uniform(0.1, 1, (n, 6))
    mass, q, dq = rng.uniform(0.1, 1, n), rng.uniform(-3, 3, n), rng.uniform(-5, 5, n)
    axes = np.eye(3)
    links = [
        geometric.Link("hinge" if joint < 3 else "slide", axes[joint % 3], *parts)
        for joint, *parts in zip(joints, offset, mass, com, inertia, strict=True)
    ]
    frames = filled(chain.link_frames, joints, offset, q, dq, shape=(n + 1, 7, 3))
    return (joints, frames, mass, com, inertia), np.array([1.0, -4.0, 9.0]), (q, dq), links


def test_mass_matrix_and_bias_of_any_chain(random_chain):
    made, gravity, (q, dq), links = random_chain
    n, down = len(q), np.linalg.norm(gravity)
    M, h = np.full((n, n), np.nan), np.full(n, np.nan)
    chain.mass_and_bias(*made, gravity, M, h)
    close(M, geometric.mass_matrix(links, q))
    G = geometric.gravity_vector(links, q, down, -gravity / down)
    close(h, geometric.coriolis_matrix(links, q, dq) @ dq + G)
    _, frames, mass, com, _ = made
    close(chain.potential_energy(frames, mass, com, gravity), geometric.potential(links, q, down, -gravity / down).real)


def test_points_of_any_chain(random_chain):
    (joints, frames, *_), _, (q, dq), links = random_chain
    n, local = len(q), np.array([0.3, -0.7, 0.2])
    for k in range(n):
        way = chain.along(frames[k + 1], local)
        J = filled(chain.jacobian, joints, frames, k, way, shape=(6, n))
        close(frames[: k + 2, chain.WAY].sum(axis=0) + way, geometric.point(links, q, k, local))
        _, linear, angular = geometric.jacobians(links, q, k, local)
        close(J, np.vstack([linear.real, angular.real]))
        close(frames[k + 1, chain.SPIN], J[3:] @ dq)
        rate = geometric.point_jacobian_rate(links, q, dq, k, local)
        close(chain.acceleration(frames[k + 1], way), rate @ dq)


def test_no_digits_are_lost_far_from_the_origin():
    p, near = hy.vector(SlipLegParams()), np.array([0.0, 0.8, 0.5, -1.0, 2.0, -1.0, 3.0, -4.0])
    far = near.copy()
    far[0] = 1e9
    for one, other in zip(slip_leg_motion.terms(near, p), slip_leg_motion.terms(far, p), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.fixture(scope="module")
def formulas():
    """Return the functions of each machine's terms, derived by SymPy from its energies."""
    return {name: symbolic.terms(name) for name in symbolic.MACHINES}


def states(n_parameters):
    rng = np.random.default_rng(0)
    for _ in range(5):
        p = rng.uniform(0.1, 1.0, n_parameters)
        yield p, rng.uniform(-3, 3, 4), rng.uniform(-5, 5, 4)


@pytest.mark.extra
def test_hopping_leg_is_the_derivation_from_its_energies(formulas):
    for links, q, dq in states(N_LINK_NUMBERS):
        p = np.concatenate([links, np.zeros(N_MOTOR_NUMBERS)])
        wanted = formulas["hopping_leg"](q, dq, p)
        frames, J, M, h = hopping.frames_of(q, dq, p), np.empty((6, 4)), np.empty((4, 4)), np.empty(4)
        hopping.mass_and_bias(frames, dq, p, M, h)
        drift = hopping.toe_jacobian(frames, p, J)
        close(M, wanted["M"])
        close(h, wanted["C"] @ dq + wanted["G"])
        close(J[:3], wanted["J_toe"])
        close(drift, wanted["dJ_toe"] @ dq)
        close(hopping.potential_energy(q, p), wanted["V"][0])
        close(hopping.kinetic_energy(q, dq, p), 0.5 * dq @ wanted["M"] @ dq)
        close(filled(hopping.toe_position, q, p, shape=3), wanted["toe"])
        close(filled(hopping.leg_position, q, p, shape=2), wanted["leg"])
        close(filled(hopping.leg_jacobian, q, p, shape=(2, 2)), wanted["J_leg"][:, 2:])
        origins = np.cumsum(frames[:, chain.WAY], axis=0)
        close(origins[3:], [wanted["hip"], wanted["knee"]])


def test_slip_leg_is_the_derivation_from_its_energies(formulas):
    for p, q, v in states(11):
        wanted, x = formulas["slip_leg"](q, v, p), np.concatenate([q, v])
        M, h, J_foot, J_com, drift_foot, drift_com = slip_leg_motion.terms(x, p)
        close(M, wanted["M"])
        close(h, wanted["C"] @ v + wanted["G"])
        for point, J, drift in (("foot", J_foot, drift_foot), ("com", J_com, drift_com)):
            close(J, wanted[f"J_{point}"])
            close(drift, wanted[f"dJ_{point}"] @ v)
            place = filled(getattr(slip_leg, f"{point}_state"), x, p, shape=4)
            close(place, np.concatenate([wanted[point], wanted[f"J_{point}"] @ v]))
        close(slip_leg_motion.energy(x, p), 0.5 * v @ wanted["M"] @ v + wanted["V"][0])


def kkt(M, load, J, drift):
    """Return rate and force of M rate = load + J^T force, J rate + drift = 0, as one indefinite system."""
    zero = np.zeros((len(J), len(J)))
    both = np.linalg.solve(np.block([[M, -J.T], [J, zero]]), np.concatenate([load, -drift]))
    return np.split(both, [len(M)])


@pytest.mark.parametrize("motor_mode", ["ideal", "current", "voltage"])
def test_flight_stance_and_impact_of_the_hopping_leg_by_the_formulas(formulas, motor_mode):
    params = HoppingLegParams(motor_mode=motor_mode)
    p, u = hy.vector(hopping.numbers(params)), np.array([3.0, -7.0])
    for _, q, dq in states(1):
        wanted = formulas["hopping_leg"](q, dq, p)
        x, y = wanted["toe"][:2] / np.hypot(*wanted["toe"][:2])
        rows = np.array([[-y, x, 0], [0, 0, 1]])
        M = wanted["M"] + np.diag([0, 0, *params.armature])
        damping = np.array([0, 0, *params.damping]) * dq
        load = np.array([0, 0, *u]) - wanted["C"] @ dq - wanted["G"] - damping
        J, drift = rows @ wanted["J_toe"], rows @ wanted["dJ_toe"] @ dq
        ddq, force, radial = np.empty(4), np.empty(2), np.array([x, y])
        hopping.flight_acceleration(q, dq, p, u, ddq)
        closer(ddq, np.linalg.solve(M, load))
        hopping.stance_acceleration(q, dq, p, radial, u, ddq, force)
        rate, wanted_force = kkt(M, load, J, drift)
        closer(ddq, rate)
        closer(force, wanted_force)
        after, impulse = dq.copy(), np.empty(2)
        hopping.impact(q, after, p, radial, impulse)
        change, wanted_impulse = kkt(M, np.zeros(4), J, J @ dq)
        closer(after, dq + change)
        closer(impulse, wanted_impulse)


def test_flight_stance_and_impact_of_the_slip_leg_by_the_formulas(formulas):
    p, tau = hy.vector(SlipLegParams()), np.array([20.0, -35.0])
    for _, q, v in states(1):
        wanted, x = formulas["slip_leg"](q, v, p), np.concatenate([q, v])
        M, J, drift = wanted["M"], wanted["J_foot"], wanted["dJ_foot"] @ v
        load = np.array([0, 0, *tau]) - wanted["C"] @ v - wanted["G"]
        rates, force, after = np.empty(8), np.empty(2), x.copy()
        slip_leg_motion.flight_rates(x, p, tau, rates)
        closer(rates, [*v, *np.linalg.solve(M, load)])
        slip_leg_motion.stance_rates(x, p, tau, rates, force)
        rate, wanted_force = kkt(M, load, J, drift)
        closer(rates, [*v, *rate])
        closer(force, wanted_force)
        slip_leg_motion.impact(after, p)
        closer(after[4:], v + kkt(M, np.zeros(4), J, J @ v)[0])


def closer(actual, wanted):
    """Compare what a linear system's conditioning has magnified, relative to the largest entry."""
    np.testing.assert_allclose(actual, wanted, rtol=0, atol=1e-12 * (1 + np.abs(wanted).max()))
