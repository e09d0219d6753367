"""Other parameters for a SLIP leg that is already compiled, as domain randomisation wants them."""

from __future__ import annotations

import mujoco

from ..analytic.models.slip_leg import SlipLegParams
from ..analytic.terrain import Flat
from .compile import compile_model
from .presets import Preset
from .slip_leg import build

# Parameters that `set_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = (
    *("base_mass", "thigh_mass", "shank_mass", "foot_mass", "thigh_com", "shank_com"),
    *("thigh_gyration", "shank_gyration", "g", "friction"),
)


def set_parameters(model: mujoco.MjModel, params: SlipLegParams, preset: str | Preset) -> None:
    """Give a compiled leg, on whatever terrain, other parameters, in place; the links' lengths stay.

    They are copied from a leg built anew on flat ground, so that nothing is written down twice.
    """
    donor = compile_model(build(params, Flat(), preset))
    for body in range(1, donor.nbody):
        source = donor.body(body)
        for name in ("mass", "inertia", "ipos", "iquat"):
            getattr(model.body(source.name), name)[:] = getattr(source, name)
    model.opt.gravity[:] = donor.opt.gravity
    for geom in (model.geom(k) for k in range(model.ngeom)):
        if geom.conaffinity[0]:  # the ground, or the plane under the foot
            geom.friction[:] = donor.geom("ground").friction
    mujoco.mj_setConst(model, mujoco.MjData(model))
