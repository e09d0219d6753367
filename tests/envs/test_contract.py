"""What every environment promises, over every registered environment, action mode and terrain.

Every environment is tested with everything it can observe (see conftest.py); VARIANTS are tested besides.
"""

import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tarsus.analytic.terrain import TERRAINS
from tarsus.envs import ENVIRONMENTS
from tarsus.envs.hexapod import MODES

VARIANTS = [
    *[("Hexapod-v0", {"action_mode": mode, "terrain": terrain}) for mode in MODES for terrain in ("flat", "rough")],
    *[("Hexapod-v0", {"terrain": terrain}) for terrain in TERRAINS if terrain not in ("flat", "rough")],
    ("Hexapod-v0", {"task": "commanded"}),
    ("Hexapod-v0", {"preset": "reference"}),
    ("Hexapod-v0", {"randomise": {"body_mass": (0.8, 1.2), "friction_coeff": (0.5, 2.0)}}),
    ("Multipod-v1", {"n_legs": 4, "action_mode": "torque", "task": "commanded"}),
    ("Multipod-v1", {"n_legs": 12, "action_mode": "gait", "randomise": {"leg_mass": (0.8, 1.2), "KP": (0.5, 2.0)}}),
    ("BigAnt-v1", {"randomise": {"body_mass": (0.8, 1.2), "friction_coeff": (0.5, 2.0)}, "task": "commanded"}),
    ("BigAnt-v1", {"action_mode": "torque"}),
    ("BigAnt-v1", {"action_mode": "gait", "terrain": "rough"}),
    *[("SlipLeg-v1", {"action_mode": mode}) for mode in ("torque", "position")],
    *[("SlipLeg-v1", {"terrain": terrain}) for terrain in TERRAINS if terrain != "flat"],
    ("SlipLeg-v1", {"task": "commanded", "preset": "reference"}),
    ("SlipLeg-v1", {"randomise": {"body_mass": (0.8, 1.2), "friction_coeff": (0.5, 2.0)}}),
    *[("HoppingLeg-v1", {"terrain": terrain}) for terrain in TERRAINS],
    ("HoppingLeg-v1", {"task": "commanded", "command_period": 0.1, "randomise": {"leg_mass": (0.8, 1.2)}}),
    *[("Hexapod-v0", {"engine": "exact", "action_mode": mode}) for mode in MODES],
    ("Hexapod-v0", {"engine": "exact", "terrain": "step", "randomise": {"body_mass": (0.8, 1.2)}}),
    ("Hexapod-v0", {"engine": "exact", "push_speed": 0.3, "push_interval": (0.1, 0.2), "task": "commanded"}),
    *[("SlipLeg-v1", {"engine": "exact", "action_mode": mode}) for mode in ("torque", "position")],
    ("SlipLeg-v1", {"engine": "exact", "terrain": "rough"}),
    ("HoppingLeg-v1", {"engine": "exact"}),
    ("HoppingLeg-v1", {"engine": "exact", "terrain": "slope", "randomise": {"leg_mass": (0.8, 1.2)}}),
    *[(f"{leg}-v1", {"action_mode": "torque"}) for leg in ("HoppingLeg", "SlipLeg")],
    ("HoppingLeg-v1", {"engine": "exact", "randomise": {"leg_mass": (0.8, 1.2)}, "push_speed": 0.1}),
    ("SlipLeg-v1", {"engine": "exact", "terrain": "rough", "task": "commanded"}),
    ("Dog-v0", {"engine": "exact", "terrain": "slope", "randomise": {"mass": (0.8, 1.2), "friction_coeff": (0.5, 1)}}),
    ("BigAnt-v1", {"engine": "exact", "action_mode": "gait", "randomise": {"body_mass": (0.8, 1.2)}}),
    ("Multipod-v1", {"engine": "exact", "n_legs": 4, "task": "commanded"}),
    ("Dog-v0", {"engine": "exact", "push_speed": 0.3, "push_interval": (0.1, 0.2), "task": "commanded"}),
]


def rollout(env, n_steps, seed):
    """Return observations, rewards and infos of random actions; start again where an episode ends."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    observations, rewards, infos = [observation], [], [info]
    for _ in range(n_steps):
        action = rng.uniform(-1, 1, env.action_space.shape)
        observation, reward, terminated, truncated, info = env.step(action)
        observations.append(observation)
        rewards.append(reward)
        infos.append(info)
        if terminated or truncated:
            observations.append(env.reset()[0])
    return np.array(observations), np.array(rewards), infos


@pytest.fixture(scope="module")
def played(name, options):
    """Return observations, rewards, infos and MuJoCo's warnings of random actions."""
    env = gymnasium.make(name, **options)
    for seconds in (1.5, 10.0):  # the second for machines that have not lifted every foot in the first
        result = rollout(env, max(300, round(seconds / env.unwrapped.ctrl_dt)), seed=2)
        if np.ptp(result[0], axis=0).all():
            break
    return *result, env.unwrapped.data.warning.number.copy()


def test_gymnasiums_checker_passes_without_a_warning(name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, **options).unwrapped, skip_render_check=True)


@pytest.mark.extra
def test_stable_baselines_checker_passes_without_a_warning(name, options):
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="it needs the extra `rl`")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_env(gymnasium.make(name, **options).unwrapped, warn=True, skip_render_check=True)


