"""Other parameters for a hopping leg that is already compiled, as domain randomisation wants them."""

from __future__ import annotations

import mujoco

from ..analytic.models.hopping_leg import HoppingLegParams
from .compile import compile_model
from .hopping_leg import build
from .presets import Preset

# Parameters that `set_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = ("g", "mass", "com", "inertia", "rotor_inertia", "motor_constant", "resistance", "voltage")
RANDOMISABLE += ("max_shaft_torque",)
_BODY_FIELDS = ("mass", "inertia", "ipos", "iquat")
_ARRAYS = (
    *("dof_armature", "dof_damping", "actuator_gainprm", "actuator_biasprm", "actuator_dynprm"),
    *("actuator_ctrlrange", "actuator_forcerange"),
)


def set_parameters(model: mujoco.MjModel, params: HoppingLegParams, preset: str | Preset) -> None:
    """Give a compiled leg, on whatever terrain, other masses, inertias, motors and gravity, in place.

    They are copied from a leg built anew on flat ground, so that nothing is written down twice.
    """
    donor = compile_model(build(params, "flat", preset))
    for body in ("post", "boom", "thigh", "shank"):
        for name in _BODY_FIELDS:
            getattr(model.body(body), name)[:] = getattr(donor.body(body), name)
    for name in _ARRAYS:
        getattr(model, name)[:] = getattr(donor, name)
    model.opt.gravity[:] = donor.opt.gravity
    mujoco.mj_setConst(model, mujoco.MjData(model))
