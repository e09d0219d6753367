"""Rodas5P: its error estimate, and the coefficients of its dense output of order 4."""

import math

from .free import N_STAGES, N, jit, plain
from .sums import dense0_terms, dense1_terms, dense2_terms


@jit
def error_norm(w, h):
    """Return the error of the trial step, its last stage, in units of the tolerance (root mean square)."""
    k = plain(w.k)
    squares = 0.0
    for i in range(N):
        scale = w.atol[i] + w.rtol * max(abs(w.x[i]), abs(w.x1[i]))
        error = k[N_STAGES - 1, i] / scale
        squares += error * error
    return math.sqrt(squares / N)


@jit
def prepare_dense(w):
    """Write the coefficients of `dense` into w.q: the published ones belong to b, b y and b y^2 = b y - b^2."""
    k = plain(w.k)
    q = plain(w.q)
    for i in range(N):
        last = dense2_terms(k, i)
        q[0, i] = w.x1[i] - w.x[i]
        q[1, i] = dense0_terms(k, i)
        q[2, i] = dense1_terms(k, i) + last
        q[3, i] = -last
