"""A training that begins with a trained policy."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from tarsus.scripts.library.learning import checkpoint, policies, starting, training
from tarsus.scripts.library.learning.training_runs import PPO, TrainingRun

POLICY = "hopping-leg-leaning-1"
SETTINGS = PPO | dict(n_steps=4, batch_size=8, n_epochs=1)
LEG = {"action_mode": "torque", "scaled": False}
RUN = TrainingRun("HoppingLeg-v1", LEG, settings=SETTINGS, num_envs=2, total_steps=8, start=POLICY)


def arrays(model, normaliser):
    return checkpoint.policy_arrays(model, normaliser)


def test_a_training_begins_with_the_actor_and_the_moments_of_a_policy(tmp_path):
    model, normaliser = training.build(RUN, 0, tmp_path, False, 1)
    found, known = arrays(model, normaliser), policies.TrainedPolicy(policies.SHIPPED / POLICY)
    np.testing.assert_allclose(found["mean"], known.mean)
    np.testing.assert_allclose(found["scale"], known.scale)
    for k, (weight, bias) in enumerate(known.layers):
        np.testing.assert_array_equal(found[f"weight_{k}"], weight)
        np.testing.assert_array_equal(found[f"bias_{k}"], bias)


@pytest.mark.parametrize(("total", "learns"), [(1000, False), (8, True)])
def test_the_critic_learns_alone_at_first(tmp_path, total, learns):
    model, normaliser = training.build(RUN, 0, tmp_path, False, 1)
    before = arrays(model, normaliser)["weight_0"].copy()
    value = model.policy.value_net.weight.detach().numpy().copy()
    model.learn(8, callback=[starting.warming(replace(RUN, total_steps=total))])
    assert (arrays(model, normaliser)["weight_0"] != before).any() == learns
    assert (model.policy.value_net.weight.detach().numpy() != value).any()


def test_what_actions_and_observations_mean_is_adopted_from_the_policy(tmp_path):
    stored = dict(np.load(policies.SHIPPED / "hexapod-gait-0" / "policy.npz"))
    about = json.loads(str(stored.pop("about")))
    about["options"]["observations"] = ["height", "gravity"]
    np.savez(tmp_path / "policy.npz", about=json.dumps(about), **stored)
    asked = TrainingRun("Hexapod-v0", {"engine": "exact"}, start=str(tmp_path))
    run = starting.adopted(asked)
    assert run.options["action_mode"] == "gait" and run.options["engine"] == "exact"
    assert run.options["observations"] == ["height", "gravity"] and starting.policy_of(run) is not None
    assert starting.adopted(replace(asked, start="")) == replace(asked, start="")


def test_a_policy_that_sees_observations_as_they_are_is_begun_with_too(tmp_path):
    run = replace(RUN, options={}, start="hopping-leg-0", normalise=False)
    model, normaliser = training.build(run, 0, tmp_path, False, 1)
    found, known = arrays(model, normaliser), policies.TrainedPolicy(policies.SHIPPED / "hopping-leg-0")
    np.testing.assert_array_equal(found["weight_1"], known.layers[1][0])
    assert not known.mean.any() and (found["scale"] == 1.0).all()
    with pytest.raises(ValueError, match="are not normalised, those of this run normalised"):
        starting.policy_of(replace(run, normalise=True))


REFUSED = {
    "there is no trained policy 'walk'": replace(RUN, start="walk"),
    "only PPO can begin": replace(RUN, algorithm="SAC"),
    "are normalised, those of this run not normalised": replace(RUN, normalise=False),
    "environment was 'HoppingLeg-v1'": replace(RUN, environment="SlipLeg-v1"),
    "action_mode was 'gait'": TrainingRun("Hexapod-v0", start="hexapod-gait-0"),
}


@pytest.mark.parametrize("said", REFUSED)
def test_a_policy_of_another_kind_is_refused(said):
    with pytest.raises(ValueError, match=said):
        starting.policy_of(REFUSED[said])


def test_layers_of_other_sizes_are_refused(tmp_path):
    run = replace(RUN, settings=SETTINGS | {"policy_kwargs": dict(net_arch=[8])})
    with pytest.raises(ValueError, match=r"the policy has tanh layers of \[\(64, "):
        training.build(run, 0, tmp_path, False, 1)
