"""The exact hexapod behind `Hexapod-v0`: its servos follow set-points that are linear between kinks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from ...analytic import hybrid as hy
from ...analytic.compilation import compiled
from ...analytic.models import ground
from ...analytic.models.hexapod import N_LEGS, HexapodParams, hybrid
from ...analytic.models.hexapod.layout import N_MACHINE, Variants, machine_params
from ...analytic.models.hexapod.outputs import NAMES as OUTPUTS
from ...analytic.models.hexapod.readings import make_readings
from ...analytic.models.hexapod.servo import S, servo
from ...analytic.models.hexapod.state import SCALE
from ...analytic.models.hexapod.toes import N_MEMORY
from ...analytic.terrain import TERRAINS, Terrain, make
from ...mjcf.hexapod_state import to_exact
from .machine import Machine, Row, refuse

RTOL = 1e-5  # a walk's position is then right to a few micrometres after 20 s
VARIANTS = Variants(upright=-1.0)  # the task says when the robot has toppled
SAME_RATE = 1e-9  # of two samples of a set-point on one line [rad/s]
SAME_TIME = 1e-9  # of two kinks [s]


@lru_cache(maxsize=8)
def _compiled_for(kind: type[Terrain]):
    """Return simulator and readings on a kind of ground."""
    model = hybrid.build(terrain=kind(), control=servo(HexapodParams()), variants=VARIANTS)
    return hy.compile(model), compiled(make_readings(model.hooks["aux"]))


class ExactHexapod(Machine):
    """The exact hexapod for a `HexapodTask`."""

    settings = {"rtol": RTOL, "atol": RTOL * SCALE}

    def __init__(self, task):
        terrain = make(task.config.terrain)
        if hasattr(terrain, "tables"):
            known = [name for name, kind in TERRAINS.items() if not hasattr(kind, "tables")]
            refuse(terrain, ", ".join(known), "its model would be compiled anew for every seed")
        self.task = task
        self.simulator, self._readings = _compiled_for(type(terrain))
        self._sizes = (("foot_0", 4 * N_LEGS), ("gyro", 3), ("accelerometer", 3))
        self._at = {name: int(task.model.sensor(name).adr[0]) for name, _ in self._sizes}
        self._out = np.zeros(len(OUTPUTS))

    def start(self, sim, qpos, qvel):
        """Return state, memory and parameters; the servos hold the hips where they are."""
        task, params = self.task, self.task.params[sim]
        table = machine_params(params, VARIANTS) | servo(params, gains=not task.mode.torques).params
        p = np.array([*table.values(), *ground.ground_of(task.terrain[sim], len(table)).params.values()])
        p[N_MACHINE + S.angle_0 : N_MACHINE + S.angle_0 + N_LEGS] = qpos[7::3]
        return to_exact(params, qpos, qvel), self.simulator.model.d0, p

    def periods(self, sim, runs: hy.Continued, run: int, row: Row, controls: np.ndarray) -> Iterator[float]:
        """Yield the ends of the parts between the kinks of the set-points."""
        task, began, p = self.task, runs.t[run], runs.p[run, N_MACHINE:]
        commands = controls.reshape(len(controls), -1, 3)
        angle, rate, torque = np.moveaxis(commands, -1, 0)
        times = task.substep_times[:: task.n_substeps]
        if len(commands) == task.n_substeps > 1:
            times = task.substep_times
        if len(times) > len(commands):  # set-points at the end of the period too
            angle, rate = np.vstack([angle, task.reference[sim]]), np.vstack([rate, task.rate[sim]])
        p[S.torque_0 : S.torque_0 + N_LEGS] = torque[0]
        runs.d[run, N_MEMORY : N_MEMORY + N_LEGS] = angle[0] - row.qpos[7::3]  # errors count full turns
        for begin, end, angles, rates in parts(times, angle, rate):
            p[S.since] = began + begin
            p[S.angle_0 : S.angle_0 + N_LEGS], p[S.rate_0 : S.rate_0 + N_LEGS] = angles, rates
            yield began + end

    def read(self, runs: hy.Continued, run: int, row: Row) -> None:
        """Write position, velocity and sensors of a run to a row."""
        sensors, at = row.sensordata, self._at
        given = runs.t[run], runs.x[run], runs.d[run], runs.p[run], runs.chart[run], runs.rates[run], self._out
        shown = (sensors[at[name] : at[name] + size] for name, size in self._sizes)
        self._readings(*given, row.qpos, row.qvel, *shown)


def parts(times: np.ndarray, angle: np.ndarray, rate: np.ndarray) -> list[tuple]:
    """Return the parts of a period in which every set-point moves at a constant rate.

    Between two samples of different rates a set-point has a kink, where their lines cross.

    Args:
        times: Of the samples, the period's begin and end among them, shape (n,) [s].
        angle: Of each joint, shape (n, n_joints) [rad].
        rate: Its rate [rad/s].

    Returns:
        Begin and end [s], angles at the begin [rad] and rates [rad/s], shape (n_joints,), of each part.
    """
    before, joint = np.nonzero(np.abs(np.diff(rate, axis=0)) > SAME_RATE)
    if not len(before):
        return [(times[0], times[-1], angle[0], rate[0])]
    after = before + 1
    zero = angle - rate * times[:, None]  # where each line is at time zero
    crossing = (zero[after, joint] - zero[before, joint]) / (rate[before, joint] - rate[after, joint])
    crossing = np.clip(crossing, times[before], times[after])
    inside = np.sort(crossing[(crossing > times[0] + SAME_TIME) & (crossing < times[-1] - SAME_TIME)])
    inside = inside[np.append(True, np.diff(inside) > SAME_TIME)] if len(inside) else inside
    edges, line, found = [times[0], *inside, times[-1]], np.zeros(rate.shape[1], int), []
    order, joints = np.argsort(crossing), np.arange(rate.shape[1])
    for begin, end in zip(edges, edges[1:], strict=False):
        passed = order[crossing[order] < 0.5 * (begin + end)]
        line[joint[passed]] = after[passed]
        rates = rate[line, joints]
        found.append((begin, end, zero[line, joints] + rates * begin, rates))
    return found
