"""A robot of the user's own in the exact engine: its MuJoCo model as arrays, with rigid contact of its feet.

Only feet touch the ground, and no two parts each other. Where another part comes into the ground the episode ends,
unless its contact is one that ends episodes anyway (`fall_contacts`) or costs (`cost_contacts`).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from threading import Lock

import mujoco
import numpy as np

from ...analytic.articulated import mechanics
from ...analytic.articulated.continued import STATUSES, Continued
from ...analytic.articulated.layout import POSITION
from ...analytic.articulated.modes import FREE
from ...analytic.articulated.robot import Robot
from ...analytic.articulated.simulation import Options
from ...mjcf import articulated, own_robot
from ...mjcf.feet import toes
from ...mjcf.own_file import LOAD
from ...mjcf.presets import find
from ...mjcf.terrain import GROUND, is_plane, reroll
from .machine import ExactMachine, Row, refuse

RTOL, HOLD = 1e-8, 1e-4  # see `Options`; friction of a foot slower than HOLD keeps its direction [m/s]
NOISE, ROUNDING = 6.0, 1e-6  # standard deviations of the start's noise, that limits cut off; [m], [rad]
DEEP = 1e-3  # a part that is no foot may be in the ground [m]
POINTS = {mujoco.mjtGeom.mjGEOM_SPHERE: 1, mujoco.mjtGeom.mjGEOM_CAPSULE: 2, mujoco.mjtGeom.mjGEOM_BOX: 8}  # of a foot


class ExactOwnRobot(ExactMachine):
    """A robot of the user's own whose state is that of its MuJoCo model.

    Raises:
        ValueError: If the terrain is no plane, or the model has what the exact mechanics does not cover.
    """

    def __init__(self, task):
        if not is_plane(task.hardest):
            refuse(task.hardest, "flat, slope", "feet of any robot touch a plane there")
        self.task, self._lock = task, Lock()
        self._model, self._data = copy.copy(task.model), mujoco.MjData(task.model)
        self._preset = replace(find(task.config.preset, task.config.PRESETS), sink=0.0)
        self._made: dict[int, tuple] = {}
        legs = toes(task.model)
        self._toes = [k for leg in legs for k in leg]
        self._robot_of(0)
        counts = [POINTS[mujoco.mjtGeom(task.model.geom_type[k])] for k in self._toes]
        self._leg = np.repeat([leg for leg, geoms in enumerate(legs) for _ in geoms], counts)
        self._load = int(task.model.sensor(LOAD).adr[0])
        self._act = task.model.key_act[0] if task.model.nkey else np.zeros(task.model.na)
        self._find_parts()

    def _find_parts(self) -> None:
        """Find what is no foot but would touch the ground in MuJoCo, and what of it has a sensor."""
        model, data = self._model, own_robot.standing(self.task.model)
        self._ground = model.geom(GROUND).id
        touch = [model.sensor(k) for k in range(model.nsensor) if model.sensor(k).name.startswith("touch of ")]
        self._touch = [(int(sensor.adr[0]), int(sensor.refid[0])) for sensor in touch]
        affinity = model.geom_conaffinity[self._ground]
        solid = [
            k for k in range(model.ngeom)
            if model.geom_contype[k] & affinity and model.body_weldid[model.geom_bodyid[k]] and k not in self._toes
        ]  # fmt: skip
        data.geom_xpos[self._ground] = model.geom_pos[self._ground]
        low = {k for k in solid if mujoco.mj_geomDistance(model, data, self._ground, k, 1.0, None) < DEEP}
        self._parts = np.array(sorted({*solid, *(k for _, k in self._touch)} - low), int)
        sensed = {k for _, k in self._touch}
        names = {k: model.geom(k).name or f"geom {k}" for k in self._parts if k not in sensed}
        why = "is in the ground, where only feet are held up: make it one, or let fall_contacts end the episode"
        kinds = Enum("Part", {name: f"the part {name!r} {why}" for name in names.values()})
        self._status = {k: kinds[name] for k, name in names.items()}
        self.statuses = (*STATUSES, *kinds)

    def runs(self, n: int) -> Continued:
        """Return n runs that `start` begins."""
        return Continued(self._robot_of, n, Options(rtol=RTOL, hold_speed=HOLD))

    def _robot_of(self, run: int) -> Robot:
        """Return the robot of a run as its episode drew it, on its ground."""
        task, sim = self.task, run if self.task.shape else ()
        params, terrain = task.params[sim], task.terrain[sim]
        made = self._made.get(run)
        if made is None or made[0] is not params or made[1] is not terrain:
            with self._lock:
                task.write_robot(sim, self._model, params)
                reroll(self._model, terrain, self._preset)
                made = self._made[run] = params, terrain, self._converted()
        return made[2]

    def _converted(self) -> Robot:
        model = self._model
        try:
            return articulated.convert(model, [model.geom(k).name for k in self._toes], ground=GROUND)
        except ValueError as error:
            text = str(error)
            for name, toe in own_robot.names_of_feet(model).items():
                text = text.replace(repr(toe), repr(name))
            raise ValueError(f"engine 'exact' does not have this robot: {text}") from None

    def start(self, sim, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return position, velocity, controls at rest and activations with which a run begins."""
        robot = self._robot_of(sim if self.task.shape else 0)
        most = ROUNDING + NOISE * self.task.config.reset_noise
        return placed(robot, qpos, most), qvel, self.task.rest, self._act

    def restart(self, sim, runs: Continued, run: int, row: Row) -> tuple[np.ndarray, ...]:
        """Return what a run goes on with, its controls and activations as they are."""
        one = runs.runs[run]
        activations = one.x[one.robot.nq + one.robot.nv :][: one.robot.na].copy()
        return placed(one.robot, row.qpos, ROUNDING), row.qvel, one.ctrl, activations

    def periods(self, sim, runs: Continued, run: int, row: Row, controls: np.ndarray) -> Iterator[float]:
        """Yield the ends [s] of the parts in which controls, shape (1 or n_substeps, nu), do not change."""
        began, times, n = runs.t[run], self.task.substep_times, len(controls)
        for k in range(n):
            if k + 1 == n or not np.array_equal(controls[k], controls[k + 1]):
                runs.runs[run].set_controls(controls[k])
                yield began + (times[k + 1] if k + 1 < n else self.task.ctrl_dt)

    def read(self, runs: Continued, run: int, row: Row) -> Enum | None:
        """Write position, velocity and sensors of a run to a row; return which part has come into the ground."""
        one, robot = runs.runs[run], runs.runs[run].robot
        row.qpos[:], row.qvel[:] = one.qpos, one.qvel
        row.more["actuator_force"][:], row.more["actuator_velocity"][:] = one.work.actuator.T
        forces = np.zeros((self.task.n_feet, 4))
        np.add.at(forces[:, 0], self._leg, one.contact.foot != FREE)
        np.add.at(forces[:, 1:], self._leg, one.foot_force @ robot.tables.ground[1:])
        with self._lock:
            return self._sense(one, row, forces)

    def _sense(self, one, row: Row, forces: np.ndarray) -> Enum | None:
        """Let MuJoCo compute the IMU at these accelerations, and write all sensors."""
        model, data = self._model, self._data
        data.qpos[:], data.qvel[:], data.qacc[:] = row.qpos, row.qvel, one.contact.qacc
        for compute in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_comVel, mujoco.mj_rnePostConstraint,
                        mujoco.mj_sensorVel, mujoco.mj_sensorAcc):  # fmt: skip
            compute(model, data)
        deep = self._deep(one.robot.tables.ground)
        row.sensordata[:] = data.sensordata
        row.sensordata[self.task._feet] = forces.ravel()
        row.sensordata[self._load : self._load + 3] = forces[:, 1:].sum(0)
        for at, geom in self._touch:
            row.sensordata[at] = deep.get(geom, 0.0) < 0.0
        return next((self._status[k] for k, depth in deep.items() if k in self._status and depth < -DEEP), None)

    def _deep(self, ground: np.ndarray) -> dict[int, float]:
        """Return the distances of parts from the ground that are negative [m]."""
        data, found = self._data, {}
        reach = (data.geom_xpos[self._parts] - ground[0]) @ ground[1] - self._model.geom_rbound[self._parts]
        data.geom_xpos[self._ground] = ground[0]
        data.geom_xmat[self._ground] = ground[[2, 3, 1]].T.ravel()
        for k in self._parts[reach < 0.0]:
            found[int(k)] = mujoco.mj_geomDistance(self._model, data, self._ground, k, 0.0, None)
        return found


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
