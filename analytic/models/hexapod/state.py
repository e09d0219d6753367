"""The exact hexapod's state vector: layout, assembly from joint coordinates, initial state.

    x = (body position 3 [m], quaternion w x y z 4, velocity 3 [m/s], angular velocity in the body frame 3 [rad/s],
         for each leg: toe position 3 [m], toe velocity 3 [m/s],
         energy the motors gave, the dampers took, sliding took [J])

World frame except the angular velocity. The three energies do not affect the motion; they are integrated along with it
so that the energy balance can be checked to the integrator's tolerance.
"""

import numpy as np

from ...terrain import Flat, Slope, Terrain
from .parameters import N_LEGS, HexapodParams, leg_angles, leg_vector, start_height

POSITION, QUATERNION, VELOCITY, ANGULAR_VELOCITY, TOES = 0, 3, 7, 10, 13
WORK = TOES + 6 * N_LEGS
NAMES = (
    *("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"),
    *(f"f{leg}_{what}" for leg in range(N_LEGS) for what in ("x", "y", "z", "vx", "vy", "vz")),
    *("motor_work", "damper_loss", "slide_loss"),
)
# What an error of one in a relative tolerance means: metres, metres per second, radians per second, joules.
SCALE = np.concatenate([np.full(7, 0.1), np.full(6, 1.0), np.tile([0.1] * 3 + [1.0] * 3, N_LEGS), np.full(3, 1.0)])


def lifted(z, free: np.ndarray) -> np.ndarray:
    """Return the state (52,) without yaw whose entries `free` are z (k,) times their scale; the others are zero."""
    x = np.zeros(len(NAMES))
    x[free] = np.asarray(z) * SCALE[free]
    x[QUATERNION] = np.sqrt(1.0 - x[QUATERNION + 1] ** 2 - x[QUATERNION + 2] ** 2)
    return x


def rotation_matrix(quaternion) -> np.ndarray:
    """Return the matrix that takes body axes to world axes, shape (..., 3, 3), of quaternions (..., 4), any length."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, float), -1, 0)
    s = 2.0 / (w * w + x * x + y * y + z * z)
    rows = [
        [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def leg_rates(theta, phi, rho, theta_rate, phi_rate, rho_rate) -> np.ndarray:
    """Return the rate of `leg_vector` in the body frame, shape (..., 3) [m/s]."""
    sin_t, cos_t, sin_p, cos_p = np.sin(theta), np.cos(theta), np.sin(phi), np.cos(phi)
    zero = np.zeros(np.broadcast(theta, phi, rho).shape)
    along = np.stack([sin_t + zero, cos_t * sin_p, -cos_t * cos_p], axis=-1)
    aside = np.stack([cos_t + zero, -sin_t * sin_p, sin_t * cos_p], axis=-1)
    ahead = np.stack([zero, cos_p + zero, sin_p + zero], axis=-1)
    parts = (rho_rate, along), (rho * theta_rate, aside), (rho * cos_t * phi_rate, ahead)
    return sum(np.asarray(rate)[..., None] * axis for rate, axis in parts)


def assemble(params: HexapodParams, position, quaternion, joints, velocity=None, angular_velocity=None, rates=None):
    """Return the state of a body with its legs at given joint coordinates, shape (52,).

    Args:
        params: The robot.
        position: Of the body, shape (3,), world frame [m].
        quaternion: Body axes to world axes, shape (4,).
        joints: Hip angle [rad], splay [rad] and length [m] of each leg, shape (6, 3), the order of MuJoCo's `qpos`.
        velocity: Of the body, shape (3,), world frame [m/s]; zero if None.
        angular_velocity: Of the body, shape (3,), body frame [rad/s]; zero if None.
        rates: Of the joints, shape (6, 3); zero if None.
    """
    velocity = np.zeros(3) if velocity is None else np.asarray(velocity, float)
    spin = np.zeros(3) if angular_velocity is None else np.asarray(angular_velocity, float)
    joints = np.asarray(joints, float)
    rates = np.zeros((N_LEGS, 3)) if rates is None else np.asarray(rates, float)
    matrix = rotation_matrix(quaternion)
    phi, theta, rho = joints.T
    arms = params.attach + leg_vector(theta, phi, rho)
    motion = leg_rates(theta, phi, rho, rates[:, 1], rates[:, 0], rates[:, 2]) + np.cross(spin, arms)
    x = np.zeros(len(NAMES))
    x[:TOES] = np.concatenate([position, quaternion, velocity, spin])
    toes = x[TOES:WORK].reshape(N_LEGS, 6)
    toes[:, :3] = position + arms @ matrix.T
    toes[:, 3:] = velocity + motion @ matrix.T
    return x


def toes_of(x) -> tuple[np.ndarray, np.ndarray]:
    """Return toe positions [m] and velocities [m/s], world frame, shape (..., 6, 3) each."""
    toes = np.asarray(x)[..., TOES:WORK].reshape(*np.shape(x)[:-1], N_LEGS, 6)
    return toes[..., :3], toes[..., 3:]


def joints_of(params: HexapodParams, x) -> tuple[np.ndarray, np.ndarray]:
    """Return hip angle in (-pi, pi], splay and length of each leg, and their rates: two arrays (..., 6, 3)."""
    x = np.asarray(x, float)
    matrix, (position, velocity) = rotation_matrix(x[..., QUATERNION:VELOCITY]), toes_of(x)
    spin = x[..., None, ANGULAR_VELOCITY:TOES]
    arms = (position - x[..., None, POSITION:QUATERNION]) @ matrix
    motion = (velocity - x[..., None, VELOCITY:ANGULAR_VELOCITY]) @ matrix - np.cross(spin, arms)
    legs = arms - params.attach
    theta, phi, rho = leg_angles(legs)
    vx, vy, vz = np.moveaxis(motion, -1, 0)
    sin_t, cos_t, sin_p, cos_p = np.sin(theta), np.cos(theta), np.sin(phi), np.cos(phi)
    rho_rate = np.sum(legs * motion, axis=-1) / rho
    theta_rate = (cos_t * vx - sin_t * sin_p * vy + sin_t * cos_p * vz) / rho
    phi_rate = (cos_p * vy + sin_p * vz) / (rho * cos_t)
    return np.stack([phi, theta, rho], axis=-1), np.stack([phi_rate, theta_rate, rho_rate], axis=-1)


def start(params: HexapodParams, ground: Terrain | None = None, hip_angle=None) -> np.ndarray:
    """Return the initial state: at rest, the lowest toe just touching the ground, leg springs at rest; shape (52,).

    The body is level, but parallel to the ground on an infinite slope (as `mjcf.hexapod_state.start_state` says).

    Args:
        params: The robot.
        ground: The terrain; the parameters' own by default.
        hip_angle: Shape (6,) [rad]; by default those of the parameters' own gait at t = 0.
    """
    ground = params.terrain if ground is None else ground
    angle = np.asarray(params.gait.clock()(0.0)[0] if hip_angle is None else hip_angle, float)
    joints = np.stack([angle, params.theta_r0, params.rho_r0], axis=-1)
    if isinstance(ground, Slope):
        normal = ground.normal(0.0, 0.0)
        turn = np.array([1.0 + normal[2], -normal[1], normal[0], 0.0])  # the shortest turn from up to the normal
        height = start_height(params, Flat(), angle)
        return assemble(params, height * normal, turn / np.linalg.norm(turn), joints)
    return assemble(params, [0.0, 0.0, start_height(params, ground, angle)], [1.0, 0.0, 0.0, 0.0], joints)
