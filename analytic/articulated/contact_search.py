"""How a solution of a contact problem is searched for: scaled, with compliance first, then without, then otherwise.

Compliance of a millionth makes the problem regular; its modes are frozen and the forces iterated, which gives the
least forces of those modes. Where these break a rule, compliance falls with modes free, friction grows from a little,
or block after block is relaxed, each followed by the same.
"""

from __future__ import annotations

import math

import numpy as np

from ..compilation import jit
from .contact_newton import choose_modes, newton, write_map, write_motion
from .contact_rows import BILATERAL, CONTACT, DRY, HELD, SLIDING, SLIPS

DELTA = 1e-6  # compliance, of blocks with a mobility of one
LEAST_DELTA = 1e-12
TOLERANCE = 1e-10  # of the certificate
MOST_FORCE = (
    10.0  # a scaled force counts as no more: rows that contradict each other make forces grow, and residuals small
)
SHARES = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)  # of the friction
SWEEPS = 400


@jit
def certificate(problem, G, b, x, w, mode, F):
    """Write motions and modes of forces; return the natural residual over the largest force, and itself."""
    write_motion(G, b, x, w)
    choose_modes(problem, x, w, mode)
    residual = write_map(problem, x, w, mode, F)
    most = 1.0
    for i in range(len(b)):
        most = max(most, min(abs(x[i]), MOST_FORCE))
    return residual / most, residual


@jit
def polish(problem, G, b, x, work, mode, trial_mode):
    """Iterate forces in their modes until compliance is gone; return the certificate, its residual and the steps.

    `x` is replaced only where the certificate improves. `work`, shape (4, n_rows), and `trial_mode` are scratch.
    """
    center, trial, w, F = work[0], work[1], work[2], work[3]
    n, steps = len(b), 0
    best, residual = certificate(problem, G, b, x, w, trial_mode, F)
    for i in range(n):
        trial[i] = x[i]
    for _ in range(12):
        for i in range(n):
            center[i] = trial[i]
        steps += newton(problem, G, b, DELTA, center, False, trial, mode)
        found, left = certificate(problem, G, b, trial, w, trial_mode, F)
        if not found < best:
            break
        better = found < 0.5 * best
        best, residual = found, left
        for i in range(n):
            x[i] = trial[i]
        if not better and best <= TOLERANCE:
            break
    return best, residual, steps


@jit
def from_here(problem, G, b, x, work, mode, trial_mode, centred):
    """Find modes with compliance, from forces x, at rest at zero or there; then polish; as `polish`."""
    center = work[0]
    for i in range(len(b)):
        center[i] = x[i] if centred else 0.0
    steps = newton(problem, G, b, DELTA, center, True, x, mode)
    best, residual, more = polish(problem, G, b, x, work, mode, trial_mode)
    return best, residual, steps + more


@jit
def with_less_compliance(problem, G, b, x, work, mode, trial_mode):
    """Let compliance fall with modes free, at rest at the last forces: they grow until a row gives way."""
    delta, steps, best, residual = DELTA, 0, math.inf, math.inf
    center = np.empty(len(b))
    for _ in range(40):
        for i in range(len(b)):
            center[i] = x[i]
        steps += newton(problem, G, b, delta, center, True, x, mode)
        best, residual, more = polish(problem, G, b, x, work, mode, trial_mode)
        steps += more
        if best <= TOLERANCE:
            break
        delta = max(0.25 * delta, LEAST_DELTA)
    return best, residual, steps


@jit
def from_all_held(problem, G, b, x, work, mode, trial_mode):
    """Begin with the forces that would hold everything: where feet hardly load, Newton's method from zero circles."""
    center = work[0]
    for i in range(len(b)):
        x[i] = center[i] = 0.0
    for c in range(len(mode)):
        mode[c] = SLIPS if problem[0][c] == SLIDING else HELD
    steps = newton(problem, G, b, DELTA, center, False, x, mode)
    best, residual, more = from_here(problem, G, b, x, work, mode, trial_mode, False)
    return best, residual, steps + more


@jit
def from_soft_to_stiff(problem, G, b, x, work, mode, trial_mode):
    """Find forces at a compliance of one, where that is easy, and follow them as it falls."""
    center, delta, steps = work[0], 1.0, 0
    for i in range(len(b)):
        x[i] = center[i] = 0.0
    while delta > DELTA:
        steps += newton(problem, G, b, delta, center, True, x, mode)
        delta *= 0.25
    best, residual, more = from_here(problem, G, b, x, work, mode, trial_mode, False)
    if best > TOLERANCE:
        best, residual, again = with_less_compliance(problem, G, b, x, work, mode, trial_mode)
        more += again
    return best, residual, steps + more