def test_same_seed_same_trajectory_bit_for_bit(name, options):
    first = rollout(gymnasium.make(name, **options), 40, seed=3)
    env = gymnasium.make(name, **options)
    rollout(env, 15, seed=8)  # whatever came before does not matter
    second = rollout(env, 40, seed=3)
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


def test_every_observation_entry_varies(name, options, played):
    assert np.ptp(played[0], axis=0).min() > 0


def test_an_observation_is_not_shared_with_the_next(name, options):
    env = gymnasium.make(name, **options)
    kept = env.reset(seed=0)[0]
    before = kept.copy()
    for _ in range(3):
        env.step(env.action_space.sample())
    np.testing.assert_array_equal(kept, before)


def test_reward_terms_add_up_and_survival_stops_at_death(name, options, played):
    _, rewards, infos, _ = played
    assert infos[0].keys() == infos[1].keys()  # after a reset, too: Minari needs it
    for reward, info in zip(rewards, infos[1:], strict=True):
        terms = [value for key, value in info.items() if key.startswith("reward_")]
        assert sum(terms) == pytest.approx(reward, abs=1e-12)
        if info["termination"]:
            assert info.get("reward_healthy", 0.0) == 0.0


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_reward_term_is_measured_and_weighed_in_every_task(name):
    for task in gymnasium.make(name).unwrapped.config.REWARDS:
        env = gymnasium.make(name, task=task).unwrapped
        env.reset(seed=0)
        assert set(env.task.unweighted_terms()) == set(env.config.REWARDS[task]), task


def test_random_actions_raise_no_mujoco_warning(name, options, played):
    _, _, infos, warned = played
    assert not any(info["termination"].startswith("diverged") for info in infos)
    assert not warned.any()


def test_a_pickled_copy_goes_on_alike(name, options):
    env = gymnasium.make(name, **options).unwrapped
    env.reset(seed=5)
    env.step(env.action_space.sample())
    copy = pickle.loads(pickle.dumps(env))
    action = env.action_space.sample()
    np.testing.assert_array_equal(env.step(action)[0], copy.step(action)[0])
    np.testing.assert_array_equal(env.reset(seed=6)[0], copy.reset(seed=6)[0])
    np.testing.assert_array_equal(env.step(action)[0], copy.step(action)[0])


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_change_of_the_action_costs_its_square_and_a_repeated_one_nothing(name):
    env = gymnasium.make(name)
    if "action_change" not in env.unwrapped.config.weights:
        pytest.skip("its reward has no such term")
    env.reset(seed=0)
    first, second = np.zeros(env.action_space.shape), np.full(env.action_space.shape, 0.1)
    costs = [env.step(action)[4]["reward_action_change"] for action in (first, second, second, -second)]
    assert costs[0] == costs[2] == 0.0 > costs[1]
    assert costs[3] == pytest.approx(4.0 * costs[1])


@pytest.mark.extra
@pytest.mark.parametrize(("name", "context"), [*((name, "fork") for name in ENVIRONMENTS), ("Multipod-v1", "spawn")])
def test_async_vector_environment_gives_the_same_as_one(name, context):
    envs = gymnasium.vector.AsyncVectorEnv([lambda: gymnasium.make(f"tarsus:{name}")] * 2, context=context)
    observations, _ = envs.reset(seed=7)
    action = np.zeros(envs.action_space.shape, np.float32)
    stepped = envs.step(action)[0]
    envs.close()
    env = gymnasium.make(name)
    np.testing.assert_array_equal(env.reset(seed=7)[0], observations[0])
    np.testing.assert_array_equal(env.step(action[0])[0], stepped[0])


@pytest.mark.render
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_second_episode_is_not_black(name):
    terrain = "rough" if name == "Hexapod-v0" else "slope"  # all height fields are uploaded alike, in a second
    env = gymnasium.make(name, render_mode="rgb_array", width=64, height=48, terrain=terrain)
    for seed in (0, 1):
        env.reset(seed=seed)
        env.step(env.action_space.sample())
        image = env.render()
        assert image.shape == (48, 64, 3) and image.std() > 10
    env.close()


@pytest.mark.render
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_depth_image_is_in_metres(name):
    env = gymnasium.make(name, render_mode="depth_array", width=64, height=48)
    env.reset(seed=0)
    depth = env.render()
    assert depth.shape == (48, 64)
    assert 0.5 < depth[6:36, 28:36].min() < 2.0  # cameras stand 1 to 1.6 m from the body, in the middle of the image
    env.close()


@pytest.mark.extra
@pytest.mark.render
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_contact_forces_are_arrows_where_asked(name):
    """The two images differ by the arrows, which are drawn once a foot has touched the ground."""
    images = []
    for forces in (False, True):
        env = gymnasium.make(name, render_mode="rgb_array", width=160, height=120, forces=forces)
        env.reset(seed=0)
        for _ in range(200):
            _, _, terminated, _, info = env.step(np.zeros(env.action_space.shape))
            if terminated or np.any(info["foot_contact"]):
                break
        images.append(env.render().astype(int))
        env.close()
    assert np.any(info["foot_contact"])
    assert 3 < (np.abs(images[1] - images[0]).max(axis=-1) > 30).sum() < 5000


@pytest.mark.parametrize("forces", [1, "yes", None])
def test_forces_are_drawn_or_not(forces):
    with pytest.raises(ValueError, match="forces must be"):
        gymnasium.make("Hexapod-v0", forces=forces)
