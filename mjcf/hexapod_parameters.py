"""Other parameters for a hexapod that is already compiled, as domain randomisation wants them."""

from __future__ import annotations

import mujoco

from ..analytic.models.hexapod import HexapodParams
from ..analytic.terrain import Flat
from .compile import compile_model
from .hexapod import build
from .parameters import take_parameters
from .presets import Preset

# Parameters that `set_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = (
    *("body_mass", "leg_mass", "friction_coeff", "g", "max_torque", "max_speed"),
    *("rho_k", "rho_d", "rho_r0", "theta_k", "theta_d", "theta_r0", "J", "KP", "KD"),
)


def set_parameters(model: mujoco.MjModel, params: HexapodParams, preset: str | Preset) -> None:
    """Give a compiled hexapod, on whatever terrain, other parameters, in place.

    They are copied from a hexapod built anew on flat ground, so that nothing is written down twice.
    """
    take_parameters(model, compile_model(build(params, Flat(), preset)))
