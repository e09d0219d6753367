"""SAPIEN, which is PhysX on the processor, for the contact suite. Needs sapien and numpy.

PhysX takes the mean of two coefficients, of friction as of restitution; each shape gets one so that the case's follow.
All bodies are in maximal coordinates: joints are PhysX's D6, with its drives as springs, whose torque at an
angle e is 2 sin(e / 2) times the stiffness; driven bodies are kinematic.
PhysX computes in single precision, and shows of a contact's impulses their normal parts alone.
"""

from __future__ import annotations

import math

import numpy as np
import sapien
from sapien import physx

from .. import adapting
from ..adapting import unit

NAME = "SAPIEN"
RIGID = (1e8, 1e6)  # stiffness and damping of a drive that stands for a lock [N m/rad, N m s/rad]
CANNOT = {"force": "SAPIEN shows the normal part of contact forces alone"}
UPRIGHT = sapien.Pose([0, 0, 0], [math.sqrt(0.5), 0, -math.sqrt(0.5), 0])  # from x, PhysX's axis of shapes, to z


def _documented(timestep: float, **others) -> dict:
    """Return the settings of PhysX's guide for accuracy: a small timestep before all, then iterations of the solver."""
    return {"timestep": timestep, "iterations": 50, "scene": {"bounce_threshold": 20 * timestep, **others}}


SETTINGS = {
    "defaults": {},
    "defaults 1 ms": {"timestep": 1e-3},
    "documented": _documented(1e-3),
    "documented 4 ms": _documented(4e-3),
    "documented 0.25 ms": _documented(2.5e-4),
    "pgs": _documented(1e-3, enable_tgs=False),
}


def version() -> str:
    return sapien.__version__


