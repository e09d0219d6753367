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
from tarsus.mjcf.terrain import GroundPatches
from tarsus.scripts.runs.hopping_runs import LONGEST_HOP, SCHEMA, HopRun, check_hops, labelled_record


def mujoco_run(
    controller: Raibert,
    n_hops: int,
    *,
    ground: Terrain | None = None,
    preset: str | Preset = "reference",
    sample_period: float | None = None,
    on_row: Callable | None = None,
) -> HopRun:
    """Run MuJoCo until the apex of the last hop, the controller called at every physics step.

    Args:
        controller: The controller, with the leg it controls.
        n_hops: Number of hops.
        ground: Flat by default.
        preset: Settings or a name from `mjcf.hopping_leg.PRESETS`.
        sample_period: Between rows of the record [s]; None keeps none.
        on_row: Called with (t, qpos, qvel, torque, force, in_stance) at every row, force in the world frame; a true
            return value stops the run.

    Raises:
        ValueError: If there is no hop to make, or the foot starts below ground.
    """
    check_hops(n_hops)
    ground = Flat() if ground is None else ground
    stepper = Stepper(controller, ground, find(preset, PRESETS))
    rows = _Rows(None if sample_period is None else max(1, round(sample_period / stepper.timestep)))
    status = "the time allowed ran out"
    for k in range(round(n_hops * LONGEST_HOP / stepper.timestep)):
        stepper.step(k)
        if rows.take(k, stepper) and on_row is not None and on_row(*stepper.instant()):
            status = "stopped"
            break
        if stepper.bad():
            status = stepper.bad()
            break
        if len(stepper.events["apex"]) == n_hops:
            status = "completed"
            break
    events = {name: np.array(times) for name, times in stepper.events.items()}
    record = None
    if rows.every:
        record = labelled_record(*rows.table(), f"mujoco {mujoco.__version__}", status, controller, ground)
    return HopRun(
        status=status,
        **events,
        record=record,
    )


class Stepper:
    """The leg in MuJoCo with its controller, one physics step after the other, and the events it noticed.

    Raises:
        ValueError: If the foot starts below ground.
    """

    def __init__(self, controller: Raibert, ground: Terrain, preset: Preset) -> None:
        self.model = compile_model(build(controller.params, ground, preset))
        self.data = mujoco.MjData(self.model)
        self.controller, self.timestep = controller, self.model.opt.timestep
        self.foot_axis = FootAxis(self.model)
        self.patches, self.follow_every = GroundPatches(self.model, ground), preset.follow_every
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        mujoco.mj_forward(self.model, self.data)
        x, y, z = self.data.site_xpos[0]
        if z < ground.height(x, y):
            raise ValueError("the foot starts below ground")
        self.patches.follow(self.data)
        controller.reset(0.0, self.data.qpos, self.data.qvel)
        self.events: dict[str, list] = {
            name: [] for name in ("touchdown", "liftoff", "apex", "apex_height", "apex_speed")
        }

    def step(self, k: int) -> None:
        """Take one step; afterwards `before` is the state it started from, and forces belong to that."""
        data, controller = self.data, self.controller
        t, qpos, qvel = data.time, data.qpos, data.qvel
        was_in_stance, rising = controller.in_stance, qvel[1] < 0
        self.torque = controller(t, qpos, qvel, self._touches())
        self.before = (t, qpos.copy(), qvel.copy())
        if controller.in_stance != was_in_stance:
            self.events["touchdown" if controller.in_stance else "liftoff"].append(t)
        data.ctrl[:] = self.torque
        if self.patches and k % self.follow_every == 0:
            self.patches.follow(data)
        self.foot_axis.follow(data)
        mujoco.mj_step(self.model, data)
        if rising and not data.qvel[1] < 0 and not controller.in_stance:
            self._note_apex()

    def instant(self) -> tuple:
        """Return time, qpos, qvel, torques and the ground's force before the step, and whether the leg stands."""
        return *self.before, self.torque, self.data.sensordata[1:4].copy(), self.controller.in_stance

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

    def bad(self) -> str:
        """Return what is wrong, or an empty string."""
        if any(self.data.warning[kind].number for kind in _DIVERGED):
            return "diverged: MuJoCo found numbers that are not finite or far too large"
        low = hip_height(self.controller.params, self.data.qpos[1]) < self.controller.params.fall_height
        return "fell: the hip is too low" if low else ""


_DIVERGED = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)


class _Rows:
    """The rows of a record, one in `every` steps."""

    def __init__(self, every: int | None) -> None:
        self.every, self.rows = every, []

    def take(self, k: int, stepper: Stepper) -> bool:
        """Keep a row of the step just taken, if one is due."""
        if not self.every or k % self.every:
            return False
        t, qpos, qvel, torque, force, in_stance = stepper.instant()
        height = hip_height(stepper.controller.params, qpos[1])
        foot = stepper.data.site_xpos[0].copy()  # of the state before the step, as all that MuJoCo derives
        self.rows.append((t, qpos, qvel, torque, height, foot, force, in_stance))
        return True

    def table(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the times and the variables."""
        time, *columns = (np.array(column) for column in zip(*self.rows, strict=True))
        return time, dict(zip(SCHEMA, columns, strict=True))
