"""Compiles a spec with inertias that MuJoCo's compiler would refuse, and changes a compiled model's parameters."""

import mujoco
import numpy as np

from .terrain import GROUND

BODY_FIELDS = ("mass", "inertia", "pos", "ipos", "iquat")
FIELDS = (
    "skin_vert",  # as drawn at rest
    *("qpos0", "qpos_spring", "jnt_pos", "jnt_stiffness", "jnt_stiffnesspoly", "dof_damping", "dof_dampingpoly"),
    *("dof_armature", "actuator_gainprm", "actuator_biasprm", "actuator_dynprm", "actuator_forcerange"),
    "actuator_ctrlrange",
)


def compile_model(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """Compile a spec and give each body `B` the principal inertia of the numeric `B_inertia`, if there is one.

    MuJoCo's compiler requires the triangle inequality; the documents' hexapod violates it (erratum 2), but can be
    simulated.
    """
    model = spec.compile()
    suffix = "_inertia"
    for numeric in spec.numerics:
        if numeric.name.endswith(suffix):
            model.body(numeric.name.removesuffix(suffix)).inertia[:] = numeric.data
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def become(model: mujoco.MjModel, donor: mujoco.MjModel) -> None:
    """Give a compiled model every number of another of the same structure, in place."""
    for mine, other in ((model, donor), (model.opt, donor.opt), (model.stat, donor.stat)):
        for name in (name for name in dir(other) if not name.startswith("_")):
            value = getattr(other, name)
            if isinstance(value, np.ndarray):
                getattr(mine, name)[...] = value
            elif mine is not model and not callable(value):  # a model's own numbers are its sizes
                setattr(mine, name, value)


def take_parameters(model: mujoco.MjModel, donor: mujoco.MjModel) -> None:
    """Give a compiled machine, on any terrain, the parameters of one newly built on flat ground, in place.

    So only the builder defines where each parameter goes. Its `RANDOMISABLE` names those that may be changed like this,
    for domain randomisation.
    """
    for body in range(1, donor.nbody):
        source = donor.body(body)
        for name in BODY_FIELDS:
            getattr(model.body(source.name), name)[:] = getattr(source, name)
    for name in FIELDS:
        getattr(model, name)[:] = getattr(donor, name)
    model.opt.gravity[:] = donor.opt.gravity
    for geom in (model.geom(k) for k in range(model.ngeom)):
        if geom.name == GROUND or geom.name.startswith("patch_"):
            geom.friction[:] = donor.geom(GROUND).friction
    mujoco.mj_setConst(model, mujoco.MjData(model))
