"""Other parameters for a hexapod that is already compiled, as domain randomisation wants them."""

from __future__ import annotations

import mujoco

from ..analytic.models.hexapod import HexapodParams
from ..analytic.terrain import Flat
from .compile import compile_model
from .hexapod import build
from .presets import Preset
from .terrain import GROUND

# Parameters that `set_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = (
    *("body_mass", "leg_mass", "friction_coeff", "g", "max_torque", "max_speed"),
    *("rho_k", "rho_d", "rho_r0", "theta_k", "theta_d", "theta_r0", "J", "KP", "KD"),
)
_BODY_FIELDS = ("mass", "inertia", "pos", "iquat")
_ARRAYS = (
    *("qpos0", "qpos_spring", "jnt_pos", "jnt_stiffness", "jnt_stiffnesspoly", "dof_damping", "dof_dampingpoly"),
    *("actuator_gainprm", "actuator_biasprm", "actuator_dynprm", "actuator_forcerange"),
)


def set_parameters(model: mujoco.MjModel, params: HexapodParams, preset: str | Preset) -> None:
    """Give a compiled hexapod, on whatever terrain, other parameters, in place.

    They are copied from a hexapod built anew on flat ground, so that nothing is written down twice.
    """
    donor = compile_model(build(params, Flat(), preset))
    for body in range(1, donor.nbody):
        source = donor.body(body)
        for name in _BODY_FIELDS:
            getattr(model.body(source.name), name)[:] = getattr(source, name)
    for name in _ARRAYS:
        getattr(model, name)[:] = getattr(donor, name)
    model.opt.gravity[:] = donor.opt.gravity
    for geom in (model.geom(k) for k in range(model.ngeom)):
        if geom.name == GROUND or geom.name.startswith("patch_"):
            geom.friction[:] = donor.geom(GROUND).friction
    mujoco.mj_setConst(model, mujoco.MjData(model))
