"""What a robot knows of itself: from the model's own measurements with noise and errors; and what is refused."""

import numpy as np
import pytest
from scipy.stats import chi2

from tarsus.analytic.contact import Coulomb, Feet, solve
from tarsus.analytic.contact.kernels import MU, STIFFNESS
from tarsus.analytic.models.multipod import MultipodParams, foot_positions, foot_velocities
from tarsus.analytic.models.sliding_observation import SlidingObservation
from tarsus.analytic.models.sliding_walk import SlidingWalk
from tarsus.controllers.fault_bank import LOST, PAYLOAD, WET, FaultBank
from tarsus.controllers.observer import (
    UNKNOWABLE,
    Estimate,
    PayloadObserver,
    Seen,
    Tare,
    bin_of,
    filtered,
    refuse,
)
from tarsus.scripts.laboratory.models.friction_ratios import FrictionRatios

DT = 0.05
NOISE = np.array([2e-3, 2e-3, 1e-2, 2e-3, 2e-3])
SIX, EIGHT = MultipodParams(n_legs=6), MultipodParams(n_legs=8)


def gait(params, seconds):
    """Return phases, and positions and velocities of the feet, of an undulation that turns and crabs now and then."""
    walk, time = SlidingWalk(params), np.arange(0.0, seconds, DT)
    phase = 2 * np.pi * walk.frequency * time
    controls = np.stack([0.2 + 0 * time, 0.05 * np.sin(0.9 * time), 0.08 * np.sin(0.6 * time)], axis=-1)
    joints = [walk.joints(u, p) for u, p in zip(controls, phase, strict=True)]
    angle, rate = (np.array(part) for part in zip(*joints, strict=True))
    return phase, foot_positions(params, angle), foot_velocities(params, angle, rate)[..., :2]


def walk(params, seconds, seed, d=(0.0, 0.0), change=None, noise=1.0, missed=0.0):
    """Return phases and frames of a robot that moves as the model says.

    `change(k, table)` changes the feet of frame k; `missed` is an error that repeats from stride to stride.
    """
    model, rng = SlidingObservation(params), np.random.default_rng(seed)
    phase, pos, vel = gait(params, seconds)
    frames = []
    for k in range(len(phase)):
        table = model.table.copy()
        if change is not None:
            change(k, table)
        measured = model.hypotheses(pos[k], vel[k], table[None], d)[0] + missed * NOISE * np.sin(phase[k])
        frames.append(Seen(pos[k], vel[k], measured + noise * NOISE * rng.standard_normal(5)))
    return phase, frames


def test_the_model_measures_what_the_solver_finds_of_a_body_with_a_payload():
    """The twist of the origin, from that of the centre of mass: u - omega times the offset to the left, and so on."""
    phase, pos, vel = gait(EIGHT, 1.0)
    d = np.array([0.012, -0.007])
    model = SlidingObservation(EIGHT, Coulomb(1e-10))
    for k in range(0, len(phase), 5):
        feet = Feet(EIGHT.leaf_k, EIGHT.friction_coeff, EIGHT.total_mass * EIGHT.g)
        found = solve(pos[k] - [*d, 0.0], vel[k], feet, Coulomb(1e-10))
        u, v, omega = found.twist
        expected = [u + omega * d[1], v - omega * d[0], omega, found.pitch, found.roll]
        np.testing.assert_allclose(model.hypotheses(pos[k], vel[k], model.table[None], d)[0], expected, atol=1e-9)


def test_derivatives_are_those_of_the_measurements():
    phase, pos, vel = gait(SIX, 4.0)
    model, d, h = SlidingObservation(SIX, "viscous"), np.array([0.004, -0.003]), 1e-6
    for k in range(3, len(phase), 17):
        _, slopes, exists = model.slopes(pos[k], vel[k], model.table, d)
        assert exists
        for axis in range(2):
            step = h * np.eye(2)[axis]
            ends = [model.hypotheses(pos[k], vel[k], model.table[None], d + sign * step)[0] for sign in (1, -1)]
            np.testing.assert_allclose(slopes[:, 6 + axis], (ends[0] - ends[1]) / (2 * h), rtol=1e-4, atol=1e-5)
        for foot in range(6):
            factor = np.ones((6, 5))
            factor[foot, MU] = np.exp(h)
            ends = [model.hypotheses(pos[k], vel[k], (model.table * factor**sign)[None], d)[0] for sign in (1, -1)]
            np.testing.assert_allclose(slopes[:, foot], (ends[0] - ends[1]) / (2 * h), atol=1e-6)


