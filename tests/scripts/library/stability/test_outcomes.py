"""Trials are kept as they are found: what was killed goes on, and ends as if it had not been."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tarsus.scripts.library.stability.ensembles import Trial, ensemble
from tarsus.scripts.library.stability.outcomes import Outcomes
from tarsus.scripts.library.stability.survival import threshold

MEMBERS, ABOUT = ensemble(), {"policy": "a"}


class Counted:
    """Survival with individual thresholds, counted; after some trials the process kills itself."""

    def __init__(self, last=10**9):
        self.n, self.last = 0, last

    def __call__(self, trials):
        for trial in trials:
            if self.n == self.last:
                os.kill(os.getpid(), signal.SIGKILL)
            self.n += 1
            yield trial.size < 1.0 + np.sin(trial.phase * 100.0 + trial.seed) / 4


def search(path, last=10**9):
    counted = Counted(last)
    return threshold(Outcomes(counted, path, ABOUT), MEMBERS, 3.0), counted.n


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_search_ends_as_one_that_was_not(tmp_path):
    whole, n = search(tmp_path / "whole.jsonl")
    path = tmp_path / "deep" / "killed.jsonl"
    call = f"import runpy; runpy.run_path({__file__!r}, run_name='search')"
    assert subprocess.run([sys.executable, "-c", call, str(path), "250"]).returncode == -signal.SIGKILL
    resumed, rest = search(path)
    assert resumed == whole
    assert rest == n - 250
    assert path.read_text() == (tmp_path / "whole.jsonl").read_text()


def test_a_line_cut_short_is_found_again(tmp_path):
    path = tmp_path / "trials.jsonl"
    whole, n = search(path)
    text = path.read_text()
    path.write_text(text[:-9])
    assert search(path) == (whole, 1)
    assert path.read_text() == text
    path.write_text(text[: text.index("\n") - 3])
    assert search(path) == (whole, n)


def test_what_is_known_is_not_asked_again(tmp_path):
    path = tmp_path / "trials.jsonl"
    whole, _ = search(path)
    assert search(path) == (whole, 0)
    assert search(None)[0] == whole


def test_trials_of_something_else_are_refused(tmp_path):
    path = tmp_path / "trials.jsonl"
    search(path)
    with pytest.raises(ValueError, match="has trials of .*take another folder"):
        Outcomes(Counted(), path, {"policy": "b"})


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "trials.jsonl"
    search(path)
    path.write_text(path.read_text().replace("true", "tru", 1))
    with pytest.raises(ValueError, match=r"line \d+ of .* is no trial"):
        Outcomes(Counted(), path, ABOUT)


def test_fewer_answers_than_trials_are_refused(tmp_path):
    with pytest.raises(ValueError, match="zip"):
        Outcomes(lambda trials: [True], None, ABOUT)(MEMBERS)


def test_outcomes_are_in_order_of_the_trials():
    outcomes = Outcomes(Counted(), None, ABOUT)
    trials = [Trial(0.0, 0.0, size, 0) for size in (2.0, 0.1, 2.0, 0.2)]
    assert outcomes(trials).tolist() == [False, True, False, True]


if __name__ == "search":
    search(Path(sys.argv[1]), int(sys.argv[2]))
