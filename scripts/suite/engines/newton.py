"""Newton on a processor, by its own solvers, for the contact suite. Needs newton, warp-lang and numpy.

Newton takes the mean of two coefficients; each shape gets one so that the case's follow. `XPBD` moves bodies in maximal
coordinates, `Steel` in joint coordinates with projected Gauss-Seidel. Springs and servos are joint targets, driven
bodies kinematic. It computes in single precision. Its solver of MuJoCo is MuJoCo Warp, and `Kamino` takes 55 ms a step.
"""

from __future__ import annotations

import itertools

import newton
import numpy as np
import warp as wp

from .. import adapting
from ..adapting import rotate, unit

NAME = "Newton"
wp.config.quiet = True
wp.config.enable_backward = False  # nobody asks for derivatives, and they double what is compiled
STILL = np.array([1.0, 0.0, 0.0, 0.0])

XPBD = {"solver": "XPBD", "timestep": 1e-3}
# Room for the rows of fifty feet; and bounces at every speed, where half a metre a second is the least by default.
STEEL = {"solver": "Steel", "timestep": 1e-3, "undamped": True, "articulation_constraint_max": 256} | {
    "restitution_velocity_threshold": 0.0
}
SETTINGS = {
    "defaults": XPBD,
    "steel": STEEL,
    # Friction at each contact, in place of patches whose anchors are held by springs.
    "steel points": STEEL | {"iterations": 100, "friction_anchor_beta": 0.0},
    "steel 0.25 ms": STEEL | {"iterations": 100, "timestep": 2.5e-4},
}


def version() -> str:
    return newton.__version__


