"""A .zip of Stable-Baselines3 or sb3-contrib: its algorithm, its normaliser in every layout, its memory, or a sentence.

Models are not trained but told that they were: what the loader reads is what their files say.
"""

import json
import pickle
import sys

import gymnasium
import numpy as np
import pytest

import tarsus
from tarsus.scripts.command import cli
from tarsus.scripts.library.certificates import certificate, replay, settings
from tarsus.scripts.library.certificates.settings import SIMULATOR, Setting
from tarsus.scripts.library.learning import algorithms, evaluation, loading, normalisers
from tarsus.scripts.library.learning.wrappers import Wrappers

sb3 = pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecNormalize  # noqa: E402

NAME, STEPS = "HoppingLeg-v1", 1000
SHORT = {"max_episode_steps": 30}
BOXES = ["A2C", "ARS", "CrossQ", "DDPG", "PPO", "RecurrentPPO", "SAC", "TD3", "TQC", "TRPO"]
LAYOUTS = {
    "of Stable-Baselines3": ("my.zip", "vecnormalize.pkl"),
    "of this project": ("model.zip", "normaliser.pkl"),
    "by the policy's name": ("my.zip", "my_vecnormalize.pkl"),
    "of its callback": ("rl_1000_steps.zip", "rl_vecnormalize_1000_steps.pkl"),
    "of its evaluation": ("best/best_model.zip", "vecnormalize.pkl"),
    "of RL-Zoo": ("ppo/Leg-v1_1/Leg-v1.zip", "ppo/Leg-v1_1/Leg-v1/vecnormalize.pkl"),
    "of RL-Zoo's best": ("ppo/Leg-v1_1/best_model.zip", "ppo/Leg-v1_1/Leg-v1/vecnormalize.pkl"),
    "of any name": ("my.zip", "moments.pkl"),
}


def envs_of(n=2, **options):
    return DummyVecEnv([lambda: gymnasium.make(NAME, **SHORT | options)] * n)


def normaliser_of(envs, count=STEPS + 2, seed=0):
    """Return a `VecNormalize` that has seen so many observations."""
    made, rng = VecNormalize(envs), np.random.default_rng(seed)
    shape = envs.observation_space.shape
    made.obs_rms.mean, made.obs_rms.var = rng.normal(0, 0.2, shape), rng.uniform(0.2, 2, shape)
    made.obs_rms.count, made.training, made.norm_reward = float(count), False, False
    return made


def model_of(name, envs, wrapped=True):
    """Return a model that says that it was trained, with a normaliser or without."""
    kind = getattr(sb3, name, None) or getattr(contrib, name)
    kept = {"policy_kwargs": {"net_arch": [8]}}
    if name in algorithms.OFF_POLICY:
        kept["buffer_size"] = 10
    model = kind("MlpLstmPolicy" if name == "RecurrentPPO" else "MlpPolicy", envs, seed=1, device="cpu", **kept)
    model.num_timesteps = STEPS
    before = np.random.default_rng(2).normal(0, 1, (2, *envs.observation_space.shape)).astype(np.float32)
    model._last_obs = envs.normalize_obs(before) if wrapped else before + 0.01
    model._last_original_obs = before if wrapped or name in algorithms.OFF_POLICY else None
    return model


def put(folder, model, value=None, layout=("my.zip", "vecnormalize.pkl")):
    """Write a policy and its normaliser; return the policy's path."""
    path, beside = (folder / name for name in layout)
    path.parent.mkdir(parents=True, exist_ok=True), beside.parent.mkdir(parents=True, exist_ok=True)
    model.save(path)
    if value is not None:
        value.save(str(beside))
    return path


def opened(path, **said):
    return loading.load(str(path), NAME, dict(SHORT), wrappers=Wrappers(**said))


@pytest.fixture(scope="module")
def wrapped():
    """Return a normaliser and a policy that was trained with it."""
    value = normaliser_of(envs_of())
    return value, model_of("PPO", value)


@pytest.mark.parametrize("name", BOXES)
def test_every_algorithm_is_known_and_finds_its_normaliser_in_every_layout(name, tmp_path):
    value = normaliser_of(envs_of())
    model = model_of(name, value)
    observation = np.random.default_rng(3).normal(size=(5, *model.observation_space.shape)).astype(np.float32)
    right = model.predict(value.normalize_obs(observation), deterministic=True)[0]
    for layout, names in LAYOUTS.items():
        path = put(tmp_path / layout, model, value, names)
        found = opened(path)
        assert found.used["algorithm"] == name and found.used["normaliser"] == str(tmp_path / layout / names[1]), layout
        assert ("a guess" in " ".join(found.lines)) == (layout in ("of any name", "of its evaluation")), layout
        np.testing.assert_array_equal(found.make(None, 0)(observation, {}), right, err_msg=layout)


