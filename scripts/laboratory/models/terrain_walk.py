"""A sliding multipod on ground that is not level: stairs, as far as the model reaches.

Every foot stands on a horizontal patch at the height of the ground under it, which the contact solver takes per foot
(`ground`). The tilt of the body moves the feet under its centre of mass to first order. An edge is a jump: a foot that
slides off is caught by the others within a frame. What the model does not know is a riser, a wall that a foot runs into
from the side: it would push back, here the ground jumps under the foot. Such frames are marked, and what follows is as
if the foot had stepped up.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, section 4, names stairs in its outlook; their patches are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.analytic.clock import TURN
from tarsus.analytic.contact import Feet, se2, solve
from tarsus.analytic.models.multipod import foot_positions, foot_velocities
from tarsus.analytic.models.sliding_walk import SlidingWalk
from tarsus.analytic.terrain_base import Terrain

SETTLES = 4  # rounds in which the tilt and the feet it moves agree: each is a hundredth of the one before
HIDDEN = 2e-3  # by which the ground may rise above a foot within a frame without being a riser [m]


@dataclass(frozen=True)
class TerrainWalk:
    """A walk over a terrain, frame by frame; it ends where the feet do not carry the body."""

    time: np.ndarray  # (m,) [s]
    pose: np.ndarray  # (m, 3) of the centre of mass at the frame: x, y, heading [m, m, rad]
    height: np.ndarray  # (m,) of the centre of mass [m]
    pitch: np.ndarray  # (m,) positive nose down [rad]
    roll: np.ndarray  # (m,) positive left side up [rad]
    load: np.ndarray  # (m, n) [N]
    riser: np.ndarray  # (m, n) whether the foot ran into a riser
    fell: bool  # whether it ended early


def walk_over(walk: SlidingWalk, terrain: Terrain, controls, strides: float, start=(0.0, 0.0, 0.0)) -> TerrainWalk:
    """Return a walk over a terrain with the same controls all the way.

    Args:
        walk: The robot and its undulation; `frames` of a stride.
        terrain: The ground.
        controls: Amplitude, crab and steering (3,) [rad].
        strides: How many.
        start: Pose (3,) [m, m, rad].
    """
    params, count = walk.params, round(strides * walk.frames)
    feet = Feet(walk.stiffness, walk.friction, params.total_mass * params.g)
    dt, pose, tilt, before = walk.period / walk.frames, np.array(start, float), np.zeros(2), None
    rows, fell = [], False
    for k in range(count):
        angle, rate = walk.joints(controls, TURN * (k + 0.5) / walk.frames)
        pos, vel = foot_positions(params, angle), foot_velocities(params, angle, rate)[:, :2]
        found, floor = _stand(pos, vel, feet, walk.law, terrain, pose, tilt)
        if not found.solved:
            fell = True
            break
        tilt = np.array([found.pitch, found.roll])
        level = np.where(found.load > 0, floor, found.height - tilt[0] * pos[:, 0] + tilt[1] * pos[:, 1] + pos[:, 2])
        riser = np.zeros(len(pos), bool) if before is None else floor > before + HIDDEN
        rows.append((dt * (k + 0.5), pose, found.height, found.pitch, found.roll, found.load, riser))
        pose, before = se2.compose(pose, se2.exponential(found.twist, dt)), level
    n = len(walk.stiffness)
    empty = np.zeros(0), np.zeros((0, 3)), *3 * (np.zeros(0),), np.zeros((0, n)), np.zeros((0, n), bool)
    columns = [np.array(column) for column in zip(*rows, strict=True)] if rows else empty
    return TerrainWalk(*columns, fell=fell)


def _stand(pos, vel, feet, law, terrain, pose, tilt):
    """Return the motion of a frame and the ground under its feet (n,), with feet where the tilt takes them."""
    cos, sin = np.cos(pose[2]), np.sin(pose[2])
    for _ in range(SETTLES):
        moved = pos.copy()
        moved[:, 0] += tilt[0] * pos[:, 2]
        moved[:, 1] -= tilt[1] * pos[:, 2]
        x = pose[0] + cos * moved[:, 0] - sin * moved[:, 1]
        y = pose[1] + sin * moved[:, 0] + cos * moved[:, 1]
        floor = np.asarray(terrain.height(x, y), float)
        found = solve(moved, vel, feet, law, ground=floor)
        if not found.solved:
            break
        tilt = np.array([found.pitch, found.roll])
    return found, floor
