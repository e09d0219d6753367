"""A robot of the user's own in MuJoCo: an MJCF file with named feet, put on this project's ground with its contact.

The file keeps its bodies, joints, actuators and first keyframe. Its floor (planes and height fields of the world) and
its sensors are left out: ground, contact settings, timestep and sensors are this project's. Feet are spheres; their
centres count as toes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from ..analytic.finite import check_finite
from ..analytic.terrain import Flat, Terrain, make
from .compile import compile_model
from .extent import check_extent
from .look import add_cameras, add_sky
from .parts import add_imu, put_on_ground
from .presets import Preset, find
from .terrain import GROUND, stand

EXAMPLE = Path(__file__).parent / "assets" / "examples" / "dog.xml"  # with the feet FL, FR, RL, RR
FORWARD = ("x", "y")
FLOORS = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
LIMB_JOINTS = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


@dataclass(frozen=True)
class OwnRobot:
    """An MJCF with named feet.

    Raises:
        ValueError: If a value is impossible; the message says what is allowed.
    """

    mjcf: str | Path  # the file, or its text
    feet: Sequence[str]  # names of the spheres that are its feet, of one radius
    friction: float = 1.0  # coefficient of the ground
    g: float = 9.81  # [m/s^2]
    forward: str = "x"  # axis of the body, or "y"
    reach: float | None = (
        None  # what an action of 1 adds to every control at rest, in its unit; by default half its range
    )

    def __post_init__(self) -> None:
        if isinstance(self.feet, str) or not self.feet or not all(isinstance(foot, str) for foot in self.feet):
            raise ValueError(f"feet must be names of spheres, as in ('left_foot', 'right_foot'), got {self.feet!r}")
        twice = sorted({foot for foot in self.feet if list(self.feet).count(foot) > 1})
        if twice:
            raise ValueError(f"feet must be named once each, got {', '.join(twice)} more than once")
        object.__setattr__(self, "feet", tuple(self.feet))  # a list could be changed
        check_finite(self)
        if not (self.friction >= 0 and self.g > 0):
            raise ValueError(f"friction must not be negative and g positive, got {self.friction} and {self.g}")
        if self.forward not in FORWARD:
            raise ValueError(f"forward must be 'x' or 'y', an axis of the body, got {self.forward!r}")
        if self.reach is not None and not self.reach > 0:
            raise ValueError(f"reach must be positive, got {self.reach}")


def build(robot: OwnRobot, terrain: Terrain, preset: str | Preset = "rl") -> mujoco.MjSpec:
    """Return the robot on a terrain, its feet with the names, contact and sensors of this project's machines.

    Raises:
        ValueError: If the file cannot be read, has no free root or no actuators, or a foot is not a sphere in it.
    """
    spec = _read(robot.mjcf)
    root = _root(spec)
    for sensor in list(spec.sensors):
        spec.delete(sensor)
    for geom in list(spec.worldbody.geoms):
        if geom.type in FLOORS:
            spec.delete(geom)
    put_on_ground(spec, _make_names(spec, robot.feet), terrain, find(preset), robot.friction)
    for leg, name in enumerate(robot.feet):
        spec.add_text(name=f"foot_{leg}", data=name)  # what the user calls `toe_i`
    spec.option.gravity = (0, 0, -robot.g)
    add_sky(spec)
    add_imu(spec, root)
    add_cameras(root)
    return spec


def model(robot: OwnRobot, terrain: str | Terrain = "flat", preset: str | Preset = "reference") -> mujoco.MjModel:
    """Return the compiled robot on a terrain.

    Raises:
        ValueError: If `build` refuses the file, or MuJoCo does.
    """
    ground = make(terrain) if isinstance(terrain, str) else terrain
    try:
        return compile_model(build(robot, ground, preset))
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"{_called(robot.mjcf)} makes no model: {error}") from None


def standing(model: mujoco.MjModel, terrain: Terrain | None = None) -> mujoco.MjData:
    """Return the state of a robot that `model` made, in its first keyframe, its lowest foot touching the ground."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qpos[:7] = (0, 0, 0, 1, 0, 0, 0)
    mujoco.mj_kinematics(model, data)
    feet = [model.site(toe.replace("toe", "foot")).id for toe in names_of_feet(model).values()]
    data.qpos[:7] = stand(data.site_xpos[feet], terrain or Flat())
    mujoco.mj_forward(model, data)
    return data


def names_of_feet(model: mujoco.MjModel) -> dict[str, str]:
    """Return the geoms `toe_i` of a model that `build` made, by the names of the feet in the file; else nothing."""
    found = {}
    for k in range(model.ntext):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TEXT, k)
        start = model.text_adr[k]
        text = bytes(model.text_data[start : start + model.text_size[k]]).split(b"\0")[0].decode()
        if name.startswith("foot_"):
            found[text] = f"toe_{name.removeprefix('foot_')}"
    return found


def rest_controls(model: mujoco.MjModel) -> np.ndarray:
    """Return the controls that hold the robot in its first keyframe, or at joint angles of zero, shape (nu,)."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
        if data.ctrl.any():
            return data.ctrl.copy()
    mujoco.mj_forward(model, data)
    low, high = model.actuator_ctrlrange.T
    servo = (model.actuator_biasprm[:, 1] < 0) & (model.actuator_biasprm[:, 1] == -model.actuator_gainprm[:, 0])
    length = np.where(model.actuator_ctrllimited, np.clip(data.actuator_length, low, high), data.actuator_length)
    return np.where(servo, length, 0.5 * (low + high))


def _called(mjcf: str | Path) -> str:
    return "the MJCF" if _is_text(mjcf) else str(mjcf)


def _is_text(mjcf: str | Path) -> bool:
    return isinstance(mjcf, str) and mjcf.lstrip().startswith("<")


def _read(mjcf: str | Path) -> mujoco.MjSpec:
    if not isinstance(mjcf, str | Path):
        raise ValueError(f"mjcf must be the name of a file or its text, got {type(mjcf).__name__}")
    if not _is_text(mjcf) and not Path(mjcf).is_file():
        raise ValueError(f"there is no file {str(mjcf)!r}; mjcf is the name of an MJCF file, or its text")
    try:
        check_extent(mjcf, _is_text(mjcf))
    except ValueError as error:
        raise ValueError(f"{_called(mjcf)} makes more than MuJoCo can: {error}") from None
    try:
        return mujoco.MjSpec.from_string(mjcf) if _is_text(mjcf) else mujoco.MjSpec.from_file(str(mjcf))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:  # of C++, which MuJoCo lets through
        raise ValueError(f"{_called(mjcf)} is not an MJCF that MuJoCo can read: {error}") from None


def _root(spec: mujoco.MjSpec):
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
        raise ValueError(f"joints other than the root's must be hinges or slides, not so {', '.join(other)}")
    if not spec.actuators:
        raise ValueError("the file has no actuators, so that nothing can move the robot")
    return free[0].parent


def _make_names(spec: mujoco.MjSpec, feet: Sequence[str]) -> list[str]:
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
    return [renamed.get(foot, foot) for foot in feet]


def _rename(elements, taken: set[str]) -> dict[str, str]:
    """Rename elements whose names are taken; return their new names by the old ones."""
    renamed = {}
    for element in elements:
        if element.name in taken:
            renamed[element.name] = element.name = f"own_{element.name}"
    return renamed
