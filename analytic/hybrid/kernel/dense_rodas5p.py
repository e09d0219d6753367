"""Rodas5P: its error estimate, and its dense output of order 4."""

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
    """Write the interpolant's coefficients into w.q."""
    k = plain(w.k)
    q = plain(w.q)
    w.inverse = 1.0 / w.s1
    for i in range(N):
        q[0, i] = dense0_terms(k, i)
        q[1, i] = dense1_terms(k, i)
        q[2, i] = dense2_terms(k, i)


@jit
def dense(w, s, out):
    """Write the state at w.t + s, inside the accepted step, into `out`."""
    y = s * w.inverse
    z = 1.0 - y
    for i in range(N):
        value = w.q[1, i] + y * w.q[2, i]
        value = w.q[0, i] + y * value
        out[i] = z * w.x[i] + y * (w.x1[i] + z * value)
