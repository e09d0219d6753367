"""The benchmark of learning in small: what it plays, stores and shows, and that it goes on where it was interrupted."""

import json

import numpy as np
import pytest

from tarsus.scripts.laboratory import frame
from tarsus.scripts.laboratory.benchmarks import learning
from tarsus.scripts.laboratory.pages import learning as page
from tarsus.scripts.laboratory.studies.learned import Played

SHORT = {"max_episode_steps": 60}


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(learning, "EPISODES", 3)


def still(observation):
    return np.zeros((len(observation), 6))


def test_nothing_added_walks_as_the_clock_does(few):
    played = learning.play(still, "Hexapod-v0", SHORT, 7)
    assert played.steps == 7 and 0.2 < played.speed < 0.32 and 45.0 < played.reward < 70.0 and played.falls == 0
    standing = learning.play(still, "Hexapod-v0", SHORT | {"action_mode": "velocity"}, 0)
    assert abs(standing.speed) < 0.02


def test_an_episode_counts_to_its_end_and_a_fall_once(few):
    fallen = learning.play(lambda seen: np.zeros((len(seen), 2)), "HoppingLeg-v1", {"action_mode": "torque"}, 0)
    assert fallen.falls == 3 and fallen.reward < 30.0  # of 1,000 steps, in which it would have fallen many times
    longer = learning.play(lambda seen: np.zeros((len(seen), 7)), "MultipodQuasistatic-v1", SHORT, 0)
    assert longer.falls == 0 and longer.reward > 0.0


def test_tempo_is_held_where_an_action_has_one(few, monkeypatch):
    assert list(learning.bars("Hexapod-v0", SHORT)) == ["zero action"]
    seen = []
    monkeypatch.setattr(learning, "play", lambda act, *rest: seen.append(act(np.zeros((2, 3)))))
    made = type(
        "Env", (), {"action_names": ("hip", "tempo"), "action_space": np.zeros(2), "close": lambda self: None}
    )()
    made.unwrapped = made
    monkeypatch.setattr(learning.playing, "make", lambda *args: made)
    assert list(learning.bars("Some-v0", {})) == ["zero action", "tempo at 1"]
    np.testing.assert_array_equal(seen, [np.zeros((2, 2)), [[0.0, 1.0]] * 2])


def test_whole_updates_are_made():
    assert learning.whole_updates((131_072, 262_144), 16) == [131_072, 262_144]
    assert learning.whole_updates((5000, 1), 2) == [4096, 8192]


LINE = ["--env", "HoppingLeg-v1", "--seeds", "2", "--num-envs", "1", "4", "--steps", "1", "10000"]


def test_an_interrupted_benchmark_goes_on_and_the_page_shows_what_is_stored(few, monkeypatch, tmp_path, capsys):
    trained = []

    def learn(environment, options, num_envs, steps, seed):
        if len(trained) == 2:
            raise KeyboardInterrupt
        trained.append((num_envs, seed))
        return [Played(n, 0.1 * n / 8192, 10.0 * (seed + 1), seed) for n in learning.whole_updates(steps, num_envs)]

    monkeypatch.setattr(learning, "learn", learn)
    line = [*LINE, "--results", str(tmp_path)]
    with pytest.raises(KeyboardInterrupt):
        frame.main(learning, line)
    stored = json.loads((tmp_path / "HoppingLeg-v1.json").read_text())
    assert list(stored["trained"]) == ["1 0", "1 1"] and stored["bars"]["zero action"][3] == 0
    trained.clear()
    with pytest.raises(KeyboardInterrupt):
        frame.main(learning, [*line, "--steps", "1", "10000", "30000"])  # what lacks steps is trained anew
    assert trained == [(1, 0), (1, 1)]
    trained.clear()
    assert frame.main(learning, line) == 0 and trained == [(4, 0), (4, 1)]
    capsys.readouterr()
    (tmp_path / "policies.md").write_text("<!-- learned: begin -->\n<!-- learned: end -->\n")
    assert frame.main(page, ["--results", str(tmp_path), "--write", "--docs", str(tmp_path)]) == 0
    text = (tmp_path / "policies.md").read_text()
    row = "PPO, simulations: 4, steps: 16,384 | 2 | 0.2 | 10 to 20 | 1 |"
    assert f"| HoppingLeg-v1 | {row}" in text and "| HoppingLeg-v1 | zero action |" in text and "Played with" in text


def test_what_was_stored_of_another_reward_is_refused(few, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(learning, "learn", lambda *given: [Played(2048, 0.1, 1.0, 0)])
    line = ["--env", "HoppingLeg-v1", "--seeds", "1", "--num-envs", "1", "--steps", "1", "--results", str(tmp_path)]
    assert frame.main(learning, line) == 0
    path = tmp_path / "HoppingLeg-v1.json"
    stored = json.loads(path.read_text())
    stored["bars"]["zero action"][2] *= 1.5
    path.write_text(json.dumps(stored))
    assert frame.main(learning, line) == 2 and "is of another environment: zero action" in capsys.readouterr().err
    assert json.loads(path.read_text()) == stored


def test_a_training_is_judged_after_each_number_of_steps(few):
    pytest.importorskip("stable_baselines3")
    (first, second) = learning.learn("MultipodQuasistatic-v1", SHORT, 1, (1, 2049), seed=0)
    assert (first.steps, second.steps) == (2048, 4096) and first != second._replace(steps=2048)


REFUSED = {
    "--env Nothing-v0": "unknown environment 'Nothing-v0'",
    "--option gravity=3": "Hexapod-v0 does not take these options",
    "--steps 0": "--steps must be at least 1, got 0",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_trained_is_refused_in_a_sentence(line, capsys):
    assert frame.main(learning, line.split()) == 2 and REFUSED[line] in capsys.readouterr().err


def test_a_page_without_results_says_what_makes_them(tmp_path, capsys):
    assert frame.main(page, ["--results", str(tmp_path)]) == 2
    assert "holds no results; tarsus benchmark learning --env NAME makes them" in capsys.readouterr().err
