"""A gait held by feedback: when it senses, what it changes, and that place and heading do not matter."""

import numpy as np
import pytest

from tarsus.analytic.models.hexapod.orbit import moved
from tarsus.controllers import clock_gaits
from tarsus.scripts.laboratory.models import held
from tarsus.scripts.laboratory.models.held_gait import GaitFeedback, HeldGait

GAIT = clock_gaits.find("rhex-pronk")
BODY = np.array([0.3, -0.2, 0.17, 0.98, 0.05, -0.08, 0.1, 0.2, 0.6, -0.1, 0.3, -0.5, 0.2])
TARGET = held.body_numbers(BODY)
GAIN = np.arange(63.0).reshape(7, 9) / 54.0


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
    longer = -0.4 * GAIN[6, 5] * 0.01
    assert controller.gait.cycle_time == pytest.approx(GAIT.cycle_time + longer)
    assert controller.gait.slow_time == GAIT.slow_time
    assert controller.gait.blend * controller.gait.cycle_time == pytest.approx(GAIT.blend * GAIT.cycle_time)


def test_another_cycle_begins_at_the_section_and_moves_the_next_one():
    """The slow phase ends at the section; the reference goes on from there, and comes back a longer cycle later."""
    section = 0.5 * (GAIT.slow_time - GAIT.blend * GAIT.cycle_time) + 3.0 * GAIT.cycle_time
    only_longer = np.zeros((7, 9))
    only_longer[6, 5] = -1.0
    law, body, hips = GaitFeedback(section, TARGET, only_longer, 3.0), BODY.copy(), np.zeros(6)
    body[9] += 1.2
    controller = HeldGait(GAIT, law)
    before = controller(section, hips)
    controller.sense(section + 1e-4, body)
    np.testing.assert_allclose(controller(section, hips), before, atol=1e-9)
    longer = GAIT.cycle_time + 1.2 * 0.01
    np.testing.assert_allclose(controller(section + longer, hips), before, atol=1e-9)
    controller.sense(section + longer - 1e-4, BODY)
    assert controller.n_sections == 1 and controller.gait.cycle_time == pytest.approx(longer)
    controller.sense(section + longer + 1e-4, BODY)
    assert controller.n_sections == 2 and controller.gait.cycle_time == pytest.approx(GAIT.cycle_time)
    np.testing.assert_allclose(controller(section + longer, hips), before, atol=1e-9)


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
    with pytest.raises(ValueError, match=r"target and gain must have shapes \(9,\) and \(7, 9\)"):
        GaitFeedback(0.1, TARGET[:8], GAIN, 3.0)
    with pytest.raises(ValueError, match="limit must be positive, got 0"):
        GaitFeedback(0.1, TARGET, GAIN, 0.0)
    with pytest.raises(ValueError, match="all legs must have one phase"):
        HeldGait(clock_gaits.find("rhex-fast"), GaitFeedback(0.1, TARGET, GAIN, 3.0))
