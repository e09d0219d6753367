"""A policy exported as ONNX does in onnxruntime what policy.npz does in NumPy."""

import json

import numpy as np
import onnxruntime
import pytest

from tarsus.scripts.command.verbs import export
from tarsus.scripts.library.learning import checkpoint, loading, onnx_policy, policies
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy


def actions_of(model: bytes, observations: np.ndarray) -> np.ndarray:
    """Return what onnxruntime makes of observations (batch, n)."""
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(["action"], {"observation": observations.astype(np.float32)})[0]


def observations_of(policy: TrainedPolicy, rng: np.random.Generator, n: int = 200) -> np.ndarray:
    """Return observations (n, size) about those it was trained on, a few of them far away."""
    spread = rng.choice([1.0, 3.0, 30.0], (n, 1))
    return (policy.mean + policy.scale * spread * rng.standard_normal((n, policy.mean.size))).astype(np.float32)


@pytest.mark.parametrize("name", [name for name in policies.shipped() if name.endswith("-0")])
def test_every_shipped_policy_acts_the_same(name):
    policy, rng = loading.load(name, None, {}).network(), np.random.default_rng(0)
    observations = observations_of(policy, rng)
    actions = actions_of(onnx_policy.build(policy).SerializeToString(), observations)
    np.testing.assert_allclose(actions, policy(observations), atol=1e-4)
    assert 0.01 < np.std(actions) and np.abs(actions).max() <= 1.0


@pytest.mark.parametrize(("activation", "squash"), [("tanh", False), ("relu", True)])
def test_both_kinds_of_network_are_written(tmp_path, activation, squash):
    sizes, rng = (5, 8, 3), np.random.default_rng(1)
    layers = {f"weight_{k}": rng.standard_normal((sizes[k + 1], sizes[k])) for k in range(2)}
    layers |= {f"bias_{k}": rng.standard_normal(sizes[k + 1]) for k in range(2)}
    about = json.dumps({"environment": "Some-v0", "options": {}})
    settings = dict(mean=rng.standard_normal(5), scale=rng.uniform(0.5, 2.0, 5), clip=2.0, about=about)
    np.savez(tmp_path / "policy.npz", activation=activation, squash=squash, **settings, **layers)
    policy = TrainedPolicy(tmp_path)
    observations = observations_of(policy, rng)
    actions = actions_of(onnx_policy.build(policy).SerializeToString(), observations)
    np.testing.assert_allclose(actions, policy(observations), atol=1e-5)


def test_the_command_writes_a_file_that_knows_its_environment(tmp_path, capsys):
    path = tmp_path / "policy.onnx"
    assert export.main(["hexapod-gait", "--out", str(tmp_path)]) == 0
    assert "Hexapod-v0" in capsys.readouterr().out
    props = onnxruntime.InferenceSession(path).get_modelmeta().custom_metadata_map
    assert json.loads(props["tarsus"])["options"]["action_mode"] == "gait"
    before = path.read_bytes()
    assert export.main(["hexapod-gait-1", "--out", str(tmp_path)]) == 2 and path.read_bytes() == before
    assert export.main(["hexapod-gait-1", "--out", str(tmp_path), "--force"]) == 0 and path.read_bytes() != before


def test_what_is_no_trained_policy_is_refused(tmp_path, capsys):
    assert export.main(["clock", "--out", str(tmp_path / "clock")]) == 2
    assert "'clock' is no trained policy; `tarsus export` alone lists those" in capsys.readouterr().err


@pytest.fixture(scope="module")
def zipped(tmp_path_factory):
    """Return a .zip of Stable-Baselines3 with its normaliser beside it, and the model and the normaliser."""
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    import gymnasium
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    path = tmp_path_factory.mktemp("zip") / "mine.zip"
    envs = VecNormalize(DummyVecEnv([lambda: gymnasium.make("HoppingLeg-v1", max_episode_steps=20)]))
    model = stable_baselines3.PPO("MlpPolicy", envs, n_steps=32, batch_size=32, seed=0, device="cpu")
    model.learn(64)
    model.save(path)
    envs.save(str(path.with_name("vecnormalize.pkl")))
    return path, model, envs


def test_a_zip_is_exported_with_its_normaliser(zipped, tmp_path):
    path, model, envs = zipped
    out, rng = tmp_path / "policy.onnx", np.random.default_rng(0)
    assert export.main([str(path), "--env", "HoppingLeg-v1", "--out", str(tmp_path)]) == 0
    observations = rng.standard_normal((50, *model.observation_space.shape)).astype(np.float32)
    expected = model.predict(envs.normalize_obs(observations), deterministic=True)[0]
    np.testing.assert_allclose(actions_of(out.read_bytes(), observations), expected, atol=1e-5)
    opened = loading.load(str(out), None, {})
    assert opened.environment == "HoppingLeg-v1"  # the file knows


def test_an_onnx_learns_what_it_was_made_for_and_keeps_its_numbers(zipped, tmp_path):
    onnx = pytest.importorskip("onnx")
    path, _, _ = zipped
    bare, out = tmp_path / "bare.onnx", tmp_path / "policy.onnx"
    model = onnx_policy.build(loading.load(str(path), "HoppingLeg-v1", {}).network())
    del model.metadata_props[:]
    bare.write_bytes(model.SerializeToString())
    line = [str(bare), "--env", "HoppingLeg-v1", "--option", "terrain=flat", "--out", str(tmp_path)]
    assert export.main(line) == 0
    assert loading.load(str(out), None, {}).options == {"terrain": "flat"}
    assert onnx.load(out).graph == model.graph


def shipped(env):
    """Return a policy that a function may give: one that is a network."""
    return TrainedPolicy(policies.SHIPPED / "hexapod-0")


def test_a_function_that_makes_a_network_is_exported_and_another_is_refused(tmp_path, capsys):
    here, out = "tarsus.tests.scripts.command.verbs.test_export", tmp_path / "policy.onnx"
    assert export.main([f"{here}:shipped", "--option", "terrain=flat", "--out", str(tmp_path)]) == 0
    given = loading.load(str(out), None, {})
    assert (given.environment, given.options) == ("Hexapod-v0", {"terrain": "flat"})
    assert export.main(["tarsus.tests.scripts.command.verbs.test_certify:walk", "--out", str(tmp_path / "no")]) == 2
    assert "and MODULE:FUNCTION(env) that returns a TrainedPolicy" in capsys.readouterr().err


def test_another_network_is_refused_in_a_sentence(zipped):
    torch = pytest.importorskip("torch")
    path, _, _ = zipped
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    model = stable_baselines3.PPO.load(path, device="cpu", policy_kwargs={})
    model.policy.mlp_extractor.policy_net[1] = torch.nn.ELU()
    with pytest.raises(ValueError, match="linear layers with tanh, or with relu, between them"):
        checkpoint.policy_arrays(model, None)


@pytest.mark.parametrize("name", ["SAC", "TD3", "A2C"])
def test_the_networks_of_other_algorithms_act_as_they_do(name):
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    import gymnasium

    model = getattr(stable_baselines3, name)("MlpPolicy", gymnasium.make("HoppingLeg-v1"), seed=0, device="cpu")
    about = json.dumps({"environment": "HoppingLeg-v1", "options": {}})
    policy = TrainedPolicy.of(checkpoint.policy_arrays(model, None) | {"about": np.array(about)})
    observations = np.random.default_rng(0).standard_normal((20, *model.observation_space.shape)).astype(np.float32)
    np.testing.assert_allclose(policy(observations), model.predict(observations, deterministic=True)[0], atol=1e-5)
    assert (policy.noise is None) == (name != "A2C")
