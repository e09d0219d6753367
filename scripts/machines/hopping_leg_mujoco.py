"""The hopping leg in MuJoCo under the controller of the hybrid model, with the same record."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from tarsus.analytic.models.hopping_leg import hip_height
from tarsus.analytic.terrain import Flat, Terrain
from tarsus.controllers.raibert import Raibert
from tarsus.mjcf.compile import compile_model
from tarsus.mjcf.hopping_leg import PRESETS, FootAxis, build
from tarsus.mjcf.presets import Preset, find
from tarsus.scripts.machines import stepping
from tarsus.scripts.machines.hopping_leg import check_hops, run_of
from tarsus.scripts.machines.hopping_leg_exact import ENDLESS, LONGEST_HOP
from tarsus.scripts.machines.machine import SAMPLE_PERIOD, Run, RunStatus

ROW = ("joint_angle", "joint_speed", "torque", "foot_force", "foot_contact", "foot_position")


class HoppingLegStepper(stepping.Stepper):
    """The leg in MuJoCo with its controller, called at every step, and the events it noticed.

    Raises:
        ValueError: If the foot starts below ground.
    """

    def __init__(self, controller: Raibert, ground: Terrain, preset: Preset, n_hops: int = ENDLESS) -> None:
        model = compile_model(build(controller.params, ground, preset))
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_forward(model, data)
        x, y, z = data.site_xpos[0]
        if z < ground.height(x, y):
            raise ValueError("the foot starts below ground")
        super().__init__(model, data, ground, preset)
        self.controller, self.n_hops, self.foot_axis = controller, n_hops, FootAxis(model)
        self._patches.follow(data)
        controller.reset(0.0, data.qpos, data.qvel)
        names = ("touchdown", "liftoff", "apex", "apex_height", "apex_speed")
        self.events: dict[str, list] = {name: [] for name in names}

    def command(self, data: mujoco.MjData) -> None:
        """Ask the controller for the torques, and note what it noticed."""
        was_in_stance = self.controller.in_stance
        self.torque = self.controller(data.time, data.qpos, data.qvel, self._touches())
        if self.controller.in_stance != was_in_stance:
            self.events["touchdown" if self.controller.in_stance else "liftoff"].append(data.time)
        data.ctrl[:] = self.torque

    def advance(self) -> None:
        """Take the step, and note an apex."""
        rising = self.data.qvel[1] < 0
        self.foot_axis.follow(self.data)
        super().advance()
        if rising and not self.data.qvel[1] < 0 and not self.controller.in_stance:
            self._note_apex()

    def ended(self) -> bool:
        """Return whether the last hop is hopped."""
        return len(self.events["apex"]) == self.n_hops

    def fallen(self) -> str:
        """Return in what way the leg has fallen, or an empty string."""
        params = self.controller.params
        return "fell: the hip is too low" if hip_height(params, self.data.qpos[1]) < params.fall_height else ""

    def after(self) -> tuple:
        """Return torques, the ground's force, whether the leg stands, and the foot."""
        return self.torque, self.data.sensordata[1:4], self.controller.in_stance, self.data.site_xpos[0]

    def _touches(self) -> bool:
        """Return whether the foot is on the ground: contact finds a touchdown, the force a liftoff."""
        if not self.controller.in_stance:
            return self.data.sensordata[0] > 0
        return self.data.sensordata[3] >= self.controller.params.liftoff_force

    def _note_apex(self) -> None:
        data, params = self.data, self.controller.params
        self.events["apex"].append(data.time)
        self.events["apex_height"].append(hip_height(params, data.qpos[1]))
        self.events["apex_speed"].append(params.LB * data.qvel[0])


def mujoco_run(
    controller: Raibert,
    n_hops: int | None = None,
    *,
    seconds: float | None = None,
    ground: Terrain | None = None,
    preset: str | Preset = "reference",
    sample_period: float = SAMPLE_PERIOD,
    on_frame: Callable | None = None,
    progress: bool = False,
) -> Run:
    """Run MuJoCo until the apex of the last hop, or for a time.

    Args:
        controller: The controller, with the leg it controls.
        n_hops: Number of hops.
        seconds: Or for that long, whichever is over first [s].
        ground: Flat by default.
        preset: Settings or a name from `mjcf.hopping_leg.PRESETS`.
        sample_period: Between rows of the record, which are whole steps [s].
        on_frame: Called with (t, qpos, qvel, torque, force, in_stance, foot) at every row, force and foot in the world
            frame; a true return value stops the run.
        progress: Whether to show a progress bar.

    Raises:
        ValueError: If there is no hop to make, or the foot starts below ground.
    """
    n_hops = ENDLESS if n_hops is None else n_hops
    check_hops(n_hops)
    ground = Flat() if ground is None else ground
    stepper = HoppingLegStepper(controller, ground, find(preset, PRESETS), n_hops)
    every = max(1, round(sample_period / stepper.model.opt.timestep))
    limit = n_hops * LONGEST_HOP if seconds is None else seconds
    (time, *columns), status = stepping.simulate(stepper, limit, every, on_frame=on_frame, progress=progress)
    if seconds is None and status == RunStatus.COMPLETED and not stepper.ended():
        status = "the time allowed ran out"
    steps = {name: np.array(times) for name, times in stepper.events.items()}
    about = f"mujoco {mujoco.__version__}", status, preset if isinstance(preset, str) else repr(preset)
    return run_of(controller, ground, about, time, dict(zip(ROW, columns, strict=True)), steps)
