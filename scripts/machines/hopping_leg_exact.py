"""The hopping leg under its controller in the hybrid engine; `hopping_leg_mujoco` does the same in MuJoCo."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import hopping_leg_hybrid as hybrid_leg
from tarsus.analytic.models.hopping_leg import hip_height
from tarsus.analytic.terrain import Flat, Terrain
from tarsus.controllers.raibert import Raibert
from tarsus.scripts.machines.hopping_leg import check_hops, run_of
from tarsus.scripts.machines.machine import Run, RunStatus
from tarsus.scripts.runs.interrupts import unbroken

LONGEST_HOP = 1.0  # a run of n hops ends after n times this [s]
ENDLESS = 10**6  # hops: the time ends the run


def hybrid_run(
    controller: Raibert,
    n_hops: int | None = None,
    *,
    seconds: float | None = None,
    ground: Terrain | None = None,
    sim: hy.Simulator | None = None,
    sample_period: float | None = None,
    **settings: Any,
) -> Run:
    """Run the hybrid model until the apex of the last hop, or for a time.

    Args:
        controller: The controller, with the leg it controls.
        n_hops: Number of hops.
        seconds: Or for that long, whichever is over first [s].
        ground: Flat by default.
        sim: A compiled model of the same leg and ground, to use again with this controller's gains.
        sample_period: Between rows of the record [s]; None keeps none.
        **settings: See `hybrid.Options`.
    """
    n_hops = ENDLESS if n_hops is None else n_hops
    check_hops(n_hops)
    ground = Flat() if ground is None else ground
    sim = hy.compile(hybrid_leg.build(controller, ground=ground)) if sim is None else sim
    r = unbroken(
        sim.run(
            params=hybrid_leg.numbers(controller.params) | controller.numbers,
            stop_at="apex",
            stop_count=n_hops,
            final_time=n_hops * LONGEST_HOP if seconds is None else seconds,
            **{"record_period": sample_period, "rtol": 1e-9} | settings,
        )
    )
    e = r.events
    apex = e.of("apex")
    done = len(apex) == n_hops or (seconds is not None and r.status is hy.Status.FINAL_TIME)
    steps = {
        "touchdown": e.t[e.of("touchdown")],
        "liftoff": e.t[e.of("liftoff")],
        "apex": e.t[apex],
        "apex_height": hip_height(controller.params, e.x_plus[apex, 1]),
        "apex_speed": controller.params.LB * e.x_plus[apex, 4],
    }
    about = "tarsus hybrid", RunStatus.COMPLETED if done else r.message, "exact"
    time, values = (None, None) if sample_period is None else _rows(r)
    return run_of(controller, ground, about, time, values, steps)


def _rows(r: hy.Result) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return times and variables of the rows; an instant with an event counts once, after it."""
    aux = dict(zip(hybrid_leg.AUX, r.aux.T, strict=True))
    radial = r.d[:, hybrid_leg.FRAME : hybrid_leg.FRAME + 2]
    keep = np.append(np.diff(r.t) > 0, True)[: r.t.size]
    values = {
        "joint_angle": r.x[:, :4],
        "joint_speed": r.x[:, 4:],
        "torque": np.stack([aux["u_hip"], aux["u_knee"]], axis=1),
        "foot_position": np.stack([aux["toe_x"], aux["toe_y"], aux["toe_z"]], axis=1),
        "foot_force": np.stack([-radial[:, 1] * aux["F_Y"], radial[:, 0] * aux["F_Y"], aux["F_Z"]], axis=1),
        "foot_contact": r.chart == hybrid_leg.STANCE,
    }
    return r.t[keep], {name: value[keep] for name, value in values.items()}
