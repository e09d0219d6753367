"""What a task may have besides, off by default: parts that take a turn in every step.

A part's arrays have the task's leading dimensions, as everything in `task`; what a part draws it draws from
`task.rngs[sim]`, so that one simulation and many are bitwise identical.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np


class Extra:
    """A part of a task; a subclass overrides what it needs.

    Attributes:
        KEPT: Names of its arrays that a later step reads; a saved state contains their rows.
    """

    KEPT: ClassVar[tuple[str, ...]] = ()

    def begin(self, task, sim, data) -> None:
        """Begin the episode of a simulation, after its initial state was placed in `data`."""

    def act(self, task, action: np.ndarray) -> np.ndarray:
        """Return the action that is applied instead, before the physics of a step."""
        return action

    def advance(self, task) -> None:
        """Update what accumulates over steps: called once after each, with the state refreshed."""

    def observe(self, task, observation: np.ndarray) -> np.ndarray:
        """Return what is observed instead; repeatable."""
        return observation


class Extras:
    """The parts of a task, by name, in the order of their turns.

    Args:
        parts: The parts.
    """

    def __init__(self, parts: dict[str, Extra]):
        self.parts, self._each = parts, tuple(parts.values())

    def begin(self, task, sim, data) -> None:
        """Begin the episode of a simulation."""
        for part in self._each:
            part.begin(task, sim, data)

    def act(self, task, action: np.ndarray) -> np.ndarray:
        """Return the action that is applied."""
        for part in self._each:
            action = part.act(task, action)
        return action

    def advance(self, task) -> None:
        """Update what accumulates over steps."""
        for part in self._each:
            part.advance(task)

    def observe(self, task, observation: np.ndarray) -> np.ndarray:
        """Return what is observed."""
        for part in self._each:
            observation = part.observe(task, observation)
        return observation

    def _kept(self):
        return ((f"{key}.{name}", getattr(part, name)) for key, part in self.parts.items() for name in part.KEPT)

    def kept_rows(self, rows) -> dict[str, np.ndarray]:
        """Return copies of what the parts keep, of these rows; None makes the one simulation a row."""
        return {key: np.array(array[rows]) for key, array in self._kept()}

    def take_rows(self, rows, arrays: dict[str, np.ndarray]) -> None:
        """Write what `kept_rows` returned to these rows."""
        for key, array in self._kept():
            array[rows] = arrays[key]
