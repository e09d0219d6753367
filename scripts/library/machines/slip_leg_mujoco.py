"""The articulated SLIP leg in MuJoCo under the controller of the hybrid model, with the same record."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from tarsus.analytic.compilation import compiled
from tarsus.analytic.models.slip_leg import foot_state
from tarsus.analytic.terrain import Flat
from tarsus.controllers.slip import believe, sampled
from tarsus.controllers.slip_laws import D
from tarsus.mjcf.compile import compile_model
from tarsus.mjcf.presets import Preset, find
from tarsus.mjcf.slip_leg import PRESETS, build
from tarsus.scripts.library.machines import hops, stepping
from tarsus.scripts.library.machines.machine import SAMPLE_PERIOD, Run
from tarsus.scripts.library.machines.slip_leg import SlipLegExperiment, places, run_of

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
        x, data = experiment.start(), mujoco.MjData(model)
        self.hold, self.most_steps, self._foot = hold, n_steps, compiled(foot_state)
        self.controller = sampled(experiment.params, experiment.control, hold * model.opt.timestep)
        foot = self.foot(x)
        if foot[1] < experiment.ground.height(foot[0], 0.0):
            raise ValueError("the foot starts below ground")
        data.qpos[:], data.qvel[:] = x[:4], x[4:]
        super().__init__(model, data, experiment.ground, preset)
        self._measures = not isinstance(experiment.ground, Flat)

    def foot(self, x: np.ndarray) -> np.ndarray:
        """Return position and velocity of the foot in a state (8,), shape (4,)."""
        foot = np.empty(4)
        self._foot(x, self.controller.beliefs, foot)
        return foot

    def command(self, data: mujoco.MjData) -> None:
        """Ask the controller, which believes the ground level under its foot, where a torque is not held."""
        if self.n_steps % self.hold:
            return
        x = np.concatenate([data.qpos, data.qvel])
        if self._measures:
            believe(self.controller.beliefs, self._ground_under(self.foot(x)[0]))
        data.ctrl[:] = self.controller(data.time, x)

    def sections(self) -> list:
        """Return the apexes in the controller's log; the start is one, too."""
        return [event for event in self.controller.log if event.name in ("start", "apex")]

    def ended(self) -> bool:
        """Return whether the last step is made."""
        return len(self.sections()) > self.most_steps

    def fallen(self) -> str:
        """Return when the leg has fallen, or an empty string."""
        x, z = self.data.qpos[:2]
        if z - self._ground_under(x) < FALLEN:
            return f"fell at t = {self.data.time:.3f} s after {len(self.sections()) - 1} steps"
        return ""

    def before(self) -> tuple:
        """Return time, state, and the controller's memory and phase."""
        return *super().before(), self.controller.memory, self.controller.code

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
    time, qpos, qvel, d, phase, forces = columns
    about, x = (f"mujoco {mujoco.__version__}", status, preset), np.concatenate([qpos, qvel], axis=1)
    outputs = np.concatenate([forces, places(x, d, stepper.controller.beliefs, phase)], axis=1)
    return run_of(experiment, about, _table(stepper), time, qpos, qvel, outputs, phase)


def _table(stepper: SlipLegStepper) -> dict[str, np.ndarray]:
    """Return the table of steps, from the controller's log."""
    rows, last = [], {"touchdown": np.nan, "liftoff": np.nan}
    for event in stepper.controller.log:
        if event.name in last:
            last[event.name] = event.t
        elif event.name in ("start", "apex"):
            rows.append((event.t, *(event.d[getattr(D, name)] for name in STEPS[1:5]), *last.values()))
    return dict(zip(STEPS, np.array(rows).reshape(-1, len(STEPS)).T, strict=True))
