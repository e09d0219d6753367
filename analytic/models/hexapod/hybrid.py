"""The compliant hexapod as a hybrid model: field, guards and transitions as functions of an integer chart code.

A chart code packs the mode of each toe in two bits (flight, stick, slide) below the modes of the controller; the
manual's 64 charts distinguish only which toes touch. Events of leg i: `touchdown_i`, `liftoff_i`, `slide_i` (the force
leaves the friction cone), `grip_i` (a sliding toe sticks); the controller's own; and three that end a run as invalid:
`tip` (the body has tilted by 60 degrees), `topple` (its centre reaches the ground) and `underground_i` (a toe in flight
is below it: a bad initial state).

Source: SimSect manual 5.1 to 5.4; hexapod report 3 and 4; errata in `layout.Variants` and the docs.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ...clock import TripodGait
from ...hybrid import Guard, Model
from ...spelling import check_name
from ...terrain import Terrain
from .. import ground
from . import outputs
from .body import spin, turn_quaternion
from .contact import FLIGHT, GRIP, SLIDE, STICK, normal
from .control import CONTROLS, HipControl, open_loop
from .layout import N_MACHINE, P, Variants, machine_params
from .leg import hip_angles, place, rotation, to_world
from .parameters import N_LEGS, HexapodParams
from .state import NAMES, TOES, WORK, start
from .toes import (
    CONTROL,
    LEAVING,
    N_MEMORY,
    N_STATES,
    RELEASED,
    SINKING,
    ToeFunctions,
    grip,
    machine,
    make_landing,
    make_release,
    make_toe_field,
    toe_loads,
    toe_mode,
    with_toe_mode,
)

ON_GROUND = 1e-9  # a toe this near stands on the ground at the start [m]
SUNK = 1e-6  # and one this far below it is a mistake [m]

TABLE = tuple(
    guard
    for leg in range(N_LEGS)
    for guard in (
        Guard(f"touchdown_{leg}", on_entry="ignore"),
        # The forces on a toe take so many operations that enclosing them would cost more than the step.
        Guard(f"liftoff_{leg}", on_entry="fire", sampled=True),
        Guard(f"slide_{leg}", on_entry="fire", sampled=True),
        Guard(f"grip_{leg}", on_entry="ignore", sampled=True),
        Guard(f"underground_{leg}", invalid=True),
    )
) + (Guard("tip", invalid=True), Guard("topple", invalid=True))
N_LEG_GUARDS = 5
TIP = N_LEG_GUARDS * N_LEGS
TOPPLE, OWN = TIP + 1, TIP + 2  # the controller's own begin behind


def make_field(m: ToeFunctions, control_field: Callable) -> Callable:
    """Return the field of all charts."""
    move_toe = make_toe_field(m)

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


def make_guards(m: ToeFunctions, control_guards: Callable) -> Callable:
    """Return the guards of all charts that are enclosed: heights, the body's posture and the controller's own."""
    height = m.height

    def guards(t, x, d, p, chart, g):
        for leg in range(N_LEGS):
            if toe_mode(chart, leg) == FLIGHT:
                k, i = TOES + 6 * leg, N_LEG_GUARDS * leg
                gap = x[k + 2] - height(x[k], x[k + 1], p)
                allowed = SINKING * max(0.0, LEAVING - (t - d[RELEASED + leg]))
                g[i], g[i + 4] = gap + allowed, gap + allowed + SUNK
        g[TIP] = rotation(x)[8] - p[P.upright]
        g[TOPPLE] = x[2] - height(x[0], x[1], p) if p[P.upright] > -1.0 else math.inf
        control_guards(t, x, x[N_STATES:], d[N_MEMORY:], p[N_MACHINE:], chart >> CONTROL, g[OWN:])
        return 0

    return guards


def make_sampled(m: ToeFunctions, control_sampled: Callable) -> Callable:
    """Return the guards of all charts that are sampled: the forces on the toes, and what the controller has of hips."""
    contact, gradient, load = m.contact, m.gradient, m.load

    def hold_back(t, x, d, p, chart, leg, R, at, n, speed):
        """Return the guard that keeps a sliding toe from sticking: too fast, or the leg would push it on at rest."""
        fast = speed / p[P.slide_speed] - 1.0
        if fast >= 1.0:
            return fast
        pressure, tx, ty, tz = toe_loads(load(t, x, d, p, chart, leg, R, at, 0.0, 0.0, 0.0), p, R, n)
        drive = math.sqrt(tx * tx + ty * ty + tz * tz) - GRIP * p[P.friction_coeff] * pressure
        return max(fast, min(drive, 1.0))

    def sampled(t, x, d, p, chart, g):
        R = rotation(x)
        for leg in range(N_LEGS):
            mode, k, i = toe_mode(chart, leg), TOES + 6 * leg, N_LEG_GUARDS * leg
            if mode == FLIGHT:
                continue
            n = normal(gradient, x[k], x[k + 1], p)
            at = place(x, p, leg, R)
            pressure, tx, ty, tz, _, vx, vy, vz, _ = contact(t, x, d, p, chart, leg, R, at, n)
            g[i + 1] = pressure
            mu, drive = p[P.friction_coeff], math.sqrt(tx * tx + ty * ty + tz * tz)
            if mode == STICK:
                g[i + 2] = mu * pressure - drive
            elif mu > 0.0:
                g[i + 3] = hold_back(t, x, d, p, chart, leg, R, at, n, math.sqrt(vx * vx + vy * vy + vz * vz))
        hips = hip_angles(x, p, R)
        control_sampled(t, x, x[N_STATES:], d[N_MEMORY:], p[N_MACHINE:], chart >> CONTROL, hips, g[OWN:])

    return sampled


def make_transition(control_transition: Callable, land: Callable, release: Callable) -> Callable:
    """Return the transition between all charts."""

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
        hips = hip_angles(x, p, rotation(x))
        mode = control_transition(t, x, x[N_STATES:], d[N_MEMORY:], p[N_MACHINE:], mode, hips, fired[OWN:])
        return (chart & ((1 << CONTROL) - 1)) | (mode << CONTROL)

    return transition


def make_initial(m: ToeFunctions, control_initial: Callable, land: Callable) -> Callable:
    """Return the function that finds the first chart: toes on the ground are in stance if the ground pushes them up."""
    height, gradient = m.height, m.gradient

    def initial(t, x, d, p):
        hips = hip_angles(x, p, rotation(x))
        chart = control_initial(t, x, x[N_STATES:], d[N_MEMORY:], p[N_MACHINE:], hips) << CONTROL
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
    control: str | HipControl | None = None,
    *,
    gait: TripodGait | None = None,
    variants: Variants | None = None,
) -> Model:
    """Return the hexapod.

    Args:
        params: The robot; Table 2 by default.
        terrain: The ground; the parameters' own by default.
        control: A controller, or the name of one in `CONTROLS`; the parameters' `control_type` by default.
        gait: The gait of the open-loop controller; the parameters' own by default.
        variants: The documents' variants of the model.

    Raises:
        ValueError: If the controller is unknown, or a gait is given to a controller without one.
    """
    params = HexapodParams() if params is None else params
    terrain = params.terrain if terrain is None else terrain
    control = params.control_type if control is None else control
    if isinstance(control, str):
        check_name("control_type", control, CONTROLS)
        if gait is not None and control != "open-loop":
            raise ValueError(f"only the control_type 'open-loop' walks a gait, not {control!r}; leave the gait out")
        control = open_loop(params, gait) if control == "open-loop" else CONTROLS[control](params)
    table = machine_params(params, variants) | control.params
    floor = ground.ground_of(terrain, len(table))
    x0 = start(params, terrain, None if gait is None else gait.clock()(0.0)[0])
    model = Model(
        "hexapod",
        state=dict(zip(NAMES, x0, strict=True)) | control.state,
        memory={"impact_loss": 0.0} | {f"released{leg}": -1.0e9 for leg in range(N_LEGS)} | control.memory,
        params=table | floor.params,
        aux=outputs.NAMES,
        method="rodas5p",  # the rates of a sliding toe are a thousand times the body's
    )
    m = machine(floor, control.torque)
    land = make_landing(m)
    model.functions(
        field=make_field(m, control.field),
        guards=make_guards(m, control.guards),
        sampled=make_sampled(m, control.sampled),
        transition=make_transition(control.transition, land, make_release(m)),
        table=(*TABLE, *control.table),
    )
    model.initial(make_initial(m, control.initial, land))
    model.aux(outputs.make_outputs(m))
    model.lines(outputs.make_lines(params))
    return model
