"""Any robot with a free body in the exact engine: its MuJoCo model as arrays, with rigid contact.

Feet, and all other spheres, capsules and boxes, touch the ground, no two parts each other. Where a part of another
shape comes into the ground the episode ends, unless its contact ends episodes anyway (`fall_contacts`) or costs
(`cost_contacts`).
"""

import copy
from collections.abc import Iterator
from enum import Enum
from threading import Lock
from typing import Any, ClassVar

import mujoco
import numpy as np

from ...analytic.articulated.continued import STATUSES, Continued
from ...analytic.articulated.held import Held
from ...analytic.articulated.modes import AT_REST, CLOSED, FREE
from ...analytic.articulated.robot import Robot
from ...analytic.articulated.simulation import Options
from ...mjcf import own_exact, own_robot
from ...mjcf.own_file import LOAD
from ...mjcf.presets import find
from .machine import ExactMachine, Row

RTOL, METHOD = 1e-7, "dopri5"  # of the engine: a dog walks as fast by dop853 at 1e-8, to 1e-5 m/s
NOISE = 6.0  # standard deviations of the start's noise that limits of joints cut off


class ExactArticulated(ExactMachine):
    """A robot on a plane whose state is its MuJoCo model's; ValueError for what the exact mechanics does not cover."""

    settings: ClassVar[dict[str, Any]] = {"rtol": RTOL, "method": METHOD}

    def __init__(self, task):
        self.task, self._lock, model = task, Lock(), task.model
        self._model, self._data = copy.copy(model), mujoco.MjData(model)
        self._preset = find(task.config.preset, task.config.PRESETS)
        self._made: dict[int, tuple] = {}
        self._parts = own_exact.Parts(model)
        self._robot_of(0)
        self._rest, self._act = own_robot.rest_controls(model), model.key_act[0] if model.nkey else np.zeros(model.na)
        sensors = [model.sensor(k) for k in range(model.nsensor)]
        self._load = [int(s.adr[0]) for s in sensors if s.name == LOAD]
        self._touch = [(int(s.adr[0]), int(s.refid[0])) for s in sensors if s.name.startswith("touch of ")]
        sensed = {geom for _, geom in self._touch}
        why = "is in the ground, which holds up spheres, capsules and boxes in the exact engine"
        if hasattr(task.config, "fall_contacts"):
            why += ": give it such a shape, or let fall_contacts end the episode"
        unseen = {k: name for k, name in self._parts.bare.items() if k not in sensed}
        kinds = Enum("Part", {name: f"the part {name!r} {why}" for name in unseen.values()})
        self._status = {k: kinds[name] for k, name in unseen.items()}
        self.statuses = (*STATUSES, *kinds)

    def runs(self, n: int) -> Continued:
        """Return n runs that `start` begins."""
        return Continued(self._robot_of, n, Options(**self.settings))

    def _robot_of(self, run: int) -> Robot:
        """Return the robot of a run as its episode drew it, on its ground."""
        task, sim = self.task, run if self.task.shape else ()
        params, terrain = task.params[sim], task.terrain[sim]
        made = self._made.get(run)
        if made is None or made[0] is not params or made[1] is not terrain:
            with self._lock:
                if task.models.vary:
                    task.write_robot(sim, self._model, params)
                made = params, terrain, own_exact.robot_of(self._model, terrain, self._preset, self._parts)
            self._made[run] = made
        return made[2]

    def start(self, sim, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return position, velocity, controls at rest and activations with which a run begins."""
        robot = self._robot_of(sim if self.task.shape else 0)
        most = own_exact.ROUNDING + NOISE * self.task.config.reset_noise
        return own_exact.placed(robot, qpos, most), qvel, self._rest, self._act

    def restart(self, sim, runs: Continued, run: int, row: Row) -> tuple[np.ndarray, ...]:
        """Return the state of a run, its controls and activations as they are."""
        one = runs.runs[run]
        activations = one.x[one.robot.nq + one.robot.nv :][: one.robot.na].copy()
        return own_exact.placed(one.robot, row.qpos, own_exact.ROUNDING), row.qvel, one.ctrl, activations

    def held(self, runs: Continued, run: int, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a position and velocity brought to where feet, limits and dry joints stay closed."""
        return Held(runs.runs[run]).brought(qpos, qvel)

    def closed(self, runs: Continued, run: int) -> tuple[str, ...]:
        """Return the names of feet on the ground, of joints at a limit, and of those that dry friction holds."""
        robot, contact = runs.runs[run].robot, runs.runs[run].contact
        shut = (robot.foot_names, contact.foot != FREE), (robot.limit_names, contact.limit == CLOSED)
        rest = robot.line_names, contact.dry == AT_REST
        return tuple(name for names, found in (*shut, rest) for name, one in zip(names, found, strict=True) if one)

    def periods(self, sim, runs: Continued, run: int, row: Row, controls: np.ndarray) -> Iterator[float]:
        """Yield the end [s] of the control period, with commands for it, in as many parts as they change."""
        began, last = runs.t[run], np.append((controls[1:] != controls[:-1]).any(1), True)
        ends = began + np.append(self.task.substep_times[1 : len(controls)], self.task.ctrl_dt)
        runs.command(run, controls[last], ends[last])
        yield ends[-1]

    def read(self, runs: Continued, run: int, row: Row) -> Enum | None:
        """Write position, velocity and sensors of a run to a row; return which part without points is in the ground."""
        one = runs.runs[run]
        row.qpos[:], row.qvel[:] = one.qpos, one.qvel
        for name, values in zip(("actuator_force", "actuator_velocity"), one.work.actuator.T, strict=True):
            if name in row.more:
                row.more[name][:] = values
        with self._lock:
            deep = self._sense(one, row)
        forces, _, touching = own_exact.forces_on_feet(one, self._parts.leg_of_point, self.task.n_feet)
        row.sensordata[self.task._feet] = np.column_stack([touching, forces]).ravel()
        for at in self._load:
            row.sensordata[at : at + 3] = one.foot_force.sum(0) @ one.robot.tables.ground[1:]
        if self._touch:
            touching = {*self._parts.geom_of_point[one.contact.foot != FREE].tolist(), *deep}
        for at, geom in self._touch:
            row.sensordata[at] = geom in touching
        return next((self._status[k] for k in deep if k in self._status), None)

    def _sense(self, one, row: Row) -> list[int]:
        """Let MuJoCo compute the IMU at these accelerations; return the parts in the ground that have no points."""
        model, data = self._model, self._data
        data.qpos[:], data.qvel[:], data.qacc[:] = row.qpos, row.qvel, one.contact.qacc
        for compute in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_comVel, mujoco.mj_rnePostConstraint,
                        mujoco.mj_sensorVel, mujoco.mj_sensorAcc):  # fmt: skip
            compute(model, data)
        row.sensordata[:] = data.sensordata
        return self._parts.in_ground(data, one.robot.tables.ground)
