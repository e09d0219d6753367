"""Rapier in Rust, by its Python package, for the contact suite. Needs rapier3d and numpy.

Rapier takes the product of two coefficients if it is told to; each shape gets one so that the case's follow. Bodies are
in maximal coordinates, joints soft constraints whose springs and servos are their motors, and driven bodies kinematic.
It computes in single precision, and shows of a contact's impulses their normal parts alone.
"""

from __future__ import annotations

import importlib.metadata

import numpy as np
import rapier3d as rapier

from .. import adapting
from ..adapting import unit

NAME = "Rapier"
CANNOT = {"force": "Rapier shows the normal part of contact forces alone"}
AXES = {"hinge": rapier.JointAxis.ANG_X, "slide": rapier.JointAxis.LIN_X}  # a joint's axis is the x of its frame
LOCKED = {
    "hinge": rapier.JointAxesMask.LOCKED_REVOLUTE_AXES,
    "slide": rapier.JointAxesMask.LOCKED_PRISMATIC_AXES,
    "planar": rapier.JointAxesMask.LIN_X | rapier.JointAxesMask.ANG_Y | rapier.JointAxesMask.ANG_Z,
}


def _stiff(dt: float, **others) -> dict:
    """Return short steps, more iterations, and contacts whose springs are as stiff as the steps bear.

    A contact is a spring of a frequency on the masses that it joins, 30 Hz by default: under a robot on toes of ten
    grams it yields by centimetres.
    """
    return {"dt": dt, "num_solver_iterations": 16, "frequency": 0.2 / dt, **others}


SETTINGS = {
    "defaults": {},
    "defaults 1 ms": {"dt": 1e-3},
    "stiff": _stiff(1e-3),
    "stiff 4 ms": _stiff(4e-3),
    "stiff 0.25 ms": _stiff(2.5e-4),
    "stiff coulomb": _stiff(1e-3, friction_model=rapier.FrictionModel.COULOMB),
}


def version() -> str:
    return importlib.metadata.version("rapier3d")


