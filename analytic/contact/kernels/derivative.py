"""Derivatives of the twist of one frame by everything it was solved from, by the implicit function theorem.

With m = mu F, slips v = qdot + B xi, B = [1, S q], and tractions -m t(v), the twist balances sum m B^T t = 0; a foot
that sticks has a free traction instead, and v = 0. T = dt/dv makes the matrix H = sum m B^T T B of the twist. Loads
follow from the pose, in which the stance's energy is least; what they do to the balance is summed over the feet once,
so that the cost is linear in their number.

Of a frame of n feet `by_foot`, shape (3, n, FOOT_DERIVATIVES), and `by_weight`, (3,), hold the derivatives.
"""

import math

import numpy as np

from ...compilation import jit
from . import layout as at
from .viscous import factor3, solve3

# Columns of `by_foot`: foot velocity, foot position, friction, stiffness, anisotropy w.
BY_VX, BY_VY, BY_X, BY_Y, BY_Z, BY_MU, BY_STIFFNESS, BY_WX, BY_WY = range(9)
FOOT_DERIVATIVES = 9
NO_DERIVATIVE, NONE_STICKS = -2, -1  # answers beside the index of the one foot that sticks
DERIVATIVE_ROWS = 5  # of the scratch: traction per m, and T
TX, TY, T11, T12, T22 = range(DERIVATIVE_ROWS)
LOOSEST_GAP = 1e-6  # relative: the derivatives' error is then 1e-7 in the median, at 1e-3 it would be anything
TOUCH_TOL = 1e-12  # of the height: a foot so near the ground may be loaded or not


@jit(fast=True)
def stick_speed(pos, vel, law, setting, force):
    """Return the slip below which a foot sticks [m/s]: what the gap leaves unknown, 0 for the viscous law."""
    fastest = 0.0
    for j in range(pos.shape[0]):
        if force[j, 2] > 0.0:
            fastest = max(fastest, math.hypot(vel[j, 0], vel[j, 1]))
    return 0.0 if law == at.VISCOUS else 2.0 * math.sqrt(setting) * fastest


@jit(fast=True)
def _tractions(pos, vel, feet, law, least, out, force, s):
    """Write t and T = dt/dv of the feet; return the index of the foot that sticks, or a code."""
    stuck = NONE_STICKS
    for j in range(pos.shape[0]):
        p = out[at.HEIGHT] - out[at.PITCH] * pos[j, 0] + out[at.ROLL] * pos[j, 1] + pos[j, 2] - feet[j, at.GROUND]
        if feet[j, at.STIFFNESS] > 0.0 and abs(p) <= TOUCH_TOL * (abs(out[at.HEIGHT]) + abs(pos[j, 2])):
            return NO_DERIVATIVE
        m = feet[j, at.MU] * force[j, 2]
        a, b = vel[j, 0] + out[at.UX] - out[at.OMEGA] * pos[j, 1], vel[j, 1] + out[at.UY] + out[at.OMEGA] * pos[j, 0]
        wx, wy = feet[j, at.WX], feet[j, at.WY]
        a11, a12, a22 = 1.0 + wx * wx, wx * wy, 1.0 + wy * wy
        tx, ty = a11 * a + a12 * b, a12 * a + a22 * b
        if law != at.VISCOUS:
            speed = math.sqrt(a * tx + b * ty)
            if m > 0.0 and speed <= least:
                if stuck != NONE_STICKS:
                    return NO_DERIVATIVE
                stuck, tx, ty = j, -force[j, 0] / m, -force[j, 1] / m
                a11 = a12 = a22 = 0.0
            elif speed > 0.0:
                tx, ty = tx / speed, ty / speed
                a11, a12, a22 = (a11 - tx * tx) / speed, (a12 - tx * ty) / speed, (a22 - ty * ty) / speed
        s[TX, j], s[TY, j], s[T11, j], s[T12, j], s[T22, j] = tx, ty, a11, a12, a22
    return stuck