@pytest.mark.parametrize("name", ["PPO", "A2C", "TRPO", "RecurrentPPO", "ARS"])
def test_a_foreign_normaliser_is_not_used_and_this_is_said(name, tmp_path):
    path = put(tmp_path, model_of(name, envs_of(), wrapped=False), normaliser_of(envs_of()))
    found = opened(path)
    assert found.used["normaliser"] is None
    assert any("vecnormalize.pkl lies beside and is not used" in line for line in found.lines)
    forced = opened(path, normaliser=str(tmp_path / "vecnormalize.pkl"))
    assert forced.used["normaliser"] and "was trained without a normaliser" in forced.lines[-1]


@pytest.mark.parametrize("name", ["SAC", "TD3", "TQC"])
def test_a_normaliser_that_did_not_make_the_last_observation_is_refused(name, tmp_path):
    path = put(tmp_path, model_of(name, normaliser_of(envs_of())), normaliser_of(envs_of(), seed=9))
    with pytest.raises(ValueError, match="does not make the policy's last observation .*--normaliser none goes"):
        opened(path)
    assert opened(path, normaliser="none").used["normaliser"] is None


def test_normalisers_that_cannot_be_right_are_refused_with_what_to_do(wrapped, tmp_path):
    value, model = wrapped
    path = put(tmp_path, model)
    with pytest.raises(ValueError, match="my.zip was trained with a VecNormalize, and none lies .*--normaliser FILE"):
        opened(path)
    other = VecNormalize(DummyVecEnv([lambda: gymnasium.make("SlipLeg-v1")]))
    other.save(str(tmp_path / "vecnormalize.pkl"))
    with pytest.raises(ValueError, match=r"vecnormalize.pkl is of observations of shape \(\d+,\), the policy's have"):
        opened(path)
    (tmp_path / "vecnormalize.pkl").write_bytes(pickle.dumps({"mean": 0.0}))
    with pytest.raises(ValueError, match="vecnormalize.pkl is a dict, not a VecNormalize"):
        opened(path)
    value.save(str(tmp_path / "vecnormalize.pkl"))
    normaliser_of(envs_of(), seed=5).save(str(tmp_path / "normaliser.pkl"))
    with pytest.raises(ValueError, match="2 normalisers beside it that fit: .*normaliser.pkl.*vecnormalize.pkl"):
        opened(path)
    assert opened(path, normaliser=str(tmp_path / "vecnormalize.pkl")).used["normaliser"]
    with pytest.raises(ValueError, match="--normaliser: there is no file nothing.pkl"):
        opened(path, normaliser="nothing.pkl")


def test_one_of_other_steps_is_said_to_be_newer_and_is_no_guess(wrapped, tmp_path):
    _, model = wrapped
    newer = normaliser_of(envs_of(), 5000)
    found = opened(put(tmp_path / "named", model, newer))
    assert "is newer than the policy" in found.lines[-1] and "5,000 observations" in found.lines[-1]
    with pytest.raises(ValueError, match="no normaliser beside it by its name; .* newer than the policy"):
        opened(put(tmp_path / "guess", model, newer, ("my.zip", "moments.pkl")))
    normaliser_of(envs_of(), 300).save(str(tmp_path / "named" / "vecnormalize.pkl"))
    assert "is older than the policy" in opened(tmp_path / "named" / "my.zip").lines[-1]


def test_the_one_of_the_policys_steps_goes_before_a_name(wrapped, tmp_path):
    value, model = wrapped
    path = put(tmp_path, model, normaliser_of(envs_of(), 5000, seed=6), ("best_model.zip", "vecnormalize.pkl"))
    value.save(str(tmp_path / "rl_vecnormalize_1000_steps.pkl"))
    (tmp_path / "rl_replay_buffer_1000_steps.pkl").write_bytes(pickle.dumps([1.0]))  # beside it, and no matter
    found = opened(path)
    assert found.used["normaliser"].endswith("rl_vecnormalize_1000_steps.pkl")
    assert "beside and not used: " in found.lines[-1] and "vecnormalize.pkl" in found.lines[-1]


