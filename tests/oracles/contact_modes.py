"""Every solution of a small planar contact problem, by trying all sets of modes: slow, and nothing is iterated."""

import itertools

import numpy as np

OPEN, HELD, AHEAD, BEHIND = range(4)  # no force; no motion; slips ahead, friction behind; slips behind


def solutions(G, b, mu, tol=1e-9):
    """Return forces (n, t) and motions, shape (2 n,) each, of all sets of modes that keep Coulomb's law.

    Args:
        G: Mobilities of rows n, t of every contact, shape (2 n, 2 n), positive definite.
        b: Motions without forces, shape (2 n,).
        mu: Coefficients of friction, shape (n,).
        tol: By how much rules may be broken, of the largest motion.
    """
    found, least = [], tol * np.abs(b).max()
    for modes in itertools.product(range(4), repeat=len(mu)):
        A, c = np.zeros_like(G), np.zeros_like(b)
        for k, mode in enumerate(modes):
            n, t = 2 * k, 2 * k + 1
            if mode == OPEN:
                A[n, n] = A[t, t] = 1.0
                continue
            A[n], c[n] = G[n], -b[n]
            if mode == HELD:
                A[t], c[t] = G[t], -b[t]
            else:
                A[t, t], A[t, n] = 1.0, mu[k] if mode == AHEAD else -mu[k]
        f = np.linalg.solve(A, c)
        w = G @ f + b
        if all(
            _allowed(mode, f[2 * k : 2 * k + 2], w[2 * k : 2 * k + 2], mu[k], least) for k, mode in enumerate(modes)
        ):
            found.append((f, w))
    return found


def _allowed(mode, f, w, mu, least):
    if mode == OPEN:
        return w[0] >= -least
    if f[0] < 0.0 or abs(f[1]) > mu * f[0] * (1 + 1e-9):
        return False
    return mode == HELD or w[1] * (1 if mode == AHEAD else -1) >= -least
