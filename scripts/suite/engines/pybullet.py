"""PyBullet, for the contact suite. Needs pybullet and numpy.

A tree of bodies is a multibody, and a shape is a fixed link of it, so that forces are known by shape. Bullet multiplies
the coefficients of two shapes; each shape gets one so that the products are the case's. Bullet's own damping of all
motion is switched off. Springs, dampers and servos are torques computed here, of the state before the step.
"""

from __future__ import annotations

import importlib.metadata
import math

import numpy as np
import pybullet

NAME = "PyBullet"
POINT_RADIUS = 1e-4  # [m]
RAIL_MASS = 1e6  # [kg]
RAIL_FORCE = 1e9  # [N]


def _documented(timestep: float, **others) -> dict:
    """Return what the quickstart guide offers for contact: more iterations, none left early, exact cones.

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
    """Return the version of PyBullet."""
    return importlib.metadata.version("pybullet")


class Simulation:
    """A case in PyBullet.

    Raises:
        NotImplementedError: With what of the case PyBullet cannot represent.
    """

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
            velocity = _held(motion["times"], motion["velocities"], time)
            self._call("setJointMotorControl2", *place, pybullet.VELOCITY_CONTROL, 0, velocity, RAIL_FORCE)
        for name, joints in self.springs.items():
            self._actuate(name, joints, time)
        for push in self.case["forces"]:
            first, last = push.get("during", (0.0, math.inf))
            if first - 1e-9 <= time < last - 1e-9:
                position, quaternion = self._pose(push["body"])
                point = position + _rotate(quaternion, push["point"])
                place = self.places[push["body"]]
                self._call("applyExternalForce", *place, push["force"], point, pybullet.WORLD_FRAME)
        pybullet.stepSimulation(self.client)
        self.steps += 1

    def read(self) -> tuple:
        """Return time, positions, quaternions, velocities, angular velocities and contact forces."""
        poses = zip(*(self._pose(name) for name in self.bodies), strict=True)
        twists = zip(*(self._twist(name) for name in self.bodies), strict=True)
        forces = np.zeros((len(self.case["contacts"]), 3))
        for point in self._call("getContactPoints") if self.steps else ():
            index, sign = self.pairs[point[1], point[3], point[2], point[4]]
            force = point[9] * np.array(point[7]) + point[10] * np.array(point[11]) + point[12] * np.array(point[13])
            forces[index] += sign * force
        return (self.steps * self.timestep, *map(np.array, poses), *map(np.array, twists), forces)

    def _call(self, function: str, *args, **others):
        return getattr(pybullet, function)(*args, **others, physicsClientId=self.client)

    def _set(self, what: str, *args, **others) -> None:
        self._call(f"set{what}", *args, **others)

    def _children(self, name: str) -> list[str]:
        return [child for child, joint in self.joints.items() if joint["parent"] == name]

    def _add_tree(self, base: str | None, children: list[str]) -> None:
        """Add a multibody: a free or fixed body, or none at the world's origin, and what hangs at it by joints."""
        self.links, self.waiting = [], []  # dictionaries of a link's properties; places to fill in
        root = self.bodies[base] if base else {"position": [0, 0, 0], "quaternion": [1, 0, 0, 0]}
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
            axis = _rotate(_inverse(quaternion), direction)
            parent = self._link(parent, _relative(frame, anchor, quaternion), kind=kind, axis=axis)
            self.waiting.append(((name, len(self.waiting)), self.anchors, parent - 1))
            frame = anchor, quaternion
        centre = _rotate(_inverse(quaternion), position - anchor)
        mass = body.get("mass", RAIL_MASS)
        self.links[-1].update(Masses=mass, InertialFramePositions=centre.tolist())
        self.waiting.append((name, self.places, parent - 1))
        self._add_shapes(body, parent, centre)
        for child in self._children(name):
            self._add_links(child, parent, frame)

    def _add_shapes(self, body: dict, parent: int, centre: np.ndarray) -> None:
        up = _rotate(_inverse(np.array(body["quaternion"], float)), [0, 0, POINT_RADIUS])
        for shape in body["shapes"]:
            position = centre + shape["position"] + (up if shape["type"] == "point" else 0)
            pose = position, np.array(shape["quaternion"], float)
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
        contacts = self.case["contacts"]
        if any(isinstance(contact["friction"], list) for contact in contacts):
            raise NotImplementedError("PyBullet: two coefficients of friction")
        frictions = _factors(contacts, "friction")
        restitutions = _factors(contacts, "restitution")
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
        self.pairs = {}
        for index, link in [*self.shapes.values(), *self.places.values(), *self.anchors.values()]:
            self._set("CollisionFilterGroupMask", index, link, 0, 0)
        for number, contact in enumerate(self.case["contacts"]):
            for one, other in contact["pairs"]:
                first, second = self.shapes[one], self.shapes[other]
                self._set("CollisionFilterPair", first[0], second[0], first[1], second[1], 1)
                self.pairs[*first, *second], self.pairs[*second, *first] = (number, 1.0), (number, -1.0)

    def _start(self) -> None:
        """Set the velocities at t = 0, and find what the steps use."""
        still = {key: [0, 0, 0] for key in ("velocity", "angular_velocity", "position")}
        for name, body in self.bodies.items():
            joint = self.joints.get(name)
            if joint is None and "mass" in body:
                self._call("resetBaseVelocity", self.places[name][0], body["velocity"], body["angular_velocity"])
            parent = self.bodies.get((joint or {}).get("parent"), still)
            spin = np.subtract(body["angular_velocity"], parent["angular_velocity"])
            arm = np.subtract((joint or {}).get("anchor", body["position"]), parent["position"])
            velocity = np.subtract(body["velocity"], parent["velocity"]) - np.cross(parent["angular_velocity"], arm)
            places = [place for (owner, _), place in self.anchors.items() if owner == name]
            for place, (kind, axis) in zip(places, _axes(body, joint), strict=True):
                speed = axis @ (velocity if kind == pybullet.JOINT_PRISMATIC else spin)
                self._call("resetJointState", *place, 0.0, speed)
                self._call("setJointMotorControl2", *place, pybullet.VELOCITY_CONTROL, 0, 0, 0)
        where = {owner: place for (owner, _), place in self.anchors.items()}
        self.rails = [(where[name], body["motion"]) for name, body in self.bodies.items() if "motion" in body]
        self.springs = {}
        for name, joint in self.joints.items():
            if "drive" in joint or joint["stiffness"] or joint["damping"]:
                _check_stable(joint, self.bodies[name], self.timestep)
                self.springs.setdefault(where[name][0], []).append((where[name][1], joint))

    def _actuate(self, index: int, joints: list, time: float) -> None:
        links = [link for link, _ in joints]
        states = self._call("getJointStates", index, links)
        torques = [_torque(joint, state[0], state[1], time) for (_, joint), state in zip(joints, states, strict=True)]
        self._call("setJointMotorControlArray", index, links, pybullet.TORQUE_CONTROL, forces=torques)

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
        return [(pybullet.JOINT_PRISMATIC, _unit(body["motion"]["axis"]))]
    if joint is None:
        return []
    axis = _unit(joint["axis"])
    if joint["type"] == "planar":
        first = _unit(np.cross(axis, np.eye(3)[np.argmin(abs(axis))]))
        slides = [(pybullet.JOINT_PRISMATIC, first), (pybullet.JOINT_PRISMATIC, np.cross(axis, first))]
        return [*slides, (pybullet.JOINT_REVOLUTE, axis)]
    return [(pybullet.JOINT_REVOLUTE if joint["type"] == "hinge" else pybullet.JOINT_PRISMATIC, axis)]


