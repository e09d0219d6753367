"""A checkpoint: a folder with a trained model, its normalisation, the settings it was made with, and its policy alone.

run.json      settings, seed, steps so far, versions
model.zip     Stable-Baselines3's model, to go on training
normaliser.pkl
policy.npz    weights and normalisation as plain arrays: all that replaying needs, without torch

A checkpoint is there whole or not at all. `NAME-previous` is the one that a checkpoint replaced: what to go on from if
a process was killed between the two moves, or a disk damaged the newer one.
"""

import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.analytic import saving
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.learning import robot_files
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy, about_of
from tarsus.scripts.library.learning.training_runs import TrainingRun, as_dict, differences

PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "torch", "stable-baselines3")
# What a resumed training must not change.
KEPT = ("environment", "options", "algorithm", "settings", "num_envs", "normalise")


def save(folder: Path, run: TrainingRun, seed: int, model, normaliser, **more: float) -> None:
    """Write a checkpoint of a model and its `VecNormalize`; the one before is kept, after an OSError as well."""
    about = as_dict(run) | {"seed": seed, "steps": int(model.num_timesteps), "versions": stamp.versions(*PACKAGES)}
    about |= more | robot_files.to_store(run.environment, folder)
    packed = io.BytesIO()  # torch has other errors than OSError for a full disk
    model.save(packed)
    with saving.writing_folder(folder, previous(folder)) as part:
        (part / "model.zip").write_bytes(packed.getvalue())
        normaliser.save(str(part / "normaliser.pkl"))
        (part / "run.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
        np.savez(part / "policy.npz", about=json.dumps(about), **policy_arrays(model, normaliser))


def previous(folder: Path) -> Path:
    """Return the path of a checkpoint's predecessor."""
    return folder.with_name(f"{folder.name}-previous")


def newest(folder: Path) -> Path:
    """Return the checkpoint of that name, or its predecessor if a process was killed between the two moves."""
    return previous(folder) if previous(folder).exists() and not folder.exists() else folder


def whole(folder: Path) -> Path:
    """Return the newest whole checkpoint of that name: itself, or its predecessor; or FileNotFoundError."""
    found = {path: damage(path) for path in (folder, previous(folder)) if path.exists()}
    for path, problem in found.items():
        if not problem:
            return path
    if found:
        raise FileNotFoundError("; ".join(f"the checkpoint {path} is damaged: {why}" for path, why in found.items()))
    raise FileNotFoundError(f"there is no checkpoint in {folder}")


def damage(folder: Path) -> str:
    """Return the damage of a checkpoint's files, in words; empty if they are whole and belong together."""
    try:
        steps = settings(folder)["steps"]
        TrainedPolicy(folder)
        with zipfile.ZipFile(folder / "model.zip") as archive:
            if archive.testzip():
                return "model.zip has lost data"
            trained = json.loads(archive.read("data"))["num_timesteps"]
        pickle.loads((folder / "normaliser.pkl").read_bytes())
    except Exception as error:  # broken pickles raise nearly anything
        return f"{type(error).__name__}: {error}"
    return "" if trained == steps else f"model.zip is of step {trained}, run.json of step {steps}"


def actor_of(model) -> tuple[list, str, bool]:
    """Return an actor's linear layers, their activation, and whether tanh squashes its actions; or ValueError."""
    from stable_baselines3.common.torch_layers import FlattenExtractor
    from torch import nn

    policy, names = model.policy, {nn.Tanh: "tanh", nn.ReLU: "relu"}
    if not hasattr(policy, "actor") and not hasattr(policy, "mlp_extractor"):  # of ARS
        squash = isinstance(policy.action_net[-1], nn.Tanh)
        actor, parts = policy, [*policy.action_net][: -1 if squash else None]
    elif hasattr(policy, "mlp_extractor"):
        actor, parts, squash = policy, [*policy.mlp_extractor.policy_net, policy.action_net], policy.squash_output
    elif hasattr(policy.actor, "latent_pi"):
        actor, parts, squash = policy.actor, [*policy.actor.latent_pi, policy.actor.mu], True
    else:
        actor, parts, squash = policy.actor, [*policy.actor.mu][:-1], True  # the last one is tanh
    parts = _folded(parts)
    between = {type(part) for part in parts[1::2]}
    plain = all(isinstance(part, nn.Linear) for part in parts[::2]) and len(between) <= 1 and between <= names.keys()
    if not (plain and isinstance(actor.features_extractor, FlattenExtractor)):
        raise ValueError("its actor is not made of linear layers with tanh, or with relu, between them")
    return parts[::2], names[between.pop()] if between else "tanh", bool(squash)


def _folded(parts: list) -> list:
    """Return layers without batch normalisation, as CrossQ has it: each is part of the linear layer behind it."""
    import torch
    from torch import nn

    found: list = []
    for part in parts:
        before = found[-1] if found else None
        if isinstance(part, nn.Linear) and type(before).__name__ == "BatchRenorm1d":
            scale = before.scale / torch.sqrt(before.ra_var + before.eps)
            shift = before.bias - before.ra_mean * scale
            folded = nn.Linear(part.in_features, part.out_features)
            with torch.no_grad():
                folded.weight.copy_(part.weight * scale), folded.bias.copy_(part.bias + part.weight @ shift)
            found[-1] = folded
        else:
            found.append(part)
    return found


def policy_arrays(model, normaliser) -> dict[str, np.ndarray]:
    """Return a policy as arrays: mean and scale of the observation, weights and biases in order, noise of the actions.

    ValueError if its actor is another network.
    """
    linear, activation, squash = actor_of(model)
    arrays = {
        "activation": activation,
        "squash": squash,
    }
    if hasattr(model.policy, "log_std") and not model.use_sde:  # else it depends on what is observed
        arrays["noise"] = model.policy.log_std.exp().detach().numpy()
    if normaliser and normaliser.norm_obs:
        moments = normaliser.obs_rms
        arrays |= {
            "mean": moments.mean,
            "scale": np.sqrt(moments.var + normaliser.epsilon),
            "clip": normaliser.clip_obs,
        }
    else:
        size = model.observation_space.shape
        arrays |= {"mean": np.zeros(size), "scale": np.ones(size), "clip": np.inf}
    for k, layer in enumerate(linear):
        arrays[f"weight_{k}"] = layer.weight.detach().numpy()
        arrays[f"bias_{k}"] = np.zeros(layer.out_features) if layer.bias is None else layer.bias.detach().numpy()
    return {name: np.asarray(value) for name, value in arrays.items()}


def settings(folder: Path) -> dict[str, Any]:
    """Return a checkpoint's settings; FileNotFoundError if there is none, ValueError if they cannot be read."""
    path = folder / "run.json"
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint in {folder}: it has no run.json")
    try:
        return about_of(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} does not hold the settings of a checkpoint: {error}") from error


def check(folder: Path, run: TrainingRun) -> dict[str, Any]:
    """Return a checkpoint's settings if training can go on with those of `run`; ValueError lists the differences."""
    made, asked = settings(folder), as_dict(run)
    file = robot_files.file_of(run.environment)
    made |= {"environment": robot_files.called(made["environment"])}
    found = differences({"normalise": True} | {n: made[n] for n in KEPT if n in made}, {n: asked[n] for n in KEPT})
    if file and file.digest != made.get("robot", {}).get("sha256", file.digest):
        found.append(f"a file of the robot {file.path.name} has changed since")
    if found:
        raise ValueError(f"the checkpoint in {folder} was made for other settings: " + "; ".join(found))
    return made
