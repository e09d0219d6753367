"""Environments on a device, on Warp's device "cpu": the task on tensors, compared with that of MuJoCo."""

import importlib.util

import gymnasium
import numpy as np
import pytest

from tarsus.envs.warp_refusals import NEEDED

pytest.importorskip("warp", reason=NEEDED)
pytest.importorskip("mujoco_warp", reason=NEEDED)
torch = pytest.importorskip("torch", reason="it needs the extra `rl`")

CLOSE, STILL_CLOSE = 1e-6, 5e-5  # after 10 and 100 physics steps [m]
DRAWN = dict.fromkeys(("body_mass", "friction_coeff", "leg_k", "KP", "g"), (0.8, 1.25))


def made(name="Hexapod-v0", num_envs=3, n_starts=4, **options):
    return gymnasium.make_vec(name, num_envs, engine="warp", device="cpu", n_starts=n_starts, **options).unwrapped


def pair(name="Hexapod-v0", **options):
    """Return environments with MuJoCo and on the device, begun from the same starts."""
    plain = gymnasium.make_vec(name, 3, autoreset_mode="SameStep", **options).unwrapped
    envs = made(name, **options)
    rows, _ = plain.reset(seed=0)
    seen, extras = envs.reset(seed=0)
    np.testing.assert_array_equal(seen, rows)
    assert extras == {} and seen.dtype is torch.float32
    return plain, envs


def tensor(array):
    return torch.as_tensor(np.asarray(array), dtype=torch.float32)


def apart(plain, envs):
    return np.abs(envs.task.qpos.tensor.numpy() - plain.task.qpos)[:, :3].max()


@pytest.mark.parametrize("terrain", ["flat", "rough"])
def test_the_hexapod_walks_as_in_mujoco(terrain):
    plain, envs = pair(terrain=terrain)
    for k in range(1, 11):
        rows, reward, *_, infos = plain.step(np.zeros((3, 6)))
        seen, paid, terminated, truncated, extras = envs.step(torch.zeros(3, 6))
        assert apart(plain, envs) < (CLOSE if k == 1 else STILL_CLOSE)
        np.testing.assert_array_equal(envs.task.foot.tensor[..., 0], plain.task.foot[..., 0])
        np.testing.assert_allclose(paid, reward, atol=1e-3)
        np.testing.assert_allclose(seen, rows, rtol=5e-3, atol=5e-3)
        assert not terminated.any() and not truncated.any()
    for name in ("power", "forward", "healthy"):
        np.testing.assert_allclose(extras["log"][f"/reward/{name}"], infos[f"reward_{name}"].mean(), atol=1e-3)
    measured = envs.measurements()
    np.testing.assert_allclose(measured["time"], plain.task.data.time, rtol=1e-12)
    np.testing.assert_allclose(measured["distance"], infos["distance"], atol=1e-3)


