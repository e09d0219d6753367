"""The hexapod's toes as a hybrid system: their modes in the chart code, loads, touchdown, sticking and liftoff.

A chart code has two bits per toe (flight, stick, slide), below the modes of the controller.
Source: SimSect manual 5.1.5 and 5.3.3.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from ..ground import PointTerrain
from .contact import (
    FLIGHT,
    GRIP,
    SLIDE,
    STICK,
    centripetal,
    first_order_speed,
    friction,
    impact,
    loads,
    normal,
    tangents,
)
from .layout import N_MACHINE, P
from .leg import limit_torque, motion, place, push, rotation, spring_forces, to_world
from .parameters import N_LEGS
from .state import NAMES, TOES

N_STATES, RELEASED, N_MEMORY = len(NAMES), 1, 1 + N_LEGS  # memory: impact_loss, then when each toe last left the ground
# A toe that lifts off rises as time cubed, at first by less than rounding. It may sink by a height that decreases
# for so long, at this rate; when it has, the toe is higher than what counts as touching the ground again.
LEAVING = 200e-6  # [s]
SINKING = 5e-3  # [m/s]
CONTROL = 2 * N_LEGS  # the chart's bits below belong to the toes


def toe_mode(chart, leg):
    """Return FLIGHT, STICK or SLIDE."""
    return (chart >> (2 * leg)) & 3


def with_toe_mode(chart, leg, mode):
    """Return the chart with one toe in another mode."""
    return (chart & ~(3 << (2 * leg))) | (mode << (2 * leg))


class ToeFunctions(NamedTuple):
    """Functions of one leg in the present chart, for a ground and a controller; see `machine`."""

    load: Callable
    contact: Callable
    height: Callable
    gradient: Callable


def machine(floor: PointTerrain, torque: Callable) -> ToeFunctions:
    """Return the functions of one leg on a ground under a controller's torque."""
    load = make_load(torque)
    return ToeFunctions(load, make_contact(load, floor.gradient), floor.height, floor.gradient)


def make_load(torque: Callable) -> Callable:
    """Return the function that gives a leg's push on its toe."""

    def load(t, x, d, p, chart, leg, R, at, vx, vy, vz):
        """Return the leg's push on its toe in the body frame (3) [N], and its rates and torques, the toe at a velocity.

        The rates: rho' [m/s], th', ph' [rad/s]; then the hip torque the motor delivers, and the one asked for [N m].
        """
        rho_rate, theta_rate, phi_rate = motion(x, R, at, vx, vy, vz)
        angle = math.atan2(at[6], at[7])
        own, memory, params = x[N_STATES:], d[N_MEMORY:], p[N_MACHINE:]
        asked = torque(t, x, own, memory, params, chart >> CONTROL, leg, angle, phi_rate)
        hip = limit_torque(p, asked, phi_rate)
        radial, splay = spring_forces(p, leg, at)
        radial -= p[P.rho0_d + leg] * rho_rate
        splay -= p[P.theta0_d + leg] * theta_rate
        qx, qy, qz = push(at, radial, splay, hip)
        return qx, qy, qz, rho_rate, theta_rate, phi_rate, hip, asked

    return load


