"""Coulomb friction: the least dissipation sum m |r| over all twists, by primal-dual Newton steps on its smoothing.

The slip velocities r = b + C t are scaled by the roots of the feet's metrics and start from the viscous ones, b. The
duals y are the tractions, including those of sticking feet; balanced and shrunk into the cones |y| <= m they bound the
least dissipation from below, which is the certificate.
"""

import math

from ...compilation import jit
from . import layout as at
from .viscous import factor3, solve3


@jit(fast=True)
def _newton_direction(n, delta, s):
    """Return the primal-dual Newton step of the smoothed dissipation sum m e, its slope and that sum.

    e = sqrt(r^2 + delta^2). The matrix holds the dual y of the last round and is not symmetric; its symmetric part is
    positive definite while |y| <= m, so that the step descends and elimination needs no pivots.
    """
    value = g1 = g2 = g3 = 0.0
    h11 = h12 = h13 = h21 = h22 = h23 = h31 = h32 = h33 = 0.0
    for k in range(n):
        m, rx, ry = s[at.MASS, k], s[at.RX, k], s[at.RY, k]
        a11, a12, a22, gx, gy = s[at.A11, k], s[at.A12, k], s[at.A22, k], s[at.GX, k], s[at.GY, k]
        e2 = rx * rx + ry * ry + delta * delta
        inverse = 1.0 / math.sqrt(e2)
        stiff = m * inverse
        value += stiff * e2
        fx, fy = stiff * rx, stiff * ry
        g1 += a11 * fx + a12 * fy
        g2 += a12 * fx + a22 * fy
        g3 += gx * fx + gy * fy
        yx, yy = s[at.YX, k] * inverse * inverse, s[at.YY, k] * inverse * inverse
        p11, p12, p21, p22 = stiff - yx * rx, -yx * ry, -yy * rx, stiff - yy * ry
        q11, q12, q13 = p11 * a11 + p12 * a12, p11 * a12 + p12 * a22, p11 * gx + p12 * gy
        q21, q22, q23 = p21 * a11 + p22 * a12, p21 * a12 + p22 * a22, p21 * gx + p22 * gy
        h11 += a11 * q11 + a12 * q21
        h12 += a11 * q12 + a12 * q22
        h13 += a11 * q13 + a12 * q23
        h21 += a12 * q11 + a22 * q21
        h22 += a12 * q12 + a22 * q22
        h23 += a12 * q13 + a22 * q23
        h31 += gx * q11 + gy * q21
        h32 += gx * q12 + gy * q22
        h33 += gx * q13 + gy * q23
    if h33 == 0.0:  # one point
        h33 = 1.0
    l21, l31 = h21 / h11, h31 / h11
    h22, h23, b2 = h22 - l21 * h12, h23 - l21 * h13, -g2 + l21 * g1
    l32 = (h32 - l31 * h12) / h22
    omega = (-g3 + l31 * g1 - l32 * b2) / (h33 - l31 * h13 - l32 * h23)
    v = (b2 - h23 * omega) / h22
    u = (-g1 - h12 * v - h13 * omega) / h11
    return u, v, omega, u * g1 + v * g2 + omega * g3, value


@jit(fast=True)
def _advance(n, delta, u, v, omega, s):
    """Take the step: slips, duals clipped to the cone; return both dissipations, the dual value and its imbalance."""
    smooth = sharp = dual = c1 = c2 = c3 = 0.0
    for k in range(n):
        m, rx, ry = s[at.MASS, k], s[at.RX, k], s[at.RY, k]
        a11, a12, a22, gx, gy = s[at.A11, k], s[at.A12, k], s[at.A22, k], s[at.GX, k], s[at.GY, k]
        dx = a11 * u + a12 * v + gx * omega
        dy = a12 * u + a22 * v + gy * omega
        inverse = 1.0 / math.sqrt(rx * rx + ry * ry + delta * delta)
        turn = (rx * dx + ry * dy) * inverse
        s[at.OX, k], s[at.OY, k] = rx, ry
        rx += dx
        ry += dy
        yx = (m * rx - s[at.YX, k] * turn) * inverse
        yy = (m * ry - s[at.YY, k] * turn) * inverse
        y2 = yx * yx + yy * yy
        clip = m / math.sqrt(max(y2, m * m))
        yx *= clip
        yy *= clip
        s[at.RX, k], s[at.RY, k], s[at.YX, k], s[at.YY, k] = rx, ry, yx, yy
        r2 = rx * rx + ry * ry
        smooth += m * math.sqrt(r2 + delta * delta)
        sharp += m * math.sqrt(r2)
        dual += yx * s[at.BX, k] + yy * s[at.BY, k]
        c1 += a11 * yx + a12 * yy
        c2 += a12 * yx + a22 * yy
        c3 += gx * yx + gy * yy
    return smooth, sharp, dual, c1, c2, c3


