"""The option `engine="warp"`: the same task in MuJoCo Warp, compared with MuJoCo step by step."""

import pickle
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from tarsus.envs.warp_refusals import NEEDED
from tarsus.mjcf.presets import PRESETS

pytest.importorskip("warp", reason=NEEDED)
pytest.importorskip("mujoco_warp", reason=NEEDED)

MACHINES = ("Hexapod-v0", "Multipod-v1", "BigAnt-v1")
# Off by this much after 10 and 100 physics steps [m]: single precision, not yet grown by contacts.
CLOSE, STILL_CLOSE = 1e-6, 5e-5
# Without `max_torque`: a hip that starts at rest, asked for all it has, is a tie between a motor at its limit and one
# below it; MuJoCo's own walk differs by 1e-2 rad after 10 steps when its start is nudged by 1e-9.
DRAWN = ("body_mass", "leg_mass", "friction_coeff", "leg_k", "leg_d", "theta_k", "KP", "KD", "g", "J")


def made(name="Hexapod-v0", engine="warp", **options):
    return gymnasium.make_vec(name, engine=engine, **({"num_envs": 2} | options)).unwrapped


def pair(name="Hexapod-v0", seed=0, **options):
    """Return environments with MuJoCo and with Warp, both begun, and check that they begin alike."""
    envs = made(name, "mujoco", **options), made(name, **options)
    (seen, info), (same, info_too) = (env.reset(seed=seed) for env in envs)
    np.testing.assert_array_equal(seen, same)
    assert info.keys() == info_too.keys()
    return envs


def errors(c, warp):
    """Return the largest differences of the bodies' positions [m], of all positions, and of feet in contact."""
    apart = np.abs(c._data.qpos - warp._data.qpos)
    return apart[:, :3].max(), apart.max(), np.sum(c.task.foot[..., 0] != warp.task.foot[..., 0])


@pytest.mark.parametrize("terrain", ["flat", "rough"])
def test_the_hexapod_walks_as_in_mujoco(terrain):
    c, warp = pair(terrain=terrain)
    flags, n_steps = 0, 10
    for k in range(1, n_steps + 1):
        action = np.zeros(c.action_space.shape)
        (seen, reward, *_), (same, reward_too, *_) = c.step(action), warp.step(action)
        place, joints, other = errors(c, warp)
        flags += other
        assert place < (CLOSE if k == 1 else STILL_CLOSE) and joints < 10 * STILL_CLOSE
        np.testing.assert_array_equal(c._data.time, warp._data.time)
        np.testing.assert_allclose(reward, reward_too, atol=1e-3)
        np.testing.assert_allclose(seen, same, rtol=5e-3, atol=5e-3)
    assert flags <= 1e-3 * n_steps * c.task.foot[..., 0].size
    np.testing.assert_allclose(c.task.foot[..., 1:], warp.task.foot[..., 1:], atol=0.05)


@pytest.mark.parametrize("name", MACHINES[1:])
def test_other_walkers_walk_as_in_mujoco(name):
    c, warp = pair(name)
    rng = np.random.default_rng(0)
    for _ in range(5):  # with actions of 1 the multipod is chaotic: MuJoCo from MuJoCo 1e-6 away is as far
        action = rng.uniform(-0.3, 0.3, c.action_space.shape)
        c.step(action), warp.step(action)
        assert errors(c, warp)[0] < CLOSE
    assert np.abs(c.task.joint_speed).max() > 0.1


def test_robots_that_are_drawn_and_pushed_and_commanded_go_as_in_mujoco():
    options = dict(randomise=dict.fromkeys(DRAWN, (0.8, 1.25)), task="commanded", action_delay=(0, 2), num_envs=3)
    c, warp = pair(**options, push_speed=0.3, push_interval=(0.02, 0.05))
    assert len({model.body("torso").mass[0] for model in warp.models}) == 3
    action = np.random.default_rng(0).uniform(-0.3, 0.3, c.action_space.shape)
    for k in range(4):
        if k == 2:
            for env in (c, warp):
                env.reset(seed=5, options={"reset_mask": np.array([True, False, False])})
        c.step(action), warp.step(action)
        assert errors(c, warp)[0] < STILL_CLOSE
        np.testing.assert_array_equal(c.task.command, warp.task.command)
    assert warp.task.extras["pushes"].due.min() > 0.02


def test_worlds_have_the_numbers_of_their_models():
    from tarsus.envs.warp import worlds

    env = made(randomise=dict.fromkeys((*DRAWN, "max_torque"), (0.8, 1.25)))
    env.reset(seed=0)
    model = env._sims._worlds._model
    for name in worlds.OWN:
        found = getattr(model, name).numpy()
        for world, own in enumerate(env.models):
            np.testing.assert_allclose(found[world].ravel(), getattr(own, name).ravel(), rtol=1e-6, err_msg=name)
    assert found.shape[0] == 2 and model.opt.gravity.numpy()[0, 2] != model.opt.gravity.numpy()[1, 2]


