"""Embedded pairs: the error estimate, a weighted sum of the stages, and a dense output of four powers of the step."""

import math

from .free import N, jit, plain
from .sums import dense0_terms, dense1_terms, dense2_terms, dense3_terms, error_terms


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
    """Write the interpolant's coefficients into w.q."""
    k = plain(w.k)
    q = plain(w.q)
    w.inverse = 1.0 / w.s1
    for i in range(N):
        q[0, i] = w.s1 * dense0_terms(k, i)
        q[1, i] = w.s1 * dense1_terms(k, i)
        q[2, i] = w.s1 * dense2_terms(k, i)
        q[3, i] = w.s1 * dense3_terms(k, i)


@jit
def dense(w, s, out):
    """Write the state at w.t + s, inside the accepted step, into `out`."""
    y = s * w.inverse
    for i in range(N):
        value = y * w.q[3, i]
        value = y * (value + w.q[2, i])
        value = y * (value + w.q[1, i])
        value = y * (value + w.q[0, i])
        out[i] = w.x[i] + value
