"""What is solved is balanced, by the lever arms that bear load: one foot far away, feet in line, loads over 12 decades.

One far foot makes the size of the stance say little: moments that are small beside weight times size may be as large as
those of the feet beneath the body.
"""

import math

import numpy as np
import pytest

from tarsus.analytic.contact import Coulomb, Feet, SolverStatus, solve, support

FRAMES = 60  # of each kind and number of feet
BOUND = 2e-12  # of the weight, and of weight times size, in docs/contact.md
LEVER = 1.01e-12  # of the loads times their distances, there; and the rounding of the sum here


def far(pos, k, mu, rng):
    """Put one foot 1e3 to 1e6 m away."""
    pos[np.arange(len(pos)), rng.integers(pos.shape[1], size=len(pos)), :2] *= 10 ** rng.uniform(3, 6, (len(pos), 1))


def in_line(pos, k, mu, rng):
    """Put the feet 1e-12 to 1e-3 m beside a line."""
    beside = 10 ** rng.uniform(-12, -3, (len(pos), 1)) * rng.normal(size=k.shape)
    pos[..., 1] = pos[..., 0] * rng.normal(size=(len(pos), 1)) + beside


def soft_and_stiff(pos, k, mu, rng):
    """Spread the stiffnesses, and the loads that they share, over 12 decades."""
    k[:] = 10 ** rng.uniform(-6, 6, k.shape)


def stiff(pos, k, mu, rng):
    """Legs up to 1e11 N/m: what they bear they bear by less than their heights are rounded."""
    k[:] = 10 ** rng.uniform(-1, 11, k.shape)


def rough_and_smooth(pos, k, mu, rng):
    """Spread the friction over 12 decades."""
    mu[:] = 10 ** rng.uniform(-6, 6, k.shape)


KINDS = {
    "far": (far,),
    "in line": (in_line,),
    "loads": (soft_and_stiff,),
    "far, loads": (far, soft_and_stiff),
    "far, stiff": (far, stiff),
    "far, friction": (far, rough_and_smooth),
    "far, loads, friction": (far, soft_and_stiff, rough_and_smooth),
    "in line, loads": (in_line, soft_and_stiff),
    "in line, far": (in_line, far),
    "far, in line": (far, in_line),
}


def frames(kind, n):
    """Return positions, velocities, stiffnesses, frictions and weights of frames of a kind."""
    rng = np.random.default_rng([n, *kind.encode()])
    pos = rng.uniform(-1, 1, (FRAMES, n, 3)) * [1, 1, 0.1]
    k, mu = 10 ** rng.uniform(0, 2, (FRAMES, n)), 10 ** rng.uniform(-1, 0.3, (FRAMES, n))
    weight, vel = 10 ** rng.uniform(-1, 1, FRAMES), rng.normal(size=(FRAMES, n, 2))
    for change in KINDS[kind]:
        change(pos, k, mu, rng)
    return pos, vel, k, mu, weight


def imbalance(forces, moments):
    """Return the largest of some sums, added without rounding."""
    return max(abs(math.fsum(parts)) for parts in (*forces, *moments))


@pytest.mark.parametrize("n", [3, 4, 6, 9])
@pytest.mark.parametrize("feet", KINDS)
def test_loads_balance_by_their_lever_arms(feet, n):
    pos, _, k, _, weight = frames(feet, n)
    found = support(pos, k, weight)
    for place, load, w, unique in zip(
        pos[found.solved],
        found.load[found.solved],
        weight[found.solved],
        found.tilt_unique[found.solved],
        strict=True,
    ):
        x, y, size = place[:, 0], place[:, 1], np.hypot(place[:, 0], place[:, 1]).max()
        moment = imbalance((), (load * x, load * y))
        assert imbalance(([*load, -w],), ()) <= BOUND * w
        assert moment <= BOUND * w * size
        if unique:
            assert moment <= LEVER * math.fsum(load * (abs(x) + abs(y)))
    assert np.all(found.residual[found.solved] <= BOUND)
    assert found.solved.sum() >= FRAMES // 10
    assert np.sum(found.status == SolverStatus.STALLED) <= FRAMES // 20  # solved, not refused


@pytest.mark.parametrize("law", ["viscous", Coulomb(1e-9)], ids=["viscous", "coulomb"])
@pytest.mark.parametrize("feet", KINDS)
def test_tractions_balance_by_their_lever_arms(feet, law):
    pos, vel, k, mu, weight = frames(feet, 5)
    found = solve(pos, vel, Feet(k, mu, weight), law)
    assert np.all(found.residual[found.solved] <= BOUND)
    for place, load, rub, force in zip(
        pos[found.solved], found.load[found.solved], mu[found.solved], found.force[found.solved], strict=True
    ):
        x, y, m = place[:, 0], place[:, 1], rub * load
        sums = [force[:, 0], force[:, 1]]
        assert imbalance(sums, ()) <= BOUND * m.sum()
        assert imbalance((), ([*(x * force[:, 1]), *(-y * force[:, 0])],)) <= BOUND * math.fsum(m * np.hypot(x, y))


def test_a_stiff_leg_s_load_is_no_rounding_of_its_height():
    """At 1e11 N/m a load of 1e-6 of the weight is less than the rounding of the height times the stiffness."""
    pos = np.array([[1.0, 0.0, 0.0], [-0.5, 0.8, 0.0], [-0.5, -0.8, 0.0], [-1e6, 0.0, 0.0]])
    found = support(pos, [10.0, 10.0, 10.0, 1e11], 2.0)
    assert found.solved and found.tilt_unique
    assert found.load.sum() == pytest.approx(2.0, rel=1e-12)
    assert abs(found.load @ pos[:, 0]) <= LEVER * (found.load @ np.abs(pos[:, :2]).sum(axis=1))
