"""Random frames of 3 to 50 feet: each is certified, or refused exactly when the centre of mass is not over the feet.

A reduced version of the sweep of a million frames in docs/benchmarks.md, which `-m thorough` runs.
"""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from tarsus.analytic.contact import Coulomb, Feet, SolverStatus, solve

FRAMES = 15  # per number of feet, of which there are 48
MANY = 10_417  # of which 96 are a million


def random_frames(rng, n, count=FRAMES):
    """Return frames of n feet, each with its own heights, stiffnesses, frictions and weight, some off balance."""
    pos = rng.uniform(-1, 1, (count, n, 3)) * [1, 1, 0.1]
    pos[..., :2] += rng.uniform(-0.8, 0.8, (count, 1, 2))
    k, mu = 10 ** rng.uniform(0, 2, (count, n)), 10 ** rng.uniform(-1, 0.3, (count, n))
    return pos, rng.normal(size=(count, n, 2)), k, mu, 10 ** rng.uniform(-1, 1, count)


def outside(pos):
    """Return how far the origin lies outside the hull of the feet, negative inside, shape (frames,) [m]."""
    return np.array([ConvexHull(feet[:, :2]).equations[:, 2].max() for feet in pos])


@pytest.mark.parametrize("bend", [0.0, 1.0], ids=["isotropic", "anisotropic"])
def test_every_random_frame_is_certified_or_rightly_refused(rng, certificates, bend):
    solved = refused = 0
    for n in range(3, 51):
        pos, vel, k, mu, weight = random_frames(rng, n)
        w = bend * rng.normal(size=(FRAMES, n, 2))
        found = solve(pos, vel, Feet(k, mu, weight, w), Coulomb(1e-6))
        margin = outside(pos)
        assert np.abs(margin).min() > 1e-9  # else qhull could not tell
        np.testing.assert_array_equal(found.status == SolverStatus.SOLVED, margin < 0)
        np.testing.assert_array_equal(found.status == SolverStatus.NO_EQUILIBRIUM, margin > 0)
        off = margin > 0
        assert np.isnan(found.force[off]).all() and np.isnan(found.twist[off]).all()
        for i in np.flatnonzero(~off):
            one = solve(pos[i], vel[i], Feet(k[i], mu[i], weight[i], w[i]), Coulomb(1e-6))
            np.testing.assert_allclose(one.force, found.force[i], atol=1e-12 * weight[i])
            certificates.assert_carried(one, pos[i], k[i], weight[i])
            certificates.assert_certified(one, pos[i], vel[i], mu[i], w[i], 1e-6)
        assert np.all(found.rounds[~off] <= 30)  # far below the limit of 80: 20 were the most in a million
        solved, refused = solved + np.sum(~off), refused + np.sum(off)
    assert solved >= 400 and refused >= 100


def widest_gap(pos):
    """Return the widest angle, seen from the centre of mass, without a foot; over half a turn it is not over them."""
    angle = np.sort(np.arctan2(pos[..., 1], pos[..., 0]), axis=-1)
    return np.diff(angle, axis=-1, append=angle[..., :1] + 2 * np.pi).max(axis=-1)


@pytest.mark.thorough
@pytest.mark.parametrize("bend", [0.0, 1.0], ids=["isotropic", "anisotropic"])
def test_a_million_random_frames(rng, certificates, bend):
    """Half of it each, at two gaps: a minute without load."""
    for n in range(3, 51):
        pos, vel, k, mu, weight = random_frames(rng, n, MANY)
        w, over = bend * rng.normal(size=(MANY, n, 2)), widest_gap(pos) < np.pi
        for gap in (1e-6, 1e-9):
            found = solve(pos, vel, Feet(k, mu, weight, w), Coulomb(gap))
            np.testing.assert_array_equal(found.status == SolverStatus.SOLVED, over)
            np.testing.assert_array_equal(found.status == SolverStatus.NO_EQUILIBRIUM, ~over)
            kept = solve(pos[over], vel[over], Feet(k[over], mu[over], weight[over], w[over]), Coulomb(gap))
            certificates.assert_carried(kept, pos[over], k[over], weight[over])
            certificates.assert_certified(kept, pos[over], vel[over], mu[over], w[over], gap)
            assert kept.rounds.max() <= 30
