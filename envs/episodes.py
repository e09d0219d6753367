"""What vector environments share: whom a reset concerns and with which seeds, and which episodes a step ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gymnasium.vector import AutoresetMode

from .kinds import check_count


def checked_numbers(num_envs: int, max_episode_steps: int | None, mode: str | AutoresetMode) -> AutoresetMode:
    """Return the autoreset mode of that name, the number of environments and steps being checked.

    Raises:
        ValueError: If one of the three is impossible.
    """
    check_count("num_envs", num_envs)
    if max_episode_steps is not None:
        check_count("max_episode_steps", max_episode_steps)
    known = {one.value: one for one in AutoresetMode}
    if not isinstance(mode, AutoresetMode) and not (isinstance(mode, str) and mode in known):
        raise ValueError(f"unknown autoreset_mode {mode!r}; there are {', '.join(known)}")
    return AutoresetMode(mode)


def masked(mask: np.ndarray | None, n: int) -> list[int]:
    """Return the indices of a mask's true entries, all without one.

    Raises:
        ValueError: If it is not n booleans, one of them true.
    """
    if mask is None:
        return list(range(n))
    mask = np.asarray(mask)
    if mask.shape != (n,) or mask.dtype != bool or not mask.any():
        raise ValueError(f"reset_mask must be {n} booleans, one of them true, got {mask}")
    return np.flatnonzero(mask).tolist()


def seeds_of(seed: int | Sequence[int | None] | None, n: int) -> Sequence[int | None]:
    """Return a seed, or None, for each of n environments; those of a lone one follow on from it.

    Raises:
        ValueError: If there are not n of them.
    """
    if seed is None:
        return [None] * n
    if isinstance(seed, int | np.integer):
        return [int(seed) + k for k in range(n)]
    if len(seed) != n:
        raise ValueError(f"there are {n} environments, got {len(seed)} seeds")
    return seed


def judge(task, endings: np.ndarray, waiting: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the reward's terms and which episodes terminate.

    Args:
        task: The task, after a step: what has its `endings()` and weighted `reward_terms()`.
        endings: Why a simulation diverged, or "", shape (n,) of str; why others terminate is written in.
        waiting: Whose next episode has not begun, shape (n,) of bool: they get nothing and end nothing.
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
    return terms, ended & ~waiting
