"""MuJoCo, for the contact suite. Needs mujoco and numpy.

A point foot is a sphere of a tenth of a millimetre; a driven body slides on rails, a million kilograms heavy; and
restitution, for which MuJoCo has no parameter, is the damping of a spring that bounces so.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from .. import adapting
from ..adapting import inverse, rotate

NAME = "MuJoCo"
LOG = mujoco.MjLogConfig.get()
LOG.logto_file = False  # its warnings are counted; the working folder is the user's
LOG.set()
RAIL_MASS = 1e6  # [kg]


def _stiff(timestep: float, **others) -> dict:
    """Return the stiffest contacts that a timestep bears, whose impedance rises from zero."""
    rest = {"solref": (2 * timestep, 1.0), "solimp": (0.0, 0.999, 1e-3), **others}
    return {"timestep": timestep, "integrator": "implicitfast", "cone": "elliptic", "impratio": 100.0, **rest}


# What the chapter on modelling advises against creep: an elliptic cone, a larger impratio; and then to project it out.
ELLIPTIC = {"timestep": 1e-3, "integrator": "implicitfast", "cone": "elliptic", "impratio": 10.0}
SETTINGS = {
    "defaults": {},
    "documented": ELLIPTIC,
    "noslip": ELLIPTIC | {"noslip_iterations": 10},
    "stiff": _stiff(1e-3),
    "stiff 4 ms": _stiff(4e-3),
    "stiff 0.25 ms": _stiff(2.5e-4),
    "stiff at once": _stiff(1e-3, solimp=(0.9, 0.999, 1e-4)),  # a sliding body is lifted
    "stiff pyramidal": _stiff(1e-3, cone="pyramidal"),
    # The presets of tarsus, which `mjcf/presets.py` explains.
    "rl": {
        "timestep": 2e-3,
        "integrator": "discrete",
        "cone": "elliptic",
        "impratio": 5.0,
        "tolerance": 1e-6,
        "ls_tolerance": 0.1,
        "solref": (0.0032, 1.2),
        "solimp": (0.0, 0.99, 4e-4),
        "speculative": True,
        "dense": True,
    },
    "reference": {
        "timestep": 2.5e-4,
        "integrator": "discrete",
        "cone": "elliptic",
        "impratio": 100.0,
        "tolerance": 1e-10,
        "ls_tolerance": 0.1,
        "solref": (0.001, 1.0),
        "solimp": (0.0, 0.999, 3e-4),
        "dense": True,
    },
}


def version() -> str:
    return mujoco.__version__


class Simulation:
    """A case in MuJoCo; NotImplementedError says what of it MuJoCo cannot represent."""

    def __init__(self, case: dict, setting: dict) -> None:
        self.case, self.bodies = case, case["bodies"]
        self.spec = mujoco.MjSpec()
        self.spec.option.gravity = case["gravity"]
        self.solref, self.solimp = setting.get("solref", (0.02, 1.0)), setting.get("solimp", (0.9, 0.95, 1e-3))
        _apply(self.spec.option, setting)
        self._add_bodies()
        for contact in case["contacts"]:
            self._add_pairs(contact)
        self.model = self.spec.compile()
        self.data = mujoco.MjData(self.model)
        self._find()
        self._start()

    def step(self) -> None:
        """Advance by a timestep."""
        time, data = self.data.time, self.data
        data.qvel[self.steady] = self.speeds
        for index, motion in self.rails:
            data.qvel[index] = adapting.held(motion["times"], motion["velocities"], time)
        for index, drive in self.drives:
            target, slope = adapting.line(drive["times"], drive["targets"], time)
            data.ctrl[index] = drive["stiffness"] * target + drive["damping"] * slope
        if self.case["forces"]:
            self._push(time)
        self.advance()

    def advance(self) -> None:
        """Let the engine step from what `data` holds."""
        mujoco.mj_step(self.model, self.data)

    def read(self) -> tuple:
        """Return time, positions, quaternions, velocities, angular velocities and contact forces."""
        model, data = self.model, self.data
        forces = self._forces()  # of the last step: what follows keeps them
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        twists = np.zeros((len(self.ids), 6))
        for twist, index in zip(twists, self.ids, strict=True):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, index, twist, 0)
        return data.time, data.xipos[self.ids], data.xquat[self.ids], twists[:, 3:], twists[:, :3], forces

    def _add_bodies(self) -> None:
        joints = {joint["child"]: joint for joint in self.case["joints"]}
        self.handles = {"world": self.spec.worldbody}
        self.frames = {"world": (np.zeros(3), np.array([1.0, 0, 0, 0]))}
        waiting = list(self.bodies)
        while waiting:  # parents first
            body = next(
                (b for b in waiting if joints.get(b["name"], {"parent": "world"})["parent"] in self.handles), None
            )
            if body is None:
                raise NotImplementedError("a loop of joints")
            self._add_body(body, joints.get(body["name"]))
            waiting.remove(body)

    def _add_body(self, body: dict, joint: dict | None) -> None:
        parent = joint["parent"] if joint else "world"
        position, quaternion = adapting.relative(self.frames[parent], body["position"], body["quaternion"])
        handle = self.handles[parent].add_body(name=body["name"], pos=position, quat=quaternion)
        self.handles[body["name"]] = handle
        self.frames[body["name"]] = (np.asarray(body["position"], float), np.asarray(body["quaternion"], float))
        if "mass" in body:
            handle.mass, handle.inertia, handle.explicitinertial = body["mass"], body["inertia"], True
        elif "motion" in body:
            handle.mass, handle.inertia, handle.explicitinertial = RAIL_MASS, [RAIL_MASS] * 3, True
            handle.gravcomp = 1.0
        handle.ipos, handle.iquat = [0, 0, 0], [1, 0, 0, 0]
        self._add_joint(handle, body, joint)
        for shape in body["shapes"]:
            self._add_geom(handle, body, shape)

    def _add_joint(self, handle, body: dict, joint: dict | None) -> None:
        slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
        name, back = body["name"], inverse(body["quaternion"])
        if "motion" in body:
            handle.add_joint(name=name, type=slide, axis=rotate(back, body["motion"]["axis"]))
        elif joint is None:
            if "mass" in body:
                handle.add_freejoint(name=name)
        elif joint["type"] == "planar":
            axis = rotate(back, joint["axis"])
            for index, direction in enumerate(adapting.plane(axis)):
                handle.add_joint(name=f"{name}_{index}", type=slide, axis=direction)
            handle.add_joint(name=f"{name}_2", type=hinge, axis=axis)
        else:
            anchor = np.subtract(joint.get("anchor", body["position"]), body["position"])
            handle.add_joint(
                name=name,
                type=hinge if joint["type"] == "hinge" else slide,
                axis=rotate(back, joint["axis"]),
                pos=rotate(back, anchor),
                stiffness=[0.0 if "drive" in joint else joint["stiffness"], 0, 0],
                damping=[0.0 if "drive" in joint else joint["damping"], 0, 0],
                springref=joint["rest"],
            )
            if "drive" in joint:
                self._add_drive(name, joint["drive"])

    def _add_drive(self, name: str, drive: dict) -> None:
        servo = self.spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.gainprm[0], servo.biastype = 1.0, mujoco.mjtBias.mjBIAS_AFFINE
        servo.biasprm[1:3] = -drive["stiffness"], -drive["damping"]

    def _add_geom(self, handle, body: dict, shape: dict) -> None:
        shape, name = adapting.solid(body, shape), f"{body['name']}.{shape['name']}"
        size = (shape["size"] or [1, 1, 1]) + [0] * (3 - len(shape["size"] or [1, 1, 1]))
        kind = getattr(mujoco.mjtGeom, f"mjGEOM_{shape['type'].upper()}")
        geom = handle.add_geom(name=name, type=kind, size=size, pos=shape["position"], quat=shape["quaternion"])
        geom.contype = geom.conaffinity = 0  # only the pairs touch
        geom.mass = 0.0

    def _add_pairs(self, contact: dict) -> None:
        friction = contact["friction"]
        if isinstance(friction, list):
            friction = self._along_axes(contact)
        else:
            friction = [friction, friction]
        solref, solimp = self.solref, self.solimp
        if contact["restitution"]:  # its spring is linear only where the impedance is constant
            solref, solimp = _bouncing(self.solref, contact["restitution"]), (solimp[1], *solimp[1:])
        for one, other in contact["pairs"]:
            pair = self.spec.add_pair(geomname1=one, geomname2=other, condim=3)
            pair.friction = [max(friction[0], 1e-5), max(friction[1], 1e-5), 0, 0, 0]
            pair.solref, pair.solimp[:3] = solref, solimp
            pair.solreffriction = self.solref  # else friction would be as weakly damped as a bounce

    def _along_axes(self, contact: dict) -> list[float]:
        """Return the two coefficients in MuJoCo's order: on a level plane its first tangent is the world's y axis."""
        along, across = contact["friction"]
        x, y, z = np.abs(contact["direction"]) / np.linalg.norm(contact["direction"])
        if max(x, y) < 1 - 1e-9:
            raise NotImplementedError("anisotropic friction along other directions than x and y")
        return [across, along] if x > y else [along, across]

    def _find(self) -> None:
        """Find what the steps use, by the names of the case."""
        model = self.model
        self.ids = np.array([model.body(body["name"]).id for body in self.bodies])
        rails = [(model.joint(b["name"]).dofadr[0], b["motion"]) for b in self.bodies if "motion" in b]
        self.rails = [(index, motion) for index, motion in rails if len(motion["times"]) > 1]
        steady = [(index, motion["velocities"][0]) for index, motion in rails if len(motion["times"]) == 1]
        self.steady, self.speeds = np.array([i for i, _ in steady], int), np.array([speed for _, speed in steady])
        self.drives = [(model.actuator(j["child"]).id, j["drive"]) for j in self.case["joints"] if "drive" in j]
        self.pairs = adapting.touching(self.case["contacts"], lambda name: [model.geom(name).id])

    def _start(self) -> None:
        """Set the velocities at t = 0."""
        mujoco.mj_forward(self.model, self.data)
        children = {joint["child"]: joint for joint in self.case["joints"]}
        states = {body["name"]: body for body in self.bodies}
        for body in self.bodies:
            joint, name = children.get(body["name"]), body["name"]
            velocity, spin = adapting.against_parent(body, joint, states)
            if joint is None and "mass" in body:
                address = self.model.joint(name).dofadr[0]
                local = rotate(inverse(body["quaternion"]), spin)
                self.data.qvel[address : address + 6] = [*velocity, *local]
            elif joint and joint["type"] == "planar":
                for index, motion in enumerate((velocity, velocity, spin)):
                    found = self.model.joint(f"{name}_{index}")
                    self.data.qvel[found.dofadr[0]] = self.data.xaxis[found.id] @ motion
            elif joint:
                found = self.model.joint(name)
                motion = velocity if joint["type"] == "slide" else spin
                self.data.qvel[found.dofadr[0]] = self.data.xaxis[found.id] @ motion

    def _push(self, time: float) -> None:
        self.data.xfrc_applied[:] = 0
        arm = np.zeros(3)
        for push in adapting.pushes(self.case, time):
            index = self.model.body(push["body"]).id
            mujoco.mju_rotVecQuat(arm, push["point"], self.data.xquat[index])
            self.data.xfrc_applied[index] += [*push["force"], *np.cross(arm, push["force"])]

    def _forces(self) -> np.ndarray:
        forces, wrench, data = np.zeros((len(self.case["contacts"]), 3)), np.zeros(6), self.data
        for index in range(data.ncon):
            contact = data.contact[index]
            found = self.pairs.get((contact.geom1, contact.geom2))
            if found:
                mujoco.mj_contactForce(self.model, data, index, wrench)
                forces[found[0]] -= found[1] * (contact.frame.reshape(3, 3).T @ wrench[:3])
        return forces


def _apply(option, setting: dict) -> None:
    for name in ("timestep", "impratio", "noslip_iterations", "tolerance", "ls_tolerance"):
        if name in setting:
            setattr(option, name, setting[name])
    if "integrator" in setting:
        option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{setting['integrator'].upper()}")
    if "cone" in setting:
        option.cone = getattr(mujoco.mjtCone, f"mjCONE_{setting['cone'].upper()}")
    if setting.get("speculative"):
        option.enableflags |= mujoco.mjtEnableBit.mjENBL_SPECULATIVE
    if setting.get("dense"):
        option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE


def _bouncing(solref: tuple[float, float], restitution: float) -> tuple[float, float]:
    """Return stiffness and damping, as MuJoCo takes them negative, of an oscillator that bounces by `restitution`."""
    stiffness, low, high = 1 / solref[0] ** 2, 1e-9, 100.0
    for _ in range(60):
        ratio = math.sqrt(low * high)
        low, high = (ratio, high) if _bounce(ratio) > restitution else (low, ratio)
    return -stiffness, -2 * low * math.sqrt(stiffness)


def _bounce(ratio: float) -> float:
    """Return the restitution of an oscillator that is let go when its force, not its length, is back at zero."""
    root = math.sqrt(abs(1 - ratio**2)) or 1e-9
    angle = math.atan2(2 * ratio * root, 2 * ratio**2 - 1) if ratio < 1 else math.log(ratio + root) * 2
    return math.exp(-ratio / root * angle)
