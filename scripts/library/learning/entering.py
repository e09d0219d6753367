"""A policy in a frozen task: which options are an entrant's to choose, and what all that must not change comes to.

The fingerprint leaves out what is off (an option that is None, empty, 0 or False), so that a release may add options
that are off, and rounds the model's numbers, so that it is the same on all processors.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from tarsus.envs import TASKS
from tarsus.envs.frozen import INTERFACE, SEEDS

FORWARD = {"task": "forward"}  # where a task does not say it
# Of the compiled model, by what they are of: what decides how it moves, and no camera, sensor or colour.
PHYSICS = {
    "body": "parentid pos quat ipos iquat mass inertia gravcomp",
    "jnt": "type pos axis stiffness limited range margin solref solimp",
    "dof": "damping armature frictionloss solref solimp",
    "geom": "type bodyid pos quat size friction solref solimp solmix margin gap contype conaffinity condim priority",
    "pair": "geom1 geom2 dim friction solref solreffriction solimp margin gap",
    "actuator": "trntype trnid gear dyntype gaintype biastype dynprm gainprm biasprm ctrlrange forcerange",
    "tendon": "stiffness damping range lengthspring",
    "opt": "timestep gravity integrator cone solver iterations tolerance impratio disableflags enableflags",
}
DIGITS = 5  # significant, of the model's numbers


def refuse_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse options of a frozen task that are not an entrant's to choose."""
    if name not in TASKS:
        return
    free = [option for option in INTERFACE if option not in TASKS[name].options]
    for option in options:
        if option not in free:
            raise ValueError(f"{name} is frozen, and {option} is part of it; an entrant chooses {', '.join(free)}")


def chosen(policy: str, name: str, made: Mapping[str, Any], trained: bool) -> dict[str, Any]:
    """Return the options with which a policy plays: in a frozen task those that are an entrant's, else all.

    Other robots and grounds are what a `trained` one was trained on, and no need. ValueError if it needs what the task
    does not have.
    """
    if name not in TASKS:
        return dict(made)
    fixed = FORWARD | dict(TASKS[name].options)
    for option, value in made.items():
        needed = option in fixed if option in INTERFACE else option == "task" or not trained
        if needed and fixed.get(option, "the default") != value:
            has = fixed.get(option, "the default")
            raise ValueError(f"{policy} is made for {option} {value!r}, and the frozen task {name} has {has!r}")
    return {option: value for option, value in made.items() if option in INTERFACE and option not in fixed}


def fingerprint(name: str) -> dict[str, Any]:
    """Return all that must not change of a frozen task, as JSON keeps it: a change is a new version."""
    task, env = TASKS[name], gymnasium.make(name)
    base, config = env.unwrapped, env.unwrapped.config
    options = {entry.name: getattr(config, entry.name) for entry in fields(config)}
    found = {
        "environment": task.environment,
        "options": {name: _plain(value) for name, value in options.items() if _is_on(value)},
        "reward": _plain(config.weights),
        "seconds": _plain(task.horizon * base.ctrl_dt),
        "observation": _digest(base.observation_names),
        "actions": list(base.action_names),
        "model": physics(base.model),
        "score": [task.score, _plain(task.zero), _plain(task.one)],
        "seeds": list(SEEDS),
    }
    env.close()
    return found


def digest_of(fingerprint: Mapping[str, Any]) -> str:
    return _digest(fingerprint)


def _is_on(value: Any) -> bool:
    return isinstance(value, np.ndarray) or is_dataclass(value) or bool(value)


def _plain(value: Any) -> Any:
    """Return a value of an option as JSON: numbers rounded, files left out, for the model is made of them."""
    if is_dataclass(value):
        parts = {entry.name: getattr(value, entry.name) for entry in fields(value)}
        return {"is": type(value).__name__} | {name: _plain(part) for name, part in parts.items() if _is_on(part)}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Path):
        return "a file"
    if isinstance(value, float | np.floating):
        return float(f"{value:.10g}")
    return value if isinstance(value, bool | int | str | None) else str(value)


def physics(model) -> dict[str, str]:
    """Return a digest of each array of a model, compiled for MuJoCo, that decides how it moves."""
    found = {}
    for part, words in PHYSICS.items():
        for word in words.split():
            value = getattr(model.opt, word) if part == "opt" else getattr(model, f"{part}_{word}")
            numbers = np.asarray(value, float).ravel() + 0.0  # no negative zeros
            found[f"{part}_{word}"] = _digest([f"{number:.{DIGITS}g}" for number in numbers])
    return found


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
