"""The hopping leg under one controller: hops in numbers and the time history as a labelled record; the hybrid engine.

`hopping_mujoco` does the same in MuJoCo. Both give the same names, dimensions and units, so that a comparison, a plot
or an export is one line. World frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import hopping_leg_hybrid as hybrid_leg
from tarsus.analytic.models.hopping_leg import hip_height
from tarsus.analytic.terrain import Flat, Terrain
from tarsus.controllers.raibert import Raibert
from tarsus.scripts.runs.interrupts import unbroken

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
    check_hops(n_hops)
    ground = Flat() if ground is None else ground
    sim = hy.compile(hybrid_leg.build(controller, ground=ground)) if sim is None else sim
    r = unbroken(
        sim.run(
            params=hybrid_leg.numbers(controller.params) | controller.numbers,
            stop_at="apex",
            stop_count=n_hops,
            **{"final_time": n_hops * LONGEST_HOP, "record_period": sample_period, "rtol": 1e-9} | settings,
        )
    )
    e = r.events
    apex = e.of("apex")
    return HopRun(
        status="completed" if len(apex) == n_hops else r.message,
        touchdown=e.t[e.of("touchdown")],
        liftoff=e.t[e.of("liftoff")],
        apex=e.t[apex],
        apex_height=hip_height(controller.params, e.x_plus[apex, 1]),
        apex_speed=controller.params.LB * e.x_plus[apex, 4],
        record=None if sample_period is None else _hybrid_record(r, controller, ground),
    )


def check_hops(n_hops: int) -> None:
    if not n_hops >= 1:
        raise ValueError(f"the number of hops must be at least 1, got {n_hops}")


def _hybrid_record(r: hy.Result, controller: Raibert, ground: Terrain) -> xr.Dataset:
    aux = dict(zip(hybrid_leg.AUX, r.aux.T, strict=True))
    radial = r.d[:, hybrid_leg.FRAME : hybrid_leg.FRAME + 2]
    force = np.stack([-radial[:, 1] * aux["F_Y"], radial[:, 0] * aux["F_Y"], aux["F_Z"]], axis=1)
    keep = np.append(np.diff(r.t) > 0, True)[: r.t.size]  # an instant with an event counts once, after it
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
    return labelled_record(r.t[keep], kept, "tarsus hybrid", r.message, controller, ground)


def labelled_record(time, values: dict, engine: str, status: str, controller: Raibert, ground: Terrain) -> xr.Dataset:
    columns = {
        name: (dims, values[name], {"units": unit, "long_name": text}) for name, (dims, unit, text) in SCHEMA.items()
    }
    coords = {"time": ("time", time, {"units": "s"}), "joint": list(JOINTS), "motor": list(MOTORS), "axis": list(AXES)}
    attrs = {"engine": engine, "status": status, "gains": repr(controller.gains), "terrain": repr(ground)}
    return xr.Dataset(columns, coords, attrs)
