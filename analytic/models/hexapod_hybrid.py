"""The compliant hexapod as a hybrid model: field, guards and transitions over its charts, made on demand.

A chart code packs the mode of each toe in two bits (flight, stick, slide) below the modes of the controller; the
manual's 64 charts are those of the toes that touch or not. Events of leg i: `touchdown_i`, `liftoff_i`, `slide_i` (the
friction cone is left), `grip_i` (a sliding toe sticks); the controller's own; and three that end a run as not valid:
`tip` (the body has tilted by 60 degrees), `topple` (its centre meets the ground) and `underground_i` (a toe in flight
is below it: a bad start).

Source: SimSect manual 5.1 to 5.4; hexapod report 3 and 4; errata in `hexapod_layout.Variants` and the docs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..clock import TripodGait
from ..hybrid import Guard, Model
from ..terrain import Terrain
from . import ground, hexapod_outputs
from .hexapod import N_LEGS, HexapodParams
from .hexapod_contact import (
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
from .hexapod_control import CONTROLS, Control, open_loop
from .hexapod_layout import N_MACHINE, P, Variants, machine_params
from .hexapod_leg import limit_torque, motion, place, push, rotation, spring_forces, to_world
from .hexapod_state import NAMES, TOES, WORK, start

N_STATES, RELEASED, N_MEMORY = len(NAMES), 1, 1 + N_LEGS  # memory: impact_loss, then when each toe last left the ground
LEAVING = 20e-6  # a toe that lifts off rises as time cubed, for this long less than rounding [s]
CONTROL = 2 * N_LEGS  # the chart's bits below belong to the toes
ON_GROUND = 1e-9  # a toe this near stands on the ground at the start [m]
SUNK = 1e-6  # and one this far below it is a mistake [m]

TABLE = tuple(
    guard
    for leg in range(N_LEGS)
    for guard in (
        Guard(f"touchdown_{leg}", on_entry="ignore"),
        Guard(f"liftoff_{leg}", on_entry="fire"),
        Guard(f"slide_{leg}", on_entry="fire"),
        Guard(f"grip_{leg}", on_entry="ignore"),
        Guard(f"underground_{leg}", invalid=True),
    )
) + (Guard("tip", invalid=True), Guard("topple", invalid=True))
N_LEG_GUARDS = 5
TIP = N_LEG_GUARDS * N_LEGS
TOPPLE, OWN = TIP + 1, TIP + 2  # the controller's own begin behind


def toe_mode(chart, leg):
    """Return FLIGHT, STICK or SLIDE."""
    return (chart >> (2 * leg)) & 3


def with_toe_mode(chart, leg, mode):
    """Return the chart with one toe in another mode."""
    return (chart & ~(3 << (2 * leg))) | (mode << (2 * leg))


class Machine(NamedTuple):
    """Functions of one leg in the present chart, for a ground and a controller; see `machine`."""

    load: Callable
    contact: Callable
    height: Callable
    gradient: Callable


def machine(floor: ground.Ground, torque: Callable) -> Machine:
    """Return the functions of one leg on a ground under a controller's torque."""
    gradient = floor.gradient

    def load(t, x, d, p, chart, leg, R, at, vx, vy, vz):
        """Return the leg's push on its toe in the body frame (3) [N], and its rates and torque, the toe at a velocity.

        The second triple: rho' [m/s], th', ph' [rad/s]; then the hip torque the motor delivers, and the one asked for.
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

    def creep(t, x, d, p, chart, leg, R, at, n):
        """Return the velocity of a first-order sliding toe (3): its leg's push is affine in it, so three will do."""
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

    def contact(t, x, d, p, chart, leg, R, at, n):
        """Return N, the tangential part of the toe's load (3) [N], its velocity (3), and what `load` returns."""
        mode, k = toe_mode(chart, leg), TOES + 6 * leg
        vx, vy, vz = 0.0, 0.0, 0.0
        if mode == SLIDE:
            if p[P.first_order_slide] == 1.0:
                vx, vy, vz = creep(t, x, d, p, chart, leg, R, at, n)
            else:
                vx, vy, vz = x[k + 3], x[k + 4], x[k + 5]
        pushed = load(t, x, d, p, chart, leg, R, at, vx, vy, vz)
        pressure, tx, ty, tz = toe_loads(pushed, p, R, n)
        if mode == SLIDE and p[P.first_order_slide] == 0.0:
            pressure += centripetal(gradient, n, x[k], x[k + 1], vx, vy, p)
        return pressure, tx, ty, tz, vx, vy, vz, pushed

    return Machine(load, contact, floor.height, gradient)


