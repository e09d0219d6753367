"""From a spec to a compiled model, with what MuJoCo's compiler would refuse put in, and to one of other parameters."""

from __future__ import annotations

import mujoco

from .terrain import GROUND

BODY_FIELDS = ("mass", "inertia", "pos", "ipos", "iquat")
JOINTS_AND_ACTUATORS = (
    *("qpos0", "qpos_spring", "jnt_pos", "jnt_stiffness", "jnt_stiffnesspoly", "dof_damping", "dof_dampingpoly"),
    *("dof_armature", "actuator_gainprm", "actuator_biasprm", "actuator_dynprm", "actuator_forcerange"),
    "actuator_ctrlrange",
)


def compile_model(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """Compile a spec and give each body `B` the principal inertia of the numeric `B_inertia`, if there is one.

    MuJoCo's compiler insists on the triangle inequality; the documents' hexapod breaks it (erratum 2), and the
    simulation runs all the same.
    """
    model = spec.compile()
    suffix = "_inertia"
    for numeric in spec.numerics:
        if numeric.name.endswith(suffix):
            model.body(numeric.name.removesuffix(suffix)).inertia[:] = numeric.data
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def take_parameters(model: mujoco.MjModel, donor: mujoco.MjModel) -> None:
    """Give a compiled machine, on whatever terrain, the parameters of one built anew on flat ground, in place.

    Nothing is written down twice: a builder says where each parameter goes. Those it may be done with, as domain
    randomisation wants it, are the builder's `RANDOMISABLE`.
    """
    for body in range(1, donor.nbody):
        source = donor.body(body)
        for name in BODY_FIELDS:
            getattr(model.body(source.name), name)[:] = getattr(source, name)
    for name in JOINTS_AND_ACTUATORS:
        getattr(model, name)[:] = getattr(donor, name)
    model.opt.gravity[:] = donor.opt.gravity
    for geom in (model.geom(k) for k in range(model.ngeom)):
        if geom.name == GROUND or geom.name.startswith("patch_"):
            geom.friction[:] = donor.geom(GROUND).friction
    mujoco.mj_setConst(model, mujoco.MjData(model))
