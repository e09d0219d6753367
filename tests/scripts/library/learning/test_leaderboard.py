"""Entries of frozen tasks: what is read of them, what is refused and why, and the table."""

import json
import re
import shutil
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from tarsus.envs import TASKS
from tarsus.envs.frozen import SEEDS
from tarsus.scripts.command import cli
from tarsus.scripts.library.learning import entering, evaluation, leaderboard, loading, policies

WALK, FOLLOW = "tarsus/HexapodWalk-v0", "tarsus/HexapodFollow-v0"
SCORES = np.linspace(0.1, 1.0, len(SEEDS))


@pytest.fixture
def quick(monkeypatch):
    """Have an episode return the score of its seed, at once; by (policy, task) what is added to it."""
    more = {}

    def run(policy, environment, options, seed, stochastic=False, wrappers=None):
        added = more.get(environment, 0.0)
        return evaluation.Episode(10.0, 2.0, 0.5, 0.2, float(seed == SEEDS[0]), "", SCORES[seed - SEEDS[0]] + added)

    for module in (evaluation, leaderboard):
        monkeypatch.setattr(module, "run_episode", run)
    return more


def enter(folder, policy="hexapod-gait-0", task=WALK):
    assert cli.main(["evaluate", policy, "--env", task, "--out", str(folder)]) == 0


def told(folder):
    return json.loads((folder / "result.json").read_text())


def change(folder, edit):
    content = told(folder)
    edit(content["result"])
    (folder / "result.json").write_text(json.dumps(content))


def test_an_entry_holds_its_policy_the_task_and_the_scores(quick, tmp_path, capsys):
    enter(tmp_path / "ppo" / "walk")
    out = capsys.readouterr().out
    assert "score 0.550 (" in out and "1: the best known" in out
    (entry,) = leaderboard.entries([tmp_path / "ppo"])
    assert (entry.entrant, entry.task, entry.falls) == ("ppo", WALK, 1)
    np.testing.assert_allclose(entry.scores, SCORES)
    assert entry.options == {"action_mode": "gait", "axes": "documents"}
    again = loading.load(entry.policy, entry.task, entry.options)
    given, observation = loading.load("hexapod-gait-0", WALK, {}), np.ones(56)
    assert (again.network()(observation) == given.network()(observation)).all()
    assert told(tmp_path / "ppo" / "walk")["result"]["task"]["digest"] == TASKS[WALK].digest


def test_a_policy_by_name_is_played_by_its_name_and_certificates_are_told(quick, tmp_path):
    enter(tmp_path / "it" / "walk", "zero")
    (tmp_path / "it" / "walk" / "certificate.json").write_text('{"verdict": "leans on the simulator"}')
    (entry,) = leaderboard.entries([tmp_path / "it"])
    assert entry.policy == "zero" and not (entry.folder / "policy.npz").exists()
    assert leaderboard.table([entry])[0][-1] == "leans on the simulator"


def test_a_checkpoint_of_a_task_is_an_entry_without_a_further_word(quick, tmp_path):
    stored = dict(np.load(policies.shipped()["hexapod-gait-0"] / "policy.npz"))
    about = json.dumps(json.loads(str(stored["about"])) | {"environment": WALK})
    (tmp_path / "best").mkdir()
    np.savez(tmp_path / "best" / "policy.npz", **stored | {"about": about})
    assert cli.main(["evaluate", str(tmp_path / "best"), "--out", str(tmp_path / "mine" / "walk")]) == 0
    (entry,) = leaderboard.entries([tmp_path / "mine"])
    assert (entry.task, entry.options["action_mode"]) == (WALK, "gait")


