"""Other parameters for a hopping leg that is already compiled, as domain randomisation wants them."""

from __future__ import annotations

import mujoco

from ..analytic.models.hopping_leg import HoppingLegParams
from ..analytic.terrain import Flat
from .compile import compile_model
from .hopping_leg import build
from .parameters import take_parameters
from .presets import Preset

# Parameters that `set_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = ("g", "mass", "com", "inertia", "rotor_inertia", "motor_constant", "resistance", "voltage")
RANDOMISABLE += ("max_shaft_torque",)


def set_parameters(model: mujoco.MjModel, params: HoppingLegParams, preset: str | Preset) -> None:
    """Give a compiled leg, on whatever terrain, other masses, inertias, motors and gravity, in place.

    They are copied from a leg built anew on flat ground, so that nothing is written down twice.
    """
    take_parameters(model, compile_model(build(params, Flat(), preset)))
