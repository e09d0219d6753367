"""The rows of a contact problem in blocks: what each may push, and what is known when it is solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

# A contact, rows n, t1, t2: 0 <= f_n, perpendicular to w_n >= 0, |f_t| <= mu f_n, f_t against w_t where it slips.
# A foot that slips already, the same rows: f_t = mu f_n u with the direction u given, w_t free.
# A limit, a row: 0 <= f, perpendicular to w >= 0. Dry friction, a row: |f| <= bound, against w where it moves.
# A bilateral row: w = 0.
CONTACT, SLIDING, LIMIT, DRY, BILATERAL = range(5)
KINDS = {"contact": CONTACT, "sliding": SLIDING, "limit": LIMIT, "dry": DRY, "bilateral": BILATERAL}
ROWS = (3, 3, 1, 1, 1)  # of a block, by kind

# Modes of a block: no force; held (w = 0); slips at the cone's edge; dry friction at its upper and its lower bound.
OPEN, HELD, SLIPS, UPPER, LOWER = range(5)


class ContactStatus(Enum):
    """What is known of a contact problem.

    SOLVED: The certificate holds. Where rows are redundant, forces are the least of many; motions may then differ, too,
    if feet slip in different directions, which is not examined.
    INDETERMINATE: At least two solutions with different motions are known.
    NO_SOLUTION: There is none, which was proved: every set of modes fails, or rows contradict each other.
    NOT_SOLVED: No solution was found, and it is not known whether there is one.
    """

    SOLVED = "solved"
    INDETERMINATE = "indeterminate"
    NO_SOLUTION = "no solution"
    NOT_SOLVED = "not solved"


STATUSES = tuple(ContactStatus)


@dataclass(frozen=True)
class Blocks:
    """The blocks of rows of a problem, in their order.

    Attributes:
        kind: One of `KINDS`, shape (n,).
        first: Place of the first row, shape (n,).
        mu: Coefficients of friction, of contacts and of feet that slip, shape (n,).
        bound: Largest forces, of dry friction, shape (n,).
        direction: Of the friction's force, of feet that slip, unit vectors along t1 and t2, shape (n, 2).
    """

    kind: np.ndarray
    first: np.ndarray
    mu: np.ndarray
    bound: np.ndarray
    direction: np.ndarray

    @classmethod
    def of(cls, kinds: Sequence[str], mu=0.0, bound=0.0, direction=(1.0, 0.0)) -> Blocks:
        """Return blocks of these kinds; numbers are of all, or an array with a value for each.

        Raises:
            ValueError: If there is no such kind, or a number cannot be.
        """
        if unknown := sorted(set(kinds) - KINDS.keys()):
            raise ValueError(f"unknown kind of rows {unknown[0]!r}; there are {', '.join(KINDS)}")
        n = len(kinds)
        kind = np.array([KINDS[name] for name in kinds], np.int64)
        first = np.concatenate([[0], np.cumsum([ROWS[k] for k in kind])])[:n].astype(np.int64)
        mu, bound = (np.broadcast_to(np.asarray(v, float), n).copy() for v in (mu, bound))
        direction = np.broadcast_to(np.asarray(direction, float), (n, 2)).copy()
        for name, values in (("mu", mu), ("bound", bound)):
            if not (np.isfinite(values).all() and (values >= 0.0).all()):
                raise ValueError(
                    f"{name} must be finite and not negative, got {values}; a row that never slips is bilateral"
                )
        if not np.allclose(np.hypot(*direction.T), 1.0, atol=1e-9):
            raise ValueError(f"directions must be unit vectors, got {direction}")
        return cls(kind, first, mu, bound, direction)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(sum(ROWS[k] for k in self.kind))


@dataclass(frozen=True)
class Solution:
    """Forces and motions of a contact problem. Check `status`.

    Attributes:
        status: What is known.
        force: Forces or impulses f, shape (n_rows,).
        motion: Accelerations or velocities w = G f + b, shape (n_rows,).
        mode: OPEN, HELD, SLIPS, UPPER or LOWER, by block, shape (n,).
        residual: The certificate: natural residual of the true problem over the largest force, with both in units in
            which every block has a mobility of one; forces count as one at least and ten at most.
        error: By how much motions break the problem's rules, in their own unit; what is not SOLVED may still be within
            the noise of b.
        steps: Of Newton's method.
        other: The motion of another solution, if INDETERMINATE.
    """

    status: ContactStatus
    force: np.ndarray
    motion: np.ndarray
    mode: np.ndarray
    residual: float
    error: float
    steps: int
    other: np.ndarray | None = None
