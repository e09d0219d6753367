"""Files with one odd feature each stand with their weight on their feet, or the oddity is said or refused."""

from __future__ import annotations

import re
import warnings

import gymnasium
import numpy as np
import pytest

from tarsus.envs import own_robot

from .robots import STRANGERS, X, Y, Z, turned


def registered(stranger):
    """Register a stranger's robot; return what was said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        own_robot.register("Stranger-v0", stranger.text, stranger.feet, **{"baseline": None} | stranger.options)
    return "\n".join(str(one.message) for one in said if issubclass(one.category, own_robot.RobotWarning))


@pytest.fixture(autouse=True)
def forgotten():
    """Registrations that end with the test."""
    yield
    gymnasium.registry.pop("Stranger-v0", None)


@pytest.mark.extra
@pytest.mark.parametrize("name", STRANGERS)
def test_it_stands_with_its_weight_on_its_feet_or_says_why_not(name):
    stranger = STRANGERS[name]
    if stranger.refused:
        with pytest.raises(ValueError, match=f"(?s){stranger.refused}"):
            registered(stranger)
        return
    said = registered(stranger)
    assert bool(said) == bool(stranger.says), said
    if stranger.says:
        assert re.search(stranger.says, said), said
    if "carry" in said or "does not stand" in said or "below the ground" in said:
        return
    env = gymnasium.make("Stranger-v0", reset_noise=0.0).unwrapped
    env.reset(seed=0)
    forces = []
    for _ in range(100):
        *_, terminated, _, info = env.step(np.zeros(env.action_space.shape, np.float32))
        forces.append(info["foot_force"][:, 2].sum() / env.task.weight)
        assert not terminated, info["termination"]
    assert np.mean(forces[-50:]) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(("quat", "key"), [(X, ""), (Y, ""), (Z, ""), (X, X), (Y, Y)], ids=str)
def test_a_turned_root_starts_as_in_the_file_and_measures_what_an_upright_one_does(quat, key):
    found = {}
    for label, text in (("upright", STRANGERS["quadruped"].text), ("turned", turned(quat, key))):
        own_robot.register("Stranger-v0", text, STRANGERS["quadruped"].feet, check=False)
        env = gymnasium.make("Stranger-v0", reset_noise=0.0, task="commanded", scaled=False).unwrapped
        env.reset(seed=0, options={"command": (0.2, 0.1)})
        start = env.data.qpos[3:7].copy()
        env.data.qvel[:3] = (0.3, 0.1, 0.0)
        rows = [env.step(np.full(env.action_space.shape, 0.1, np.float32))[0] for _ in range(5)]
        found[label] = start, np.array(rows)
    np.testing.assert_allclose(np.abs(found["turned"][0] @ np.array(quat.split(), float)), 1.0, atol=1e-9)
    np.testing.assert_allclose(found["turned"][1], found["upright"][1], atol=1e-3)


@pytest.mark.parametrize("options", [{}, {"terrain": "slope", "task": "commanded"}], ids=str)
def test_a_turned_root_is_the_same_in_both_environments(options):
    own_robot.register("Stranger-v0", turned(X), STRANGERS["quadruped"].feet, check=False)
    env = gymnasium.make("Stranger-v0", **options).unwrapped
    many = gymnasium.make_vec("Stranger-v0", 2, vectorization_mode="vector_entry_point", **options)
    env.reset(seed=0), many.reset(seed=0)
    for action in np.random.default_rng(0).uniform(-1, 1, (10, 8)).astype(np.float32):
        one, several = env.step(action), many.step(np.stack([action] * 2))
        np.testing.assert_array_equal(one[0], several[0][0])
        assert one[1] == several[1][0]
