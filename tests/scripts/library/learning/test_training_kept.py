"""Trainings that are killed, interrupted or meet a full disk go on from the newest whole checkpoint."""

import json
import resource
import shutil
import signal

import numpy as np
import pytest

from tarsus.scripts.command import cli
from tarsus.scripts.library.learning import policies, training_runs

pytest.importorskip("stable_baselines3", reason="it needs the extra `rl`")

from tarsus.scripts.library.learning import checkpoint, stable, training  # noqa: E402

MADE = dict(
    environment="HoppingLeg-v1",
    options=dict(max_episode_steps=20),
    settings=dict(n_steps=8, batch_size=32, n_epochs=1, policy_kwargs=dict(net_arch=[8])),
    num_envs=4,
    total_steps=96,
)
COMMAND = ["train", "tiny", "--eval-every", "32", "--threads", "1", "--out"]  # 96 steps, checkpoints at 32, 64 and 96

KILLED = f"""
import os, signal, sys
import torch
from tarsus.scripts.command import cli
from tarsus.scripts.library.learning import checkpoint, training, training_runs

training_runs.RUNS["tiny"] = training_runs.TrainingRun(**{MADE})
training.EVAL_ENVS = 1
torch.set_num_threads(1)
save, seen = checkpoint.save, []

def save_and_kill(folder, *rest, **more):
    "SIGKILL ends the process while it writes `latest` for the so-manieth time."
    seen.append(folder.name)
    if seen.count("latest") == nth:
        checkpoint.policy_arrays = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    save(folder, *rest, **more)

checkpoint.save = save_and_kill
for nth, folder in ((1, "first"), (3, "third")):
    child = os.fork()
    if not child:
        cli.main({COMMAND} + [folder])
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL, folder
"""


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """A run of a few steps, evaluated in one short episode; Ctrl-C is not ignored."""
    monkeypatch.setitem(training_runs.RUNS, "tiny", training_runs.TrainingRun(**MADE))
    monkeypatch.setattr(training, "EVAL_ENVS", 1)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def killed(new_process, tmp_path_factory):
    """A folder with trainings that were killed while they wrote their first and their third checkpoint."""
    folder = tmp_path_factory.mktemp("killed")
    done = new_process(KILLED, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A training with two checkpoints, at steps 32 and 64."""
    folder = tmp_path_factory.mktemp("trained") / "tiny-0"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "EVAL_ENVS", 1)
        run = training_runs.TrainingRun(**MADE | {"total_steps": 64})
        training.train(run, 0, folder, eval_every=32, n_threads=1, progress=False)
    steps = {path.name: checkpoint.settings(path)["steps"] for path in folder.glob("latest*")}
    assert steps == {"latest": 64, "latest-previous": 64}  # every 32 steps, and at the end
    return folder


def tarsus(words):
    """Return the exit status of a command; that Ctrl-C is not caught fails the test, not all tests."""
    try:
        return cli.main(words)
    except KeyboardInterrupt:
        pytest.fail(f"tarsus {' '.join(words)}: KeyboardInterrupt")


def ctrl_c_after(monkeypatch, n_steps):
    """Press Ctrl-C in a step of the training's environments."""
    step_wait, steps = stable.StableVectorEnv.step_wait, []

    def pressing(envs):
        steps.append(envs.num_envs if envs.num_envs == MADE["num_envs"] else 0)  # an evaluation has one
        if sum(steps) == n_steps and steps[-1]:
            signal.raise_signal(signal.SIGINT)
        return step_wait(envs)

    monkeypatch.setattr(stable.StableVectorEnv, "step_wait", pressing)


@pytest.fixture
def folder(trained, tmp_path):
    """A copy of that training, for `--out`."""
    shutil.copytree(trained, tmp_path / "tiny-0")
    return tmp_path


def resume(out, *words):
    return tarsus([*COMMAND, str(out), "--resume", *words])


def hidden(folder):
    return [path for path in folder.rglob(".*")]


def sentence(capsys):
    """Return the one line in which the command says what happened."""
    lines = [line for line in capsys.readouterr().err.split("\n") if line.startswith("tarsus") or "Traceback" in line]
    assert len(lines) == 1 and lines[0].startswith("tarsus train: "), lines
    return lines[0]


def test_killed_before_its_first_checkpoint_a_training_says_how_to_begin_again(killed, capsys):
    assert resume(killed / "first") == 2
    assert "there is no checkpoint in" in (said := sentence(capsys)) and "without --resume the training starts" in said
    assert tarsus([*COMMAND, str(killed / "first")]) == 0
    assert checkpoint.settings(killed / "first/tiny-0/latest")["steps"] == 96 and not hidden(killed / "first")


def test_killed_while_it_writes_a_checkpoint_a_training_goes_on_from_the_one_before(killed, capsys):
    made = killed / "third/tiny-0"
    assert hidden(made) and not checkpoint.damage(made / "latest")
    assert checkpoint.settings(made / "latest")["steps"] == 64
    assert tarsus([*COMMAND, str(killed / "third")]) == 2 and "--resume goes on" in capsys.readouterr().err
    assert resume(killed / "third") == 0
    assert checkpoint.settings(made / "latest")["steps"] == 96 and not hidden(made)
    assert {path.name for path in made.glob("log-*")} == {"log-0", "log-64"}


def test_a_full_disk_leaves_the_checkpoint_before_and_says_where_to_go_on(folder, capsys):
    latest = folder / "tiny-0/latest"
    before = {path.name: path.read_bytes() for path in latest.iterdir()}
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before["model.zip"]) - 1000, limit[1]))
    try:
        assert resume(folder) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    said = sentence(capsys)
    assert "File too large" in said and f"--resume goes on from step 64, in {latest}" in said
    assert {path.name: path.read_bytes() for path in latest.iterdir()} == before and not hidden(folder)
    with np.load(folder / "tiny-0/evaluations.npz") as stored:
        assert stored["timesteps"].tolist() in ([32, 64], [32, 64, 96])
    assert resume(folder) == 0 and checkpoint.settings(latest)["steps"] == 96
    assert {path.name for path in (folder / "tiny-0").glob("log-*")} == {"log-0", "log-64", "log-64-2"}


