"""What a policy remembers of its episode, taken from it and put back, so that an episode can go on from any state."""

import copy
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from tarsus.scripts.library.learning.trained_policy import TrainedPolicy

Memory = dict[str, Any]
HELD = ("_predict", "_stack", "_before")  # of a `memory.Remembering`: its network, which stays as it is


def memory(policy: Any) -> Memory:
    """Return a copy of what may change in a policy as it acts: the attributes of an object, nothing of a function."""
    if isinstance(policy, TrainedPolicy | FunctionType) or not hasattr(policy, "__dict__"):
        return {}
    return {name: _copied(value) for name, value in vars(policy).items() if name not in HELD}


def recall(policy: Any, kept: Memory) -> None:
    """Give a policy back what `memory` returned."""
    for name, value in kept.items():
        setattr(policy, name, _copied(value))


def _copied(value: Any) -> Any:
    """Return a copy of numbers and their containers; whatever else a policy holds is shared."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(_copied(one) for one in value)
    if isinstance(value, dict):
        return {name: _copied(one) for name, one in value.items()}
    if isinstance(value, np.random.Generator):
        return copy.deepcopy(value)
    if type(value).__module__.startswith("tarsus.controllers"):  # a controller within, with a memory of its own
        made = copy.copy(value)
        made.__dict__.update(_copied(vars(value)))
        return made
    return value.clone() if hasattr(value, "clone") and hasattr(value, "detach") else value


def numbers(kept: Memory, prefix: str = "memory") -> Iterator[tuple[str, np.ndarray]]:
    """Yield name and array of all floating numbers in a memory; the arrays are views, so that they can be changed."""
    for name, value in kept.items():
        yield from _arrays(value, f"{prefix} {name.lstrip('_')}")


def _arrays(value: Any, name: str) -> Iterator[tuple[str, np.ndarray]]:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        yield name, value
    elif isinstance(value, list | tuple):
        for k, one in enumerate(value):
            yield from _arrays(one, f"{name} {k}")
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _arrays(one, f"{name} {key}")
