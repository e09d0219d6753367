"""Running the exact hexapod under the clock, into the same labelled record that a MuJoCo run gives.

A row is the state at an exact multiple of the period, with the forces of that instant.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import xarray as xr

from tarsus.analytic import hybrid as hy
from tarsus.analytic.battery import Battery
from tarsus.analytic.models.hexapod import N_LEGS, hybrid
from tarsus.analytic.models.hexapod.layout import Variants
from tarsus.analytic.models.hexapod.outputs import BODY, LEG_OUTPUTS
from tarsus.analytic.models.hexapod.state import SCALE, joints_of, start, toes_of
from tarsus.analytic.terrain import Terrain
from tarsus.controllers.clock import ClockController
from tarsus.controllers.pd import nearest_turn
from tarsus.scripts.runs import record
from tarsus.scripts.runs.experiment import Experiment
from tarsus.scripts.runs.interrupts import unbroken
from tarsus.scripts.runs.simulate import SAMPLE_PERIOD, Run, Status

RTOL = 1e-6  # a walk's position is then right to 0.1 um after 6 s, its energy balance to 1e-7 of the motors' work


@lru_cache(maxsize=8)
def simulator(terrain: Terrain) -> hy.Simulator:
    """Return the compiled hexapod on a kind of ground; parameters and gait are arguments of a run."""
    return hy.compile(hybrid.build(terrain=terrain))


def run(
    experiment: Experiment,
    seconds: float,
    *,
    x0: np.ndarray | None = None,
    variants: Variants | None = None,
    rtol: float = RTOL,
    record_period: float | None = SAMPLE_PERIOD,
) -> hy.Result:
    """Return the engine's result of a run; see `simulate`."""
    model = hybrid.build(experiment.params, experiment.ground, "open-loop", gait=experiment.gait, variants=variants)
    sim = simulator(experiment.ground)
    x0 = start(experiment.params, experiment.ground, experiment.gait.clock()(0.0)[0]) if x0 is None else x0
    params = dict(zip(model.param_names, model.p0, strict=True))
    settings = {"final_time": seconds, "rtol": rtol, "atol": rtol * SCALE, "record_period": record_period}
    return unbroken(sim.run(x0, params=params, **settings))


def simulate(experiment: Experiment, seconds: float, **options) -> Run:
    """Return the record of a run, as `scripts.simulate.simulate` does for MuJoCo.

    Args:
        experiment: What to run; its preset is not used.
        seconds: For how long [s].
        options: `x0`, the state to start from (`hexapod.state.assemble`); `variants`; `rtol`; `record_period` [s].
    """
    result = run(experiment, seconds, **options)
    made, status = to_record(experiment, result), _status(result)
    return Run(made, status, "" if status is Status.COMPLETED else result.message)


def _status(result: hy.Result) -> Status:
    """Return how a run ended.

    Raises:
        RuntimeError: If the engine gave up, which is neither a walk nor a fall.
    """
    if result.status is hy.Status.FINAL_TIME:
        return Status.COMPLETED
    if "guard tip" in result.message:
        return Status.TOPPLED
    if "guard topple" in result.message:
        return Status.FELL
    raise RuntimeError(f"the exact engine stopped: {result.message}")


def to_record(experiment: Experiment, result: hy.Result) -> xr.Dataset:
    """Return the labelled record of a result."""
    keep = np.concatenate([[True], np.diff(result.t) > 0])
    x, aux, time = result.x[keep], result.aux[keep], result.t[keep]
    legs = dict(
        zip(LEG_OUTPUTS, np.moveaxis(aux[:, len(BODY) :].reshape(-1, N_LEGS, len(LEG_OUTPUTS)), -1, 0), strict=True)
    )
    joints, rates = joints_of(experiment.params, x)
    hip_angle = np.unwrap(joints[..., 0], axis=0)
    reference, rate = ClockController(experiment.gait).clock(time)
    modes = result.chart[keep][:, None] >> (2 * np.arange(N_LEGS)) & 3
    variables = {
        "body_position": x[:, :3],
        "body_orientation": x[:, 3:7] / np.linalg.norm(x[:, 3:7], axis=-1, keepdims=True),
        "body_velocity": x[:, 7:10],
        "body_angular_velocity_b": x[:, 10:13],
        "hip_angle": hip_angle,
        "hip_speed": rates[..., 0],
        "hip_reference": nearest_turn(reference, hip_angle),
        "hip_reference_rate": rate,
        "splay": joints[..., 1],
        "leg_length": joints[..., 2],
        "hip_torque": legs["hip_torque"],
        "torque_command": legs["torque_command"],
        "foot_position": toes_of(x)[0],
        "foot_force": np.stack([legs["force_x"], legs["force_y"], legs["force_z"]], axis=-1),
        "foot_contact": modes > 0,
        "motor_current": legs["current"],
        "motor_voltage": legs["voltage"],
        "battery_drain": Battery().drain_rate(legs["current"], legs["voltage"]),
    }
    attrs = record.describe(
        f"tarsus hybrid {result.status.name}",
        _status(result).value,
        "exact",
        experiment.params,
        experiment.gait,
        experiment.ground,
    )
    return record.build(time, variables, attrs)
