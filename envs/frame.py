"""What a task measures of the present moment: named parts of one array, those of the observation first."""

from __future__ import annotations

import math

import numpy as np

from .observations import Observation


class Frame:
    """The measured numbers of all simulations, as attributes by their names, each of shape (*shape, size).

    An observation is then one conversion; joining an array for each entry took longer than computing them.

    Args:
        shape: Leading dimensions, those of the simulations.
        parts: Sizes of what a task's `refresh` fills in, by name.
        observed: The selected entries of the observation, in order.
        typical: What the observation's components are divided by, shape (n,); None leaves them.

    Attributes:
        values: All numbers, shape (n, n_values): a row for each simulation.
        at: The first column of each part, by name.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        parts: dict[str, int],
        observed: dict[str, Observation],
        typical: np.ndarray | None = None,
    ):
        sizes = {name: entry.size for name, entry in observed.items()}
        self.at: dict[str, int] = {}
        n = 0
        for name, size in (sizes | parts).items():
            self.at[name] = n
            n += size
        self.values = np.zeros((math.prod(shape), n))
        shaped = self.values.reshape(*shape, n)
        for name, size in (sizes | parts).items():
            setattr(self, name, shaped[..., self.at[name] : self.at[name] + size])
        self._typical = typical
        self._observed = shaped[..., : sum(sizes.values())]
        self._functions = [(getattr(self, name), entry.value) for name, entry in observed.items() if entry.value]

    def observe(self, task) -> np.ndarray:
        """Return the observation of a task whose `refresh` filled in its parts, new, shape (..., n) of float32."""
        for part, value in self._functions:
            part[...] = value(task)
        if self._typical is not None:
            return (self._observed / self._typical).astype(np.float32)
        return self._observed.astype(np.float32)
