"""The hopping leg and the articulated leg, driven from outside: their mechanics for `driven_leg`.

State and mechanics are those of `hopping_leg_hybrid` and `slip_leg_hybrid`.
"""

from collections.abc import Callable

import numpy as np

from ..hybrid import Model
from ..hybrid.names import items, vector
from ..terrain import Flat, Terrain
from . import constrained, driven_leg, hopping_leg_hybrid, slip_leg_hybrid
from . import hopping_leg_mechanics as hopping
from . import slip_leg_motion as slip
from .driven_leg import DRIVE
from .ground import ground_of
from .ground_line import profile_of
from .hopping_leg import HoppingLegParams
from .sliding_foot import Leg
from .slip_leg import SlipLegParams, foot_x, foot_z


def hopping_leg(params: HoppingLegParams | None = None, ground: Terrain | None = None) -> tuple[Model, Callable]:
    """Return the leg on its boom as a model, and the readings of its foot."""
    table = hopping.numbers(params or HoppingLegParams()) | DRIVE
    floor = ground_of(ground or Flat(), vector(table).size)

    def terms(x, p, u, J):
        frames, rows = hopping.frames_of(x[:4], x[4:], p), np.empty((6, 4))
        drift = hopping.toe_jacobian(frames, p, rows)
        J[:] = rows[:3]
        M, load = hopping.mass_and_load(frames, x[4:], p, u)
        return M, load, drift

    def toe(x, p, out):
        hopping.toe_position(x[:4], p, out)

    def press(x, p, F):
        return F[1]

    def force(d, F, out):
        out[0], out[1], out[2] = -d[1] * F[0], d[0] * F[0], F[1]

    laws = hopping_leg_hybrid
    leg = Leg(laws.fly, laws.stand, terms, toe, floor.height, laws.strike, press, force)
    return driven_leg.build("hopping_leg", table, floor.params, leg)


def slip_leg(params: SlipLegParams | None = None, ground: Terrain | str = "flat") -> tuple[Model, Callable]:
    """Return the articulated leg as a model, and the readings of its foot."""
    table = items(params or SlipLegParams()) | DRIVE
    floor = profile_of(ground, vector(table).size)
    gradient = floor.gradient

    def terms(x, p, u, J):
        M, h, rows, _, drift, _ = slip.terms(x, p)
        constrained.replace_bias(h, u)
        J[0], J[1], J[2] = rows[0], 0.0, rows[1]
        return M, h, (drift[0], 0.0, drift[1])

    def toe(x, p, out):
        out[0], out[1], out[2] = foot_x(x, p), 0.0, foot_z(x, p)

    def strike(x, d, p):
        slip.impact(x, p)

    def press(x, p, F):
        slope, _ = gradient(foot_x(x, p), 0.0, p)
        return F[1] - slope * F[0]

    def force(d, F, out):
        out[0], out[1], out[2] = F[0], 0.0, F[1]

    leg = Leg(slip_leg_hybrid.fly, slip_leg_hybrid.stand, terms, toe, floor.height, strike, press, force)
    return driven_leg.build("slip_leg", table, floor.params, leg)
