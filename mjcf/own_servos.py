"""Servos of a user's robot: PD laws inside the physics step, for joints that have torque motors or nothing.

The default stiffness follows from weight W, feet n and a length l, the distance at rest from the joint to its foot or
to the mass centre, whichever is more: the torque W l / n turns a servo by `SAG`. It is that of a leg that carries its
share of a trot on a lever of half its length, and a sole's ankle so bears eight times the tilting moment. It is more
where the inertia of what the joint moves, its rotor's included, would else swing more slowly than in `SLOWEST` times
sqrt(l / g). Damping is `RATIO` of critical for the mass of that share at the distance l, or `ALONE` for that inertia,
whichever is more. A joint that leads to no foot holds what it carries instead. The largest torque is the file's;
without one it is that at an error of `UNLIMITED`.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from ..analytic.spelling import listed
from .kinds import HINGE, JOINT
from .parts import add_speed_line

SAG = 0.125  # angle by which a leg's share of a trot turns a servo [rad]
RATIO, ALONE = 0.2, 0.5  # of critical damping, with its share of the robot and alone
SLOWEST = 2.0  # period of a servo alone, over sqrt(l / g)
UNLIMITED = 1.0  # error at which the largest torque acts where the file has none [rad]
AT_FULL = 0.5  # of the largest speed, up to which a motor has its largest torque; from there it falls in a line
ALIKE = 0.02  # relative difference of stiffness in legs that are alike, up to which its reason is not told
MOST = 1e7  # of a given gain; the largest robots' are a thousandth of it
AUTO, AS_FILE = "auto", "file"
Gains = tuple[float, float]


@dataclass(frozen=True)
class Servo:
    """A servo of a joint: its gains, its largest torque or force, and the speed at which it has none."""

    kp: float
    kd: float
    force: float
    speed: float | None = None


def check(servo) -> None:
    """Refuse what is no choice of servos.

    Raises:
        ValueError: The message says what is allowed.
    """
    if servo in (AUTO, AS_FILE):
        return
    for pair in servo.values() if isinstance(servo, Mapping) else [servo]:
        numbers = np.asarray(pair, float) if not isinstance(pair, str) else np.zeros(0)
        if numbers.shape != (2,) or not (0 < numbers[0] <= MOST and 0 <= numbers[1] <= MOST):  # nor NaN
            raise ValueError(
                f"servo must be 'auto', 'file' or (kp, kd) in N m/rad and N m s/rad, kp above 0, kd not below, both at "
                f"most {MOST:g}, or such a pair by joint; got {servo!r}"
            )


def without(model: mujoco.MjModel) -> list[int]:
    """Return the joints of the robot that need a servo: those of torque motors, or where nothing drives any, all.

    Args:
        model: Of the file as it is.
    """
    if not model.nactuator:
        root = model.body_rootid[model.jnt_bodyid]  # of each joint's robot
        return [k for k in range(1, model.njnt) if root[k] == root[0]]
    return [int(model.actuator_trnid[k, 0]) for k in range(model.nactuator) if is_motor(model, k)]


def is_motor(model: mujoco.MjModel, k: int) -> bool:
    """Whether an actuator is a torque motor of a joint."""
    return bool(
        model.actuator_trntype[k] == JOINT
        and model.actuator_gaintype[k] == mujoco.mjtGain.mjGAIN_FIXED
        and model.actuator_biastype[k] == mujoco.mjtBias.mjBIAS_NONE
        and model.actuator_dyntype[k] == mujoco.mjtDyn.mjDYN_NONE
    )


def rule(model: mujoco.MjModel, data: mujoco.MjData, feet: list[int], joint: int) -> Gains:
    """Return the default gains of a joint [N m/rad], [N m s/rad].

    Args:
        model: Of the file as it is.
        data: Its state at rest.
        feet: A geom of each foot.
        joint: The joint.
    """
    place, body = data.xanchor[joint], int(model.jnt_bodyid[joint])
    below = [k for k in range(model.nbody) if _carries(model, body, k)]
    n_mine = sum(_carries(model, body, int(model.geom_bodyid[k])) for k in feet)
    g = float(np.linalg.norm(model.opt.gravity)) or 9.81
    if arms := _arms(model, data, feet, joint):
        mass, arm = float(model.body_subtreemass[int(model.jnt_bodyid[0])]) * n_mine / len(feet), max(arms)
    else:
        mass = float(model.body_subtreemass[body])
        centre = model.body_mass[below] @ data.xipos[below] / max(model.body_mass[below].sum(), 1e-12)
        arm = max(float(np.linalg.norm(centre - place)), 0.02)
    if model.jnt_type[joint] != HINGE:
        arm = 1.0  # of a slide: the share of the weight, within SAG times the distance
        kp = mass * g / (SAG * max(float(np.linalg.norm(data.xpos[body] - place)), 0.1))
    else:
        kp = mass * g * arm / SAG
    inertia = float(model.dof_M0[model.jnt_dofadr[joint]])
    kp = max(kp, inertia * (2.0 * np.pi / SLOWEST) ** 2 * g / arm)
    return kp, 2.0 * float(np.sqrt(kp) * max(RATIO * np.sqrt(mass) * arm, ALONE * np.sqrt(inertia)))


def _arms(model: mujoco.MjModel, data: mujoco.MjData, feet: list[int], joint: int) -> tuple[float, float] | None:
    """Return the distances of a joint from its feet, in the mean, and from the mass centre [m]; None without feet."""
    place, body = data.xanchor[joint], int(model.jnt_bodyid[joint])
    mine = [k for k in feet if _carries(model, body, int(model.geom_bodyid[k]))]
    to_feet = [np.linalg.norm(data.geom_xpos[k] - place) for k in mine]
    centre = data.subtree_com[int(model.jnt_bodyid[0])]
    return (float(np.mean(to_feet)), float(np.linalg.norm(centre - place))) if mine else None


def _carries(model: mujoco.MjModel, body: int, other: int) -> bool:
    while other > body:
        other = int(model.body_parentid[other])
    return other == body


def largest(model: mujoco.MjModel, joint: int) -> float:
    """Return the largest torque or force at a joint that the file allows [N m] or [N]; infinite if it says nothing."""
    found = [np.inf]
    if model.jnt_actfrclimited[joint]:
        found.append(float(abs(model.jnt_actfrcrange[joint]).max()))
    for k in range(model.nactuator):
        if model.actuator_trntype[k] == JOINT and model.actuator_trnid[k, 0] == joint:
            gear = float(abs(model.actuator_gear[k, 0]))
            first = int(model.actuator_ctrladr[k])
            if model.actuator_forcelimited[k]:
                found.append(gear * float(abs(model.actuator_forcerange[k]).max()))
            if is_motor(model, k) and model.actuator_ctrllimited[first]:
                most = float(abs(model.actuator_ctrlrange[first]).max())
                found.append(gear * abs(float(model.actuator_gainprm[k, 0])) * most)
    return min(value for value in found if value > 0)


def fit(spec: mujoco.MjSpec, model: mujoco.MjModel, data: mujoco.MjData, feet: list[int], speeds, servo) -> list[str]:
    """Give joints that have no servo one, in place; return a sentence on that.

    Args:
        spec: The robot, with names.
        model: Of the same, as it is.
        data: Its state at rest.
        feet: A geom of each foot.
        speeds: Velocity limits by joint [rad/s].
        servo: "auto", "file", (kp, kd), or pairs by joint.

    Raises:
        ValueError: If a joint that is named does not exist or has a servo of its own.
    """
    joints = [] if servo == AS_FILE else without(model)
    names = [model.joint(k).name for k in joints]
    if isinstance(servo, Mapping) and (unknown := [name for name in servo if name not in names]):
        raise ValueError(f"servo: {unknown[0]!r} is no joint without a servo; there are {listed(unknown[0], names)}")
    made = {}
    for joint, name in zip(joints, names, strict=True):
        given = servo.get(name, AUTO) if isinstance(servo, Mapping) else servo
        kp, kd = rule(model, data, feet, joint) if given == AUTO else given
        force = largest(model, joint)
        made[name] = Servo(kp, kd, force if np.isfinite(force) else kp * UNLIMITED, speeds.get(name))
    for name, one in made.items():
        _write(spec, model, name, one)
    unlike = _unlike(model, data, feet, joints) if servo == AUTO else ""
    return [_told(made, motors=model.nactuator > 0) + unlike] if made else []


def _unlike(model: mujoco.MjModel, data: mujoco.MjData, feet: list[int], joints: list[int]) -> str:
    """Return the reason for which the hinges of legs that are alike have different gains; empty if none have."""
    inertia, most, names = model.dof_M0[model.jnt_dofadr], ALIKE, ()
    arms = {k: _arms(model, data, feet, k) for k in joints if model.jnt_type[k] == HINGE}
    kp = {k: rule(model, data, feet, k)[0] for k in arms if arms[k]}
    for far, near in itertools.permutations(kp, 2):
        alike = np.allclose((inertia[far], arms[far][0]), (inertia[near], arms[near][0]), rtol=1e-3)
        if alike and arms[far][1] > arms[near][1] and kp[far] > (1 + most) * kp[near]:
            most, names = kp[far] / kp[near] - 1, (far, near)
    if not names:
        return ""
    far, near = (model.joint(k).name for k in names)
    return f"; of alike legs {far} has {100 * most:.0f} % more kp than {near}: it is farther from the mass centre"


def _write(spec: mujoco.MjSpec, model: mujoco.MjModel, joint: str, servo: Servo) -> None:
    """Make the joint's motor a servo, or add one."""
    number = model.joint(joint).id
    mine = [k for k in range(model.nactuator) if is_motor(model, k) and model.actuator_trnid[k, 0] == number]
    motor = spec.actuators[mine[0]] if mine else spec.add_actuator(name=joint)
    motor.target, motor.trntype = joint, JOINT
    motor.gear = (1.0, 0, 0, 0, 0, 0)
    if servo.speed is None:
        motor.set_to_position(kp=servo.kp, kv=servo.kd)
        motor.forcelimited, motor.forcerange = True, (-servo.force, servo.force)
    else:
        stall = servo.force / (1.0 - AT_FULL)
        add_speed_line(motor, servo.force, stall, servo.speed, (servo.kp, servo.kd))
    low, high = model.jnt_range[number] if model.jnt_limited[number] else (-np.pi, np.pi)
    motor.ctrllimited, motor.ctrlrange = True, (low, high)


