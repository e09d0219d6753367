"""The hopping leg under one controller in either engine: hops in numbers, and the time history as a labelled record.

Both give the same names, dimensions and units, so that a comparison, a plot or an export is one line. World frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import xarray as xr

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import hopping_leg_hybrid as hybrid_leg
from tarsus.analytic.models.hopping_leg import HoppingLegParams, hip_height
from tarsus.analytic.models.hopping_leg_laws import RaibertGains
from tarsus.analytic.terrain import Flat, Terrain
from tarsus.controllers.raibert import Raibert
from tarsus.mjcf.compile import compile_model
from tarsus.mjcf.hopping_leg import PRESETS, FootAxis, build
from tarsus.mjcf.presets import Preset, find
from tarsus.mjcf.terrain import GroundPatches

JOINTS, MOTORS, AXES = ("yaw", "pitch", "hip", "knee"), ("hip", "knee"), ("x", "y", "z")
SCHEMA = {  # dimensions, unit and long name of every variable of a record
    "joint_angle": (("time", "joint"), "rad", "yaw and pitch of the boom, hip, knee"),
    "joint_speed": (("time", "joint"), "rad/s", "rates of the joint angles"),
    "torque": (("time", "motor"), "N m", "torques of hip and knee, after the motors' limits"),
    "hip_height": (("time",), "m", "height of the hip"),
    "foot_position": (("time", "axis"), "m", "the foot, world frame"),
    "foot_force": (("time", "axis"), "N", "force of the ground on the foot, world frame"),
    "foot_contact": (("time",), "1", "whether the foot is on the ground"),
}
FORCE_FILTER = 1e-4  # time constant of the force that a simulated liftoff is read from [s]: raw force chatters
FIRST_FORCE = 30.0  # that the filter starts from at a touchdown [N]; from zero it would see a liftoff at once
LONGEST_HOP = 1.0  # a run of n hops ends after n times this [s]


@dataclass(frozen=True)
class HopRun:
    """What a run gave."""

    status: str  # a sentence; "completed" if all hops were hopped
    touchdown: np.ndarray  # (n,) times [s]
    liftoff: np.ndarray  # (n,) times [s]
    apex: np.ndarray  # (n,) times [s]
    apex_height: np.ndarray  # (n,) of the hip [m]
    apex_speed: np.ndarray  # (n,) of the hip along its circle [m/s]
    record: xr.Dataset | None  # the time history, if it was asked for

    @property
    def completed(self) -> bool:
        """Whether all hops were hopped."""
        return self.status == "completed"

    def steady(self, last: int = 10) -> dict[str, float]:
        """Return the means over the last hops: period, stance time [s], apex height [m], its spread, speed [m/s]."""
        n = min(len(self.touchdown), len(self.liftoff))
        stance = self.liftoff[:n] - self.touchdown[:n]
        heights = self.apex_height[-last:]
        return {
            "period": float(np.mean(np.diff(self.touchdown)[-last:])),
            "stance_time": float(np.mean(stance[-last:])),
            "apex_height": float(np.mean(heights)),
            "apex_spread": float(np.ptp(heights)),
            "speed": float(np.mean(self.apex_speed[-last:])),
        }


def hybrid_run(
    controller: Raibert,
    n_hops: int,
    *,
    ground: Terrain | None = None,
    sim: hy.Simulator | None = None,
    sample_period: float | None = None,
    **settings: Any,
) -> HopRun:
    """Run the hybrid model until the apex of the last hop.

    Args:
        controller: The controller, with the leg it controls.
        n_hops: Number of hops.
        ground: Flat by default.
        sim: A compiled model of the same leg and ground, to use again with this controller's gains.
        sample_period: Between rows of the record [s]; None keeps none.
        **settings: See `hybrid.Options`.
    """
    _check_hops(n_hops)
    ground = Flat() if ground is None else ground
    sim = hy.compile(hybrid_leg.build(controller, ground=ground)) if sim is None else sim
    r = sim.run(
        params=hybrid_leg.numbers(controller.params) | controller.numbers,
        stop_at="apex",
        stop_count=n_hops,
        **{"final_time": n_hops * LONGEST_HOP, "record_period": sample_period, "rtol": 1e-9} | settings,
    )
    e = r.events
    apex = e.of("apex")
    return HopRun(
        status="completed" if r.status is hy.Status.STOPPED else r.message,
        touchdown=e.t[e.of("touchdown")],
        liftoff=e.t[e.of("liftoff")],
        apex=e.t[apex],
        apex_height=hip_height(controller.params, e.x_plus[apex, 1]),
        apex_speed=controller.params.LB * e.x_plus[apex, 4],
        record=None if sample_period is None else _hybrid_record(r, controller, ground),
    )


def _check_hops(n_hops: int) -> None:
    if not n_hops >= 1:
        raise ValueError(f"the number of hops must be at least 1, got {n_hops}")


def _hybrid_record(r: hy.Result, controller: Raibert, ground: Terrain) -> xr.Dataset:
    aux = dict(zip(hybrid_leg.AUX, r.aux.T, strict=True))
    radial = r.d[:, hybrid_leg.FRAME : hybrid_leg.FRAME + 2]
    force = np.stack([-radial[:, 1] * aux["F_Y"], radial[:, 0] * aux["F_Y"], aux["F_Z"]], axis=1)
    keep = np.append(np.diff(r.t) > 0, True)  # an instant with an event counts once, after it
    values = {
        "joint_angle": r.x[:, :4],
        "joint_speed": r.x[:, 4:],
        "torque": np.stack([aux["u_hip"], aux["u_knee"]], axis=1),
        "hip_height": aux["hip_z"],
        "foot_position": np.stack([aux["toe_x"], aux["toe_y"], aux["toe_z"]], axis=1),
        "foot_force": force,
        "foot_contact": r.chart == hybrid_leg.STANCE,
    }
    kept = {name: value[keep] for name, value in values.items()}
    return _record(r.t[keep], kept, "tarsus hybrid", r.message, controller, ground)


def _record(time, values: dict, engine: str, status: str, controller: Raibert, ground: Terrain) -> xr.Dataset:
    columns = {
        name: (dims, values[name], {"units": unit, "long_name": text}) for name, (dims, unit, text) in SCHEMA.items()
    }
    coords = {"time": ("time", time, {"units": "s"}), "joint": list(JOINTS), "motor": list(MOTORS), "axis": list(AXES)}
    attrs = {"engine": engine, "status": status, "gains": repr(controller.gains), "terrain": repr(ground)}
    return xr.Dataset(columns, coords, attrs)


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
        on_row: Called with (t, qpos, qvel) at every row; a true return value stops the run.
    """
    _check_hops(n_hops)
    ground = Flat() if ground is None else ground
    stepper = _Stepper(controller, ground, find(preset, PRESETS))
    rows = _Rows(None if sample_period is None else max(1, round(sample_period / stepper.timestep)))
    status = "the time allowed ran out"
    for k in range(round(n_hops * LONGEST_HOP / stepper.timestep)):
        stepper.step(k)
        if rows.take(k, stepper) and on_row is not None and on_row(*stepper.before):
            status = "stopped"
            break
        if stepper.bad():
            status = stepper.bad()
            break
        if len(stepper.events["apex"]) == n_hops:
            status = "completed"
            break
    events = {name: np.array(times) for name, times in stepper.events.items()}
    record = rows.table() if rows.every else None
    return HopRun(
        status=status,
        **events,
        record=None if record is None else _record(*record, f"mujoco {mujoco.__version__}", status, controller, ground),
    )


