"""PyBullet, for the contact suite. Needs pybullet and numpy.

A tree of bodies is a multibody, and a shape is a fixed link of it, so that forces are known by shape. Bullet multiplies
the coefficients of two shapes; each shape gets one so that the products are the case's. Bullet's own damping of all
motion is switched off. Springs, dampers and servos are torques computed here, of the state before the step.
"""

from __future__ import annotations

import importlib.metadata

import numpy as np
import pybullet

from .. import adapting
from ..adapting import inverse, rotate, unit

NAME = "PyBullet"
RAIL_MASS = 1e6  # [kg]
RAIL_FORCE = 1e9  # [N]


def _documented(timestep: float, **others) -> dict:
    """Return the quickstart guide's settings for contact: more iterations, none left early, exact cones.

    Its advice on the timestep is to keep 1/240 s. The threshold below which nothing bounces goes with the timestep, and
    what bounces is told to wait until it touches (`contactProcessingThreshold`); else Bullet brakes it before.
    """
    engine = {"numSolverIterations": 200, "solverResidualThreshold": 0.0, "enableConeFriction": 1}
    engine["restitutionVelocityThreshold"] = 20 * timestep
    return {"timestep": timestep, "engine": engine, "bouncing": {"contactProcessingThreshold": 0.0}, **others}


SETTINGS = {
    "defaults": {},
    "defaults 1 ms": {"timestep": 1e-3},
    "documented": _documented(1 / 240),
    "documented 1 ms": _documented(1e-3),
    "documented 0.25 ms": _documented(2.5e-4),
    "anchors 1 ms": _documented(1e-3, shapes={"frictionAnchor": 1}),  # the guide's correction of friction's drift
}


def version() -> str:
    return importlib.metadata.version("pybullet")


