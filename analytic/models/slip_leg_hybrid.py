"""The articulated leg as a hybrid model: flight in the controller's three phases, stance, and failures.

State as in `slip_leg`; memory d: position of the foothold (foot_x, foot_z), then the controller's memory.

Charts: hold, retract, extend (the controller's phases of flight) and stance (foot pinned by hard contact).
Events: clear (the foot is high enough to be retracted), apex, touchdown with its inelastic impact, liftoff. A run ends
with a status that names the guard: scuff (the foot touches before it is extended), straight_knee, unreachable (the
controller's target), base_fall, knee_fall; a start with the foot below ground is refused by touchdown.

Source: Hauter, Leitner, Freisinger (TUM 2021), II and IV.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..hybrid import Model, indices
from ..hybrid.names import items
from ..terrain import Terrain
from .ground_line import ground_height, ground_table
from .slip_leg import HIP, KNEE, NQ, P, SlipLegParams, X, Z, com_state, foot_state, foot_x, foot_z
from .slip_leg_motion import flight_rates, impact, stance_rates

CHARTS = ("hold", "retract", "extend", "stance")
HOLD, RETRACT, EXTEND, STANCE = range(4)
FLIGHT = CHARTS[:3]
FOOT_X, FOOT_Z = 0, 1  # places in the memory


@dataclass(frozen=True)
class LegControl:
    """The controller of the leg, as plain functions: `analytic` imports no controller, it is given one.

    Functions take (t, x, d, p); those named `on_` change the memory at an event, `on_touchdown` before the impact.
    """

    params: Any  # its parameters, after the leg's in p: a table of names
    memory: dict[str, float]  # its memory, after the foot's place in d
    flight_torque: Callable  # (t, x, d, p, tau) writes the torques of hip and knee [N m]
    stance_torque: Callable
    spring: Callable  # positive while the leg stands: its zero is liftoff
    reach: Callable  # positive if the target can be reached
    clearance: Callable  # height of the foot at which it may be retracted [m]
    on_clear: Callable
    on_apex: Callable
    on_touchdown: Callable
    on_liftoff: Callable


def build(control: LegControl, params: SlipLegParams | None = None, ground: Terrain | str = "flat") -> Model:
    """Return the hybrid model.

    Args:
        control: The controller, e.g. `controllers.slip.laws()`.
        params: The leg.
        ground: A terrain, whose profile along x is the ground.
    """
    leg, profile = items(params or SlipLegParams()), ground_table(ground)
    place = indices({**leg, **items(control.params), **profile}).ground_slope

    def ground_under(x, p):
        return ground_height(x, p, place)

    model = Model(
        "slip_leg",
        state={"x": 0.0, "z": 0.8, "hip": 0.5, "knee": -1.0, "vx": 0.0, "vz": 0.0, "hip_speed": 0.0, "knee_speed": 0.0},
        memory={"foot_x": 0.0, "foot_z": 0.0, **control.memory},
        params={**leg, **items(control.params), **profile},
        charts=CHARTS,
        aux=AUX,
    )

    def flying(t, x, d, p, dx):
        tau = np.zeros(2)
        control_flight(t, x, d, p, tau)
        flight_rates(x, p, tau, dx)

    def standing(t, x, d, p, dx):
        tau, force = np.zeros(2), np.zeros(2)
        control_stance(t, x, d, p, tau)
        stance_rates(x, p, tau, dx, force)

    control_flight, control_stance = control.flight_torque, control.stance_torque
    model.field(*FLIGHT)(flying)
    model.field("stance")(standing)
    _add_events(model, control, ground_under)
    _add_failures(model, control, ground_under)
    _add_hooks(model, control)
    return model


def _add_events(model: Model, control: LegControl, ground: Callable) -> None:
    on_touchdown, on_liftoff, clearance = control.on_touchdown, control.on_liftoff, control.clearance
    on_apex = control.on_apex

    @model.guard("hold", to="retract", direction=1, on_entry="fire")
    def clear(t, x, d, p):
        return foot_z(x, p) - ground(foot_x(x, p), p) - clearance(t, x, d, p)

    @model.guard("hold", "retract", to="extend", on_entry="fire")
    def apex(t, x, d, p):
        return com_rise(x, p)

    @model.guard("extend", to="stance")
    def touchdown(t, x, d, p):
        return foot_z(x, p) - ground(foot_x(x, p), p)

    # Where the impact speeds the centre of mass up, compensation shortens the spring, and it pushes later.
    model.guard("stance", on_entry="ignore", name="liftoff")(control.spring)

    model.reset("clear")(control.on_clear)
    model.reset("apex")(control.on_apex)

    @model.reset("touchdown")
    def land(t, x, d, p):
        on_touchdown(t, x, d, p)
        d[FOOT_X], d[FOOT_Z] = foot_x(x, p), foot_z(x, p)
        impact(x, p)

    @model.on("liftoff")
    def leave(t, x, d, p):
        on_liftoff(t, x, d, p)
        if com_rise(x, p) > 0.0:
            return HOLD
        on_apex(t, x, d, p)  # it leaves the ground falling: there is no apex, the leg extends at once
        return EXTEND


def _add_failures(model: Model, control: LegControl, ground: Callable) -> None:
    @model.guard("hold", "retract", invalid=True, on_entry="ignore")
    def scuff(t, x, d, p):
        return foot_z(x, p) - ground(foot_x(x, p), p)

    @model.guard(*CHARTS, invalid=True)
    def straight_knee(t, x, d, p):
        return -x[KNEE] - p[P.straight]

    @model.guard(*CHARTS, invalid=True)
    def base_fall(t, x, d, p):
        return x[Z] - ground(x[X], p)

    @model.guard(*CHARTS, invalid=True)
    def knee_fall(t, x, d, p):
        return x[Z] - p[P.thigh_length] * math.cos(x[HIP]) - ground(x[X] + p[P.thigh_length] * math.sin(x[HIP]), p)

    model.guard(*FLIGHT, invalid=True, name="unreachable")(control.reach)


def _add_hooks(model: Model, control: LegControl) -> None:
    on_clear, on_apex, spring = control.on_clear, control.on_apex, control.spring
    flight_torque, stance_torque = control.flight_torque, control.stance_torque

    @model.initial
    def first_chart(t, x, d, p):
        if com_rise(x, p) > 0.0:
            on_clear(t, x, d, p)
            return RETRACT
        on_apex(t, x, d, p)
        return EXTEND

    @model.aux
    def outputs(t, x, d, p, chart, out):
        tau, force, dx = np.zeros(2), np.zeros(2), np.zeros(2 * NQ)
        if chart == STANCE:
            stance_torque(t, x, d, p, tau)
            stance_rates(x, p, tau, dx, force)
        else:
            flight_torque(t, x, d, p, tau)
        com, foot = np.zeros(4), np.zeros(4)
        com_state(x, p, com)
        foot_state(x, p, foot)
        out[0:2], out[2:4], out[4:8], out[8:12] = tau, force, com, foot
        out[12] = max(spring(t, x, d, p), 0.0) if chart == STANCE else 0.0


# Torques and the ground's force on the foot, centre of mass and foot with their velocities, and how far the virtual
# spring is compressed: what a record of either engine holds besides the state.
AUX = (
    *("hip_torque", "knee_torque", "force_x", "force_z", "com_x", "com_z", "com_vx", "com_vz"),
    *("toe_x", "toe_z", "toe_vx", "toe_vz", "compression"),
)


def com_rise(x: np.ndarray, p: np.ndarray) -> float:
    """Return the vertical velocity of the centre of mass [m/s]: zero at the apex."""
    com = np.empty(4)
    com_state(x, p, com)
    return com[3]
