"""How many members of an ensemble survive each size that was tried: the table that a threshold is read from."""

from collections.abc import Callable, Sequence

import numpy as np

from tarsus.scripts.library.stability.ensembles import Trial

Survives = Callable[[Sequence[Trial]], np.ndarray]
DIGITS = 12  # of sizes, after the point: 0.3 is 0.3, however it came about


class Survey:
    """The same members at every size; a size is given up once its failures are enough.

    `survives` tells of some trials which are survived, shape (n,) of bool, always the same; `batch` members are tried
    together. Sizes are whole multiples of `step`; 0 for any. `survived` and `tried` count members by size.
    """

    def __init__(self, survives: Survives, members: Sequence[Trial], enough: int, batch: int = 16, step: float = 0.0):
        self._survives, self._members, self._enough, self._batch, self.step = survives, members, enough, batch, step
        self.survived: dict[float, int] = {}
        self.tried: dict[float, int] = {}

    @property
    def sizes(self) -> list[float]:
        """The sizes that were tried, in order."""
        return sorted(self.tried)

    def failures(self, size: float) -> int:
        """Return the number of members that failed at a size that was tried."""
        return self.tried[size] - self.survived[size]

    def ask(self, size: float) -> int:
        """Return the number of members that fail at a size: of all of them, or at least so many as are enough."""
        if size not in self.tried:
            survived = tried = 0
            while tried < len(self._members) and tried - survived < self._enough:
                batch = [member.sized(size) for member in self._members[tried : tried + self._batch]]
                survived += int(np.count_nonzero(self._survives(batch)))
                tried += len(batch)
            self.survived[size], self.tried[size] = survived, tried
        return self.failures(size)

    def bracket(self, failures: int) -> tuple[float, float | None]:
        """Return the sizes about the first that has more failures: the one before it, or 0, and it; None if none has.

        Nothing is assumed of larger sizes.
        """
        low = 0.0
        for size in self.sizes:
            if self.failures(size) > failures:
                return low, size
            low = size
        return low, None

    def middle(self, low: float, high: float) -> float:
        """Return the size between two others; one of them if steps leave none."""
        between = 0.5 * (low + high)
        return round(round(between / self.step) * self.step if self.step else between, DIGITS)

    def refine(self, failures: int, resolution: float) -> tuple[float, float | None]:
        """Try sizes until the bracket is as narrow as a resolution; return it."""
        while True:
            low, high = self.bracket(failures)
            if high is None or high - low <= resolution * (1.0 + 1e-9):
                return low, high
            between = self.middle(low, high)
            if between in (low, high):
                return low, high
            self.ask(between)

    def fill(self, below: float, resolution: float) -> bool:
        """Try the middle of the widest gap below a size; return whether there was one wider than a resolution."""
        sizes = [0.0, *(size for size in self.sizes if size <= below)]
        gaps = np.diff(sizes)
        if not len(gaps) or gaps.max() <= resolution * (1.0 + 1e-9):
            return False
        k = int(gaps.argmax())
        between = self.middle(sizes[k], sizes[k + 1])
        if between in sizes:
            return False
        self.ask(between)
        return True