@jit(fast=True)
def _solve_twist(pos, feet, force, stuck, s, g, c):
    """Write the map g (3, 3) from a change of the balance to minus that of the twist, and c (3, 2) from the stuck slip.

    If a foot sticks only a rotation about it is left, z = (y, -x, 1): g = z z^T / z^T H z.
    """
    h11 = h12 = h13 = h22 = h23 = h33 = 0.0
    for j in range(pos.shape[0]):
        m, x, y = feet[j, at.MU] * force[j, 2], pos[j, 0], pos[j, 1]
        k1, k2 = x * s[T12, j] - y * s[T11, j], x * s[T22, j] - y * s[T12, j]
        h11, h12, h22 = h11 + m * s[T11, j], h12 + m * s[T12, j], h22 + m * s[T22, j]
        h13, h23, h33 = h13 + m * k1, h23 + m * k2, h33 + m * (x * k2 - y * k1)
    if stuck == NONE_STICKS:
        factors = factor3(h11, h12, h13, h22, h23, h33)
        if not (factors[0] > 0.0 and factors[1] > 0.0 and factors[2] > 0.0):
            return False
        g[0, 0], g[1, 0], g[2, 0] = solve3(factors, 1.0, 0.0, 0.0)
        g[0, 1], g[1, 1], g[2, 1] = solve3(factors, 0.0, 1.0, 0.0)
        g[0, 2], g[1, 2], g[2, 2] = solve3(factors, 0.0, 0.0, 1.0)
        return True
    zx, zy = pos[stuck, 1], -pos[stuck, 0]
    hz1, hz2, hz3 = h11 * zx + h12 * zy + h13, h12 * zx + h22 * zy + h23, h13 * zx + h23 * zy + h33
    size = zx * hz1 + zy * hz2 + hz3
    if not size > 0.0:
        return False
    for i in range(3):
        zi = zx if i == 0 else zy if i == 1 else 1.0
        g[i, 0], g[i, 1], g[i, 2] = zi * zx / size, zi * zy / size, zi / size
        c[i, 0], c[i, 1] = (1.0 if i == 0 else 0.0) - zi * hz1 / size, (1.0 if i == 1 else 0.0) - zi * hz2 / size
    return True


@jit(fast=True)
def _through_loads(pos, feet, force, stuck, s, d):
    """Write what a change of the support's balance does to that of the twist through all loads, d (3, 3)."""
    k11 = k12 = k13 = k22 = k23 = k33 = 0.0
    d[:] = 0.0
    for j in range(pos.shape[0]):
        if force[j, 2] <= 0.0:
            continue
        k, x, y = feet[j, at.STIFFNESS], pos[j, 0], pos[j, 1]
        k11, k12, k13 = k11 + k, k12 - k * x, k13 + k * y
        k22, k23, k33 = k22 + k * x * x, k23 - k * x * y, k33 + k * y * y
        if j != stuck:
            px, py = feet[j, at.MU] * k * s[TX, j], feet[j, at.MU] * k * s[TY, j]
            turn = x * py - y * px
            for i in range(3):
                pull = px if i == 0 else py if i == 1 else turn
                d[i, 0] += pull
                d[i, 1] -= pull * x
                d[i, 2] += pull * y
    factors = factor3(k11, k12, k13, k22, k23, k33)
    if not (factors[0] > 0.0 and factors[1] > 0.0 and factors[2] > 0.0):
        return False
    for i in range(3):
        d[i, 0], d[i, 1], d[i, 2] = solve3(factors, d[i, 0], d[i, 1], d[i, 2])
    return True


@jit(fast=True, inline=True)
def _write(g, d, column, r1, r2, r3, i1, i2, i3, by, j):
    """Write a column: of a change r of the balance at fixed pose, and i of the support's."""
    r1 += d[0, 0] * i1 + d[0, 1] * i2 + d[0, 2] * i3
    r2 += d[1, 0] * i1 + d[1, 1] * i2 + d[1, 2] * i3
    r3 += d[2, 0] * i1 + d[2, 1] * i2 + d[2, 2] * i3
    for i in range(3):
        by[i, j, column] = -(g[i, 0] * r1 + g[i, 1] * r2 + g[i, 2] * r3)


@jit(fast=True)
def _of_sliding(j, pos, vel, feet, law, out, force, g, d, s, by):
    """Write the derivatives by what belongs to a foot that slides."""
    k, load, x, y, omega = feet[j, at.STIFFNESS], force[j, 2], pos[j, 0], pos[j, 1], out[at.OMEGA]
    mu, tx, ty, p = feet[j, at.MU], s[TX, j], s[TY, j], -load / k
    m, turn = mu * load, x * ty - y * tx
    e1, e2, f2 = m * s[T11, j], m * s[T12, j], m * s[T22, j]
    e3, f3 = x * e2 - y * e1, x * f2 - y * e2
    _write(g, d, BY_VX, e1, e2, e3, 0.0, 0.0, 0.0, by, j)
    _write(g, d, BY_VY, e2, f2, f3, 0.0, 0.0, 0.0, by, j)
    n, q = mu * k * out[at.PITCH], -k * out[at.PITCH]  # of the load by x at fixed pose, times mu, and of the support
    _write(
        g, d, BY_X, omega * e2 + n * tx, omega * f2 + n * ty, omega * f3 + m * ty + n * turn,
        q, -q * x - k * p, q * y, by, j,
    )  # fmt: skip
    n, q = -mu * k * out[at.ROLL], k * out[at.ROLL]
    _write(
        g, d, BY_Y, -omega * e1 + n * tx, -omega * e2 + n * ty, -omega * e3 - m * tx + n * turn,
        q, -q * x, q * y + k * p, by, j,
    )  # fmt: skip
    _write(g, d, BY_Z, -mu * k * tx, -mu * k * ty, -mu * k * turn, k, -k * x, k * y, by, j)
    _write(g, d, BY_MU, load * tx, load * ty, load * turn, 0.0, 0.0, 0.0, by, j)
    _write(g, d, BY_STIFFNESS, -p * mu * tx, -p * mu * ty, -p * mu * turn, p, -p * x, p * y, by, j)
    a, b = vel[j, 0] + out[at.UX] - omega * y, vel[j, 1] + out[at.UY] + omega * x
    wx, wy = feet[j, at.WX], feet[j, at.WY]
    along = wx * a + wy * b
    r1, r2, q1, q2 = m * (wx * a + along), m * wy * a, m * wx * b, m * (wy * b + along)
    if law != at.VISCOUS:
        speed2 = a * a + b * b + along * along
        speed, less = math.sqrt(speed2), m * along / speed2
        r1, r2 = r1 / speed - less * a * tx, r2 / speed - less * a * ty
        q1, q2 = q1 / speed - less * b * tx, q2 / speed - less * b * ty
    _write(g, d, BY_WX, r1, r2, x * r2 - y * r1, 0.0, 0.0, 0.0, by, j)
    _write(g, d, BY_WY, q1, q2, x * q2 - y * q1, 0.0, 0.0, 0.0, by, j)


