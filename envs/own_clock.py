"""A clock for any robot with legs: a table of controls in which neighbouring legs step in turns, each foot on a path.

In stance a foot goes back at the speed of the walk; in swing it returns above the ground. Legs that stand in the same
row or side as the one before are half a turn apart: a tripod for six legs, a trot for four, steps in turns for two.
Lengths and times are by the leg's length l, from the trunk's joints to the foot at rest: stride, lift and period are
`STRIDE` l, `LIFT` l and one of `PERIODS` sqrt(l / g). Joint angles follow by damped least squares (Wampler 1986), and
servos are told by how much more they have to turn to carry the weight. Legs that are straight at rest are bent first.
"""

import mujoco
import numpy as np

from ..mjcf import own_servos
from ..mjcf.feet import n_feet
from ..mjcf.own_feet import joints_to, posed
from ..mjcf.own_robot import rest_controls, standing

ROWS = 24  # of the table
DUTY = 0.6  # share of a turn in stance
STRIDE, LIFT = 0.45, 0.2  # over a leg's length
PERIODS = (1.6, 2.2, 3.2)  # over a leg's time sqrt(l / g): of quick trots, of most, and of what creeps
RAMP = 0.08  # of a turn, in which a leg takes its load, and gives it up
STRAIGHT, CROUCH, BEND = 0.1, 0.1, 0.6  # a leg that is, over its length; by how much it is shorter then; its knee [rad]
DAMPING, ROUNDS = 1e-2, 12  # of the least squares: over a leg's length, and steps for each row


def table(model: mujoco.MjModel, forward: int, g: float) -> np.ndarray:
    """Return controls over a turn, shape (ROWS, nu).

    Args:
        model: Of the robot on its ground, see `mjcf.own_robot`.
        forward: Index of the forward axis.
        g: Gravity [m/s^2].

    Raises:
        ValueError: If a joint of a leg has no servo, so that there is no control for its angle.
    """
    data = standing(model)
    feet, chains = _legs(model)
    servo = _servos(model, chains)
    length = leg_length(model, data)
    offsets, controls = _offsets(model, data, feet, forward), np.tile(rest_controls(model), (ROWS, 1))
    first, weight = controls[0].copy(), float(model.body_subtreemass[int(model.jnt_bodyid[0])]) * g
    kp, jacobian = own_servos.gains_of(model)[1], np.zeros((3, model.nv))
    for leg, (foot, joints) in enumerate(zip(feet, chains, strict=True)):
        at, columns = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
        servos = np.array([servo[joint] for joint in joints])
        numbers = np.array(model.actuator_ctrladr)[servos]
        mujoco.mj_jacSite(model, data, jacobian, None, foot)
        straight = np.abs(jacobian[2, columns]).max(initial=0.0) < STRAIGHT * length
        pose = posed(model, data.qpos)
        if straight:
            pose.qpos[at[-2:]] += _bend(model, joints[-2:])
        for row in range(-ROWS, ROWS):  # the first turn finds the angles to begin with
            phase = (row / ROWS + offsets[leg]) % 1.0
            ahead, up = path(phase)
            aim = data.site_xpos[foot].copy()
            aim[forward] += STRIDE * length * ahead
            aim[2] += LIFT * length * up + (CROUCH * length if straight else 0.0)
            _reach(model, pose, foot, joints, aim, length)
            mujoco.mj_jacSite(model, pose, jacobian, None, foot)
            torque = -jacobian[2, columns] * weight * load(phase) / (DUTY * len(feet))
            asked = pose.qpos[at] - data.qpos[at] + torque / kp[servos]
            controls[row, numbers] = first[numbers] + asked
    return controls


def period_of(model: mujoco.MjModel, g: float, slowness: float) -> float:
    """Return the period of a turn [s]: `slowness` times sqrt(l / g)."""
    return slowness * float(np.sqrt(leg_length(model, standing(model)) / g))


def leg_length(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Return the mean distance from the first joint of a leg to its foot, in the state of `data` [m]."""
    ends = [data.site_xpos[foot] - data.xanchor[chain[0]] for foot, chain in zip(*_legs(model), strict=True) if chain]
    return float(np.mean([np.linalg.norm(end) for end in ends])) if ends else 0.0


def path(phase: float) -> tuple[float, float]:
    """Return a foot's place, from -1/2 to 1/2 of the stride, and its height, up to 1, at a phase from 0 to 1."""
    if phase < DUTY:
        return 0.5 - phase / DUTY, 0.0
    share = (phase - DUTY) / (1.0 - DUTY)
    return -0.5 * np.cos(np.pi * share), float(np.sin(np.pi * share) ** 2)


def _legs(model: mujoco.MjModel) -> tuple[list[int], list[list[int]]]:
    """Return the feet's sites, and the joints from the trunk to each."""
    feet = [model.site(f"foot_{leg}").id for leg in range(n_feet(model))]
    return feet, [joints_to(model, int(model.site_bodyid[site])) for site in feet]


def _servos(model: mujoco.MjModel, chains: list[list[int]]) -> dict[int, int]:
    found = {joint: k for joint, k in own_servos.by_joint(model).items() if model.jnt_type[joint] == own_servos.HINGE}
    loose = [model.joint(joint).name for chain in chains for joint in chain if joint not in found]
    if loose:
        words = ", ".join(loose[:4]) + " ..." * (len(loose) > 4)
        raise ValueError(f"a clock needs a servo at every hinge of a leg; {words} have none")
    return found


def _offsets(model, data, feet: list[int], forward: int) -> np.ndarray:
    """Return the phase of each leg: rows of legs, from the front, alternate, and so do the sides of a row."""
    place = data.site_xpos[feet] - data.subtree_com[int(model.jnt_bodyid[0])]
    ahead, aside = place[:, forward], place[:, 1 - forward]
    offsets = np.zeros(len(feet))
    for side in (aside >= 0, aside < 0):
        order = np.flatnonzero(side)[np.argsort(-ahead[side])]
        offsets[order] = 0.5 * ((np.arange(len(order)) + int(aside[order[0]] < 0)) % 2) if len(order) else 0.0
    return offsets


def load(phase: float) -> float:
    """Return the share of a leg's load at a phase: 1 in stance, with ramps of `RAMP` of a turn at its ends."""
    return float(np.clip(min(phase, DUTY - phase) / RAMP, 0.0, 1.0))


def _bend(model, joints: list[int]) -> np.ndarray:
    """Return by how much the last two joints of a straight leg turn to bend it [rad]: the way that has more room."""
    low, high = model.jnt_range[joints[-1]]
    way = -1.0 if model.jnt_limited[joints[-1]] and -low > high else 1.0
    return way * np.array([-0.5 * BEND, BEND])[-len(joints) :]


def _reach(model, data, foot: int, chain: list[int], aim: np.ndarray, length: float) -> None:
    """Turn a leg's joints so that its foot is at a place, or near it, within their ranges."""
    jacobian = np.zeros((3, model.nv))
    at, columns = model.jnt_qposadr[chain], model.jnt_dofadr[chain]
    limited, (low, high) = model.jnt_limited[chain].astype(bool), model.jnt_range[chain].T
    for _ in range(ROUNDS):
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacSite(model, data, jacobian, None, foot)
        J = jacobian[:, columns]
        step = J.T @ np.linalg.solve(J @ J.T + (DAMPING * length) ** 2 * np.eye(3), aim - data.site_xpos[foot])
        moved = data.qpos[at] + np.clip(step, -0.3, 0.3)
        data.qpos[at] = np.where(limited, np.clip(moved, low, high), moved)