@jit
def relax(problem, G, b, x):
    """Relax block after block: each as if the others were given, with its largest mobility."""
    kind, first, mu, bound, direction = problem
    for _ in range(SWEEPS):
        for c in range(len(kind)):
            i = first[c]
            rows = 3 if kind[c] == CONTACT or kind[c] == SLIDING else 1
            most = 0.0
            for k in range(i, i + rows):
                row = 0.0
                for j in range(i, i + rows):
                    row += abs(G[k, j])
                most = max(most, row)
            if most == 0.0:
                continue
            moved = np.empty(rows)
            for k in range(rows):
                moved[k] = b[i + k]
                for j in range(len(b)):
                    moved[k] += G[i + k, j] * x[j]
                moved[k] = x[i + k] - moved[k] / most
            _project(problem, c, moved, x)


@jit
def _project(problem, c, moved, x):
    kind, first, mu, bound, direction = problem
    i = first[c]
    if kind[c] == BILATERAL:
        x[i] = moved[0]
        return
    if kind[c] == DRY:
        x[i] = min(max(moved[0], -bound[c]), bound[c])
        return
    x[i] = max(moved[0], 0.0)
    if kind[c] == SLIDING:
        x[i + 1], x[i + 2] = mu[c] * direction[c, 0] * x[i], mu[c] * direction[c, 1] * x[i]
    elif kind[c] == CONTACT:
        size = math.hypot(moved[1], moved[2])
        share = min(1.0, mu[c] * x[i] / size) if size > 0.0 else 0.0
        x[i + 1], x[i + 2] = share * moved[1], share * moved[2]


@jit
def search(kind, first, mu, bound, direction, G, b, x, w, mode, numbers):
    """Write forces, motions and modes of a scaled problem.

    Args:
        kind: As of `Blocks`, as the next four.
        first: Places of first rows.
        mu: Coefficients of friction.
        bound: Largest forces, scaled.
        direction: Of friction.
        G: Mobilities with a largest of one in each block, shape (n, n).
        b: Motions without forces, the largest of them one, shape (n,).
        x: Forces, zero at first, shape (n,).
        w: Motions, shape (n,).
        mode: Modes, shape (n_blocks,).
        numbers: The certificate, the residual itself and the number of steps, shape (3,).
    """
    problem = (kind, first, mu, bound, direction)
    n = len(b)
    work, trial_mode, trial = np.empty((4, n)), np.empty(len(kind), np.int64), np.zeros(n)
    numbers[0], numbers[1], numbers[2] = math.inf, math.inf, 0.0
    for way in range(6):
        if way == 0:
            best, residual, steps = from_here(problem, G, b, trial, work, mode, trial_mode, False)
        elif way == 1:
            best, residual, steps = from_all_held(problem, G, b, trial, work, mode, trial_mode)
        elif way == 2:
            best, residual, steps = from_soft_to_stiff(problem, G, b, trial, work, mode, trial_mode)
        elif way == 3:
            best, residual, steps = with_less_compliance(problem, G, b, trial, work, mode, trial_mode)
        elif way == 4:
            best, residual, steps = math.inf, math.inf, 0
            for i in range(n):
                trial[i] = 0.0
            for share in SHARES:
                less = (kind, first, mu * share, bound, direction)
                best, residual, more = from_here(less, G, b, trial, work, mode, trial_mode, share > SHARES[0])
                steps += more
            if best > TOLERANCE:
                best, residual, more = with_less_compliance(problem, G, b, trial, work, mode, trial_mode)
                steps += more
        else:
            for i in range(n):
                trial[i] = 0.0
            relax(problem, G, b, trial)
            best, residual, steps = with_less_compliance(problem, G, b, trial, work, mode, trial_mode)
        numbers[2] += steps
        if best < numbers[0]:
            numbers[0], numbers[1] = best, residual
            for i in range(n):
                x[i] = trial[i]
        if numbers[0] <= TOLERANCE:
            break
    certificate(problem, G, b, x, w, mode, work[3])


@jit
def held_forces(kind, first, mu, bound, direction, G, b, mode, x, w):
    """Write the least forces of given modes; return their certificate."""
    problem = (kind, first, mu, bound, direction)
    work, trial_mode = np.empty((4, len(b))), np.empty(len(kind), np.int64)
    for i in range(len(b)):
        x[i] = work[0, i] = 0.0
    newton(problem, G, b, DELTA, work[0], False, x, mode)
    best, _, _ = polish(problem, G, b, x, work, mode, trial_mode)
    certificate(problem, G, b, x, w, trial_mode, work[3])
    return best
