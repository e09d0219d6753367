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
from tarsus.scripts.library.base.interrupts import unbroken
from tarsus.scripts.library.machines import hops
from tarsus.scripts.library.machines.machine import SAMPLE_PERIOD, Run
from tarsus.scripts.library.machines.slip_leg import SlipLegExperiment, run_of


@functools.cache
def simulator() -> hy.Simulator:
    """Return the hybrid model, compiled once: leg, controller and ground are its parameters."""
    return hy.compile(slip_leg_hybrid.build(laws()))


def numbers(experiment: SlipLegExperiment) -> dict:
    """Return the model's parameters of an experiment."""
    return {**items(experiment.params), **items(experiment.control), **ground_table(experiment.ground)}


def simulate(
    experiment: SlipLegExperiment,
    steps: int | None = None,
    *,
    seconds: float | None = None,
    period: float = SAMPLE_PERIOD,
    **settings: Any,
) -> Run:
    """Run the hybrid model for a number of steps, or for a time.

    Args:
        experiment: What to run.
        steps: From apex to apex.
        seconds: Or for that long, whichever is over first [s].
        period: Between rows of the record [s].
        **settings: See `hybrid.Options`, and `on_frame`.
    """
    settings |= {"params": numbers(experiment), "record_period": period}
    r, keep, status = hops.exact(simulator(), experiment.start(), steps, seconds, **settings)
    about, outputs = ("tarsus hybrid", status, "exact"), np.column_stack([r.aux, r.d[:, D.rest_length]])
    rows = (values[keep] for values in (r.t, r.x[:, :4], r.x[:, 4:], outputs, r.chart))
    return run_of(experiment, about, _steps_of_events(r), *rows)


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
