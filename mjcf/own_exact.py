"""A user's robot on its ground as arrays for the exact mechanics: rigid feet on a plane, and nothing else touches.

What is no foot is not held up by the ground; `Parts` says which of it has come into the ground.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import mujoco
import numpy as np

from ..analytic.articulated import mechanics
from ..analytic.articulated.layout import POSITION
from ..analytic.articulated.modes import FREE
from ..analytic.articulated.robot import Robot
from ..analytic.terrain import Terrain
from . import articulated, own_robot
from .feet import toes
from .presets import Preset
from .terrain import GROUND, is_plane, reroll

ROUNDING = 1e-6  # of a start [m], [rad]
DEEP = 1e-3  # so far in the ground a part counts as there [m]
POINTS = {mujoco.mjtGeom.mjGEOM_SPHERE: 1, mujoco.mjtGeom.mjGEOM_CAPSULE: 2, mujoco.mjtGeom.mjGEOM_BOX: 8}  # of a foot


def robot_of(model: mujoco.MjModel, terrain: Terrain, preset: Preset) -> Robot:
    """Return the robot of a model that `own_robot.model` made, on its terrain itself, into which soft feet sink.

    Raises:
        ValueError: If the terrain is no plane, or the exact mechanics does not cover what the model has.
    """
    if not is_plane(terrain):
        raise ValueError(
            f"engine 'exact' has no terrain {type(terrain).__name__}: feet of any robot touch a plane there; "
            "there are flat, slope"
        )
    model = copy.copy(model)
    reroll(model, terrain, replace(preset, sink=0.0))
    try:
        return articulated.convert(model, [model.geom(k).name for leg in toes(model) for k in leg], ground=GROUND)
    except ValueError as error:
        text = str(error)
        for name, toe in own_robot.names_of_feet(model).items():
            text = text.replace(repr(toe), repr(name))
        raise ValueError(f"engine 'exact' does not have this robot: {text}") from None


def leg_of_points(model: mujoco.MjModel) -> np.ndarray:
    """Return the foot that each contact point of `robot_of` is of, shape (n_points,)."""
    return np.array([
        leg for leg, geoms in enumerate(toes(model)) for k in geoms
        for _ in range(POINTS[mujoco.mjtGeom(model.geom_type[k])])
    ])  # fmt: skip


def forces_on_feet(run, leg_of_point: np.ndarray, n_feet: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the forces of the ground, world frame, shape (n_feet, 3) [N], and how many points touch, (n_feet,).

    Args:
        run: The `articulated.simulation.Simulation`.
        leg_of_point: See `leg_of_points`.
        n_feet: Number of feet.
    """
    forces, touching = np.zeros((n_feet, 3)), np.zeros(n_feet)
    np.add.at(forces, leg_of_point, run.foot_force @ run.robot.tables.ground[1:])
    np.add.at(touching, leg_of_point, run.contact.foot != FREE)
    return forces, touching


def placed(robot: Robot, qpos: np.ndarray, most: float) -> np.ndarray:
    """Return positions with joints that are beyond their limits by at most so much moved back, and feet on the ground.

    Feet are lifted only if they were not inside the ground before.
    """
    at_rest, moved, t = np.zeros(robot.nv), np.array(qpos), robot.tables
    above = mechanics(robot, qpos, at_rest).gap.min(initial=0.0) >= -ROUNDING
    for (sign, bound), row in zip(t.limit, t.line_row[t.limit_of], strict=True):
        if np.count_nonzero(row) == 1 and row.max() == 1.0:  # a joint, no tendon
            q = t.dof_of[row.argmax(), POSITION]
            if 0.0 < sign * (bound - moved[q]) <= most:
                moved[q] = bound
    if above:
        moved[:3] -= min(mechanics(robot, moved, at_rest).gap.min(initial=0.0), 0.0) * t.ground[1]
    return moved


class Parts:
    """The parts of a robot that would touch the ground in MuJoCo, are no feet, and do not touch it at rest.

    Args:
        model: That `own_robot.model` made.

    Attributes:
        names: By geom.
    """

    def __init__(self, model: mujoco.MjModel):
        self._model, self._ground = model, model.geom(GROUND).id
        feet, affinity = {k for leg in toes(model) for k in leg}, model.geom_conaffinity[self._ground]
        solid = (model.geom_contype & affinity > 0) & (model.body_weldid[model.geom_bodyid] > 0)
        self._geoms = np.array([k for k in np.flatnonzero(solid) if k not in feet], int)
        plane = np.array([model.geom_pos[self._ground], (0, 0, 1), (1, 0, 0), (0, 1, 0)])
        data = own_robot.standing(model)
        at_rest = {k for k in self._geoms if self._distance(data, plane, k) < DEEP}
        self._geoms = np.array([k for k in self._geoms if k not in at_rest], int)
        self.names = {int(k): model.geom(k).name or f"geom {k}" for k in self._geoms}

    def in_ground(self, data: mujoco.MjData, plane: np.ndarray) -> list[int]:
        """Return the geoms that are deeper in the ground than `DEEP`.

        Args:
            data: Its state, after `mj_kinematics`; the place of the ground is written.
            plane: Point, normal, two tangents, shape (4, 3), of `Robot.tables.ground`.
        """
        near = (data.geom_xpos[self._geoms] - plane[0]) @ plane[1] < self._model.geom_rbound[self._geoms]
        return [int(k) for k in self._geoms[near] if self._distance(data, plane, k) < -DEEP]

    def _distance(self, data: mujoco.MjData, plane: np.ndarray, k: int) -> float:
        data.geom_xpos[self._ground] = plane[0]
        data.geom_xmat[self._ground] = plane[[2, 3, 1]].T.ravel()
        return mujoco.mj_geomDistance(self._model, data, self._ground, k, 2.0 * DEEP, None)
