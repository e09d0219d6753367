"""A user's robot on its ground as arrays for the exact mechanics: rigid contact with a plane, none of two parts."""

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
from .articulated_feet import friction_of, name_of
from .feet import toes
from .kinds import BOX, CAPSULE, SPHERE
from .presets import Preset
from .terrain import GROUND, is_plane, reroll

ROUNDING = 1e-6  # of a start [m], [rad]
DEEP = 1e-3  # so far in the ground a part counts as there [m]
POINTS = {SPHERE: 1, CAPSULE: 2, BOX: 8}  # of a part


class Parts:
    """What of a robot may touch the ground: feet, and all else that would in MuJoCo and does not stand in it at rest.

    Spheres, ends of capsules and corners of boxes are points that the exact engine holds up. What has another shape, or
    friction of torsion, is only looked for in the ground.

    Args:
        model: That `own_robot.model` made.

    Attributes:
        geoms: That have points, feet first.
        geom_of_point: In the order of `Robot.foot_names`, shape (n_points,).
        leg_of_point: The foot, or -1 where a point is of no foot, shape (n_points,).
        bare: Names of the parts that have none, by geom.
    """

    def __init__(self, model: mujoco.MjModel):
        self._model, self._ground = model, model.geom(GROUND).id
        legs = {k: leg for leg, geoms in enumerate(toes(model)) for k in geoms}
        affinity = model.geom_conaffinity[self._ground]
        solid = (model.geom_contype & affinity > 0) & (model.body_weldid[model.geom_bodyid] > 0)
        plane = np.array([model.geom_pos[self._ground], (0, 0, 1), (1, 0, 0), (0, 1, 0)])
        data = own_robot.standing(model)
        high = {int(k): self._distance(data, plane, k) for k in np.flatnonzero(solid) if k not in legs}
        held = [k for k, height in high.items() if self._has_points(k) and height >= -ROUNDING]
        self.geoms = [*legs, *held]
        shapes = [mujoco.mjtGeom(model.geom_type[k]) for k in self.geoms]
        self.geom_of_point = np.repeat(self.geoms, [POINTS.get(shape, 1) for shape in shapes])
        self.leg_of_point = np.array([legs.get(int(k), -1) for k in self.geom_of_point])
        self._bare = np.array([k for k, height in high.items() if k not in held and height >= DEEP], int)
        self.bare = {int(k): name_of(model, "geom", k) for k in self._bare}

    def _has_points(self, k: int) -> bool:
        return mujoco.mjtGeom(self._model.geom_type[k]) in POINTS and friction_of(self._model, k, self._ground)[1] <= 3

    def in_ground(self, data: mujoco.MjData, plane: np.ndarray) -> list[int]:
        """Return the parts without points that are deeper in the ground than `DEEP`, after `mj_kinematics`.

        The plane, of `Robot.tables.ground`, is point, normal, two tangents, shape (4, 3); `data` gets its place.
        """
        near = (data.geom_xpos[self._bare] - plane[0]) @ plane[1] < self._model.geom_rbound[self._bare]
        return [int(k) for k in self._bare[near] if self._distance(data, plane, k) < -DEEP]

    def _distance(self, data: mujoco.MjData, plane: np.ndarray, k: int) -> float:
        data.geom_xpos[self._ground] = plane[0]
        data.geom_xmat[self._ground] = plane[[2, 3, 1]].T.ravel()
        return mujoco.mj_geomDistance(self._model, data, self._ground, k, 2.0 * DEEP, None)


def robot_of(model: mujoco.MjModel, terrain: Terrain, preset: Preset, parts: Parts | None = None) -> Robot:
    """Return the robot of a model that `own_robot.model` made, on its plane itself, into which soft feet sink."""
    if not is_plane(terrain):
        raise ValueError(
            f"engine 'exact' has no terrain {type(terrain).__name__}: feet of any robot touch a plane there; "
            "there are flat, slope"
        )
    geoms, model = (parts or Parts(model)).geoms, copy.copy(model)
    names = {toe: name for name, toe in own_robot.names_of_feet(model).items()}
    reroll(model, terrain, replace(preset, sink=0.0))
    try:
        robot = articulated.convert(model, geoms, ground=GROUND)
    except ValueError as error:
        text = str(error)
        for toe, name in names.items():
            text = text.replace(repr(toe), repr(name))
        raise ValueError(f"engine 'exact' does not have this robot: {text}") from None
    return replace(robot, foot_names=tuple(_renamed(point, names) for point in robot.foot_names))


def _renamed(point: str, names: dict[str, str]) -> str:
    """Return the name of a point of a foot, `toe_0`, or `toe_0_3`, its corner, by the foot's name in the file."""
    toe, _, corner = point.rpartition("_")
    return names.get(point) or (f"{names[toe]}_{corner}" if toe in names else point)


def forces_on_feet(run, leg_of_point: np.ndarray, n_feet: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ground's forces, world frame [N], its impulses so far [N s], both (n_feet, 3), and what touches."""
    forces, impulses, touching = np.zeros((n_feet, 3)), np.zeros((n_feet, 3)), np.zeros(n_feet)
    feet, axes = leg_of_point >= 0, run.robot.tables.ground[1:]
    np.add.at(forces, leg_of_point[feet], run.foot_force[feet] @ axes)
    np.add.at(impulses, leg_of_point[feet], run.impulse[feet] @ axes)
    np.add.at(touching, leg_of_point[feet], run.contact.foot[feet] != FREE)
    return forces, impulses, touching


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
