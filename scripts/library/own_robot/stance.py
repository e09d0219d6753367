"""The contact solver on a MuJoCo state of a robot of the user's own, beside MuJoCo's forces and speeds of feet."""

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from tarsus.analytic.contact import Feet, Motion, solve
from tarsus.mjcf import own_feet, own_robot
from tarsus.mjcf.feet import toes
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.own_robot.legs import bent, compliance, feet_of

TWIST = (("forward", "mm/s", 1e3), ("left", "mm/s", 1e3), ("turning", "mrad/s", 1e3))
STATE = ("qpos", "qvel", "ctrl", "act", "mocap_pos", "mocap_quat", "qacc_warmstart")


@dataclass(frozen=True)
class Stance:
    """A robot at an instant: what the solver is given, and what MuJoCo has. Heading frame: x as the body's, z up."""

    names: tuple[str, ...]  # of the feet
    foot_pos: np.ndarray  # (n, 3) heights without load, body axes, from the robot's centre of mass [m]
    foot_vel: np.ndarray  # (n, 3) relative to the body, body axes [m/s]
    feet: Feet  # stiffness, friction, weight
    bend: np.ndarray  # (n, 2) by how much tractions raise a foot [m/N]
    twist: np.ndarray  # (3,) MuJoCo's, of the body at the centre of mass, heading frame [m/s, m/s, rad/s]
    force: np.ndarray  # (n, 3) MuJoCo's, on each foot, heading frame [N]

    def solve(self, law="coulomb") -> Motion:
        """Return the solver's motion, by a law's name or a law; check its `solved`.

        Raises:
            RuntimeError: If tractions and the bending of the legs do not converge.
        """
        pos, settled = bent(self.foot_pos, self.foot_vel, self.feet, self.bend, law)
        if not settled:
            raise RuntimeError("the tractions and the bending of the legs do not converge; pass stiffness=...")
        return solve(pos, self.foot_vel, self.feet, law)

    def report(self, law="coulomb") -> str:
        """Return the solver's and MuJoCo's twist and forces as tables."""
        found = self.solve(law)
        twists = zip(TWIST, found.twist, self.twist, strict=True)
        rows = [(name, unit, f"{k * a:.1f}", f"{k * b:.1f}") for (name, unit, k), a, b in twists]
        feet = zip(self.names, found.force, self.force, strict=True)
        forces = [(name, *(f"{value:.2f}" for value in (*a, *b))) for name, a, b in feet]
        head = ("foot", *(f"{who} F_{axis} [N]" for who in ("solver", "MuJoCo") for axis in "xyz"))
        body = stamp.markdown_table(("body", "unit", "solver", "MuJoCo"), rows)
        return f"{found.status.value}\n\n{body}\n\n{stamp.markdown_table(head, forces)}"


def stance(model, data, feet: Sequence[str], *, stiffness=None, mu=None) -> Stance:
    """Return the stance of a robot whose free joint is the model's first.

    Args:
        model: The compiled model.
        data: Its state; not changed.
        feet: Names of its feet's spheres.
        stiffness: Of the legs along the body's z, scalar or (n,) [N/m]; by default that of their servos and springs.
        mu: Friction of the feet, scalar or (n,); by default that of MuJoCo's contacts, where all that touch agree.

    Raises:
        ValueError: If a foot is unknown, no stiffness follows from servos, or contacts do not give one friction.
    """
    geoms = foot_geoms(model, feet)
    if model.jnt_type[0] != mujoco.mjtJoint.mjJNT_FREE:
        raise ValueError("the first joint of a robot must be free: <freejoint/> in its body")
    now = mujoco.MjData(model)
    for name in STATE:
        getattr(now, name)[:] = getattr(data, name)
    mujoco.mj_forward(model, now)
    mu = contact_friction(model, now, geoms) if mu is None else mu
    stiffness, bend = springs(model, now, geoms, feet, stiffness)
    weight = float(model.body_subtreemass[model.jnt_bodyid[0]] * np.linalg.norm(model.opt.gravity))
    twist, axes = twist_of(model, now)
    force = loads(model, now, geoms)[0] @ axes.T
    foot_pos, _, foot_vel = feet_of(model, now, geoms)
    return Stance(tuple(feet), foot_pos, foot_vel, Feet(stiffness, mu, weight), bend, twist, force)


def springs(model, data, geoms, names: Sequence[str], given=None) -> tuple[np.ndarray, np.ndarray]:
    """Return the legs' stiffness (n,) [N/m] and how tractions bend them (n, 2) [m/N]; a given one bends not at all."""
    if given is not None and np.shape(given) not in ((), (len(geoms),)):
        raise ValueError(f"stiffness must be one number or one for each foot, got shape {np.shape(given)}")
    if given is not None:
        return np.broadcast_to(np.asarray(given, float), len(geoms)), np.zeros((len(geoms), 2))
    found = compliance(model, data, geoms, names)
    return 1.0 / found[:, 2, 2], found[:, 2, :2]


