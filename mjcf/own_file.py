"""The file of a user's robot: read, checked, and made to fit this project's names, ground and sensors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import mujoco
import numpy as np

from .element_limits import check_elements
from .own_ground import may_touch
from .terrain import GROUND

LOAD = "load"  # the sensor of the force on the robot
LIMB_JOINTS = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


def read(mjcf: str | Path) -> mujoco.MjSpec:
    """Return the parsed text of a file, or of the text itself.

    Raises:
        ValueError: If there is no such file, or MuJoCo cannot read it, or it makes more than MuJoCo can.
    """
    if not isinstance(mjcf, str | Path):
        raise ValueError(f"mjcf must be the name of a file or its text, got {type(mjcf).__name__}")
    if not _is_text(mjcf) and not _is_file(mjcf):
        raise ValueError(f"there is no file {str(mjcf)[:200]!r}; mjcf is the name of an MJCF file, or its text")
    try:
        check_elements(mjcf, _is_text(mjcf))
    except ValueError as error:
        raise ValueError(f"{called(mjcf)} makes more than MuJoCo can: {error}") from None
    try:
        return mujoco.MjSpec.from_string(mjcf) if _is_text(mjcf) else mujoco.MjSpec.from_file(str(mjcf))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:  # of C++, which MuJoCo lets through
        raise ValueError(f"{called(mjcf)} is not an MJCF that MuJoCo can read: {error}") from None


def as_it_is(mjcf: str | Path) -> mujoco.MjModel:
    """Return the file's own model, in which geoms are as many and in the order of the spec's.

    Raises:
        ValueError: If MuJoCo cannot compile it: a mesh is missing, or something names what there is not.
    """
    whole = read(mjcf)  # a copy of a spec would lack what names nothing
    whole.compiler.discardvisual = whole.compiler.fusestatic = False
    try:
        return whole.compile()
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        words = " ".join(str(error).split())
        raise ValueError(f"MuJoCo cannot compile {called(mjcf)}, before anything of it is changed: {words}") from None


def root_of(spec: mujoco.MjSpec):
    """Return the robot's body, which is the only one that moves freely and the first that moves.

    Raises:
        ValueError: If there is no such body, nothing moves it, or joints are not of one degree of freedom.
    """
    free = [joint for joint in spec.joints if joint.type == mujoco.mjtJoint.mjJNT_FREE]
    if len(free) != 1 or spec.joints[0].type != mujoco.mjtJoint.mjJNT_FREE:
        raise ValueError(
            "a robot needs one free joint, before all others: <freejoint/> in its body, which is a child of the world; "
            f"this file has {len(free)}" + (", but not first" if len(free) == 1 else "")
        )
    limbs = [joint for joint in spec.joints if joint.type != mujoco.mjtJoint.mjJNT_FREE]
    other = [joint.name or "without a name" for joint in limbs if joint.type not in LIMB_JOINTS]
    if other:
        raise ValueError(f"joints other than the root's must be hinges or slides, unlike {', '.join(other)}")
    if not spec.actuators:
        raise ValueError("the file has no actuators, so that nothing can move the robot")
    return free[0].parent


def make_names(spec: mujoco.MjSpec, feet: Sequence[str]) -> list[str]:
    """Name what has no name, rename what would clash with this project's names, and return what the feet are called."""
    for kind in (spec.bodies[1:], spec.joints, spec.actuators):
        for number, element in enumerate(kind):
            element.name = element.name or f"{type(element).__name__.removeprefix('Mjs').lower()}_{number}"
    numbers = range(len(feet))
    _rename(spec.sites, {"imu", *(f"foot_{k}" for k in numbers)})
    for kind in (spec.cameras, spec.lights):
        _rename(kind, {"follow", "side", "lamp"})
    _rename(spec.hfields, {GROUND})
    textures, materials = _rename(spec.textures, {"grid", "sky"}), _rename(spec.materials, {"grid"})
    for material in spec.materials:
        for role, texture in enumerate(material.textures):
            material.textures[role] = textures.get(texture, texture)
    for geom in spec.geoms:
        geom.material = materials.get(geom.material, geom.material)
    renamed = _rename(spec.geoms, {GROUND, *(f"toe_{k}" for k in numbers)})
    final = renamed | {renamed.get(foot, foot): f"toe_{k}" for k, foot in enumerate(feet)}
    for pair in spec.pairs:
        for end in ("geomname1", "geomname2"):
            name = renamed.get(getattr(pair, end), getattr(pair, end))
            setattr(pair, end, final.get(name, name))
    for group in [group for group in spec.tuples if set(final) & set(group.objname)]:
        spec.delete(group)
    return [renamed.get(foot, foot) for foot in feet]


