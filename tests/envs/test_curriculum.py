"""Curricula: when commands widen and the ground grows, and that MuJoCo's ground is the episode's terrain."""

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.analytic.terrain import TERRAINS
from tarsus.envs import ENVIRONMENTS
from tarsus.mjcf import PRESETS
from tarsus.mjcf.terrain import GRID

GRADED = [name for name, kind in TERRAINS.items() if kind.RELIEF]
COMMANDS = {"task": "commanded", "command_curriculum": True}
STANDING = COMMANDS | {"command_standing": 1.0, "command_period": 0.04}  # met by doing nothing


def single(name="Hexapod-v0", **options):
    return gymnasium.make(name, **options).unwrapped


def many(name="Hexapod-v0", n=3, **options):
    return gymnasium.make_vec(name, n, vectorization_mode="vector_entry_point", **options).unwrapped


def episode(env, n_steps=5, action=None):
    """Run an episode without a seed, and return the info of the next one's start."""
    for _ in range(n_steps):
        env.step(np.zeros(env.action_space.shape) if action is None else action)
    return env.reset()[1]


def test_commands_widen_from_half_to_whole_where_they_are_met():
    env = single(**STANDING)
    reach = [env.reset(seed=0)[1]["command_reach"]]
    reach += [episode(env)["command_reach"] for _ in range(7)]
    np.testing.assert_allclose(reach, [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0])
    assert env.reset(seed=0)[1]["command_reach"] == 0.5  # a seed begins anew
    fast = single(**COMMANDS, command_standing=0.0, command_speed=(0.4, 0.5), command_period=0.04)
    assert fast.reset(seed=0)[1]["command_reach"] == episode(fast)["command_reach"] == 0.5
    assert "command_reach" not in single(task="commanded").reset(seed=0)[1]


@pytest.mark.parametrize(
    ("tracked", "n_steps", "ended", "fixed", "reach"),
    [(0.81, 200, False, False, 0.6), (0.79, 200, False, False, 0.5), (0.9, 199, False, False, 0.5),
     (0.9, 200, True, False, 0.5), (0.9, 200, False, True, 0.5)],
    ids=["met", "not met", "shorter than a command", "fallen", "a command of the user's"],
)  # fmt: skip
def test_what_widens_the_commands(tracked, n_steps, ended, fixed, reach):
    env = single(**COMMANDS)
    env.reset(seed=0, options={"command": (0.1, 0.0)} if fixed else {})
    task = env.task
    task.rngs.is_new(())
    kept = task.curriculum
    kept._n_steps[...], kept._tracked[...], kept._ended[...] = n_steps, tracked * n_steps, ended
    kept.promote(task, ())
    assert kept.command_reach == pytest.approx(reach)
    assert kept._n_steps == kept._tracked == 0 and not kept._ended


def test_the_mean_is_that_of_the_rewards_term_and_a_fall_is_noted():
    env = single(**COMMANDS, action_mode="gait", terrain_curriculum=True, terrain="rough")
    env.reset(seed=0)
    earned = [env.step(np.zeros(6))[-1]["reward_speed"] for _ in range(20)]
    task, kept = env.task, env.task.curriculum
    assert kept._tracked == pytest.approx(sum(earned)) and kept._n_steps == 20 and not kept._ended
    assert kept._commanded_way == pytest.approx(20 * 0.02 * abs(task.command[0]))
    over = env.data.qpos.copy()
    over[2], over[3:7] = 0.5, (np.cos(0.6), np.sin(0.6), 0, 0)
    env.reset(options={"qpos": over})
    env.step(np.zeros(6))
    assert env.task.curriculum._ended


def test_narrow_ranges_lie_where_the_whole_ones_are_nearest_to_zero():
    for name, expected in (("Hexapod-v0", [[0.0, -0.3], [0.3, 0.3]]), ("SlipLeg-v1", [[2.0], [2.6]])):
        env = single(name, **COMMANDS, command_standing=0.0)
        env.reset(seed=0)
        env.task.curriculum.command_reach[...] = 0.6
        np.testing.assert_allclose(env.task.curriculum.ranges(env.task, ()), expected)
        drawn = []
        for _ in range(300):
            env.task.commands.draw(env.task, (), 0.0)
            drawn.append(env.task.command.copy())
        np.testing.assert_allclose([np.min(drawn, 0), np.max(drawn, 0)], expected, atol=0.03)