class Simulation:
    """A case in Rapier; NotImplementedError says what of it Rapier cannot represent."""

    def __init__(self, case: dict, setting: dict) -> None:
        self.case, self.steps = case, 0
        self.world = rapier.PhysicsWorld(gravity=tuple(case["gravity"]))
        parameters = self.world.integration_parameters
        for name, value in setting.items():
            if name == "frequency":  # of contacts as springs [Hz]
                parameters.contact_softness = rapier.SpringCoefficients(value, 10.0)
                parameters.static_contact_softness = rapier.SpringCoefficients(value, 10.0)
            else:
                setattr(parameters, name, value)
        self.timestep = parameters.dt
        self.frictions, self.restitutions = (
            adapting.coefficients(NAME, case["contacts"], what, adapting.PRODUCT)
            for what in ("friction", "restitution")
        )
        self.groups = _groups([pair for contact in case["contacts"] for pair in contact["pairs"]])
        self.bodies = {body["name"]: body for body in case["bodies"]}
        self.handles = {name: self._add_body(body) for name, body in self.bodies.items()}
        self.world_handle = self.world.add_body(rapier.RigidBody.fixed())
        self.springs = [pair for joint in case["joints"] if (pair := self._add_joint(joint))]
        self.rails = [(name, body) for name, body in self.bodies.items() if "motion" in body]

    def step(self) -> None:
        """Advance by a timestep."""
        time, bodies = self.steps * self.timestep, self.world.rigid_bodies
        for name, body in self.rails:
            bodies[self.handles[name]].linvel = tuple(self._rail_speed(body, time))
        for handle, joint in self.springs:
            self._serve(handle, joint, time)
        active = adapting.pushes(self.case, time)
        for push in active:
            body = bodies[self.handles[push["body"]]]
            body.add_force_at_point(tuple(push["force"]), body.position.transform_point(tuple(push["point"])))
        self.world.step()
        for push in active:  # a force stays until it is taken back
            bodies[self.handles[push["body"]]].reset_forces()
            bodies[self.handles[push["body"]]].reset_torques()
        self.steps += 1

    def read(self) -> tuple:
        """Return time, positions, quaternions, velocities, angular velocities and contact forces."""
        poses, twists = [], []
        for name, body in self.bodies.items():
            found = self.world.rigid_bodies[self.handles[name]]
            turn = found.rotation
            poses.append((tuple(found.translation), (turn.w, turn.i, turn.j, turn.k)))
            moves = not adapting.is_fixed(body)
            twists.append((tuple(found.linvel), tuple(found.angvel)) if moves else (np.zeros(3), np.zeros(3)))
        forces = np.full((len(self.case["contacts"]), 3), np.nan)
        return adapting.reading(self.steps * self.timestep, poses, twists, forces)

    def _rail_speed(self, body: dict, time: float) -> np.ndarray:
        return adapting.held(body["motion"]["times"], body["motion"]["velocities"], time) * unit(body["motion"]["axis"])

    def _add_body(self, body: dict):
        kind = rapier.RigidBody.fixed
        if not adapting.is_fixed(body):
            kind = rapier.RigidBody.kinematic_velocity_based if "motion" in body else rapier.RigidBody.dynamic
        made = kind().position(_pose(body)).can_sleep(False)
        if "mass" in body:
            made = made.additional_mass_properties(
                rapier.MassProperties(mass=body["mass"], principal_inertia=tuple(body["inertia"]))
            )
            made = (
                made.linvel(tuple(body["velocity"])).angvel(tuple(body["angular_velocity"])).allow_fast_rotation(True)
            )
        elif "motion" in body:
            made = made.linvel(tuple(self._rail_speed(body, 0.0)))
        labels = {shape["name"]: f"{body['name']}.{shape['name']}" for shape in body["shapes"]}
        shapes = [self._shape(body, shape) for shape in body["shapes"] if labels[shape["name"]] in self.groups]
        return self.world.add_body(made, shapes)

    def _shape(self, body: dict, shape: dict):
        shape, label = adapting.solid(body, shape), f"{body['name']}.{shape['name']}"
        kind, size, pose = shape["type"], shape["size"], _pose(shape)
        made = {
            "plane": lambda: rapier.Collider.halfspace((0.0, 0.0, 1.0)),
            "box": lambda: rapier.Collider.cuboid(*size),
            "sphere": lambda: rapier.Collider.ball(*size),
            "cylinder": lambda: rapier.Collider.cylinder(size[1], size[0]),
            "capsule": lambda: rapier.Collider.capsule_z(size[1], size[0]),
        }[kind]()
        if kind == "cylinder":  # along y
            pose = pose * rapier.Isometry3.from_rotation((np.pi / 2, 0.0, 0.0))
        multiply = rapier.CoefficientCombineRule.MULTIPLY
        made = made.position(pose).density(0.0).collision_groups(self.groups[label])
        made = made.friction(self.frictions.get(label, 0.0)).friction_combine_rule(multiply)
        return made.restitution(self.restitutions.get(label, 0.0)).restitution_combine_rule(multiply)

    def _add_joint(self, joint: dict) -> tuple | None:
        body, parent = self.bodies[joint["child"]], joint["parent"]
        place = rapier.Isometry3(tuple(joint.get("anchor", body["position"])), _turn(unit(joint["axis"])))
        held = parent == "world" or adapting.is_fixed(self.bodies[parent])
        before = place if held else _pose(self.bodies[parent]).inverse() * place
        made = rapier.GenericJoint.builder(LOCKED[joint["type"]]).contacts_enabled(True)
        made = made.local_frame1(before).local_frame2(_pose(body).inverse() * place)
        made = made.softness(rapier.SpringCoefficients(1e6, 1.0))
        gains = joint.get("drive", joint)
        sprung = joint["type"] != "planar" and bool(gains["stiffness"] or gains["damping"])
        if sprung:
            axis = AXES[joint["type"]]
            made = made.motor(axis, joint["rest"], 0.0, gains["stiffness"], gains["damping"])
            made = made.motor_model(axis, rapier.MotorModel.FORCE_BASED)
        first = self.world_handle if held else self.handles[parent]
        handle = self.world.impulse_joints.insert(first, self.handles[joint["child"]], made.build())
        return (handle, joint) if sprung and "drive" in joint else None

    def _serve(self, handle, joint: dict, time: float) -> None:
        target, slope = adapting.line(joint["drive"]["times"], joint["drive"]["targets"], time)
        found = self.world.impulse_joints[handle]
        data = found.data
        data.set_motor(AXES[joint["type"]], target, slope, joint["drive"]["stiffness"], joint["drive"]["damping"])
        found.data = data


def _groups(pairs: list[list[str]]) -> dict[str, rapier.InteractionGroups]:
    """Return for each shape what it is, a bit that it shares with shapes that touch the same, and what it touches."""
    others: dict[str, set[str]] = {}
    for one, other in pairs:
        others.setdefault(one, set()).add(other)
        others.setdefault(other, set()).add(one)
    classes = {touched: index for index, touched in enumerate(dict.fromkeys(map(frozenset, others.values())))}
    if len(classes) > 32:
        raise NotImplementedError("Rapier: more than 32 kinds of shapes that touch different ones")
    bit = {name: 1 << classes[frozenset(touched)] for name, touched in others.items()}
    filters = {name: sum({bit[other] for other in touched}) for name, touched in others.items()}
    _check_apart(others, bit, filters)
    return {name: rapier.InteractionGroups(rapier.Group(bit[name]), rapier.Group(filters[name])) for name in others}


def _check_apart(others: dict[str, set[str]], bit: dict[str, int], filters: dict[str, int]) -> None:
    for one in others:
        for other in others:
            if bool(bit[one] & filters[other] and bit[other] & filters[one]) != (other in others[one]):
                raise NotImplementedError(f"Rapier: {one} and {other}, which share a bit of its filter with others")


def _turn(axis: np.ndarray) -> rapier.Rotation3:
    """Return a rotation that turns x to an axis."""
    half = np.array([1 + axis[0], 0.0, -axis[2], axis[1]])
    return rapier.Rotation3.from_quaternion(*(unit(half) if axis[0] > -1 + 1e-12 else (0.0, 0.0, 0.0, 1.0)))


def _pose(body: dict) -> rapier.Isometry3:
    return rapier.Isometry3(tuple(body["position"]), rapier.Rotation3.from_quaternion(*unit(body["quaternion"])))
