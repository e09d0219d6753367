"""Stances from flags, without flicker, and matched between engines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.scripts.library.records import stances

INF = np.inf


def test_flags_become_touchdown_and_liftoff():
    time = np.arange(8) * 0.1
    found = stances.from_flags(time, [0, 0, 1, 1, 1, 0, 1, 0])
    np.testing.assert_allclose(found, [[0.2, 0.5], [0.6, 0.7]])


def test_a_stance_open_at_an_end_of_the_record_has_no_time_there():
    time = np.arange(5) * 0.1
    np.testing.assert_allclose(stances.from_flags(time, [1, 0, 0, 1, 1]), [[-INF, 0.1], [0.3, INF]])
    np.testing.assert_array_equal(stances.from_flags(time, np.ones(5)), [[-INF, INF]])
    assert stances.from_flags(time, np.zeros(5)).shape == (0, 2)


def test_flicker_is_contact_and_a_short_touch_is_none():
    flicker = np.array([[0.1, 0.2], [0.203, 0.204], [0.207, 0.5], [0.7, 0.703], [0.9, INF]])
    np.testing.assert_allclose(stances.debounce(flicker, 0.01), [[0.1, 0.5], [0.9, INF]])
    assert stances.debounce(np.zeros((0, 2))).shape == (0, 2)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_debounced_stances_are_long_and_far_apart(flags):
    found = stances.debounce(stances.from_flags(np.arange(len(flags)) * 0.003, flags), 0.01)
    assert np.all(found[:, 1] - found[:, 0] >= 0.01 - 1e-12)
    assert np.all(found[1:, 0] - found[:-1, 1] >= 0.01 - 1e-12)


def test_errors_are_the_second_minus_the_first():
    first = np.array([[-INF, 0.3], [0.7, 1.3], [1.7, INF]])
    second = np.array([[-INF, 0.31], [0.702, 1.29], [1.695, INF]])
    match = stances.match(first, second, 0.0, 2.0)
    np.testing.assert_allclose(match.touchdown_error, [0.002, -0.005], atol=1e-12)
    np.testing.assert_allclose(match.liftoff_error, [0.01, -0.01], atol=1e-12)
    assert (match.missed, match.extra) == (0, 0)


def test_what_overlaps_nothing_is_missed_or_extra():
    first = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    second = np.array([[0.1, 0.4], [0.6, 0.95], [4.0, 5.0], [6.0, 6.5]])
    match = stances.match(first, second, 0.0, 10.0)
    assert (match.missed, match.extra) == (1, 2)
    np.testing.assert_allclose(match.touchdown_error, [0.6, 0.0])  # of the two parts the longer counts
    np.testing.assert_allclose(match.liftoff_error, [-0.05, 0.0])


def test_only_events_in_the_window_count():
    first = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    second = np.array([[2.1, 3.2], [4.0, 5.0], [6.0, 6.5]])
    match = stances.match(first, second, 1.5, 3.5)
    assert (match.missed, match.extra) == (0, 0)
    assert match.touchdown_error == pytest.approx([0.1]) and match.liftoff_error == pytest.approx([0.2])


def test_a_foot_that_never_touches_is_no_error():
    none = np.zeros((0, 2))
    match = stances.match(none, np.array([[0.5, 0.7]]), 0.0, 1.0)
    assert (match.missed, match.extra, len(match.touchdown_error)) == (0, 1, 0)
    assert stances.match(none, none, 0.0, 1.0).missed == 0
