"""Functions shared by all environments, with or without MuJoCo: reset masks, seeds, checks of actions, endings.

An environment serves one thread at a time: MuJoCo releases Python's GIL while it steps, and two steps of one simulation
would crash.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import reduce, wraps
from math import isfinite
from numbers import Integral
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from ..analytic.spelling import listed
from .kinds import array_of, check_count

WHY = ("termination", "truncation")  # entries of `info` that say why an episode ended


def delegated(path: str, meaning: str) -> Any:
    """Return a property that is an attribute of an attribute, such as "task.config"."""
    return property(operator.attrgetter(path), doc=meaning)


class Described:
    """What every environment in MuJoCo, of one simulation or many, says of its observations and actions."""

    ctrl_dt: float = delegated("task.ctrl_dt", "Control period [s].")
    n_substeps: int = delegated("task.n_substeps", "Physics steps in a control period.")
    observation_slices: dict[str, slice] = delegated("task.observation_slices", "Where each observed entry lies.")
    observation_names: tuple[str, ...] = delegated("task.observation_names", "Name of every number of an observation.")
    action_names: tuple[str, ...] = delegated("task.action_names", "Name of each entry of an action.")
    action_scale: float | np.ndarray = delegated("task.action_scale", "Physical value of an action of 1; see the task.")


def one_at_a_time(method):
    """Return a method of an environment that raises RuntimeError while another call of the environment runs.

    Python does not switch threads between reading the flag and setting it.
    """

    @wraps(method)
    def guarded(self, *args, **kwargs):
        if self._busy:
            raise RuntimeError(
                f"{method.__name__}() was called while another call of this environment runs: an environment serves "
                "one thread at a time; make one per thread, or a vector environment, which has its own threads"
            )
        self._busy = True
        try:
            return method(self, *args, **kwargs)
        finally:
            self._busy = False

    return guarded


def checked_numbers(num_envs: int, max_episode_steps: int | None, mode: str | AutoresetMode) -> AutoresetMode:
    """Return the autoreset mode of that name; ValueError if mode, number of environments or of steps is impossible."""
    check_count("num_envs", num_envs)
    if max_episode_steps is not None:
        check_count("max_episode_steps", max_episode_steps)
    known = {one.value: one for one in AutoresetMode}
    if not isinstance(mode, AutoresetMode) and not (isinstance(mode, str) and mode in known):
        raise ValueError(f"unknown autoreset_mode {mode!r}; there are {listed(mode, known)}")
    return AutoresetMode(mode)


def mapping_of(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a copy of the options of a reset; TypeError if they are no mapping."""
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"the options of a reset must be a mapping from names to values, got {options!r}")
    return dict(options or {})


def masked(mask: np.ndarray | None, n: int) -> list[int]:
    """Return the indices of the true entries of a mask, shape (n,), or all without one; ValueError if it is none."""
    if mask is None:
        return list(range(n))
    found = array_of(mask)
    if found.shape != (n,) or found.dtype != bool or not found.any():
        raise ValueError(f"reset_mask must be {n} booleans, at least one of them true, got {mask!r}")
    return np.flatnonzero(found).tolist()


def chosen(indices: Sequence[int] | None, n: int) -> np.ndarray:
    """Return the indices as an array, shape (k,), or all n; ValueError if they are none of n, or one is twice."""
    if indices is None:
        return np.arange(n)
    found = array_of(indices)
    if found.ndim != 1 or found.dtype.kind not in "iu" or len(found) == 0 or len(np.unique(found)) < len(found):
        raise ValueError(f"indices must be a sequence of different whole numbers, got {indices!r}")
    if found.min() < 0 or found.max() >= n:
        raise ValueError(f"indices of {n} environments must lie from 0 to {n - 1}, got {indices!r}")
    return found


def seed_of(seed: int | None) -> int | None:
    """Return a seed as Python's own integer, or None; TypeError for no integer, ValueError for a negative one."""
    if seed is None:
        return None
    if not isinstance(seed, Integral) or isinstance(seed, bool):
        raise TypeError(f"a seed must be a whole number, got {seed!r}")
    if seed < 0:
        raise ValueError(f"a seed must not be negative, got {seed}")
    return int(seed)


def seeds_of(seed: int | Sequence[int | None] | None, n: int) -> list[int | None]:
    """Return a seed, or None, for each of n environments, counted up from a single one; TypeError or ValueError."""
    if seed is None:
        return [None] * n
    if isinstance(seed, Integral):
        first = seed_of(seed)
        return [first + k for k in range(n)]
    if not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str | bytes) or array_of(seed).ndim == 0:
        raise TypeError(f"seed must be a whole number, or one for each of {n} environments, got {seed!r}")
    if len(seed) != n:
        raise ValueError(f"there are {n} environments, got {len(seed)} seeds")
    return [seed_of(one) for one in seed]


