"""A gait held by feedback: when it senses, what it changes, and that place and heading do not matter."""

import numpy as np
import pytest

from tarsus.analytic.models.hexapod import held
from tarsus.analytic.models.hexapod.orbit import moved
from tarsus.controllers import clock_gaits
from tarsus.controllers.held_gait import GaitFeedback, HeldGait

GAIT = clock_gaits.find("rhex-pronk")
BODY = np.array([0.3, -0.2, 0.17, 0.98, 0.05, -0.08, 0.1, 0.2, 0.6, -0.1, 0.3, -0.5, 0.2])
TARGET = held.body_numbers(BODY)
GAIN = np.arange(54.0).reshape(6, 9) / 54.0


def test_on_the_gait_nothing_changes():
    law = GaitFeedback(0.1, TARGET, GAIN, 3.0)
    np.testing.assert_allclose(law.controls(TARGET), 0.0)
    controller = HeldGait(GAIT, law)
    controller.sense(0.1, BODY)
    assert controller.gait == GAIT and controller.n_sections == 1


def test_a_disturbance_changes_the_gait_against_it_within_the_limit():
    law = GaitFeedback(0.1, TARGET, GAIN, 0.5)
    faster = BODY.copy()
    faster[9] += 0.4  # upward: the fifth number, scaled by 1 m/s
    np.testing.assert_allclose(
        law.controls(held.body_numbers(faster)), np.clip(-0.4 * GAIN[:, 5], -0.5, 0.5) * held.LARGE
    )
    controller = HeldGait(GAIT, law)
    controller.sense(0.11, faster)
    assert controller.gait.leg_offset == pytest.approx(GAIT.leg_offset - 0.4 * GAIN[0, 5] * 0.05)
    assert controller.gait.sweep_difference == pytest.approx(-0.4 * GAIN[5, 5] * 0.1)
    assert controller.gait.cycle_time == GAIT.cycle_time and controller.gait.slow_time == GAIT.slow_time
    hips = np.zeros(6)
    np.testing.assert_allclose(controller(0.11, hips)[:, 1], controller.gait.clock()(0.11)[1])


def test_it_senses_once_a_cycle():
    controller = HeldGait(GAIT, GaitFeedback(0.1, TARGET, GAIN, 3.0))
    times = np.arange(0.0, 1.0, 1e-3)
    counts = []
    for t in times:
        controller.sense(t, BODY)
        counts.append(controller.n_sections)
    changes = times[1:][np.diff(counts) > 0]
    np.testing.assert_allclose(changes, 0.1 + GAIT.cycle_time * np.arange(len(changes)), atol=1e-3)
    assert len(changes) == 3


def test_place_and_heading_do_not_matter():
    whole = np.concatenate([BODY, np.zeros(39)])
    elsewhere = moved(whole, [3.0, -1.0], 1.2)
    np.testing.assert_allclose(held.body_numbers(elsewhere[:13]), TARGET, atol=1e-12)
    assert held.body_numbers(whole)[0] == pytest.approx(1.7)  # the height, over a tenth of a metre


def test_misuse_is_explained():
    with pytest.raises(ValueError, match=r"target and gain must have shapes \(9,\) and \(6, 9\)"):
        GaitFeedback(0.1, TARGET[:8], GAIN, 3.0)
    with pytest.raises(ValueError, match="limit must be positive, got 0"):
        GaitFeedback(0.1, TARGET, GAIN, 0.0)