def twist_of(model, data) -> tuple[np.ndarray, np.ndarray]:
    """Return the body's twist at the robot's centre of mass, heading frame, (3,), and that frame's axes as rows."""
    root = int(model.jnt_bodyid[0])
    body = data.xmat[root].reshape(3, 3)
    omega = body @ data.qvel[3:6]
    velocity = data.qvel[:3] + np.cross(omega, data.subtree_com[root] - data.xpos[root])
    ahead = body[:2, 0] / np.linalg.norm(body[:2, 0])
    axes = np.array([[ahead[0], ahead[1], 0.0], [-ahead[1], ahead[0], 0.0], [0.0, 0.0, 1.0]])
    return np.array([*(axes[:2] @ velocity), omega[2]]), axes


def contact_friction(model, data, geoms) -> float:
    """Return the friction of MuJoCo's contacts of the feet; ValueError if they do not agree, or no foot touches."""
    feet, root = set(map(int, geoms)), int(model.jnt_bodyid[0])
    found = set()
    for contact in data.contact[: data.ncon]:
        for geom, other in ((contact.geom1, contact.geom2), (contact.geom2, contact.geom1)):
            if int(geom) in feet and model.body_rootid[model.geom_bodyid[other]] != root:
                found.add(float(contact.friction[0]))
    if len(found) != 1:
        listed = ", ".join(f"{value:g}" for value in sorted(found)) or "no foot touches"
        raise ValueError(f"MuJoCo's contacts of the feet do not give one friction ({listed}): pass mu=...")
    return found.pop()


def geoms_of_feet(model: mujoco.MjModel, feet: Sequence[str], data: mujoco.MjData | None = None) -> list[list[int]]:
    """Return the geoms of each foot, by the name of a geom or body; of a body those by which it stands.

    The model is compiled by a user, or put on this project's ground, where feet have the names of the file. The lowest
    geoms of a body are taken in the state of `data`, by default that of the file. ValueError names a similar name, or
    what has that name instead.
    """
    if isinstance(feet, str) or not len(feet):
        raise ValueError(f"feet must be names of geoms, as in ('left_foot', 'right_foot'), got {feet!r}")
    renamed, tips, found = own_robot.names_of_feet(model), toes(model), []
    if data is None:
        data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for name in feet:
        foot = tips[int(renamed[name].removeprefix("toe_"))] if name in renamed else None
        found.append(foot or list(own_feet.geoms_of(model, data, name, list(renamed))))
    return found


def foot_geoms(model: mujoco.MjModel, feet: Sequence[str]) -> np.ndarray:
    """Return the spheres that are these feet, shape (n_feet,); ValueError if one is none, or has no such name."""
    found = geoms_of_feet(model, feet)
    for name, geoms in zip(feet, found, strict=True):
        if len(geoms) > 1 or model.geom_type[geoms[0]] != mujoco.mjtGeom.mjGEOM_SPHERE:
            raise ValueError(f"the foot {name!r} is not a sphere: the contact solver takes spheres at the ends of legs")
    return np.array([geoms[0] for geoms in found])


def loads(model: mujoco.MjModel, data: mujoco.MjData, feet: Sequence) -> tuple[np.ndarray, np.ndarray]:
    """Return the force on each foot, world frame, shape (n_feet, 3) [N], by what is not the robot, and if it touches.

    The robot's free joint is first, and the state is one after `mj_forward` or `mj_step`; feet are geoms, or lists of
    them.
    """
    wrench, root = np.zeros(6), int(model.jnt_bodyid[0])
    leg_of = {int(geom): leg for leg, geoms in enumerate(feet) for geom in np.atleast_1d(geoms)}
    force, touches = np.zeros((len(feet), 3)), np.zeros(len(feet), bool)
    for number, contact in enumerate(data.contact[: data.ncon]):
        for geom, other, sign in ((contact.geom1, contact.geom2, -1.0), (contact.geom2, contact.geom1, 1.0)):
            leg = leg_of.get(int(geom))
            if leg is None or contact.efc_address < 0 or model.body_rootid[model.geom_bodyid[other]] == root:
                continue
            mujoco.mj_contactForce(model, data, number, wrench)
            force[leg] += sign * wrench[:3] @ contact.frame.reshape(3, 3)  # its rows are the contact's axes
            touches[leg] = True
    return force, touches