def toe_loads(pushed, p, R, n):
    """Return N at rest and the tangential part (3) of the load on a toe [N]: its leg's push and its weight."""
    wx, wy, wz = to_world(R, pushed[0], pushed[1], pushed[2])
    return loads(n, wx, wy, wz - p[P.leg_mass] * p[P.g])


def spin(p, w, moment):
    """Return the body's angular acceleration (3), body frame: J w' = moment - w x J w (Euler)."""
    a, b, c = p[P.J_11], p[P.J_12], p[P.J_13]
    e, f, i = p[P.J_22], p[P.J_23], p[P.J_33]
    hx, hy, hz = a * w[0] + b * w[1] + c * w[2], b * w[0] + e * w[1] + f * w[2], c * w[0] + f * w[1] + i * w[2]
    mx = moment[0] - w[1] * hz + w[2] * hy
    my = moment[1] - w[2] * hx + w[0] * hz
    mz = moment[2] - w[0] * hy + w[1] * hx
    c00, c01, c02 = e * i - f * f, c * f - b * i, b * f - c * e
    c11, c12, c22 = a * i - c * c, b * c - a * f, a * e - b * b
    det = a * c00 + b * c01 + c * c02
    return (
        (c00 * mx + c01 * my + c02 * mz) / det,
        (c01 * mx + c11 * my + c12 * mz) / det,
        (c02 * mx + c12 * my + c22 * mz) / det,
    )


def turn_quaternion(x, dx):
    """Write the quaternion's rate: half its product with the angular velocity in the body frame."""
    w, a, b, c, wx, wy, wz = x[3], x[4], x[5], x[6], x[10], x[11], x[12]
    dx[3] = 0.5 * (-a * wx - b * wy - c * wz)
    dx[4] = 0.5 * (w * wx + b * wz - c * wy)
    dx[5] = 0.5 * (w * wy + c * wx - a * wz)
    dx[6] = 0.5 * (w * wz + a * wy - b * wx)


def make_field(m: Machine, control_field: Callable) -> Callable:
    """Return the field of all charts."""
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
        pressure, tx, ty, tz, vx, vy, vz, pushed = contact(t, x, d, p, chart, leg, R, at, n)
        dx[k], dx[k + 1], dx[k + 2] = vx, vy, vz
        dx[k + 3], dx[k + 4], dx[k + 5] = 0.0, 0.0, 0.0
        if mode == STICK:
            return pushed, 0.0
        if p[P.first_order_slide] == 1.0:
            return pushed, tx * vx + ty * vy + tz * vz
        drag = friction(p, pressure, vx, vy, vz)
        bend = centripetal(gradient, n, x[k], x[k + 1], vx, vy, p)
        dx[k + 3] = (tx + bend * n[0] - drag * vx) / mass
        dx[k + 4] = (ty + bend * n[1] - drag * vy) / mass
        dx[k + 5] = (tz + bend * n[2] - drag * vz) / mass
        return pushed, drag * (vx * vx + vy * vy + vz * vz)

    def field(t, x, d, p, chart, dx):
        R = rotation(x)
        fx, fy, fz, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        motors, dampers, slides = 0.0, 0.0, 0.0
        for leg in range(N_LEGS):
            at = place(x, p, leg, R)
            pushed, slid = move_toe(t, x, d, p, chart, leg, R, at, dx)
            qx, qy, qz, rho_rate, theta_rate, phi_rate, hip, _ = pushed
            motors += hip * phi_rate
            dampers += p[P.rho0_d + leg] * rho_rate * rho_rate + p[P.theta0_d + leg] * theta_rate * theta_rate
            slides += slid
            if p[P.third_law] == 1.0 or toe_mode(chart, leg) != FLIGHT:
                fx, fy, fz = fx - qx, fy - qy, fz - qz
                mx, my, mz = mx - at[1] * qz + at[2] * qy, my - at[2] * qx + at[0] * qz, mz - at[0] * qy + at[1] * qx
        fx, fy, fz = to_world(R, fx, fy, fz)
        mass = p[P.body_mass]
        dx[0], dx[1], dx[2] = x[7], x[8], x[9]
        turn_quaternion(x, dx)
        dx[7], dx[8], dx[9] = fx / mass, fy / mass, fz / mass - p[P.g]
        dx[10], dx[11], dx[12] = spin(p, (x[10], x[11], x[12]), (mx, my, mz))
        dx[WORK], dx[WORK + 1], dx[WORK + 2] = motors, dampers, slides
        control_field(t, x, x[N_STATES:], d[N_MEMORY:], p[N_MACHINE:], chart >> CONTROL, dx[N_STATES:])

    return field