REFUSED = {
    "another option": (
        lambda result: result["task"]["fingerprint"]["options"].update(push_speed=1.0),
        "was played in another tarsus/HexapodWalk-v0: options.push_speed was 1.0, asked for is 'the default'",
    ),
    "another model": (
        lambda result: result["task"]["fingerprint"]["model"].update(geom_friction="0"),
        "model.geom_friction was '0'",
    ),
    "another version": (
        lambda result: result["task"].update(id="tarsus/HexapodWalk-v9"),
        "there is no frozen task tarsus/HexapodWalk-v9 here; there are",
    ),
    "a seed too few": (lambda result: result["episodes"].pop(3), r"lacking: \[90003\]"),
    "a seed twice": (
        lambda result: result["episodes"].append(result["episodes"][0]),
        r"it has \[90000, .*90009, 90000\]",
    ),
    "another order": (lambda result: result["episodes"].reverse(), r"once, in order; it has \[90009, 90008"),
    "no number": (lambda result: result["episodes"][2].update(score=None), "scores that are not finite"),
    "no episodes": (lambda result: result.pop("episodes"), "is no result of tarsus evaluate: KeyError: 'episodes'"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_an_entry_of_another_task_is_refused_by_what_differs(what, quick, tmp_path, capsys):
    edit, words = REFUSED[what]
    enter(tmp_path / "it" / "walk", "zero")
    change(tmp_path / "it" / "walk", edit)
    with pytest.raises(ValueError, match=words):
        leaderboard.entries([tmp_path / "it"])
    assert cli.main(["leaderboard", str(tmp_path / "it"), "--trust", "--out", str(tmp_path / "table")]) == 2
    assert "tarsus leaderboard: " in capsys.readouterr().err and not (tmp_path / "table").exists()


CANNOT_PLAY = {
    "an option of the task": (
        lambda content: content["result"]["task"]["options"].update(ctrl_dt=0.01),
        "is frozen, and ctrl_dt is part of it",
    ),
    "no option": (lambda content: content["result"]["task"]["options"].update(scaled=3), "scaled must be True or"),
    "no noise": (lambda content: content["inputs"].update(stochastic=True), "zero draws no actions"),
}


@pytest.mark.parametrize("what", CANNOT_PLAY)
def test_an_entry_that_cannot_be_played_again_is_named(what, quick, tmp_path):
    edit, words = CANNOT_PLAY[what]
    enter(tmp_path / "it" / "walk", "zero")
    content = told(tmp_path / "it" / "walk")
    edit(content)
    (tmp_path / "it" / "walk" / "result.json").write_text(json.dumps(content))
    (entry,) = leaderboard.entries([tmp_path / "it"])
    with pytest.raises(ValueError, match=f"walk cannot be played again: .*{words}"):
        leaderboard.check(entry)


def test_a_changed_installation_compares_nothing(quick, tmp_path, monkeypatch):
    enter(tmp_path / "it" / "walk", "zero")
    monkeypatch.setattr(entering, "digest_of", lambda printed: "another")
    with pytest.raises(ValueError, match="of this installation is not the frozen one"):
        leaderboard.entries([tmp_path / "it"])


def test_scores_that_a_replay_does_not_give_are_refused(quick, tmp_path, capsys):
    enter(tmp_path / "it" / "walk", "zero")
    table = ["leaderboard", str(tmp_path / "it"), "--out", str(tmp_path / "table"), "--force"]
    quick[WALK] = 0.9e-3
    assert cli.main(table) == 0 and (tmp_path / "table" / "leaderboard.md").exists()
    shutil.rmtree(tmp_path / "table")
    quick[WALK] = 1.1e-3
    assert cli.main(table) == 2 and not (tmp_path / "table" / "leaderboard.md").exists()
    assert re.search(r"walk: seed 9000\d scores \d.\d0*11 when it is played again, and not", capsys.readouterr().err)
    assert cli.main([*table, "--trust"]) == 0 and "scores taken as told" in capsys.readouterr().out


def elsewhere(folder, edit):
    """Have a result be of another computer, with other scores."""
    content = told(folder)
    content["computer"] = "another"
    for row in content["result"]["episodes"]:
        row["score"] = edit(row["score"], row["seed"])
    (folder / "result.json").write_text(json.dumps(content))


def test_on_another_computer_the_means_must_agree_within_what_episodes_differ_by(quick, tmp_path, capsys):
    folder, table = tmp_path / "it" / "walk", ["leaderboard", str(tmp_path / "it"), "--out", str(tmp_path / "table")]
    enter(folder, "zero")
    elsewhere(folder, lambda score, seed: score + 0.1 * (-1) ** seed + 0.05)  # 1.5 standard errors
    assert cli.main(table) == 0
    rows = json.loads((tmp_path / "table" / "result.json").read_text())["result"]["rows"]
    (row,) = [row for row in rows if (row["entrant"], row["task"]) == ("it", WALK)]
    assert row["score (95 %)"].startswith("0.550")  # of what is played here
    elsewhere(folder, lambda score, seed: score + 0.12)  # 5.1 with what was added before
    assert cli.main([*table, "--force"]) == 2
    assert "the mean scores 0.5500 when it is played again, and not 0.7200" in capsys.readouterr().err


def test_what_only_its_authors_code_can_play_is_trusted_or_refused(quick, tmp_path, capsys):
    enter(tmp_path / "it" / "walk", "zero")
    change(tmp_path / "it" / "walk", lambda result: result.update(policy="mine:policy"))
    table = ["leaderboard", str(tmp_path / "it"), "--out", str(tmp_path / "table")]
    assert cli.main(table) == 2 and "running its author's code" in capsys.readouterr().err
    assert cli.main([*table, "--trust"]) == 0


def test_an_onnx_is_kept_and_played_again(quick, tmp_path):
    assert cli.main(["export", "hexapod-gait-0", "--out", str(tmp_path / "made")]) == 0
    (model,) = (tmp_path / "made").glob("*.onnx")
    enter(tmp_path / "it" / "walk", str(model))
    (entry,) = leaderboard.entries([tmp_path / "it"])
    assert Path(entry.policy) == tmp_path / "it" / "walk" / "policy.onnx"
    leaderboard.check(entry)


def test_the_same_policy_twice_and_no_entry_at_all_are_refused(quick, tmp_path):
    enter(tmp_path / "it" / "a")
    shutil.copytree(tmp_path / "it" / "a", tmp_path / "it" / "b")
    with pytest.raises(ValueError, match="b is the same policy in the same task as .*a: leave one out"):
        leaderboard.entries([tmp_path / "it"])
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match="none holds no entry; tarsus evaluate POLICY --env TASK"):
        leaderboard.entries([tmp_path / "none"])
    with pytest.raises(ValueError, match="there is no folder .*nowhere"):
        leaderboard.entries([tmp_path / "nowhere"])


def test_a_task_is_looked_at_once_for_all_its_entries(quick, tmp_path, monkeypatch):
    for seed in (0, 1):
        enter(tmp_path / "it" / str(seed), f"hexapod-gait-{seed}")
    looked, fingerprint = [], entering.fingerprint
    monkeypatch.setattr(entering, "fingerprint", lambda name: looked.append(name) or fingerprint(name))
    leaderboard._here.cache_clear()
    assert len(leaderboard.entries([tmp_path / "it"])) == 2 and looked == [WALK]


def test_the_table_compares_runs_within_tasks_and_then_over_all(quick, tmp_path, capsys):
    enter(tmp_path / "ppo" / "walk-0", "hexapod-gait-0")
    enter(tmp_path / "ppo" / "walk-1", "hexapod-gait-1")
    quick[WALK], quick[FOLLOW] = -0.5, 0.25
    enter(tmp_path / "zero" / "walk", "zero")
    enter(tmp_path / "zero" / "follow", "zero", FOLLOW)
    rows = leaderboard.table(leaderboard.entries([tmp_path / "ppo", tmp_path / "zero"]))
    assert [row[:2] for row in rows] == [
        [WALK, "ppo"],
        [WALK, "zero"],
        [FOLLOW, "zero"],
        [f"1 of {len(TASKS)} tasks", "ppo"],
        [f"2 of {len(TASKS)} tasks", "zero"],
    ]
    assert rows[0][2:5] == ["0.550 (0.550 to 0.550)", 2, "2 of 20"]  # two policies, equally good
    both = np.sort([*(SCORES - 0.5), *(SCORES + 0.25)])[5:15].mean()
    assert rows[4][2].startswith(f"{both:.3f} (")


def test_scores_that_come_with_the_package_stand_beside_entries_of_their_tasks_in_order(quick, tmp_path, capsys):
    enter(tmp_path / "mine" / "walk", "zero")
    capsys.readouterr()
    assert cli.main(["leaderboard", str(tmp_path / "mine"), "--trust", "--out", str(tmp_path / "table"), "--json"]) == 0
    *rows, over = json.loads(capsys.readouterr().out)["result"]["rows"]
    assert {row["task"] for row in rows} == {WALK} and over["task"] == f"1 of {len(TASKS)} tasks"
    own = [row["entrant"] for row in rows].index("mine")
    assert [row["entrant"] for row in rows[: own + 1]] == ["hexapod-gait (stored)", "dash (stored)", "mine"]
    assert {row["entrant"] for row in rows[own + 1 :]} == {f"{name} (stored)" for name in ("hexapod", "zero", "random")}
    (entry,) = leaderboard.entries([tmp_path / "mine"])
    assert [row[1] for row in leaderboard.table([entry])] == ["mine", "mine"]  # of a page, entries alone


@pytest.mark.parametrize("words", [["--seeds", "3"], ["--episodes", "2"], ["--option", "terrain=rough"]])
def test_the_seeds_and_the_task_are_not_an_entrants_to_choose(words, capsys):
    assert cli.main(["evaluate", "zero", "--env", WALK, *words]) == 2
    assert WALK in capsys.readouterr().err


@pytest.mark.extra
def test_an_entry_scores_the_same_when_it_is_played_again(tmp_path, capsys):
    enter(tmp_path / "it" / "ditch", "zero", "tarsus/HoppingDitch-v0")
    assert cli.main(["leaderboard", str(tmp_path / "it"), "--out", str(tmp_path / "table"), "--json"]) == 0
    rows = json.loads((tmp_path / "table" / "result.json").read_text())["result"]["rows"]
    (row,) = [row for row in rows if row["entrant"] == "it" and row["task"] == "tarsus/HoppingDitch-v0"]
    assert row["policies"] == 1


def test_what_diverges_has_the_score_of_its_way_until_then(monkeypatch):
    """Of a policy that throws the robot out of the numbers after a second, in an episode of twenty."""

    def throws(env, seed):
        def act(observation, info):
            if info["time"] > 0.99:
                env.unwrapped.data.qvel[:] = np.nan
            return np.zeros(env.action_space.shape)

        return act

    monkeypatch.setitem(policies.POLICIES["Dog-v0"], "throws", policies.Policy(throws))
    episode = evaluation.run_episode("throws", "tarsus/DogTrot-v0", {}, 0)
    task = TASKS["tarsus/DogTrot-v0"]
    assert 0.0 < episode.score * (task.one - task.zero) + task.zero < 0.05 and episode.fell


def test_the_score_of_an_episode_is_of_its_way_its_work_its_pace_and_its_command():
    env, followed = gymnasium.make(FOLLOW), []
    _, info = env.reset(seed=SEEDS[0])
    for _ in range(env.spec.max_episode_steps):
        *_, info = env.step(np.zeros(env.action_space.shape))
        followed.append((env.unwrapped.task.pace.copy(), info["command"]))
    pace, command = map(np.array, zip(*followed, strict=True))
    error = np.sqrt((pace[:, 0] - command[:, 0]) ** 2 + pace[:, 1] ** 2 + (0.25 * (pace[:, 2] - command[:, 1])) ** 2)
    told = 1.0 - error.mean() / np.hypot(command[:, 0], 0.25 * command[:, 1]).mean()
    task = TASKS[FOLLOW]
    episode = evaluation.run_episode("zero", FOLLOW, {}, SEEDS[0])
    assert episode.score == pytest.approx((told - task.zero) / (task.one - task.zero), abs=1e-9)
    task, episode = TASKS[WALK], evaluation.run_episode("zero", WALK, {}, SEEDS[0])
    told = episode.speed / episode.cost_of_transport
    assert episode.score == pytest.approx((told - task.zero) / (task.one - task.zero), rel=1e-9)