class Simulation:
    """A case in SAPIEN; NotImplementedError says what of it SAPIEN cannot represent."""

    def __init__(self, case: dict, setting: dict) -> None:
        self.case, self.steps, self.iterations = case, 0, setting.get("iterations", 10)
        config = physx.PhysxSceneConfig()
        config.gravity = np.array(case["gravity"], np.float32)
        for name, value in setting.get("scene", {}).items():
            setattr(config, name, value)
        physx.set_scene_config(config)
        self.system = physx.PhysxCpuSystem()
        self.timestep = setting.get("timestep", self.system.timestep)
        self.system.set_timestep(self.timestep)
        self.scene = sapien.Scene([self.system])
        self.frictions, self.restitutions = (
            adapting.coefficients(NAME, case["contacts"], what, adapting.MEAN) for what in ("friction", "restitution")
        )
        self.groups = _groups([pair for contact in case["contacts"] for pair in contact["pairs"]])
        self.bodies = {body["name"]: body for body in case["bodies"]}
        self.handles = {name: self._add_body(body) for name, body in self.bodies.items()}
        self.springs = [(drive, joint) for joint in case["joints"] if (drive := self._add_joint(joint))]
        self.rails = [(self.handles[name], body) for name, body in self.bodies.items() if "motion" in body]

    def step(self) -> None:
        """Advance by a timestep."""
        time = self.steps * self.timestep
        for handle, body in self.rails:
            speed = adapting.held(body["motion"]["times"], body["motion"]["velocities"], time)
            pose = handle.get_entity_pose()
            place = pose.p + self.timestep * speed * unit(body["motion"]["axis"])
            handle.set_kinematic_target(sapien.Pose(place, pose.q))
        for drive, joint in self.springs:
            self._serve(drive, joint, time)
        for push in adapting.pushes(self.case, time):
            handle = self.handles[push["body"]]
            point = (handle.get_entity_pose() * sapien.Pose(push["point"])).p
            handle.add_force_at_point(np.array(push["force"], np.float32), point)
        self.system.step()
        self.steps += 1

    def read(self) -> tuple:
        """Return time, positions, quaternions, velocities, angular velocities and contact forces."""
        poses = [(pose.p, pose.q) for pose in (handle.get_entity_pose() for handle in self.handles.values())]
        twists = [self._twist(name, handle) for name, handle in self.handles.items()]
        forces = np.full((len(self.case["contacts"]), 3), np.nan)
        return adapting.reading(self.steps * self.timestep, poses, twists, forces)

    def _twist(self, name: str, handle) -> tuple:
        body = self.bodies[name]
        if "motion" in body:
            before = (self.steps - 1) * self.timestep
            speed = adapting.held(body["motion"]["times"], body["motion"]["velocities"], before)
            return speed * unit(body["motion"]["axis"]), np.zeros(3)
        if "mass" not in body:
            return np.zeros(3), np.zeros(3)
        return handle.get_linear_velocity(), handle.get_angular_velocity()

    def _add_body(self, body: dict):
        is_fixed = adapting.is_fixed(body)
        handle = physx.PhysxRigidStaticComponent() if is_fixed else physx.PhysxRigidDynamicComponent()
        for shape in body["shapes"]:
            if f"{body['name']}.{shape['name']}" in self.groups:
                handle.attach(self._shape(body, shape))
        entity = sapien.Entity()
        entity.add_component(handle)
        entity.set_pose(_pose(body))
        if "mass" in body:
            handle.set_mass(body["mass"])
            handle.set_cmass_local_pose(sapien.Pose())
            handle.set_inertia(np.array(body["inertia"], np.float32))
        if not is_fixed:
            handle.set_linear_damping(0.0)
            handle.set_angular_damping(0.0)
            handle.set_max_angular_velocity(1e6)
            handle.set_sleep_threshold(0.0)
            handle.set_solver_position_iterations(self.iterations)
            handle.set_kinematic("motion" in body)
        self.scene.add_entity(entity)
        if "mass" in body:
            handle.set_linear_velocity(np.array(body["velocity"], np.float32))
            handle.set_angular_velocity(np.array(body["angular_velocity"], np.float32))
        return handle

    def _shape(self, body: dict, shape: dict):
        shape, label = adapting.solid(body, shape), f"{body['name']}.{shape['name']}"
        kind, size, pose = shape["type"], shape["size"], _pose(shape)
        if kind == "plane" and "motion" in body:
            raise NotImplementedError("SAPIEN: a plane that moves")
        friction = self.frictions.get(label, 0.0)
        material = physx.PhysxMaterial(friction, friction, self.restitutions.get(label, 0.0))
        made = {
            "plane": lambda: physx.PhysxCollisionShapePlane(material),
            "box": lambda: physx.PhysxCollisionShapeBox(np.array(size, np.float32), material),
            "sphere": lambda: physx.PhysxCollisionShapeSphere(size[0], material),
            "cylinder": lambda: physx.PhysxCollisionShapeCylinder(*size, material),
            "capsule": lambda: physx.PhysxCollisionShapeCapsule(*size, material),
        }[kind]()
        made.set_local_pose(pose * UPRIGHT if kind in ("plane", "cylinder", "capsule") else pose)
        made.set_collision_groups([*self.groups[label], 0, 0])
        return made

    def _add_joint(self, joint: dict):
        """Add a joint, and return the drive of one with a spring or servo."""
        child, body = self.handles[joint["child"]], self.bodies[joint["child"]]
        place = sapien.Pose(joint.get("anchor", body["position"]), _turn(unit(joint["axis"])))
        is_held = joint["parent"] == "world" or "mass" not in self.bodies[joint["parent"]]
        before = place if is_held else _pose(self.bodies[joint["parent"]]).inv() * place
        parent = None if is_held else self.handles[joint["parent"]].entity
        drive = self.scene.create_drive(parent, before, child.entity, _pose(body).inv() * place)
        is_slide, is_planar, free = joint["type"] == "slide", joint["type"] == "planar", (-math.inf, math.inf)
        drive.set_limit_x(*(free if is_slide else (0.0, 0.0)))
        drive.set_limit_y(*(free if is_planar else (0.0, 0.0)))
        drive.set_limit_z(*(free if is_planar else (0.0, 0.0)))
        drive.set_limit_twist(*free)
        drive.set_drive_property_swing(*RIGID)  # 3.0.3 takes limits of the cone or pyramid and does nothing with them
        if is_slide:
            drive.set_drive_property_twist(*RIGID)
        gains = joint.get("drive", joint)
        if not (gains["stiffness"] or gains["damping"]):
            return None
        (drive.set_drive_property_x if is_slide else drive.set_drive_property_twist)(
            gains["stiffness"], gains["damping"]
        )
        self._serve(drive, joint, 0.0)
        return drive

    def _serve(self, drive, joint: dict, time: float) -> None:
        target, slope = joint["rest"], 0.0
        if "drive" in joint:
            target, slope = adapting.line(joint["drive"]["times"], joint["drive"]["targets"], time)
        if joint["type"] == "slide":
            drive.set_drive_target(sapien.Pose([target, 0, 0]))
            drive.set_drive_velocity_target([slope, 0, 0], [0, 0, 0])
        else:
            drive.set_drive_target(sapien.Pose([0, 0, 0], [math.cos(target / 2), math.sin(target / 2), 0, 0]))
            drive.set_drive_velocity_target([0, 0, 0], [slope, 0, 0])


def _groups(pairs: list[list[str]]) -> dict[str, list[int]]:
    """Return the bits of PhysX's filter for each shape: those that it is, and those that it touches."""
    groups: dict[str, list[int]] = {name: [0, 0] for pair in pairs for name in pair}
    left, bit = {frozenset(pair) for pair in pairs}, 1
    while left:  # a bit for a shape and all that it touches
        hub = max(groups, key=lambda name: sum(name in pair for pair in left))
        for pair in [pair for pair in left if hub in pair]:
            groups[next(iter(pair - {hub}))][0] |= bit
            left.remove(pair)
        groups[hub][1] |= bit
        bit <<= 1
    if bit > 1 << 32:
        raise NotImplementedError("SAPIEN: more than 32 shapes that touch others than their neighbours do")
    return groups


def _turn(axis: np.ndarray) -> np.ndarray:
    """Return a quaternion that turns x to an axis."""
    half = np.array([1 + axis[0], 0.0, -axis[2], axis[1]])
    return half / np.linalg.norm(half) if axis[0] > -1 + 1e-12 else np.array([0.0, 0.0, 0.0, 1.0])


def _pose(body: dict) -> sapien.Pose:
    return sapien.Pose(body["position"], unit(body["quaternion"]))
