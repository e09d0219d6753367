"""DART, for the contact suite. Needs dartpy and numpy.

DART takes the lesser of two coefficients of friction and the product of two of restitution; each shape gets one so that
the case's follow. Springs, dampers and servos are forces computed here: with DART's own a light foot on the ground
loads a leg too little, by an error of the first order in the timestep. A driven body has a joint of given velocity.
Shapes of one body that touch different things are bodies without weight welded to it, as DART filters by body.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import math

import dartpy
import numpy as np

from .. import adapting
from ..adapting import unit

NAME = "DART"
PRODUCT = adapting.PRODUCT._replace(within=(-math.inf, 0.0))  # of restitutions that are 1 at most
SETTINGS = {
    # DART's default detector, FCL, finds one point of a face on a plane, or two; ODE's and Bullet's find its corners.
    "defaults": {},
    "ode": {"detector": "ODE"},
    "ode 4 ms": {"detector": "ODE", "timestep": 4e-3},
    "ode 0.25 ms": {"detector": "ODE", "timestep": 2.5e-4},
    "bullet": {"detector": "BULLET"},
    "nsgs": {"detector": "ODE", "solver": "Nsgs"},  # new in 6.20: Coulomb's cone in place of a box
    "split impulse": {"detector": "ODE", "split": True},
}


def version() -> str:
    return importlib.metadata.version("dartpy")


class Simulation:
    """A case in DART; NotImplementedError says what of it DART cannot represent."""

    def __init__(self, case: dict, setting: dict) -> None:
        self.case, self.steps, self.timestep = case, 0, setting.get("timestep", 1e-3)
        self.bodies = {body["name"]: body for body in case["bodies"]}
        self.joints = {joint["child"]: joint for joint in case["joints"]}
        self.world = dartpy.simulation.World("case")
        self.world.setTimeStep(self.timestep)
        self.world.setGravity(case["gravity"])
        self._choose(setting)
        self.frictions = _lesser(case["contacts"])
        self.restitutions = adapting.coefficients(NAME, case["contacts"], "restitution", PRODUCT)
        self.pairs = adapting.touching(case["contacts"], lambda name: [name])
        self.touching = {name for pair in self.pairs for name in pair}
        self.handles, self.freedoms, self.skeletons = {}, {}, []
        self.holders = {}  # by shape
        for name in self.bodies:
            if self.joints.get(name, {"parent": "world"})["parent"] == "world":
                self._add_tree(name)
        self._set_pairs()
        self._start()

    def step(self) -> None:
        """Advance by a timestep."""
        time = self.steps * self.timestep
        for freedom, motion in self.rails:
            freedom.setCommand(0, adapting.held(motion["times"], motion["velocities"], time))
        for freedom, joint in self.springs:
            freedom.setForce(0, adapting.torque(joint, freedom.getPosition(0), freedom.getVelocity(0), time))
        for push in adapting.pushes(self.case, time):
            self.handles[push["body"]].addExtForce(push["force"], push["point"], False, True)
        self.world.step()
        self.steps += 1

    def read(self) -> tuple:
        """Return time, positions, quaternions, velocities, angular velocities and contact forces."""
        handles = [self.handles[name] for name in self.bodies]
        frames = [handle.getWorldTransform() for handle in handles]
        poses = [(frame.translation(), frame.quaternion().wxyz()) for frame in frames]
        twists = [(handle.getLinearVelocity(), handle.getAngularVelocity()) for handle in handles]
        return adapting.reading(self.steps * self.timestep, poses, twists, self._forces())

    def _choose(self, setting: dict) -> None:
        """Choose how collisions are found and contacts solved."""
        sleep = self.world.getDeactivationOptions()
        sleep.mEnabled = False  # bodies that sleep show no forces
        self.world.setDeactivationOptions(sleep)
        self.detector = setting.get("detector")
        if self.detector:
            kind = getattr(dartpy.simulation.CollisionDetectorType, self.detector)
            self.world.setCollisionDetector(kind)
        solver = self.world.getConstraintSolver()
        if "solver" in setting:
            solver.setBoxedLcpSolver(getattr(dartpy.constraint, f"{setting['solver']}FrictionSolver")())
        solver.setSplitImpulseEnabled(setting.get("split", False))

    def _add_tree(self, root: str) -> None:
        skeleton = dartpy.dynamics.Skeleton(root)
        self._add_body(skeleton, None, root)
        skeleton.setMobile("mass" in self.bodies[root] or "motion" in self.bodies[root] or skeleton.getNumDofs() > 0)
        self.skeletons.append(skeleton)
        self.world.addSkeleton(skeleton)

    def _add_body(self, skeleton, parent: str | None, name: str) -> None:
        body, joint = self.bodies[name], self.joints.get(name)
        kind = _kind(body, joint)
        make = getattr(skeleton, f"create{kind}JointAndBodyNodePair")
        freedom, handle = make(self.handles[parent]) if parent else make()
        handle.setName(name)
        self.handles[name], self.freedoms[name] = handle, freedom
        place = dartpy.math.Isometry3()
        if kind in ("Revolute", "Prismatic", "Planar"):
            place.set_translation((joint or {}).get("anchor", body["position"]))
            self._set_joint(freedom, body, joint)
        elif kind == "Weld":
            place = _pose(body)
        before = _pose(self.bodies[parent]).inverse().multiply(place) if parent else place
        freedom.setTransformFromParentBodyNode(before)
        freedom.setTransformFromChildBodyNode(
            _pose(body).inverse().multiply(place) if kind != "Free" else dartpy.math.Isometry3()
        )
        if "mass" in body:
            handle.setInertia(dartpy.dynamics.Inertia(body["mass"], np.zeros(3), np.diag(body["inertia"])))
        shapes = [shape for shape in body["shapes"] if f"{name}.{shape['name']}" in self.touching]
        for shape in shapes:
            holder = handle
            if len(shapes) > 1:
                _, holder = skeleton.createWeldJointAndBodyNodePair(handle)
                holder.setInertia(dartpy.dynamics.Inertia(1e-9, np.zeros(3), 1e-12 * np.eye(3)))
            self._add_shape(holder, body, shape)
        for child, other in self.joints.items():
            if other["parent"] == name:
                self._add_body(skeleton, name, child)

    def _set_joint(self, freedom, body: dict, joint: dict | None) -> None:
        axis = (joint or body["motion"])["axis"]
        if joint and joint["type"] == "planar":
            freedom.setArbitraryPlane(*adapting.plane(axis))
        else:
            freedom.setAxis(unit(axis))
        if "motion" in body:
            freedom.setActuatorType(dartpy.dynamics.VELOCITY)

    def _add_shape(self, handle, body: dict, shape: dict) -> None:
        shape = adapting.solid(body, shape)
        kind, size = shape["type"], shape["size"]
        if kind in ("capsule", "cylinder") and not self.detector:
            raise NotImplementedError(f"DART: a {kind}, with its default detector of collisions")
        made = {
            "plane": lambda: dartpy.dynamics.PlaneShape([0, 0, 1], 0.0),
            "box": lambda: dartpy.dynamics.BoxShape(2 * np.array(size)),
            "sphere": lambda: dartpy.dynamics.SphereShape(*size),
            "cylinder": lambda: dartpy.dynamics.CylinderShape(size[0], 2 * size[1]),
            "capsule": lambda: dartpy.dynamics.CapsuleShape(size[0], 2 * size[1]),
        }[kind]()
        node = handle.createShapeNode(made, f"{body['name']}.{shape['name']}")
        node.setRelativeTransform(_pose(shape))
        node.createCollisionAspect()
        node.createDynamicsAspect()
        self.holders[node.getName()] = handle
        aspect = node.getDynamicsAspect()
        aspect.setFrictionCoeff(self.frictions.get(node.getName(), 0.0))
        aspect.setRestitutionCoeff(self.restitutions.get(node.getName(), 0.0))

    def _set_pairs(self) -> None:
        """Let the pairs of the case touch, and nothing else."""
        blacklist = self.world.getConstraintSolver().getCollisionOption().collisionFilter
        for one, other in itertools.combinations(self.holders, 2):
            if (one, other) not in self.pairs:
                blacklist.addBodyNodePairToBlackList(self.holders[one], self.holders[other])

    def _start(self) -> None:
        """Set the velocities at t = 0, and find what the steps use."""
        for name, body in self.bodies.items():
            joint, freedom = self.joints.get(name), self.freedoms[name]
            velocity, spin = adapting.against_parent(body, joint, self.bodies)
            kind = _kind(body, joint)
            if kind == "Free":
                freedom.setTransform(_pose(body))
                freedom.setAngularVelocity(spin)
                freedom.setLinearVelocity(velocity)
            elif kind != "Weld":
                freedom.setVelocities(_speeds(freedom, kind, velocity, spin))
        self.rails = [(self.freedoms[n], body["motion"]) for n, body in self.bodies.items() if "motion" in body]
        sprung = [name for name, joint in self.joints.items() if adapting.is_sprung(joint)]
        for name in sprung:
            adapting.check_stable(NAME, self.joints[name], self.bodies[name], self.timestep)
        self.springs = [(self.freedoms[name], self.joints[name]) for name in sprung]

    def _forces(self) -> np.ndarray:
        forces = np.zeros((len(self.case["contacts"]), 3))
        for contact in self.world.getLastCollisionResult().getContacts() if self.steps else ():
            objects = contact.collisionObject1, contact.collisionObject2
            index, sign = self.pairs[tuple(each.getShapeFrame().getName() for each in objects)]
            forces[index] += sign * contact.force
        return forces


def _kind(body: dict, joint: dict | None) -> str:
    if "motion" in body:
        return "Prismatic"
    if joint is None:
        return "Free" if "mass" in body else "Weld"
    return {"hinge": "Revolute", "slide": "Prismatic", "planar": "Planar"}[joint["type"]]


def _speeds(freedom, kind: str, velocity: np.ndarray, spin: np.ndarray) -> list[float]:
    if kind == "Planar":
        slides = freedom.getTranslationalAxis1(), freedom.getTranslationalAxis2()
        return [slides[0] @ velocity, slides[1] @ velocity, freedom.getRotationalAxis() @ spin]
    return [freedom.getAxis() @ (spin if kind == "Revolute" else velocity)]


def _lesser(contacts: list[dict]) -> dict[str, float]:
    """Return a coefficient of friction for each shape so that the lesser of two is what the case says of the pair."""
    if any(isinstance(contact["friction"], list) for contact in contacts):
        raise NotImplementedError("DART: two coefficients of friction (dartpy does not show them)")
    wanted = [(*pair, contact["friction"]) for contact in contacts for pair in contact["pairs"]]
    factors: dict[str, float] = {}
    for one, other, value in wanted:
        factors[one], factors[other] = max(value, factors.get(one, 0.0)), max(value, factors.get(other, 0.0))
    if any(min(factors[one], factors[other]) != value for one, other, value in wanted):
        raise NotImplementedError("DART: friction by pair; a shape has one coefficient, and the lesser of two holds")
    return factors


def _pose(body: dict) -> dartpy.math.Isometry3:
    pose = dartpy.math.Isometry3()
    pose.set_quaternion(dartpy.math.Quaternion(np.array(body["quaternion"], float)))
    pose.set_translation(np.array(body["position"], float))
    return pose
