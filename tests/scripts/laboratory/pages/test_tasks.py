"""The page of the frozen tasks: its tables are those of the code, and policies stand in the order that they should."""

import json
import re
from pathlib import Path

import pytest

from tarsus.envs import TASKS
from tarsus.scripts.laboratory.frame import Page
from tarsus.scripts.laboratory.pages import tasks
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.learning import leaderboard, policies

PAGE = (Path(__file__).parents[4] / "docs" / "tasks.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (tarsus/\S+) \| (.+?) \| \S+ \((\S+) to (\S+)\) \|", re.MULTILINE)


def scores():
    """Return the intervals in the page by entrant, by task."""
    found = {name: {} for name in TASKS}
    for name, entrant, low, high in ROW.findall(PAGE):
        found[name][entrant] = float(low), float(high)
    return found


def test_the_page_describes_the_tasks_as_they_are():
    assert Page(tasks.described()).text("markdown", "").strip() in PAGE


@pytest.mark.parametrize("name", TASKS)
def test_random_actions_are_worse_than_what_walks_and_that_is_worse_than_what_is_better(name):
    """By intervals, of action zero where it walks, else of the clock; random actions are no better than standing."""
    found = scores()[name]
    assert {"random", "zero", *tasks.PLAYED.get(name, ())} <= set(found)
    best = max(low for low, _ in found.values())
    if TASKS[name].zero > 0.0:
        assert found["random"][1] < found["zero"][0] and found["zero"][0] <= 0.0 <= found["zero"][1]
    else:
        clock = found[tasks.PLAYED[name][0]]
        assert found["random"][1] <= 0.001 < clock[0] and clock[1] < best
    if name in tasks.PLAYED:
        assert found["zero"][1] < best


def test_steps_of_training_are_told_of_what_was_trained_and_what_went_on_from_another():
    assert tasks.trained_for("zero") == "-" and tasks.trained_for("dog") == "400,000"
    assert tasks.trained_for("dog-scratch") == "131,072 more"


def test_the_scores_that_come_with_the_package_are_those_of_the_page():
    stored = json.loads(leaderboard.STORED.read_text(encoding="utf-8"))
    rows = [[name, *row] for name, some in stored.items() for row in some]
    assert stamp.markdown_table((*leaderboard.HEAD[:-1], "steps"), rows) in PAGE and list(stored) == list(TASKS)


def test_scores_of_some_tasks_are_stored_beside_those_of_the_others():
    anew = [["tarsus/DogTrot-v0", "dog", "0.500 (0.400 to 0.600)", 2, "0 of 20", "400,000"]]
    found, before = (json.loads(text) for text in (tasks.stored(anew), leaderboard.STORED.read_text(encoding="utf-8")))
    assert found == before | {"tarsus/DogTrot-v0": [anew[0][1:]]}
    assert tasks.stored([]) == leaderboard.STORED.read_text(encoding="utf-8")


def test_a_from_scratch_task_is_solved():
    """To half of what begins with a clock."""
    assert TASKS["tarsus/DogScratch-v0"].zero == 0.0 and scores()["tarsus/DogScratch-v0"]["dog-scratch"][0] > 0.5


def test_what_is_played_is_there():
    for name, entrants in tasks.PLAYED.items():
        for entrant in entrants:
            assert policies.seeds_of(entrant) or entrant in policies.of_environment(name)
    assert {name for name, *_ in tasks.played(None)} == set(TASKS)