def moved(env, distance, ended=False, n_steps=100):
    """Return the difficulty that follows an episode that ended at this distance from its start."""
    task = env.task
    task.rngs.is_new(())
    env.data.qpos[:2] = task._start_place + distance * np.array([0.6, -0.8])
    task.curriculum._n_steps[...], task.curriculum._ended[...] = n_steps, ended
    task.curriculum.promote(task, ())
    return float(task.curriculum.difficulty)


def test_the_ground_grows_with_the_distance_and_eases_without():
    env = single(terrain="stairs", terrain_curriculum=True)
    assert env.reset(seed=0)[1]["terrain_difficulty"] == 0.0
    levels = [moved(env, far, *how) for far, *how in [(4.1,), (4.1,), (3.9,), (2.1,), (1.9,), (3.0, True), (1.0,)]]
    np.testing.assert_allclose(levels, [0.1, 0.2, 0.2, 0.2, 0.1, 0.0, 0.0])
    env.task.curriculum.difficulty[...] = 0.95
    assert moved(env, 5.0) == 1.0
    levels = [moved(env, 5.0) for _ in range(5) if env.task.curriculum.difficulty.fill(1.0) is None]
    assert len(set(levels)) == 5 and all(0 <= level <= 1 for level in levels)  # the hardest is solved: any
    bounded = single(terrain="stairs", terrain_curriculum=True, terrain_difficulty=(0.3, 0.35), terrain_distance=1.0)
    assert bounded.reset(seed=0)[1]["terrain_difficulty"] == 0.3
    assert moved(bounded, 1.1) == 0.35 and moved(bounded, 0.1) == 0.3


def test_half_of_what_was_asked_is_enough():
    env = single(terrain="stairs", terrain_curriculum=True, task="commanded")
    env.reset(seed=0)
    for asked, difficulty in ((3.0, 0.4), (1.9, 0.5)):  # the robot went one metre
        env.task.curriculum.difficulty[...], env.task.curriculum._commanded_way[...] = 0.5, asked
        assert moved(env, 1.0) == pytest.approx(difficulty)


def test_each_of_many_goes_its_own_way_and_on_from_a_state_to_the_bit():
    ground = {"terrain": "terraces", "terrain_curriculum": True, "terrain_distance": 0.004}
    options = STANDING | ground | {"action_mode": "velocity"}
    envs, ones = many(**options, autoreset_mode="SameStep", max_episode_steps=4), [single(**options) for _ in range(3)]
    _, infos = envs.reset(seed=7)
    for k, env in enumerate(ones):
        env.reset(seed=7 + k)
    rng, seen = np.random.default_rng(0), []
    for step in range(24):
        actions = rng.uniform(-1, 1, (3, 6))
        observations, *_, infos = envs.step(actions)
        for k, env in enumerate(ones):
            observation, *_, info = env.step(actions[k])
            if step % 4 == 3:
                observation, info = env.reset()
            np.testing.assert_array_equal(observations[k], observation)
            assert all(infos[key][k] == info[key] for key in ("command_reach", "terrain_difficulty"))
        if step == 9:  # in the middle of an episode: everything is put back and forth
            kept = envs.get_state(), [env.get_state() for env in ones]
            envs.reset(seed=99), [env.reset(seed=99) for env in ones]
            envs.set_state(kept[0])
            for env, state in zip(ones, kept[1], strict=True):
                env.set_state(state)
        seen.append([*infos["command_reach"], *infos["terrain_difficulty"]])
    assert np.ptp(seen, axis=0).min() >= 0.3 and any(len({*levels[3:]}) > 1 for levels in seen)


def ray_heights(env, x, y):
    """Return where rays from above meet MuJoCo's ground [m]."""
    down, geom = np.array([0.0, 0.0, -1.0]), np.zeros(1, np.int32)
    found = [
        9.0 - mujoco.mj_ray(env.model, env.data, np.array([*point, 9.0]), down, None, True, -1, geom)
        for point in zip(x, y, strict=True)
    ]
    assert env.model.geom(geom[0]).name == "ground"
    return np.array(found)


