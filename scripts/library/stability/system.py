"""What questions of stability are asked of: a stride that can be begun anywhere near where it stands."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np


class System(Protocol):
    """A deterministic system at a section of its cycle, in coordinates about where it stands."""

    names: tuple[str, ...]  # of the coordinates, shape (n,)
    scale: np.ndarray  # what is typical of each, by which they are compared and differenced, shape (n,)
    symmetric: tuple[str, ...]  # names of coordinates that may be symmetries: directions in which nothing pulls back
    hidden: np.ndarray  # whether each coordinate is no position or velocity, but remembered, shape (n,)
    # Returns the stride's derivative by saltation matrices, shape (n, n), or raises a ValueError; None where there are
    # differences alone.
    derivative: Callable[[], np.ndarray] | None

    def deviations(self, by: np.ndarray, strides: int) -> np.ndarray:
        """Return the distance of a run that begins at coordinates `by` from the one that begins at zero.

        It is after each stride, that of the begin first, shape (strides + 1, n); NaN from where it fell.
        """

    def motion(self, strides: int) -> np.ndarray:
        """Return the displacement, after so many strides, of the run that begins at zero, shape (n,)."""


class MapSystem:
    """A system that is a map of arrays of shape (n,), and where it stands.

    By default its coordinates are z0, z1, ..., of scale 1, and none is remembered.
    """

    def __init__(
        self,
        stride: Callable[[np.ndarray], np.ndarray],
        at: Sequence[float] | np.ndarray,
        names: Sequence[str] = (),
        scale: Sequence[float] | None = None,
        symmetric: Sequence[str] = (),
        hidden: Sequence[bool] = (),
        derivative: Callable[[], np.ndarray] | None = None,
    ):
        self.derivative, self.stride, self.at = derivative, stride, np.asarray(at, float)
        n = self.at.size
        self.names = tuple(names) or tuple(f"z{k}" for k in range(n))
        self.scale = np.ones(n) if scale is None else np.asarray(scale, float)
        self.symmetric, self.hidden = tuple(symmetric), np.array(hidden, bool) if len(hidden) else np.zeros(n, bool)
        self._path = self.at[None]  # of the run that is not displaced

    def deviations(self, by: np.ndarray, strides: int) -> np.ndarray:
        """Return the distance of a run that begins at `by` from the one that begins at zero, see `System`."""
        self.motion(strides)
        return iterated(self.stride, self.at + by, strides) - self._path[: strides + 1]

    def motion(self, strides: int) -> np.ndarray:
        """Return the displacement of the run that begins at zero, see `System`."""
        if len(self._path) <= strides:
            self._path = iterated(self.stride, self.at, strides)
        return self._path[strides] - self.at


def iterated(stride: Callable[[np.ndarray], np.ndarray], at: np.ndarray, strides: int) -> np.ndarray:
    """Return the iterates of a map, that of the begin first, shape (strides + 1, n)."""
    found = [np.asarray(at, float)]
    for _ in range(strides):
        found.append(np.asarray(stride(found[-1]), float))
    return np.array(found)
