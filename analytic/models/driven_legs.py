"""The hopping leg and the articulated leg as hybrid models that are driven from outside, as by a policy.

Set-points, gains and torques of hip and knee are parameters of a run, so that one compiled model follows any policy.
State as in `hopping_leg_hybrid` and `slip_leg_hybrid`, whose mechanics these are; memory: the foothold's direction,
and when the foot last left the ground. Charts: flight; stance, the foot pinned as there; sliding. Events: touchdown, an
inelastic impact; liftoff, where the ground would have to pull; rise, where a sliding foot has no load; stick, where a
pinned foot would be pushed by `HELD`. A foot that begins below the ground ends a run. There are no end stops.

Torques that are held do not change at liftoff. At zero force, not at `liftoff_force`, a pinned foot still has a force
along its way, and without that the torques may push it down: then it can neither stay nor rise. It slides, without
friction, since friction ends with the load. (Let go as in flight it would meet the ground again every few microseconds,
and the impacts would hold it there for tens of milliseconds.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..hybrid import Model, indices
from ..hybrid.names import items
from ..terrain import Flat, Terrain
from . import constrained
from . import hopping_leg_mechanics as hopping
from . import slip_leg_motion as slip
from .ground import ground_of
from .ground_line import ground_height, ground_table
from .hopping_leg import HoppingLegParams
from .slip_leg import SlipLegParams, foot_x, foot_z

CHARTS = ("flight", "stance", "sliding")
FLIGHT, STANCE, SLIDING = range(3)
RELEASED = 2  # place in the memory
LEAVING = 20e-6  # a foot that lifts off rises as time cubed, for this long less than rounding [s]
SUNK = 1e-6  # a foot this far below the ground is a mistake [m]
ON_GROUND = 1e-9  # one this near stands on it at the start [m]
# What drives hip and knee: gains [N m/rad], [N m s/rad], set-points [rad], torques [N m], and the motors' limits, the
# rows of `limited_torque`.
DRIVE: dict[str, Any] = {"kp": 0.0, "kd": 0.0, "set": np.zeros(2), "torque": np.zeros(2), "limits": np.zeros(6)}
D = indices(DRIVE)
HELD = 1.0  # normal force on a sliding foot, if it were pinned, at which it is; at none it would be let go at once [N]
SLOPE_STEP = 1e-5  # of the difference that gives the ground's slope [m]
CURVE_STEP = 1e-3  # of that that gives its curvature along the foot's way [m]


class Leg(NamedTuple):
    """A leg's mechanics; `u` are the torques of hip and knee, `F` the ground's force on the foot as the leg has it."""

    fly: Callable  # (x, p, u, dx)
    stand: Callable  # (x, d, p, u, dx, F)
    terms: Callable  # (x, p, u, J): mass matrix, what drives it, and dJ v (3), J (3, 4) being the foot's Jacobian
    toe: Callable  # (x, p, out): place of the foot (3) [m]
    height: Callable  # (x, y, p): of the ground [m]
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

    def terms(x, p, u, J):
        frames, rows = hopping.frames_of(x[:4], x[4:], p), np.empty((6, 4))
        drift = hopping.toe_jacobian(frames, p, rows)
        J[:] = rows[:3]
        M, load = hopping.mass_and_load(frames, x[4:], p, u)
        return M, load, drift

    def toe(x, p, out):
        hopping.toe_position(x[:4], p, out)

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

    return _build("hopping_leg", table, floor.params, Leg(fly, stand, terms, toe, height, strike, press, force))


def slip_leg(params: SlipLegParams | None = None, ground: Terrain | str = "flat") -> tuple[Model, Callable]:
    """Return the articulated leg as a model, and the readings of its foot."""
    table, profile = items(params or SlipLegParams()) | DRIVE, ground_table(ground)
    place = indices(table | profile).ground_slope

    def fly(x, p, u, dx):
        slip.flight_rates(x, p, u, dx)

    def stand(x, d, p, u, dx, F):
        slip.stance_rates(x, p, u, dx, F)

    def terms(x, p, u, J):
        M, h, rows, _, drift, _ = slip.terms(x, p)
        constrained.replace_bias(h, u)
        J[0], J[1], J[2] = rows[0], 0.0, rows[1]
        return M, h, (drift[0], 0.0, drift[1])

    def toe(x, p, out):
        out[0], out[1], out[2] = foot_x(x, p), 0.0, foot_z(x, p)

    def height(x, y, p):
        return ground_height(x, p, place)

    def strike(x, d, p):
        slip.impact(x, p)

    def press(x, p, F):
        at = foot_x(x, p)
        rise = ground_height(at + SLOPE_STEP, p, place) - ground_height(at - SLOPE_STEP, p, place)
        return F[1] - rise / (2.0 * SLOPE_STEP) * F[0]

    def force(d, F, out):
        out[0], out[1], out[2] = F[0], 0.0, F[1]

    return _build("slip_leg", table, profile, Leg(fly, stand, terms, toe, height, strike, press, force))


def sliding_of(leg: Leg) -> tuple[Callable, Callable, Callable]:
    """Return how a leg moves whose foot slides on the ground without friction, how its foot rises, and the normal.

    The first, (x, p, u, dx), writes the rates and returns the ground's force along its normal [N]; the second,
    (x, p, u), returns the acceleration of a free foot away from the ground [m/s^2]; the third, (x, p, n), writes the
    ground's normal under the foot, whose last component is one.
    """
    terms, toe, height = leg.terms, leg.toe, leg.height

    def normal(x, p, n):
        toe(x, p, n)
        a, b, e = n[0], n[1], SLOPE_STEP
        n[0] = (height(a - e, b, p) - height(a + e, b, p)) / (2.0 * e)
        n[1] = (height(a, b - e, p) - height(a, b + e, p)) / (2.0 * e)
        n[2] = 1.0

    def row(x, p, u, J):
        n, at, rows, v = np.empty(3), np.empty(3), np.empty((3, 4)), np.zeros(3)
        normal(x, p, n)
        toe(x, p, at)
        M, load, a = terms(x, p, u, rows)
        for i in range(4):
            J[0, i] = n[0] * rows[0, i] + n[1] * rows[1, i] + rows[2, i]
            for k in range(3):
                v[k] += rows[k, i] * x[4 + i]
        e = CURVE_STEP / (1.0 + abs(v[0]) + abs(v[1]))
        ahead, behind = height(at[0] + e * v[0], at[1] + e * v[1], p), height(at[0] - e * v[0], at[1] - e * v[1], p)
        curved = (ahead - 2.0 * height(at[0], at[1], p) + behind) / (e * e)
        return M, load, n[0] * a[0] + n[1] * a[1] + a[2] - curved

    def slide(x, p, u, dx):
        J, drift, F = np.empty((1, 4)), np.empty(1), np.empty(1)
        M, load, drift[0] = row(x, p, u, J)
        for i in range(4):
            dx[i] = x[4 + i]
        constrained.solve(M, load, J, drift, dx[4:], F)
        return F[0]

    def rising(x, p, u):
        J, ddq = np.empty((1, 4)), np.empty(4)
        M, load, up = row(x, p, u, J)
        constrained.free(M, load, ddq)
        for i in range(4):
            up += J[0, i] * ddq[i]
        return up

    return slide, rising, normal


def _build(name: str, table: dict[str, Any], floor: dict[str, Any], leg: Leg) -> tuple[Model, Callable]:
    """Return the model and `readings(x, d, p, chart, foot)`, which writes contact and force (3) of the foot [N]."""
    fly, stand, _, toe, height, strike, press, force = leg
    slide, rising, normal = sliding_of(leg)
    first = indices(table).kp
    state = {f"q{i}": 0.0 for i in range(4)} | {f"v{i}": 0.0 for i in range(4)}
    memory = {"along_x": 1.0, "along_y": 0.0, "released": -1.0e9}
    model = Model(f"driven_{name}", state=state, memory=memory, params=table | floor, charts=CHARTS)

    def standing(x, d, p, dx, F):
        u = np.empty(2)
        drive_torque(x, p, first, u)
        stand(x, d, p, u, dx, F)

    def gap(x, p):
        at = np.empty(3)
        toe(x, p, at)
        return at[2] - height(at[0], at[1], p)

    def let_go(t, x, d, p):
        u = np.empty(2)
        drive_torque(x, p, first, u)
        if rising(x, p, u) < 0.0:
            return SLIDING
        d[RELEASED] = t
        return FLIGHT

    def pressed(x, d, p):
        F = np.empty(2)
        standing(x, d, p, np.empty(8), F)
        return press(x, p, F)

    def slid(x, p, dx):
        u = np.empty(2)
        drive_torque(x, p, first, u)
        return slide(x, p, u, dx)

    def land(t, x, d, p):
        strike(x, d, p)
        return STANCE if pressed(x, d, p) >= 0.0 else let_go(t, x, d, p)

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

    @model.field("sliding")
    def sliding(t, x, d, p, dx):
        slid(x, p, dx)

    @model.guard("flight", on_entry="ignore")
    def touchdown(t, x, d, p):
        return clearance(t, x, d, p)

    @model.guard("stance", on_entry="fire")
    def liftoff(t, x, d, p):
        return pressed(x, d, p)

    @model.guard("sliding", on_entry="fire")
    def rise(t, x, d, p):
        return slid(x, p, np.empty(8))

    @model.guard("sliding", on_entry="fire")
    def stick(t, x, d, p):
        return HELD - pressed(x, d, p)

    @model.guard("flight", invalid=True)
    def underground(t, x, d, p):
        return clearance(t, x, d, p) + SUNK

    @model.on("touchdown")
    def touch(t, x, d, p):
        return land(t, x, d, p)

    @model.on("liftoff")
    def leave(t, x, d, p):
        return let_go(t, x, d, p)

    @model.on("rise")
    def lift(t, x, d, p):
        d[RELEASED] = t
        return FLIGHT

    @model.on("stick")
    def hold(t, x, d, p):
        return land(t, x, d, p)

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
        elif chart == SLIDING:
            foot[0] = 1.0
            pushed = slid(x, p, np.empty(8))
            normal(x, p, foot[1:])
            for i in range(1, 4):
                foot[i] *= pushed

    return model, readings
