"""The package's policies trained anew, with runs of a few steps: what is finished stays, what was left goes on."""

import pytest

from tarsus.scripts.laboratory.pages import shipped
from tarsus.scripts.library.learning import policies, training_runs
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy
from tarsus.scripts.library.learning.training_runs import TrainingRun

pytest.importorskip("stable_baselines3", reason="it needs the extra `rl`")

from tarsus.scripts.library.learning import checkpoint, planning, training  # noqa: E402

SETTINGS = dict(n_steps=8, batch_size=32, n_epochs=1, policy_kwargs=dict(net_arch=[8]))
TINY = TrainingRun("Hexapod-v0", {"action_mode": "gait"}, settings=SETTINGS, num_envs=4, total_steps=64)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(training, "EVAL_ENVS", 1)
    monkeypatch.setattr(training_runs, "RUNS", {"one": TINY, "two": TINY})


def test_after_ctrl_c_the_same_command_goes_on_and_what_is_finished_is_not_trained_again(tmp_path, monkeypatch, capsys):
    begun, train = [], planning.train

    def until(most):
        def counted(run, **asked):
            begun.append((run, asked["seed"], asked["resume"]))
            if len(begun) == most:
                train(run, **asked | {"steps": 32})
                raise KeyboardInterrupt
            return train(run, **asked)

        return counted

    into = tmp_path / "trained"
    monkeypatch.setattr(policies, "SHIPPED", into)
    words = ["--seeds", "1", "--out", str(tmp_path), "--threads", "1", "--write"]
    monkeypatch.setattr(planning, "train", until(2))
    assert shipped.main(words) == 130
    assert sorted(path.name for path in into.iterdir()) == ["one-0"]
    monkeypatch.setattr(planning, "train", until(0))
    assert shipped.main(words) == 0
    assert begun == [("one", 0, False), ("two", 0, False), ("two", 0, True)]
    for name in ("one-0", "two-0"):
        assert checkpoint.settings(tmp_path / name / "latest")["steps"] == 64
        assert {path.name for path in (into / name).iterdir()} == set(shipped.FILES)
        assert TrainedPolicy(into / name).about == checkpoint.settings(tmp_path / name / "best")
    assert "one-0 is trained" in capsys.readouterr().out


def test_a_run_that_there_is_not_is_refused(capsys):
    assert shipped.main(["hexpod"]) == 2
    assert "unknown training run 'hexpod'; there are one, two" in capsys.readouterr().err


def test_seeds_come_first_and_runs_can_be_named(tmp_path):
    wanted = shipped.of(["two"], 2, tmp_path, 1), shipped.of([], 2, tmp_path, 1)
    names = [[asked.folder.name for asked in trainings] for trainings in wanted]
    assert names == [["two-0", "two-1"], ["one-0", "two-0", "one-1", "two-1"]]