@jit(fast=True)
def _retreat(n, delta, u, v, omega, s):
    """Put the slips a shorter way from where they were, the duals left alone; return both dissipations."""
    smooth = sharp = 0.0
    for k in range(n):
        rx = s[at.OX, k] + s[at.A11, k] * u + s[at.A12, k] * v + s[at.GX, k] * omega
        ry = s[at.OY, k] + s[at.A12, k] * u + s[at.A22, k] * v + s[at.GY, k] * omega
        s[at.RX, k], s[at.RY, k] = rx, ry
        smooth += s[at.MASS, k] * math.sqrt(rx * rx + ry * ry + delta * delta)
        sharp += s[at.MASS, k] * math.sqrt(rx * rx + ry * ry)
    return smooth, sharp


@jit(fast=True)
def _overshoot(n, u, v, omega, s):
    """Return the factor >= 1 by which the duals leave the cone at most, once balanced by m C (u, v, omega)."""
    worst = 1.0
    for k in range(n):
        m = s[at.MASS, k]
        yx = s[at.YX, k] + m * (s[at.A11, k] * u + s[at.A12, k] * v + s[at.GX, k] * omega)
        yy = s[at.YY, k] + m * (s[at.A12, k] * u + s[at.A22, k] * v + s[at.GY, k] * omega)
        worst = max(worst, (yx * yx + yy * yy) / (m * m))
    return math.sqrt(worst)


@jit(fast=True)
def _settle(n, factors, s):
    """Compute the twist from the slips and the slips from the twist again; return the twist and the dissipation.

    Long steps leave their rounding in the slips; the fit weighs the heaviest feet most, where it costs most.
    """
    c1 = c2 = c3 = 0.0
    for k in range(n):
        dx, dy = s[at.MASS, k] * (s[at.RX, k] - s[at.BX, k]), s[at.MASS, k] * (s[at.RY, k] - s[at.BY, k])
        c1 += s[at.A11, k] * dx + s[at.A12, k] * dy
        c2 += s[at.A12, k] * dx + s[at.A22, k] * dy
        c3 += s[at.GX, k] * dx + s[at.GY, k] * dy
    u, v, omega = solve3(factors, c1, c2, c3)
    sharp = 0.0
    for k in range(n):
        rx = s[at.BX, k] + s[at.A11, k] * u + s[at.A12, k] * v + s[at.GX, k] * omega
        ry = s[at.BY, k] + s[at.A12, k] * u + s[at.A22, k] * v + s[at.GY, k] * omega
        s[at.RX, k], s[at.RY, k] = rx, ry
        sharp += s[at.MASS, k] * math.sqrt(rx * rx + ry * ry)
    return u, v, omega, sharp


