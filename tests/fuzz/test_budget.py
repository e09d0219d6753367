"""The budget of a fuzz: as many tries as are asked for, or as long as is granted, and each can be repeated alone."""

import itertools

import budget
import pytest


@pytest.fixture(autouse=True)
def granted(monkeypatch):
    """Set what the environment grants, nothing to begin with."""
    monkeypatch.delenv(budget.SECONDS, raising=False)
    return lambda text: monkeypatch.setenv(budget.SECONDS, text)


def test_without_a_word_a_fuzz_makes_its_count_of_tries():
    assert len(list(budget.tries(count=7))) == 7


def test_each_try_has_random_numbers_of_its_own_that_come_again():
    drawn = [rng.integers(2**62) for seed in (0, 1) for rng in budget.tries(seed, count=20)]
    assert len(set(drawn)) == 40
    assert drawn == [rng.integers(2**62) for seed in (0, 1) for rng in budget.tries(seed, count=20)]


def test_seconds_are_of_processor_time_and_end_at_once_when_they_are_spent(granted, monkeypatch):
    granted("2.5")
    monkeypatch.setattr(budget, "_spent", itertools.count(100).__next__)  # a try costs a second
    assert len(list(budget.tries(count=1))) == 3
    granted("1e-9")
    assert len(list(budget.tries())) == 1


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "soon"])
def test_a_budget_that_is_none_is_refused(granted, text):
    granted(text)
    with pytest.raises(ValueError, match=f"TARSUS_FUZZ_SECONDS must be a positive number of seconds, got '{text}'"):
        list(budget.tries())
