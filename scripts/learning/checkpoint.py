"""A checkpoint: a folder with a trained model, its normalisation, the settings it was made with, and its policy alone.

run.json      settings, seed, steps so far, versions
model.zip     Stable-Baselines3's model, to go on training
normaliser.pkl
policy.npz    weights and normalisation as plain arrays: all that replaying needs, without torch
"""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.scripts import report
from tarsus.scripts.learning.training_runs import Run, as_dict, differences

PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "torch", "stable-baselines3")
KEPT = ("environment", "options", "algorithm", "settings", "num_envs")  # what a resumed training must not change


def save(folder: Path, run: Run, seed: int, model, normaliser) -> None:
    """Write a checkpoint.

    Args:
        folder: Where.
        run: The settings.
        seed: Of the training.
        model: Stable-Baselines3's model.
        normaliser: Its `VecNormalize`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model.save(folder / "model.zip")
    normaliser.save(str(folder / "normaliser.pkl"))
    about = as_dict(run) | {"seed": seed, "steps": int(model.num_timesteps), "versions": report.versions(*PACKAGES)}
    (folder / "run.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
    np.savez(folder / "policy.npz", about=json.dumps(about), **policy_arrays(model, normaliser))


def policy_arrays(model, normaliser) -> dict[str, np.ndarray]:
    """Return the deterministic policy as arrays: mean and scale of the observation, weights and biases in order."""
    import torch

    actor = model.policy
    if hasattr(actor, "mlp_extractor"):
        layers, activation, squash = [*actor.mlp_extractor.policy_net, actor.action_net], "tanh", False
    else:
        layers, activation, squash = [*actor.actor.latent_pi, actor.actor.mu], "relu", True
    linear = [layer for layer in layers if isinstance(layer, torch.nn.Linear)]
    arrays = {
        "mean": normaliser.obs_rms.mean,
        "scale": np.sqrt(normaliser.obs_rms.var + normaliser.epsilon),
        "clip": normaliser.clip_obs,
        "activation": activation,
        "squash": squash,
    }
    for k, layer in enumerate(linear):
        arrays[f"weight_{k}"] = layer.weight.detach().numpy()
        arrays[f"bias_{k}"] = layer.bias.detach().numpy()
    return {name: np.asarray(value) for name, value in arrays.items()}


def settings(folder: Path) -> dict[str, Any]:
    """Return what a checkpoint was made with.

    Raises:
        FileNotFoundError: If there is no checkpoint in the folder.
        ValueError: If its settings cannot be read.
    """
    path = folder / "run.json"
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint in {folder}: it has no run.json")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} does not hold the settings of a checkpoint: {error}") from error


def check(folder: Path, run: Run) -> dict[str, Any]:
    """Return a checkpoint's settings if training can go on with those of `run`.

    Raises:
        ValueError: If they differ; the differences are listed.
    """
    made, asked = settings(folder), as_dict(run)
    found = differences({name: made[name] for name in KEPT}, {name: asked[name] for name in KEPT})
    if found:
        raise ValueError(f"the checkpoint in {folder} was made for other settings: " + "; ".join(found))
    return made


class TrainedPolicy:
    """A trained policy without torch: `policy(observation, info)` returns its deterministic action.

    Args:
        path: A checkpoint, or its policy.npz.

    Attributes:
        about: What it was made with.

    Raises:
        FileNotFoundError: If there is none.
        ValueError: If what is there is no trained policy.
    """

    def __init__(self, path: Path | str):
        path = Path(path)
        path = path / "policy.npz" if path.is_dir() else path
        if not path.exists():
            raise FileNotFoundError(f"there is no policy at {path}")
        try:
            with np.load(path) as stored:
                self._arrays = {name: stored[name] for name in stored.files}
            self.about = json.loads(str(self._arrays.pop("about")))
            n_layers = sum(name.startswith("weight_") for name in self._arrays)
            self._layers = [(self._arrays[f"weight_{k}"], self._arrays[f"bias_{k}"]) for k in range(n_layers)]
            lacking = {"mean", "scale", "clip", "activation", "squash"} - self._arrays.keys()
            lacking |= {"environment", "options"} - self.about.keys()
        except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"{path} is not a trained policy: {error}") from error
        if lacking or not n_layers:
            raise ValueError(f"{path} is not a trained policy: it lacks {', '.join(sorted(lacking)) or 'layers'}")

    def __call__(self, observation: np.ndarray, info: Any = None) -> np.ndarray:
        """Return the action, within [-1, 1], for observations of shape (..., n)."""
        arrays = self._arrays
        x = np.clip((observation - arrays["mean"]) / arrays["scale"], -arrays["clip"], arrays["clip"])
        for k, (weight, bias) in enumerate(self._layers):
            x = x @ weight.T + bias
            if k < len(self._layers) - 1:
                x = np.tanh(x) if arrays["activation"] == "tanh" else np.maximum(x, 0.0)
        return (np.tanh(x) if arrays["squash"] else np.clip(x, -1.0, 1.0)).astype(np.float32)
