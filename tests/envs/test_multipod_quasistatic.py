"""MultipodQuasistatic: Gymnasium's contract, one like many to the bit, and agreement with the solver and MuJoCo."""

import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.contact import Feet, solve
from tarsus.analytic.models.multipod import MultipodParams, foot_positions, foot_velocities
from tarsus.controllers import gaits

NAME = "MultipodQuasistatic-v1"
SPEEDS = {"action_mode": "velocity", "scaled": False}
CASES = [SPEEDS, SPEEDS | {"n_legs": 4}, {"law": "coulomb"}, {}, {"n_legs": 12}]
CASES += [{"ctrl_dt": 0.05, "reset_noise": 0.0, "tempo_range": 1.0}]
variants = pytest.mark.parametrize("options", CASES, ids=str)


def many(n, mode="NextStep", steps=None, **options):
    how = {"vectorization_mode": "vector_entry_point", "autoreset_mode": mode, "max_episode_steps": steps}
    return gymnasium.make_vec(NAME, n, **how | SPEEDS | options)


@variants
def test_gymnasiums_checker_passes_without_a_warning(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(NAME, **options).unwrapped, skip_render_check=True)


@pytest.mark.extra
@variants
def test_stable_baselines_checker_passes_without_a_warning(options):
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="it needs the extra `rl`")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_env(gymnasium.make(NAME, **options).unwrapped, warn=True, skip_render_check=True)


@variants
def test_same_seed_same_trajectory_and_every_entry_varies(options):
    env = gymnasium.make(NAME, **options)
    runs = []
    for _ in range(2):
        rng = np.random.default_rng(1)
        rows = [env.reset(seed=3)[0]]
        for _ in range(200):  # a stride takes 167
            observation, *_ = env.step(rng.uniform(-1, 1, env.action_space.shape))
            assert env.observation_space.contains(observation)
            rows.append(observation)
        runs.append(np.array(rows))
    np.testing.assert_array_equal(*runs)
    assert np.ptp(runs[0], axis=0).min() > 0


@variants
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_every_step_is_the_single_environments_to_the_bit(options, mode):
    native = gymnasium.make_vec(
        NAME, 5, vectorization_mode="vector_entry_point", autoreset_mode=mode, max_episode_steps=7, **options
    )
    sync = gymnasium.make_vec(
        NAME,
        5,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode(mode)},
        max_episode_steps=7,
        **options,
    )
    mine, theirs = native.reset(seed=11), sync.reset(seed=11)
    np.testing.assert_array_equal(mine[0], theirs[0])
    rng = np.random.default_rng(0)
    for _ in range(20):
        action = rng.uniform(-1, 1, native.action_space.shape)
        mine, theirs = native.step(action), sync.step(action)
        mine = (*mine[:4], native.words(mine[4]))
        for a, b in zip(mine[:4], theirs[:4], strict=True):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype and a.shape == b.shape
        for key, value in theirs[4].items():
            if key[0] == "_" or key in ("final_obs", "final_info"):
                continue
            if mode == "SameStep" and key in ("termination", "truncation"):
                assert not value.any()  # of episodes that go on: there is nothing to say
                continue
            mask = theirs[4]["_" + key]
            np.testing.assert_array_equal(mine[4]["_" + key], mask, err_msg=key)
            np.testing.assert_array_equal(mine[4][key][mask], value[mask], err_msg=key)
        if "final_obs" in theirs[4]:
            for a, b in zip(mine[4]["final_obs"], theirs[4]["final_obs"], strict=True):
                np.testing.assert_array_equal(a, b)


def test_an_episode_that_is_over_waits_for_its_reset_when_autoreset_is_disabled():
    env = many(3, "Disabled", 2)
    env.reset(seed=0)
    for _ in range(2):
        _, _, _, truncated, _ = env.step(np.zeros((3, 6)))
    assert truncated.all()
    with pytest.raises(ValueError, match=r"episodes of environments \[0, 1, 2\] are over; reset them"):
        env.step(np.zeros((3, 6)))
    env.reset(options={"reset_mask": np.array([True, True, True])})
    env.step(np.zeros((3, 6)))


def test_reset_of_some_leaves_the_others():
    env = many(4)
    env.reset(seed=2)
    before, *_ = env.step(np.full((4, 6), 0.3))
    after, infos = env.reset(options={"reset_mask": np.array([False, True, False, False])})
    np.testing.assert_array_equal(after[[0, 2, 3]], before[[0, 2, 3]])
    assert not np.array_equal(after[1], before[1]) and infos["time"][1] == 0.0


@variants
def test_reward_terms_add_up(options):
    env = gymnasium.make(NAME, **options)
    env.reset(seed=0)
    rng = np.random.default_rng(4)
    for _ in range(40):
        _, reward, terminated, _, info = env.step(rng.uniform(-1, 1, env.action_space.shape))
        assert sum(v for k, v in info.items() if k.startswith("reward_")) == pytest.approx(reward, abs=1e-12)
        assert bool(info["termination"]) == terminated
        if terminated:
            assert info["reward_healthy"] == 0.0
            env.reset()


