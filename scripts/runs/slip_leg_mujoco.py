"""The articulated SLIP leg in MuJoCo under the controller of the hybrid model, with the same record."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.compilation import compiled
from tarsus.analytic.models.slip_leg import com_state, foot_state
from tarsus.analytic.models.slip_leg_hybrid import CHARTS
from tarsus.controllers.slip import SlipController
from tarsus.controllers.slip_laws import D
from tarsus.mjcf.compile import compile_model
from tarsus.mjcf.presets import Preset, find
from tarsus.mjcf.slip_leg import PRESETS, build
from tarsus.mjcf.terrain import GroundPatches
from tarsus.scripts.runs.slip_leg_runs import COMPLETED, TIME_PER_STEP, Experiment, Run, dataset

FALLEN = 0.3  # height of the base over the ground below which the run is over [m]


def mujoco_run(
    experiment: Experiment,
    n_steps: int = 40,
    *,
    seconds: float | None = None,
    preset: str | Preset = "reference",
    every: int = 1,
    row: int = 0,
    on_row: Callable | None = None,
) -> Run:
    """Run the same leg and controller in MuJoCo.

    Args:
        experiment: What to run; sampled control wants an `energy_gain` of about 0.5.
        n_steps: From apex to apex.
        seconds: Or for that long, whichever is over first [s].
        preset: Contact and timestep settings.
        every: Physics steps for which a torque is held.
        row: Physics steps between rows of the record, at least `every`; by default those of a millisecond.
        on_row: Called with (t, x, d, phase) at every row; a true return value stops the run.

    Raises:
        ValueError: If the foot starts below ground.
    """
    return MujocoRun(experiment, find(preset, PRESETS), every).run(n_steps, seconds, row, on_row)


def foot_height(experiment: Experiment, x: np.ndarray) -> float:
    """Return the height of the foot above the ground in a state (8,) [m]."""
    foot = np.empty(4)
    foot_state(x, hy.vector(experiment.params), foot)
    return float(foot[1] - experiment.ground.height(foot[0], 0.0))


class MujocoRun:
    """One run in MuJoCo, being recorded.

    Raises:
        ValueError: If the foot starts below ground.
    """

    def __init__(self, experiment: Experiment, preset: Preset, every: int = 1) -> None:
        self.experiment, self.every = experiment, every
        self.model = compile_model(build(experiment.params, experiment.ground, preset))
        self.data = mujoco.MjData(self.model)
        self.patches = GroundPatches(self.model, experiment.ground)
        self.controller = SlipController(experiment.params, experiment.control, hold=every * self.model.opt.timestep)
        x = experiment.start()
        if foot_height(experiment, x) < 0:
            raise ValueError("the foot starts below ground")
        self.data.qpos[:], self.data.qvel[:] = x[:4], x[4:]
        self._p, self._com, self._foot = hy.vector(experiment.params), compiled(com_state), compiled(foot_state)
        self.rows: list[tuple] = []
        self.steps: list[tuple] = []
        self._touchdown = self._liftoff = np.nan

    def run(self, n_steps: int, seconds: float | None, row: int, on_row: Callable | None) -> Run:
        """Run until the last apex, the time or a fall."""
        dt, data = self.model.opt.timestep, self.data
        period = self.every * dt
        row = max(1, round((row or max(1, round(1e-3 / dt))) / self.every))  # in control periods
        # A row is there for the last instant too.
        n = round(TIME_PER_STEP * n_steps / period) if seconds is None else round(seconds / period) + 1
        status = "ran out of time" if seconds is None else COMPLETED
        for k in range(n):
            x = np.concatenate([data.qpos, data.qvel])
            self._control(x)
            if len(self.steps) > n_steps or k and self._fell(x):
                status = self._fell(x) or COMPLETED
                break
            time, shown = data.time, k % row == 0
            self._advance(1)
            if shown:
                self._record(time, x)
            if shown and on_row and on_row(time, x, self.controller.memory, CHARTS.index(self.controller.phase)):
                status = "stopped"
                break
            self._advance(self.every - 1)
        return self._finished(status)

    def _fell(self, x: np.ndarray) -> str:
        """Return what is wrong, or an empty string."""
        if x[1] - self._ground_under(x[0]) < FALLEN or self.data.warning.number.any():
            return f"fell at t = {self.data.time:.3f} s after {len(self.steps) - 1} steps"
        return ""

    def _advance(self, n: int) -> None:
        """Take n physics steps."""
        if not self.patches:
            mujoco.mj_step(self.model, self.data, n)
            return
        for _ in range(n):
            self.patches.follow(self.data)
            mujoco.mj_step(self.model, self.data)

    def _ground_under(self, x: float) -> float:
        return float(self.experiment.ground.height(x, 0.0))

    def _control(self, x: np.ndarray) -> None:
        """Ask the controller, and note what it noticed."""
        before, foot = self.controller.phase, np.empty(4)
        self._foot(x, self._p, foot)
        ground = self._ground_under(foot[0]) if self.patches else 0.0
        self.data.ctrl[:] = self.controller(self.data.time, x[:4], x[4:], ground)
        now, d = self.controller.phase, self.controller.memory
        if now == before:
            return
        if now == "stance":
            self._touchdown = self.data.time
        elif now == "hold":
            self._liftoff = self.data.time
        elif now == "extend":
            values = (d[D.apex_height], d[D.apex_energy], d[D.angle], d[D.energy_lost])
            self.steps.append((self.data.time, *values, self._touchdown, self._liftoff))

    def _record(self, time: float, x: np.ndarray) -> None:
        """Note the state before the step with the forces of the same instant, which MuJoCo has by now."""
        com, foot, d = np.empty(4), np.empty(4), self.controller.memory
        self._com(x, self._p, com)
        self._foot(x, self._p, foot)
        stands = self.controller.phase == "stance"
        length = np.hypot(*(com[:2] - foot[:2]))
        compression = max(d[D.rest_length] - length, 0.0) if stands else 0.0
        force = self.data.sensordata[[1, 3]]
        aux = np.concatenate([self.data.actuator_force, force, com, foot, [compression]])
        self.rows.append((time, x, aux, CHARTS.index(self.controller.phase), d[D.rest_length]))

    def _finished(self, status: str) -> Run:
        time, x, aux, phase, rest_length = (np.array(column) for column in zip(*self.rows, strict=True))
        names = ("time", "apex_height", "apex_energy", "angle", "energy_lost", "touchdown", "liftoff")
        steps = dict(zip(names, np.array(self.steps).reshape(-1, len(names)).T, strict=True))
        engine = f"mujoco {mujoco.__version__}"
        return Run(dataset(time, x, aux, phase, rest_length, engine, status), steps, status)
