"""Why episodes end, as codes: the infos of vector environments hold numbers alone, which wrappers convert."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .episodes import WHY

MOST = 127  # codes are of int8


class Reasons(list):
    """Reasons by their codes, which are their places; 0 is none.

    The first are those of the machine, in its own order, then the user's own, then the terrain's edge. Others, as of
    simulations that diverged, are added when they first occur.
    """

    def __init__(self, known: Iterable[str] = ()):
        super().__init__(dict.fromkeys(["", *known]))

    def code(self, why: str) -> int:
        """Return the code of a reason, which is added if it is new; RuntimeError if there are too many."""
        if why not in self:
            if len(self) > MOST:
                raise RuntimeError(f"episodes ended for more than {MOST} different reasons")
            self.append(why)
        return self.index(why)

    def codes(self, reasons: np.ndarray) -> np.ndarray:
        """Return the codes of reasons, shape (n,) of str or object, as int8."""
        found = np.zeros(len(reasons), np.int8)
        for sim in np.flatnonzero(reasons.astype(bool)):
            found[sim] = self.code(reasons[sim])
        return found

    def words(self, infos: Mapping[str, Any]) -> dict[str, Any]:
        """Return infos, or those of an episode that ended, with words in the place of codes."""
        said = dict(infos)
        for name in WHY:
            if name in said:
                said[name] = np.array([self[code] for code in said[name]], object)
        if "final_info" in said:
            said["final_info"] = self.words(said["final_info"])
        return said
