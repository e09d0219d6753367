"""Drake, for the contact suite. Needs drake and numpy.

Drake combines the coefficients of two shapes to 2 m n / (m + n); each shape gets one so that the case's follow. It has
no coefficient of restitution. Servos are its implicit controllers of joints, and so is
what drives a body on rails: a mass that is large against the others would widen the solver's relative tolerance.
"""

from __future__ import annotations

import importlib.metadata

import numpy as np
from pydrake import geometry
from pydrake import math as rotations
from pydrake.common.eigen_geometry import Quaternion
from pydrake.multibody import math as spatial
from pydrake.multibody import plant as plants
from pydrake.multibody import tree
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from .. import adapting
from ..adapting import POINT_RADIUS, unit

NAME = "Drake"
RAIL_DAMPING = 1e7  # [N s/m]
CELLS = 6  # of a rigid surface's mesh along its longest edge
STIFFNESS = 1e6  # of a shape at a point, Drake's default [N/m]


def _faces(how: str, timestep: float = 1e-3, approximation: str = "lagged", tolerance: float = 1e-4, **others) -> dict:
    """Return settings for contact between faces: a single point by pair of shapes would let a box rock.

    Surfaces are the guide's hydroelastic contact: one of a pair is compliant, the other rigid with a mesh that is fine
    enough for the pressure's centre to come near the edges. Corners are small spheres of a box, against planes alone.
    Spheres and feet stay points. `lagged` is the approximation that `DiscreteContactApproximation` prefers for sliding.
    """
    plant = {"time_step": timestep, "discrete_contact_approximation": approximation, "stiction_tolerance": tolerance}
    return {"plant": plant, "faces": how, **others}


SETTINGS = {
    "defaults": {},
    "surfaces": _faces("surfaces"),
    "corners": _faces("corners"),
    "corners 0.25 ms": _faces("corners", 2.5e-4),
    "corners stiff": _faces("corners", tolerance=1e-6, stiffness=1e7, modulus=1e8),
    "corners stiff 0.25 ms": _faces("corners", 2.5e-4, tolerance=1e-6, stiffness=1e7, modulus=1e8),
    "corners similar": _faces("corners", approximation="similar"),
    # SAP is meant for near-rigid contact; with Drake's default relaxation time of .1 s sliding bodies glide high.
    "corners sap": _faces("corners", approximation="sap", relaxation=1e-3),
}


def version() -> str:
    return importlib.metadata.version("drake")