def make_guards(m: Machine, control_guards: Callable) -> Callable:
    """Return the guards of all charts."""
    contact, height, gradient, load = m.contact, m.height, m.gradient, m.load

    def hold_back(t, x, d, p, chart, leg, R, at, n, speed):
        """Return what keeps a sliding toe from sticking: it is not slow, or at rest the leg would push it on."""
        fast = speed / p[P.slide_speed] - 1.0
        if fast >= 1.0:
            return fast
        pressure, tx, ty, tz = toe_loads(load(t, x, d, p, chart, leg, R, at, 0.0, 0.0, 0.0), p, R, n)
        drive = math.sqrt(tx * tx + ty * ty + tz * tz) - GRIP * p[P.friction_coeff] * pressure
        return max(fast, min(drive, 1.0))

    def guards(t, x, d, p, chart, g):
        R = rotation(x)
        for leg in range(N_LEGS):
            mode, k, i = toe_mode(chart, leg), TOES + 6 * leg, N_LEG_GUARDS * leg
            if mode == FLIGHT:
                gap = x[k + 2] - height(x[k], x[k + 1], p)
                wait = max(0.0, LEAVING - (t - d[RELEASED + leg]))  # times 1 m/s: a height it may not sink by
                g[i], g[i + 4] = gap + wait, gap + wait + SUNK
                continue
            n = normal(gradient, x[k], x[k + 1], p)
            at = place(x, p, leg, R)
            pressure, tx, ty, tz, vx, vy, vz, _ = contact(t, x, d, p, chart, leg, R, at, n)
            g[i + 1] = pressure
            mu, drive = p[P.friction_coeff], math.sqrt(tx * tx + ty * ty + tz * tz)
            if mode == STICK:
                g[i + 2] = mu * pressure - drive
            elif mu > 0.0:
                g[i + 3] = hold_back(t, x, d, p, chart, leg, R, at, n, math.sqrt(vx * vx + vy * vy + vz * vz))
        g[TIP] = R[8] - p[P.upright]
        g[TOPPLE] = x[2] - height(x[0], x[1], p)
        control_guards(t, x, x[N_STATES:], d[N_MEMORY:], p[N_MACHINE:], chart >> CONTROL, g[OWN:])
        return 0

    return guards


