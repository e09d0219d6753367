"""The generated equations of motion of every machine against a chain of rigid links by the geometric recipe."""

import importlib
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).parents[2] / "oracles" / "rigid_chain.py"
SPEC = importlib.util.spec_from_file_location("rigid_chain", PATH)
oracle = importlib.util.module_from_spec(SPEC)
sys.modules["rigid_chain"] = oracle  # where its dataclass looks for itself
SPEC.loader.exec_module(oracle)

UP = (0, 0, 1)
ROUNDING = 1e-12  # of terms of size 10 to 100


def hopping_leg(p):
    """Return the oracle's chain, gravity, up, and the points with a Jacobian rate: link, place in it, world axes."""
    g, HB, LB, DB, LH, LK, DK = p[:7]
    mass, com, inertia = p[7:11], p[11:23].reshape(4, 3), p[23:47].reshape(4, 6)
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 0, 0))
    offsets = ((0, 0, HB), (0, 0, 0), (LB, DB, 0), (0, 0, -LH))
    chain = [oracle.Link("hinge", axes[i], offsets[i], mass[i], com[i], inertia[i]) for i in range(4)]
    return chain, g, UP, {"toe": (3, (0, 0, -np.hypot(LK, DK)), [0, 1, 2])}


def slip_leg(p):
    """Return the same; the foot is a point of the shank."""
    base, thigh, shank, foot, l1, l2, c1, c2, r1, r2, g = p
    com = (shank * c2 + foot * l2) / (shank + foot)
    spin = shank * (r2**2 + (c2 - com) ** 2) + foot * (l2 - com) ** 2
    chain = [
        oracle.Link("slide", (1, 0, 0), (0, 0, 0), 0.0, (0, 0, 0), (0,) * 6),
        oracle.Link("slide", (0, 0, 1), (0, 0, 0), base, (0, 0, 0), (0,) * 6),
        oracle.Link("hinge", (0, -1, 0), (0, 0, 0), thigh, (0, 0, -c1), (0, thigh * r1**2, 0, 0, 0, 0)),
        oracle.Link("hinge", (0, -1, 0), (0, 0, -l1), shank + foot, (0, 0, -com), (0, spin, 0, 0, 0, 0)),
    ]
    return chain, g, UP, {"foot": (3, (0, 0, -l2), [0, 2]), "com": (None, None, [0, 2])}


MACHINES = {"hopping_leg": hopping_leg, "slip_leg": slip_leg}


@pytest.fixture(params=MACHINES)
def case(request):
    """Return the machine's generated module, and random parameters and states."""
    module = importlib.import_module(f"tarsus.analytic.models.{request.param}_dynamics")
    rng = np.random.default_rng(0)
    made = []
    for _ in range(5):
        p = rng.uniform(0.1, 1.0, len(module.PARAMETERS))
        chain, g, up, points = MACHINES[request.param](p)
        n = len(chain)
        made.append((p, chain, g, up, points, rng.uniform(-3, 3, n), rng.uniform(-5, 5, n)))
    return module, made


def filled(function, *arguments, shape):
    out = np.full(shape, np.nan)
    function(*arguments, out)
    return out


def close(actual, wanted):
    np.testing.assert_allclose(actual, wanted, rtol=ROUNDING, atol=ROUNDING)


def test_matrices_agree_with_the_oracle(case):
    module, made = case
    for p, chain, g, up, _, q, dq in made:
        n = len(q)
        close(filled(module.mass_matrix, q, p, shape=(n, n)), oracle.mass_matrix(chain, q))
        close(filled(module.coriolis_matrix, q, dq, p, shape=(n, n)), oracle.coriolis_matrix(chain, q, dq))
        close(filled(module.gravity_vector, q, p, shape=n), oracle.gravity_vector(chain, q, g, up))
        close(filled(module.potential_energy, q, p, shape=1)[0], oracle.potential(chain, q, g, up).real)


def test_points_agree_with_the_oracle(case):
    module, made = case
    for p, chain, _, _, points, q, dq in made:
        for name, (link, where, rows) in points.items():
            shape = (len(rows), len(q))
            position = filled(getattr(module, f"{name}_position"), q, p, shape=shape[0])
            close(position, oracle.point(chain, q, link, where)[rows])
            jacobian = filled(getattr(module, f"{name}_jacobian"), q, p, shape=shape)
            close(jacobian, oracle.point_jacobian(chain, q, link, where)[rows])
            rate = filled(getattr(module, f"{name}_jacobian_rate"), q, dq, p, shape=shape)
            close(rate, oracle.point_jacobian_rate(chain, q, dq, link, where)[rows])


def test_all_terms_are_the_single_ones(case):
    module, made = case
    p, _, _, _, points, q, dq = made[0]
    n = len(q)
    single = [
        filled(module.mass_matrix, q, p, shape=(n, n)),
        filled(module.coriolis_matrix, q, dq, p, shape=(n, n)),
        filled(module.gravity_vector, q, p, shape=n),
    ]
    for name, (_, _, rows) in points.items():
        single += [filled(getattr(module, f"{name}_position"), q, p, shape=len(rows))]
        single += [filled(getattr(module, f"{name}_jacobian"), q, p, shape=(len(rows), n))]
        single += [filled(getattr(module, f"{name}_jacobian_rate"), q, dq, p, shape=(len(rows), n))]
    together = [np.full(part.shape, np.nan) for part in single]
    module.all_terms(q, dq, p, *together)
    for one, other in zip(together, single, strict=True):
        close(one, other)


def test_the_rate_of_the_mass_matrix_minus_twice_coriolis_is_skew(case):
    module, made = case
    for p, chain, _, _, _, q, dq in made:
        n = len(q)
        rate = np.tensordot(dq, oracle.mass_matrix_derivative(chain, q), 1)
        skew = rate - 2 * filled(module.coriolis_matrix, q, dq, p, shape=(n, n))
        close(skew, -skew.T)
