"""Guards that are exactly zero, leave and return, by a family of random cases (`guard_rest`) and the rule alone."""

import guard_rest
import numpy as np
import pytest
from guard_families import REST, tally

METHODS = ("dop853", "dopri5")
# Flights that begin inside a step of dopri5, which ends on the wrong side; and one that begins a unit of rounding late.
WRONG_ONCE = (44638, 93909, 128646, 144809)


@pytest.mark.parametrize("method", METHODS)
def test_rest_is_neither_negative_nor_an_event(method):
    counts = tally(REST, method, range(10), "python")
    assert counts.wrong == 0, "\n".join(counts.sentences[:5])
    assert counts.excused < 5 and counts.events > 20


@pytest.mark.parametrize("seed", [WRONG_ONCE[0], *(pytest.param(n, marks=pytest.mark.extra) for n in WRONG_ONCE[1:])])
def test_a_step_that_ends_on_the_wrong_side_of_rest_is_no_departure(seed):
    counts = tally(REST, "dopri5", range(seed, seed + 1), "python")
    assert counts.wrong == counts.excused == 0, counts.sentences


@pytest.mark.extra
@pytest.mark.parametrize("method", METHODS)
def test_no_return_to_zero_is_missed_and_none_invented(method):
    counts = tally(REST, method, range(3000))
    assert counts.wrong == 0, "\n".join(counts.sentences[:5])
    assert counts.excused < 600 and counts.events > 9000


@pytest.mark.extra
@pytest.mark.parametrize("method", METHODS)
def test_interpreted_runs_at_rest_have_the_same_bits(method):
    for seed in range(100, 110):
        case = guard_rest.Case.of(method, seed)
        plain, compiled = case.run("python"), case.run()
        assert plain.status is compiled.status, case.label
        np.testing.assert_array_equal(plain.events.t, compiled.events.t, err_msg=case.label)
        np.testing.assert_array_equal(plain.x_end, compiled.x_end, err_msg=case.label)