def _collision_shape(client: int, shape: dict) -> int:
    kind, size = shape["type"], shape["size"]
    named = {
        "plane": {"shapeType": pybullet.GEOM_PLANE, "planeNormal": [0, 0, 1]},
        "box": {"shapeType": pybullet.GEOM_BOX, "halfExtents": size},
        "sphere": {"shapeType": pybullet.GEOM_SPHERE, "radius": size[0] if size else 0},
        "point": {"shapeType": pybullet.GEOM_SPHERE, "radius": POINT_RADIUS},
        "cylinder": {
            "shapeType": pybullet.GEOM_CYLINDER,
            "radius": size[0] if size else 0,
            "height": 2 * size[-1] if size else 0,
        },
        "capsule": {
            "shapeType": pybullet.GEOM_CAPSULE,
            "radius": size[0] if size else 0,
            "height": 2 * size[-1] if size else 0,
        },
    }
    return pybullet.createCollisionShape(**named[kind], physicsClientId=client)


def _factors(contacts: list[dict], what: str) -> dict[str, float]:
    """Return a coefficient for each shape so that the product of two is what the case says of the pair."""
    wanted = [(*pair, contact[what]) for contact in contacts for pair in contact["pairs"]]
    names = sorted({name for row in wanted if row[2] for name in row[:2]})
    matrix = np.array([[(name == one) + (name == other) for name in names] for one, other, value in wanted if value])
    logs = np.log([value for *_, value in wanted if value])
    found = np.linalg.lstsq(matrix, logs, rcond=None)[0] if names else []
    factors = dict(zip(names, np.exp(found).tolist(), strict=True))
    if any(abs(factors.get(one, 0) * factors.get(other, 0) - value) > 1e-9 for one, other, value in wanted):
        raise NotImplementedError(f"PyBullet: {what} by pair; a shape has one coefficient, and two are multiplied")
    return factors