def test_returns_are_those_of_stable_baselines3(tmp_path):
    envs = VecNormalize(envs_of(2), gamma=0.98)
    model = sb3.PPO("MlpPolicy", envs, n_steps=64, seed=0, device="cpu", policy_kwargs={"net_arch": [8]})
    model.learn(256)
    path = put(tmp_path, model, envs)
    alone = VecNormalize.load(str(tmp_path / "vecnormalize.pkl"), envs_of(1))
    alone.training = alone.norm_reward = False
    theirs = []
    for seed in range(6):
        alone.seed(seed)
        theirs += evaluate_policy(model, alone, n_eval_episodes=1, return_episode_rewards=True, warn=False)[0]
    ours = [evaluation.run_episode(str(path), NAME, SHORT, seed).total for seed in range(6)]
    assert ours == pytest.approx(theirs, rel=1e-4) and np.std(ours) > 0
    bare = [evaluation.run_episode(str(path), NAME, SHORT, k, wrappers=Wrappers("none")).total for k in range(6)]
    assert bare != pytest.approx(theirs, rel=1e-4)


def hand_loop(model, envs, seeds, steps):
    """Return the returns of first episodes in a vector environment, by the loop that sb3-contrib documents."""
    observation, _ = envs.reset(seed=seeds)
    state, begins, total = None, np.ones(envs.num_envs, bool), np.zeros(envs.num_envs)
    running = np.ones(envs.num_envs, bool)
    for _ in range(steps):
        action, state = model.predict(observation, state=state, episode_start=begins, deterministic=True)
        observation, reward, terminated, truncated, _ = envs.step(action)
        begins, total = terminated | truncated, total + running * reward
        running &= ~begins
    return total


@pytest.fixture(scope="module")
def recurrent(tmp_path_factory):
    """Return a policy whose LSTM matters, and its path."""
    settings = {"lstm_hidden_size": 16, "net_arch": [8], "ortho_init": False}
    model = contrib.RecurrentPPO("MlpLstmPolicy", envs_of(), seed=4, device="cpu", policy_kwargs=settings)
    import torch

    with torch.no_grad():
        model.policy.action_net.weight *= 5.0
    path = tmp_path_factory.mktemp("recurrent") / "rec.zip"
    model.save(path)
    return model, path


def test_an_lstm_keeps_its_state_as_in_a_hand_loop_to_the_bit(recurrent):
    model, path = recurrent
    ours = [evaluation.run_episode(str(path), NAME, SHORT, seed).total for seed in (0, 1)]
    for seed, total in zip((0, 1), ours, strict=True):
        env = gymnasium.make(NAME, **SHORT)
        (seen, _), state, begins, kept = env.reset(seed=seed), None, np.ones(1, bool), 0.0
        for _ in range(30):
            action, state = model.predict(seen, state=state, episode_start=begins, deterministic=True)
            seen, reward, terminated, truncated, _ = env.step(action)
            kept, begins = kept + float(reward), np.zeros(1, bool)
            if terminated or truncated:
                break
        assert total == kept
    without = [gymnasium.make(NAME, **SHORT) for _ in ours]
    for env, seed, total in zip(without, (0, 1), ours, strict=True):
        seen, dropped = env.reset(seed=seed)[0], 0.0
        for _ in range(30):
            seen, reward, terminated, truncated, _ = env.step(model.predict(seen, deterministic=True)[0])
            dropped += float(reward)
            if terminated or truncated:
                break
        assert dropped != total  # so the state matters


def test_a_certificate_keeps_the_state_of_every_simulation(recurrent):
    model, path = recurrent
    base = Setting("rl", SIMULATOR, {"preset": "rl"})
    period = gymnasium.make(NAME).unwrapped.ctrl_dt
    tracks = replay.play_together(opened(path), [base, base], [0, 1, 2], 30 * period)
    envs = gymnasium.make_vec(NAME, 3, vectorization_mode="vector_entry_point", preset="rl", **SHORT)
    by_hand = hand_loop(model, envs, [0, 1, 2], 30)
    for group in tracks:
        assert [track.total for track in group] == by_hand.tolist()


def test_rows_are_forgotten_alone(recurrent):
    model, path = recurrent
    act = opened(path).make(None, 0)
    rows = np.random.default_rng(0).normal(size=(4, 3, *model.observation_space.shape)).astype(np.float32)
    state, begins = None, np.ones(3, bool)
    for k, seen in enumerate(rows):
        action, state = model.predict(seen, state, begins, True)
        np.testing.assert_array_equal(act(seen), action)
        begins = np.array([False, k == 1, False])
        act.begin(begins)


def test_an_lstm_is_not_exported(recurrent, tmp_path, capsys):
    line = [str(recurrent[1]), "--env", NAME, "--out", str(tmp_path / "no")]
    assert cli.main(["export", *line]) == 2
    assert "is a policy with an LSTM, whose action depends on its state" in capsys.readouterr().err


