"""A policy exported as ONNX does in onnxruntime what policy.npz does in NumPy."""

import json

import numpy as np
import onnxruntime
import pytest

from tarsus.scripts.command.verbs import export
from tarsus.scripts.library.learning import onnx_policy, policies
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
    policy, rng = export.trained(name), np.random.default_rng(0)
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
    path = tmp_path / "walk.onnx"
    assert export.main(["hexapod-gait", "--out", str(path)]) == 0
    assert "Hexapod-v0" in capsys.readouterr().out
    props = onnxruntime.InferenceSession(path).get_modelmeta().custom_metadata_map
    assert json.loads(props["tarsus"])["options"]["action_mode"] == "gait"
    before = path.read_bytes()
    assert export.main(["hexapod-gait-1", "--out", str(path)]) == 2 and path.read_bytes() == before
    assert export.main(["hexapod-gait-1", "--out", str(path), "--force"]) == 0 and path.read_bytes() != before


def test_what_is_no_trained_policy_is_refused(tmp_path, capsys):
    assert export.main(["clock", "--out", str(tmp_path / "clock.onnx")]) == 2
    assert "'clock' is no trained policy; there are bigant-0," in capsys.readouterr().err
