"""Newton's method on the natural map of a contact problem with compliance, which regularises redundant rows.

The problem is w = G x + b + delta (x - center) with the rules of `contact_rows`. Of a contact with z = x - w the map is

    F_n = x_n - max(0, z_n),    F_t = x_t - P(z_t),    P the projection to the disc of radius mu max(0, z_n),

whose zeros are Coulomb's law, not its convex relation. Source: Alart & Curnier, Comput. Methods Appl. Mech. Eng. 92
(1991); De Saxce & Feng, Math. Comput. Modelling 28 (1998).
"""

from __future__ import annotations

import math

import numpy as np

from ..compilation import jit
from .contact_rows import BILATERAL, CONTACT, DRY, HELD, LOWER, OPEN, SLIDING, SLIPS, UPPER

MOST_STEPS = 80
MEMORY = 4  # a step may be worse than the last, but not than the worst of so many
MOST_WHOLE = 8  # steps over kinks, of a search that finds no shorter one
CLOSE = 1e-13  # residual at which it ends, for scaled forces of one


@jit
def write_motion(G, b, x, w):
    """Write w = G x + b."""
    for i in range(len(b)):
        total = b[i]
        for j in range(len(b)):
            total += G[i, j] * x[j]
        w[i] = total


@jit
def choose_modes(problem, x, w, mode):
    """Write the branch of the natural map that every block is in."""
    kind, first, mu, bound, direction = problem
    for c in range(len(kind)):
        i = first[c]
        z = x[i] - w[i]
        if kind[c] == BILATERAL:
            mode[c] = HELD
        elif kind[c] == DRY:
            mode[c] = UPPER if z >= bound[c] else LOWER if z <= -bound[c] else HELD
        elif z <= 0.0:
            mode[c] = OPEN
        elif kind[c] == CONTACT:
            slips = math.hypot(x[i + 1] - w[i + 1], x[i + 2] - w[i + 2]) > mu[c] * z
            mode[c] = SLIPS if slips else HELD
        else:
            mode[c] = SLIPS if kind[c] == SLIDING else HELD


@jit
def write_map(problem, x, w, mode, F):
    """Write the natural map in these modes; return its largest entry, infinity if one is no number."""
    kind, first, mu, bound, direction = problem
    most = 0.0
    for c in range(len(kind)):
        i = first[c]
        if mode[c] == UPPER:
            F[i] = x[i] - bound[c]
        elif mode[c] == LOWER:
            F[i] = x[i] + bound[c]
        else:
            F[i] = x[i] if mode[c] == OPEN else w[i]
        rows = 1
        if kind[c] == CONTACT or kind[c] == SLIDING:
            rows = 3
            _write_tangential(problem, c, x, w, mode, F)
        for k in range(i, i + rows):
            if not math.isfinite(F[k]) or not math.isfinite(x[k]):
                return math.inf
            most = max(most, abs(F[k]))
    return most


@jit
def _write_tangential(problem, c, x, w, mode, F):
    kind, first, mu, bound, direction = problem
    i = first[c]
    if mode[c] == OPEN:
        F[i + 1], F[i + 2] = x[i + 1], x[i + 2]
    elif kind[c] == SLIDING:
        F[i + 1] = x[i + 1] - mu[c] * direction[c, 0] * x[i]
        F[i + 2] = x[i + 2] - mu[c] * direction[c, 1] * x[i]
    elif mode[c] == HELD:
        F[i + 1], F[i + 2] = w[i + 1], w[i + 2]
    else:
        y1, y2 = x[i + 1] - w[i + 1], x[i + 2] - w[i + 2]
        share = mu[c] * (x[i] - w[i]) / max(math.hypot(y1, y2), 1e-300)
        F[i + 1], F[i + 2] = x[i + 1] - share * y1, x[i + 2] - share * y2


@jit
def _write_row(G, delta, i, force, motion, row):
    """Add to a row of the Jacobian `force` of row i's force and `motion` of its motion."""
    for j in range(len(row)):
        row[j] += motion * G[i, j]
    row[i] += force + motion * delta


@jit
def _write_jacobian(problem, G, delta, x, w, mode, J):
    kind, first, mu, bound, direction = problem
    for i in range(len(x)):
        for j in range(len(x)):
            J[i, j] = 0.0
    for c in range(len(kind)):
        i = first[c]
        held = 1.0 if mode[c] == HELD or mode[c] == SLIPS else 0.0
        _write_row(G, delta, i, 1.0 - held, held, J[i])
        if kind[c] != CONTACT and kind[c] != SLIDING:
            continue
        if kind[c] == SLIDING and mode[c] == SLIPS:
            for k in (0, 1):
                J[i + 1 + k, i + 1 + k] = 1.0
                J[i + 1 + k, i] = -mu[c] * direction[c, k]
        elif mode[c] != SLIPS:
            stays = 1.0 if mode[c] == HELD else 0.0
            for k in (1, 2):
                _write_row(G, delta, i + k, 1.0 - stays, stays, J[i + k])
        else:
            _write_slip(G, delta, i, mu[c], x, w, J)


