"""Friction that jams (Painleve's paradox): proof that no forces obey the laws, and the impact without collision.

Where a foot slides so that its friction presses it deeper than the ground pushes it out, no finite forces solve the
problem of accelerations. The limit of stiff feet is an impact without a closing speed, which ends the slip (Genot and
Brogliato, European Journal of Mechanics A 18, 1999): the impact of a closing speed that goes to zero.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from .blocks import BOUNDED, CONE, SLIDING, Block, first_rows

CLOSING = 1e-6  # speed that stands for none [m/s]
MOST = 10  # contacts of which all sets are tried
APART = 1e-6  # of the velocities without contact: what a set leaves, and is not rounding


def has_no_solution(matrix: np.ndarray, free: np.ndarray, blocks: Sequence[Block]) -> bool:
    """Return whether a problem of few sliding contacts, limits and dry joints has no solution, redundant rows or not.

    Every set of contacts that close is a cone of `free` for which there are forces: it is in none of them.

    Args:
        matrix: Mobility of the rows, shape (m, m), as in `contact.solve`.
        free: Velocities or accelerations without contact, shape (m,).
        blocks: What the rows are of.
    """
    if len(blocks) > MOST or any(block.kind == CONE for block in blocks):
        return False
    normal = first_rows(blocks)
    system = np.empty((len(blocks), len(blocks)))
    for c, (block, i) in enumerate(zip(blocks, normal, strict=True)):
        system[:, c] = matrix[normal, i]
        if block.kind == SLIDING:
            system[:, c] -= block.mu * matrix[np.ix_(normal, [i + 1, i + 2])] @ block.direction
    least = APART * np.abs(free[normal]).max(initial=1e-300)
    modes = ((-1, 0, 1) if block.kind == BOUNDED else (False, True) for block in blocks)
    return all(nnls(*_problem(system, free[normal], blocks, mode))[1] > least for mode in itertools.product(*modes))


def _problem(system, free, blocks: Sequence[Block], modes) -> tuple[np.ndarray, np.ndarray]:
    """Return A and b: forces of what closes and velocities of what opens, all x >= 0, obey A x = b.

    Dry friction at rest is x - bound, at most twice the bound; else it is at its bound, against the velocity.
    """
    n, right, opens = len(blocks), -free, -np.eye(len(blocks))
    columns, most = np.where([mode == (block.kind != BOUNDED) for block, mode in zip(blocks, modes, strict=True)],
                             system, opens), []  # fmt: skip
    for c, (block, mode) in enumerate(zip(blocks, modes, strict=True)):
        if block.kind != BOUNDED:
            continue
        right = right - system[:, c] * (mode if mode else -1) * block.bound
        if mode:
            columns[:, c] *= mode * -1.0
        else:
            most.append((c, system[c, c], block.bound))
    whole = np.zeros((n + len(most), n + len(most)))
    whole[:n, :n] = columns
    for k, (c, scale, _) in enumerate(most, n):
        whole[k, c] = whole[k, k] = scale
    return whole, np.append(right, [2.0 * bound * scale for _, scale, bound in most])
