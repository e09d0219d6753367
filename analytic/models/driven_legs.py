"""The hopping leg and the articulated leg as hybrid models that are driven from outside, as by a policy.

Set-points, gains and torques of hip and knee are parameters of a run, so that one compiled model follows any policy.
State as in `hopping_leg_hybrid` and `slip_leg_hybrid`, whose mechanics these are; memory: the foothold's direction,
and when the foot last left the ground. Charts: flight; stance, the foot pinned as there. Events: touchdown, an
inelastic impact; liftoff, where the ground would have to pull. After a touchdown at which it would the foot leaves at
once. A foot that begins below the ground ends a run. There are no end stops, and a foot never slides along its way.

Here liftoff is at zero force, not at `liftoff_force`: the torques do not change there, so a foot that is let go under
load would be pushed into the ground.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..hybrid import Model, indices
from ..hybrid.names import items
from ..terrain import Flat, Terrain
from . import hopping_leg_mechanics as hopping
from . import slip_leg_motion as slip
from .ground import ground_of
from .ground_line import ground_height, ground_table
from .hopping_leg import HoppingLegParams
from .slip_leg import SlipLegParams, foot_x, foot_z

CHARTS = ("flight", "stance")
FLIGHT, STANCE = range(2)
RELEASED = 2  # place in the memory
LEAVING = 20e-6  # a foot that lifts off rises as time cubed, for this long less than rounding [s]
SUNK = 1e-6  # a foot this far below the ground is a mistake [m]
ON_GROUND = 1e-9  # one this near stands on it at the start [m]
# What drives hip and knee: gains [N m/rad], [N m s/rad], set-points [rad], torques [N m], and the motors' limits, the
# rows of `limited_torque`.
DRIVE: dict[str, Any] = {"kp": 0.0, "kd": 0.0, "set": np.zeros(2), "torque": np.zeros(2), "limits": np.zeros(6)}
D = indices(DRIVE)
SLOPE_STEP = 1e-5  # of the difference that gives the ground's slope [m]


class Leg(NamedTuple):
    """A leg's mechanics; `u` are the torques of hip and knee, `F` the ground's force on the foot as the leg has it."""

    fly: Callable  # (x, p, u, dx)
    stand: Callable  # (x, d, p, u, dx, F)
    gap: Callable  # (x, p): height of the foot above the ground [m]
    strike: Callable  # (x, d, p): the impact
    press: Callable  # (x, p, F): positive while the ground pushes
    force: Callable  # (d, F, out): the force in the world (3) [N]


def drive_torque(x, p, first, u):
    """Write the torques that the motors of hip and knee deliver [N m]."""
    for k in range(2):
        asked = p[first + D.kp] * (p[first + D.set + k] - x[2 + k]) - p[first + D.kd] * x[6 + k]
        asked += p[first + D.torque + k]
        peak, stall = p[first + D.limits + k], p[first + D.limits + 2 + k]
        lost = p[first + D.limits + 4 + k] * x[6 + k]
        u[k] = min(max(min(max(asked, -stall - lost), stall - lost), -peak), peak)


def hopping_leg(params: HoppingLegParams | None = None, ground: Terrain | None = None) -> tuple[Model, Callable]:
    """Return the leg on its boom as a model, and the readings of its foot."""
    table = hopping.numbers(params or HoppingLegParams()) | DRIVE
    floor = ground_of(ground or Flat(), sum(np.size(value) for value in table.values()))
    height = floor.height

    def fly(x, p, u, dx):
        for i in range(4):
            dx[i] = x[4 + i]
        hopping.flight_acceleration(x[:4], x[4:], p, u, dx[4:])

    def stand(x, d, p, u, dx, F):
        for i in range(4):
            dx[i] = x[4 + i]
        hopping.stance_acceleration(x[:4], x[4:], p, d[:2], u, dx[4:], F)

    def gap(x, p):
        toe = np.empty(3)
        hopping.toe_position(x[:4], p, toe)
        return toe[2] - height(toe[0], toe[1], p)

    def strike(x, d, p):
        toe = np.empty(3)
        hopping.toe_position(x[:4], p, toe)
        reach = np.sqrt(toe[0] * toe[0] + toe[1] * toe[1])
        d[0], d[1] = toe[0] / reach, toe[1] / reach
        hopping.impact(x[:4], x[4:], p, d[:2], np.empty(2))

    def press(x, p, F):
        return F[1]

    def force(d, F, out):
        out[0], out[1], out[2] = -d[1] * F[0], d[0] * F[0], F[1]

    return _build("hopping_leg", table, floor.params, Leg(fly, stand, gap, strike, press, force))


def slip_leg(params: SlipLegParams | None = None, ground: Terrain | str = "flat") -> tuple[Model, Callable]:
    """Return the articulated leg as a model, and the readings of its foot."""
    table, profile = items(params or SlipLegParams()) | DRIVE, ground_table(ground)
    place = indices(table | profile).ground_slope

    def fly(x, p, u, dx):
        slip.flight_rates(x, p, u, dx)

    def stand(x, d, p, u, dx, F):
        slip.stance_rates(x, p, u, dx, F)

    def gap(x, p):
        return foot_z(x, p) - ground_height(foot_x(x, p), p, place)

    def strike(x, d, p):
        slip.impact(x, p)

    def press(x, p, F):
        at = foot_x(x, p)
        rise = ground_height(at + SLOPE_STEP, p, place) - ground_height(at - SLOPE_STEP, p, place)
        return F[1] - rise / (2.0 * SLOPE_STEP) * F[0]

    def force(d, F, out):
        out[0], out[1], out[2] = F[0], 0.0, F[1]

    return _build("slip_leg", table, profile, Leg(fly, stand, gap, strike, press, force))


def _build(name: str, table: dict[str, Any], floor: dict[str, Any], leg: Leg) -> tuple[Model, Callable]:
    """Return the model and `readings(x, d, p, chart, foot)`, which writes contact and force (3) of the foot [N]."""
    fly, stand, gap, strike, press, force = leg
    first = indices(table).kp
    state = {f"q{i}": 0.0 for i in range(4)} | {f"v{i}": 0.0 for i in range(4)}
    memory = {"along_x": 1.0, "along_y": 0.0, "released": -1.0e9}
    model = Model(f"driven_{name}", state=state, memory=memory, params=table | floor, charts=CHARTS)

    def standing(x, d, p, dx, F):
        u = np.empty(2)
        drive_torque(x, p, first, u)
        stand(x, d, p, u, dx, F)

    def land(t, x, d, p):
        F = np.empty(2)
        strike(x, d, p)
        standing(x, d, p, np.empty(8), F)
        if press(x, p, F) >= 0.0:
            return STANCE
        d[RELEASED] = t
        return FLIGHT

    def clearance(t, x, d, p):
        return gap(x, p) + max(0.0, LEAVING - (t - d[RELEASED]))  # times 1 m/s: a height it may not sink by

    @model.field("flight")
    def flight(t, x, d, p, dx):
        u = np.empty(2)
        drive_torque(x, p, first, u)
        fly(x, p, u, dx)

    @model.field("stance")
    def stance(t, x, d, p, dx):
        standing(x, d, p, dx, np.empty(2))

    @model.guard("flight", on_entry="ignore")
    def touchdown(t, x, d, p):
        return clearance(t, x, d, p)

    @model.guard("stance", on_entry="fire")
    def liftoff(t, x, d, p):
        F = np.empty(2)
        standing(x, d, p, np.empty(8), F)
        return press(x, p, F)

    @model.guard("flight", invalid=True)
    def underground(t, x, d, p):
        return clearance(t, x, d, p) + SUNK

    @model.on("touchdown")
    def touch(t, x, d, p):
        return land(t, x, d, p)

    @model.on("liftoff")
    def leave(t, x, d, p):
        d[RELEASED] = t
        return FLIGHT

    @model.initial
    def begin(t, x, d, p):
        return land(t, x, d, p) if abs(gap(x, p)) <= ON_GROUND else FLIGHT

    def readings(x, d, p, chart, foot):
        F = np.empty(2)
        for i in range(4):
            foot[i] = 0.0
        if chart == STANCE:
            foot[0] = 1.0
            standing(x, d, p, np.empty(8), F)
            force(d, F, foot[1:])

    return model, readings