OPTIONS = {
    "velocity": dict(action_mode="velocity"),
    "torque": dict(action_mode="torque"),
    "gait": dict(action_mode="gait"),
    "rate": dict(action_mode="rate", coupling=0.5),
    "rhex": dict(clock="rhex", tempo_range=2.0, scaled=True),
    "drawn": dict(randomise=DRAWN, privileged=("foot_force", "friction_coeff", "height_scan")),
    "slope": dict(terrain="slope", terrain_difficulty=(0.2, 1.0)),
    "stairs": dict(terrain="stairs", task="commanded"),
    "shaped": dict(reward_weights={"air_time": 1.0, "sliding": -0.1, "height": -1.0, "electric_power": -0.1}),
    "own": dict(
        rewards={"low": (1.0, lambda task: -task.height)},
        observe={"speed": (1, 100.0, lambda task: task.velocity[..., 1])},
        terminate={"never": lambda task: task.height > 9.0},
    ),
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_every_option_of_the_task_is_there(options):
    plain, envs = pair(**options)
    rng = np.random.default_rng(0)
    for _ in range(2):
        action = rng.uniform(-0.1, 0.1, plain.action_space.shape)
        rows, reward, *_ = plain.step(action)
        seen, paid, *_ = envs.step(tensor(action))
    assert apart(plain, envs) < 2e-5
    np.testing.assert_allclose(seen, rows, rtol=2e-2, atol=5e-2)  # the fastest are hip speeds [rad/s]
    np.testing.assert_allclose(paid, reward, rtol=1e-3, atol=3e-3)
    if envs.privileged is not None:
        np.testing.assert_allclose(envs.privileged, plain.task.observe_privileged(), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("name", ["Multipod-v1", "BigAnt-v1"])
def test_other_walkers_are_there_too(name):
    plain, envs = pair(name)
    action = np.random.default_rng(0).uniform(-0.3, 0.3, plain.action_space.shape)
    for _ in range(3):
        plain.step(action), envs.step(tensor(action))
    assert apart(plain, envs) < CLOSE and np.abs(plain.task.joint_speed).max() > 0.1


def test_disturbances_are_drawn_on_the_device():
    options = dict(
        push_speed=0.5, push_interval=(0.02, 0.06), action_delay=(0, 2), observation_noise={"velocity": 0.01}
    )
    envs = made(task="commanded", command_period=0.04, num_envs=40, n_starts=50, **options)
    envs.reset(seed=3)
    task, commands, pushed = envs.task, [], torch.zeros(40)
    for _ in range(4):
        envs.step(torch.zeros(40, 6))
        commands.append(task.command.tensor.clone())
        pushed += task.extras["pushes"].pushed.tensor.norm(dim=-1)
    low, high = task.config.command_speed
    assert (
        (commands[0] != commands[-1]).any() and (commands[-1][:, 0] >= low).all() and (commands[-1][:, 0] <= high).all()
    )
    assert (commands[-1] == 0).all(-1).float().mean() < 0.4 and (pushed > 0).all() and pushed.max() < 4 * 0.5
    assert set(task.extras["delay"].periods.tensor.tolist()) == {0, 1, 2}
    assert 0.002 < task.extras["noise"].noise.tensor.std() < 0.02


def test_an_episode_ends_with_its_last_observation_and_begins_with_a_start_of_the_pool():
    envs = made(max_episode_steps=3)
    first, _ = envs.reset(seed=0)
    first = first.clone()
    pool = [first[0]]
    envs.episode_length_buf = torch.tensor([1, 0, 0])
    for k in range(3):
        seen, _, terminated, truncated, extras = envs.step(torch.zeros(3, 6))
        assert truncated.tolist() == [[False] * 3, [True, False, False], [False, True, True]][k]
        assert not terminated.any() and extras["time_outs"].tolist() == truncated.tolist()
        assert ("final_obs" in extras) == (k > 0)
    assert envs.episode_length_buf.tolist() == [1, 0, 0] and extras["_final_obs"].tolist() == [False, True, True]
    assert (extras["final_obs"][1] != seen[1]).any() and torch.equal(extras["final_obs"][0], seen[0])
    begun = made(num_envs=5, n_starts=4)
    pool, _ = begun.reset(seed=0)
    for sim in (1, 2):
        assert any(torch.equal(seen[sim], start) for start in pool)
    assert envs.task.data.time.tensor.tolist()[1:] == [0.0, 0.0]


def test_the_reason_of_an_end_is_a_code():
    envs = made(terminate={"moves": lambda task: task.qvel[..., 1] > np.array([9.0, -9.0, 9.0])})
    envs.reset(seed=0)
    _, reward, terminated, truncated, extras = envs.step(torch.zeros(3, 6))
    assert terminated.tolist() == [False, True, False] and not truncated.any()
    assert envs.reasons[extras["termination"][1]] == "moves" and extras["termination"][0] == 0


def test_one_that_diverges_ends_alone_and_pays_nothing():
    envs = made()
    envs.reset(seed=0)
    envs.task.qvel[1, 8] = np.inf
    seen, reward, terminated, _, extras = envs.step(torch.zeros(3, 6))
    assert terminated.tolist() == [False, True, False] and torch.isfinite(seen).all() and reward[1] == 0.0
    assert envs.reasons[extras["termination"][1]] == "diverged: MuJoCo Warp's state is not finite"
    assert torch.isfinite(extras["final_obs"]).all() and not envs.step(torch.zeros(3, 6))[2].any()


def test_too_little_room_for_contacts_is_said(monkeypatch):
    from tarsus.envs.warp import worlds

    room = worlds.room
    monkeypatch.setattr(worlds, "room", lambda model: room(model) | {"nconmax": 1})
    envs = made()
    envs.reset(seed=0)
    said = set()
    for _ in range(3):
        said |= {envs.reasons[code] for code in envs.step(torch.zeros(3, 6))[4]["termination"]}
    assert "diverged: MuJoCo Warp has no room for all contacts" in said


def test_commands_widen_and_the_ground_rises_for_those_that_do_well():
    envs = made(task="commanded", command_curriculum=True, num_envs=6, n_starts=30, terrain="slope",
                terrain_curriculum=True, max_episode_steps=4, command_period=0.02)  # fmt: skip
    envs.reset(seed=0)
    task = envs.task
    assert (task.curriculum.difficulty.tensor < 0.15).all() and (task.curriculum.command_reach.tensor == 0.5).all()
    for _ in range(3):
        envs.step(torch.zeros(6, 6))
    task.curriculum._tracked[...] = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0]) * 100.0
    task._start_place[0] = task.here[0] - 9.0  # it went far
    envs.step(torch.zeros(6, 6))
    np.testing.assert_allclose(task.curriculum.command_reach.tensor, [0.6, 0.5] * 3)
    assert 0.02 < task.curriculum.difficulty.tensor[0] and (task.curriculum._tracked.tensor == 0).all()
    heights = [ground.tensor for ground in task.ground._relief.values()]
    assert any(len(set(height.tolist())) > 1 for height in heights)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"device": "cuda:99"}, "device 'cuda:99': PyTorch finds cpu"),
        ({"autoreset_mode": "NextStep"}, "reset in the step that ends an episode, 'SameStep', not 'NextStep'"),
        ({"max_episode_steps": None}, "at most 30000 steps"),
        ({"n_starts": 0}, "n_starts"),
        ({"render_mode": "rgb_array"}, "render_mode"),
    ],
)
def test_what_there_is_not_is_refused_before_anything_is_allocated(options, sentence, monkeypatch):
    from tarsus.envs.warp import tensor_env

    monkeypatch.setattr(tensor_env, "WarpVectorEnv", None)
    with pytest.raises((ValueError, TypeError), match=sentence):
        gymnasium.make_vec("Hexapod-v0", 2, **({"engine": "warp", "device": "cpu"} | options))


