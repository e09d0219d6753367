"""The articulated SLIP leg in MuJoCo under the controller of the hybrid model, with the same record."""

from __future__ import annotations

from typing import Any

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
from tarsus.scripts.library.machines import hops, stepping
from tarsus.scripts.library.machines.machine import SAMPLE_PERIOD, Run
from tarsus.scripts.library.machines.slip_leg import SlipLegExperiment, run_of

FALLEN = 0.3  # height of the base over the ground below which the run is over [m]
STEPS = ("time", "apex_height", "apex_energy", "angle", "energy_lost", "touchdown", "liftoff")


class SlipLegStepper(stepping.Stepper):
    """The leg in MuJoCo with its controller, and the steps it noticed.

    Args:
        experiment: What to run.
        preset: Contact and timestep settings.
        hold: Physics steps for which a torque is held.
        n_steps: From apex to apex, after which the run has ended.

    Raises:
        ValueError: If the foot starts below ground.
    """

    def __init__(
        self, experiment: SlipLegExperiment, preset: Preset, hold: int = 1, n_steps: int = hops.ENDLESS
    ) -> None:
        model = compile_model(build(experiment.params, experiment.ground, preset))
        self._p, self._com, self._foot = hy.vector(experiment.params), compiled(com_state), compiled(foot_state)
        x, data = experiment.start(), mujoco.MjData(model)
        if self.foot(x)[1] < experiment.ground.height(self.foot(x)[0], 0.0):
            raise ValueError("the foot starts below ground")
        data.qpos[:], data.qvel[:] = x[:4], x[4:]
        super().__init__(model, data, experiment.ground, preset)
        self.hold, self.most_steps = hold, n_steps
        self.controller = SlipController(experiment.params, experiment.control, hold=hold * model.opt.timestep)
        self.steps: list[tuple] = []
        self._touchdown = self._liftoff = np.nan

    def foot(self, x: np.ndarray) -> np.ndarray:
        """Return position and velocity of the foot in a state (8,), shape (4,)."""
        foot = np.empty(4)
        self._foot(x, self._p, foot)
        return foot

    def command(self, data: mujoco.MjData) -> None:
        """Ask the controller where a torque is not held, and note what it noticed."""
        if self.n_steps % self.hold:
            return
        before, foot = self.controller.phase, self.foot(np.concatenate([data.qpos, data.qvel]))
        ground = self._ground_under(foot[0]) if self._patches else 0.0
        data.ctrl[:] = self.controller(data.time, data.qpos.copy(), data.qvel.copy(), ground)
        now, d = self.controller.phase, self.controller.memory
        if now == before:
            return
        if now == "stance":
            self._touchdown = data.time
        elif now == "hold":
            self._liftoff = data.time
        elif now == "extend":
            values = (d[D.apex_height], d[D.apex_energy], d[D.angle], d[D.energy_lost])
            self.steps.append((data.time, *values, self._touchdown, self._liftoff))

    def ended(self) -> bool:
        """Return whether the last step is made; the start is an apex too."""
        return len(self.steps) > self.most_steps

    def fallen(self) -> str:
        """Return when the leg has fallen, or an empty string."""
        x, z = self.data.qpos[:2]
        if z - self._ground_under(x) < FALLEN:
            return f"fell at t = {self.data.time:.3f} s after {len(self.steps) - 1} steps"
        return ""

    def before(self) -> tuple:
        """Return time, state, the controller's memory and phase, and where centre of mass, foot and spring are."""
        time, qpos, qvel = super().before()
        x, com, d = np.concatenate([qpos, qvel]), np.empty(4), self.controller.memory
        foot = self.foot(x)
        self._com(x, self._p, com)
        stands = self.controller.phase == "stance"
        compression = max(d[D.rest_length] - np.hypot(*(com[:2] - foot[:2])), 0.0) if stands else 0.0
        places = np.concatenate([com, foot, [compression, d[D.rest_length]]])
        return time, qpos, qvel, d, CHARTS.index(self.controller.phase), places

    def after(self) -> tuple:
        """Return torques and the ground's force."""
        return (np.concatenate([self.data.actuator_force, self.data.sensordata[[1, 3]]]),)

    def _ground_under(self, x: float) -> float:
        return float(self.ground.height(x, 0.0))


def simulate(
    experiment: SlipLegExperiment,
    steps: int | None = None,
    *,
    seconds: float | None = None,
    preset: str | Preset | None = None,
    every: int = 1,
    row: int = 0,
    fine: bool = True,
    **looks: Any,
) -> Run:
    """Run the same leg and controller in MuJoCo.

    Args:
        experiment: What to run; sampled control wants an `energy_gain` of about 0.5.
        steps: From apex to apex.
        seconds: Or for that long, whichever is over first [s].
        preset: Contact and timestep settings; the experiment's by default.
        every: Physics steps for which a torque is held.
        row: Physics steps between rows of the record, at least `every`; by default those of a millisecond.
        fine: Of no consequence: the controller looks at every step.
        **looks: See `stepping.simulate`; `on_frame` is called with (t, qpos, qvel, d, phase, ...).

    Raises:
        ValueError: If the foot starts below ground.
    """
    preset = experiment.preset if preset is None else preset
    most, limit = hops.limits(steps, seconds)
    stepper = SlipLegStepper(experiment, find(preset, PRESETS), every, most)
    row = row or max(1, round(SAMPLE_PERIOD / stepper.model.opt.timestep))
    row = max(1, round(row / every)) * every
    columns, status = stepping.simulate(stepper, limit, row, endless=seconds is not None, **looks)
    time, qpos, qvel, _, phase, places, forces = columns
    about = f"mujoco {mujoco.__version__}", status, preset
    table = dict(zip(STEPS, np.array(stepper.steps).reshape(-1, len(STEPS)).T, strict=True))
    return run_of(experiment, about, table, time, qpos, qvel, np.concatenate([forces, places], axis=1), phase)
