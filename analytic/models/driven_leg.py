"""A leg as a hybrid model that is driven from outside, as by a policy.

Set-points, gains and torques of hip and knee are parameters of a run, so that one compiled model follows any policy.
State: four coordinates and their rates; memory: the foothold's direction, when the foot last left the ground, and how
far below it, because a foot that slides along its boom on a slope does so at the height at which it landed.
Charts: flight; stance, the foot pinned; sliding. Events: touchdown, an inelastic impact; liftoff, where the ground
would have to pull; rise, where a sliding foot has no load; stick, where a pinned foot would be pushed by `HELD`. A foot
that begins below the ground ends a run. End stops are springs beyond the joints' ranges; without stiffness, there are
none.

Torques that are held do not change at liftoff. At zero force, not at `liftoff_force`, a pinned foot still has a force
along its way, and without that the torques may push it down: then it can neither stay nor rise. It slides, without
friction, since friction ends with the load. (Let go as in flight it would meet the ground again every few microseconds,
and the impacts would hold it there for tens of milliseconds.)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..hybrid import Model, indices
from .hopping_leg_mechanics import delivered
from .sliding_foot import Leg, sliding_of

CHARTS = ("flight", "stance", "sliding")
FLIGHT, STANCE, SLIDING = range(3)
RELEASED, DEPTH = 2, 3  # places in the memory
LEAVING = 20e-6  # a foot that lifts off rises as time cubed, for this long less than rounding [s]
SUNK = 1e-6  # a foot this far below the ground is a mistake [m]
ON_GROUND = 1e-9  # one this near stands on it [m]
RISING = 0.05  # as long a foot that left the ground from below it may take to rise to it [s]
HELD = 1.0  # normal force on a sliding foot, if it were pinned, at which it is; at none it would be let go at once [N]
# What drives hip and knee: gains [N m/rad], [N m s/rad], set-points [rad], torques [N m], the motors' limits, the rows
# of `limited_torque`, and the end stops: their stiffness [N m/rad], lowest and highest angles [rad].
DRIVE: dict[str, Any] = {"kp": 0.0, "kd": 0.0, "set": np.zeros(2), "torque": np.zeros(2), "limits": np.zeros(6)}
DRIVE |= {"stop_k": 0.0, "stop_low": np.zeros(2), "stop_high": np.zeros(2)}
D = indices(DRIVE)


class Laws(NamedTuple):
    """A leg as its charts and events see it; (x, d, p) are state, memory and parameters."""

    fly: Callable  # (x, d, p, dx): the rates in flight
    stand: Callable  # (x, d, p, dx, F): those in stance, and the ground's force as the leg has it [N]
    slide: Callable  # (x, p, dx): those of a sliding foot; returns its normal force [N]
    pressed: Callable  # (x, d, p): the normal force on a pinned foot [N]
    gap: Callable  # (x, p): height of the foot above the ground [m]
    clearance: Callable  # (t, x, d, p): the same, more just after it has left it [m]
    land: Callable  # (t, x, d, p): the impact; returns the chart after it
    let_go: Callable  # (t, x, d, p): returns the chart of a foot on the ground without load
    release: Callable  # (t, x, d, p): the foot leaves the ground; returns the chart of flight


def drive_torque(x, p, first, u):
    """Write the torques that the motors of hip and knee deliver, with those of their end stops [N m]."""
    for k in range(2):
        asked = p[first + D.kp] * (p[first + D.set + k] - x[2 + k]) - p[first + D.kd] * x[6 + k]
        asked += p[first + D.torque + k]
        at = first + D.limits + k
        u[k] = delivered(asked, x[6 + k], p[at], p[at + 2], p[at + 4])
        if p[first + D.stop_k] > 0.0:
            low, high = p[first + D.stop_low + k], p[first + D.stop_high + k]
            u[k] -= p[first + D.stop_k] * (min(x[2 + k] - low, 0.0) + max(x[2 + k] - high, 0.0))


def build(name: str, table: dict[str, Any], floor: dict[str, Any], leg: Leg) -> tuple[Model, Callable]:
    """Return the model of a leg, and `readings(x, d, p, chart, foot)`: contact and force (3) of the foot [N].

    The parameters are the leg's `table`, those of `DRIVE` last, and the ground's.
    """
    state = {f"q{i}": 0.0 for i in range(4)} | {f"v{i}": 0.0 for i in range(4)}
    memory = {"along_x": 1.0, "along_y": 0.0, "released": -1.0e9, "depth": 0.0}
    model = Model(f"driven_{name}", state=state, memory=memory, params=table | floor, charts=CHARTS)
    laws = _laws_of(leg, indices(table).kp)
    _add_fields(model, laws)
    _add_guards(model, laws)
    _add_transitions(model, laws)
    return model, _readings_of(laws, leg)


def _laws_of(leg: Leg, first: int) -> Laws:
    """Return the laws of a leg whose motors' numbers begin at a place of the parameters."""
    leg_flies, leg_stands, _, _, _, strike, press, _ = leg
    leg_slides, rising, _ = sliding_of(leg)
    gap, clearance, release = _heights_of(leg)

    def torques(x, p):
        u = np.empty(2)
        drive_torque(x, p, first, u)
        return u

    def fly(x, d, p, dx):
        leg_flies(x, d, p, torques(x, p), dx)

    def stand(x, d, p, dx, F):
        leg_stands(x, d, p, torques(x, p), dx, F)

    def slide(x, p, dx):
        return leg_slides(x, p, torques(x, p), dx)

    def pressed(x, d, p):
        F = np.empty(2)
        stand(x, d, p, np.empty(8), F)
        return press(x, p, F)

    def let_go(t, x, d, p):
        return SLIDING if rising(x, p, torques(x, p)) < 0.0 else release(t, x, d, p)

    def land(t, x, d, p):
        strike(x, d, p)
        return STANCE if pressed(x, d, p) >= 0.0 else let_go(t, x, d, p)

    return Laws(fly, stand, slide, pressed, gap, clearance, land, let_go, release)


