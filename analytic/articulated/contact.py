"""The contact problem of a robot: contacts, joint limits and dry friction at once, solved with a certificate.

Coulomb's law is not convex: a solution need not exist (Painleve's paradox), and there may be several. Where rows are
redundant (a box on four corners) forces are not unique although velocities are; the least forces are returned, by the
sum of squares weighted with mobilities, among those that respect cones and bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..compilation import jit
from .blocks import (
    BOUND,
    BOUNDED,
    CONE,
    KIND,
    S_INDETERMINATE,
    S_NO_SOLUTION,
    S_NOT_SOLVED,
    S_SOLVED,
    SLIDING,
    UNILATERAL,
    Block,
    Blocks,
    first_rows,
    is_jammed,
    natural_residual,
    rows_of,
    scaled,
    velocities,
)
from .enumeration import APART, HOLDS, enumerate_modes, is_monotone
from .one_contact import settled
from .redundant import consistent
from .search import GOOD, NEAR, ladder, refine, relative
from .vectors import add_scaled, clear, copy, largest


class ContactStatus(Enum):
    """How a contact problem ended; the value is a sentence."""

    SOLVED = "solved, and certified by the residual"
    INDETERMINATE = "there are solutions with different velocities: `force` and `other` are two of them"
    NO_SOLUTION = "no forces obey the laws: all modes were tried (Painleve's paradox), or nothing moves what closes"
    NOT_SOLVED = "no solution was found, and none excluded; `residual` says how far the best forces are from one"


STATUSES = tuple(ContactStatus)


def cone(mu: float) -> Block:
    """Return a contact at rest or just closing, with the rows normal, tangent, tangent."""
    return Block(CONE, _not_negative("mu", mu))


def sliding(mu: float, direction: Sequence[float]) -> Block:
    """Return a contact that slides in this direction, of any length but zero, in its tangents; three rows."""
    direction = np.asarray(direction, float)
    size = float(np.linalg.norm(direction)) if direction.shape == (2,) else 0.0
    if not 0.0 < size < np.inf:
        raise ValueError(f"direction must be two numbers, finite and not both zero, got {direction.tolist()}")
    return Block(SLIDING, _not_negative("mu", mu), tuple(direction / size))


def unilateral() -> Block:
    """Return a limit, which only pushes; one row."""
    return Block(UNILATERAL)


def bounded(bound: float) -> Block:
    """Return dry friction of at most `bound`, at rest or just moving; one row."""
    return Block(BOUNDED, bound=_not_negative("bound", bound))


@dataclass(frozen=True)
class ContactSolution:
    """Forces of a contact problem. Check `status`.

    Attributes:
        force: Shape (m,): impulses [N s] if `free` are velocities, forces [N] if accelerations.
        velocity: matrix @ force + free, shape (m,).
        status: How it ended.
        residual: Of force - P(force - velocity / mobility), P the projection on what forces may be, relative to the
            largest force: zero at solutions and nowhere else.
        mismatch: By how much `free` would have to change for the forces to be exact, in its units.
        other: Forces of a solution with other velocities if the status is INDETERMINATE, else None.
    """

    force: np.ndarray
    velocity: np.ndarray
    status: ContactStatus
    residual: float
    mismatch: float
    other: np.ndarray | None


def solve(matrix, free, blocks: Sequence[Block], *, noise: float = 0.0, starts: int = 0) -> ContactSolution:
    """Return forces f and velocities matrix @ f + free that obey contact and friction.

    Args:
        matrix: Inverse inertia that the rows meet, R M^-1 R^T: symmetric, positive semidefinite, shape (m, m).
        free: Velocities or accelerations of the rows without contact, shape (m,).
        blocks: What the rows are of, in their order.
        noise: By how much `free` may be wrong, in its units. Redundant rows that contradict each other by less count as
            solved; at zero, forces may grow until a row gives way, and too large a value accepts what is no solution.
        starts: Random starts from which another solution is looked for where feet are cones. Finding none is no proof;
            problems without cones need no starts, their modes are all tried.

    Returns:
        The solution. It does not raise where there is none: see `status`.

    Raises:
        ValueError: If shapes disagree, a number is not finite, or the matrix is not symmetric or not semidefinite.
    """
    matrix, free = np.array(matrix, float), np.array(free, float)
    m = sum(rows_of(block.kind) for block in blocks)
    if matrix.shape != (m, m) or free.shape != (m,):
        raise ValueError(f"the blocks have {m} rows; matrix has shape {matrix.shape} and free {free.shape}")
    if not (np.isfinite(matrix).all() and np.isfinite(free).all()):
        raise ValueError("matrix and free must be finite; they hold NaN or infinity")
    top = float(np.abs(matrix).max(initial=1e-300))
    if np.abs(matrix - matrix.T).max(initial=0.0) > 1e-9 * top:
        raise ValueError("matrix must be symmetric; it is R M^-1 R^T")
    if m and np.linalg.eigvalsh(matrix)[0] < -1e-9 * top:
        raise ValueError("matrix must be positive semidefinite; it is R M^-1 R^T with a positive definite M")
    if not 0.0 <= noise < np.inf:
        raise ValueError(f"noise must be a finite number, not negative, got {noise!r}")
    random = np.random.default_rng(0).standard_normal((starts, m))
    force, other, mode = np.zeros(m), np.zeros(m), np.zeros(len(blocks), np.int64)
    code, residual, mismatch = solve_rows(matrix, free, pack(blocks), noise, random, force, other, mode)
    was, code = code, settled(code, matrix, free, blocks, force, other, mode)
    if code in (S_SOLVED, S_INDETERMINATE) and code != was:
        a, b, scaled_blocks, scale, size = scaled(matrix, free, pack(blocks), noise)
        residual = relative(a, b, force / (scale * size), scaled_blocks, np.empty(m), np.empty(m))
        mismatch = residual * size
    return ContactSolution(
        force, matrix @ force + free, STATUSES[code], residual, mismatch, other if code == S_INDETERMINATE else None
    )


def pack(blocks: Sequence[Block]) -> Blocks:
    """Return the blocks as arrays for the compiled functions."""
    first = first_rows(blocks)
    of = np.array([(block.kind, i) for block, i in zip(blocks, first, strict=True)], np.int64).reshape(-1, 2)
    number = np.array([(block.mu, *block.direction, block.bound) for block in blocks], float).reshape(-1, 4)
    return Blocks(of, number)


@jit
def solve_rows(matrix, free, blocks, noise, random, force, other, mode):
    """Write forces, those of another solution and the modes; return the status, the residual and the mismatch."""
    m = len(free)
    if m == 0:
        return S_SOLVED, 0.0, 0.0
    given, b_given, scaled_blocks, scale, size = scaled(matrix, free, blocks, noise)
    x, y, weight, w, out, before = np.zeros(m), np.zeros(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for i in range(m):
        weight[i] = size / scale[i]
    a, b = consistent(given, b_given, weight, noise)
    best, worst = ladder(a, b, x, mode, scaled_blocks), 0.0
    natural_residual(a, b, x, scaled_blocks, w, out)
    for i in range(m):
        worst = max(worst, abs(weight[i] * out[i]))
    if GOOD < best < NEAR and worst <= noise:  # rows that nearly follow from others: rounding, too
        best = 0.0
    status = _judge(a, b, scaled_blocks, best, random, x, y, mode)
    if is_jammed(matrix, free, blocks, noise):
        status = S_NO_SOLUTION
    natural_residual(a, b, x, scaled_blocks, w, out)
    velocities(given, b_given, x, before)
    far, mismatch = 0.0, 0.0
    for i in range(m):
        far, mismatch = (
            max(far, abs(out[i] * scale[i])),
            max(mismatch, (abs(out[i]) + abs(before[i] - w[i])) * weight[i]),
        )
        force[i], other[i] = x[i] * scale[i] * size, y[i] * scale[i] * size
    return status, far * size / max(largest(force), 1e-6 * size), mismatch


@jit
def _judge(a, b, blocks, best, random, x, y, mode):
    """Return the status of forces x with this residual; write another solution to y, one that was missed to x."""
    cones, rubs = False, False
    for c in range(len(blocks.of)):
        cones = cones or blocks.of[c, KIND] == CONE
        rubs = rubs or (blocks.of[c, KIND] == SLIDING and blocks.number[c, 0] > 0.0)
    if cones:
        if not best <= GOOD:
            return S_NOT_SOLVED
        return S_INDETERMINATE if _differs(a, b, blocks, random, x, y) else S_SOLVED
    if best <= GOOD and (not rubs or is_monotone(a, blocks)):
        return S_SOLVED
    first = np.zeros(len(b))
    count = enumerate_modes(a, b, blocks, first, y)
    if not best <= GOOD:
        if count > 0:
            refine(a, b, first, mode, blocks)  # from the solution, for its modes
            copy(first, x)
        return S_NO_SOLUTION if count == 0 else (S_NOT_SOLVED if count < 0 else count - 1)
    if count == 2 and not _apart(a, x, y):
        copy(first, y)
    return S_INDETERMINATE if count == 2 else S_SOLVED


@jit
def _apart(a, x, y):
    """Return whether two forces give different velocities."""
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            s += a[i, j] * (x[j] - y[j])
        if abs(s) > APART:
            return True
    return False


@jit
def _differs(a, b, blocks, random, x, y):
    """Look from random starts for a solution with other velocities than x; write it to y; return whether there is."""
    w, out, mode = np.empty(len(b)), np.empty(len(b)), np.zeros(len(blocks.of), np.int64)
    for k in range(len(random)):
        clear(y)
        add_scaled(10.0 ** (k % 3 - 1), random[k], y)
        refine(a, b, y, mode, blocks)
        if relative(a, b, y, blocks, w, out) <= HOLDS and _apart(a, x, y):
            return True
    return False


def _not_negative(name: str, value: float) -> float:
    if not 0.0 <= value < np.inf:
        raise ValueError(f"{name} must be a finite number, not negative, got {value!r}")
    return float(value)


assert BOUND == 3  # the order in `pack`
