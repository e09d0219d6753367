"""The articulated SLIP leg under its controller in the hybrid engine; `slip_leg_mujoco` does the same in MuJoCo."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.names import items
from tarsus.analytic.models import slip_leg_hybrid
from tarsus.analytic.models.ground_line import ground_table
from tarsus.analytic.models.slip_leg_motion import com_energy
from tarsus.controllers.slip import laws
from tarsus.controllers.slip_laws import D, leg_length
from tarsus.scripts.machines.machine import SAMPLE_PERIOD, Run, RunStatus
from tarsus.scripts.machines.slip_leg import SlipLegExperiment, run_of
from tarsus.scripts.runs.interrupts import unbroken

TIME_PER_STEP = 1.0  # more than any step takes [s]
ENDLESS = 10**6  # steps: the time ends the run


@functools.cache
def simulator() -> hy.Simulator:
    """Return the hybrid model, compiled once: leg, controller and ground are its parameters."""
    return hy.compile(slip_leg_hybrid.build(laws()))


def numbers(experiment: SlipLegExperiment) -> dict:
    """Return the model's parameters of an experiment."""
    return {**items(experiment.params), **items(experiment.control), **ground_table(experiment.ground)}


def hybrid(
    experiment: SlipLegExperiment,
    n_steps: int | None = 40,
    *,
    seconds: float | None = None,
    period: float = SAMPLE_PERIOD,
    rtol: float = 1e-9,
    **settings: Any,
) -> Run:
    """Run the hybrid model for a number of steps.

    Args:
        experiment: What to run.
        n_steps: From apex to apex.
        seconds: Or for that long, whichever is over first [s].
        period: Between rows of the record [s].
        rtol: Relative error allowed per integration step.
        **settings: See `hybrid.Options`, and `on_frame`.
    """
    n_steps = ENDLESS if n_steps is None else n_steps
    r = unbroken(
        simulator().run(
            experiment.start(),
            params=numbers(experiment),
            stop_at="apex",
            stop_count=n_steps,
            final_time=TIME_PER_STEP * n_steps if seconds is None else seconds,
            **{"record_period": period, "rtol": rtol, **settings},
        )
    )
    steps = _steps_of_events(r)
    done = len(steps["time"]) > n_steps or (seconds is not None and r.status is hy.Status.FINAL_TIME)
    about = "tarsus hybrid", RunStatus.COMPLETED if done else r.message, "exact"
    keep = np.append(np.diff(r.t) > 0, True)[: r.t.size]  # an instant with an event counts once, after it
    outputs = np.column_stack([r.aux, r.d[:, D.rest_length]])
    return run_of(experiment, about, steps, *(rows[keep] for rows in (r.t, r.x[:, :4], r.x[:, 4:], outputs, r.chart)))


def first_stance(experiment: SlipLegExperiment) -> dict[str, float]:
    """Return energies of the mass centre at the start and after the first stance [J], and how the leg landed [m].

    `length` is from foot to mass centre at touchdown, `added` the travel of the spring that compensation asked for.
    """
    settings = dict(params=numbers(experiment), stop_at="liftoff", record_period=None, rtol=1e-10)
    r = unbroken(simulator().run(experiment.start(), **settings))
    if r.status is not hy.Status.STOPPED:
        raise RuntimeError(f"the leg did not lift off: {r.message}")
    k = r.events.of("touchdown")[0]
    length, lost = leg_length(r.events.x_minus[k], r.p), r.events.d_plus[k, D.energy_lost]
    return {
        "apex_energy": r.events.d_plus[k, D.apex_energy],
        "energy": com_energy(r.x_end, r.p),
        "length": length,
        "added": np.copysign(np.sqrt(2 * abs(lost) / experiment.control.stiffness), lost),
    }


def _steps_of_events(r: hy.Result) -> dict[str, np.ndarray]:
    """Return the table of steps; the start is an apex too, but not an event."""
    events = r.events
    apex = events.of("apex")
    first = r.d[:1] if len(r.d) else r.d_end[None]  # a start that is refused leaves no row
    d = np.concatenate([first, events.d_plus[apex]])
    columns = {"apex_height": d[:, D.apex_height], "apex_energy": d[:, D.apex_energy], "angle": d[:, D.angle]}
    columns = {"time": np.append(0.0, events.t[apex])} | columns | {"energy_lost": d[:, D.energy_lost]}
    for name in ("touchdown", "liftoff"):
        times = events.t[events.of(name)]
        columns[name] = np.append(np.nan, times[np.searchsorted(times, events.t[apex]) - 1] if len(times) else [])
    return columns
