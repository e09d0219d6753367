"""Tangent coordinates of a task's state about a reference: quaternions by rotation vectors, along the heading.

Positions of a free body are along the reference's heading: forward, left, up. Its rotation vector is along the same
axes, so its last component is a yaw about the vertical. Its linear velocity is along the heading of the state itself:
then a yaw alone turns body and velocity together, and is a symmetry wherever nothing else knows the heading.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

AHEAD = ("forward", "left", "up")
TURNS = ("roll", "pitch", "yaw")
SIZES = {mujoco.mjtJoint.mjJNT_FREE: 6, mujoco.mjtJoint.mjJNT_BALL: 3}  # degrees of freedom, where not 1


@dataclass(frozen=True)
class Chart:
    """Coordinates of position and velocity, shape (2 nv,), of a model whose first joint is free or a slide."""

    model: mujoco.MjModel  # the compiled model
    axis: int = 0  # which of the body's axes points forward, 0 or 1

    @property
    def free(self) -> bool:
        """Whether the first joint is free."""
        return bool(self.model.njnt and self.model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates, shape (2 nv,)."""
        names = _names(self.model)
        names = (*AHEAD, *TURNS, *names[6:]) if self.free else names
        return (*names, *(f"{name} rate" for name in names))

    @property
    def turns(self) -> np.ndarray:
        """Whether each degree of freedom is a hinge without limits, whose whole turns are none, shape (nv,)."""
        model, found = self.model, np.zeros(self.model.nv, bool)
        hinges = (model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE) & (model.jnt_limited == 0)
        found[model.jnt_dofadr[hinges]] = True
        return found

    def heading(self, qpos: np.ndarray) -> float:
        """Return the angle of the forward axis about the vertical [rad]."""
        ahead = _rotation(qpos)[:2, self.axis]
        return float(np.arctan2(ahead[1], ahead[0]))

    def along(self, qpos: np.ndarray, ahead: np.ndarray) -> np.ndarray:
        """Return a vector along the heading, shape (3,), in the world frame."""
        return _turn(self.heading(qpos)) @ ahead

    def about(self, qpos: np.ndarray, ahead: np.ndarray) -> np.ndarray:
        """Return a vector along the heading, shape (3,), in the body frame, as angular velocities of MuJoCo are."""
        return _rotation(qpos).T @ self.along(qpos, ahead)

    def apart(self, qpos: np.ndarray, qvel: np.ndarray, to_qpos: np.ndarray, to_qvel: np.ndarray) -> np.ndarray:
        """Return the coordinates of (`to_qpos`, `to_qvel`) about (`qpos`, `qvel`), shape (2 nv,)."""
        moved, faster = np.empty(self.model.nv), to_qvel - qvel
        mujoco.mj_differentiatePos(self.model, moved, 1.0, qpos, to_qpos)
        if self.free:
            turn = _turn(self.heading(qpos))
            angle = turn.T @ _rotation(qpos) @ moved[3:6]
            moved[:3], moved[3:6] = turn.T @ moved[:3], angle
            faster[:3] = _turn(self.heading(qpos) + angle[2]).T @ to_qvel[:3] - turn.T @ qvel[:3]
        return np.concatenate([moved, faster])

    def displaced(self, qpos: np.ndarray, qvel: np.ndarray, by: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the position and velocity at coordinates `by` about (`qpos`, `qvel`); the inverse of `apart`."""
        moved, faster, to_qpos = by[: self.model.nv].copy(), by[self.model.nv :], qpos.copy()
        to_qvel = qvel + faster
        if self.free:
            turn = _turn(self.heading(qpos))
            to_qvel[:3] = _turn(self.heading(qpos) + moved[5]) @ (turn.T @ qvel[:3] + faster[:3])
            moved[:3], moved[3:6] = turn @ moved[:3], self.about(qpos, moved[3:6])
        mujoco.mj_integratePos(self.model, to_qpos, moved, 1.0)
        return to_qpos, to_qvel


def _rotation(qpos: np.ndarray) -> np.ndarray:
    """Return the free body's rotation, from body to world, shape (3, 3)."""
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, qpos[3:7])
    return rotation.reshape(3, 3)


def _turn(angle: float) -> np.ndarray:
    """Return the rotation about the vertical, shape (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _names(model: mujoco.MjModel) -> tuple[str, ...]:
    """Return a name for each degree of freedom, shape (nv,)."""
    names = []
    for k in range(model.njnt):
        size = SIZES.get(mujoco.mjtJoint(model.jnt_type[k]), 1)
        name = model.joint(k).name or f"joint {k}"
        names += [name] if size == 1 else [f"{name} {part}" for part in range(size)]
    return tuple(names)