def make_landing(m: Machine) -> Callable:
    """Return the function that puts a toe on the ground and finds its mode."""
    contact, height, gradient = m.contact, m.height, m.gradient

    def land(t, x, d, p, chart, leg):
        """Put a toe that is to touch the ground onto it and return the chart: stick, slide, or flight if it is pulled.

        That last is the manual's skip rule: the damper may pull at once after the impact, and the toe flies on.
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
        pressure, tx, ty, tz, _, _, _, _ = contact(t, x, d, p, chart, leg, R, at, n)
        if pressure < 0.0:
            d[RELEASED + leg] = t
            return with_toe_mode(chart, leg, FLIGHT)
        if after >= p[P.slide_speed] ** 2:
            return chart
        stuck = with_toe_mode(chart, leg, STICK)
        pressure, tx, ty, tz, _, _, _, _ = contact(t, x, d, p, stuck, leg, R, at, n)
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


def make_transition(m: Machine, control_transition: Callable, land: Callable) -> Callable:
    """Return the transition between all charts."""
    contact, gradient = m.contact, m.gradient

    def release(t, x, d, p, chart, leg):
        """Let a toe go; a first-order toe takes the velocity it slid with."""
        if p[P.first_order_slide] == 1.0 and toe_mode(chart, leg) == SLIDE:
            k, R = TOES + 6 * leg, rotation(x)
            n = normal(gradient, x[k], x[k + 1], p)
            _, _, _, _, vx, vy, vz, _ = contact(t, x, d, p, chart, leg, R, place(x, p, leg, R), n)
            x[k + 3], x[k + 4], x[k + 5] = vx, vy, vz
        d[RELEASED + leg] = t
        return with_toe_mode(chart, leg, FLIGHT)

    def transition(t, x, d, p, chart, fired):
        for leg in range(N_LEGS):
            i = N_LEG_GUARDS * leg
            if fired[i + 1]:
                chart = release(t, x, d, p, chart, leg)
            elif fired[i]:
                chart = land(t, x, d, p, chart, leg)
            elif fired[i + 2]:
                chart = with_toe_mode(chart, leg, SLIDE)
            elif fired[i + 3]:
                chart = grip(x, d, p, chart, leg)
        mode = chart >> CONTROL
        mode = control_transition(t, x, x[N_STATES:], d[N_MEMORY:], p[N_MACHINE:], mode, fired[OWN:])
        return (chart & ((1 << CONTROL) - 1)) | (mode << CONTROL)

    return transition


def make_initial(m: Machine, control_initial: Callable, land: Callable) -> Callable:
    """Return the function that finds the first chart: toes on the ground are in stance if the ground pushes them."""
    height, gradient = m.height, m.gradient

    def initial(t, x, d, p):
        chart = control_initial(t, x, x[N_STATES:], d[N_MEMORY:], p[N_MACHINE:]) << CONTROL
        for leg in range(N_LEGS):
            k = TOES + 6 * leg
            gap = x[k + 2] - height(x[k], x[k + 1], p)
            n = normal(gradient, x[k], x[k + 1], p)
            leaving = n[0] * x[k + 3] + n[1] * x[k + 4] + n[2] * x[k + 5]
            if abs(gap) <= ON_GROUND and leaving <= 1e-9:
                chart = land(t, x, d, p, chart, leg)
        return chart

    return initial


def build(
    params: HexapodParams | None = None,
    terrain: Terrain | None = None,
    control: str | Control | None = None,
    *,
    gait: TripodGait | None = None,
    variants: Variants | None = None,
) -> Model:
    """Return the hexapod.

    Args:
        params: The robot; Table 2 by default.
        terrain: The ground; the parameters' own by default.
        control: A controller, or the name of one in `CONTROLS`; the parameters' `control_type` by default.
        gait: What the open-loop controller walks; the parameters' own by default.
        variants: The documents' variants of the model.

    Raises:
        ValueError: If the controller is unknown, or a gait is given to a controller that walks none.
    """
    params = HexapodParams() if params is None else params
    terrain = params.terrain if terrain is None else terrain
    control = params.control_type if control is None else control
    if isinstance(control, str):
        if control not in CONTROLS:
            raise ValueError(f"unknown control_type {control!r}; there are {', '.join(CONTROLS)}")
        if gait is not None and control != "open-loop":
            raise ValueError(f"only the control_type 'open-loop' walks a gait, not {control!r}")
        control = open_loop(params, gait) if control == "open-loop" else CONTROLS[control](params)
    table = machine_params(params, variants) | control.params
    floor = ground.ground_of(terrain, len(table))
    x0 = start(params, terrain, None if gait is None else gait.clock()(0.0)[0])
    model = Model(
        "hexapod",
        state=dict(zip(NAMES, x0, strict=True)) | control.state,
        memory={"impact_loss": 0.0} | {f"released{leg}": -1.0e9 for leg in range(N_LEGS)} | control.memory,
        params=table | floor.params,
        aux=hexapod_outputs.NAMES,
    )
    m = machine(floor, control.torque)
    land = make_landing(m)
    model.functions(
        field=make_field(m, control.field),
        guards=make_guards(m, control.guards),
        transition=make_transition(m, control.transition, land),
        table=(*TABLE, *control.table),
    )
    model.initial(make_initial(m, control.initial, land))
    model.aux(hexapod_outputs.make_outputs(m))
    model.lines(hexapod_outputs.make_lines(params, terrain))
    return model
