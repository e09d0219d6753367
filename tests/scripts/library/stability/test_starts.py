"""Several starts are one result: the verdict of all, or that it depends on the start, and the spread of the numbers."""

import dataclasses
import itertools

import numpy as np
import pytest

from tarsus.scripts.library.stability import asking, shown, single
from tarsus.scripts.library.stability.loop import Ended, Loop
from tarsus.scripts.library.stability.result import Stability, counts, together


def start(seed, verdict="stable", largest=None, parting=None):
    """The result on a start."""
    period = 1.0 if largest else None
    more = {"largest": largest, "parting": parting, "period": period, "cpu": 2.0, "lines": ("calm", f"line {seed}")}
    return Stability("walk", "Hexapod-v0", "mujoco", verdict, f"it is {verdict}.", seed=seed, **more)


SLOW, QUICK = start(1, largest=(0.7, 0.69, 0.72)), start(0, largest=(0.16, 0.15, 0.17))
PARTS = start(2, "not periodic", parting=(0.5, 0.4, 0.6))
UNKNOWN = start(3, "not determined", largest=(0.9, 0.1, 2.0))


@pytest.mark.parametrize("order", list(itertools.permutations([QUICK, SLOW, start(4, largest=(0.3, 0.3, 0.3))])))
def test_starts_that_agree_have_their_verdict_and_the_numbers_of_the_slowest(order):
    found = together(order)
    assert found.verdict == "stable" and found.seed == 1 and found.largest == (0.7, 0.15, 0.72)
    assert found.half_life == SLOW.half_life and found.cpu == 6.0 and counts(found.starts) == "3"
    assert found.said.startswith("stable: all 3 starts. The largest multiplier is from 0.16 (seed 0) to 0.7 (seed 1). ")
    assert found.lines[0] == "calm" and found.lines.count("calm") == 1


def test_starts_that_differ_have_no_verdict_but_that_it_depends_on_the_start():
    found = together([QUICK, SLOW, PARTS, UNKNOWN])
    assert found.verdict == "depends on the start" and found.half_life is None
    assert "stable with seed 0, 1; not periodic with seed 2; not determined with seed 3" in found.reason
    assert found.largest == (0.7, 0.15, 0.72) and found.parting == (0.5, 0.4, 0.6)
    assert counts(found.starts) == "2 stable, 1 not periodic, 1 not determined"


def test_a_start_that_is_not_determined_leaves_the_whole_so_and_says_why():
    found = together([QUICK, UNKNOWN])
    assert found.verdict == "not determined" and "Seed 3: it is not determined" in found.reason
    assert found.largest == QUICK.largest and "(seed 3)" not in found.reason  # what is not determined widens nothing
    assert together([UNKNOWN, UNKNOWN]).largest == UNKNOWN.largest


def test_runs_that_part_have_the_fastest_rate():
    found = together([PARTS, start(5, "not periodic", parting=(-1.0, -2.0, 0.1))])
    assert found.parting == (0.5, -2.0, 0.6) and found.verdict == "not periodic"


def test_all_of_it_is_in_text_table_picture_and_json(tmp_path):
    found = together([QUICK, SLOW, PARTS])
    assert Stability.from_json(found.as_json()) == found and [one["seed"] for one in found.starts] == [0, 1, 2]
    assert "| depends on the start | 2 stable, 1 not periodic | 0.7 (0.15 to 0.72) |" in shown.table([found])
    assert "depends on the start: stable with seed 0, 1" in shown.text(found)
    shown.draw(found).savefig(tmp_path / "a.png")


def test_every_seed_is_asked_once_and_kept(monkeypatch, tmp_path):
    """By the loop that is there: another is made in other processes alone."""
    asked = []

    def of(subject, policy, seed, file=None):
        asked.append((subject, seed, file))
        return start(seed, largest=(0.1, 0.1, 0.1))

    monkeypatch.setattr(single, "asked", of)
    found = asking.asked("the loop", str, "walk", range(2, 5), tmp_path, jobs=1)
    assert [seed for _, seed, _ in asked] == [2, 3, 4] == [one["seed"] for one in found.starts]
    assert len({file for *_, file in asked}) == 3 and {subject for subject, *_ in asked} == {"the loop"}


def test_a_process_makes_the_loop_once_and_it_starts_as_a_new_one(monkeypatch):
    made = []
    monkeypatch.setattr(single, "asked", lambda loop, policy, seed, file: single.mark(loop, seed))
    alone = [asking._of_starts(Loop.of("walk"), str, "walk", [(seed, None)])[0] for seed in range(2)]
    assert asking._of_starts(None, lambda: made.append(1) or Loop.of("walk"), "walk", [(0, None), (1, None)]) == alone
    assert made == [1] and len(set(alone)) == 2


def test_a_return_map_has_one_start():
    assert asking.stability("simplest-walker").starts == ()


def test_no_start_is_refused():
    with pytest.raises(ValueError, match="seeds must be at least 1, got 0"):
        asking.stability("simplest-walker", seeds=0)


def test_parts_of_a_policy_that_has_changed_since_are_not_taken(monkeypatch, tmp_path):
    def ended(*_, **__):
        raise Ended("it ended")

    monkeypatch.setattr(single.bound, "settle", ended)
    loop, heads = Loop.of("stand"), []
    for action in (0.0, 0.0, 0.1):
        loop.candidate = dataclasses.replace(
            loop.candidate,
            make=lambda env, seed, action=action: lambda *_: np.full(env.action_space.shape, action, np.float32),
        )
        assert single.asked(loop, "stand", 0, tmp_path / "parts").verdict == "falls"
        heads.append((tmp_path / "parts").read_text().splitlines()[0])
    assert heads[0] == heads[1] != heads[2]


def test_the_decay_is_off_by_what_determined_starts_show():
    starts = [
        {"verdict": "not determined", "decay_error": 16.0},
        {"verdict": "stable", "decay_error": 0.01},
        {"verdict": "stable", "decay_error": None},
    ]
    assert dataclasses.replace(QUICK, decays=(), starts=tuple(starts)).decay_error == 0.01
    assert dataclasses.replace(QUICK, decays=(), starts=tuple(starts[:1])).decay_error == 16.0