def rows_of(name: str, value: np.ndarray, n: int) -> np.ndarray:
    """Return a value, given for all, (size,), or for each, as a row for each of n environments; or ValueError."""
    if value.ndim == 2 and len(value) != n:
        raise ValueError(f"{name} must have a row for each of {n} environments, or be one, got {len(value)} rows")
    return value if value.ndim == 2 else np.array([value] * n)


def rows_where(over: np.ndarray, observation: np.ndarray) -> np.ndarray:
    """Return the observation's rows of the episodes that are over, None for others, shape (n,) of object."""
    rows = np.full(len(over), None, object)
    for sim in np.flatnonzero(over):
        rows[sim] = observation[sim].copy()
    return rows


def shown(infos: dict[str, Any], mode: AutoresetMode) -> dict[str, Any]:
    """Return the infos of a step or reset, without `termination` and `truncation` in the mode SameStep.

    In that mode they belong to running episodes, while `final_info` says why others ended.
    """
    if mode is AutoresetMode.SAME_STEP:
        return {name: value for name, value in infos.items() if name.removeprefix("_") not in WHY}
    return infos


def judge(
    task, endings: np.ndarray, waiting: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray | None]:
    """Return the reward's terms, which episodes terminate, and why others are cut short (None where none ever is).

    Args:
        task: The task after a step, with `endings()`, `bounded`, `cuts()` and weighted `reward_terms()`.
        endings: Why a simulation diverged, or "", shape (n,) of str; reasons of other ends are added.
        waiting: Simulations whose next episode has not begun, shape (n,) of bool: no reward, no termination.
    """
    void = endings.astype(bool) | waiting
    ended = void.copy()
    for why, holds in task.endings().items():
        fresh = holds & ~ended
        if fresh.any():
            endings[fresh] = why
            ended |= fresh
    terms = task.reward_terms()
    for name, term in terms.items():
        if np.ndim(term) == 0:
            terms[name] = np.full(len(endings), term)
    if ended.any():
        for name, term in terms.items():
            term[ended if name == "healthy" else void] = 0.0
    if not task.bounded:
        return terms, ended & ~waiting, None
    cut = np.full(len(endings), "", object)
    for why, holds in task.cuts().items():
        cut[holds & ~ended & ~cut.astype(bool)] = why
    return terms, ended & ~waiting, cut


def judge_one(task, diverged: str) -> tuple[dict[str, float], str, str]:
    """Return the reward's terms, and why a task's only episode terminates or is cut short, or ""; see `judge`."""
    terms = task.reward_terms()
    if diverged:
        return dict.fromkeys(terms, 0.0), diverged, ""
    for why, holds in task.endings().items():
        if holds:
            if "healthy" in terms:
                terms["healthy"] = 0.0
            return terms, why, ""
    if task.bounded:
        for why, holds in task.cuts().items():
            if holds:
                return terms, "", why
    return terms, "", ""


def total(terms) -> Any:
    """Return the sum from left to right, rounded as for arrays; the built-in `sum` of floats is more accurate."""
    return reduce(operator.add, terms, 0.0)


def as_numbers(action) -> np.ndarray:
    """Return a copy of an action, of any shape, as an array of float; ValueError if it is not of numbers.

    Left to itself NumPy would drop an imaginary part, and make None a NaN.
    """
    try:
        return np.asarray(action).astype(np.float64, "C", "same_kind")
    except (TypeError, ValueError):
        raise ValueError(f"an action must be finite numbers, got {action!r}") from None


def checked_action(action, space: gymnasium.spaces.Box) -> np.ndarray:
    """Return a copy of an action of finite numbers and its box's shape, clipped to the box; else ValueError."""
    action = as_numbers(action)
    if action.shape != space.shape:
        raise ValueError(f"an action has shape {space.shape}, got {action.shape}")
    if action.ndim == 1:  # a few numbers, faster in plain Python
        entries = action.tolist()
        within = isfinite(sum(entries)) and min(entries) >= -1.0 and max(entries) <= 1.0
    else:
        within = np.abs(action).max() <= 1.0
    if within:
        return action
    if not np.isfinite(action).all():
        raise ValueError(f"an action must be finite, got {action}")
    return np.clip(action, -1.0, 1.0)