class Simulation:
    """A case in Newton; NotImplementedError says what of it Newton cannot represent."""

    def __init__(self, case: dict, setting: dict) -> None:
        self.case, self.steps, self.timestep = case, 0, setting["timestep"]
        self.bodies = {body["name"]: body for body in case["bodies"]}
        self.frictions, self.restitutions = (
            adapting.coefficients(NAME, case["contacts"], what, adapting.MEAN) for what in ("friction", "restitution")
        )
        self.builder = newton.ModelBuilder(up_axis=newton.Axis.Z, gravity=tuple(case["gravity"]))
        self.links, self.shapes = {}, {}
        self.places, self.speeds = [], []  # coordinates of the joints at the start, and their speeds
        self.trees: dict[str, list[int]] = {}  # the joints of the tree that a body is in
        self.drives: list[tuple[int, dict]] = []  # joints that have a servo
        self.rails = {name: np.array(body["position"], float) for name, body in self.bodies.items() if "motion" in body}
        self._add_bodies()
        for tree in {id(tree): tree for tree in self.trees.values()}.values():
            self.builder.add_articulation(tree)
        touching = {frozenset(pair) for contact in self.case["contacts"] for pair in contact["pairs"]}
        for one, other in itertools.combinations(self.shapes, 2):
            if frozenset((one, other)) not in touching:
                self.builder.add_shape_collision_filter_pair(self.shapes[one], self.shapes[other])
        if setting.get("undamped"):
            newton.solvers.SolverSteel.register_custom_attributes(self.builder)
        self.model = self.builder.finalize(device="cpu")
        if setting.get("undamped"):  # a free body turns on as it is; by default it loses 5 % of its spin a second
            self.model.steel.rigid_body_angular_damping.zero_()
        self._start(setting)

    def step(self) -> None:
        """Advance by a timestep."""
        time, state = self.steps * self.timestep, self.states[0]
        self._drive(time)
        self.pipeline.collide(state, self.contacts)
        state.clear_forces()
        self._push(time)
        with wp.ScopedDevice("cpu"):
            self.solver.step(*self.states, self.control, self.contacts, self.timestep, observables=self.observed)
        self.states.reverse()
        self.steps += 1
        for rail in self.rails:
            velocity = self.states[0].body_qd.numpy()[self.links[rail], :3].astype(float)
            self.rails[rail] = self.rails[rail] + self.timestep * velocity
            self._set_rail(rail, velocity)

    def read(self) -> tuple:
        """Return time, positions, quaternions, velocities, angular velocities and contact forces."""
        q, qd = (array.numpy().astype(float) for array in (self.states[0].body_q, self.states[0].body_qd))
        poses, twists = [], []
        for name, body in self.bodies.items():
            index = self.links.get(name)
            if index is None:
                poses.append((body["position"], body["quaternion"]))
                twists.append((np.zeros(3), np.zeros(3)))
            else:
                poses.append((q[index, :3], np.roll(q[index, 3:], 1)))
                twists.append((qd[index, :3], qd[index, 3:]))
        return adapting.reading(self.steps * self.timestep, poses, twists, self._forces())

    def _add_bodies(self) -> None:
        joints = {joint["child"]: joint for joint in self.case["joints"]}
        waiting = list(self.bodies)
        while waiting:  # parents first
            name = next((n for n in waiting if joints.get(n, {"parent": "world"})["parent"] not in waiting), None)
            if name is None:
                raise NotImplementedError("a loop of joints")
            self._add_body(self.bodies[name], joints.get(name))
            waiting.remove(name)

    def _add_body(self, body: dict, joint: dict | None) -> None:
        if adapting.is_fixed(body):
            for shape in body["shapes"]:
                self._add_shape(body, shape, -1, _transform(body["position"], body["quaternion"]))
            return
        inertia = wp.mat33(np.diag(body.get("inertia", [1.0] * 3)).ravel().tolist())
        how = {"xform": _transform(body["position"], body["quaternion"]), "mass": body.get("mass", 1.0)}
        how |= {"inertia": inertia, "lock_inertia": True, "label": body["name"], "is_kinematic": "motion" in body}
        link = self.links[body["name"]] = self.builder.add_link(**how)
        parent = joint["parent"] if joint else "world"
        tree = self.trees[body["name"]] = self.trees.get(parent, [])
        tree.append(self._add_joint(body, joint) if joint else self._add_free(body, link))
        for shape in body["shapes"]:
            self._add_shape(body, shape, link, _transform([0, 0, 0], STILL))

    def _add_free(self, body: dict, link: int) -> int:
        self.places += [*body["position"], *np.roll(unit(body["quaternion"]), -1)]
        self.speeds += [*body["velocity"], *body["angular_velocity"]]
        return self.builder.add_joint_free(link)

    def _add_joint(self, body: dict, joint: dict) -> int:
        parent = self.bodies.get(joint["parent"], adapting.WORLD)
        place, index = joint.get("anchor", body["position"]), self.links.get(joint["parent"], -1)
        frames = [(np.zeros(3), STILL) if index < 0 else (parent["position"], parent["quaternion"])]
        frames.append((body["position"], body["quaternion"]))
        names = ("parent_xform", "child_xform")
        how = {
            name: _transform(*adapting.relative(frame, place, STILL)) for name, frame in zip(names, frames, strict=True)
        }
        velocity, spin = adapting.against_parent(body, joint, self.bodies)
        gains, axis = joint.get("drive", joint), unit(joint["axis"])
        child = self.links[body["name"]]
        if joint["type"] == "planar":
            of = newton.ModelBuilder.JointDofConfig
            flat = adapting.plane(axis)
            lines = [of(axis=tuple(one)) for one in flat]
            self.places += [0.0, 0.0, 0.0]
            self.speeds += [one @ velocity for one in flat] + [axis @ spin]
            return self.builder.add_joint_d6(
                index, child, linear_axes=lines, angular_axes=[of(axis=tuple(axis))], **how
            )
        add = self.builder.add_joint_revolute if joint["type"] == "hinge" else self.builder.add_joint_prismatic
        if adapting.is_sprung(joint):
            how |= {"target_ke": gains["stiffness"], "target_kd": gains["damping"], "target_q": joint["rest"]}
            how["actuator_mode"] = newton.JointTargetMode.POSITION_VELOCITY
        self.places.append(0.0)
        self.speeds.append(float(axis @ (velocity if joint["type"] == "slide" else spin)))
        made = add(index, child, axis=tuple(axis), **how)
        if "drive" in joint:
            self.drives.append((made, joint["drive"]))
        return made

    def _add_shape(self, body: dict, shape: dict, index: int, frame: wp.transform) -> None:
        label, shape, add = f"{body['name']}.{shape['name']}", adapting.solid(body, shape), self.builder
        config = newton.ModelBuilder.ShapeConfig(
            density=0.0, mu=self.frictions.get(label, 0.0), restitution=self.restitutions.get(label, 0.0)
        )
        place = {"xform": frame * _transform(shape["position"], shape["quaternion"]), "cfg": config}
        size = shape["size"]
        self.shapes[label] = {
            "plane": lambda: add.add_shape_plane(None, body=index, width=0.0, length=0.0, **place),
            "box": lambda: add.add_shape_box(index, hx=size[0], hy=size[1], hz=size[2], **place),
            "sphere": lambda: add.add_shape_sphere(index, radius=size[0], **place),
            "cylinder": lambda: add.add_shape_cylinder(index, radius=size[0], half_height=size[1], **place),
            "capsule": lambda: add.add_shape_capsule(index, radius=size[0], half_height=size[1], **place),
        }[shape["type"]]()

    def _start(self, setting: dict) -> None:
        model = self.model
        model.joint_q.assign(np.array(self.places, np.float32))
        model.joint_qd.assign(np.array(self.speeds, np.float32))
        self.states, self.control = [model.state(), model.state()], model.control()
        newton.eval_fk(model, model.joint_q, model.joint_qd, self.states[0])
        self.firsts = model.joint_q_start.numpy(), model.joint_qd_start.numpy()
        self.pipeline = newton.CollisionPipeline(model)
        self.contacts = self.pipeline.contacts()
        kind = getattr(newton.solvers, f"Solver{setting['solver']}")
        options = {name: value for name, value in setting.items() if name not in ("solver", "timestep", "undamped")}
        self.solver = kind(model, **options, enable_restitution=any(self.restitutions.values()))
        self.observed = self.solver.observables(contacts=self.contacts, kinds={self.solver.ObservableKind.CONTACT_F})
        self.pairs = adapting.touching(self.case["contacts"], lambda name: [self.shapes[name]])

    def _drive(self, time: float) -> None:
        for rail in self.rails:
            motion = self.bodies[rail]["motion"]
            self._set_rail(rail, adapting.held(motion["times"], motion["velocities"], time) * unit(motion["axis"]))
        for joint, drive in self.drives:
            target, slope = adapting.line(drive["times"], drive["targets"], time)
            self.control.joint_target_q.numpy()[self.firsts[0][joint]] = target
            self.control.joint_target_qd.numpy()[self.firsts[1][joint]] = slope

    def _set_rail(self, rail: str, velocity: np.ndarray) -> None:
        """Write where a driven body is and how fast: solvers take both as they are."""
        state, link, joint = self.states[0], self.links[rail], self.trees[rail][0]
        first, first_speed = (starts[joint] for starts in self.firsts)
        state.body_q.numpy()[link, :3] = state.joint_q.numpy()[first : first + 3] = self.rails[rail]
        turning = np.append(velocity, np.zeros(3))
        state.body_qd.numpy()[link] = state.joint_qd.numpy()[first_speed : first_speed + 6] = turning

    def _push(self, time: float) -> None:
        state = self.states[0]
        for push in adapting.pushes(self.case, time):
            index = self.links[push["body"]]
            arm = rotate(np.roll(state.body_q.numpy()[index, 3:], 1), push["point"])
            state.body_f.numpy()[index] += [*push["force"], *np.cross(arm, push["force"])]

    def _forces(self) -> np.ndarray:
        forces = np.zeros((len(self.case["contacts"]), 3))
        count = int(self.contacts.rigid_contact_count.numpy()[0]) if self.steps else 0
        ones, others = (
            array.numpy() for array in (self.contacts.rigid_contact_shape0, self.contacts.rigid_contact_shape1)
        )
        for one, other, force in zip(ones[:count], others[:count], self.observed.contact_f.numpy(), strict=False):
            found = self.pairs.get((one, other))
            if found:
                forces[found[0]] += found[1] * force[:3]
        return forces


def _transform(position, quaternion) -> wp.transform:
    return wp.transform(tuple(map(float, position)), tuple(map(float, np.roll(unit(quaternion), -1))))
