"""Any policy, made ready to act: a name, a checkpoint, Stable-Baselines3's .zip, an .onnx, or MODULE:FUNCTION.

A function is called as `function(observation, info)` and returns an action. A class, or a function whose
first parameter is called `env`, is a factory: it is called once for every episode, with the environment, and returns
such a function.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import pickle
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from tarsus.envs import SURROGATES
from tarsus.scripts.library.learning import checkpoint, environments, playing, policies
from tarsus.scripts.library.learning.policies import PolicyFunction
from tarsus.scripts.library.learning.trained_policy import about_of

NORMALISERS = ("normaliser.pkl", "vecnormalize.pkl", "vec_normalize.pkl")  # beside a .zip
# What of an algorithm's settings no other has, in Stable-Baselines3's .zip.
ALGORITHMS = {"clip_range": "PPO", "target_entropy": "SAC", "target_policy_noise": "TD3", "use_rms_prop": "A2C"}


@dataclass(frozen=True)
class Candidate:
    """A policy with its environment.

    Attributes:
        name: As on the command line.
        environment: Its name.
        options: Of the environment.
        make: The policy, from the environment and an episode's seed.
        batched: Whether one policy acts for rows of observations.
        stacked: Whether it acts for stacks of such rows too, each as if alone.
    """

    name: str
    environment: str
    options: Mapping[str, Any]
    make: Callable[[gymnasium.Env, int], PolicyFunction]
    batched: bool = False
    stacked: bool = False


def load(policy: str, environment: str | None, options: Mapping[str, Any]) -> Candidate:
    """Return a policy with its environment.

    Raises:
        ValueError: If there is no such policy or environment, or they do not go together; the sentence says why.
        OSError: If a file cannot be read.
    """
    path = Path(policy)
    if path.suffix in (".zip", ".onnx"):
        if not path.is_file():
            raise ValueError(f"there is no file {policy}")
        return _from_file(path, environment, options)
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", policy):
        return Candidate(policy, _environment(environment, {}), dict(options), _function(policy))
    found, name, needed = policies.find(policy, environment, options)
    trained = policies.checkpoint_of(policy) is not None
    return Candidate(policy, name, needed, found.make, batched=trained, stacked=trained)


def _from_file(path: Path, environment: str | None, options: Mapping[str, Any]) -> Candidate:
    """Return the policy of a .zip or .onnx; what is said of it is checked before it is loaded."""
    about, loaded = (_zipped if path.suffix == ".zip" else _onnx)(path)
    name = _environment(environment, about)
    made = about | {"environment": name} if about else {"options": dict(options)}
    policies.refuse(str(path), made, environment and name, options)
    act = loaded()
    return Candidate(str(path), name, made["options"] | dict(options), lambda env, seed: act, batched=True)


def _environment(asked: str | None, about: Mapping[str, Any]) -> str:
    asked = asked and environments.asked_for(asked)
    return environments.stored(about["environment"], asked) if about else asked or "Hexapod-v0"


def _zipped(path: Path) -> tuple[dict[str, Any], Callable[[], PolicyFunction]]:
    """Return what Stable-Baselines3's .zip was trained with, if it lies in a checkpoint, and what loads its policy.

    Loading unpickles settings and normaliser, which can run any code. What can be read without that is read first.
    """
    if importlib.util.find_spec("stable_baselines3") is None:
        raise ValueError("a .zip needs Stable-Baselines3: pip install 'tarsus[rl]'")
    import torch

    about = checkpoint.settings(path.parent) if (path.parent / "run.json").exists() else {}
    try:
        with zipfile.ZipFile(path) as archive:
            stored = json.loads(archive.read("data"))
            for name in archive.namelist():
                with archive.open(name) as file:
                    torch.load(file, weights_only=True) if name.endswith(".pth") else file.read()
        algorithm = next(name for setting, name in ALGORITHMS.items() if setting in stored)
    except Exception as error:  # broken archives raise nearly anything
        raise _no_policy(path, error) from error
    return about, partial(_unpickled, path, algorithm)


def _unpickled(path: Path, algorithm: str) -> PolicyFunction:
    import stable_baselines3

    try:
        model = getattr(stable_baselines3, algorithm).load(path, device="cpu")
        beside = next((path.parent / name for name in NORMALISERS if (path.parent / name).exists()), None)
        normaliser = pickle.loads(beside.read_bytes()) if beside else None
    except Exception as error:  # broken pickles raise nearly anything
        raise _no_policy(path, error) from error

    def act(observation: np.ndarray, info: Any = None) -> np.ndarray:
        seen = normaliser.normalize_obs(observation) if normaliser else observation
        return model.predict(seen, deterministic=True)[0]

    return act


def _no_policy(path: Path, error: Exception) -> ValueError:
    return ValueError(f"{path} is not a policy of Stable-Baselines3: {type(error).__name__}: {error}")


def _onnx(path: Path) -> tuple[dict[str, Any], Callable[[], PolicyFunction]]:
    """Return what `tarsus export` wrote into an ONNX model, and what loads its policy."""
    for needed in ("onnx", "onnxruntime"):
        if importlib.util.find_spec(needed) is None:
            raise ValueError(f"an .onnx needs {needed}: pip install onnx onnxruntime")
    import onnx
    import onnxruntime

    try:
        stored = {entry.key: entry.value for entry in onnx.load(path).metadata_props}
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
        name, size = session.get_inputs()[0].name, session.get_inputs()[0].shape[0]
        about = about_of(stored["tarsus"]) if "tarsus" in stored else {}
    except Exception as error:  # the runtime has errors of its own
        raise ValueError(f"{path} is not an ONNX model of a policy: {type(error).__name__}: {error}") from error

    def act(observation: np.ndarray, info: Any = None) -> np.ndarray:
        rows = np.atleast_2d(observation).astype(np.float32)
        parts = np.split(rows, len(rows)) if size == 1 else [rows]  # a model of one row, or of any number
        action = np.concatenate([session.run(None, {name: part})[0] for part in parts])
        return action.reshape(*observation.shape[:-1], -1)

    return about, lambda: act


def _function(name: str) -> Callable[[gymnasium.Env, int], PolicyFunction]:
    """Return how to make the policy of a function, class or factory of a module, looked for in this folder too."""
    module, _, attribute = name.partition(":")
    try:
        found = getattr(environments.import_here(module), attribute)
        parameters = list(inspect.signature(found).parameters)
    except Exception as error:  # whatever somebody's module does
        raise ValueError(f"there is no policy {name}: {type(error).__name__}: {error}") from error
    if inspect.isclass(found) or parameters[:1] == ["env"]:
        return partial(_made, found, len(parameters))
    return lambda env, seed: found


def _made(factory: Callable, n_parameters: int, env: gymnasium.Env, seed: int) -> PolicyFunction:
    return factory(*(env, seed)[:n_parameters])


def check(candidate: Candidate) -> gymnasium.Env:
    """Return the environment of a policy, which has shown that it can act in it.

    Raises:
        ValueError: If it cannot.
    """
    if candidate.environment in SURROGATES:
        raise ValueError(f"{candidate.environment} is no simulation in MuJoCo, and has no contacts to vary")
    if not environments.is_simulation(candidate.environment):
        raise ValueError(f"{candidate.environment} is none of the machines that have settings to be certified in")
    env = playing.make(candidate.environment, candidate.options)
    playing.check_acts(candidate.name, env, candidate.make)
    return env
