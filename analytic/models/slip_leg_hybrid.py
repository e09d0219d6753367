"""The articulated leg as a plant, and under a controller as a hybrid model: flight, stance, and failures.

State as in `slip_leg`; memory d: position of the foothold (foot_x, foot_z), then the controller's memory. Parameters p:
those of the leg and of the ground's profile, then the controller's.

Charts: the controller's phases, in flight or in stance (foot pinned by hard contact). Events: the controller's, and
touchdown with its inelastic impact. A run ends with a status that names the guard: scuff (the foot touches before it is
extended), straight_knee, unreachable (the controller's target), base_fall, knee_fall; a start with the foot below
ground is refused by touchdown.

Source: Hauter, Leitner, Freisinger (TUM 2021), II and IV.
"""

import math
from typing import Any

import numpy as np

from ..hybrid import Model, indices
from ..hybrid.automaton import Automaton
from ..hybrid.closing import Plant, close, forces
from ..hybrid.names import items
from ..terrain import Terrain
from .ground_line import ground_height, ground_table
from .slip_leg import HIP, KNEE, P, SlipLegParams, X, Z, com_state, foot_x, foot_z
from .slip_leg_motion import flight_rates, impact, stance_rates

MEMORY = {"foot_x": 0.0, "foot_z": 0.0}  # the plant's
FOOT_X, FOOT_Z = 0, 1  # its places
STATE = {"x": 0.0, "z": 0.8, "hip": 0.5, "knee": -1.0, "vx": 0.0, "vz": 0.0, "hip_speed": 0.0, "knee_speed": 0.0}
AUX = ("hip_torque", "knee_torque", "force_x", "force_z")  # torques, and the ground's force on the foot


def table(params: SlipLegParams | None = None, ground: Terrain | str = "flat") -> dict[str, Any]:
    """Return the plant's parameters; of a terrain, whose profile along x is the ground.

    Raises:
        ValueError: If the terrain has no such profile.
    """
    return items(params or SlipLegParams()) | ground_table(ground)


GROUND = indices(table()).ground_slope  # where the ground begins in p


def gap(x, p):
    """Return the height of the foot over the ground [m]."""
    return foot_z(x, p) - ground_height(foot_x(x, p), p, GROUND)


def com_rise(t, x, d, p):
    """Return the vertical velocity of the centre of mass [m/s]: zero at the apex."""
    com = np.empty(4)
    com_state(x, p, com)
    return com[3]


def fly(x, d, p, u, dx):
    """Write the rates of the state in flight."""
    flight_rates(x, p, u, dx)


def stand(x, d, p, u, dx, F):
    """Write the rates of the state in stance, and the ground's force on the foot (x, z) [N]."""
    stance_rates(x, p, u, dx, F)


def strike(x, d, p):
    """Pin the foot where it is; its impact is inelastic."""
    d[FOOT_X], d[FOOT_Z] = foot_x(x, p), foot_z(x, p)
    impact(x, p)


PLANT = Plant(fly, stand, gap, strike)


def build(control: Automaton, params: SlipLegParams | None = None, ground: Terrain | str = "flat") -> Model:
    """Return the hybrid model.

    Args:
        control: The controller, e.g. `controllers.slip.slip()`, whose memory has `reach`, positive where its
            target can be reached.
        params: The leg.
        ground: A terrain, whose profile along x is the ground.
    """
    memory, params = MEMORY | control.memory, table(params, ground) | control.params
    model = Model("slip_leg", state=STATE, memory=memory, params=params, charts=control.phases, aux=AUX)
    close(model, control, PLANT)
    _add_failures(model, control)
    model.aux(forces(control, PLANT))
    return model


def _add_failures(model: Model, control: Automaton) -> None:
    n, down = len(MEMORY), control.down
    lands = {phase for event in control.events.values() if event.value is None for phase in event.phases}
    unready, flight = ([phase for phase in control.phases if phase not in others] for others in ({*lands, *down}, down))

    @model.guard(*unready, invalid=True, on_entry="ignore")
    def scuff(t, x, d, p):
        return gap(x, p)

    @model.guard(*control.phases, invalid=True)
    def straight_knee(t, x, d, p):
        return -x[KNEE] - p[P.straight]

    @model.guard(*control.phases, invalid=True)
    def base_fall(t, x, d, p):
        return x[Z] - ground_height(x[X], p, GROUND)

    @model.guard(*control.phases, invalid=True)
    def knee_fall(t, x, d, p):
        at, height = x[X] + p[P.thigh_length] * math.sin(x[HIP]), x[Z] - p[P.thigh_length] * math.cos(x[HIP])
        return height - ground_height(at, p, GROUND)

    reach = n + list(control.memory).index("reach")

    @model.guard(*flight, invalid=True)
    def unreachable(t, x, d, p):
        return d[reach]
