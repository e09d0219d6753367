"""What is found is kept at once: what was killed goes on, and ends as if it had not been."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tarsus.scripts.library.stability.ensembles import Trial, ensemble
from tarsus.scripts.library.stability.margins import Question
from tarsus.scripts.library.stability.store import Store
from tarsus.scripts.library.stability.survival import threshold


class Counted:
    """Survival with individual thresholds, counted; after some trials the process kills itself."""

    def __init__(self, last=10**9):
        self.n, self.last = 0, last

    def __call__(self, trial):
        if self.n == self.last:
            os.kill(os.getpid(), signal.SIGKILL)
        self.n += 1
        return trial.size < 1.0 + np.sin(trial.phase * 100.0 + trial.seed) / 4


def search(folder, last=10**9, policy="a"):
    counted = Counted(last)
    outcomes = Question(None, 10, folder, {"policy": policy}).outcomes("one", counted)
    return threshold(outcomes, ensemble(), 3.0), counted.n


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_search_ends_as_one_that_was_not(tmp_path):
    whole, n = search(tmp_path)
    folder = tmp_path / "deep" / "killed"
    call = f"import runpy; runpy.run_path({__file__!r}, run_name='search')"
    assert subprocess.run([sys.executable, "-c", call, str(folder), "250"]).returncode == -signal.SIGKILL
    assert search(folder) == (whole, n - 250)
    assert (folder / "one.jsonl").read_text() == (tmp_path / "one.jsonl").read_text()
    assert search(folder) == (whole, 0)
    assert search(None) == (whole, n)


@pytest.mark.parametrize(("kept", "again"), [(lambda text: text[:-9], 1), (lambda text: text[:20], None)])
def test_a_line_cut_short_is_found_again(kept, again, tmp_path):
    whole, n = search(tmp_path)
    path = tmp_path / "one.jsonl"
    text = path.read_text()
    path.write_text(kept(text))
    assert search(tmp_path) == (whole, again or n)
    assert path.read_text() == text


def test_behind_a_damaged_line_all_is_found_again(tmp_path):
    whole, n = search(tmp_path)
    path = tmp_path / "one.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:101], lines[101][:-1], *lines[102:]]) + "\n")
    assert search(tmp_path) == (whole, n - 100)


def test_a_file_of_something_else_is_begun_anew(tmp_path):
    whole, n = search(tmp_path)
    assert search(tmp_path, policy="b") == (whole, n)
    store = Store(tmp_path / "one.jsonl", "parts of something else")
    assert store.part("a", lambda: [1.5]) == [1.5] and len((tmp_path / "one.jsonl").read_text().splitlines()) == 2


def test_outcomes_are_in_order_of_the_trials():
    outcomes = Question(None, 10).outcomes("one", Counted())
    trials = [Trial(0.0, 0.0, size, 0) for size in (2.0, 0.1, 2.0, 1.1)]
    assert outcomes([*trials, Trial(0.0, 0.0, 1.1, 2)]).tolist() == [False, True, False, False, True]


if __name__ == "search":
    search(Path(sys.argv[1]), int(sys.argv[2]))