def _check_stable(joint: dict, body: dict, timestep: float) -> None:
    """Refuse a damper or spring whose torque, of the state before a step, would overshoot in the step."""
    gains, inertia = joint.get("drive", joint), body["mass"]
    if joint["type"] == "hinge":
        axis = np.array(joint["axis"], float) / np.linalg.norm(joint["axis"])
        arm = np.cross(axis, np.subtract(body["position"], joint["anchor"]))
        inertia = max(body["inertia"]) + body["mass"] * arm @ arm
    if timestep * (gains["damping"] + timestep * gains["stiffness"]) > 2 * inertia:
        raise NotImplementedError("PyBullet: a spring or damper this stiff on a body this light, in steps this long")


def _torque(joint: dict, position: float, speed: float, time: float) -> float:
    drive = joint.get("drive")
    if not drive:
        return joint["stiffness"] * (joint["rest"] - position) - joint["damping"] * speed
    target, slope = _line(drive["times"], drive["targets"], time)
    return drive["stiffness"] * (target - position) + drive["damping"] * (slope - speed)


def _held(times: list[float], values: list[float], time: float) -> float:
    return values[max(int(np.searchsorted(times, time + 1e-9, side="right")) - 1, 0)]


def _line(times: list[float], values: list[float], time: float) -> tuple[float, float]:
    """Return value and slope of a broken line."""
    if not times[0] <= time < times[-1]:
        return values[0 if time < times[0] else -1], 0.0
    index = int(np.searchsorted(times, time + 1e-12, side="right")) - 1
    slope = (values[index + 1] - values[index]) / (times[index + 1] - times[index])
    return values[index] + slope * (time - times[index]), slope


def _unit(vector) -> np.ndarray:
    return np.asarray(vector, float) / np.linalg.norm(vector)


def _rotate(quaternion: np.ndarray, vector) -> np.ndarray:
    twice = 2 * np.cross(quaternion[1:], vector)
    return vector + quaternion[0] * twice + np.cross(quaternion[1:], twice)


def _inverse(quaternion: np.ndarray) -> np.ndarray:
    return quaternion * [1, -1, -1, -1]


def _relative(frame: tuple, position: np.ndarray, quaternion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a world pose in a frame."""
    inverse = _inverse(frame[1])
    real = inverse[0] * quaternion[0] - inverse[1:] @ quaternion[1:]
    axis = inverse[0] * quaternion[1:] + quaternion[0] * inverse[1:] + np.cross(inverse[1:], quaternion[1:])
    return _rotate(inverse, position - frame[0]), np.array([real, *axis])


def _xyzw(quaternion: np.ndarray) -> list[float]:
    return [*quaternion[1:].tolist(), float(quaternion[0])]
