"""DOP853: error estimate of orders 5 and 3 combined; dense output of order 7 from three more stages."""

import math

from .free import N_STAGES, N, jit, plain
from .sums import dense0_terms, dense1_terms, dense2_terms, dense3_terms, error3_terms, error5_terms, more_stages


@jit
def error_norm(w, h):
    """Return the error of the trial step in units of the tolerance (root mean square)."""
    k = plain(w.k)
    sum5 = 0.0
    sum3 = 0.0
    for i in range(N):
        scale = w.atol[i] + w.rtol * max(abs(w.x[i]), abs(w.x1[i]))
        error5 = error5_terms(k, i) / scale
        error3 = error3_terms(k, i) / scale
        sum5 += error5 * error5
        sum3 += error3 * error3
    if sum5 == 0.0 and sum3 == 0.0:
        return 0.0
    return abs(h) * sum5 / math.sqrt((sum5 + 0.01 * sum3) * N)


@jit
def prepare_dense(w):
    """Take the three further stages and write the coefficients of `dense` into w.q."""
    k = plain(w.k)
    q = plain(w.q)
    h = w.s1
    more_stages(w, h)
    for i in range(N):
        delta = w.x1[i] - w.x[i]
        q[0, i] = delta
        q[1, i] = h * k[0, i] - delta
        q[2, i] = 2.0 * delta - h * (k[N_STAGES, i] + k[0, i])
        q[3, i] = h * dense0_terms(k, i)
        q[4, i] = h * dense1_terms(k, i)
        q[5, i] = h * dense2_terms(k, i)
        q[6, i] = h * dense3_terms(k, i)
