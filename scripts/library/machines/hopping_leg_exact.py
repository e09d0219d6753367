"""The hopping leg under its controller in the hybrid engine; `hopping_leg_mujoco` does the same in MuJoCo."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import hopping_leg_hybrid as hybrid_leg
from tarsus.analytic.models.hopping_leg import hip_height
from tarsus.scripts.library.machines import hops
from tarsus.scripts.library.machines.hopping_leg import HoppingExperiment, run_of
from tarsus.scripts.library.machines.machine import SAMPLE_PERIOD, Run


def simulate(
    experiment: HoppingExperiment,
    steps: int | None = None,
    *,
    seconds: float | None = None,
    period: float | None = SAMPLE_PERIOD,
    sim: hy.Simulator | None = None,
    **settings: Any,
) -> Run:
    """Run the hybrid model until the apex of the last hop, or for a time.

    Args:
        experiment: What to run.
        steps: Number of hops.
        seconds: Or for that long, whichever is over first [s].
        period: Between rows of the record [s]; None keeps none.
        sim: A compiled model of the same leg and ground, to use again with this controller's gains.
        **settings: See `hybrid.Options`.
    """
    controller, params = experiment.controller(), experiment.params
    sim = hy.compile(hybrid_leg.build(controller, ground=experiment.ground)) if sim is None else sim
    settings |= {"params": hybrid_leg.numbers(params) | controller.numbers, "record_period": period}
    result, keep, status = hops.exact(sim, None, steps, seconds, **settings)
    events, apex = result.events, result.events.of("apex")
    table = {
        "touchdown": events.t[events.of("touchdown")],
        "liftoff": events.t[events.of("liftoff")],
        "apex": events.t[apex],
        "apex_height": hip_height(params, events.x_plus[apex, 1]),
        "apex_speed": params.LB * events.x_plus[apex, 4],
    }
    values = None if period is None else {name: value[keep] for name, value in _values(result).items()}
    return run_of(experiment, ("tarsus hybrid", status, "exact"), result.t[keep], values, table)


def _values(result: hy.Result) -> dict[str, np.ndarray]:
    """Return the variables of the rows."""
    aux = dict(zip(hybrid_leg.AUX, result.aux.T, strict=True))
    radial = result.d[:, hybrid_leg.FRAME : hybrid_leg.FRAME + 2]
    return {
        "joint_angle": result.x[:, :4],
        "joint_speed": result.x[:, 4:],
        "torque": np.stack([aux["u_hip"], aux["u_knee"]], axis=1),
        "foot_position": np.stack([aux["toe_x"], aux["toe_y"], aux["toe_z"]], axis=1),
        "foot_force": np.stack([-radial[:, 1] * aux["F_Y"], radial[:, 0] * aux["F_Y"], aux["F_Z"]], axis=1),
        "foot_contact": result.chart == hybrid_leg.STANCE,
    }
