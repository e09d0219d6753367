"""All solutions of a problem with one cone: open, at rest, and each angle of slip at which the law holds.

With the force (1, -mu u) f against a slip along u, f = -b_n / A(u), A the mobility along it, the slip is along u where
A(u) u x b_t - b_n u x (A_tn - mu A_tt u) is zero: a trigonometric polynomial of degree two in the angle, so that there
are four at most. Contacts that slide, limits and dry joints beside it are eliminated: in each of their modes their
forces follow linearly from the cone's, and its mobility with them is no more symmetric.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from .blocks import BOUNDED, CONE, S_INDETERMINATE, S_NO_SOLUTION, S_NOT_SOLVED, S_SOLVED, SLIDING, Block, first_rows
from .jam import has_no_solution
from .newton import CLOSED, SLIP

NEAR = 1e-4  # of the unit circle: a root that is an angle, before it is polished
ROUNDING, RESTS, APART, SINGULAR = 1e-12, 1e-10, 1e-7, 1e-10
FEW = 7  # blocks of which all sets are tried beside a cone
SEVERAL = 4  # contacts of which others than the first solution are looked for
DIRECTIONS = (1.0, 0.0), (-0.5, 0.75**0.5), (-0.5, -(0.75**0.5))  # of the friction they begin with


def all_solutions(matrix: np.ndarray, free: np.ndarray, mu: float) -> list[np.ndarray]:
    """Return all forces that obey contact and friction of one contact, each shape (3,), the least first.

    Args:
        matrix: Mobility of the rows normal, tangent, tangent, shape (3, 3).
        free: Velocities or accelerations without contact, shape (3,).
        mu: Coefficient of friction.
    """
    found = [np.zeros(3)] if free[0] >= 0.0 else []
    stick = -np.linalg.lstsq(matrix, free, rcond=ROUNDING)[0]
    rests = np.abs(matrix @ stick + free).max() <= ROUNDING * np.abs(free).max()
    if rests and np.hypot(*stick[1:]) <= mu * stick[0]:
        found.append(stick)
    (m, m1, m2), (n1, a, b), (n2, c, d) = matrix.tolist()
    f, f1, f2 = free.tolist()
    for u, v in _directions(matrix, free, mu):
        mobility = m - mu * (m1 * u + m2 * v)
        if mobility * -f <= 0.0:
            continue
        normal = -f / mobility
        slip_1, slip_2 = f1 + normal * (n1 - mu * (a * u + b * v)), f2 + normal * (n2 - mu * (c * u + d * v))
        if slip_1 * u + slip_2 * v > 0.0:
            found.append(normal * np.array([1.0, -mu * u, -mu * v]))
    return sorted(found, key=lambda force: force[0])


def is_unique(matrix: np.ndarray, blocks: Sequence[Block]) -> bool:
    """Return whether a problem has one w at most, or, of several blocks, a singular matrix, of which this says nothing.

    Of two solutions, d apart, friction gives d_t (A d)_t <= mu |d_n| |(A d)_t| for each contact, all else d (A d) <= 0.
    With A = G G^T, y = G^T d these are d_n = P y, P P^T = (A^-1)_nn, and (A d)_t = T y, T T^T = A_tt, P T^T = 0: then
    |y|^2 <= |mu P y| |T y| <= |mu P| |T| |y|^2 / 2, and y = 0 where |mu P| |T| < 2. Rows are scaled to be alike.
    """
    rubs = [(block.mu, i) for block, i in zip(blocks, first_rows(blocks).tolist(), strict=True) if block.mu > 0.0]
    if not rubs:
        return True
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return len(blocks) > 1
    moves, holds = matrix.diagonal().tolist(), inverse.diagonal().tolist()
    if not (min(holds) > 0.0 and max(holds) * max(moves) < 1.0 / SINGULAR):
        return len(blocks) > 1
    slides = [(moves[i + 1] + moves[i + 2]) ** 0.5 for _, i in rubs]  # of a row
    presses = [mu * holds[i] ** 0.5 for mu, i in rubs]
    # |T|^2 and |mu P|^2 are at least the half and the whole of the largest, and at most the sum.
    own = [slide * press for slide, press in zip(slides, presses, strict=True)]
    if sum(own) < 2.0 or max(own) ** 2 >= 8.0:
        return sum(own) < 2.0
    mu, n = np.array([mu for mu, _ in rubs]), np.array([i for _, i in rubs])
    slide, press = np.array(slides), np.array(presses)
    rows, scale = np.stack([n + 1, n + 2], 1).ravel(), np.sqrt(slide / press)
    slides = np.linalg.eigvalsh(matrix[rows[:, None], rows] / np.outer(scale.repeat(2), scale.repeat(2)))[-1]
    return slides * np.linalg.eigvalsh(inverse[n[:, None], n] * np.outer(mu * scale, mu * scale))[-1] < 4.0


def starts(matrix: np.ndarray, blocks: Sequence[Block]) -> np.ndarray:
    """Return forces from which others are looked for, shape (n, m), in the solver's scale: all sets of a few modes.

    There are none where solutions are unique, of one cone, which is tried in full, nor of more than `SEVERAL` contacts.
    """
    first = first_rows(blocks).tolist()
    cones = tuple((i, block.mu) for block, i in zip(blocks, first, strict=True) if block.kind == CONE)
    several = len(cones) > 1 and sum(block.kind in (CONE, SLIDING) for block in blocks) <= SEVERAL
    if not several or is_unique(matrix, blocks):
        return np.zeros((0, len(matrix)))
    return _sets_of_modes(cones, len(matrix))


@lru_cache
def _sets_of_modes(cones: tuple[tuple[int, float], ...], m: int) -> np.ndarray:
    """Return unit forces of all sets of a few modes of cones, by first row and friction, shape (n, m)."""
    found = np.zeros((1, m))
    for i, mu in cones:
        slips = [(1.0, mu * x, mu * y) for x, y in DIRECTIONS[: 3 if len(cones) == 2 else 2]]
        parts = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), *slips])
        found = np.repeat(found, len(parts), 0)
        found[:, i : i + 3] = np.tile(parts, (len(found) // len(parts), 1))
    return found


def solutions_beside(matrix: np.ndarray, free: np.ndarray, blocks: Sequence[Block]) -> list[np.ndarray]:
    """Return all forces of a problem with one cone among other blocks, each shape (m,), the least of the cone first.

    Args:
        matrix: Mobility of the rows, shape (m, m), as in `contact.solve`.
        free: Velocities or accelerations without contact, shape (m,).
        blocks: What the rows are of.
    """
    if len(blocks) == 1:
        return all_solutions(matrix, free, blocks[0].mu)
    placed = list(zip(blocks, first_rows(blocks), strict=True))
    others = [(block, i) for block, i in placed if block.kind != CONE]
    c, mu = next((i, block.mu) for block, i in placed if block.kind == CONE)
    rows, pushes = np.array([i for _, i in others], int), np.zeros((len(others), len(free)))
    for push, (block, i) in zip(pushes, others, strict=True):
        push[i] = 1.0
        if block.kind == SLIDING:
            push[i + 1 : i + 3] = -block.mu * np.array(block.direction)
    found = []
    for modes in itertools.product(*((-1, 0, 1) if block.kind == BOUNDED else (0, 1) for block, _ in others)):
        given, held = np.zeros(len(free)), np.zeros(len(others), bool)
        for k, (mode, (block, i)) in enumerate(zip(modes, others, strict=True)):
            held[k] = mode == 0 if block.kind == BOUNDED else mode == 1
            given[i] = mode * block.bound if block.kind == BOUNDED else 0.0
        push, row, left = pushes[held], rows[held], np.column_stack([free + matrix @ given, matrix[:, c : c + 3]])
        moves = matrix @ push.T
        back = np.linalg.lstsq(moves[row], left[row], rcond=ROUNDING)[0]
        reduced = left - moves @ back
        for force in all_solutions(reduced[c : c + 3, 1:], reduced[c : c + 3, 0], mu):
            whole = given - push.T @ (back @ np.append(1.0, force))
            whole[c : c + 3] += force
            if _obeys(matrix @ whole + free, whole, modes, others, RESTS * np.abs(free).max()):
                found.append(whole)
    return sorted(found, key=lambda force: force[c])


def _obeys(velocity, force, modes: Sequence[int], others: Sequence[tuple[Block, int]], fast: float) -> bool:
    """Return whether blocks beside the cone obey their laws in these modes; velocities up to `fast` are rounding."""
    strong = RESTS * np.abs(force).max()
    for mode, (block, i) in zip(modes, others, strict=True):
        rests = abs(velocity[i]) <= fast
        if block.kind == BOUNDED:
            holds = mode * velocity[i] <= fast if mode else rests and abs(force[i]) <= block.bound + strong
        else:
            holds = rests and force[i] >= -strong if mode else velocity[i] >= -fast
        if not holds:
            return False
    return True


def settled(code: int, matrix, free, blocks: Sequence[Block], force, other, mode) -> int:
    """Return the status of a problem: with one cone its solutions are known, with none whether there is one.

    Where there are several, or the only one was not found, writes the least forces, those of another solution and the
    modes; see `solve_rows`, whose status `code` is.
    """
    cones = [c for c, block in enumerate(blocks) if block.kind == CONE]
    if code not in (S_SOLVED, S_NOT_SOLVED) or (code == S_SOLVED and len(cones) != 1):
        return code
    known = len(cones) == 1 and len(blocks) <= FEW
    rubs = any(block.kind == BOUNDED for block in blocks)  # many modes, of which the solver's one is taken
    if code == S_SOLVED and (not known or rubs or is_unique(matrix, blocks)):
        return code
    if not known:
        return S_NO_SOLUTION if code == S_NOT_SOLVED and has_no_solution(matrix, free, blocks) else code
    found = solutions_beside(matrix, free, blocks)
    if not found:
        return S_NO_SOLUTION if code == S_NOT_SOLVED and len(blocks) > 1 else code
    several = max(np.abs(matrix @ (f - found[0])).max() for f in found) > APART * np.abs(free).max()
    if code == S_SOLVED and not several:
        return code
    force[:], other[:] = found[0], found[-1]
    _write_modes(matrix @ force + free, force, blocks, RESTS * np.linalg.norm(free), mode)
    return S_INDETERMINATE if several else S_SOLVED


def _write_modes(velocity, force, blocks: Sequence[Block], rests: float, mode) -> None:
    """Write the modes of the blocks as `newton` does."""
    for k, (block, i) in enumerate(zip(blocks, first_rows(blocks), strict=True)):
        if block.kind == BOUNDED:
            mode[k] = 0 if abs(force[i]) < block.bound else np.sign(force[i])
        else:
            mode[k] = 0 if force[i] <= 0.0 else CLOSED
        if block.kind == CONE and mode[k] and np.linalg.norm(velocity[i + 1 : i + 3]) > rests:
            mode[k] = SLIP


def _directions(matrix: np.ndarray, free: np.ndarray, mu: float) -> list[tuple[float, float]]:
    """Return the directions along which a foot slips if friction acts against them, one way or the other."""
    (m, m1, m2), (n1, a, b), (n2, c, d) = matrix.tolist()
    f, f1, f2 = free.tolist()
    p, q, r = mu * (f * c - m1 * f2), mu * (f * (d - a) - m2 * f2 + m1 * f1), mu * (m2 * f1 - f * b)
    cosine, sine = m * f2 - f * n2, f * n1 - m * f1  # of the angle; then of twice the angle
    cosine_2, sine_2, constant = 0.5 * (p - r), 0.5 * q, 0.5 * (p + r)
    first, second = 0.5 * (cosine - 1j * sine), 0.5 * (cosine_2 - 1j * sine_2)
    found = []
    for root in np.roots([second, first, constant, first.conjugate(), second.conjugate()]).tolist():
        if abs(abs(root) - 1.0) >= NEAR:
            continue
        u, v = root.real / abs(root), root.imag / abs(root)
        for _ in range(2):  # Newton's method
            u2, v2 = u * u - v * v, 2.0 * u * v
            slope = sine * u - cosine * v + 2.0 * (sine_2 * u2 - cosine_2 * v2)
            value = constant + cosine * u + sine * v + cosine_2 * u2 + sine_2 * v2
            turn = -value / slope if abs(slope) > ROUNDING else 0.0
            u, v = u * math.cos(turn) - v * math.sin(turn), v * math.cos(turn) + u * math.sin(turn)
        found.append((u, v))
    return found
