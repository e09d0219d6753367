"""The contact problem of an articulated robot: which forces close its contacts, limits, dry joints and loops.

Motions are w = G f + b with the mobilities G = R M^-1 R' of all rows: accelerations, or velocities behind an impact.
Rows may be redundant, and mostly are: the four corners of a face, a stuck joint of a standing leg. Every answer has a
certificate, the natural residual of Coulomb's law itself and not of a convex relation of it.
"""

from __future__ import annotations

import itertools

import numpy as np

from .contact_rows import (
    BILATERAL,
    CONTACT,
    DRY,
    HELD,
    LIMIT,
    LOWER,
    OPEN,
    SLIDING,
    SLIPS,
    UPPER,
    Blocks,
    ContactStatus,
    Solution,
)
from .contact_search import TOLERANCE, held_forces, search

MOST_SETS = 2000  # of modes that are tried one by one
APART = 1e-7  # motions that differ by more are two, in units of the largest of b
CHOICES = {SLIDING: (OPEN, SLIPS), LIMIT: (OPEN, HELD), DRY: (HELD, UPPER, LOWER), BILATERAL: (HELD,)}


def solve(G, b, blocks: Blocks, noise: float = 0.0) -> Solution:
    """Return the forces and motions of a contact problem.

    Forces of feet that slip already make the problem one of linear complementarity; where its solution may not be the
    only one, or none was found, all sets of modes are tried, at most 2,000 of them.

    Args:
        G: Mobilities of all rows, symmetric, positive semidefinite, shape (n, n) [motion per force].
        b: Motions without forces, shape (n,); of impacts with what restitution asks for added.
        blocks: What the rows are.
        noise: How large an error of b, in its unit, may be: redundant rows then need not agree to rounding.

    Raises:
        ValueError: If shapes disagree, or a number is not finite.
    """
    G, b = np.array(G, float), np.array(b, float)
    n = blocks.n_rows
    if G.shape != (n, n) or b.shape != (n,):
        raise ValueError(
            f"blocks of {n} rows need G of shape ({n}, {n}) and b of shape ({n},), got {G.shape}, {b.shape}"
        )
    if not (np.isfinite(G).all() and np.isfinite(b).all()):
        raise ValueError("G and b must be finite: a mass of zero, or a state that diverged, makes them infinite")
    if n == 0:
        return Solution(ContactStatus.SOLVED, b, b, np.empty(0, np.int64), 0.0, 0.0, 0)
    return _Scaled(G, b, blocks).solved(noise)


class _Scaled:
    """A problem in units in which every block has a largest mobility of one, and the largest motion is one."""

    def __init__(self, G: np.ndarray, b: np.ndarray, blocks: Blocks) -> None:
        edges = np.append(blocks.first, len(b))
        most = [np.diag(G)[i:j].max() for i, j in itertools.pairwise(edges)]
        scale = np.repeat([1.0 / np.sqrt(m) if m > 0.0 else 1.0 for m in most], np.diff(edges))
        self.blocks, self.scale, self.size = blocks, scale, np.abs(scale * b).max() or 1.0
        self.G, self.b = scale[:, None] * G * scale, scale * b / self.size
        bound = blocks.bound / (self.size * scale[blocks.first])
        self.problem = blocks.kind, blocks.first, blocks.mu, bound, blocks.direction

    def solved(self, noise: float) -> Solution:
        n = len(self.b)
        x, w, mode, numbers = np.zeros(n), np.zeros(n), np.zeros(len(self.blocks.kind), np.int64), np.empty(3)
        search(*self.problem, self.G, self.b, x, w, mode, numbers)
        # The map in units of forces is in those of motions, too: every mobility is one.
        error = numbers[1] * self.size / self.scale.min()
        holds = numbers[0] <= TOLERANCE or error <= noise
        status, other = ContactStatus.SOLVED if holds else ContactStatus.NOT_SOLVED, None
        if self.is_linear and not (holds and self.is_monotone):
            found = self.all_solutions()
            if found is not None and not holds:
                status = ContactStatus.NO_SOLUTION
            for forces, motions, modes in found or ():
                if not holds:
                    x, w, mode, holds, status = forces, motions, modes, True, ContactStatus.SOLVED
                    numbers[0] = error = 0.0
                elif np.abs(motions - w).max() > APART:
                    status, other = ContactStatus.INDETERMINATE, motions
        elif not holds and self.contradicts(x):
            status = ContactStatus.NO_SOLUTION
        back = self.size / self.scale
        shown = None if other is None else other * back
        force, motion = x * self.size * self.scale, w * back
        return Solution(status, force, motion, mode, float(numbers[0]), float(error), int(numbers[2]), shown)

    @property
    def is_linear(self) -> bool:
        return not (self.blocks.kind == CONTACT).any()

    @property
    def is_monotone(self) -> bool:
        """Whether the problem of linear complementarity has one solution: its matrix is positive definite."""
        first = self.blocks.first
        normal = self.G[np.ix_(first, first)].copy()
        for c in np.flatnonzero(self.blocks.kind == SLIDING):
            along = self.G[first][:, [first[c] + 1, first[c] + 2]] @ self.blocks.direction[c]
            normal[:, c] += self.blocks.mu[c] * along
        return bool(np.linalg.eigvalsh(normal + normal.T)[0] > 1e-9)

    def all_solutions(self) -> list | None:
        """Return every solution that some set of modes has; None if there are too many sets to try."""
        choices = [CHOICES[kind] for kind in self.blocks.kind]
        if np.prod([float(len(choice)) for choice in choices]) > MOST_SETS:
            return None
        found = []
        for modes in itertools.product(*choices):
            x, w, mode = np.empty(len(self.b)), np.empty(len(self.b)), np.array(modes, np.int64)
            if held_forces(*self.problem, self.G, self.b, mode, x, w) <= TOLERANCE:
                found.append((x, w, mode))
        return found

    def contradicts(self, x: np.ndarray) -> bool:
        """Whether rows contradict each other: forces that move nothing would do work on what must not be."""
        size = np.abs(x).max()
        if not np.isfinite(size) or size == 0.0:
            return False
        ray = x / size
        for c in np.flatnonzero(self.blocks.kind == CONTACT):
            ray[self.blocks.first[c] + 1 : self.blocks.first[c] + 3] = 0.0
        ray[self.blocks.first[self.blocks.kind == DRY]] = 0.0
        return bool(np.abs(self.G @ ray).max() < 1e-9 and ray @ self.b < -1e-9)
