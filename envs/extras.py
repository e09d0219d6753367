"""What a task holds besides: parts that take a turn in every step; commands and curricula are such, others are options.

A part's arrays have the task's leading dimensions, as everything in `task`; what a part draws it draws from
`task.rngs[sim]`, so that one simulation and many are bitwise identical.
"""

from typing import ClassVar

import numpy as np


class Extra:
    """A part of a task; a subclass overrides what it needs.

    Attributes:
        KEPT: Names of its arrays that a later step reads; a saved state contains their rows.
    """

    KEPT: ClassVar[tuple[str, ...]] = ()

    def refuse(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse arrays of a saved state, by the names in `KEPT`, with which a step would fail."""

    def begin(self, task, sim, data) -> None:
        """Begin the episode of a simulation, after its initial state was placed in `data`."""

    def act(self, task, action: np.ndarray) -> np.ndarray:
        """Return the action that is applied instead, before the physics of a step, both (..., n_actions)."""
        return action

    def advance(self, task) -> None:
        """Update what accumulates over steps: called once after each, with the state refreshed."""

    def observe(self, task, observation: np.ndarray) -> np.ndarray:
        """Return the observation to be seen instead, both (..., n); repeatable."""
        return observation