def _told(made: dict[str, Servo], motors: bool) -> str:
    kp, kd, force = (np.array([getattr(one, name) for one in made.values()]) for name in ("kp", "kd", "force"))
    what = "torque motors became" if motors else "joints got"
    return (
        f"{len(made)} {what} servos with kp {_span(kp)} N m/rad, kd {_span(kd)} N m s/rad, at most {_span(force)} N m; "
        "servo=(kp, kd) or servo='file' sets it otherwise"
    )


def _span(values: np.ndarray) -> str:
    low, high = values.min(), values.max()
    return f"{low:.3g}" if high - low < 0.005 * high else f"{low:.3g} to {high:.3g}"


def gains_of(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a mask of the actuators that hold a position, their kp and their kd, shape (n_actuators,) each."""
    gain, bias = model.actuator_gainprm, model.actuator_biasprm
    affine = (bias[:, 1] < 0) & (bias[:, 1] == -gain[:, 0])
    motor = has_speed_line(model) & (gain[:, 4] > 0)
    kp = np.where(affine, gain[:, 0], np.where(motor, gain[:, 4], 0.0))
    return affine | motor, kp, np.where(affine, -bias[:, 2], np.where(motor, gain[:, 6], 0.0))


def has_speed_line(model: mujoco.MjModel) -> np.ndarray:
    """Return a mask of the actuators that are DC motors, as `parts.add_speed_line` makes them, shape (n_actuators,)."""
    return np.array(model.actuator_gaintype) == int(mujoco.mjtGain.mjGAIN_DCMOTOR)


def by_joint(model: mujoco.MjModel) -> dict[int, int]:
    """Return the actuator that holds the position of each joint that has one."""
    of_joint = np.array(model.actuator_trntype) == int(JOINT)
    return {int(model.actuator_trnid[k, 0]): int(k) for k in np.flatnonzero(gains_of(model)[0] & of_joint)}


def holds_hinge(model: mujoco.MjModel) -> np.ndarray:
    """Return a mask of the actuators that are servos of a hinge, shape (n_actuators,)."""
    found = np.zeros(model.nactuator, bool)
    found[[k for joint, k in by_joint(model).items() if model.jnt_type[joint] == HINGE]] = True
    return found
