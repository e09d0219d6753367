"""The exact legs behind `HoppingLeg-v1` and `SlipLeg-v1`: torques or set-points of hip and knee, held for a period."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from ...analytic import hybrid as hy
from ...analytic.compilation import compiled
from ...analytic.hybrid.names import items, vector
from ...analytic.models import driven_legs, ground
from ...analytic.models.driven_leg import DRIVE, D
from ...analytic.models.ground_line import ground_table
from ...analytic.models.hopping_leg_mechanics import numbers
from ...analytic.terrain import Terrain, make
from ...mjcf import hopping_leg, slip_leg
from .machine import ExactMachine, Row, refuse, without_tables


class ExactLeg(ExactMachine):
    """A leg whose state is that of MuJoCo's model: `qpos`, then `qvel`."""

    settings = {"rtol": 1e-8}

    def adopt(self, task, built: tuple, first: int, servo: tuple[float, float] | None, stop_k: float, ranges) -> None:
        """Use a compiled model whose drive begins at parameter `first`, with the joints' `ranges`, shape (2, 2)."""
        self.task, (self.simulator, self._readings) = task, built
        at = first + (D.torque if servo is None else D.set)
        self._commanded = slice(at, at + 2)
        gains = {} if servo is None else {"kp": servo[0], "kd": servo[1]}
        (low, high), limits = np.transpose(ranges), task.limits_of(task.config.params)
        stops = {"stop_k": stop_k, "stop_low": low, "stop_high": high}
        self._drive = DRIVE | gains | {"limits": limits.ravel()} | stops

    def periods(self, sim, runs: hy.Continued, run: int, row: Row, controls: np.ndarray) -> Iterator[float]:
        """Yield the ends of the period's parts [s], in which controls, shape (1, 2), are held."""
        task = self.task
        begun, part = runs.t[run], task.ctrl_dt / task.n_samples
        for k in range(1, task.n_samples + 1):
            runs.p[run, self._commanded] = controls[0]
            yield begun + k * part
            if k < task.n_samples:
                self.read(runs, run, row)
                controls = task.resample(sim, runs.t[run])[0][sim][None]

    def read(self, runs: hy.Continued, run: int, row: Row) -> None:
        """Write position, velocity and the foot's sensor to a row."""
        x = runs.x[run]
        row.qpos[:], row.qvel[:] = x[:4], x[4:]
        self._readings(x, runs.d[run], runs.p[run], runs.chart[run], row.sensordata)


@lru_cache(maxsize=8)
def _hopping(kind: type[Terrain]):
    model, readings = driven_legs.hopping_leg(ground=kind())
    return hy.compile(model), compiled(readings)


class ExactHoppingLeg(ExactLeg):
    """The leg on its boom for a `HoppingLegTask`."""

    def __init__(self, task):
        terrain = without_tables(make(task.config.terrain))
        first = len(vector(numbers(task.config.params)))
        self.adopt(task, _hopping(type(terrain)), first, None, hopping_leg.STOP_STIFFNESS, hopping_leg.JOINT_RANGES)

    def start(self, sim, qpos, qvel):
        """Return state, memory and parameters, without torques."""
        params = self.task.params[sim]
        table = numbers(params) | self._drive | {"limits": params.torque_limits.ravel()}
        floor = ground.ground_of(self.task.terrain[sim], 0).params
        return np.concatenate([qpos, qvel]), self.simulator.model.d0, vector(table | floor)


@lru_cache(maxsize=1)
def _slip():
    model, readings = driven_legs.slip_leg()
    return hy.compile(model), compiled(readings)


class ExactSlipLeg(ExactLeg):
    """The articulated leg for a `SlipLegTask`."""

    def __init__(self, task):
        terrain = make(task.config.terrain)
        try:
            ground_table(terrain)
        except ValueError as error:
            refuse(terrain, "flat, slope, step, sinusoid, rough", str(error).partition(";")[0])
        servo = slip_leg.SERVO if task.config.action_mode == "position" else None
        first = len(vector(items(task.config.params)))
        self.adopt(task, _slip(), first, servo, slip_leg.STOP_STIFFNESS, slip_leg.JOINT_RANGES)

    def start(self, sim, qpos, qvel):
        """Return state, memory and parameters; set-points are where the joints are."""
        table = items(self.task.params[sim]) | self._drive | {"set": qpos[2:]} | ground_table(self.task.terrain[sim])
        return np.concatenate([qpos, qvel]), self.simulator.model.d0, vector(table)
