"""Fitting: exact recovery from the model's own data, and honesty about what data cannot tell."""

import numpy as np
import pytest

from tarsus.analytic.contact import Feet, Viscous, solve
from tarsus.analytic.contact.fit import fit_friction, fit_stiffness, prediction_errors


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


def test_fitted_parameters_predict_better_than_naive_ones(hexapods, robot):
    pos, vel = hexapods
    found = solve(pos, vel, robot)
    fitted = prediction_errors(pos, vel, found.force, robot)
    naive = prediction_errors(pos, vel, found.force, Feet(100.0, 1.0, 5.0))
    assert fitted["load"] < 1e-12 and fitted["traction"] < 1e-12 and fitted["solved"] == 1.0
    assert naive["load"] > 0.01 and naive["traction"] > 0.01


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