def make_creep(load: Callable) -> Callable:
    """Return the function that gives a first-order toe its sliding velocity."""

    def creep(t, x, d, p, chart, leg, R, at, n):
        """Return the velocity of a first-order sliding toe (3).

        Its leg's force is affine in that velocity, so three evaluations suffice. While the hip's motor is at its limit
        it is not, and the friction law is violated by newtons.
        """
        a0, a1, a2, b0, b1, b2 = tangents(n)
        e = 1e-3
        rest = toe_loads(load(t, x, d, p, chart, leg, R, at, 0.0, 0.0, 0.0), p, R, n)
        along = toe_loads(load(t, x, d, p, chart, leg, R, at, e * a0, e * a1, e * a2), p, R, n)
        aside = toe_loads(load(t, x, d, p, chart, leg, R, at, e * b0, e * b1, e * b2), p, R, n)
        t0, t1 = a0 * rest[1] + a1 * rest[2] + a2 * rest[3], b0 * rest[1] + b1 * rest[2] + b2 * rest[3]
        g00 = (t0 - a0 * along[1] - a1 * along[2] - a2 * along[3]) / e
        g10 = (t1 - b0 * along[1] - b1 * along[2] - b2 * along[3]) / e
        g01 = (t0 - a0 * aside[1] - a1 * aside[2] - a2 * aside[3]) / e
        g11 = (t1 - b0 * aside[1] - b1 * aside[2] - b2 * aside[3]) / e
        slope = (rest[0] - along[0]) / e, (rest[0] - aside[0]) / e
        matrix = t0, t1, g00, g01, g10, g11
        s0, s1 = first_order_speed(p[P.slide_mobility], p[P.friction_coeff], rest[0], matrix, slope)
        return s0 * a0 + s1 * b0, s0 * a1 + s1 * b1, s0 * a2 + s1 * b2

    return creep


def make_contact(load: Callable, gradient: Callable) -> Callable:
    """Return the function that gives the state of a toe on the ground."""
    creep = make_creep(load)

    def contact(t, x, d, p, chart, leg, R, at, n):
        """Return N, the tangential part of the toe's load (3), what curved ground adds to N [N], and more.

        Namely the toe's velocity (3) [m/s], and what `load` returns.
        """
        mode, k = toe_mode(chart, leg), TOES + 6 * leg
        vx, vy, vz, bend = 0.0, 0.0, 0.0, 0.0
        if mode == SLIDE:
            if p[P.first_order_slide] == 1.0:
                vx, vy, vz = creep(t, x, d, p, chart, leg, R, at, n)
            else:
                vx, vy, vz = x[k + 3], x[k + 4], x[k + 5]
                bend = centripetal(gradient, n, x[k], x[k + 1], vx, vy, p)
        pushed = load(t, x, d, p, chart, leg, R, at, vx, vy, vz)
        pressure, tx, ty, tz = toe_loads(pushed, p, R, n)
        return pressure + bend, tx, ty, tz, bend, vx, vy, vz, pushed

    return contact


def toe_loads(pushed, p, R, n):
    """Return N at rest and the tangential part (3) of the load on a toe [N]: its leg's force and its weight."""
    wx, wy, wz = to_world(R, pushed[0], pushed[1], pushed[2])
    return loads(n, wx, wy, wz - p[P.leg_mass] * p[P.g])


def make_toe_field(m: ToeFunctions) -> Callable:
    """Return the function that moves a toe."""
    load, contact, gradient = m.load, m.contact, m.gradient

    def move_toe(t, x, d, p, chart, leg, R, at, dx):
        """Write the rates of one toe; return what `load` returns, and the power lost in sliding [W]."""
        mode, k, mass = toe_mode(chart, leg), TOES + 6 * leg, p[P.leg_mass]
        if mode == FLIGHT:
            vx, vy, vz = x[k + 3], x[k + 4], x[k + 5]
            pushed = load(t, x, d, p, chart, leg, R, at, vx, vy, vz)
            wx, wy, wz = to_world(R, pushed[0], pushed[1], pushed[2])
            dx[k], dx[k + 1], dx[k + 2] = vx, vy, vz
            dx[k + 3], dx[k + 4], dx[k + 5] = wx / mass, wy / mass, wz / mass - p[P.g]
            return pushed, 0.0
        n = normal(gradient, x[k], x[k + 1], p)
        pressure, tx, ty, tz, bend, vx, vy, vz, pushed = contact(t, x, d, p, chart, leg, R, at, n)
        dx[k], dx[k + 1], dx[k + 2] = vx, vy, vz
        dx[k + 3], dx[k + 4], dx[k + 5] = 0.0, 0.0, 0.0
        if mode == STICK:
            return pushed, 0.0
        if p[P.first_order_slide] == 1.0:
            return pushed, tx * vx + ty * vy + tz * vz
        drag = friction(p, pressure, vx, vy, vz)
        dx[k + 3] = (tx + bend * n[0] - drag * vx) / mass
        dx[k + 4] = (ty + bend * n[1] - drag * vy) / mass
        dx[k + 5] = (tz + bend * n[2] - drag * vz) / mass
        return pushed, drag * (vx * vx + vy * vy + vz * vz)

    return move_toe