class Simulation:
    """A case in Drake; NotImplementedError says what of it Drake cannot represent."""

    def __init__(self, case: dict, setting: dict) -> None:
        self.case, self.setting, self.steps = case, setting, 0
        self.bodies = {body["name"]: body for body in case["bodies"]}
        self.joints = {joint["child"]: joint for joint in case["joints"]}
        config, builder = plants.MultibodyPlantConfig(**setting.get("plant", {})), DiagramBuilder()
        self.timestep = config.time_step
        self.plant, scene = plants.AddMultibodyPlant(config, builder)
        self.plant.mutable_gravity_field().set_gravity_vector(case["gravity"])
        self.rails = self.plant.AddModelInstance("rails")
        self.plant.set_gravity_enabled(self.rails, False)
        self._add_bodies()
        self.driven = [joint for joint in case["joints"] if "drive" in joint]
        self.plant.Finalize()
        self._set_pairs(scene.collision_filter_manager())
        self.diagram = builder.Build()
        self.simulator = Simulator(self.diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.pushes = None
        self._start()

    def step(self) -> None:
        """Advance by a timestep."""
        time = self.steps * self.timestep
        if self.moving:
            self._move(time)
        if self.driven:
            self._serve(time)
        if self.case["forces"]:
            self._push(time)
        self.steps += 1
        self.simulator.AdvanceTo(self.steps * self.timestep)

    def read(self) -> tuple:
        """Return time, positions, quaternions, velocities, angular velocities and contact forces."""
        poses, twists = [], []
        for name, body in self.bodies.items():
            if name in self.fixed:
                poses.append((body["position"], body["quaternion"]))
                twists.append((np.zeros(3), np.zeros(3)))
            else:
                pose = self.plant.EvalBodyPoseInWorld(self.context, self.handles[name])
                twist = self.plant.EvalBodySpatialVelocityInWorld(self.context, self.handles[name])
                poses.append((pose.translation(), pose.rotation().ToQuaternion().wxyz()))
                twists.append((twist.translational(), twist.rotational()))
        return adapting.reading(self.steps * self.timestep, poses, twists, self._forces())

    def _add_bodies(self) -> None:
        self.handles, self.freedoms, self.shapes = {"world": self.plant.world_body()}, {}, {}
        self.fixed = [name for name, body in self.bodies.items() if adapting.is_fixed(body)]
        heaviest = max((body["mass"] for body in self.case["bodies"] if "mass" in body), default=1.0)
        for name, body in self.bodies.items():
            if name in self.fixed:
                self.handles[name] = self.plant.world_body()
                continue
            mass = body.get("mass", heaviest)
            unit = tree.UnitInertia(*np.array(body.get("inertia", [mass] * 3)) / mass)
            instance = self.rails if "motion" in body else tree.default_model_instance()
            inertia = tree.SpatialInertia(mass, np.zeros(3), unit, skip_validity_check=True)
            self.handles[name] = self.plant.AddRigidBody(name, instance, inertia)
        frictions = adapting.coefficients(NAME, self.case["contacts"], "friction", adapting.HARMONIC_MEAN)
        self._choose_faces()
        for name, body in self.bodies.items():
            for shape in body["shapes"]:
                self._add_shape(name, body, shape, frictions.get(f"{name}.{shape['name']}", 0.0))
            if name in self.joints or "motion" in body:
                self._add_joint(name, body, self.joints.get(name, {"type": "slide", "parent": "world"}))

    def _choose_faces(self) -> None:
        """Choose which shapes are compliant surfaces, and which boxes are their corners."""
        kinds = {f"{b['name']}.{shape['name']}": shape["type"] for b in self.bodies.values() for shape in b["shapes"]}
        pairs = [pair for contact in self.case["contacts"] for pair in contact["pairs"]]
        others = {name: {x for pair in pairs if name in pair for x in pair if x != name} for name in kinds}
        self.cornered = set()
        if self.setting.get("faces") == "corners":
            boxes = (name for name, kind in kinds.items() if kind == "box")
            self.cornered = {name for name in boxes if {kinds[other] for other in others[name]} == {"plane"}}
        self.soft, seen = set(), set()
        for first in sorted(kinds, key=lambda name: kinds[name] != "plane"):  # planes are rigid
            waiting = [(first, kinds[first] != "plane")]
            while waiting:
                name, is_soft = waiting.pop()
                if name not in seen:
                    seen.add(name)
                    self.soft |= {name} if is_soft else set()
                    waiting += [(other, not is_soft) for other in others[name]]

    def _add_shape(self, name: str, body: dict, shape: dict, friction: float) -> None:
        shape, label = adapting.solid(body, shape), f"{name}.{shape['name']}"
        kind, size, centres = shape["type"], shape["size"], [np.zeros(3)]
        if label in self.cornered:
            inner = np.array(size) - POINT_RADIUS
            centres = [inner * (2 * np.array(corner) - 1) for corner in np.ndindex(2, 2, 2)]
            kind, size = "sphere", [POINT_RADIUS]
        made = {
            "plane": geometry.HalfSpace,
            "box": lambda: geometry.Box(*2 * np.array(size)),
            "sphere": lambda: geometry.Sphere(*size),
            "cylinder": lambda: geometry.Cylinder(size[0], 2 * size[1]),
            "capsule": lambda: geometry.Capsule(size[0], 2 * size[1]),
        }[kind]()
        pose = _pose(body) @ _pose(shape) if name in self.fixed else _pose(shape)
        properties = self._properties(label, kind, size, friction)
        self.shapes[label] = [
            self.plant.RegisterCollisionGeometry(
                self.handles[name], pose @ rotations.RigidTransform(centre), made, f"{label}.{number}", properties
            )
            for number, centre in enumerate(centres)
        ]

    def _properties(self, label: str, kind: str, size: list[float], friction: float) -> geometry.ProximityProperties:
        properties = geometry.ProximityProperties()
        coulomb, stiffness = plants.CoulombFriction(friction, friction), self.setting.get("stiffness", STIFFNESS)
        geometry.AddContactMaterial(properties, point_stiffness=stiffness, friction=coulomb)
        if "relaxation" in self.setting:
            properties.AddProperty("material", "relaxation_time", self.setting["relaxation"])
        if not self.setting.get("faces") or kind == "sphere":
            return properties
        modulus = self.setting.get("modulus", 1e7)
        if label not in self.soft:
            geometry.AddRigidHydroelasticProperties(2 * max(size, default=1.0) / CELLS, properties)
        else:
            geometry.AddCompliantHydroelasticProperties(2 * max(size) / CELLS, modulus, properties)
        return properties

    def _add_joint(self, name: str, body: dict, joint: dict) -> None:
        motion = joint if "axis" in joint else body["motion"]
        axis = unit(motion["axis"])
        place = rotations.RigidTransform(np.array(joint.get("anchor", body["position"]), float))
        if joint["type"] == "planar":
            place.set_rotation(rotations.RotationMatrix.MakeFromOneVector(axis, 2))
        parent = self.handles[joint["parent"]]
        held = parent.index() == self.plant.world_body().index()
        before = place if held else _pose(self.bodies[joint["parent"]]).inverse() @ place
        frames = []
        for which, owner, pose in (("p", parent, before), ("c", self.handles[name], _pose(body).inverse() @ place)):
            frame = tree.FixedOffsetFrame(f"{name}_{which}", owner.body_frame(), pose)
            frames.append(self.plant.AddFrame(frame))
        made = {
            "hinge": lambda: tree.RevoluteJoint(name, *frames, axis),
            "slide": lambda: tree.PrismaticJoint(name, *frames, axis),
            "planar": lambda: tree.PlanarJoint(name, *frames),
        }[joint["type"]]()
        self.freedoms[name] = self.plant.AddJoint(made)
        if joint["type"] != "planar":
            self._add_torque(name, joint)

    def _add_torque(self, name: str, joint: dict) -> None:
        freedom = self.freedoms[name]
        gains = joint.get("drive") or {"stiffness": 0.0, "damping": RAIL_DAMPING}
        if "drive" in joint or name not in self.joints:
            actuator = self.plant.AddJointActuator(name, freedom)
            actuator.set_controller_gains(tree.PdControllerGains(p=gains["stiffness"], d=gains["damping"]))
            return
        if joint["damping"]:
            freedom.set_default_damping(joint["damping"])
        if joint["stiffness"]:
            spring = tree.RevoluteSpring if joint["type"] == "hinge" else tree.PrismaticSpring
            self.plant.AddForceElement(spring(freedom, joint["rest"], joint["stiffness"]))

    def _set_pairs(self, manager: geometry.CollisionFilterManager) -> None:
        """Let the pairs of the case touch, and nothing else."""
        if any(contact["restitution"] > 0 for contact in self.case["contacts"]):
            raise NotImplementedError("Drake: a coefficient of restitution")
        every = geometry.GeometrySet([index for indices in self.shapes.values() for index in indices])
        declaration = geometry.CollisionFilterDeclaration().ExcludeWithin(every)
        self.pairs = adapting.touching(self.case["contacts"], self.shapes.__getitem__)
        for one, other in self.pairs:
            declaration.AllowBetween(geometry.GeometrySet([one]), geometry.GeometrySet([other]))
        manager.Apply(declaration)

    def _start(self) -> None:
        """Set the state at t = 0, and find what the steps use."""
        speeds = {}
        for name, body in self.bodies.items():
            joint = self.joints.get(name)
            velocity, spin = adapting.against_parent(body, joint, self.bodies)
            if name in self.freedoms:
                speeds[name] = _speeds(joint or body["motion"], velocity, spin)
            elif name not in self.fixed:
                self.plant.SetFreeBodyPose(self.context, self.handles[name], _pose(body))
                twist = spatial.SpatialVelocity(spin, velocity)
                self.plant.SetFreeBodySpatialVelocity(self.context, self.handles[name], twist)
        state = self.plant.GetVelocities(self.context).copy()
        for name, speed in speeds.items():
            first = self.freedoms[name].velocity_start()
            state[first : first + len(speed)] = speed
        self.plant.SetVelocities(self.context, state)
        self.moving = [(self.freedoms[n], body["motion"]) for n, body in self.bodies.items() if "motion" in body]

    def _move(self, time: float) -> None:
        speeds = [adapting.held(motion["times"], motion["velocities"], time) for _, motion in self.moving]
        for (freedom, _), speed in zip(self.moving, speeds, strict=True):
            freedom.set_translation_rate(self.context, speed)
        port = self.plant.get_desired_state_input_port(self.rails)
        port.FixValue(self.context, np.array([0.0] * len(speeds) + speeds))

    def _serve(self, time: float) -> None:
        wanted = [adapting.line(joint["drive"]["times"], joint["drive"]["targets"], time) for joint in self.driven]
        port = self.plant.get_desired_state_input_port(tree.default_model_instance())
        port.FixValue(self.context, np.array(wanted).T.ravel())

    def _push(self, time: float) -> None:
        active = adapting.pushes(self.case, time)
        if active != self.pushes:
            self.pushes, forces = active, []
            for push in active:
                force = plants.ExternallyAppliedSpatialForce()
                force.body_index = self.handles[push["body"]].index()
                force.p_BoBq_B = np.array(push["point"], float)
                force.F_Bq_W = spatial.SpatialForce(np.zeros(3), np.array(push["force"], float))
                forces.append(force)
            self.plant.get_applied_spatial_force_input_port().FixValue(self.context, forces)

    def _forces(self) -> np.ndarray:
        """Return the forces of the last step: Drake's port holds them."""
        forces = np.zeros((len(self.case["contacts"]), 3))
        if not self.steps:
            return forces
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        for index in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(index)
            contact, sign = self.pairs[info.point_pair().id_A, info.point_pair().id_B]
            forces[contact] -= sign * info.contact_force()
        for index in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(index)
            contact, sign = self.pairs[info.contact_surface().id_M(), info.contact_surface().id_N()]
            forces[contact] += sign * info.F_Ac_W().translational()
        return forces


def _speeds(joint: dict, velocity: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """Return velocities of a joint, or of a motion, in Drake's order, from those of its child against the parent."""
    axis = unit(joint["axis"])
    if joint.get("type") == "planar":
        frame = rotations.RotationMatrix.MakeFromOneVector(axis, 2).matrix()
        return np.array([*(frame.T @ velocity)[:2], axis @ spin])
    return np.array([axis @ (spin if joint.get("type") == "hinge" else velocity)])


def _quaternion(wxyz: list[float]) -> Quaternion:
    return Quaternion(np.array(wxyz, float) / np.linalg.norm(wxyz))


def _pose(body: dict) -> rotations.RigidTransform:
    return rotations.RigidTransform(_quaternion(body["quaternion"]), np.array(body["position"], float))