def _heights_of(leg: Leg) -> tuple[Callable, Callable, Callable]:
    """Return `gap`, `clearance` and `release` of `Laws`."""
    toe, height = leg.toe, leg.height

    def gap(x, p):
        at = np.empty(3)
        toe(x, p, at)
        return at[2] - height(at[0], at[1], p)

    def clearance(t, x, d, p):
        since = t - d[RELEASED]
        allowed = max(0.0, LEAVING - since)  # times 1 m/s: a height it may not sink by
        return gap(x, p) + (allowed + d[DEPTH] * max(0.0, 1.0 - since / RISING))

    def release(t, x, d, p):
        below = -gap(x, p)
        d[RELEASED], d[DEPTH] = t, below if below > ON_GROUND else 0.0
        return FLIGHT

    return gap, clearance, release


def _add_fields(model: Model, laws: Laws) -> None:
    fly, stand, slide = laws.fly, laws.stand, laws.slide

    @model.field("flight")
    def flight(t, x, d, p, dx):
        fly(x, d, p, dx)

    @model.field("stance")
    def stance(t, x, d, p, dx):
        stand(x, d, p, dx, np.empty(2))

    @model.field("sliding")
    def sliding(t, x, d, p, dx):
        slide(x, p, dx)


def _add_guards(model: Model, laws: Laws) -> None:
    slide, pressed, clearance = laws.slide, laws.pressed, laws.clearance

    model.guard("flight", on_entry="ignore", name="touchdown")(clearance)

    @model.guard("stance", on_entry="fire", sampled=True)
    def liftoff(t, x, d, p):
        return pressed(x, d, p)

    @model.guard("sliding", on_entry="fire", sampled=True)
    def rise(t, x, d, p):
        return slide(x, p, np.empty(8))

    @model.guard("sliding", on_entry="fire", sampled=True)
    def stick(t, x, d, p):
        return HELD - pressed(x, d, p)

    @model.guard("flight", invalid=True)
    def underground(t, x, d, p):
        return clearance(t, x, d, p) + SUNK


def _add_transitions(model: Model, laws: Laws) -> None:
    land, gap = laws.land, laws.gap
    model.on("touchdown")(land)
    model.on("liftoff")(laws.let_go)
    model.on("rise")(laws.release)
    model.on("stick")(land)

    @model.initial
    def begin(t, x, d, p):
        return land(t, x, d, p) if abs(gap(x, p)) <= ON_GROUND else FLIGHT


def _readings_of(laws: Laws, leg: Leg) -> Callable:
    """Return `readings(x, d, p, chart, foot)`."""
    stand, slide, force = laws.stand, laws.slide, leg.force
    _, _, normal = sliding_of(leg)

    def readings(x, d, p, chart, foot):
        F = np.empty(2)
        for i in range(4):
            foot[i] = 0.0
        if chart == STANCE:
            foot[0] = 1.0
            stand(x, d, p, np.empty(8), F)
            force(d, F, foot[1:])
        elif chart == SLIDING:
            foot[0] = 1.0
            pushed = slide(x, p, np.empty(8))
            normal(x, p, foot[1:])
            for i in range(1, 4):
                foot[i] *= pushed

    return readings
