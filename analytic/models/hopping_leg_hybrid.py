"""The hopping leg as a hybrid model: flight, hard-contact stance, touchdowns with their impacts, liftoffs.

State x = (th1, th2, th3, th4) and their rates [rad, rad/s]; memory d = the unit vector (x, y) of the foothold's radial
direction, a refusal's code, then the controller's memory.
Charts: ascent, descent (flight, told apart by the boom's pitch rate), stance; refused, where a run ends at once.
Events: liftoff (the vertical ground force falls to its threshold), touchdown (the foot reaches the ground), apex.
Invalid, with the run until then kept: fall (hip too low), stance_timeout, full_stretch (knee nearly straight),
foot_pushed_back (at liftoff the swing law would drive the foot into the ground), foot_below_ground (at the start),
liftoff (if after a touchdown the ground would have to pull the foot down).

Invariants: in flight the angular momentum about the boom's axis; at touchdown the foot's speed along Y_hc and Z_hc
becomes zero, and the kinetic energy falls by half of v^T (J M^-1 J^T)^-1 v, v the foot's speed before.
The ground under a foot counts as level: on a slope the foot slides radially at the height at which it landed.

Source: Ding & Ramos, section 2.2, with additional guards for invalid states.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..hybrid import Model
from ..terrain import Flat, Terrain
from .ground import plain_height
from .hopping_leg import HoppingLegParams, start_angles
from .hopping_leg_mechanics import (
    P,
    flight_acceleration,
    frames_of,
    impact,
    kinetic_energy,
    limit_torque,
    numbers,
    potential_energy,
    stance_acceleration,
    toe_jacobian,
    toe_position,
)
from .rigid_chain import WAY

CHARTS = ("ascent", "descent", "stance", "refused")
ASCENT, DESCENT, STANCE, REFUSED = range(4)
FRAME, REFUSAL, CONTROL = 0, 2, 3  # where the parts of the memory begin
PUSHED_BACK, BELOW_GROUND = 1.0, 2.0
MIN_BEND = 0.03  # sine of the knee angle below which the leg counts as straight
STANCE_LIMIT = 3.0  # nominal stance times after which a stance has failed
N_P = sum(np.size(value) for value in numbers(HoppingLegParams()).values())
AUX = ("toe_x", "toe_y", "toe_z", "hip_z", "F_Y", "F_Z", "u_hip", "u_knee", "energy")


def build(
    controller: Any,
    params: HoppingLegParams | None = None,
    ground: Terrain | None = None,
    start: np.ndarray | None = None,
) -> Model:
    """Return the hybrid model of the leg under a controller.

    Args:
        controller: Its laws as plain functions `swing_torque`, `stance_torque` (t, q, dq, p, k, m, u), `at_start`,
            `at_touchdown`, `at_liftoff`, `at_apex` (t, q, dq, p, k, m); its `numbers`, a table that becomes k and has
            `stance_time`; its `memory_names`, of m. As `controllers.raibert.Raibert`.
        params: The leg; by default the controller's.
        ground: Where it hops; flat by default.
        start: Default state, shape (8,); at rest with the foot in the air by default.
    """
    params = controller.params if params is None else params
    table = numbers(params) | controller.numbers
    x0 = np.concatenate([start_angles(params), np.zeros(4)]) if start is None else np.asarray(start, float)
    names = ("th1", "th2", "th3", "th4", "dth1", "dth2", "dth3", "dth4")
    memory = {"radial_x": 1.0, "radial_y": 0.0, "refusal": 0.0} | dict.fromkeys(controller.memory_names, 0.0)
    model = Model(
        "hopping_leg", state=dict(zip(names, x0, strict=True)), memory=memory, params=table, charts=CHARTS, aux=AUX
    )
    height = plain_height(Flat() if ground is None else ground)
    forces = _add_fields(model, controller)
    _add_events(model, forces, height)
    _add_transitions(model, controller)
    _add_limits(model, model.param_names.index("stance_time"), controller.memory_names.index("t_event") + CONTROL)
    _add_start(model, controller, height)
    _add_outputs(model, controller, forces)
    model.lines(lines)
    return model


def _add_fields(model: Model, controller: Any) -> Callable:
    """Add the fields; return `forces(t, x, d, p, u, ddq, F)` of stance."""
    swing_torque, stance_torque = controller.swing_torque, controller.stance_torque

    @model.field("ascent", "descent")
    def flight(t, x, d, p, dx):
        u = np.empty(2)
        swing_torque(t, x[:4], x[4:], p, p[N_P:], d[CONTROL:], u)
        limit_torque(x[4:], p, u)
        for i in range(4):
            dx[i] = x[4 + i]
        flight_acceleration(x[:4], x[4:], p, u, dx[4:])

    def forces(t, x, d, p, u, ddq, F):
        stance_torque(t, x[:4], x[4:], p, p[N_P:], d[CONTROL:], u)
        limit_torque(x[4:], p, u)
        stance_acceleration(x[:4], x[4:], p, d[FRAME : FRAME + 2], u, ddq, F)

    @model.field("stance")
    def stance(t, x, d, p, dx):
        for i in range(4):
            dx[i] = x[4 + i]
        forces(t, x, d, p, np.empty(2), dx[4:], np.empty(2))

    @model.field("refused")
    def refused(t, x, d, p, dx):
        for i in range(8):
            dx[i] = 0.0

    return forces


def _add_events(model: Model, forces: Callable, height: Callable) -> None:
    """Add the guards, in the order of their priority."""

    @model.guard("stance", sampled=True)
    def liftoff(t, x, d, p):
        F = np.empty(2)
        forces(t, x, d, p, np.empty(2), np.empty(4), F)
        return F[1] - p[P.liftoff_force]

    # The foot leaves the ground at rest, within rounding of its height: the guard waits until it is above.
    @model.guard("ascent", "descent", on_entry="ignore")
    def touchdown(t, x, d, p):
        toe = np.empty(3)
        toe_position(x[:4], p, toe)
        return toe[2] - height(toe[0], toe[1])

    @model.guard("ascent", to="descent", on_entry="fire")
    def apex(t, x, d, p):
        return -x[5]


def _add_transitions(model: Model, controller: Any) -> None:
    at_touchdown, at_liftoff, at_apex = controller.at_touchdown, controller.at_liftoff, controller.at_apex
    flight = model.fields["ascent"]

    @model.on("liftoff")
    def leave(t, x, d, p):
        at_liftoff(t, x[:4], x[4:], p, p[N_P:], d[CONTROL:])
        dx, J = np.empty(8), np.empty((6, 4))
        flight(t, x, d, p, dx)
        lift = toe_jacobian(frames_of(x[:4], x[4:], p), p, J)[2]
        for i in range(4):
            lift += J[2, i] * dx[4 + i]
        if lift < 0.0:
            d[REFUSAL] = PUSHED_BACK
            return REFUSED
        if x[5] < 0.0:
            return ASCENT
        at_apex(t, x[:4], x[4:], p, p[N_P:], d[CONTROL:])  # it leaves the ground falling: there is no apex
        return DESCENT

    @model.on("touchdown")
    def land(t, x, d, p):
        toe = np.empty(3)
        toe_position(x[:4], p, toe)
        reach = math.sqrt(toe[0] * toe[0] + toe[1] * toe[1])
        d[FRAME] = toe[0] / reach
        d[FRAME + 1] = toe[1] / reach
        at_touchdown(t, x[:4], x[4:], p, p[N_P:], d[CONTROL:])
        impact(x[:4], x[4:], p, d[FRAME : FRAME + 2], np.empty(2))
        return STANCE

    @model.reset("apex")
    def note_apex(t, x, d, p):
        at_apex(t, x[:4], x[4:], p, p[N_P:], d[CONTROL:])


def _add_limits(model: Model, stance_time: int, t_event: int) -> None:
    """Add the guards behind which the model does not hold."""

    @model.guard("ascent", "descent", "stance", invalid=True)
    def fall(t, x, d, p):
        return p[P.HB] - p[P.LB] * math.sin(x[1]) - p[P.fall_height]

    @model.guard("stance", invalid=True)
    def stance_timeout(t, x, d, p):
        return d[t_event] + STANCE_LIMIT * p[stance_time] - t

    @model.guard("ascent", "descent", "stance", invalid=True)
    def full_stretch(t, x, d, p):
        return abs(math.sin(x[3])) - MIN_BEND

    @model.guard("refused", invalid=True, on_entry="fire")
    def foot_pushed_back(t, x, d, p):
        return -1.0 if d[REFUSAL] == PUSHED_BACK else 1.0

    @model.guard("refused", invalid=True, on_entry="fire")
    def foot_below_ground(t, x, d, p):
        return -1.0 if d[REFUSAL] == BELOW_GROUND else 1.0


def _add_start(model: Model, controller: Any, height: Callable) -> None:
    at_start = controller.at_start

    @model.initial
    def begin(t, x, d, p):
        toe = np.empty(3)
        toe_position(x[:4], p, toe)
        at_start(t, x[:4], x[4:], p, p[N_P:], d[CONTROL:])
        if toe[2] < height(toe[0], toe[1]):
            d[REFUSAL] = BELOW_GROUND
            return REFUSED
        return ASCENT if x[5] < 0.0 else DESCENT


def _add_outputs(model: Model, controller: Any, forces: Callable) -> None:
    swing_torque = controller.swing_torque

    @model.aux
    def outputs(t, x, d, p, chart, out):
        u, F = np.zeros(2), np.zeros(2)
        if chart == STANCE:
            forces(t, x, d, p, u, np.empty(4), F)
        elif chart != REFUSED:
            swing_torque(t, x[:4], x[4:], p, p[N_P:], d[CONTROL:], u)
            limit_torque(x[4:], p, u)
        toe_position(x[:4], p, out[:3])
        out[3] = p[P.HB] - p[P.LB] * math.sin(x[1])
        for k in range(2):
            out[4 + k] = F[k]
            out[6 + k] = u[k]
        out[8] = kinetic_energy(x[:4], x[4:], p) + potential_energy(x[:4], p)


def lines(t, x, d, p, chart) -> dict[str, np.ndarray]:
    """Return boom and leg as polylines in the world, each (k, 3) [m]."""
    toe = np.empty(3)
    toe_position(x[:4], p, toe)
    ground, pivot, _, hip, knee = np.cumsum(frames_of(x[:4], x[4:], p)[:, WAY], axis=0)
    return {"boom": np.array([ground, pivot, hip]), "leg": np.array([hip, knee, toe])}
