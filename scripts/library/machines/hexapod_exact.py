"""Running the exact hexapod under the clock, into the same labelled record that a MuJoCo run gives.

A row is the state at an exact multiple of the period, with the forces of that instant.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import xarray as xr

from tarsus.analytic import hybrid as hy
from tarsus.analytic.battery import Battery
from tarsus.analytic.models.hexapod import N_LEGS, energy, hybrid
from tarsus.analytic.models.hexapod.layout import Variants
from tarsus.analytic.models.hexapod.outputs import BODY, LEG_OUTPUTS
from tarsus.analytic.models.hexapod.state import SCALE, joints_of, start, toes_of
from tarsus.analytic.terrain import Terrain
from tarsus.controllers.clock import ClockController
from tarsus.controllers.pd import nearest_turn
from tarsus.mjcf.hexapod_state import to_exact
from tarsus.scripts.library.machines.hexapod_experiment import HexapodExperiment
from tarsus.scripts.library.machines.outcome import SAMPLE_PERIOD, Run, RunStatus
from tarsus.scripts.library.records import electric, record

FALLS = {"tip": RunStatus.TOPPLED, "topple": RunStatus.FELL}  # guards at which a walk ends
RTOL = 1e-6  # a walk's position is then right to 0.1 um after 6 s, its energy balance to 1e-6 of the motors' work


@lru_cache(maxsize=8)
def simulator(terrain: Terrain, method: str | None = None) -> hy.Simulator:
    """Return the compiled hexapod on a kind of ground; parameters and gait are arguments of a run."""
    return hy.compile(hybrid.build(terrain=terrain), method)


def run(
    experiment: HexapodExperiment,
    seconds: float,
    *,
    x0: np.ndarray | None = None,
    variants: Variants | None = None,
    rtol: float = RTOL,
    record_period: float | None = SAMPLE_PERIOD,
    **options: Any,
) -> hy.Result:
    """Return the engine's result of a run; see `simulate`."""
    model = hybrid.build(experiment.params, experiment.ground, "open-loop", gait=experiment.gait, variants=variants)
    sim = simulator(experiment.ground, experiment.method)
    x0 = start_of(experiment) if x0 is None else x0
    params = dict(zip(model.param_names, model.p0, strict=True))
    settings = {"final_time": seconds, "rtol": rtol, "atol": rtol * SCALE, "record_period": record_period}
    return sim.run(x0, params=params, **settings, **options)


def start_of(experiment: HexapodExperiment) -> np.ndarray:
    """Return the engine's state of an experiment's start."""
    if experiment.begin is None:
        return start(experiment.params, experiment.ground, experiment.gait.clock()(0.0)[0])
    return to_exact(experiment.params, experiment.begin.qpos, experiment.begin.qvel)


def simulate(
    experiment: HexapodExperiment,
    seconds: float,
    period: float | None = SAMPLE_PERIOD,
    *,
    slide_speed: float | None = None,
    **options: Any,
) -> Run:
    """Return a run with its record, as `hexapod_mujoco.simulate` does for MuJoCo.

    Args:
        experiment: What to run; its preset is not used.
        seconds: For how long [s].
        period: Between rows of the record [s].
        slide_speed: A sliding foot slower than that may stick [m/s]; the model's by default.
        options: `x0`, the state to start from (`hexapod.state.assemble`); `variants`; `rtol`; and the engine's
            own.

    Raises:
        RuntimeError: If the engine could not begin or go on.
    """
    if slide_speed is not None:
        options["variants"] = Variants(slide_speed=slide_speed)
    result = run(experiment, seconds, record_period=period, **options)
    if not len(result.t):
        raise RuntimeError(f"the exact engine refused the start: {result.message}")
    made, status = to_record(experiment, result, options.get("variants")), _status(result)
    feet = tuple(_stances(result, leg) for leg in range(N_LEGS))
    return Run(made, status, "" if status is RunStatus.COMPLETED else result.message, feet)


def _status(result: hy.Result) -> RunStatus:
    """Return the status of a run; RuntimeError if the engine gave up, which is neither a walk nor a fall."""
    if result.status is hy.Status.FINAL_TIME:
        return RunStatus.COMPLETED
    if result.status is hy.Status.STOPPED:
        return RunStatus.STOPPED
    if result.guard in FALLS:
        return FALLS[result.guard]
    raise RuntimeError(f"the exact engine stopped: {result.message}")


def to_record(experiment: HexapodExperiment, result: hy.Result, variants: Variants | None = None) -> xr.Dataset:
    """Return the labelled record of a result, with its energy budget."""
    keep = np.concatenate([[True], np.diff(result.t) > 0])
    x, aux, time, d = result.x[keep], result.aux[keep], result.t[keep], result.d[keep]
    legs = dict(
        zip(LEG_OUTPUTS, np.moveaxis(aux[:, len(BODY) :].reshape(-1, N_LEGS, len(LEG_OUTPUTS)), -1, 0), strict=True)
    )
    joints, rates = joints_of(experiment.params, x)
    hip_angle = np.unwrap(joints[..., 0], axis=0)
    reference, rate = ClockController(experiment.gait).clock(time)
    motor = experiment.params.motor
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
        "battery_drain": Battery(nominal_voltage=motor.supply_voltage).drain_rate(legs["current"], legs["voltage"]),
        "energy": energy.energy(experiment.params, x, variants or Variants()),
        "motor_work": energy.motor_work(x),
        "damper_loss": energy.damper_loss(x),
        "contact_loss": energy.slide_loss(x) + energy.impact_loss(d),
    }
    variables |= electric.powers(motor, legs["current"], legs["voltage"])
    engine = f"tarsus hybrid {result.status.name}"
    about = experiment.params, experiment.gait, experiment.ground
    return record.build(time, variables, record.describe(engine, _status(result), "exact", *about))


def _stances(result: hy.Result, leg: int) -> np.ndarray:
    """Return a toe's stances from the event log: exact times, shape (n, 2) [s]."""
    log = result.events
    before, after = ((chart >> (2 * leg)) & 3 > 0 for chart in (log.chart_before, log.chart_after))
    begin, end = log.t[~before & after], log.t[before & ~after]
    if (int(result.chart[0]) >> (2 * leg)) & 3:
        begin = np.concatenate([[-np.inf], begin])
    if len(end) < len(begin):
        end = np.append(end, np.inf)
    return np.stack([begin, end], axis=-1)