class Simulation:
    """A case in PyBullet; NotImplementedError says what of it PyBullet cannot represent."""

    def __init__(self, case: dict, setting: dict) -> None:
        self.case, self.steps, self.timestep = case, 0, setting.get("timestep", 1 / 240)
        self.client = pybullet.connect(pybullet.DIRECT)
        self.bodies = {body["name"]: body for body in case["bodies"]}
        self.joints = {joint["child"]: joint for joint in case["joints"]}
        self._set("PhysicsEngineParameter", fixedTimeStep=self.timestep, **setting.get("engine", {}))
        self._set("Gravity", *case["gravity"])
        self.places, self.anchors, self.shapes = {}, {}, {}  # body: (multibody, link); joint: the same; shape: link
        for name, body in self.bodies.items():
            joint = self.joints.get(name)
            if "motion" in body or (joint and joint["parent"] == "world"):
                self._add_tree(None, [name])
            elif not joint:
                self._add_tree(name, self._children(name))
        self._set_materials(setting.get("shapes", {}), setting.get("bouncing", {}))
        self._set_pairs()
        self._start()

    def __del__(self) -> None:
        if hasattr(self, "client"):
            pybullet.disconnect(self.client)

    def step(self) -> None:
        """Advance by a timestep."""
        time = self.steps * self.timestep
        for place, motion in self.rails:
            velocity = adapting.held(motion["times"], motion["velocities"], time)
            self._call("setJointMotorControl2", *place, pybullet.VELOCITY_CONTROL, 0, velocity, RAIL_FORCE)
        for name, joints in self.springs.items():
            links = [link for link, _ in joints]
            states = self._call("getJointStates", name, links)
            torques = [adapting.torque(one, *state[:2], time) for (_, one), state in zip(joints, states, strict=True)]
            self._call("setJointMotorControlArray", name, links, pybullet.TORQUE_CONTROL, forces=torques)
        for push in adapting.pushes(self.case, time):
            position, quaternion = self._pose(push["body"])
            point, place = position + rotate(quaternion, push["point"]), self.places[push["body"]]
            self._call("applyExternalForce", *place, push["force"], point, pybullet.WORLD_FRAME)
        pybullet.stepSimulation(self.client)
        self.steps += 1

    def read(self) -> tuple:
        """Return time, positions, quaternions, velocities, angular velocities and contact forces."""
        poses, twists = ([of(name) for name in self.bodies] for of in (self._pose, self._twist))
        forces = np.zeros((len(self.case["contacts"]), 3))
        for point in self._call("getContactPoints") if self.steps else ():
            index, sign = self.pairs[(point[1], point[3]), (point[2], point[4])]
            force = point[9] * np.array(point[7]) + point[10] * np.array(point[11]) + point[12] * np.array(point[13])
            forces[index] += sign * force
        return adapting.reading(self.steps * self.timestep, poses, twists, forces)

    def _call(self, function: str, *args, **others):
        return getattr(pybullet, function)(*args, **others, physicsClientId=self.client)

    def _set(self, what: str, *args, **others) -> None:
        self._call(f"set{what}", *args, **others)

    def _children(self, name: str) -> list[str]:
        return [child for child, joint in self.joints.items() if joint["parent"] == name]

    def _add_tree(self, base: str | None, children: list[str]) -> None:
        """Add a multibody: a free or fixed body, or none at the world's origin, and what hangs at it by joints."""
        self.links, self.waiting = [], []  # dictionaries of a link's properties; places to fill in
        root = self.bodies[base] if base else adapting.WORLD
        frame = np.array(root["position"], float), np.array(root["quaternion"], float)
        if base:
            self.waiting.append((base, self.places, -1))
            self._add_shapes(root, 0, np.zeros(3))
        for child in children:
            self._add_links(child, 0, frame)
        columns = {f"link{key}": [link[key] for link in self.links] for key in (self.links or [{}])[0]}
        index = self._call(
            "createMultiBody",
            root.get("mass", 0.0),
            basePosition=frame[0].tolist(),
            baseOrientation=_xyzw(frame[1]),
            flags=pybullet.URDF_USE_SELF_COLLISION | pybullet.URDF_USE_SELF_COLLISION_INCLUDE_PARENT,
            **columns,
        )
        for name, table, link in self.waiting:
            table[name] = (index, link)

    def _add_links(self, name: str, parent: int, frame: tuple) -> None:
        """Add a body and its children; `parent` counts from 1, and `frame` is the parent link's."""
        body, joint = self.bodies[name], self.joints.get(name)
        quaternion, position = np.array(body["quaternion"], float), np.array(body["position"], float)
        anchor = np.array((joint or {}).get("anchor", position), float)
        for kind, direction in _axes(body, joint):
            axis = rotate(inverse(quaternion), direction)
            parent = self._link(parent, adapting.relative(frame, anchor, quaternion), kind=kind, axis=axis)
            self.waiting.append(((name, len(self.waiting)), self.anchors, parent - 1))
            frame = anchor, quaternion
        centre = rotate(inverse(quaternion), position - anchor)
        mass = body.get("mass", RAIL_MASS)
        self.links[-1].update(Masses=mass, InertialFramePositions=centre.tolist())
        self.waiting.append((name, self.places, parent - 1))
        self._add_shapes(body, parent, centre)
        for child in self._children(name):
            self._add_links(child, parent, frame)

    def _add_shapes(self, body: dict, parent: int, centre: np.ndarray) -> None:
        for shape in (adapting.solid(body, shape) for shape in body["shapes"]):
            pose = centre + shape["position"], np.array(shape["quaternion"], float)
            link = self._link(parent, pose, shape=_collision_shape(self.client, shape))
            self.waiting.append((f"{body['name']}.{shape['name']}", self.shapes, link - 1))

    def _link(self, parent: int, pose: tuple, kind=pybullet.JOINT_FIXED, axis=(0, 0, 1), shape: int = -1) -> int:
        self.links.append(
            {
                "Masses": 0.0,
                "CollisionShapeIndices": shape,
                "VisualShapeIndices": -1,
                "Positions": pose[0].tolist(),
                "Orientations": _xyzw(pose[1]),
                "InertialFramePositions": [0, 0, 0],
                "InertialFrameOrientations": [0, 0, 0, 1],
                "ParentIndices": parent,
                "JointTypes": kind,
                "JointAxis": list(axis),
            }
        )
        return len(self.links)

    def _set_materials(self, others: dict, bouncing: dict) -> None:
        frictions, restitutions = (
            adapting.coefficients(NAME, self.case["contacts"], what, adapting.PRODUCT)
            for what in ("friction", "restitution")
        )
        for name, (index, link) in self.shapes.items():
            friction, restitution = frictions.get(name, 0.0), restitutions.get(name, 0.0)
            self._call("changeDynamics", index, link, lateralFriction=friction, restitution=restitution, **others)
            if restitution:
                self._call("changeDynamics", index, link, **bouncing)
        free = {"linearDamping": 0, "angularDamping": 0, "jointDamping": 0, "maxJointVelocity": 1e6}
        for name, place in self.places.items():
            self._call("changeDynamics", *place, **free)
            if "inertia" in self.bodies[name]:
                self._call("changeDynamics", *place, localInertiaDiagonal=self.bodies[name]["inertia"])

    def _set_pairs(self) -> None:
        """Let the pairs of the case touch, and nothing else."""
        for index, link in [*self.shapes.values(), *self.places.values(), *self.anchors.values()]:
            self._set("CollisionFilterGroupMask", index, link, 0, 0)
        self.pairs = adapting.touching(self.case["contacts"], lambda name: [self.shapes[name]])
        for (first, second), (_, sign) in self.pairs.items():
            if sign > 0:  # in the order of the case: Bullet's contacts depend on it
                self._set("CollisionFilterPair", first[0], second[0], first[1], second[1], 1)

    def _start(self) -> None:
        """Set the velocities at t = 0, and find what the steps use."""
        for name, body in self.bodies.items():
            joint = self.joints.get(name)
            if joint is None and "mass" in body:
                self._call("resetBaseVelocity", self.places[name][0], body["velocity"], body["angular_velocity"])
            velocity, spin = adapting.against_parent(body, joint, self.bodies)
            places = [place for (owner, _), place in self.anchors.items() if owner == name]
            for place, (kind, axis) in zip(places, _axes(body, joint), strict=True):
                speed = axis @ (velocity if kind == pybullet.JOINT_PRISMATIC else spin)
                self._call("resetJointState", *place, 0.0, speed)
                self._call("setJointMotorControl2", *place, pybullet.VELOCITY_CONTROL, 0, 0, 0)
        where = {owner: place for (owner, _), place in self.anchors.items()}
        self.rails = [(where[name], body["motion"]) for name, body in self.bodies.items() if "motion" in body]
        self.springs = {}
        for name, joint in self.joints.items():
            if adapting.is_sprung(joint):
                adapting.check_stable(NAME, joint, self.bodies[name], self.timestep)
                self.springs.setdefault(where[name][0], []).append((where[name][1], joint))

    def _pose(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        index, link = self.places[name]
        if link < 0:
            position, (x, y, z, w) = self._call("getBasePositionAndOrientation", index)
        else:
            position, (x, y, z, w) = self._call("getLinkState", index, link, computeForwardKinematics=1)[:2]
        return np.array(position), np.array([w, x, y, z])

    def _twist(self, name: str) -> tuple:
        index, link = self.places[name]
        if link < 0:
            return self._call("getBaseVelocity", index)
        return self._call("getLinkState", index, link, 1, 1)[6:8]


def _axes(body: dict, joint: dict | None) -> list[tuple[int, np.ndarray]]:
    """Return the joints of one freedom that a body moves by, with their axes in the world."""
    if "motion" in body:
        return [(pybullet.JOINT_PRISMATIC, unit(body["motion"]["axis"]))]
    if joint is None:
        return []
    axis = unit(joint["axis"])
    if joint["type"] == "planar":
        slides = [(pybullet.JOINT_PRISMATIC, direction) for direction in adapting.plane(axis)]
        return [*slides, (pybullet.JOINT_REVOLUTE, axis)]
    return [(pybullet.JOINT_REVOLUTE if joint["type"] == "hinge" else pybullet.JOINT_PRISMATIC, axis)]


def _collision_shape(client: int, shape: dict) -> int:
    kind, size = shape["type"], shape["size"]
    made = {
        "plane": lambda: {"planeNormal": [0, 0, 1]},
        "box": lambda: {"halfExtents": size},
        "sphere": lambda: {"radius": size[0]},
        "cylinder": lambda: {"radius": size[0], "height": 2 * size[1]},
        "capsule": lambda: {"radius": size[0], "height": 2 * size[1]},
    }[kind]()
    return pybullet.createCollisionShape(getattr(pybullet, f"GEOM_{kind.upper()}"), **made, physicsClientId=client)


def _xyzw(quaternion: np.ndarray) -> list[float]:
    return [*quaternion[1:].tolist(), float(quaternion[0])]
