"""Friction that jams (Painleve's paradox): proof that no forces obey the laws, and the impact without collision.

Where a foot slides so that its friction presses it deeper than the ground pushes it out, no finite forces solve the
problem of accelerations. The limit of stiff feet is an impact without a closing speed, which ends the slip (Genot and
Brogliato, European Journal of Mechanics A 18, 1999): the impact of a closing speed that goes to zero.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from .blocks import SLIDING, UNILATERAL

if TYPE_CHECKING:
    from .contact import Block

CLOSING = 1e-6  # speed that stands for none [m/s]
MOST = 10  # contacts of which all sets are tried
APART = 1e-6  # of the velocities without contact: what a set leaves, and is not rounding


def has_no_solution(matrix: np.ndarray, free: np.ndarray, blocks: Sequence[Block]) -> bool:
    """Return whether a contact problem of few sliding contacts and limits has no solution, redundant rows or not.

    Every set of contacts that close is a cone of `free` for which there are forces: it is in none of them.

    Args:
        matrix: Mobility of the rows, shape (m, m), as in `contact.solve`.
        free: Velocities or accelerations without contact, shape (m,).
        blocks: What the rows are of.
    """
    if len(blocks) > MOST or any(block.kind not in (SLIDING, UNILATERAL) for block in blocks):
        return False
    normal = np.cumsum([0, *(3 if block.kind == SLIDING else 1 for block in blocks)])[:-1]
    system = np.empty((len(blocks), len(blocks)))
    for c, (block, i) in enumerate(zip(blocks, normal, strict=True)):
        system[:, c] = matrix[normal, i]
        if block.kind == SLIDING:
            system[:, c] -= block.mu * matrix[np.ix_(normal, [i + 1, i + 2])] @ block.direction
    right, opens = -free[normal], -np.eye(len(blocks))
    least = APART * np.abs(right).max(initial=1e-300)
    for closed in itertools.product((True, False), repeat=len(blocks)):
        if nnls(np.where(closed, system, opens), right)[1] <= least:
            return False
    return True