def test_a_frame_is_compared_at_the_ground():
    """A body that pitches about the point on the ground below it does not slide there."""
    omega, height = 0.5, 0.06
    seen = Seen.of(
        SIX, np.zeros((3, 2)), np.zeros((3, 2)), [omega * height, 0.0], [0.0, omega, 0.0], height, [0.0, 0.0]
    )
    np.testing.assert_allclose(seen.measured, 0.0, atol=1e-15)
    seen = Seen.of(
        SIX, np.zeros((3, 2)), np.zeros((3, 2)), [0.1, -omega * height], [omega, 0, 0.3], height, [0.01, 0.02]
    )
    np.testing.assert_allclose(seen.measured, [0.1, 0.0, 0.3, 0.01, 0.02], atol=1e-15)


@pytest.mark.parametrize("params", [SIX, EIGHT])
def test_a_payload_is_found_and_known_as_well_as_it_says(params):
    truth = np.array([0.008, -0.006])
    phase, sound = walk(params, 12.0, 1, missed=1.0)
    observer = PayloadObserver(params)
    observer.tare(sound, phase)
    phase, loaded = walk(params, 15.0, 2, d=truth, missed=1.0)
    for seen, p in zip(loaded, phase, strict=True):
        found = observer.update(seen, p, DT)
    deviation = np.sqrt(np.diag(found.covariance))
    assert (deviation < 2.5e-3).all() and (np.abs(found.value - truth) < 3.0 * deviation).all()


@pytest.mark.parametrize("params, model_error", [(SIX, None), (EIGHT, (0.0, 0.0))])
def test_the_covariance_of_a_payload_is_that_of_its_errors(params, model_error):
    """The normalised squared error over 20 runs lies in its 95 % band; without errors of the tare it is 7.6 of 2."""
    square = []
    for seed in range(20):
        truth = np.random.default_rng(100 + seed).uniform(-0.012, 0.012, 2)
        observer = PayloadObserver(params, model_error=model_error)
        phase, sound = walk(params, 12.0, 2 * seed, missed=1.0)
        observer.tare(sound, phase)
        phase, loaded = walk(params, 15.0, 2 * seed + 1, d=truth, missed=1.0)
        for seen, p in zip(loaded, phase, strict=True):
            found = observer.update(seen, p, DT)
        error = found.value - truth
        square.append(error @ np.linalg.solve(found.covariance, error))
    low, high = chi2.ppf([0.025, 0.975], 2 * len(square)) / len(square)
    assert low < np.mean(square) < high


def test_frames_that_are_not_measured_change_nothing():
    phase, sound = walk(SIX, 11.0, 1)
    observer = PayloadObserver(SIX)
    observer.tare(sound, phase)
    before, skipped = observer.update(sound[0], phase[0], DT), observer.skipped
    missing = sound[1]._replace(measured=np.full(5, np.nan))
    after = observer.update(missing, phase[1], DT)
    np.testing.assert_array_equal(after.value, before.value)
    assert observer.skipped == skipped + 1
    with pytest.raises(ValueError, match="the payload needs the tilt"):
        observer.update(sound[1]._replace(measured=np.array([0.1, 0, 0, np.nan, np.nan])), phase[1], DT)


def test_a_drifting_payload_is_followed():
    phase, sound = walk(EIGHT, 11.0, 1)
    follows, stays = (PayloadObserver(EIGHT, drift=drift) for drift in (3e-3, 0.0))
    _, far = walk(EIGHT, 11.0, 3, d=(0.01, 0.0))
    for observer in (follows, stays):
        observer.tare(sound, phase)
        for seen, p in zip([*sound, *far[:60]], [*phase, *phase[:60]], strict=True):
            observer.update(seen, p, DT)
    error = abs(follows.payload.value[0] - 0.01)
    assert error < 3e-3 < abs(stays.payload.value[0] - 0.01)
    assert error < 3.0 * np.sqrt(follows.payload.covariance[0, 0])


@pytest.mark.parametrize("kind", [LOST, WET])
@pytest.mark.parametrize("params, leg", [(SIX, 2), (EIGHT, 5)])
def test_a_fault_is_named(params, leg, kind):
    def change(k, table):
        if k > 60:
            table[leg, STIFFNESS if kind == LOST else MU] *= 0.0 if kind == LOST else 0.3

    bank = FaultBank(params)
    phase, sound = walk(params, 11.0, 1, missed=1.0)
    bank.tare(sound, phase)
    phase, frames = walk(params, 20.0, 2, change=change, missed=1.0)
    found = [bank.update(seen, p) for seen, p in zip(frames, phase, strict=True)]
    assert not any(found[:61])
    named = [finding for finding in found if finding]
    assert named and f"leg {leg} is {kind}" in named[0].sentence
    assert (named[0].leg, named[0].kind) == (leg, kind) and named[0].evidence > bank.threshold
    bank.reset()
    assert not bank.evidence.any() and np.isfinite(bank.threshold)


