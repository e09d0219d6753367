"""The comparison of policies that follow commands."""

import numpy as np
import pytest

from tarsus.scripts.laboratory import frame
from tarsus.scripts.laboratory.pages import followers


def test_the_kept_shares_are_those_of_the_reward_without_its_weights():
    still = followers.follow("stand", "flat", 0)
    walking = followers.follow("steered", "flat", 0)
    assert not still.fell and not walking.fell
    assert still.kept[0] < 0.3 < walking.kept[0] <= 1.0
    # one that does nothing uses no power and never changes its action: what is left is 0.02 for health
    assert still.total == pytest.approx(1000 * (still.kept @ [1.0, 0.5] + 0.02), rel=1e-3)


def test_a_fall_keeps_nothing_more(monkeypatch):
    monkeypatch.setattr(followers, "asked", lambda ground: {"task": "commanded", "action_mode": "velocity"})
    short = followers.follow("random", "flat", 0)
    assert short.fell and np.all(short.kept < 0.3)


def test_the_table_is_written_into_the_page(tmp_path, monkeypatch, capsys):
    episode = followers.Following(10.0, np.array([0.5, 0.25]), True)
    monkeypatch.setattr(followers, "follow", lambda *case: episode)
    page = tmp_path / "policies.md"
    page.write_text("<!-- followers: begin -->\n<!-- followers: end -->\n")
    words = ["--policies", "walk", "--grounds", "flat", "--seeds", "2", "--write", "--docs", str(tmp_path)]
    assert frame.main(followers, words) == 0
    assert "| flat | walk | 10 ± 0 | 50 | 25 | 2 of 2 |" in page.read_text()


def test_a_policy_for_another_task_is_refused(capsys):
    assert frame.main(followers, ["--policies", "hexapod-gait", "--grounds", "flat", "--seeds", "1"]) == 2
    assert "made for other settings: task was" in capsys.readouterr().err