@pytest.mark.parametrize("order", ["stack", "normalise first", "stack first", "rows"])
def test_stacked_observations_are_those_of_the_wrapper(order, tmp_path):
    seed = 3
    if order == "rows":
        wrapper = gymnasium.wrappers.FrameStackObservation
        envs = DummyVecEnv([lambda: wrapper(gymnasium.make(NAME, **SHORT), 3)])
    elif order == "normalise first":
        envs = VecFrameStack(normaliser_of(envs_of(1)), 3)
    else:
        envs = VecFrameStack(envs_of(1), 3)
    value = envs.venv if order == "normalise first" else None
    if order == "stack first":
        envs = value = normaliser_of(envs)
    model = sb3.PPO("MlpPolicy", envs, seed=0, device="cpu", policy_kwargs={"net_arch": [8], "ortho_init": False})
    path = put(tmp_path, model, value)
    envs.seed(seed)
    seen, total, done = envs.reset(), 0.0, [False]
    while not done[0]:
        seen, reward, done, _ = envs.step(model.predict(seen, deterministic=True)[0])
        total += float(reward[0])
    found = evaluation.run_episode(str(path), NAME, SHORT, seed)
    assert found.total == pytest.approx(total, rel=1e-5)
    assert opened(path).used["stack"] == opened(path, stack=3).used["stack"] == 3
    assert any("the last 3 observations are stacked" in line for line in opened(path).lines)
    with pytest.raises(ValueError, match="that is --stack 3, not 2"):
        opened(path, stack=2)
    if order == "normalise first":
        with pytest.raises(ValueError, match="stacks observations that are normalised already"):
            opened(path).network()
        return
    out = tmp_path / "stack"
    assert cli.main(["export", str(path), "--env", NAME, "--out", str(out)]) == 0
    assert evaluation.run_episode(str(out / "policy.onnx"), NAME, SHORT, seed).total == pytest.approx(total, rel=1e-4)


def test_another_observation_than_a_multiple_names_the_option(tmp_path):
    model = sb3.PPO("MlpPolicy", gymnasium.make("SlipLeg-v1"), device="cpu")
    with pytest.raises(ValueError, match="--stack N is for whole multiples"):
        opened(put(tmp_path, model))


class Spaces(gymnasium.Env):
    """An environment of some spaces."""

    def __init__(self, observation, action):
        self.observation_space, self.action_space = observation, action


BOX, CHOICE = gymnasium.spaces.Box(-1.0, 1.0, (3,)), gymnasium.spaces.Discrete(3)


@pytest.mark.parametrize("name", ["DQN", "QRDQN", "MaskablePPO", "PPO", "A2C"])
def test_discrete_actions_are_refused_for_what_they_are(name, tmp_path):
    kind = getattr(sb3, name, None) or getattr(contrib, name)
    kept = {"buffer_size": 10} if name in algorithms.OFF_POLICY else {}
    path = put(tmp_path, kind("MlpPolicy", Spaces(BOX, CHOICE), device="cpu", **kept))
    with pytest.raises(ValueError, match="acts by a space Discrete .*environments here have a Box"):
        opened(path)


def test_observations_of_several_parts_as_of_her_are_refused(tmp_path):
    parts = gymnasium.spaces.Dict({"observation": BOX, "achieved_goal": BOX, "desired_goal": BOX})
    model = sb3.SAC("MultiInputPolicy", Spaces(parts, BOX), buffer_size=10, device="cpu")
    with pytest.raises(ValueError, match="observes a space Dict .*HER"):
        opened(put(tmp_path, model))


def test_actions_that_a_wrapper_scaled_are_refused(tmp_path):
    env = gymnasium.wrappers.RescaleAction(gymnasium.make(NAME), -2.0, 2.0)
    with pytest.raises(ValueError, match="from -2 to 2, HoppingLeg-v1 takes -1 to 1: it was trained in a wrapper"):
        opened(put(tmp_path, sb3.PPO("MlpPolicy", env, device="cpu")))


@pytest.mark.parametrize("name", ["TRPO", "TQC", "RecurrentPPO"])
def test_what_is_not_installed_is_named(name, wrapped, tmp_path, monkeypatch):
    path = put(tmp_path, model_of(name, envs_of(), wrapped=False))
    find = algorithms.importlib.util.find_spec
    monkeypatch.setattr(
        algorithms.importlib.util, "find_spec", lambda module: None if module == "sb3_contrib" else find(module)
    )
    with pytest.raises(ValueError, match=rf"with {name} of sb3-contrib, which is not installed: .*pip install .*rl"):
        opened(path)


