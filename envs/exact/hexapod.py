"""The exact hexapod behind `Hexapod-v0`: its servos follow set-points that are linear between kinks."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from ...analytic import hybrid as hy
from ...analytic.compilation import compiled
from ...analytic.models import ground
from ...analytic.models.hexapod import N_LEGS, HexapodParams, hybrid
from ...analytic.models.hexapod.contact import FLIGHT, STICK
from ...analytic.models.hexapod.layout import N_MACHINE, Variants, machine_params
from ...analytic.models.hexapod.outputs import NAMES as OUTPUTS
from ...analytic.models.hexapod.outputs import make_readings
from ...analytic.models.hexapod.servo import S, servo, split
from ...analytic.models.hexapod.state import SCALE, TOES
from ...analytic.models.hexapod.toes import N_MEMORY, toe_mode
from ...analytic.terrain import Terrain, make
from ...mjcf.hexapod_state import from_exact, to_exact
from .machine import ExactMachine, Row, without_tables

RTOL = 1e-5  # a walk's position is then right to a few micrometres after 20 s
# The task says when the robot has toppled. Friction fades below 0.1 mm/s: at ten times that the clock's walk sways
# 1.2 % less, and its reward's `drift` is 1.5 % off. It costs no time.
VARIANTS = Variants(upright=-1.0, slide_speed=1e-4)
MOST_PARTS = 64  # of a control period


@lru_cache(maxsize=8)
def _compiled_for(kind: type[Terrain]):
    """Return simulator and readings on a kind of ground."""
    model = hybrid.build(terrain=kind(), control=servo(HexapodParams()), variants=VARIANTS)
    return hy.compile(model), compiled(make_readings(model.hooks["aux"]))


class ExactHexapod(ExactMachine):
    """The exact hexapod for a `HexapodTask`."""

    settings = {"rtol": RTOL, "atol": RTOL * SCALE}

    def __init__(self, task):
        terrain = without_tables(make(task.config.terrain))
        self.task = task
        self.simulator, self._readings = _compiled_for(type(terrain))
        self._split = compiled(split)
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

    def held(self, runs: hy.Continued, run: int, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a position and velocity in which toes that stand are as high as they were, and rest if they stick."""
        params, before, chart = self.task.params[run if self.task.shape else ()], runs.x[run], int(runs.chart[run])
        x = to_exact(params, qpos, qvel)
        for leg in range(N_LEGS):
            mode, toe = toe_mode(chart, leg), TOES + 6 * leg
            if mode == STICK:
                x[toe + 3 : toe + 6] = 0.0
            if mode != FLIGHT:
                x[toe + 2], x[toe + 5] = before[toe + 2], 0.0
        there, faster = from_exact(params, x)
        turns = 2.0 * np.pi * np.round((qpos[7::3] - there[7::3]) / (2.0 * np.pi))
        there[7::3] += turns
        return there, faster

    def closed(self, runs: hy.Continued, run: int) -> tuple[str, ...]:
        """Return the names of the legs whose toes stand."""
        chart = int(runs.chart[run])
        return tuple(f"leg {leg}" for leg in range(N_LEGS) if toe_mode(chart, leg) != FLIGHT)

    def periods(self, sim, runs: hy.Continued, run: int, row: Row, controls: np.ndarray) -> Iterator[float]:
        """Yield the ends [s] of the parts between the kinks of the set-points; controls are (n_substeps, 18)."""
        task, began, p, commands = self.task, runs.t[run], runs.p[run, N_MACHINE:], controls.reshape(-1, N_LEGS, 3)
        for name, first in enumerate((S.angle_0, S.rate_0, S.torque_0)):
            p[first : first + N_LEGS] = commands[0, :, name]
        p[S.since] = began
        runs.d[run, N_MEMORY : N_MEMORY + N_LEGS] = commands[0, :, 0] - row.qpos[7::3]  # errors count full turns
        if task.mode.torques:
            yield began + task.ctrl_dt
            return
        samples = np.empty((2, task.n_substeps + 1, N_LEGS))
        samples[:, :-1] = commands[..., :2].transpose(2, 0, 1)
        samples[0, -1], samples[1, -1] = task.reference[sim], task.rate[sim]  # at the end of the period
        ends, lines = np.empty(MOST_PARTS), np.empty((2, MOST_PARTS, N_LEGS))
        for k in range(self._split(task.substep_times, *samples, ends, *lines)):
            p[S.angle_0 : S.angle_0 + N_LEGS], p[S.rate_0 : S.rate_0 + N_LEGS] = lines[:, k]
            yield began + ends[k]

    def read(self, runs: hy.Continued, run: int, row: Row) -> None:
        """Write position, velocity and sensors of a run to a row."""
        sensors, at = row.sensordata, self._at
        given = runs.t[run], runs.x[run], runs.d[run], runs.p[run], runs.chart[run], runs.rates[run], self._out
        shown = (sensors[at[name] : at[name] + size] for name, size in self._sizes)
        self._readings(*given, row.qpos, row.qvel, *shown)
