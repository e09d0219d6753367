"""The hexapod's initial state, and the positions of its toes for a given `qpos`.

Order of `qpos`, shape (25,): body position [m] and quaternion (w, x, y, z), then hip angle, splay [rad] and length [m]
of each leg.
"""

import mujoco
import numpy as np

from ..analytic.models.hexapod import N_LEGS, HexapodParams, leg_vector
from ..analytic.models.hexapod.state import assemble, joints_of
from ..analytic.terrain import Flat, Terrain
from .half_circle import sunk
from .terrain import stand

START = "start"  # keyframe: at rest, one tripod straight down and the other straight up


def start_state(
    params: HexapodParams, ground: Terrain | None = None, hip_angle: np.ndarray | None = None, legs: str = "toes"
) -> np.ndarray:
    """Return the start `qpos`, shape (25,): as `stand` has it, leg springs at rest.

    Args:
        params: The robot.
        ground: The terrain; flat by default.
        hip_angle: Shape (6,) [rad]; by default those of the parameters' own gait at t = 0.
        legs: One of `half_circle.LEGS`.
    """
    ground = Flat() if ground is None else ground
    angle = params.gait.clock()(0.0)[0] if hip_angle is None else hip_angle
    qpos = np.zeros(7 + 3 * N_LEGS)
    qpos[:7] = stand(params.attach + leg_vector(params.theta_r0, angle, params.rho_r0), ground)
    if legs != "toes":
        qpos[2] += sunk(params.attach, angle, params.theta_r0, params.rho_r0)
    qpos[7::3], qpos[8::3], qpos[9::3] = angle, params.theta_r0, params.rho_r0
    return qpos


def toe_positions(params: HexapodParams, qpos: np.ndarray) -> np.ndarray:
    """Return the toes' world positions for `qpos`, shape (6, 3) [m], without a simulator."""
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, qpos[3:7])
    toes_b = params.attach + leg_vector(qpos[8::3], qpos[7::3], qpos[9::3])
    return qpos[:3] + toes_b @ rotation.reshape(3, 3).T


def from_exact(params: HexapodParams, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `qpos` (25,) and `qvel` (24,) of a state of the exact hexapod, shape (52,).

    Hip angles are in (-pi, pi]. Velocities of toes become rates of their legs, so a body that is given a velocity
    with its toes at rest moves as in the exact model.
    """
    x = np.asarray(x, float)
    joints, rates = joints_of(params, x)
    pose = np.concatenate([x[:3], x[3:7] / np.linalg.norm(x[3:7])])
    return np.concatenate([pose, joints.ravel()]), np.concatenate([x[7:13], rates.ravel()])


def to_exact(params: HexapodParams, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """Return the state of the exact hexapod, shape (52,), of `qpos` (25,) and `qvel` (24,)."""
    joints, rates = qpos[7:].reshape(N_LEGS, 3), qvel[6:].reshape(N_LEGS, 3)
    return assemble(params, qpos[:3], qpos[3:7], joints, qvel[:3], qvel[3:6], rates)
