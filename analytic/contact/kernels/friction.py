"""Friction of one frame whose loads are known: gather the feet with traction, solve either law, write the tractions."""

from __future__ import annotations

import math

from ...compilation import jit
from .coulomb import is_loose, solve_coulomb, status_of
from .layout import (
    A11,
    A12,
    A22,
    BX,
    BY,
    DISSIPATION,
    GAP,
    GX,
    GY,
    LOAD,
    MASS,
    MU,
    NO_TRACTION,
    NOTHING,
    OMEGA,
    OUT_COLUMNS,
    PITCH,
    PX,
    PY,
    REFERENCE_SPEED,
    RESIDUAL,
    ROLL,
    ROUNDS,
    SOLVED,
    STICK_TOL,
    TWIST_FREE,
    UX,
    UY,
    VISCOUS,
    WX,
    WY,
    YX,
    YY,
)
from .viscous import fit_anisotropic, solve_isotropic


@jit(fast=True, inline=True)
def _gather(i, pos, vel, feet, f, out, tilt_terms, packed, s):
    """Write m = mu F, place and velocity of the feet to `s`; return their number, and sums that the balance needs.

    The sums are m, m x, m y, m u, m v, the largest squared distance of a foot with traction from the centre of mass,
    and m |velocity|. Rows used: MASS, PX and PY for the place, BX and BY for the velocity, A11 and A12 for w.
    `packed` leaves feet without traction out. With `tilt_terms` the first-order effect of the tilt on place and
    velocity is kept.
    """
    n = 0
    total = sx = sy = su = sv = far2 = held = 0.0
    ax, ay = (out[i, PITCH], -out[i, ROLL]) if tilt_terms else (0.0, 0.0)
    for j in range(s.shape[1]):
        m = feet[f, j, MU] * s[LOAD, j]
        m = m if m > NOTHING else 0.0
        x, y, u, v = pos[i, j, 0], pos[i, j, 1], vel[i, j, 0], vel[i, j, 1]
        if tilt_terms:
            x, y = x + ax * pos[i, j, 2], y + ay * pos[i, j, 2]
            u, v = u + ax * vel[i, j, 2], v + ay * vel[i, j, 2]
        s[MASS, n], s[PX, n], s[PY, n], s[BX, n], s[BY, n] = m, x, y, u, v
        if packed:
            s[A11, n], s[A12, n] = feet[f, j, WX], feet[f, j, WY]
        total += m
        sx, sy, su, sv = sx + m * x, sy + m * y, su + m * u, sv + m * v
        far2 = max(far2, x * x + y * y if m > 0.0 else 0.0)
        held += m * (abs(u) + abs(v))
        n += 1 if m > 0.0 or not packed else 0
    return n, (total, sx, sy, su, sv, far2, held)


@jit(fast=True)
def _write_tractions(i, feet, f, law, scale, lambdas, force, s):
    """Write the tractions, -scale m A^(1/2) b or the balanced duals; return what they miss of balance, relative."""
    l1, l2, l3 = lambdas
    k = 0
    total = fx = fy = moment = size2 = 0.0
    for j in range(s.shape[1]):
        m = feet[f, j, MU] * s[LOAD, j]
        tx = ty = 0.0
        if m > NOTHING:
            a11, a12, a22, x, y = s[A11, k], s[A12, k], s[A22, k], s[PX, k], s[PY, k]
            if law == VISCOUS:
                yx, yy = m * s[BX, k], m * s[BY, k]
            else:
                yx = s[YX, k] + m * (a11 * l1 + a12 * l2 + s[GX, k] * l3)
                yy = s[YY, k] + m * (a12 * l1 + a22 * l2 + s[GY, k] * l3)
            tx = -scale * (a11 * yx + a12 * yy)
            ty = -scale * (a12 * yx + a22 * yy)
            fx += tx
            fy += ty
            moment += x * ty - y * tx
            size2 = max(size2, x * x + y * y)
            total += m
            k += 1
        force[i, j, 0], force[i, j, 1] = tx, ty
    lever = abs(moment) / math.sqrt(size2) if size2 > 0.0 else 0.0
    return max(abs(fx), abs(fy), lever) / total


@jit(fast=True)
def _write_nothing(i, out, force):
    """Write a frame in which no foot has traction; the residual of the loads stays."""
    for j in range(force.shape[1]):
        force[i, j, 0] = force[i, j, 1] = 0.0
    for k in range(UX, OUT_COLUMNS):
        out[i, k] = 0.0 if k != RESIDUAL else out[i, k]


@jit(fast=True)
def solve_friction(i, pos, vel, feet, f, law, setting, tilt_terms, s, out, force, coulomb):
    """Solve the body's twist and the tractions for the loads in `s`; write both, return status and flags.

    `setting` is the reference speed of the viscous law (0: that at which the feet dissipate what they would under
    Coulomb's law), or the gap at which Coulomb's law is solved, relative to the dissipation. `coulomb` is None in code
    that is compiled without that law, and is not asked for it.
    """
    plain = law == VISCOUS
    for j in range(s.shape[1]):
        if feet[f, j, WX] != 0.0 or feet[f, j, WY] != 0.0:
            plain = False
            break
    n, sums = _gather(i, pos, vel, feet, f, out, tilt_terms, not plain, s)
    total, sx, sy = sums[:3]
    if total == 0.0:
        _write_nothing(i, out, force)
        return NO_TRACTION | TWIST_FREE
    if plain:
        code, imbalance = solve_isotropic(i, n, sums, setting, s, out, force)
        out[i, RESIDUAL] = max(out[i, RESIDUAL], imbalance)
        return code
    cx, cy = sx / total, sy / total
    code = SOLVED
    reference, gap, rounds = math.nan, 0.0, 0
    scale, lambdas = 0.0, (0.0, 0.0, 0.0)
    u, v, omega, free, dissipation, power, factors, still = fit_anisotropic(n, sums, s)
    if coulomb is None or law == VISCOUS:
        reference = setting
        if setting == 0.0 and dissipation > STICK_TOL * sums[6]:
            reference = power / dissipation
        scale = 1.0 / reference if reference > 0.0 else 0.0
        dissipation = power * scale
    else:
        du, dv, domega, dissipation, gap, l1, l2, l3, scale, rounds = solve_coulomb(
            n, total, factors, dissipation, power, still, setting, s
        )
        u, v, omega, lambdas = u + du, v + dv, omega + domega, (l1, l2, l3)
        code = status_of(rounds, gap, setting * dissipation)
        if scale > 0.0:
            free = is_loose(n, lambdas, scale, gap / dissipation, s) or free
    out[i, UX], out[i, UY], out[i, OMEGA] = u + omega * cy, v - omega * cx, omega
    out[i, REFERENCE_SPEED], out[i, DISSIPATION], out[i, GAP], out[i, ROUNDS] = reference, dissipation, gap, rounds
    imbalance = _write_tractions(i, feet, f, law, scale, lambdas, force, s)
    out[i, RESIDUAL] = max(out[i, RESIDUAL], imbalance)
    return code | TWIST_FREE if free else code