def test_observation_is_the_solvers_answer():
    """Every entry is recomputed from the solver's public functions for the joints the observation names."""
    env = many(6, law="viscous", n_legs=8)
    env.reset(seed=5)
    rng, params = np.random.default_rng(5), MultipodParams(n_legs=8)
    for _ in range(4):
        observation, _, _, _, infos = env.step(0.2 * rng.uniform(-1, 1, (6, 8)))
    seen = {name: observation[:, place].astype(float) for name, place in env.unwrapped.observation_slices.items()}
    angle, rate = (seen[name].reshape(6, 4, 2) for name in ("joint_angle", "joint_speed"))
    weight = params.total_mass * params.g
    found = solve(
        foot_positions(params, angle), foot_velocities(params, angle, rate), Feet(params.leaf_k, 1.0, weight), "viscous"
    )
    np.testing.assert_allclose(seen["height"][:, 0], found.height, atol=1e-6)
    np.testing.assert_allclose(seen["velocity"][:, :2], found.twist[:, :2], atol=1e-5)
    np.testing.assert_allclose(seen["angular_velocity"][:, 2], found.twist[:, 2], atol=1e-4)
    np.testing.assert_allclose(seen["compression"] * params.leaf_k, found.load, atol=1e-4 * weight)
    np.testing.assert_allclose(seen["compression"].sum(axis=1) * params.leaf_k, weight, rtol=1e-5)
    down = np.stack([np.sin(found.pitch), -np.cos(found.pitch) * np.sin(found.roll)], axis=-1)
    np.testing.assert_allclose(seen["gravity"][:, :2], down, atol=1e-6)
    np.testing.assert_array_equal(seen["foot_contact"], seen["compression"] > 0)
    np.testing.assert_allclose(infos["position"][:, 2], found.height, atol=1e-6)


def test_a_gait_walks_as_far_as_the_solver_says():
    """The gait as actions, over two periods, goes as far as the model in continuous time."""
    gait, params = gaits.make("undulation", 6, frequency=0.5), MultipodParams()
    env = many(1, n_legs=6, reset_noise=0.0)
    env.reset(seed=0)
    robots = env.unwrapped.simulation.robots
    robots.angle[0] = gait(0.0)[0]
    for k in range(200):
        step = gait(0.02 * (k + 1))[0] - robots.angle[0]
        _, _, _, _, infos = env.step(step.reshape(1, 6) / (0.02 * params.motor.no_load_speed))
    times = gait.period * np.arange(400) / 400
    angle, rate = gait(times)
    feet = Feet(params.leaf_k, params.friction_coeff, params.total_mass * params.g)
    mean = solve(foot_positions(params, angle), foot_velocities(params, angle, rate), feet).twist.mean(axis=0)
    assert infos["position"][0, 0] == pytest.approx(2 * gait.period * mean[0], rel=0.02)
    assert infos["speed"].shape == (1,) and abs(infos["position"][0, 1]) < 1e-3


def test_same_names_as_the_robot_in_mujoco():
    env = gymnasium.make(NAME, n_legs=8).unwrapped.vector
    joints = tuple(f"{joint}_{k}" for k in range(4) for joint in ("yaw", "roll"))
    assert env.action_names == (*joints, "tempo") and many(1, n_legs=8).unwrapped.action_names == joints
    assert env.observation_names[0] == "height.height" and "compression.left_3" in env.observation_names
    assert len(env.observation_names) == env.single_observation_space.shape[0]
    theirs = gymnasium.make("Multipod-v1", n_legs=8).unwrapped.observation_names
    assert env.observation_names == tuple(name for name in theirs if not name.startswith("joint_lead"))


def test_a_pickled_copy_goes_on_alike():
    env = gymnasium.make(NAME).unwrapped
    env.reset(seed=5)
    env.step(env.action_space.sample())
    twin = pickle.loads(pickle.dumps(env))
    action = env.action_space.sample()
    np.testing.assert_array_equal(env.step(action)[0], twin.step(action)[0])
    np.testing.assert_array_equal(env.reset(seed=6)[0], twin.reset(seed=6)[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_legs": 7}, "even number of legs from 4 to 50"),
        ({"law": "epsilon"}, "unknown law 'epsilon' of compiled code; there are viscous, coulomb"),
        ({"ctrl_dt": 0.0}, "ctrl_dt must be positive"),
        ({"action_mode": "torque"}, "unknown action_mode 'torque'; there are residual, velocity"),
        ({"reset_noise": -1.0}, "reset_noise must not be negative"),
        ({"reward_weights": {"speed": 1.0}}, "unknown reward term 'speed'; there are forward"),
    ],
)
def test_impossible_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        many(2, **options)


@pytest.mark.parametrize(
    ("actions", "message"),
    [(np.zeros((2, 5)), r"shape \(2, 6\), got \(2, 5\)"), (np.full((2, 6), np.nan), "must be finite")],
)
def test_impossible_actions_are_refused(actions, message):
    env = many(2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        env.step(actions)