@jit
def _write_slip(G, delta, i, mu, x, w, J):
    """Write both rows of x_t - r y / |y|, with r = mu (x_n - w_n) and y = x_t - w_t."""
    y1, y2 = x[i + 1] - w[i + 1], x[i + 2] - w[i + 2]
    size = max(math.hypot(y1, y2), 1e-300)
    u = (y1 / size, y2 / size)
    share = mu * (x[i] - w[i]) / size
    for k in (0, 1):
        row = J[i + 1 + k]
        row[i + 1 + k] += 1.0
        _write_row(G, delta, i, -mu * u[k], mu * u[k], row)
        for m in (0, 1):
            across = share * ((1.0 if k == m else 0.0) - u[k] * u[m])
            _write_row(G, delta, i + 1 + m, -across, across, row)


@jit
def solve_linear(J, F):
    """Solve J d = F by elimination with row exchanges, the solution in F; return whether no pivot was zero."""
    n = len(F)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(J[i, k]) > abs(J[best, k]):
                best = i
        if not abs(J[best, k]) > 0.0:
            return False
        if best != k:
            for j in range(k, n):
                held = J[k, j]
                J[k, j] = J[best, j]
                J[best, j] = held
            held = F[k]
            F[k] = F[best]
            F[best] = held
        for i in range(k + 1, n):
            factor = J[i, k] / J[k, k]
            if factor != 0.0:
                for j in range(k + 1, n):
                    J[i, j] -= factor * J[k, j]
                F[i] -= factor * F[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            F[k] -= J[k, j] * F[j]
        F[k] /= J[k, k]
    return True


@jit
def map_at(problem, G, b, delta, center, x, free, w, mode, F):
    """Write w with its compliance, the modes if they are free, and the map; return its largest entry."""
    write_motion(G, b, x, w)
    for i in range(len(b)):
        w[i] += delta * (x[i] - center[i])
    if free:
        choose_modes(problem, x, w, mode)
    return write_map(problem, x, w, mode, F)


@jit
def newton(problem, G, b, delta, center, free, x, mode):
    """Find a zero of the map from x, which is the best that was met when it returns.

    Args:
        problem: kind, first, mu, bound and direction of `Blocks`.
        G: Mobilities, shape (n, n).
        b: Motions without forces, shape (n,).
        delta: Compliance.
        center: Forces at which it is at rest, shape (n,).
        free: Whether modes are chosen anew at every step; otherwise they stay as given.
        x: Forces, shape (n,).
        mode: Modes, shape (n_blocks,); those of the last map if they are free.

    Returns:
        The number of steps.
    """
    n = len(b)
    w, F, J, trial, best = np.empty(n), np.empty(n), np.empty((n, n)), np.empty(n), x.copy()
    past = np.full(MEMORY, math.inf)
    size = map_at(problem, G, b, delta, center, x, free, w, mode, F)
    least, whole = size, 0
    for step in range(MOST_STEPS):
        scale = 1.0
        for i in range(n):
            scale = max(scale, abs(x[i]))
        if size <= CLOSE * scale:
            return step
        past[step % MEMORY] = size
        worst = 0.0
        for k in range(min(step + 1, MEMORY)):
            worst = max(worst, past[k])
        _write_jacobian(problem, G, delta, x, w, mode, J)
        if not solve_linear(J, F):
            break
        length, found = 1.0, False
        direction = F.copy()
        for _ in range(12):
            for i in range(n):
                trial[i] = x[i] - length * direction[i]
            size = map_at(problem, G, b, delta, center, trial, free, w, mode, F)
            if size <= (1.0 - 1e-4 * length) * worst:
                found = True
                break
            length *= 0.5
        if not found:
            whole += 1
            if whole > MOST_WHOLE:
                break
            for i in range(n):
                trial[i] = x[i] - direction[i]
            size = map_at(problem, G, b, delta, center, trial, free, w, mode, F)
        for i in range(n):
            x[i] = trial[i]
        if size < least:
            least = size
            for i in range(n):
                best[i] = x[i]
    for i in range(n):
        x[i] = best[i]
    map_at(problem, G, b, delta, center, x, free, w, mode, F)
    return MOST_STEPS
