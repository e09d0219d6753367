"""Multipliers of a stride: eigenvalues of its derivative by central differences, symmetries taken out by name.

The step is the one at which two sizes agree best along some directions: larger ones err by curvature, smaller ones by
the noise of the stride, such as single precision of an observation or the tolerance of a contact solver. The derivative
is then taken at that step and at half of it, and how these differ is the uncertainty of every entry.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tarsus.scripts.library.stability.system import System

STEPS = 10.0 ** np.arange(-1.0, -7.5, -0.5)  # tried, in typical values of the coordinates
DIRECTIONS = 3  # in which they are tried
MIXTURES = 200  # of the derivatives at both steps, whose eigenvalues make the interval
NEARLY = 2e-4  # relative difference of derivatives that agree nearly as well as the best
SYMMETRY = 1e-3  # part of a symmetry's displacement that may show in other coordinates
FORGOTTEN = 0.02  # a displacement so much smaller after a stride is gone before its rate can be measured
CLOCK = "the clock's phase"  # among symmetries
AGREE = 0.02  # relative difference of the largest multiplier at two steps that is none


@dataclass(frozen=True)
class Step:
    """A step of differences, in typical values."""

    size: float  # it is the one at which derivatives at it and at half of it agree best
    error: float  # by how much they differ there, relative to the derivative
    widest: float  # the largest step at which they agree nearly as well: displacements so large are still small
    noise: float  # of the stride's result, as derivatives at steps below `size` tell it


@dataclass(frozen=True)
class Multipliers:
    """Multipliers of a stride."""

    values: np.ndarray  # complex, largest modulus first, shape (k,)
    interval: tuple[float, float]  # in which the largest modulus lies, as far as steps and noise tell
    step: Step  # of the differences
    coarse: float  # the largest modulus at the step; `values` are those at half of it, or by saltation matrices
    neutral: tuple[str, ...]  # names of the symmetries that were taken out; a clock that nothing else drives is one
    vector: np.ndarray  # eigenvector of the largest, in typical values, shape (n,); 0 where coordinates were taken out
    names: tuple[str, ...]  # of all coordinates, shape (n,)
    left: np.ndarray  # which of them are left, shape (n,)
    matrix: np.ndarray  # the derivative without symmetries, zero there, in typical values, shape (n, n)

    @property
    def largest(self) -> float:
        """The largest modulus; 0 if nothing is left."""
        return float(abs(self.values[0])) if len(self.values) else 0.0

    @property
    def direction(self) -> str:
        """Name of the coordinate that the eigenvector of the largest is longest in."""
        return self.names[int(np.argmax(np.abs(self.vector)))]

    @property
    def agree(self) -> bool:
        """Whether both steps give the same largest modulus, or both none to speak of."""
        if max(self.coarse, self.largest) < FORGOTTEN:
            return True
        return abs(self.coarse - self.largest) <= AGREE * self.largest


def difference(system: System, by: np.ndarray, sided: bool = False) -> np.ndarray:
    """Return the central difference of the stride over a displacement in typical values, shape (n,).

    If `sided`, one to one side will do where the displacement changes nothing but itself, or cannot be to the other
    side, as beyond a saturation.
    """
    ahead = system.deviations(by * system.scale, 1)[-1] / system.scale
    if sided and not np.any(ahead[by == 0.0]):  # it changes nothing but itself, if that
        return ahead
    back = system.deviations(-by * system.scale, 1)[-1] / system.scale
    if sided and np.isfinite(ahead).all() != np.isfinite(back).all():
        return ahead if np.isfinite(ahead).all() else -back
    return 0.5 * (ahead - back)


def best_step(system: System, rng: np.random.Generator) -> Step:
    """Return the step at which derivatives along random directions agree best with those at half of it."""
    errors, sizes = np.zeros((DIRECTIONS, len(STEPS))), np.zeros((DIRECTIONS, len(STEPS)))
    for k in range(DIRECTIONS):
        direction = rng.standard_normal(len(system.names)) * ~system.hidden
        direction /= np.linalg.norm(direction)
        slopes = np.array([difference(system, h * direction) / h for h in STEPS])
        halves = np.array([difference(system, 0.5 * h * direction) / (0.5 * h) for h in STEPS])
        errors[k] = np.nan_to_num(np.linalg.norm(slopes - halves, axis=1), nan=np.inf)
        sizes[k] = np.maximum(np.nan_to_num(np.linalg.norm(halves, axis=1)), 1e-12)
    relative = (errors / sizes).max(0)
    best = int(np.argmin(relative))
    worse = np.flatnonzero(relative[:best] > max(NEARLY, 2.0 * relative[best]))
    widest = int(worse.max(initial=-1)) + 1  # over several periods of a waviness larger steps agree again
    noise = float(np.median((errors * STEPS)[:, best:], axis=1).max())
    return Step(float(STEPS[best]), float(relative[best]), float(STEPS[widest]), noise)


def columns(system: System, size: float, first: int, last: int) -> np.ndarray:
    """Return columns of the derivative in typical values at a step, shape (n, last - first)."""
    units = np.eye(len(system.names))[first:last]
    found = [difference(system, size * unit, bool(system.hidden @ unit)) / size for unit in units]
    return np.stack(found, axis=1)


def derivative(
    system: System, size: float, block: Callable[[int, int], np.ndarray] | None = None, width: int = 16
) -> np.ndarray:
    """Return the derivative in typical values at a step, shape (n, n), in blocks of so many columns.

    `block` returns the columns from a first to before a last one; by default `columns`.
    """
    n = len(system.names)
    block = block or (lambda first, last: columns(system, size, first, last))
    return np.concatenate([block(k, min(k + width, n)) for k in range(0, n, width)], axis=1)


def neutral(matrix: np.ndarray, names: tuple[str, ...], symmetric: tuple[str, ...], out: np.ndarray) -> np.ndarray:
    """Return a mask of symmetries: coordinates that stay displaced, and nothing else changes, shape (n,).

    Those of a block, such as place and heading, may turn into each other. What happens to coordinates that are `out`,
    shape (n,), does not matter.
    """
    found = np.array([name in symmetric for name in names]) & ~out
    while found.any():
        spill = np.linalg.norm(matrix[np.ix_(~(found | out), found)], axis=0)
        kept = np.linalg.norm(matrix[np.ix_(found, found)], axis=0)
        bad = (spill > SYMMETRY) | (kept < 1.0 - SYMMETRY)
        if not bad.any():
            return found
        found[np.flatnonzero(found)[bad]] = False
    return found


def idle(matrix: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """Return a mask of the hidden coordinates that change nothing but themselves and others such, shape (n,)."""
    found = np.zeros(len(matrix), bool)
    while True:
        others = np.abs(matrix - np.diag(np.diag(matrix)))[~found].max(0, initial=0.0)
        more = hidden & ~found & (others == 0.0)
        if not more.any():
            return found
        found |= more


def autonomous(matrix: np.ndarray, hidden: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Return a mask of the hidden coordinates that only such ones drive, as the phase of a clock, shape (n,)."""
    found = hidden & ~out
    while True:
        driven = np.abs(matrix[:, ~(found | out)]).max(1, initial=0.0) > 0.0
        if not (driven & found).any():
            return found
        found &= ~driven


