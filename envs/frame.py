"""What is observed of the present moment, one array with a named part for each entry.

An observation is then one conversion, where joining an array for each entry took longer than computing them.
"""

from __future__ import annotations

import numpy as np

from .observations import Observation


class Frame:
    """The entries of an observation side by side, as attributes by their names, each of shape (*shape, size).

    Those that are observed come first, in their order; the others that a task's `refresh` fills in, after them.

    Args:
        shape: Leading dimensions, those of the simulations.
        known: All entries there are.
        observed: The selected ones, in order.
    """

    def __init__(self, shape: tuple[int, ...], known: dict[str, Observation], observed: dict[str, Observation]):
        entries = observed | {name: entry for name, entry in known.items() if entry.value is None}
        ends = np.cumsum([entry.size for entry in entries.values()]).tolist()
        values = np.zeros((*shape, ends[-1]))
        for (name, entry), end in zip(entries.items(), ends, strict=True):
            setattr(self, name, values[..., end - entry.size : end])
        self._observed = values[..., : sum(entry.size for entry in observed.values())]
        self._functions = [(getattr(self, name), entry.value) for name, entry in observed.items() if entry.value]

    def observe(self, task) -> np.ndarray:
        """Return the observation of a task whose `refresh` filled in its part, a new array of float32."""
        for part, value in self._functions:
            part[...] = value(task)
        return self._observed.astype(np.float32)
