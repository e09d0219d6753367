"""A model whose joints are held in its first posture, so that what cannot stand by itself can be examined."""

from __future__ import annotations

import mujoco
import numpy as np

# As integers: to an enum of MuJoCo's on the left of a comparison, an integer of NumPy's is never equal.
LIMBS = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


def held(spec: mujoco.MjSpec) -> mujoco.MjModel | None:
    """Return the compiled model with an equality that holds each hinge and slide but those of the roots.

    None if there are none. The first posture is the first keyframe's, or the file's.
    """
    made = spec.copy()
    model = made.compile()
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    roots = set(np.array(model.tree_bodyadr).tolist())
    joints = list(made.joints)
    limbs = [k for k in range(model.njnt) if model.jnt_type[k] in LIMBS and model.jnt_bodyid[k] not in roots]
    for k in limbs:
        name = model.joint(k).name
        joint = next((one for one in joints if one.name == name), None) if name else joints[k]
        joint.name = joint.name or f"held joint {k}"
        equality = made.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, name1=joint.name, objtype=mujoco.mjtObj.mjOBJ_JOINT)
        equality.data[:5] = (data.qpos[model.jnt_qposadr[k]] - model.qpos0[model.jnt_qposadr[k]], 0, 0, 0, 0)
        equality.solref[:2], equality.solimp[:3] = (2.0 * model.opt.timestep, 1.0), (0.999, 0.999, 0.001)
    return made.compile() if limbs else None
