"""The hopping leg as a plant, and under a controller as a hybrid model: flight, hard-contact stance, impacts, liftoffs.

State x = (th1, th2, th3, th4) and their rates [rad, rad/s]; memory d = the unit vector (x, y) of the foothold's radial
direction, a refusal's code, then the controller's memory. Parameters p: the leg's numbers, then the controller's.
Charts: the controller's phases, in flight or in stance; refused, where a run ends at once.
Events: the controller's, liftoff (the vertical ground force falls to its threshold), touchdown (the foot reaches the
ground). Invalid, with the run until then kept: fall (hip too low), stance_timeout, full_stretch (knee nearly straight),
foot_pushed_back (at liftoff the flight's torques would drive the foot into the ground), foot_below_ground (at the
start), liftoff (if after a touchdown the ground would have to pull the foot down).

Invariants: in flight the angular momentum about the boom's axis; at touchdown the foot's speed along Y_hc and Z_hc
becomes zero, and the kinetic energy falls by half of v^T (J M^-1 J^T)^-1 v, v the foot's speed before.
The ground under a foot counts as level: on a slope the foot slides radially at the height at which it landed.

Source: Ding & Ramos, section 2.2, with additional guards for invalid states.
"""

import math
from collections.abc import Callable

import numpy as np

from ..hybrid import Model
from ..hybrid.automaton import Automaton
from ..hybrid.closing import Plant, close, forces
from ..terrain import Flat, Terrain
from .ground import plain_height
from .hopping_leg import HoppingLegParams, start_angles
from .hopping_leg_mechanics import (
    P,
    flight_acceleration,
    frames_of,
    impact,
    numbers,
    stance_acceleration,
    toe_jacobian,
    toe_position,
)
from .rigid_chain import WAY

MEMORY = {"radial_x": 1.0, "radial_y": 0.0, "refusal": 0.0}  # the plant's
FRAME, REFUSAL = 0, 2  # its places
PUSHED_BACK, BELOW_GROUND = 1.0, 2.0
MIN_BEND = 0.03  # sine of the knee angle below which the leg counts as straight
STANCE_LIMIT = 3.0  # nominal stance times after which a stance has failed
STATE = ("th1", "th2", "th3", "th4", "dth1", "dth2", "dth3", "dth4")
AUX = ("u_hip", "u_knee", "F_Y", "F_Z")  # torques, and the ground's force on the foot along Y_hc and Z_hc


def build(
    control: Automaton,
    params: HoppingLegParams | None = None,
    ground: Terrain | None = None,
    start: np.ndarray | None = None,
) -> Model:
    """Return the hybrid model of the leg under a controller.

    Args:
        control: As `controllers.raibert.raibert()`: its parameters have `stance_time`, its memory `t_event`.
        params: The leg.
        ground: Where it hops; flat by default.
        start: Default state, shape (8,); at rest with the foot in the air by default.
    """
    params = params or HoppingLegParams()
    x0 = np.concatenate([start_angles(params), np.zeros(4)]) if start is None else np.asarray(start, float)
    made = {"memory": MEMORY | control.memory, "params": numbers(params) | control.params, "aux": AUX}
    charts = (*control.phases, "refused")
    model = Model("hopping_leg", state=dict(zip(STATE, x0, strict=True)), charts=charts, **made)
    driven = plant(ground, refused=len(control.phases))
    close(model, control, driven)
    model.field("refused")(_still)
    _add_limits(model, control)
    model.aux(forces(control, driven))
    model.lines(lines)
    return model


def plant(ground: Terrain | None = None, refused: int = 0) -> Plant:
    """Return the leg as a plant; `refused` is the code of the chart that takes what rigid ground does not allow."""
    height = plain_height(Flat() if ground is None else ground)

    def gap(x, p):
        toe = np.empty(3)
        toe_position(x[:4], p, toe)
        return toe[2] - height(toe[0], toe[1])

    def begins(first: Callable) -> Callable:
        def begin(t, x, d, p):
            phase = first(t, x, d, p)
            if gap(x, p) < 0.0:
                d[REFUSAL] = BELOW_GROUND
                return refused
            return phase

        return begin

    def leaves(law: Callable, flight: Callable) -> Callable:
        def leave(t, x, d, p):
            phase, dx, J = law(t, x, d, p), np.empty(8), np.empty((6, 4))
            flight(t, x, d, p, dx)
            lift = toe_jacobian(frames_of(x[:4], x[4:], p), p, J)[2]
            for i in range(4):
                lift += J[2, i] * dx[4 + i]
            if lift < 0.0:
                d[REFUSAL] = PUSHED_BACK
                return refused
            return phase

        return leave

    # The foot leaves the ground at rest, within rounding of its height: its landing waits until it is above.
    return Plant(fly, stand, gap, strike, load, landing="ignore", begins=begins, leaves=leaves)


def fly(x, d, p, u, dx):
    """Write the rates of the state in flight."""
    for i in range(4):
        dx[i] = x[4 + i]
    flight_acceleration(x[:4], x[4:], p, u, dx[4:])


def stand(x, d, p, u, dx, F):
    """Write the rates of the state in stance, and the ground's force (F_Y, F_Z) on the foot [N]."""
    for i in range(4):
        dx[i] = x[4 + i]
    stance_acceleration(x[:4], x[4:], p, d[FRAME : FRAME + 2], u, dx[4:], F)


def load(F, p):
    """Return the vertical force over that at which the foot leaves [N]."""
    return F[1] - p[P.liftoff_force]


def strike(x, d, p):
    """Note the foothold's radial direction; the foot's impact is inelastic across it."""
    toe = np.empty(3)
    toe_position(x[:4], p, toe)
    reach = math.sqrt(toe[0] * toe[0] + toe[1] * toe[1])
    d[FRAME] = toe[0] / reach
    d[FRAME + 1] = toe[1] / reach
    impact(x[:4], x[4:], p, d[FRAME : FRAME + 2], np.empty(2))


def _still(t, x, d, p, dx):
    for i in range(8):
        dx[i] = 0.0


def _add_limits(model: Model, control: Automaton) -> None:
    """Add the guards behind which the model does not hold."""
    stance_time = model.param_names.index("stance_time")
    t_event = model.memory_names.index("t_event")

    @model.guard(*control.phases, invalid=True)
    def fall(t, x, d, p):
        return p[P.HB] - p[P.LB] * math.sin(x[1]) - p[P.fall_height]

    @model.guard(*control.down, invalid=True)
    def stance_timeout(t, x, d, p):
        return d[t_event] + STANCE_LIMIT * p[stance_time] - t

    @model.guard(*control.phases, invalid=True)
    def full_stretch(t, x, d, p):
        return abs(math.sin(x[3])) - MIN_BEND

    @model.guard("refused", invalid=True, on_entry="fire")
    def foot_pushed_back(t, x, d, p):
        return -1.0 if d[REFUSAL] == PUSHED_BACK else 1.0

    @model.guard("refused", invalid=True, on_entry="fire")
    def foot_below_ground(t, x, d, p):
        return -1.0 if d[REFUSAL] == BELOW_GROUND else 1.0


def lines(t, x, d, p, chart) -> dict[str, np.ndarray]:
    """Return boom and leg as polylines in the world, each (k, 3) [m]."""
    toe = np.empty(3)
    toe_position(x[:4], p, toe)
    ground, pivot, _, hip, knee = np.cumsum(frames_of(x[:4], x[4:], p)[:, WAY], axis=0)
    return {"boom": np.array([ground, pivot, hip]), "leg": np.array([hip, knee, toe])}
