"""Other parameters for a SLIP leg that is already compiled, as domain randomisation wants them."""

from __future__ import annotations

import mujoco

from ..analytic.models.slip_leg import SlipLegParams
from ..analytic.terrain import Flat
from .compile import compile_model
from .parameters import take_parameters
from .presets import Preset
from .slip_leg import build

# Parameters that `set_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = (
    *("base_mass", "thigh_mass", "shank_mass", "foot_mass", "thigh_com", "shank_com"),
    *("thigh_gyration", "shank_gyration", "g", "friction"),
)


def set_parameters(model: mujoco.MjModel, params: SlipLegParams, preset: str | Preset) -> None:
    """Give a compiled leg, on whatever terrain, other parameters, in place; motors or servos stay what they are.

    They are copied from a leg built anew on flat ground, so that nothing is written down twice.
    """
    take_parameters(model, compile_model(build(params, Flat(), preset)), arrays=())
