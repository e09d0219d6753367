"""Terms of the reward, entries of the observation and ends of an episode of the user's own: functions of the task."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .kinds import check as check_kind
from .kinds import check_count
from .observations import Observation, numbered

FIXED = ("observe", "privileged")  # options that shape the spaces and `info`
RESERVED = ("values", "at", "observed", "functions")  # attributes of a `Frame` besides its parts


def check(config) -> None:
    """Refuse terms, entries and ends that are not written as they must be, or whose names are taken."""
    taken = {name for terms in config.REWARDS.values() for name in terms} | set(config.SHAPING)
    for name, term in config.rewards.items():
        _check_parts("rewards", name, term, "(weight, function)")
        check_kind(f"rewards: the weight of {name!r}", term[0], float)
        if name in taken:
            raise ValueError(f"rewards: there is a term {name!r} already, and reward_weights weighs it")
    for name, entry in config.observe.items():
        _check_parts("observe", name, entry, "(size, bound, function)")
        check_count(f"observe: the size of {name!r}", entry[0])
        check_kind(f"observe: the bound of {name!r}", entry[1], float)
        if not entry[1] > 0:
            raise ValueError(f"observe: the bound of {name!r} must be positive, got {entry[1]}")
    for why, function in config.terminate.items():
        _check_call(f"terminate: {why!r}", function)


def _check_parts(option: str, name: str, parts: Any, allowed: str) -> None:
    """Refuse what has not as many parts as are allowed, the last of them a function of the task."""
    if not isinstance(parts, tuple | list) or len(parts) != allowed.count(",") + 1 or not callable(parts[-1]):
        raise ValueError(f"{option}: {name!r} must be {allowed}, got {parts!r}")
    _check_call(f"{option}: {name!r}", parts[-1])


def _check_call(where: str, function: Callable) -> None:
    """Refuse a function that cannot be called with the task alone."""
    try:
        said = inspect.signature(function)
    except ValueError:  # a function of C may not say what it takes
        return
    try:
        said.bind(None)
    except TypeError:
        raise ValueError(f"{where} is called as function(task), and the function takes {said}") from None


def entries_of(config, taken: set[str]) -> dict[str, Observation]:
    """Return the user's own entries; ValueError if a name of theirs is taken."""
    for name in config.observe:
        if name in taken or name in RESERVED:
            raise ValueError(f"observe: there is an entry {name!r} already, or something else of the frame")
    return {
        name: numbered(size, bound, "-", "your own", Checked(f"observe: {name!r}", function, size))
        for name, (size, bound, function) in config.observe.items()
    }


def terms_of(config) -> "dict[str, Checked]":
    """Return the user's own terms of the reward, unweighted."""
    return {name: Checked(f"rewards: {name!r}", function) for name, (_, function) in config.rewards.items()}


def ends_of(config) -> "dict[str, Checked]":
    """Return the user's own ends of an episode, by the reason."""
    return {why: Checked(f"terminate: {why!r}", function, truth=True) for why, function in config.terminate.items()}


@dataclass(frozen=True)
class Checked:
    """A user's function of the task, whose result is checked in every step; `where` names it in messages.

    It returns a number for each simulation, or an entry of `size` numbers, or if `truth` booleans.
    """

    where: str
    function: Callable[[Any], np.ndarray]
    size: int | None = None
    truth: bool = False

    def __call__(self, task) -> np.ndarray:
        """Return its result for a task, shape (...,), or (..., size) of an entry; ValueError if it is none."""
        try:
            value = self.function(task)
            value = value if task.together else np.asarray(value)
        except Exception as error:
            raise ValueError(f"{self.where} raised {type(error).__name__}: {error}") from error
        if task.together and not isinstance(value, type(task.qpos)):
            raise ValueError(
                f"{self.where} must return an array of the device, made of the task's, got {type(value).__name__}"
            )
        if self.size == 1 and value.shape == task.shape:
            value = value[..., None]
        shape = task.shape if self.size is None else (*task.shape, self.size)
        if value.shape != shape:
            raise ValueError(f"{self.where} must return an array of shape {shape}, got {value.shape}")
        if value.dtype.kind not in ("b" if self.truth else "biuf"):
            allowed = "True or False" if self.truth else "numbers"
            raise ValueError(f"{self.where} must return {allowed}, got {value.dtype} ({value})")
        if not np.isfinite(value).all():
            raise ValueError(f"{self.where} must return finite numbers, got {value}")
        return value