def test_ctrl_c_ends_a_training_with_a_checkpoint_and_a_sentence(tmp_path, monkeypatch, capsys):
    latest = tmp_path / "tiny-0/latest"
    with monkeypatch.context() as patch:
        ctrl_c_after(patch, 44)
        assert tarsus([*COMMAND, str(tmp_path)]) == 130
    assert f"interrupted at step 44; --resume goes on from step 44, in {latest}" in sentence(capsys)
    assert checkpoint.settings(latest)["steps"] == 44 and not checkpoint.damage(latest)
    assert resume(tmp_path) == 0 and checkpoint.settings(latest)["steps"] >= 96
    told = capsys.readouterr().out
    for name in ("best", "evaluations.npz", "log-*/progress.csv"):
        assert list(latest.parent.glob(name)) and f"{latest.parent}/{name}" in told


def cut(path):
    path.write_bytes(path.read_bytes()[:-20])


def older(path):
    path.write_text(json.dumps(json.loads(path.read_text()) | {"steps": 32}))


DAMAGES = {
    "model.zip": cut,
    "normaliser.pkl": cut,
    "policy.npz": cut,
    "run.json": cut,
    "run.json of another step": older,
    "model.zip missing": lambda path: path.unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found(folder, damage):
    latest = folder / "tiny-0/latest"
    DAMAGES[damage](latest / damage.split()[0])
    assert checkpoint.whole(latest) == latest.with_name("latest-previous")
    DAMAGES[damage](latest.with_name("latest-previous") / damage.split()[0])
    with pytest.raises(FileNotFoundError, match=r"latest is damaged: .*; the checkpoint .*-previous is damaged: "):
        checkpoint.whole(latest)


def test_a_training_goes_on_from_the_predecessor_of_a_damaged_checkpoint(folder, capsys):
    latest = folder / "tiny-0/latest"
    cut(latest / "model.zip")
    assert resume(folder) == 0
    assert f"going on from {latest}-previous, step 64" in capsys.readouterr().out
    cut(latest / "model.zip"), cut(latest.with_name("latest-previous") / "model.zip")
    assert resume(folder, "--steps", "128") == 2
    assert "another --out or --seed starts afresh" in sentence(capsys)


def test_killed_between_the_moves_of_a_checkpoint_its_predecessor_stands_for_it(folder):
    shutil.rmtree(folder / "tiny-0/latest")
    assert checkpoint.whole(folder / "tiny-0/latest").name == "latest-previous"
    best = folder / "tiny-0/best"
    shutil.copytree(best, best.with_name("best-previous"), dirs_exist_ok=True)
    shutil.rmtree(best)
    assert policies.checkpoint_of(str(best)) == best.with_name("best-previous")


def test_what_is_better_is_judged_by_the_best_policy_that_was_written(folder):
    """Killed between an evaluation and its checkpoint, a run must not take for best what it has not got."""
    made = folder / "tiny-0"
    about = json.loads((made / "best/run.json").read_text())
    with np.load(made / "evaluations.npz") as stored:
        rewards = stored["results"].mean(axis=1)
        np.savez(made / "evaluations.npz", **{**stored, "results": stored["results"] + 100.0})
    assert about["mean_reward"] == pytest.approx(rewards.max())
    evaluation = training.evaluations(training_runs.TrainingRun(**MADE), 0, made, 32, n_threads=1)
    training.carry_over(evaluation, made)
    assert evaluation.best_mean_reward == pytest.approx(rewards.max()) and evaluation.evaluations_timesteps == [32, 64]


@pytest.mark.parametrize("out", ["file", "file/below"])
def test_an_impossible_folder_is_said_before_the_training(tmp_path, capsys, monkeypatch, out):
    (tmp_path / "file").write_text("text")
    monkeypatch.setattr(training, "train", lambda *rest, **more: pytest.fail("it was trained"))
    assert tarsus([*COMMAND, str(tmp_path / out)]) == 2
    assert f"--out must be a folder, but {tmp_path / 'file'} is a file" in sentence(capsys)
