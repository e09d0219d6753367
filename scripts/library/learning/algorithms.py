"""The algorithm of a .zip of Stable-Baselines3 or sb3-contrib, by the classes that the file names, and its model.

Loading a model unpickles parts of the file, which can run any code. What can be read without that is judged first.
"""

import base64
import importlib
import importlib.util
import json
import pickle
import pickletools
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tarsus.analytic.compilation import extras

STABLE, CONTRIB = "stable_baselines3", "sb3_contrib"
# The algorithm whose own policy a class is, by the module of the class or of one that it is derived from.
MODULES = {
    f"{STABLE}.dqn.": "DQN",
    f"{STABLE}.sac.": "SAC",
    f"{STABLE}.td3.": "TD3",
    f"{CONTRIB}.ars.": "ARS",
    f"{CONTRIB}.crossq.": "CrossQ",
    f"{CONTRIB}.qrdqn.": "QRDQN",
    f"{CONTRIB}.tqc.": "TQC",
    f"{CONTRIB}.common.maskable.": "MaskablePPO",
    f"{CONTRIB}.common.recurrent.": "RecurrentPPO",
}
# Of those that share their policies' classes: a setting that none of the later ones has.
SETTINGS = {"cg_max_steps": "TRPO", "clip_range": "PPO", "gae_lambda": "A2C"}
OF_CONTRIB = ("ARS", "CrossQ", "MaskablePPO", "QRDQN", "RecurrentPPO", "TQC", "TRPO")
OFF_POLICY = ("CrossQ", "DDPG", "DQN", "QRDQN", "SAC", "TD3", "TQC")
# What acting does not need, and loading would allocate or unpickle.
UNNEEDED: dict[str, Any] = {
    "buffer_size": 1,
    "replay_buffer_class": None,
    "replay_buffer_kwargs": {},
    "rollout_buffer_class": None,
    "rollout_buffer_kwargs": {},
    "action_noise": None,
    "learning_rate": 0.0,
    "lr_schedule": None,
    "clip_range": 0.2,
    "clip_range_vf": None,
    "tensorboard_log": None,
    "verbose": 0,
}


def read(path: Path) -> dict[str, Any]:
    """Return a .zip's settings, unpickled ones as text; nothing of it is run. ValueError if it is no policy of SB3."""
    if importlib.util.find_spec(STABLE) is None:
        raise ValueError(f"a .zip needs Stable-Baselines3: {extras.install('rl')}")
    import torch

    try:
        with zipfile.ZipFile(path) as archive:
            stored = json.loads(archive.read("data"))
            for name in archive.namelist():
                with archive.open(name) as file:
                    torch.load(file, weights_only=True) if name.endswith(".pth") else file.read()
        stored["policy_class"]["__module__"], stored["action_space"][":type:"], stored["observation_space"][":type:"]
    except Exception as error:  # broken archives raise nearly anything
        raise no_policy(path, error) from error
    return stored


def loaded(path: Path, stored: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the model of a .zip, and the name of its algorithm.

    Raises:
        ValueError: If its algorithm, or a class that it names, is not installed here, or it has other spaces than the
            environments; the sentence says which.
    """
    _refuse_spaces(path, stored)
    _refuse_absent(path, stored)
    try:
        name = _algorithm(stored)
        package = CONTRIB if name in OF_CONTRIB else STABLE
        if importlib.util.find_spec(package) is None:
            raise ValueError(_not_installed(path, name))
        unneeded = {key: value for key, value in UNNEEDED.items() if key in stored}
        made = getattr(importlib.import_module(package), name)
        return made.load(path, device="cpu", custom_objects=unneeded), name
    except Exception as error:  # broken pickles raise nearly anything
        raise error if _ours(path, error) else no_policy(path, error) from error


def named_classes(pickled: bytes) -> list[tuple[str, str]]:
    """Return module and name of each class and function that a pickle, or the begin of one, asks for; none is run."""
    found: list[tuple[str, str]] = []
    pushed: list[Any] = [None, None]
    memo: list[Any] = []
    try:
        for code, value, _ in pickletools.genops(pickled):
            if code.name == "GLOBAL":
                found.append(tuple(value.split(" ", 1)))
            elif code.name == "STACK_GLOBAL":
                found.append(tuple(map(str, pushed[-2:])))
            if code.name == "MEMOIZE":
                memo.append(pushed[-1])
            elif code.name in ("BINGET", "LONG_BINGET"):
                pushed.append(memo[value] if value < len(memo) else None)
            elif code.stack_after:
                pushed.append(value if isinstance(value, str) else None)
    except ValueError:  # the begin of a longer one, or none at all
        pass
    return found


def no_policy(path: Path, error: Exception) -> ValueError:
    """Return the refusal of a file that is not a policy."""
    return ValueError(f"{path} is not a policy of Stable-Baselines3: {type(error).__name__}: {error}")


def _ours(path: Path, error: Exception) -> bool:
    return isinstance(error, ValueError) and str(error).startswith(f"{path} ")


def _not_installed(path: Path, algorithm: str) -> str:
    return f"{path} was trained with {algorithm} of sb3-contrib, which is not installed: {extras.install('rl')}"


def _refuse_spaces(path: Path, stored: Mapping[str, Any]) -> None:
    """Refuse a policy for other spaces than boxes."""
    kinds = {
        "acts by": ("action_space", "DQN, QRDQN and MaskablePPO know no other"),
        "observes": ("observation_space", "as of MultiInputPolicy and HER"),
    }
    for verb, (space, example) in kinds.items():
        kind = stored[space][":type:"].rpartition(".")[2].rstrip("'>")
        if kind != "Box":
            raise ValueError(
                f"{path} {verb} a space {kind} ({example}); environments here have a Box: it cannot play in them"
            )


def _refuse_absent(path: Path, stored: Mapping[str, Any]) -> None:
    """Refuse a policy with classes of a module that is not there."""
    for entry in ("policy_class", "policy_kwargs", "observation_space", "action_space"):
        text = stored[entry].get(":serialized:") if isinstance(stored.get(entry), dict) else None
        for module, name in named_classes(base64.b64decode(text)) if text else ():
            top = module.partition(".")[0]
            if importlib.util.find_spec(top) is None:
                if top == CONTRIB:
                    raise ValueError(_not_installed(path, _by_module(f"{module}.") or "an algorithm"))
                where = f"install {top}, or put its folder on PYTHONPATH"
                raise ValueError(f"{path} needs {module}.{name}, which cannot be imported here; {where}")


def _by_module(module: str) -> str:
    return next((name for begin, name in MODULES.items() if module.startswith(begin)), "")


def _algorithm(stored: Mapping[str, Any]) -> str:
    """Return the algorithm that a policy's class is of, or that has its settings; ValueError if there is none."""
    made = pickle.loads(base64.b64decode(stored["policy_class"][":serialized:"]))
    names = [name for base in made.__mro__ if (name := _by_module(f"{base.__module__}."))]
    names += [name for setting, name in SETTINGS.items() if setting in stored]
    if not names:
        raise ValueError(f"its policy is a {made.__module__}.{made.__qualname__}, of no algorithm that is known")
    alone = names[0] == "TD3" and stored.get("policy_delay") == 1 and not stored.get("target_noise_clip")
    return "DDPG" if alone else names[0]
