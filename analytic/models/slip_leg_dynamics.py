"""Provisional dynamics of the articulated leg by hand (to be replaced by generated source)."""

from __future__ import annotations

import math

def dynamics(q, v, p, M, C, g, foot, J_foot, dJ_foot, com, J_com, dJ_com):
    m0, m1, m2, mf, L1, L2, c1, c2, r1, r2, grav = p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10]
    m = m0 + m1 + m2 + mf
    S1 = m1 * c1 + (m2 + mf) * L1
    S2 = m2 * c2 + mf * L2
    T11 = m1 * (c1 * c1 + r1 * r1) + (m2 + mf) * L1 * L1
    T22 = m2 * (c2 * c2 + r2 * r2) + mf * L2 * L2
    T12 = S2 * L1
    a1, a2 = q[2], q[2] + q[3]
    w1, w2 = v[2], v[2] + v[3]
    s1, k1, s2, k2 = math.sin(a1), math.cos(a1), math.sin(a2), math.cos(a2)
    c, s = math.cos(q[3]), math.sin(q[3])
    M[:, :] = 0.0
    M[0, 0] = m
    M[1, 1] = m
    M[0, 2] = M[2, 0] = S1 * k1 + S2 * k2
    M[1, 2] = M[2, 1] = S1 * s1 + S2 * s2
    M[0, 3] = M[3, 0] = S2 * k2
    M[1, 3] = M[3, 1] = S2 * s2
    M[2, 2] = T11 + T22 + 2 * T12 * c
    M[2, 3] = M[3, 2] = T22 + T12 * c
    M[3, 3] = T22
    C[:, :] = 0.0
    C[0, 2] = -S1 * s1 * w1 - S2 * s2 * w2
    C[1, 2] = S1 * k1 * w1 + S2 * k2 * w2
    C[0, 3] = -S2 * s2 * w2
    C[1, 3] = S2 * k2 * w2
    C[2, 2] = -T12 * s * v[3]
    C[2, 3] = -T12 * s * w2
    C[3, 2] = T12 * s * w1
    g[0] = 0.0
    g[1] = m * grav
    g[2] = grav * (S1 * s1 + S2 * s2)
    g[3] = grav * S2 * s2
    foot[0] = q[0] + L1 * s1 + L2 * s2
    foot[1] = q[1] - L1 * k1 - L2 * k2
    com[0] = q[0] + (S1 * s1 + S2 * s2) / m
    com[1] = q[1] - (S1 * k1 + S2 * k2) / m
    for J, dJ, A, B in ((J_foot, dJ_foot, L1, L2), (J_com, dJ_com, S1 / m, S2 / m)):
        J[:, :] = 0.0
        dJ[:, :] = 0.0
        J[0, 0] = J[1, 1] = 1.0
        J[0, 2] = A * k1 + B * k2
        J[1, 2] = A * s1 + B * s2
        J[0, 3] = B * k2
        J[1, 3] = B * s2
        dJ[0, 2] = -A * s1 * w1 - B * s2 * w2
        dJ[1, 2] = A * k1 * w1 + B * k2 * w2
        dJ[0, 3] = -B * s2 * w2
        dJ[1, 3] = B * k2 * w2
