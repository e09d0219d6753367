"""Embedded pairs: the error estimate, a weighted sum of the stages, and a dense output of order 4."""

import math

from .free import N, jit, plain
from .sums import dense1_terms, dense2_terms, dense3_terms, error_terms


@jit
def error_norm(w, h):
    """Return the error of the trial step in units of the tolerance (root mean square)."""
    k = plain(w.k)
    squares = 0.0
    for i in range(N):
        scale = w.atol[i] + w.rtol * max(abs(w.x[i]), abs(w.x1[i]))
        error = h * error_terms(k, i) / scale
        squares += error * error
    return math.sqrt(squares / N)


@jit
def prepare_dense(w):
    """Write the coefficients of `dense` into w.q, from those of the powers of y."""
    k = plain(w.k)
    q = plain(w.q)
    h = w.s1
    for i in range(N):
        square = h * dense1_terms(k, i)
        cube = h * dense2_terms(k, i)
        fourth = h * dense3_terms(k, i)
        q[0, i] = w.x1[i] - w.x[i]
        q[1, i] = -square - cube - fourth
        q[2, i] = -cube - 2.0 * fourth
        q[3, i] = fourth