def test_a_class_of_ones_own_is_loaded_where_its_module_is_and_named_where_not(tmp_path, monkeypatch):
    (tmp_path / "mynets.py").write_text(
        "from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy\n"
        "class Mine(RecurrentActorCriticPolicy):\n    pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import mynets

    path = put(tmp_path, contrib.RecurrentPPO(mynets.Mine, envs_of(), device="cpu"))
    assert opened(path).used["algorithm"] == "RecurrentPPO"
    monkeypatch.undo()
    del sys.modules["mynets"]
    with pytest.raises(ValueError, match="needs mynets.Mine, which cannot be imported here; install mynets, or put"):
        opened(path)


def test_what_was_used_stands_in_every_result(wrapped, tmp_path, capsys):
    value, model = wrapped
    path = put(tmp_path, model, value)
    line = [str(path), "--env", NAME, "--option", "max_episode_steps=5", "--force", "--out"]
    assert cli.main(["evaluate", *line, str(tmp_path / "e"), "--seeds", "1"]) == 0
    out = capsys.readouterr().out
    assert "algorithm: PPO" in out and f"normaliser: {tmp_path / 'vecnormalize.pkl'} (by its name)" in out
    stored = json.loads((tmp_path / "e" / "result.json").read_text())["result"]
    assert stored["used"] == {"algorithm": "PPO", "normaliser": str(tmp_path / "vecnormalize.pkl"), "stack": 1}
    assert cli.main(["export", *line, str(tmp_path / "o")]) == 0
    assert loading.load(str(tmp_path / "o" / "policy.onnx"), None, {}).used == stored["used"]
    assert cli.main(["evaluate", str(tmp_path / "o" / "policy.onnx"), "--normaliser", "none"]) == 2
    assert "--normaliser is for a .zip" in capsys.readouterr().err


@pytest.fixture
def without_exact(monkeypatch):
    """Leave the exact engine out of certificates: it compiles for a minute."""
    fan = settings.fan
    monkeypatch.setattr(settings, "fan", lambda config: fan(config, exact=False))


def test_a_certificate_begins_at_any_seed_and_says_what_was_used(wrapped, tmp_path, without_exact):
    value, model = wrapped
    path = put(tmp_path, model, value)
    made = tarsus.certify(str(path), NAME, {"max_episode_steps": 5}, seeds=1, seconds=0.1, first_seed=7, jobs=1)
    assert made.certificate.seeds == (7,) and made.certificate.rows[0].episodes[0].seed == 7
    kept = certificate.Certificate.from_json(made.certificate.as_json())
    assert kept == made.certificate and kept.used["normaliser"].endswith("vecnormalize.pkl")
    assert "normaliser: " in str(made) and "seeds 7;" in str(made)


def test_a_window_that_was_stored_is_left_out_and_one_that_is_asked_for_refused(
    wrapped, tmp_path, monkeypatch, capsys, without_exact
):
    monkeypatch.delenv("DISPLAY", raising=False), monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    value, model = wrapped
    path = put(tmp_path, model, value, ("model.zip", "normaliser.pkl"))
    about = {"environment": NAME, "options": SHORT | {"render_mode": "human"}}
    (tmp_path / "run.json").write_text(json.dumps(about))
    loaded = loading.load(str(path), None, {})
    assert loaded.options == SHORT and "render_mode='human', stored with it, is left out" in loaded.lines[-1]
    assert cli.main(["evaluate", str(path), "--seeds", "1", "--out", str(tmp_path / "e")]) == 0
    assert cli.main(["export", str(path), "--out", str(tmp_path / "o")]) == 0
    made = tarsus.certify(str(path), seeds=1, seconds=0.1, jobs=1)
    assert "is left out" in str(made)
    capsys.readouterr()
    for verb in ("evaluate", "certify", "export"):
        assert cli.main([verb, str(path), "--option", "render_mode=human"]) == 2
        assert "--option render_mode changes nothing of what a policy does" in capsys.readouterr().err


def test_nothing_of_a_pickle_is_run_to_learn_its_class(tmp_path):
    class Trap:
        def __reduce__(self):
            return exec, ("raise SystemExit",)

    (tmp_path / "vec.pkl").write_bytes(pickle.dumps(Trap()))
    assert not normalisers._is_normaliser(tmp_path / "vec.pkl")
    assert algorithms.named_classes(pickle.dumps(Trap())) == [("builtins", "exec")]
    assert algorithms.named_classes(pickle.dumps(VecNormalize, 2)) == [(VecNormalize.__module__, "VecNormalize")]
    assert algorithms.named_classes(b"no pickle") == []
