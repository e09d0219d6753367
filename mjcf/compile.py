"""From a spec to a compiled model, with what MuJoCo's compiler would refuse put in afterwards."""

from __future__ import annotations

import mujoco


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
