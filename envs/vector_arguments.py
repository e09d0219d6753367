"""What the `reset` of a vector environment takes: whom to reset, and with which seeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


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