@jit(fast=True)
def _of_sticking(j, pos, feet, out, force, g, c, d, s, by):
    """Write the derivatives by what belongs to the foot that sticks: it moves the body, and its load the other feet."""
    k, load, x, y, omega = feet[j, at.STIFFNESS], force[j, 2], pos[j, 0], pos[j, 1], out[at.OMEGA]
    m, p, q, o = feet[j, at.MU] * load, -load / k, -k * out[at.PITCH], k * out[at.ROLL]
    by[:, j, :] = 0.0
    _write(g, d, BY_X, 0.0, 0.0, m * s[TY, j], q, -q * x - k * p, q * y, by, j)
    _write(g, d, BY_Y, 0.0, 0.0, -m * s[TX, j], o, -o * x, o * y + k * p, by, j)
    _write(g, d, BY_Z, 0.0, 0.0, 0.0, k, -k * x, k * y, by, j)
    _write(g, d, BY_STIFFNESS, 0.0, 0.0, 0.0, p, -p * x, p * y, by, j)
    for i in range(3):
        by[i, j, BY_VX], by[i, j, BY_VY] = -c[i, 0], -c[i, 1]
        by[i, j, BY_X] -= omega * c[i, 1]
        by[i, j, BY_Y] += omega * c[i, 0]


@jit(fast=True)
def twist_jacobian(pos, vel, feet, law, setting, out, force, code, maps, s, by_foot, by_weight):
    """Write the derivatives of a solved frame's twist; return the foot that sticks, NONE_STICKS or NO_DERIVATIVE.

    Where there is no derivative they are not written. `out` (OUT_COLUMNS,), `force` (n, 3) and `code` are the frame's
    answers, `setting` that of its law; `maps` (3, 8) and `s` (DERIVATIVE_ROWS, n) are scratch.
    """
    status = code & at.STATUS_MASK
    if at.SOLVED < status < at.TO_ROUNDING or code & (at.TILT_FREE | at.TWIST_FREE) != 0:
        return NO_DERIVATIVE
    if law != at.VISCOUS and not out[at.GAP] <= LOOSEST_GAP * out[at.DISSIPATION]:
        return NO_DERIVATIVE
    g, d, c = maps[:, :3], maps[:, 3:6], maps[:, 6:]
    stuck = _tractions(pos, vel, feet, law, stick_speed(pos, vel, law, setting, force), out, force, s)
    if stuck == NO_DERIVATIVE or not _solve_twist(pos, feet, force, stuck, s, g, c):
        return NO_DERIVATIVE
    if not _through_loads(pos, feet, force, stuck, s, d):
        return NO_DERIVATIVE
    for j in range(pos.shape[0]):
        if force[j, 2] <= 0.0:
            by_foot[:, j, :] = 0.0
        elif j == stuck:
            _of_sticking(j, pos, feet, out, force, g, c, d, s, by_foot)
        else:
            _of_sliding(j, pos, vel, feet, law, out, force, g, d, s, by_foot)
    for i in range(3):
        by_weight[i] = -(g[i, 0] * d[0, 0] + g[i, 1] * d[1, 0] + g[i, 2] * d[2, 0])
    return stuck


@jit(fast=True)
def jacobians(pos, vel, feet, law, setting, out, force, code, by_foot, by_weight, stuck):
    """Write the derivatives of a batch of solved frames, NaN where there are none, and which foot sticks in each."""
    maps, s = np.empty((3, 8)), np.empty((DERIVATIVE_ROWS, pos.shape[1]))
    for i in range(pos.shape[0]):
        f = i if feet.shape[0] > 1 else 0
        stuck[i] = twist_jacobian(
            pos[i], vel[i], feet[f], law, setting, out[i], force[i], code[i], maps, s, by_foot[i], by_weight[i]
        )
        if stuck[i] == NO_DERIVATIVE:
            by_foot[i] = math.nan
            by_weight[i] = math.nan
