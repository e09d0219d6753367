"""The file of a user's robot: checked, and made to fit this project's names, ground and sensors."""

from __future__ import annotations

import re
from collections.abc import Sequence

import mujoco
import numpy as np

from ..analytic.spelling import listed
from .kinds import FREE, GEOM, HINGE, SLIDE
from .own_feet import Foot
from .own_ground import GROUND_BIT
from .parts import FORCE, FOUND, NETFORCE, add_contact_sensor
from .terrain import GROUND

MOST_DENSITY = 3e3  # of a cube as wide as the robot [kg/m^3]; of robots a hundredth of it
LOAD = "load"  # the sensor of the force on the robot
LIMB_JOINTS = (HINGE, SLIDE)


def root_of(spec: mujoco.MjSpec):
    """Return the robot's body, which is the only one that moves freely and the first that moves."""
    free = [joint for joint in spec.joints if joint.type == FREE]
    if not free and spec.joints and _is_planar(spec.joints[0].parent):
        names = ", ".join(joint.name for joint in spec.joints[0].parent.joints)
        raise ValueError(
            f"the robot moves in a plane by the joints {names}: feet, tilt and terrain are those of a body that moves "
            "freely in space; put <freejoint/> in place of these joints, and give the legs a width to stand on"
        )
    if not spec.joints:
        raise ValueError("the robot has no joints, so that nothing can move it")
    if len(free) != 1 or spec.joints[0].type != FREE:
        raise ValueError(
            "a robot needs one free joint, before all others: <freejoint/> in its body, which is a child of the world; "
            f"this file has {len(free)}" + (", but not first" if len(free) == 1 else "")
        )
    limbs = [joint for joint in spec.joints if joint.type != FREE]
    other = [joint.name or "without a name" for joint in limbs if joint.type not in LIMB_JOINTS]
    if other:
        raise ValueError(f"joints other than the root's must be hinges or slides, unlike {', '.join(other)}")
    if not limbs:
        raise ValueError("the robot has no joints but its free one, so that nothing can move it")
    return free[0].parent


def check_size(model: mujoco.MjModel) -> None:
    """Refuse a robot of an absurd size or mass."""
    root, data = int(model.jnt_bodyid[0]), mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mine = [k for k in range(model.ngeom) if model.body_rootid[model.geom_bodyid[k]] == model.body_rootid[root]]
    mass, far = float(model.body_subtreemass[root]), data.geom_xpos[mine] - data.xpos[root]
    size = 2.0 * float((np.linalg.norm(far, axis=1) + model.geom_rbound[mine]).max(initial=0.0))
    density = mass / max(size, 1e-9) ** 3
    if size > 50.0 or size < 5e-3 or not 1e-3 < density < MOST_DENSITY:
        raise ValueError(
            f"the robot is {size:.3g} m across and weighs {mass:.3g} kg: units are metres and kilograms; scale meshes "
            "and positions in millimetres by 0.001, and masses in grams"
        )


def _is_planar(body) -> bool:
    """Whether a body moves by slides and hinges of its own, as the roots of planar robots do."""
    return len(body.joints) > 1 and any(joint.type == SLIDE for joint in body.joints)


def make_names(spec: mujoco.MjSpec, feet: Sequence[Foot]) -> list[tuple[str, ...]]:
    """Rename what would clash with this project's names, and return what the geoms of the feet are called now."""
    _rename(spec.sites, {"imu", *(f"foot_{k}" for k in range(len(feet)))})
    for kind in (spec.cameras, spec.lights):
        _rename(kind, {"follow", "side", "lamp"})
    _rename(spec.hfields, {GROUND})
    textures, materials = _rename(spec.textures, {"grid", "sky"}), _rename(spec.materials, {"grid"})
    for material in spec.materials:
        for role, texture in enumerate(material.textures):
            material.textures[role] = textures.get(texture, texture)
    for geom in spec.geoms:
        geom.material = materials.get(geom.material, geom.material)
    toes = [f"toe_{k}" + (f"_{j}" if j else "") for k, foot in enumerate(feet) for j in range(len(foot.geoms))]
    renamed, own = _rename(spec.geoms, {GROUND, *toes}), [name for foot in feet for name in foot.geoms]
    final = renamed | {renamed.get(name, name): toe for name, toe in zip(own, toes, strict=True)}
    for pair in spec.pairs:
        for end in ("geomname1", "geomname2"):
            name = renamed.get(getattr(pair, end), getattr(pair, end))
            setattr(pair, end, final.get(name, name))
    for group in [group for group in spec.tuples if set(final) & set(group.objname)]:
        spec.delete(group)
    return [tuple(renamed.get(name, name) for name in foot.geoms) for foot in feet]


def add_touch_sensors(spec: mujoco.MjSpec, part: str) -> None:
    """Add a sensor for each geom of a body, or for the one of that name, that can touch the ground; but for feet."""
    moving = {body.name: [geom for geom in body.geoms] for body in spec.bodies[1:]}
    named = {geom.name: [geom] for geoms in moving.values() for geom in geoms if geom.name}
    known = named | moving
    solid = {
        name: [geom for geom in geoms if geom.contype & GROUND_BIT and not re.fullmatch(r"toe_\d+(_\d+)?", geom.name)]
        for name, geoms in known.items()
    }
    there_are = listed(part, [name for name, geoms in solid.items() if geoms and name and name != part])
    if part not in known:
        raise ValueError(f"there is no body or geom {part!r} to touch the ground; there are {there_are}")
    if not solid[part]:
        raise ValueError(
            f"nothing of {part!r} but feet can touch the ground, for the file keeps it from its floor (contype, "
            f"conaffinity); there are {there_are}"
        )
    for number, geom in enumerate(solid[part]):
        geom.name = geom.name or f"{part}_geom_{number}"
        add_contact_sensor(spec, f"touch of {part}: {number}", (GEOM, GROUND), (GEOM, geom.name), [FOUND, 0, 1])


def touch_sensors(model: mujoco.MjModel, part: str) -> np.ndarray:
    """Return the entries of `sensordata` that say whether a part's geoms touch the ground; `build` made the sensors."""
    sensors = [model.sensor(k) for k in range(model.nsensor)]
    return np.array([sensor.adr[0] for sensor in sensors if sensor.name.startswith(f"touch of {part}: ")], int)


def add_load_sensor(spec: mujoco.MjSpec, root) -> None:
    """Add the sensor `load`: the force of the geom `ground` on all of the robot, feet on patches excepted."""
    robot = mujoco.mjtObj.mjOBJ_XBODY, root.name
    add_contact_sensor(spec, LOAD, (GEOM, GROUND), robot, [FORCE, NETFORCE, 1])


def _rename(elements, taken: set[str]) -> dict[str, str]:
    """Rename elements whose names are taken; return their new names by the old ones."""
    renamed = {}
    for element in elements:
        if element.name in taken:
            renamed[element.name] = element.name = f"own_{element.name}"
    return renamed
