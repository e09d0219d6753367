"""Frozen tasks: they are as they were frozen, and who plays them chooses an interface and nothing else."""

import json
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from tarsus import envs
from tarsus.envs import TASKS
from tarsus.envs.frozen import INTERFACE, SEEDS
from tarsus.scripts.library.learning import entering, loading, playing, policies

WALK, FOLLOW, DITCH = "tarsus/HexapodWalk-v0", "tarsus/HexapodFollow-v0", "tarsus/HoppingDitch-v0"


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_what_it_was_when_it_was_frozen(name):
    """A change of what is red here is a new version, an entry beside the old one; a digest is for those alone."""
    assert entering.digest_of(entering.fingerprint(name)) == TASKS[name].digest


@pytest.mark.parametrize("name", TASKS)
def test_gymnasium_makes_a_task_by_its_id(name):
    task, env = TASKS[name], gymnasium.make(name)
    assert env.spec.max_episode_steps == task.horizon and env.spec.reward_threshold == task.reward_threshold > 0
    assert len(name.removesuffix("-v0")) + 3 == len(name) and set(task.options) <= set(env.spec.kwargs)
    for option, value in task.options.items():
        assert getattr(env.unwrapped.config, option) == value
    assert env.reset(seed=SEEDS[0])[0].shape == env.observation_space.shape
    env.close()
    envs.register_envs()  # again, without a warning


def test_there_are_at_most_twelve_tasks_with_a_sentence_each():
    assert 0 < len(TASKS) <= 12 and len({task.digest for task in TASKS.values()}) == len(TASKS)
    assert all(task.reason[-1] in ".?" and task.zero_is and task.one_is for task in TASKS.values())


CHANGES = {
    "a weight of the reward": {"options": {"reward_weights": {"power": -1.0}}},
    "an option": {"options": {"push_speed": 0.1}},
    "the robot": {"options": {"params": "rhex"}},
    "the ground": {"options": {"terrain": "rough"}},
    "the horizon": {"horizon": 999},
    "the score's 0": {"zero": 1.5},
    "the score's 1": {"one": 6.9},
    "the quantity": {"score": "speed"},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_fingerprint_tells_a_change_of(change, monkeypatch):
    changed = replace(TASKS[WALK], **CHANGES[change])
    monkeypatch.setitem(TASKS, WALK, changed)
    monkeypatch.setitem(gymnasium.registry, WALK, replace(gymnasium.spec(WALK), kwargs=dict(changed.options)))
    assert entering.digest_of(entering.fingerprint(WALK)) != changed.digest


@pytest.mark.parametrize("array", ["geom_friction", "body_mass", "actuator_gainprm", "dof_damping"])
def test_a_fingerprint_tells_a_change_of_the_model_and_round_off_does_not(array):
    env = gymnasium.make(WALK)
    model, before = env.unwrapped.model, entering.physics(env.unwrapped.model)
    values = getattr(model, array)
    values[:] = values * (1 + 1e-12)
    assert entering.physics(model) == before
    values[:] = values * 1.01 + 1e-3
    assert [name for name, digest in entering.physics(model).items() if digest != before[name]] == [array]
    env.close()


def test_a_fingerprint_tells_other_seeds_and_leaves_out_what_is_off(monkeypatch):
    found = entering.fingerprint(WALK)
    assert "privileged" not in found["options"] and "push_speed" not in found["options"]
    monkeypatch.setattr(entering, "SEEDS", SEEDS[1:])
    assert entering.digest_of(entering.fingerprint(WALK)) != TASKS[WALK].digest


@pytest.mark.parametrize(
    ("policy", "name"), [("hexapod-gait-0", WALK), ("dash", WALK), ("hexapod-commanded-0", FOLLOW)]
)
def test_a_policy_of_the_environment_plays_its_tasks_with_its_own_interface(policy, name):
    found = playing.check(policy, name, {})
    assert found.environment == name and set(found.options) <= set(INTERFACE)


def test_a_function_plays_a_task_and_an_interface_may_be_asked_for():
    found = loading.load("zero", FOLLOW, {"action_mode": "gait"})
    assert found.options == {"action_mode": "gait"}
    assert entering.chosen("mine:policy", FOLLOW, {}, trained=True) == {}
    assert entering.chosen("old", DITCH, {"terrain": "rough", "scaled": True}, trained=True) == {"scaled": True}


@pytest.mark.parametrize(
    ("policy", "name", "options", "words"),
    [
        ("zero", WALK, {"terrain": "flat"}, "terrain is part of it; an entrant chooses action_mode, clock"),
        ("zero", "tarsus/HexapodScratch-v0", {"action_mode": "gait"}, "action_mode is part of it"),
        ("hexapod-commanded-0", WALK, {}, "hexapod-commanded-0 is made for task 'commanded', .* has 'forward'"),
        ("rhex", WALK, {}, "rhex is made for params 'rhex', .* has 'the default'"),
        ("dash", "tarsus/HexapodScratch-v0", {}, "dash is made for action_mode 'gait', .* has 'velocity'"),
        ("dog-0", WALK, {}, "environment was 'Dog-v0', asked for is 'tarsus/HexapodWalk-v0'"),
        ("zero", "tarsus/HexapodWalk-v9", {}, "unknown environment 'tarsus/HexapodWalk-v9'; there are"),
    ],
)
def test_what_does_not_go_together_is_refused(policy, name, options, words):
    with pytest.raises(ValueError, match=words):
        loading.load(policy, name, options)


def test_rewards_of_a_task_are_those_of_its_environment():
    """A frozen task's reward is checked by its fingerprint; here that nothing else than its options differs."""
    env, frozen = gymnasium.make("Hexapod-v0"), gymnasium.make(WALK)
    for one in (env, frozen):
        one.reset(seed=3)
    action = np.full(6, 0.1)
    assert [env.step(action)[1] for _ in range(5)] == [frozen.step(action)[1] for _ in range(5)]


def test_a_policy_that_was_trained_on_a_task_brings_it_along(tmp_path):
    stored = dict(np.load(policies.shipped()["hexapod-0"] / "policy.npz"))
    about = json.loads(str(stored["about"])) | {"environment": WALK}
    np.savez(tmp_path / "policy.npz", **stored | {"about": json.dumps(about)})
    found = playing.check(str(tmp_path), None, {})
    assert found.environment == WALK and found.options == {"axes": "documents"}
    assert playing.check(str(tmp_path), WALK, {}).environment == WALK
