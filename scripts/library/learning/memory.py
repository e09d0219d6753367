"""A policy with a memory of its episode: its last observations, the state of its network, or both."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Predict = Callable[[np.ndarray, Any, np.ndarray], tuple[np.ndarray, Any]]


@dataclass(frozen=True)
class Stack:
    """How many of an episode's last observations a policy sees together, the newest last."""

    n: int = 1  # how many
    # whether they are one array, with zeros before the episode, as of Stable-Baselines3's `VecFrameStack`; else they
    # are rows, the first observation repeated, as of Gymnasium's `FrameStackObservation`
    flat: bool = True


def stack_of(policy: str, seen: tuple[int, ...], given: tuple[int, ...], asked: int | None) -> Stack:
    """Return the stack by which a policy's observation is made of an environment's, from their shapes.

    As many are stacked as was asked for, or as the shapes say; ValueError if they say no whole number, or another.
    """
    flat = len(seen) == len(given)
    whole = flat and len(seen) == 1 and seen[0] % given[0] == 0
    n = seen[0] // given[0] if whole else seen[0] if seen[1:] == given else 0
    if seen == given:
        n = 1
    if n == 0 or asked not in (None, n):
        sizes = f"{policy} observes an array of shape {seen}, and its environment gives {given}"
        if n:
            raise ValueError(f"{sizes}: that is --stack {n}, not {asked}")
        cure = "the environment, or an option such as `observations`, is another than in training"
        raise ValueError(f"{sizes}; --stack N is for whole multiples: {cure}")
    return Stack(n, flat)


class Remembering:
    """A policy that remembers its episode, of one simulation or of rows of them.

    `predict` makes the action and next state of what it sees, its state and whether each episode begins; `before` is
    done with each observation before it is stacked.
    """

    def __init__(self, predict: Predict, stack: Stack, before: Callable[[np.ndarray], np.ndarray]):
        self._predict, self._stack, self._before = predict, stack, before
        self._begins: np.ndarray | None = None
        self._state: Any = None
        self._known: np.ndarray | None = None  # (..., n, size)

    def __call__(self, observation: np.ndarray, info: Any = None) -> np.ndarray:
        """Return the action for observations of shape (size,) or (rows, size), always as many rows."""
        rows = observation.shape[:-1]
        if self._begins is None or self._begins.shape != rows:
            self._begins, self._state, self._known = np.ones(rows, bool), None, None
        seen = self._stacked(self._before(observation))
        action, self._state = self._predict(seen, self._state, np.atleast_1d(self._begins))
        self._begins = np.zeros(rows, bool)
        return action

    def begin(self, rows: np.ndarray) -> None:
        """Forget the episodes of these rows, (rows,) of bool: their next observations are the first of others."""
        if self._begins is not None:
            self._begins = self._begins | rows

    def _stacked(self, seen: np.ndarray) -> np.ndarray:
        """Return the last observations, the newest last."""
        if self._stack.n == 1:
            return seen
        newest = seen[..., None, :]
        first = np.zeros_like(newest) if self._stack.flat else newest
        first = np.repeat(first, self._stack.n, axis=-2)
        known = first if self._known is None else np.where(self._begins[..., None, None], first, self._known)
        self._known = np.concatenate([known[..., 1:, :], newest], axis=-2)
        return self._known.reshape(*seen.shape[:-1], -1) if self._stack.flat else self._known