def multipliers(system: System, step: Step, coarse: np.ndarray, fine: np.ndarray, rng) -> Multipliers:
    """Return the multipliers from derivatives at a step and at half of it, or by saltation, in typical values.

    Both have the shape (n, n); `rng` draws the mixtures.
    """
    if not (np.isfinite(fine).all() and np.isfinite(coarse).all()):
        nothing = np.full(len(fine), np.nan)
        return Multipliers(nothing, (np.nan, np.nan), step, np.nan, (), nothing, system.names, ~system.hidden, fine)
    out = idle(fine, system.hidden)
    gone = neutral(fine, system.names, system.symmetric, out)
    clock = autonomous(fine, system.hidden, out | gone)
    left = ~(gone | clock | out)
    kept = np.ix_(left, left)
    values, vectors = np.linalg.eig(fine[kept])
    order = np.argsort(-np.abs(values))
    apart, moduli = (coarse - fine)[kept], [_largest(fine[kept]), _largest(coarse[kept])]
    for _ in range(MIXTURES if left.any() else 0):
        moduli.append(_largest(fine[kept] + rng.uniform(-1.0, 1.0, apart.shape) * apart))
    vector, matrix = np.zeros(len(left), complex), np.zeros_like(fine)
    if left.any():
        vector[left] = vectors[:, order[0]]
    matrix[kept] = fine[kept]
    names = [name for name, taken in zip(system.names, gone, strict=True) if taken]
    names += [CLOCK] if _keeps(fine[np.ix_(clock, clock)]) else []
    interval = min(moduli), max(moduli)
    return Multipliers(values[order], interval, step, moduli[1], tuple(names), vector, system.names, left, matrix)


def _keeps(matrix: np.ndarray) -> bool:
    """Whether a clock's derivative has a multiplier 1: it goes on as it was displaced."""
    return bool((np.abs(np.linalg.eigvals(matrix) - 1.0) < SYMMETRY).any())


def _largest(matrix: np.ndarray) -> float:
    return float(np.abs(np.linalg.eigvals(matrix)).max(initial=0.0))
