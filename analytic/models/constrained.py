r"""Motion with foot constraints: flight, stance and impact as one linear system.

.. math:: M\, \mathrm{rate} = \mathrm{load} + J^\top \mathrm{force}, \qquad J\, \mathrm{rate} + \mathrm{drift} = 0,

with M, shape (n, n), the mass matrix and J, shape (m, n), the constraints' Jacobian:

    flight      rate = ddq,         load = u - h,  no rows in J: nothing is constrained
    stance      rate = ddq,         load = u - h,  drift = dJ dq,   force: of the ground on the feet
    impact      rate = dq+ - dq-,   load = 0,      drift = J dq-,   force: the impulse

with u the generalised forces of the motors and h the bias. Plain functions of arrays, which numba compiles.
"""

import math

import numpy as np


def factor(A):
    """Replace the lower half of a positive definite matrix by its Cholesky factor."""
    n = A.shape[0]
    for j in range(n):
        for k in range(j):
            A[j, j] -= A[j, k] * A[j, k]
        A[j, j] = math.sqrt(A[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]


def substitute(L, b):
    """Replace b by the solution of L L^T x = b."""
    n = L.shape[0]
    for i in range(n):
        for k in range(i):
            b[i] -= L[i, k] * b[k]
        b[i] /= L[i, i]
    for m in range(n):
        i = n - 1 - m
        for k in range(i + 1, n):
            b[i] -= L[k, i] * b[k]
        b[i] /= L[i, i]


def replace_bias(h, u):
    """Replace the bias h (n,) by the load of torques u on the last joints: the others are not driven."""
    first = len(h) - len(u)
    for i in range(len(h)):
        h[i] = (u[i - first] if i >= first else 0.0) - h[i]


def free(M, load, rate):
    """Write the rate (n,) of what nothing constrains; the lower half of M becomes its factor."""
    factor(M)
    for i in range(len(load)):
        rate[i] = load[i]
    substitute(M, rate)


def solve(M, load, J, drift, rate, force):
    """Write the rate (n,) and the constraint force (m,); the lower half of M becomes its factor.

    Returns:
        Nothing; NaN is written where M is not positive definite or the constraints contradict each other.
    """
    m, n = J.shape
    Z, S = np.empty((m, n)), np.empty((m, m))  # J M^-1, and the constraints' mobility J M^-1 J^T
    free(M, load, rate)
    for k in range(m):
        force[k] = -drift[k]
        for i in range(n):
            force[k] -= J[k, i] * rate[i]
            Z[k, i] = J[k, i]
        substitute(M, Z[k])
        for l in range(k + 1):
            S[k, l] = 0.0
            for i in range(n):
                S[k, l] += J[l, i] * Z[k, i]
    factor(S)
    substitute(S, force)
    for k in range(m):
        for i in range(n):
            rate[i] += Z[k, i] * force[k]


def impact(M, J, dq, impulse):
    """Replace the speeds dq (n,) by those after an inelastic impact, J dq+ = 0; write the impulse (m,)."""
    m, n = J.shape
    drift, change = np.zeros(m), np.empty(n)
    for k in range(m):
        for i in range(n):
            drift[k] += J[k, i] * dq[i]
    solve(M, np.zeros(n), J, drift, change, impulse)
    for i in range(n):
        dq[i] += change[i]