def make_landing(m: ToeFunctions) -> Callable:
    """Return the function that puts a toe on the ground and finds its mode."""
    contact, height, gradient = m.contact, m.height, m.gradient

    def land(t, x, d, p, chart, leg):
        """Put a toe on the ground at touchdown and return the chart: stick, slide, or flight if it is pulled.

        The last is the manual's skip rule: the damper may pull right after the impact, and the toe stays in flight.
        """
        k, mass = TOES + 6 * leg, p[P.leg_mass]
        n = normal(gradient, x[k], x[k + 1], p)
        before = x[k + 3] ** 2 + x[k + 4] ** 2 + x[k + 5] ** 2
        x[k + 2] = height(x[k], x[k + 1], p)
        x[k + 3], x[k + 4], x[k + 5] = impact(p, n, x[k + 3], x[k + 4], x[k + 5])
        after = x[k + 3] ** 2 + x[k + 4] ** 2 + x[k + 5] ** 2
        d[0] += 0.5 * mass * (before - after)
        chart = with_toe_mode(chart, leg, SLIDE)
        R = rotation(x)
        at = place(x, p, leg, R)
        pressure, tx, ty, tz, _, _, _, _, _ = contact(t, x, d, p, chart, leg, R, at, n)
        if pressure < 0.0:
            d[RELEASED + leg] = t
            return with_toe_mode(chart, leg, FLIGHT)
        if after >= p[P.slide_speed] ** 2:
            return chart
        stuck = with_toe_mode(chart, leg, STICK)
        pressure, tx, ty, tz, _, _, _, _, _ = contact(t, x, d, p, stuck, leg, R, at, n)
        if tx * tx + ty * ty + tz * tz > (GRIP * p[P.friction_coeff] * max(pressure, 0.0)) ** 2:
            return chart
        return grip(x, d, p, chart, leg)

    return land


def grip(x, d, p, chart, leg):
    """Stop a sliding toe and return the chart in which it sticks."""
    k = TOES + 6 * leg
    d[0] += 0.5 * p[P.leg_mass] * (x[k + 3] ** 2 + x[k + 4] ** 2 + x[k + 5] ** 2)
    x[k + 3], x[k + 4], x[k + 5] = 0.0, 0.0, 0.0
    return with_toe_mode(chart, leg, STICK)


def make_release(m: ToeFunctions) -> Callable:
    """Return the function for the liftoff of a toe."""
    contact, gradient = m.contact, m.gradient

    def release(t, x, d, p, chart, leg):
        """Lift a toe off; a first-order toe keeps its sliding velocity, and its kinetic energy is unaccounted for."""
        if p[P.first_order_slide] == 1.0 and toe_mode(chart, leg) == SLIDE:
            k, R = TOES + 6 * leg, rotation(x)
            n = normal(gradient, x[k], x[k + 1], p)
            _, _, _, _, _, vx, vy, vz, _ = contact(t, x, d, p, chart, leg, R, place(x, p, leg, R), n)
            x[k + 3], x[k + 4], x[k + 5] = vx, vy, vz
            d[0] -= 0.5 * p[P.leg_mass] * (vx * vx + vy * vy + vz * vz)
        d[RELEASED + leg] = t
        return with_toe_mode(chart, leg, FLIGHT)

    return release