@jit(fast=True)
def solve_coulomb(n, total, factors, dissipation, power, still, tolerance, s):
    """Minimise the dissipation sum m |r| by primal-dual Newton steps on its smoothing; return what was reached.

    Starts at the viscous slip velocities b. The duals are balanced by a least-squares correction and shrunk into the
    cone; the dual value then bounds the least dissipation from below, for any path. Returns the change of twist, the
    dissipation, the gap, the correction and the shrinking, and whether the gap was reached.
    """
    floor = at.GAP_FLOOR * still + at.NOTHING * total  # below it all is rounding: feet that move as one body stick
    for k in range(n):
        s[at.RX, k], s[at.RY, k] = s[at.BX, k], s[at.BY, k]
    delta = at.START_DELTA * power / dissipation if dissipation > 0.0 else 0.0  # a slip of the feet that dissipate
    for k in range(n):
        inverse = s[at.MASS, k] / math.sqrt(s[at.RX, k] ** 2 + s[at.RY, k] ** 2 + delta * delta) if delta > 0.0 else 0.0
        s[at.YX, k], s[at.YY, k] = s[at.RX, k] * inverse, s[at.RY, k] * inverse
    gap = sharp = dissipation
    tu = tv = to = 0.0
    l1 = l2 = l3 = 0.0
    shrink = dual = 0.0
    rounds = 0
    while gap > max(tolerance * sharp, floor) and rounds < at.MAX_COULOMB:
        rounds += 1
        u, v, omega, slope, before = _newton_direction(n, delta, s)
        smooth, sharp, dual, c1, c2, c3 = _advance(n, delta, u, v, omega, s)
        t = 1.0
        while smooth > before + 1e-4 * t * slope + 1e-15 * before and t > 1e-30:
            t *= min(0.5, 2.0 * before / smooth)  # the dissipation grows in proportion to a step far too long
            smooth, sharp = _retreat(n, delta, t * u, t * v, t * omega, s)
        l1, l2, l3 = solve3(factors, -c1, -c2, -c3)
        shrink = 1.0 / _overshoot(n, l1, l2, l3, s)
        gap = sharp - shrink * max(dual, 0.0)
        if gap <= max(tolerance * sharp, floor):
            tu, tv, to, sharp = _settle(n, factors, s)
            gap = sharp - shrink * max(dual, 0.0)
        speed = gap / total
        aim = 0.1 * speed * min(1.0, 3.0 * math.sqrt(max(gap, 0.0) / dissipation))
        least = 0.25 * max(tolerance * sharp, floor) / total
        delta = max(min(0.5 * delta, aim), 1e-3 * delta, least)
    if rounds == at.MAX_COULOMB:
        tu, tv, to, sharp = _settle(n, factors, s)
        gap = max(gap, sharp - shrink * max(dual, 0.0))
    return tu, tv, to, sharp, gap, l1, l2, l3, shrink, rounds


@jit(fast=True)
def status_of(rounds, gap, asked):
    """Return the status of a solution after so many rounds: within the requested gap, or only within round-off."""
    if rounds == at.MAX_COULOMB:
        return at.GAP_MISSED
    return at.SOLVED if gap <= asked else at.TO_ROUNDING


@jit(fast=True)
def is_loose(n, lambdas, shrink, relative_gap, s):
    """Return whether some twist changes the dissipation by no more than the gap resolves: the velocity is not unique.

    It is loose when one motion keeps every slip on its own ray, that is when sum m C^T (1 - y y^T / m^2) C is
    singular beside sum m C^T C; the inverse of the trace of the quotient is within a factor 3 of the least eigenvalue.
    """
    l1, l2, l3 = lambdas
    q11 = q12 = q13 = q22 = q23 = q33 = 0.0
    g11 = g12 = g13 = g22 = g23 = g33 = 0.0
    for k in range(n):
        m, a11, a12, a22, gx, gy = s[at.MASS, k], s[at.A11, k], s[at.A12, k], s[at.A22, k], s[at.GX, k], s[at.GY, k]
        yx = shrink * (s[at.YX, k] / m + a11 * l1 + a12 * l2 + gx * l3)
        yy = shrink * (s[at.YY, k] / m + a12 * l1 + a22 * l2 + gy * l3)
        c1, c2, c3 = a11 * yx + a12 * yy, a12 * yx + a22 * yy, gx * yx + gy * yy
        k11, k12, k22 = a11 * a11 + a12 * a12, a11 * a12 + a12 * a22, a12 * a12 + a22 * a22
        k13, k23, k33 = a11 * gx + a12 * gy, a12 * gx + a22 * gy, gx * gx + gy * gy
        g11, g12, g13 = g11 + m * k11, g12 + m * k12, g13 + m * k13
        g22, g23, g33 = g22 + m * k22, g23 + m * k23, g33 + m * k33
        q11, q12, q13 = q11 + m * (k11 - c1 * c1), q12 + m * (k12 - c1 * c2), q13 + m * (k13 - c1 * c3)
        q22, q23, q33 = q22 + m * (k22 - c2 * c2), q23 + m * (k23 - c2 * c3), q33 + m * (k33 - c3 * c3)
    if g33 == 0.0:
        g33 = q33 = 1.0
    factors = factor3(q11, q12, q13, q22, q23, q33)
    if not (factors[0] > 0.0 and factors[1] > 0.0 and factors[2] > 0.0):
        return True
    trace = solve3(factors, g11, g12, g13)[0] + solve3(factors, g12, g22, g23)[1] + solve3(factors, g13, g23, g33)[2]
    return not trace * max(at.LOOSE_TOL, 100.0 * relative_gap) < 1.0
