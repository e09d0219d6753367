"""The longest timestep that the springs, servos and dampers of a model bear.

About a posture, with the mass matrix M and the forces of springs, servos and dampers linear, -K q - D v, a step is a
linear map of (q, v). Of MuJoCo's integrators `Euler` and `RK4` take these forces at the step's start, but Euler the
damping of joints at its end; `implicit` and `implicitfast` all damping at its end; `discrete` bears any spring. A map
whose spectral radius is over 1 grows.
"""

from typing import NamedTuple

import mujoco
import numpy as np

NUDGE = 1e-6  # of the derivatives [m, rad and per second]
GROWS = 1e-6  # spectral radius over 1 that is no round-off of a body that moves freely


class Springs(NamedTuple):
    """Springs of a model about a posture. All are of shape (nv, nv)."""

    mass: np.ndarray
    stiffness: np.ndarray  # K
    damping: np.ndarray  # D, of joints, tendons and actuators
    of_joints: np.ndarray  # what of D is the joints' own


def springs_of(model: mujoco.MjModel, data: mujoco.MjData) -> Springs:
    """Return the springs of a model about the posture and controls of `data`, which is not changed."""
    at = mujoco.MjData(model)
    at.qpos[:], at.ctrl[:] = data.qpos, data.ctrl
    if model.na:
        at.act[:] = data.act
    mass, force = np.zeros((model.nv, model.nv)), _force(model, at)
    mujoco.mj_fullM(model, at, mass)
    stiffness, damping = np.zeros_like(mass), np.zeros_like(mass)
    qpos = at.qpos.copy()
    for k, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_integratePos(model, at.qpos, unit, NUDGE)
        stiffness[:, k] = (force - _force(model, at)) / NUDGE
        at.qpos[:] = qpos
        at.qvel[k] = NUDGE
        damping[:, k] = (force - _force(model, at)) / NUDGE
        at.qvel[k] = 0.0
    implicit = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    return Springs(mass, stiffness, damping, np.diag(model.dof_damping) * implicit)


def growth(springs: Springs, timestep: float, integrator: str) -> tuple[float, int]:
    """Return the spectral radius of a step, and the degree of freedom that moves most in what grows."""
    if not len(springs.mass) or integrator == "discrete":
        return 0.0, 0
    h, n = timestep, len(springs.mass)
    explicit = np.block(
        [[np.zeros((n, n)), np.eye(n)], [-_over(springs, springs.stiffness), -_over(springs, springs.damping)]]
    )
    if integrator == "RK4":
        step, term = np.eye(2 * n), np.eye(2 * n)
        for order in (1, 2, 3, 4):
            term = term @ explicit * h / order
            step = step + term
    else:
        late = springs.of_joints if integrator == "Euler" else springs.damping
        whole = springs.mass + h * late
        by_place, by_speed = np.linalg.solve(whole, springs.stiffness), np.linalg.solve(whole, springs.damping)
        speed = np.hstack([-h * by_place, np.eye(n) - h * by_speed])
        step = np.vstack([np.hstack([np.eye(n), np.zeros((n, n))]) + h * speed, speed])
    values, vectors = np.linalg.eig(step)
    worst = int(np.argmax(abs(values)))
    moves = abs(vectors[n:, worst]) * np.sqrt(np.diag(springs.mass))
    return float(abs(values[worst])), int(np.argmax(moves))


def longest_timestep(springs: Springs, timestep: float, integrator: str) -> float:
    """Return the longest stable timestep under one that is not [s]."""
    low, high = 0.0, timestep
    for _ in range(40):
        middle = 0.5 * (low + high)
        grows = growth(springs, middle, integrator)[0] > 1 + GROWS
        low, high = (low, middle) if grows else (middle, high)
    return low


def _over(springs: Springs, matrix: np.ndarray) -> np.ndarray:
    return np.linalg.solve(springs.mass, matrix)


def _force(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Return the force of springs, dampers and actuators, shape (nv,)."""
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fwdActuation(model, data)
    return data.qfrc_passive + data.qfrc_actuator
