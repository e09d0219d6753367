"""Viscous friction: the twist is a weighted least-squares fit to the feet's velocities, a 3 by 3 linear system.

Feet with the same friction in all directions have a closed form about the centre of their loads. With anisotropy the
feet's slips are scaled by the root of their metric, here and in Coulomb friction, which starts from this fit and
settles its twist by the same factors.
"""

import math

from ...compilation import jit
from . import layout as at


@jit(fast=True)
def factor3(h11, h12, h13, h22, h23, h33):
    """Return the factors of a symmetric positive definite 3 by 3 matrix, L D L^T, diagonals inverted."""
    d1 = 1.0 / h11
    l21, l31 = h12 * d1, h13 * d1
    d2 = 1.0 / (h22 - l21 * h12)
    r23 = h23 - l21 * h13
    l32 = r23 * d2
    d3 = 1.0 / (h33 - l31 * h13 - l32 * r23)
    return d1, d2, d3, l21, l31, l32


@jit(fast=True)
def solve3(factors, b1, b2, b3):
    """Return x with L D L^T x = b."""
    d1, d2, d3, l21, l31, l32 = factors
    y2 = b2 - l21 * b1
    y3 = b3 - l31 * b1 - l32 * y2
    x3 = y3 * d3
    x2 = y2 * d2 - l32 * x3
    return b1 * d1 - l21 * x2 - l31 * x3, x2, x3


@jit(fast=True, inline=True)
def solve_isotropic(i, n, sums, reference, s, out, force):
    """Solve the linear balance of isotropic feet in closed form and write the answer; return code and imbalance."""
    total, sx, sy, su, sv, far2, held = sums
    cx, cy, mean_u, mean_v = sx / total, sy / total, su / total, sv / total
    inertia = torque = 0.0
    for k in range(n):
        rx, ry = s[at.PX, k] - cx, s[at.PY, k] - cy
        inertia += s[at.MASS, k] * (rx * rx + ry * ry)
        torque += s[at.MASS, k] * (rx * (s[at.BY, k] - mean_v) - ry * (s[at.BX, k] - mean_u))
    free = inertia <= total * (at.RANK_TOL * far2 + at.NOTHING * at.NOTHING)
    omega = 0.0 if free else -torque / inertia
    dissipation = power = fx = fy = moment = 0.0
    for k in range(n):
        bx = s[at.BX, k] - mean_u - omega * (s[at.PY, k] - cy)
        by = s[at.BY, k] - mean_v + omega * (s[at.PX, k] - cx)
        b2 = bx * bx + by * by
        tx, ty = s[at.MASS, k] * bx, s[at.MASS, k] * by
        s[at.BX, k], s[at.BY, k] = tx, ty
        power += s[at.MASS, k] * b2
        dissipation += s[at.MASS, k] * math.sqrt(b2)
        fx += tx
        fy += ty
        moment += s[at.PX, k] * ty - s[at.PY, k] * tx
    if reference == 0.0 and dissipation > at.STICK_TOL * held:
        reference = power / dissipation
    scale = 1.0 / reference if reference > 0.0 else 0.0
    for k in range(n):
        force[i, k, 0], force[i, k, 1] = -scale * s[at.BX, k], -scale * s[at.BY, k]
    out[i, at.UX], out[i, at.UY], out[i, at.OMEGA] = omega * cy - mean_u, -mean_v - omega * cx, omega
    out[i, at.REFERENCE_SPEED], out[i, at.DISSIPATION] = reference, power * scale
    out[i, at.GAP], out[i, at.ROUNDS] = 0.0, 0.0
    lever = abs(moment) / math.sqrt(far2) if far2 > 0.0 else 0.0
    return at.SOLVED | at.TWIST_FREE if free else at.SOLVED, max(abs(fx), abs(fy), lever) * scale / total


@jit(fast=True)
def add_twist(n, u, v, omega, s):
    """Add a twist's part to the metric slips b; return the sums m |b| and m |b|^2."""
    dissipation = power = 0.0
    for k in range(n):
        bx = s[at.BX, k] + s[at.A11, k] * u + s[at.A12, k] * v + s[at.GX, k] * omega
        by = s[at.BY, k] + s[at.A12, k] * u + s[at.A22, k] * v + s[at.GY, k] * omega
        s[at.BX, k], s[at.BY, k] = bx, by
        power += s[at.MASS, k] * (bx * bx + by * by)
        dissipation += s[at.MASS, k] * math.sqrt(bx * bx + by * by)
    return dissipation, power


@jit(fast=True)
def fit_anisotropic(n, sums, s):
    """Solve the linear balance about the centre of m; leave in `s` the metric slips and the maps from twist to them.

    Returns the twist (u, v, omega) there, whether it was free, the sums m |b| and m |b|^2, the factors of the matrix,
    and the sum m |b| of a body held still. The metric slip of foot k is b = A^(1/2) v with A = 1 + w w^T, so that
    the traction law is isotropic in it; the rows (A11 A12 GX), (A12 A22 GY) map a change of twist to its change.
    """
    total, sx, sy, su, sv, far2, _ = sums
    cx, cy, mean_u, mean_v = sx / total, sy / total, su / total, sv / total
    h11 = h12 = h13 = h22 = h23 = h33 = g1 = g2 = g3 = inertia = still = 0.0
    for k in range(n):
        m, wx, wy = s[at.MASS, k], s[at.A11, k], s[at.A12, k]
        rx, ry = s[at.PX, k] - cx, s[at.PY, k] - cy
        inertia += m * (rx * rx + ry * ry)
        root = wx * wx + wy * wy
        a = 1.0 / (1.0 + math.sqrt(1.0 + root))
        a11, a12, a22 = 1.0 + a * wx * wx, a * wx * wy, 1.0 + a * wy * wy
        gx, gy = a12 * rx - a11 * ry, a22 * rx - a12 * ry
        u, v = s[at.BX, k], s[at.BY, k]
        bx, by = a11 * u + a12 * v, a12 * u + a22 * v
        still += m * math.sqrt(bx * bx + by * by)
        bx -= a11 * mean_u + a12 * mean_v
        by -= a12 * mean_u + a22 * mean_v
        s[at.A11, k], s[at.A12, k], s[at.A22, k] = a11, a12, a22
        s[at.GX, k], s[at.GY, k], s[at.BX, k], s[at.BY, k] = gx, gy, bx, by
        h11 += m * (a11 * a11 + a12 * a12)
        h12 += m * (a11 * a12 + a12 * a22)
        h22 += m * (a12 * a12 + a22 * a22)
        h13 += m * (a11 * gx + a12 * gy)
        h23 += m * (a12 * gx + a22 * gy)
        h33 += m * (gx * gx + gy * gy)
        g1 += m * (a11 * bx + a12 * by)
        g2 += m * (a12 * bx + a22 * by)
        g3 += m * (gx * bx + gy * by)
    free = inertia <= total * (at.RANK_TOL * far2 + at.NOTHING * at.NOTHING) or n < 2
    if free:  # one point: it may spin; the choice is not to
        h13 = h23 = g3 = 0.0
        h33 = 1.0
        for k in range(n):
            s[at.GX, k] = s[at.GY, k] = 0.0
    factors = factor3(h11, h12, h13, h22, h23, h33)
    u, v, omega = solve3(factors, -g1, -g2, -g3)
    dissipation, power = add_twist(n, u, v, omega, s)
    return u - mean_u, v - mean_v, omega, free, dissipation, power, factors, still