GROUNDS = [{"terrain": "slope", "terrain_difficulty": (0.2, 1.0)}, {"terrain": "stairs"}, {"preset": "reference"}]


@pytest.mark.parametrize("options", GROUNDS, ids=("slopes", "stairs", "reference"))
def test_other_grounds_and_presets_agree_too(options):
    c, warp = pair(**options, action_mode="velocity")
    for _ in range(2):
        for env in (c, warp):
            env.step(np.full(env.action_space.shape, 0.1))
    assert errors(c, warp)[0] < CLOSE


def test_an_option_of_a_reset_that_it_lacks_changes_nothing():
    env = made()
    env.reset(seed=0)
    before = env._data.qpos.copy()
    with pytest.raises(ValueError, match="no noslip iterations"):
        env.reset(options={"preset": replace(PRESETS["rl"], noslip_iterations=2)})
    np.testing.assert_array_equal(env._data.qpos, before)
    assert env.config.preset == "rl"
    with pytest.raises(ValueError, match="engine 'warp' shares contacts between simulations"):
        env.task.models.settle(0, env.task.params[0], PRESETS["rl"])


def test_a_start_changes_no_neighbour():
    alone, beside = made(), made()
    for env in (alone, beside):
        env.reset(seed=3)
    action = np.zeros(alone.action_space.shape)
    for k in range(4):
        rows = [env.step(action)[0] for env in (alone, beside)]
        np.testing.assert_array_equal(rows[0][1], rows[1][1])
        if k == 1:
            beside.reset(seed=9, options={"reset_mask": np.array([True, False])})
    assert not np.array_equal(rows[0][0], rows[1][0])


@pytest.mark.parametrize("terrain", ["flat", "rough"])
def test_a_saved_state_goes_on_bit_for_bit(terrain):
    env = made(terrain=terrain)
    env.reset(seed=1)
    actions = np.random.default_rng(0).uniform(-0.3, 0.3, (3, *env.action_space.shape))
    env.step(actions[0])
    state, copied = env.get_state(), pickle.loads(pickle.dumps(env))
    rows = [env.step(action)[0] for action in actions[1:]]
    env.set_state(state)
    for row, action in zip(rows, actions[1:], strict=True):
        np.testing.assert_array_equal(env.step(action)[0], row)
        np.testing.assert_array_equal(copied.step(action)[0], row)
    env.set_state(env.get_state(indices=[1]))  # one for both
    seen = env.step(np.tile(actions[0][0], (2, 1)))[0]
    np.testing.assert_array_equal(seen[0], seen[1])


def test_one_that_diverges_ends_alone_where_it_was():
    env = made(autoreset_mode="SameStep")
    env.reset(seed=0)
    env.task.qvel[1, 8] = np.inf
    before = env._data.qpos.copy()
    observation, reward, over, _, infos = env.step(np.zeros(env.action_space.shape))
    assert over.tolist() == [False, True] and np.isfinite(observation).all() and reward[1] == 0.0
    assert env.words(infos)["final_info"]["termination"][1] == "diverged: MuJoCo Warp's state is not finite"
    np.testing.assert_array_equal(env.last_good_states.get(1, (before[1],))[0], before[1])
    assert not env.step(np.zeros(env.action_space.shape))[2].any()


def test_too_little_room_for_contacts_ends_an_episode_and_is_said(monkeypatch):
    from tarsus.envs.warp import worlds

    room = worlds.room
    monkeypatch.setattr(worlds, "room", lambda model: room(model) | {"nconmax": 1})
    env = made()
    env.reset(seed=0)
    said = set()
    for _ in range(4):
        *_, infos = env.step(np.zeros(env.action_space.shape))
        said |= set(env.words(infos)["termination"])
    assert "diverged: MuJoCo Warp has no room for all contacts" in said


@pytest.mark.render
def test_it_is_drawn_as_mujoco_draws_it():
    images = [env.render() for env in pair(render_mode="rgb_array", width=64, height=48, terrain="rough")]
    np.testing.assert_array_equal(images[0], images[1])
    assert images[0][0].std() > 1


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_episodes_end_and_begin_as_in_mujoco(mode):
    c, warp = pair(num_envs=3, autoreset_mode=mode, max_episode_steps=3)
    for env in (c, warp):
        env.episode_steps = [1, 0, 0]
    for _ in range(5):
        action = np.zeros(c.action_space.shape)
        (seen, _, *ends, _), (same, _, *other, _) = c.step(action), warp.step(action)
        np.testing.assert_array_equal(ends, other)
        np.testing.assert_allclose(seen, same, rtol=5e-3, atol=5e-3)
        np.testing.assert_array_equal(c._data.time, warp._data.time)
        np.testing.assert_array_equal(c.episode_steps, warp.episode_steps)
