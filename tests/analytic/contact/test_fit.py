"""Fitting: exact recovery from the model's own data, and honesty about what data cannot tell."""

import numpy as np
import pytest

from tarsus.analytic.contact import Feet, Viscous, solve
from tarsus.analytic.contact.fit import fit_coulomb, fit_friction, fit_stiffness


@pytest.fixture
def robot(rng):
    return Feet(rng.uniform(60, 140, 6), rng.uniform(0.3, 0.9, 6), 5.0, rng.normal(size=(6, 2)))


def slips(pos, vel, twist):
    return vel + twist[:, None, :2] + twist[:, None, 2:] * np.stack([-pos[..., 1], pos[..., 0]], axis=-1)


def test_friction_is_recovered_exactly(hexapods, robot):
    pos, vel = hexapods
    found = solve(pos, vel, robot, Viscous(0.8))
    fit = fit_friction(slips(pos, vel, found.twist), found.force[..., :2], found.load, 0.8)
    assert fit.determined.all()
    np.testing.assert_allclose(fit.mu, robot.mu, rtol=1e-10)
    outer = fit.anisotropy[:, :, None] * fit.anisotropy[:, None, :]  # w and -w are the same foot
    np.testing.assert_allclose(outer, robot.anisotropy[:, :, None] * robot.anisotropy[:, None, :], atol=1e-9)
    assert fit.residual.max() < 1e-12


def test_slips_along_one_line_do_not_determine_friction(rng):
    slip = rng.normal(size=(50, 1, 1)) * [1.0, 0.5]
    fit = fit_friction(slip, -slip, 1.0)
    assert not fit.determined.any() and np.isnan(fit.mu).all()


def test_coulombs_friction_is_recovered_from_feet_that_slide(hexapods):
    pos, vel = hexapods
    mu = np.linspace(0.3, 0.8, 6)
    found = solve(pos, vel, Feet(100.0, mu, 5.0), "coulomb")
    slip = slips(pos, vel, found.twist)
    fit = fit_coulomb(slip, found.force[..., :2], found.load, 0.05)
    np.testing.assert_allclose(fit.mu, mu, rtol=1e-3)  # the solver's gap moves slow feet's tractions
    speed, full = np.linalg.norm(slip, axis=-1), mu * found.load
    np.testing.assert_array_equal(fit.frames, np.sum((speed > 0.05) & (found.load > 0), axis=0))
    off = np.abs(np.linalg.norm(found.force[..., :2], axis=-1) - full)[speed > 0.05]
    assert fit.residual.max() < 1e-3 and off.max() < 1e-3 * full.max()
    stuck = fit_coulomb(slip, found.force[..., :2], found.load, 1e3)
    assert np.isnan(stuck.mu).all() and not stuck.frames.any()
    assert fit_coulomb(slip, -found.force[..., :2], found.load, 0.05).mu.max() < 0  # not braking: plain to see


def test_heights_that_are_all_alike_say_nothing_of_stiffness(rng):
    pos = np.tile([[0.2, 0.1, -0.1], [0.2, -0.1, -0.1], [-0.2, 0.1, -0.1], [-0.2, -0.1, -0.1]], (20, 1, 1))
    assert np.isnan(fit_stiffness(pos, rng.uniform(1, 2, (20, 4))).stiffness).all()


def test_stiffness_is_recovered_when_four_feet_carry(hexapods, robot):
    pos, vel = hexapods
    found = solve(pos, vel, robot)
    fit = fit_stiffness(pos, found.load)
    assert fit.rank == 6 and np.all(np.diff(fit.information) <= 0) and fit.information[-1] > 1e-3
    weak = fit_stiffness(pos, 1e-3 * found.load)
    np.testing.assert_allclose(weak.information, fit.information)  # relative: a lighter robot tells as much
    np.testing.assert_allclose(fit.stiffness, robot.stiffness, rtol=1e-9)


def test_tripod_data_determine_no_stiffness(hexapods, robot, rng):
    pos, vel = hexapods
    pos = pos.copy()
    for i, frame in enumerate(pos):
        frame[i % 2 :: 2, 2] += 0.5  # every other foot is up
    load = solve(pos, vel, robot).load
    assert np.all((load > 0).sum(axis=-1) <= 3)
    fit = fit_stiffness(pos, load, regulariser=1e-3)
    assert fit.rank == 0 and not fit.information.any() and np.isnan(fit.stiffness).all()


def test_noise_is_averaged_and_the_regulariser_pulls_legs_together(hexapods, robot, rng):
    pos, vel = hexapods
    load = solve(pos, vel, robot).load
    noisy = load * (1 + 0.01 * rng.normal(size=load.shape))
    fit = fit_stiffness(pos, noisy)
    np.testing.assert_allclose(fit.stiffness, robot.stiffness, rtol=0.15)
    firm = fit_stiffness(pos, noisy, regulariser=1e4)
    assert np.ptp(firm.stiffness) < 0.01 * np.ptp(fit.stiffness)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_friction(np.zeros((5, 6, 2)), np.zeros((4, 6, 2)), 1.0), "must both have shape"),
        (lambda: fit_friction(np.zeros((5, 6, 2)), np.zeros((5, 6, 2)), -1.0), "load must not be below 0"),
        (lambda: fit_friction(np.zeros((5, 6, 2)), np.zeros((5, 6, 2)), 1.0, 0.0), "reference_speed must be positive"),
        (lambda: fit_stiffness(np.zeros((6, 3)), 1.0), "foot_pos must have shape"),
        (lambda: fit_stiffness(np.zeros((5, 6, 3)), np.nan), "load must be finite"),
        (lambda: fit_stiffness(np.zeros((5, 6, 3)), 1.0, regulariser=-1.0), "regulariser must not be below 0"),
    ],
)
def test_misuse_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