def test_a_sound_robot_is_found_sound():
    bank = FaultBank(EIGHT)
    phase, sound = walk(EIGHT, 11.0, 1, missed=1.0)
    bank.tare(sound, phase)
    phase, frames = walk(EIGHT, 30.0, 7, missed=1.0)
    assert not any(bank.update(seen, p) for seen, p in zip(frames, phase, strict=True))
    before = bank.evidence.copy()
    bank.update(frames[0]._replace(measured=np.full(5, np.nan)), 0.0)
    np.testing.assert_array_equal(bank.evidence, before)


@pytest.mark.parametrize("d", [(0.005, 0.0), (0.003, 0.003), (-0.004, -0.009)])
def test_a_payload_is_not_taken_for_a_fault(d):
    bank = FaultBank(SIX)
    phase, sound = walk(SIX, 11.0, 1, missed=1.0)
    bank.tare(sound, phase)
    phase, frames = walk(SIX, 12.0, 2, d=d, missed=1.0)
    found = [finding for finding in (bank.update(seen, p) for seen, p in zip(frames, phase, strict=True)) if finding]
    assert found and {(finding.leg, finding.kind) for finding in found} == {(None, PAYLOAD)}
    assert "by a payload or, with six legs or fewer, by a lost leg" in found[0].sentence


def test_friction_ratios_are_found_up_to_their_mean():
    log_mu = np.array([0.4, -0.3, 0.2, -0.5, 0.1, 0.1])

    def change(k, table):
        table[:, MU] *= 0.6 * np.exp(log_mu)  # the common factor cannot be seen

    observer = FrictionRatios(SIX)
    phase, even = walk(SIX, 11.0, 1)
    observer.tare(even, phase)
    phase, frames = walk(SIX, 80.0, 2, change=change)
    for seen, p in zip(frames, phase, strict=True):
        found = observer.update(seen, p, DT)
    assert abs(found.value.sum()) < 1e-12
    assert np.sqrt(np.mean((found.value - log_mu + log_mu.mean()) ** 2)) < 0.5 * np.std(log_mu)
    np.testing.assert_allclose(found.covariance.sum(axis=0), 0.0, atol=1e-12)
    assert np.sqrt(np.diag(found.covariance)).min() > 0.15  # never surer than the model is right


def test_what_cannot_be_known_is_refused_by_name():
    for name in UNKNOWABLE:
        with pytest.raises(ValueError, match=f"{name} cannot be known"):
            refuse(name)
    with pytest.raises(ValueError, match="unknown quantity 'colour'"):
        refuse("colour")
    with pytest.raises(ValueError, match="friction of every foot cannot be known"):
        FrictionRatios(EIGHT)
    with pytest.raises(ValueError, match="kinds of faults"):
        FaultBank(SIX, ("broken",))


@pytest.mark.parametrize("observer", [PayloadObserver(SIX), FaultBank(SIX), FrictionRatios(SIX)])
def test_observers_want_a_tare_of_some_strides(observer):
    phase, frames = walk(SIX, 3.0, 1)
    arguments = (frames[0], 0.0) if isinstance(observer, FaultBank) else (frames[0], 0.0, DT)
    with pytest.raises(RuntimeError, match="must be tared"):
        observer.update(*arguments)
    with pytest.raises(ValueError, match="3 strides of a sound robot or more, got 0.89"):
        observer.tare(frames, phase)


def test_a_tare_is_mean_and_spread_by_phase():
    phase = np.linspace(0.0, 8 * np.pi, 4000, endpoint=False)
    measured = np.sin(phase)[:, None] * np.ones(5) + 0.1 * (-1.0) ** np.arange(4000)[:, None]
    tare = Tare.of(measured, np.zeros((4000, 5)), phase)
    middle = np.sin(2 * np.pi * (np.arange(40) + 0.5) / 40)
    np.testing.assert_allclose(tare.mean[:, 0], middle, atol=0.02)
    np.testing.assert_allclose(tare.deviation, 0.11, atol=0.02)
    assert bin_of(-0.01) == 39 and bin_of(2 * np.pi + 0.01) == 0
    with pytest.raises(ValueError, match="no usable frame in part 1 of 40"):
        Tare.of(np.where(np.arange(4000) % 1000 < 30, np.nan, 0.0)[:, None] * np.ones(5), np.zeros((4000, 5)), phase)


def test_the_filter_is_bayes_rule_and_trusts_outliers_less():
    value, covariance = filtered(np.zeros(1), np.eye(1), np.array([1.0]), np.eye(1), np.eye(1))
    assert value == pytest.approx(0.5) and covariance == pytest.approx(0.5)
    far, wide = filtered(np.zeros(1), np.eye(1), np.array([100.0]), np.eye(1), np.eye(1))
    assert far < 5 and wide > 0.9
    assert isinstance(Estimate(far, wide), Estimate)
