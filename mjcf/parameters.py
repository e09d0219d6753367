"""Other parameters for a model that is already compiled, copied from one built anew: nothing is written down twice."""

from __future__ import annotations

import mujoco

from .terrain import GROUND

BODY_FIELDS = ("mass", "inertia", "pos", "ipos", "iquat")
JOINTS_AND_ACTUATORS = (
    *("qpos0", "qpos_spring", "jnt_pos", "jnt_stiffness", "jnt_stiffnesspoly", "dof_damping", "dof_dampingpoly"),
    *("dof_armature", "actuator_gainprm", "actuator_biasprm", "actuator_dynprm", "actuator_forcerange"),
    "actuator_ctrlrange",
)


def take_parameters(
    model: mujoco.MjModel, donor: mujoco.MjModel, arrays: tuple[str, ...] = JOINTS_AND_ACTUATORS
) -> None:
    """Give a compiled machine, on whatever terrain, the parameters of one built anew on flat ground, in place.

    Args:
        model: The machine.
        donor: The one built anew.
        arrays: What is taken besides bodies, gravity and the ground's friction.
    """
    for body in range(1, donor.nbody):
        source = donor.body(body)
        for name in BODY_FIELDS:
            getattr(model.body(source.name), name)[:] = getattr(source, name)
    for name in arrays:
        getattr(model, name)[:] = getattr(donor, name)
    model.opt.gravity[:] = donor.opt.gravity
    for geom in (model.geom(k) for k in range(model.ngeom)):
        if geom.name == GROUND or geom.name.startswith("patch_"):
            geom.friction[:] = donor.geom(GROUND).friction
    mujoco.mj_setConst(model, mujoco.MjData(model))
