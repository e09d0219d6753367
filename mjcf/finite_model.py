"""Infinite and undefined numbers of a compiled model: MuJoCo compiles them, and its simulation diverges."""

import mujoco
import numpy as np

# What must be finite, by the prefix of MuJoCo's arrays; ranges may be infinite.
FIELDS = {
    "body": ("mass", "inertia", "pos", "quat"),
    "jnt": ("stiffness", "pos", "axis", "solref", "solimp", "margin"),
    "dof": ("damping", "armature", "frictionloss", "solref", "solimp"),
    "geom": ("friction", "size", "pos", "quat", "solref", "solimp", "margin", "gap"),
    "pair": ("friction", "solref", "solimp", "margin", "gap"),
    "tendon": ("stiffness", "damping", "frictionloss"),
    "actuator": ("gainprm", "biasprm", "dynprm", "gear"),
}


def check_numbers(model: mujoco.MjModel) -> mujoco.MjModel:
    """Return a model; ValueError names the element and its first number that is infinite or undefined."""
    for prefix, names in FIELDS.items():
        for name in names:
            values = getattr(model, f"{prefix}_{name}")
            rows = np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
            if not rows.all():
                k = int(np.argmin(rows))
                raise ValueError(f"{_called(model, prefix, k)} has {name} {values[k]}: numbers must be finite")
    return model


def _called(model: mujoco.MjModel, prefix: str, k: int) -> str:
    kind, k = ("joint", int(model.dof_jntid[k])) if prefix == "dof" else ({"jnt": "joint"}.get(prefix, prefix), k)
    return f"{kind} {getattr(model, kind)(k).name or k}"
