"""A training that begins with a trained policy: its actor and what it knows of observations; the critic is new.

So a policy of one simulation is trained further in another. A new critic says nothing yet, and an actor that learned
from it would lose what it can: for the first `WARM_UP` of the steps the critic learns alone.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from tarsus.scripts.library.learning import policies, robot_files
from tarsus.scripts.library.learning.checkpoint import actor_of
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy
from tarsus.scripts.library.learning.training_runs import TrainingRun

WARM_UP = 0.1  # share of a run's steps
SEEN = 100_000  # observations that the normaliser's moments count as


def adopted(run: TrainingRun) -> TrainingRun:
    """Return a run with the options of the policy it begins with that say what actions and observations mean."""
    if not run.start:
        return run
    known = TrainedPolicy(path_of(run.start)).about["options"]
    return replace(run, options={name: known[name] for name in policies.SHAPING if name in known} | dict(run.options))


def path_of(name: str) -> Path:
    """Return the path of a trained policy; ValueError if there is none of that name."""
    path = policies.checkpoint_of(name)
    if path is None:
        said = "it is made by hand" if policies.is_hand_made(name) else policies.unknown(name)
        raise ValueError(f"there is no trained policy {name!r} to begin with: {said}")
    return path


def policy_of(run: TrainingRun) -> TrainedPolicy | None:
    """Return the policy that a run begins with, or None; ValueError if it is of another environment, or actions."""
    if not run.start:
        return None
    if run.algorithm != "PPO":
        raise ValueError(f"only PPO can begin with a trained policy, not {run.algorithm}")
    found = TrainedPolicy(path_of(run.start))
    if normalises(found) != run.normalise:
        what = {True: "normalised", False: "not normalised"}
        raise ValueError(
            f"observations of {run.start} are {what[normalises(found)]}, those of this run {what[run.normalise]}"
        )
    named = {name: run.options.get(name, "the default") for name in policies.SHAPING}
    known = {"options": {name: found.about["options"].get(name, "the default") for name in policies.SHAPING}}
    known |= {"environment": robot_files.called(found.about["environment"])}
    policies.refuse(run.start, known, run.environment, named)
    file, robot = robot_files.file_of(run.environment), found.about.get("robot")
    if file and robot and robot.get("sha256") != file.digest:
        robot_files.say_changed(file.path)
    return found


def normalises(policy: TrainedPolicy) -> bool:
    """Return whether a policy sees observations less a mean and divided by a scale."""
    return bool(np.any(policy.mean) or np.any(policy.scale != 1.0))


def begin_with(policy: TrainedPolicy, model, normaliser) -> None:
    """Copy a policy's actor into a new PPO, its moments into a `VecNormalize`; ValueError if its layers are others."""
    import torch

    layers, activation, _ = actor_of(model)
    own = [tuple(layer.weight.shape) for layer in layers]
    sizes = [weight.shape for weight, _ in policy.layers]
    if (own, activation) != (sizes, policy.activation):
        raise ValueError(f"the policy has {policy.activation} layers of {sizes}, the run {activation} layers of {own}")
    with torch.no_grad():
        for layer, (weight, bias) in zip(layers, policy.layers, strict=True):
            layer.weight.copy_(torch.as_tensor(weight)), layer.bias.copy_(torch.as_tensor(bias))
    if normaliser.norm_obs:
        moments = normaliser.obs_rms
        moments.mean, moments.var = np.array(policy.mean, float), np.square(policy.scale) - normaliser.epsilon
        moments.count = SEEN


def warming(run: TrainingRun):
    """Return the callback that lets only the critic learn at first."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Warming(BaseCallback):
        """Hold the actor still for the first `WARM_UP` of the steps."""

        def _on_rollout_end(self) -> None:
            own = self.model.policy
            learns = self.num_timesteps > WARM_UP * run.total_steps
            for part in (own.mlp_extractor.policy_net, own.action_net):
                part.requires_grad_(learns)
            own.log_std.requires_grad_(learns)

        def _on_step(self) -> bool:
            return True

    return Warming()
