"""The linear systems of a Rosenbrock method's stages: finite-difference Jacobian, factorisation, solution.

The matrix I / (gamma h) - J is stored column by column and eliminated from the last state to the first: the limbs of a
body, which come after it and couple only to the body and themselves, then cause no fill-in, and zeros are skipped.
"""

import math

from .codes import EPS
from .free import GAMMA, N, jit, plain
from .stages import rates

SMALL = 1e-5  # a state below it is varied as if it were as large (Hairer & Wanner's RODAS does the same)


@jit
def take_jacobian(w):
    """Write the field's derivatives at (w.t, w.x) by each state into the rows of w.jac, and by time into w.ft."""
    k = plain(w.k)
    jac = plain(w.jac)
    ft = plain(w.ft)
    inner = plain(w.inner)
    for i in range(N):
        inner[i] = w.x[i]
    for j in range(N):
        inner[j] = w.x[j] + math.sqrt(EPS * max(SMALL, abs(w.x[j])))
        rates(w, w.t, inner, jac[j])
        inverse = 1.0 / (inner[j] - w.x[j])
        for i in range(N):
            jac[j, i] = (jac[j, i] - k[0, i]) * inverse
        inner[j] = w.x[j]
    later = w.t + math.sqrt(EPS * max(SMALL, abs(w.t)))
    rates(w, later, inner, ft)
    inverse = 1.0 / (later - w.t)
    for i in range(N):
        ft[i] = (ft[i] - k[0, i]) * inverse
    w.t_jac = w.t


@jit
def factorise(w, diagonal):
    """Factorise diagonal * I - J into w.lu, with row exchanges."""
    lu = plain(w.lu)
    jac = plain(w.jac)
    column = plain(w.column)
    for j in range(N):
        for i in range(N):
            lu[j, i] = -jac[j, i]
        lu[j, j] += diagonal
    for step in range(N):
        m = N - 1 - step
        best = m
        for i in range(m):
            if abs(lu[m, i]) > abs(lu[m, best]):
                best = i
        w.swap[m] = best
        if best != m:
            for j in range(m + 1):
                held = lu[j, m]
                lu[j, m] = lu[j, best]
                lu[j, best] = held
        inverse = 1.0 / lu[m, m]
        lu[m, m] = inverse
        for i in range(m):
            lu[m, i] *= inverse
            column[i] = lu[m, i]
        for j in range(m):
            top = lu[j, m]
            if top != 0.0:
                for i in range(m):
                    lu[j, i] -= top * column[i]


@jit
def solve(w, b):
    """Solve with the factors in w.lu, in place."""
    lu = plain(w.lu)
    for step in range(N):
        m = N - 1 - step
        best = w.swap[m]
        value = b[best]
        b[best] = b[m]
        b[m] = value
        if value != 0.0:
            for i in range(m):
                b[i] -= value * lu[m, i]
    for m in range(N):
        value = b[m] * lu[m, m]
        b[m] = value
        if value != 0.0:
            for i in range(m + 1, N):
                b[i] -= value * lu[m, i]


@jit
def prepare_stages(w, h):
    """Factorise the matrix of a step of `h` from (w.t, w.x); a second, shorter one from there has its Jacobian."""
    if w.t_jac != w.t:
        take_jacobian(w)
    factorise(w, 1.0 / (GAMMA * h))