def test_too_little_memory_is_refused(monkeypatch):
    from tarsus.envs.warp import worlds

    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (10**9, 10**10))
    task = made().task
    object.__setattr__(task.config, "device", "cuda:0")
    with pytest.raises(ValueError, match="65536 simulations need 2.6 GB, cuda:0 has 1.0 GB free"):
        worlds.check_device(task, 65536)
    worlds.check_device(task, 4096)


def test_without_pytorch_the_extra_is_named(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "torch" else found(name, *more)
    )
    with pytest.raises(ImportError, match=r"pip install .*\[rl\]'"):
        made()


def test_wrong_actions_options_and_functions_are_refused():
    wrong = made(terminate={"own": lambda task: task.height})
    with pytest.raises(ValueError, match="terminate: 'own' must return True or False, got float64"):
        wrong.reset(seed=0), wrong.step(torch.zeros(3, 6))
    envs = made(rewards={"own": (1.0, lambda task: np.zeros(3))})
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(torch.zeros(3, 6))
    with pytest.raises(ValueError, match="options of environments on a device are given to make_vec, got terrain"):
        envs.reset(options={"terrain": "rough"})
    with pytest.raises(TypeError, match="a seed must be a whole number"):
        envs.reset(seed=[1, 2, 3])
    envs.reset(seed=0)
    with pytest.raises(TypeError, match=r"actions are a tensor of shape \(3, 6\), got ndarray"):
        envs.step(np.zeros((3, 6)))
    with pytest.raises(ValueError, match=r"an action has shape \(3, 6\), got \(2, 6\)"):
        envs.step(torch.zeros(2, 6))
    with pytest.raises(ValueError, match="an action must be finite numbers"):
        envs.step(torch.full((3, 6), torch.nan))
    with pytest.raises(
        ValueError, match="rewards: 'own' must return an array of the device, made of the task's, got ndar"
    ):
        envs.step(torch.zeros(3, 6))
