"""Which policies are evaluated, what is saved, and what Ctrl-C leaves: the table of the episodes that were finished."""

import csv
import json

import numpy as np
import pytest

from tarsus.scripts.command import cli
from tarsus.scripts.library.learning import evaluation, loading, playing, policies
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy

HOLDS = evaluation.Episode(10.0, 2.0, 0.5, 0.2, 0.0)


def interrupted(monkeypatch, name, at):
    """Have a function of the command interrupted at its so many-th call."""
    calls = []

    def call(*args):
        calls.append(args)
        if len(calls) == at:
            raise KeyboardInterrupt
        return HOLDS

    monkeypatch.setattr(evaluation, name, call)


def test_ctrl_c_leaves_the_table_of_what_was_finished(monkeypatch, capsys):
    interrupted(monkeypatch, "run_episode", 3)
    assert cli.main(["evaluate", "zero", "--seeds", "4"]) == 130
    out, err = capsys.readouterr()
    assert "tarsus evaluate: interrupted" in err and "of 2 of 4 episodes" in out
    assert "| zero | 10.0 ± 0.0 | 2.00 ± 0.00 | 0.500 ± 0.000 | 0.200 ± 0.000 | 0 of 2 |" in out


def test_ctrl_c_before_the_first_has_finished_leaves_no_table(monkeypatch, capsys):
    interrupted(monkeypatch, "run_episode", 1)
    assert cli.main(["evaluate", "zero", "--seeds", "4"]) == 130 and capsys.readouterr().out == ""


def test_ctrl_c_in_the_film_leaves_the_whole_table(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(evaluation.rendering, "choose_opengl", lambda: True)
    checked = loading.Candidate("zero", "Hexapod-v0", {}, lambda env, seed: None)
    monkeypatch.setattr("tarsus.scripts.library.learning.playing.check", lambda *args, **more: checked)
    monkeypatch.setattr(evaluation, "run_episode", lambda *args: HOLDS)
    interrupted(monkeypatch, "film_episode", 1)
    assert cli.main(["evaluate", "zero", "--seeds", "2", "--video", str(tmp_path / "film.mp4")]) == 130
    out, err = capsys.readouterr()
    assert "| zero | 10.0" in out and "of 2 episodes" in out and "interrupted" in err
    assert not list(tmp_path.iterdir())


SHORT = {"max_episode_steps": 20}
CERTIFIED = "tarsus.tests.scripts.command.verbs.test_certify"


@pytest.fixture(scope="module")
def zipped(tmp_path_factory):
    """Return a .zip of Stable-Baselines3 that was trained in short episodes of the hopping leg."""
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    import gymnasium

    path = tmp_path_factory.mktemp("zip") / "mine.zip"
    env = gymnasium.make("HoppingLeg-v1")
    stable_baselines3.PPO("MlpPolicy", env, n_steps=8, batch_size=8, seed=0, device="cpu").save(path)
    return path


@pytest.mark.parametrize("word", [f"{CERTIFIED}:walk", f"{CERTIFIED}:still", "zero"])
def test_functions_factories_and_names_do_the_same(word):
    made = evaluation.run_episode(word, None, SHORT, 3)
    assert made == evaluation.run_episode("zero", None, SHORT, 3) and made.length == 20 * 0.02


def test_a_zip_and_its_onnx_are_evaluated_alike(zipped, tmp_path):
    pytest.importorskip("onnxruntime")
    from tarsus.scripts.library.learning import onnx_policy

    (tmp_path / "mine.onnx").write_bytes(
        onnx_policy.model_of(loading.load(str(zipped), "HoppingLeg-v1", {})).SerializeToString()
    )
    first = evaluation.run_episode(str(zipped), "HoppingLeg-v1", SHORT, 3)
    second = evaluation.run_episode(str(tmp_path / "mine.onnx"), None, SHORT, 3)
    assert first.total == pytest.approx(second.total, rel=1e-4) and first.length == second.length


def test_drawn_actions_differ_by_seed_and_are_those_of_training(zipped):
    most_likely = evaluation.run_episode(str(zipped), "HoppingLeg-v1", SHORT, 3)
    drawn = [evaluation.run_episode(str(zipped), "HoppingLeg-v1", SHORT, seed, stochastic=True) for seed in (3, 3, 4)]
    assert drawn[0] == drawn[1] != most_likely and drawn[0] != drawn[2]
    policy = loading.load(str(zipped), "HoppingLeg-v1", {}).network()
    assert policy.noise == pytest.approx(1.0)  # what Stable-Baselines3 begins with
    env, act = playing.start(str(zipped), "HoppingLeg-v1", SHORT, 0)
    seen, draw = env.reset(seed=0)[0], policy.drawing()(env, 0)
    actions = np.array([draw(seen) for _ in range(2000)])
    policy.noise = 1e-9 * policy.noise
    np.testing.assert_allclose(policy.drawing()(env, 0)(seen), act(seen, {}), atol=1e-5)
    assert np.abs(actions).max() == 1.0 and actions.std() == pytest.approx(0.72, abs=0.03)  # normal, cut off at one


def test_a_checkpoint_knows_its_noise_and_an_older_one_says_what_does(tmp_path, capsys):
    assert cli.main(["evaluate", "hexapod-0", "--stochastic", "--seeds", "1"]) == 2
    assert "does not know the noise of its actions; its model.zip does" in capsys.readouterr().err
    assert cli.main(["evaluate", "clock", "--stochastic"]) == 2
    assert "clock draws no actions; checkpoints and a .zip" in capsys.readouterr().err
    stored = dict(np.load(policies.SHIPPED / "hexapod-0" / "policy.npz"))
    np.savez(tmp_path / "policy.npz", **stored | {"noise": np.full(7, 0.3)})
    assert "the shape (6,)" in pytest.raises(ValueError, TrainedPolicy, tmp_path).value.args[0]
    np.savez(tmp_path / "policy.npz", **stored | {"noise": np.full(6, 0.3)})
    drawn, likely = (evaluation.run_episode(str(tmp_path), None, SHORT, 0, drawn) for drawn in (True, False))
    assert drawn.total < likely.total and likely == evaluation.run_episode("hexapod-0", None, SHORT, 0)


def test_table_episodes_and_result_are_saved(tmp_path, capsys, monkeypatch):
    ends = evaluation.Episode(1.5, 2.0, 0.5, float("nan"), 0.0, "left, at last")
    monkeypatch.setattr(evaluation, "run_episode", lambda *args: HOLDS if args[3] == 0 else ends)
    line = ["evaluate", "zero", "--seeds", "2", "--out", str(tmp_path)]
    assert cli.main(line) == 0 and cli.main(line) == 2  # it is there
    assert (tmp_path / "table.md").read_text() in capsys.readouterr().out
    rows = list(csv.DictReader((tmp_path / "episodes.csv").open(newline="")))
    assert [row["seed"] for row in rows] == ["0", "1"] and rows[1]["end"] == "left, at last"
    made = json.loads((tmp_path / "result.json").read_text())
    episodes, asked = made["result"]["episodes"], made["inputs"]
    assert episodes[1]["cost_of_transport"] is None and episodes[0]["total"] == 10.0
    assert (asked["policy"], asked["seeds"], asked["stochastic"]) == ("zero", 2, False) and "mujoco" in made["versions"]


def test_ctrl_c_saves_what_was_finished(monkeypatch, tmp_path):
    interrupted(monkeypatch, "run_episode", 3)
    assert cli.main(["evaluate", "zero", "--seeds", "4", "--out", str(tmp_path)]) == 130
    assert (tmp_path / "episodes.csv").read_text().count("\n") == 3
