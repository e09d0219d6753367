"""Friction of one frame whose loads are known: gather the feet with traction, solve either law, write the tractions."""

import math

from ...compilation import jit
from . import layout as at
from .coulomb import is_loose, solve_coulomb, status_of
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
    ax, ay = (out[i, at.PITCH], -out[i, at.ROLL]) if tilt_terms else (0.0, 0.0)
    for j in range(s.shape[1]):
        m = feet[f, j, at.MU] * s[at.LOAD, j]
        m = m if m > at.NOTHING else 0.0
        x, y, u, v = pos[i, j, 0], pos[i, j, 1], vel[i, j, 0], vel[i, j, 1]
        if tilt_terms:
            x, y = x + ax * pos[i, j, 2], y + ay * pos[i, j, 2]
            u, v = u + ax * vel[i, j, 2], v + ay * vel[i, j, 2]
        s[at.MASS, n], s[at.PX, n], s[at.PY, n], s[at.BX, n], s[at.BY, n] = m, x, y, u, v
        if packed:
            s[at.A11, n], s[at.A12, n] = feet[f, j, at.WX], feet[f, j, at.WY]
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
        m = feet[f, j, at.MU] * s[at.LOAD, j]
        tx = ty = 0.0
        if m > at.NOTHING:
            a11, a12, a22, x, y = s[at.A11, k], s[at.A12, k], s[at.A22, k], s[at.PX, k], s[at.PY, k]
            if law == at.VISCOUS:
                yx, yy = m * s[at.BX, k], m * s[at.BY, k]
            else:
                yx = s[at.YX, k] + m * (a11 * l1 + a12 * l2 + s[at.GX, k] * l3)
                yy = s[at.YY, k] + m * (a12 * l1 + a22 * l2 + s[at.GY, k] * l3)
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
    for k in range(at.UX, at.OUT_COLUMNS):
        out[i, k] = 0.0 if k != at.RESIDUAL else out[i, k]


@jit(fast=True)
def solve_friction(i, pos, vel, feet, f, law, setting, tilt_terms, s, out, force, coulomb):
    """Solve the body's twist and the tractions for the loads in `s`; write both, return status and flags.

    `setting` is the reference speed of the viscous law (0: that at which the feet dissipate what they would under
    Coulomb's law), or the gap at which Coulomb's law is solved, relative to the dissipation. `coulomb` is None in code
    that is compiled without that law, and is not asked for it.
    """
    plain = law == at.VISCOUS
    for j in range(s.shape[1]):
        if feet[f, j, at.WX] != 0.0 or feet[f, j, at.WY] != 0.0:
            plain = False
            break
    n, sums = _gather(i, pos, vel, feet, f, out, tilt_terms, not plain, s)
    total, sx, sy = sums[:3]
    if total == 0.0:
        _write_nothing(i, out, force)
        return at.NO_TRACTION | at.TWIST_FREE
    if plain:
        code, imbalance = solve_isotropic(i, n, sums, setting, s, out, force)
        out[i, at.RESIDUAL] = max(out[i, at.RESIDUAL], imbalance)
        return code
    cx, cy = sx / total, sy / total
    code = at.SOLVED
    reference, gap, rounds = math.nan, 0.0, 0
    scale, lambdas = 0.0, (0.0, 0.0, 0.0)
    u, v, omega, free, dissipation, power, factors, still = fit_anisotropic(n, sums, s)
    if coulomb is None or law == at.VISCOUS:
        reference = setting
        if setting == 0.0 and dissipation > at.STICK_TOL * sums[6]:
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
    out[i, at.UX], out[i, at.UY], out[i, at.OMEGA] = u + omega * cy, v - omega * cx, omega
    out[i, at.REFERENCE_SPEED], out[i, at.DISSIPATION] = reference, dissipation
    out[i, at.GAP], out[i, at.ROUNDS] = gap, rounds
    imbalance = _write_tractions(i, feet, f, law, scale, lambdas, force, s)
    out[i, at.RESIDUAL] = max(out[i, at.RESIDUAL], imbalance)
    return code | at.TWIST_FREE if free else code