def take_pose(spec: mujoco.MjSpec, model: mujoco.MjModel, pose: Mapping[str, float]) -> None:
    """Write joint angles into the first keyframe; without one, all are as near to 0 as their ranges allow.

    Args:
        spec: The file.
        model: Of it as it is.
        pose: Angles by joint [rad] or [m].

    Raises:
        ValueError: If there is no such joint.
    """
    joints = [joint.name for joint in spec.joints[1:]]
    if unknown := [name for name in pose if name not in joints]:
        raise ValueError(f"pose: there is no joint {unknown[0]!r}; there are {', '.join(joints)}")
    if spec.keys and not pose:
        return
    if spec.keys:
        key, qpos = spec.keys[0], np.array(spec.keys[0].qpos)
    else:
        limited, (low, high) = model.jnt_limited[1:].astype(bool), model.jnt_range[1:].T
        angles = np.where(limited, np.clip(0.0, low, high), 0.0)
        key, qpos = spec.add_key(name="start"), np.concatenate([model.qpos0[:7], angles])
    for name, angle in pose.items():
        qpos[7 + joints.index(name)] = angle
    key.qpos = qpos


def add_touch_sensors(spec: mujoco.MjSpec, part: str) -> None:
    """Add a sensor for each geom of a body, or for the one of that name, that can touch the ground; but for feet.

    Raises:
        ValueError: If there is no such part, or nothing of it can touch the ground; the message says what there is.
    """
    moving = {body.name: [geom for geom in body.geoms] for body in spec.bodies[1:]}
    named = {geom.name: [geom] for geoms in moving.values() for geom in geoms if geom.name}
    known = named | moving
    solid = {
        name: [geom for geom in geoms if may_touch(geom) and not re.fullmatch(r"toe_\d+", geom.name)]
        for name, geoms in known.items()
    }
    there_are = ", ".join(name for name, geoms in solid.items() if geoms and name) or "none"
    if part not in known:
        raise ValueError(f"there is no body or geom {part!r} to touch the ground; there are {there_are}")
    if not solid[part]:
        raise ValueError(
            f"nothing of {part!r} but feet can touch the ground, for the file keeps it from its floor (contype, "
            f"conaffinity); there are {there_are}"
        )
    for number, geom in enumerate(solid[part]):
        geom.name = geom.name or f"{part}_geom_{number}"
        spec.add_sensor(
            name=f"touch of {part}: {number}",
            type=mujoco.mjtSensor.mjSENS_CONTACT,
            objtype=mujoco.mjtObj.mjOBJ_GEOM,
            objname=GROUND,
            reftype=mujoco.mjtObj.mjOBJ_GEOM,
            refname=geom.name,
            intprm=[1 << int(mujoco.mjtConDataField.mjCONDATA_FOUND), 0, 1],
        )


def touch_sensors(model: mujoco.MjModel, part: str) -> np.ndarray:
    """Return the entries of `sensordata` that say whether a part's geoms touch the ground; `build` made the sensors."""
    sensors = [model.sensor(k) for k in range(model.nsensor)]
    return np.array([sensor.adr[0] for sensor in sensors if sensor.name.startswith(f"touch of {part}: ")], int)


def add_load_sensor(spec: mujoco.MjSpec, root) -> None:
    """Add the sensor `load`: the force of the geom `ground` on all of the robot, feet on patches excepted."""
    spec.add_sensor(
        name=LOAD,
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        objtype=mujoco.mjtObj.mjOBJ_GEOM,
        objname=GROUND,
        reftype=mujoco.mjtObj.mjOBJ_XBODY,
        refname=root.name,
        intprm=[1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE), 3, 1],
    )


def called(mjcf: str | Path) -> str:
    """Return the name of a file in a sentence."""
    return "the MJCF" if _is_text(mjcf) else str(mjcf)


def _is_text(mjcf: str | Path) -> bool:
    return isinstance(mjcf, str) and ("<" in mjcf or "\n" in mjcf)  # no file's name has either


def _is_file(name: str | Path) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # longer than names may be
        return False


def _rename(elements, taken: set[str]) -> dict[str, str]:
    """Rename elements whose names are taken; return their new names by the old ones."""
    renamed = {}
    for element in elements:
        if element.name in taken:
            renamed[element.name] = element.name = f"own_{element.name}"
    return renamed
