"""The dense output: one polynomial for all methods, which supply its coefficients (`prepare_dense`).

With y = s / h from 0 to 1 over a step of length h, and the bump b = y (1 - y),

    x(s) = x + y q0 + b (q1 + y q2) + b^2 (q3 + y q4) + b^3 (q5 + y q6),

where q0 is the change of the state; methods of lower order have q0 to q3 alone.
"""

from .free import DEGREE, N, jit, plain


@jit
def dense(w, s, out):
    """Write the state at w.t + s, inside the accepted step, into `out`."""
    q = plain(w.q)
    y = s * w.inverse
    b1 = y * (1.0 - y)  # products first, for all states: nested brackets would wait for each other
    b2 = y * b1
    b3 = b1 * b1
    if DEGREE == 4:
        for i in range(N):
            out[i] = w.x[i] + (y * q[0, i] + b1 * q[1, i] + b2 * q[2, i] + b3 * q[3, i])
        return
    b4 = y * b3
    b5 = b1 * b3
    b6 = y * b5
    for i in range(N):
        value = y * q[0, i] + b1 * q[1, i] + b2 * q[2, i] + b3 * q[3, i] + b4 * q[4, i] + b5 * q[5, i] + b6 * q[6, i]
        out[i] = w.x[i] + value


@jit
def expand_dense(w):
    """Write the coefficients of the dense output as a polynomial in z = 2 y - 1 into the rows of w.c.

    In z, y = (1 + z) / 2 and b = (1 - z^2) / 4; the terms without and with a factor y give even and odd powers.
    """
    q = plain(w.q)
    c = plain(w.c)
    for i in range(N):
        half = 0.5 * q[0, i]
        odd1 = 0.125 * q[2, i]
        even1 = 0.25 * q[1, i] + odd1
        even2 = 0.0625 * q[3, i]
        if DEGREE == 4:
            c[0, i] = w.x[i] + half + even1 + even2
            c[1, i] = half + odd1
            c[2, i] = -even1 - 2.0 * even2
            c[3, i] = -odd1
            c[4, i] = even2
        else:
            odd2 = 0.03125 * q[4, i]
            even2 += odd2
            odd3 = 0.0078125 * q[6, i]
            even3 = 0.015625 * q[5, i] + odd3
            c[0, i] = w.x[i] + half + even1 + even2 + even3
            c[1, i] = half + odd1 + odd2 + odd3
            c[2, i] = -even1 - 2.0 * even2 - 3.0 * even3
            c[3, i] = -odd1 - 2.0 * odd2 - 3.0 * odd3
            c[4, i] = even2 + 3.0 * even3
            c[5, i] = odd2 + 3.0 * odd3
            c[6, i] = -even3
            c[7, i] = -odd3


@jit
def dense_rates(w, s, out):
    """Write the rates of `dense` at offset `s` into `out`."""
    c = plain(w.c)
    z = 2.0 * s * w.inverse - 1.0
    for i in range(N):
        rate = DEGREE * c[DEGREE, i]
        for k in range(DEGREE - 1, 0, -1):
            rate = rate * z + k * c[k, i]
        out[i] = 2.0 * w.inverse * rate
