"""The hopping leg in MuJoCo under the controller of the hybrid model, with the same record."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from tarsus.analytic.models.hopping_leg import hip_height
from tarsus.mjcf.compile import compile_model
from tarsus.mjcf.hopping_leg import PRESETS, FootAxis, build
from tarsus.mjcf.presets import find
from tarsus.scripts.library.machines import hops, stepping
from tarsus.scripts.library.machines.hopping_leg import HoppingExperiment, run_of
from tarsus.scripts.library.machines.machine import SAMPLE_PERIOD, Run

ROW = ("joint_angle", "joint_speed", "torque", "foot_force", "foot_contact", "foot_position")


class HoppingLegStepper(stepping.Stepper):
    """The leg in MuJoCo with its controller, called at every step, and the events it noticed.

    Raises:
        ValueError: If the foot starts below ground.
    """

    def __init__(self, experiment: HoppingExperiment, n_hops: int = hops.ENDLESS) -> None:
        controller, ground = experiment.controller(fast=True), experiment.ground
        preset = find(experiment.preset, PRESETS)
        model = compile_model(build(controller.params, ground, preset))
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_forward(model, data)
        x, y, z = data.site("foot_0").xpos
        if z < ground.height(x, y):
            raise ValueError("the foot starts below ground")
        super().__init__(model, data, ground, preset)
        self._foot = data.site("foot_0").xpos
        self.controller, self.n_hops, self.foot_axis = controller, n_hops, FootAxis(model)
        self.params = controller.params
        self._patches.follow(data)
        controller.reset(0.0, data.qpos, data.qvel)
        names = ("touchdown", "liftoff", "apex", "apex_height", "apex_speed")
        self.events: dict[str, list] = {name: [] for name in names}

    def command(self, data: mujoco.MjData) -> None:
        """Ask the controller for the torques, and note what it noticed."""
        was_in_stance = self.controller.in_stance
        # Contact finds a touchdown, the force a liftoff.
        touches = data.sensordata[3] >= self.params.liftoff_force if was_in_stance else data.sensordata[0] > 0
        self.torque = self.controller(data.time, data.qpos, data.qvel, touches)
        if self.controller.in_stance != was_in_stance:
            self.events["touchdown" if self.controller.in_stance else "liftoff"].append(data.time)
        data.ctrl[:] = self.torque

    def advance(self) -> None:
        """Take the step, and note an apex."""
        data, rising = self.data, self.data.qvel[1] < 0
        self.foot_axis.follow(data)
        super().advance()
        if rising and not data.qvel[1] < 0 and not self.controller.in_stance:
            apex = data.time, hip_height(self.params, data.qpos[1]), self.params.LB * data.qvel[0]
            for name, value in zip(("apex", "apex_height", "apex_speed"), apex, strict=True):
                self.events[name].append(value)

    def ended(self) -> bool:
        """Return whether the last hop is hopped."""
        return len(self.events["apex"]) == self.n_hops

    def fallen(self) -> str:
        """Return in what way the leg has fallen, or an empty string."""
        height = hip_height(self.params, self.data.qpos[1])
        return "fell: the hip is too low" if height < self.params.fall_height else ""

    def after(self) -> tuple:
        """Return torques, the ground's force, whether the leg stands, and the foot."""
        return self.torque, self.data.sensordata[1:4], self.controller.in_stance, self._foot


def simulate(
    experiment: HoppingExperiment,
    steps: int | None = None,
    *,
    seconds: float | None = None,
    period: float = SAMPLE_PERIOD,
    fine: bool = True,
    **looks: Any,
) -> Run:
    """Run MuJoCo until the apex of the last hop, or for a time.

    Args:
        experiment: What to run.
        steps: Number of hops.
        seconds: Or for that long, whichever is over first [s].
        period: Between rows of the record, which are whole steps [s].
        fine: Of no consequence: the controller looks at every step.
        **looks: See `stepping.simulate`; `on_frame` is called with (t, qpos, qvel, torque, force, in_stance, foot),
            force and foot in the world frame.

    Raises:
        ValueError: If there is no hop to make, or the foot starts below ground.
    """
    most, limit = hops.limits(steps, seconds)
    stepper = HoppingLegStepper(experiment, most)
    every = max(1, round(period / stepper.model.opt.timestep))
    (time, *columns), status = stepping.simulate(stepper, limit, every, endless=seconds is not None, **looks)
    table = {name: np.array(times) for name, times in stepper.events.items()}
    about = f"mujoco {mujoco.__version__}", status, experiment.preset
    return run_of(experiment, about, time, dict(zip(ROW, columns, strict=True)), table)