class _Stepper:
    """The leg in MuJoCo with its controller, one physics step after the other, and the events it noticed."""

    def __init__(self, controller: Raibert, ground: Terrain, preset: Preset) -> None:
        self.model = compile_model(build(controller.params, ground, preset))
        self.data = mujoco.MjData(self.model)
        self.controller, self.timestep = controller, self.model.opt.timestep
        self.foot_axis = FootAxis(self.model)
        self.patches, self.follow_every = GroundPatches(self.model, ground), preset.follow_every
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        mujoco.mj_forward(self.model, self.data)
        self.patches.follow(self.data)
        controller.reset(0.0, self.data.qpos, self.data.qvel)
        self.share = self.timestep / (self.timestep + FORCE_FILTER)
        self.force = 0.0
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
        self.force += self.share * (data.sensordata[3] - self.force)
        if rising and not data.qvel[1] < 0 and not controller.in_stance:
            self._note_apex()

    def _touches(self) -> bool:
        """Return whether the foot is on the ground: the raw contact finds a touchdown, the filtered force a liftoff."""
        if not self.controller.in_stance:
            self.force = FIRST_FORCE
            return self.data.sensordata[0] > 0
        return self.force >= self.controller.params.liftoff_force

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

    def take(self, k: int, stepper: _Stepper) -> bool:
        """Keep a row of the step just taken, if one is due."""
        if not self.every or k % self.every:
            return False
        data, (t, qpos, qvel) = stepper.data, stepper.before
        height = hip_height(stepper.controller.params, qpos[1])
        foot = data.site_xpos[0].copy()  # of the state before the step, as all that MuJoCo derives
        force = data.sensordata[1:4].copy()
        self.rows.append((t, qpos, qvel, stepper.torque, height, foot, force, stepper.controller.in_stance))
        return True

    def table(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the times and the variables."""
        time, *columns = (np.array(column) for column in zip(*self.rows, strict=True))
        return time, dict(zip(SCHEMA, columns, strict=True))


def controllers(speeds: tuple[float, ...], params: HoppingLegParams | None = None) -> list[Raibert]:
    """Return a controller for each commanded speed [m/s]."""
    return [Raibert(RaibertGains(speed=speed), params, fast=True) for speed in speeds]