@pytest.mark.parametrize("name", GRADED)
def test_mujocos_ground_is_the_episodes_terrain(name):
    env = single(terrain=name, terrain_difficulty=(0.3, 0.6), observations=("height_scan",))
    preset, rng, scales = PRESETS["rl"], np.random.default_rng(0), set()
    for seed in (0, 1):
        observation, info = env.reset(seed=seed)
        scales.add(info["terrain_difficulty"])
        nodes = rng.choice(np.flatnonzero((np.abs(GRID) > 1) & (np.abs(GRID) < 4)), (2, 100))
        x, y = GRID[nodes] + np.array([[1e-5], [2e-5]])  # not on the very edge of a triangle
        heights = env.terrain.height(x, y)
        if name == "slope":  # a plane, lower by the toe's radius and what it sinks
            heights = heights + (preset.sink - preset.toe_radius) / env.terrain.normal(0.0, 0.0)[2]
        np.testing.assert_allclose(ray_heights(env, x, y), heights, atol=5e-5)
        np.testing.assert_allclose(env.task.ground.height(x, y), env.terrain.height(x, y), atol=1e-12)
        np.testing.assert_allclose(env.task.ground.gradient(x, y), env.terrain.gradient(x, y), atol=1e-9)
        hard, soft = env.task.hardest, env.terrain
        if not hasattr(hard, "seed"):
            np.testing.assert_allclose(soft.height(x, y), info["terrain_difficulty"] * hard.height(x, y), atol=1e-12)
        forward = env.task.rotation[:2, 1] / np.linalg.norm(env.task.rotation[:2, 1])
        right = np.array([forward[1], -forward[0]])
        points = env.data.qpos[:2] + np.array(
            [a * forward + b * right for a in (-0.3, 0, 0.3, 0.6) for b in (-0.2, 0, 0.2)]
        )
        np.testing.assert_allclose(observation, env.data.qpos[2] - soft.height(*points.T), atol=1e-6)
    assert len(scales) == 2 and all(0.3 <= scale <= 0.6 for scale in scales)


@pytest.mark.parametrize("name", GRADED)
def test_a_foot_stands_on_the_tangent_of_the_episodes_terrain(name):
    if name == "slope":
        return  # a plane without patches
    env = single(terrain=name, terrain_difficulty=(0.5, 0.5))
    env.reset(seed=0)
    env.step(np.zeros(6))
    env.task.patches.follow(env.data)
    feet = env.data.mocap_pos[:, :2].T
    np.testing.assert_allclose(env.data.mocap_pos[:, 2], env.terrain.height(*feet), atol=1e-12)
    w, x, y, z = env.data.mocap_quat.T
    up = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], -1)
    np.testing.assert_allclose(up, env.terrain.normal(*feet), atol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"terrain_difficulty": (0.0, 1.1)}, "terrain_difficulty needs 0 <= low <= high <= 1"),
        ({"terrain_difficulty": (0.6, 0.5)}, "terrain_difficulty must be a range, its lowest number first"),
        ({"terrain_difficulty": (0.5, 1.0), "terrain": "flat"}, "terrain_difficulty needs a terrain with a RELIEF"),
        ({"terrain_curriculum": True, "terrain": "flat"}, "terrain_curriculum needs a terrain with a RELIEF, .* Flat"),
        ({"terrain_distance": 0.0}, "terrain_distance must be positive"),
        ({"terrain_difficulty": 0.5}, "terrain_difficulty must be a pair of finite numbers or None"),
        ({"command_curriculum": 1}, "command_curriculum must be True or False"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        single(**{"terrain": "rough"} | options)
    env = single(terrain="rough")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)
    env.step(np.zeros(6))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_machine_steps_on_ground_that_grows(name):
    commands = COMMANDS if "commanded" in single(name).config.REWARDS else {}
    envs = many(name, 2, terrain="stairs", terrain_curriculum=True, max_episode_steps=3, **commands)
    _, infos = envs.reset(seed=0)
    assert not infos["terrain_difficulty"].any() and np.all(infos.get("command_reach", 0.5) == 0.5)
    for _ in range(5):
        _, rewards, *_ = envs.step(np.zeros(envs.action_space.shape))
        assert np.isfinite(rewards).all()
    envs.reset(options={"terrain_curriculum": False})
    assert np.all(envs.step(np.zeros(envs.action_space.shape))[1] < 10)
