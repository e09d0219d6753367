"""The articulated SLIP leg under its controller: steps in numbers and the time history; the hybrid engine.

`slip_leg_mujoco` does the same in MuJoCo. Both give the same names and units.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import xarray as xr

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.names import items
from tarsus.analytic.models import slip_leg_hybrid
from tarsus.analytic.models.ground_line import ground_table
from tarsus.analytic.models.slip_leg import SlipLegParams, apex_state
from tarsus.analytic.models.slip_leg_hybrid import AUX, CHARTS
from tarsus.analytic.models.slip_leg_motion import com_energy
from tarsus.analytic.terrain import Flat, Terrain
from tarsus.controllers.slip import SlipControl, laws
from tarsus.controllers.slip_laws import D, leg_length
from tarsus.scripts.runs.interrupts import unbroken

STATE = ("x", "z", "hip", "knee", "vx", "vz", "hip_speed", "knee_speed")
COMPLETED = "completed"
TIME_PER_STEP = 1.0  # more than any step takes [s]


@dataclass(frozen=True)
class Experiment:
    """A leg, its controller, the ground, and the apex it starts from."""

    params: SlipLegParams = field(default_factory=SlipLegParams)
    control: SlipControl = field(default_factory=SlipControl)
    ground: Terrain = field(default_factory=Flat)
    height: float | None = None  # of the centre of mass at the start [m]; by default the controller's
    speed: float | None = None  # [m/s]

    def start(self) -> np.ndarray:
        """Return the state at the start: an apex, the leg retracted, shape (8,)."""
        control = self.control
        return apex_state(
            self.params,
            control.apex_height if self.height is None else self.height,
            control.speed if self.speed is None else self.speed,
            control.retraction * control.rest_length,
            control.angle_of_attack,
        )


@dataclass(frozen=True)
class Run:
    """What a run gave, up to its end; `status` is `COMPLETED` or a sentence.

    `record` has the dimension `time` and the variables `STATE`, `AUX`, `phase` (a code of `CHARTS`) and `rest_length`;
    `steps` has a row per apex: time, height [m] and energy [J] of the centre of mass, angle of attack asked for [rad],
    energy lost in the impact before it [J], and the times of touchdown and liftoff before it [s].
    """

    record: xr.Dataset
    steps: dict[str, np.ndarray]
    status: str

    @property
    def completed(self) -> bool:
        """Whether it went on to the end asked for."""
        return self.status == COMPLETED

    @property
    def n_steps(self) -> int:
        """Steps completed: apexes after the first."""
        return len(self.steps["time"]) - 1

    @property
    def stances(self) -> np.ndarray:
        """Times of touchdown and liftoff, (n, 2) [s]; the stance a run ends in may be missing."""
        stances = np.stack([self.steps["touchdown"], self.steps["liftoff"]], axis=-1)
        return stances[np.isfinite(stances).all(axis=-1)]


@functools.cache
def simulator() -> hy.Simulator:
    """Return the hybrid model, compiled once: leg, controller and ground are its parameters."""
    return hy.compile(slip_leg_hybrid.build(laws()))


def hybrid(
    experiment: Experiment,
    n_steps: int = 40,
    *,
    seconds: float | None = None,
    period: float = 1e-3,
    rtol: float = 1e-9,
    on_frame: Callable | None = None,
    fps: float = 0.0,
) -> Run:
    """Run the hybrid model for a number of steps.

    Args:
        experiment: What to run.
        n_steps: From apex to apex.
        seconds: Or for that long, whichever is over first [s].
        period: Between rows of the record [s]; 0 records every integration step.
        rtol: Relative error allowed per integration step.
        on_frame: `on_frame(t, x, d, chart)`, called `fps` times per simulated second; a true value stops the run.
        fps: Frames per simulated second.
    """
    params = {**items(experiment.params), **items(experiment.control), **ground_table(experiment.ground)}
    settings = {"record_period": period, "rtol": rtol, "frame_period": 1.0 / fps if fps else 0.0}
    r = unbroken(
        simulator().run(
            experiment.start(),
            params=params,
            stop_at="apex",
            stop_count=n_steps,
            final_time=TIME_PER_STEP * n_steps if seconds is None else seconds,
            on_frame=on_frame,
            **settings,
        )
    )
    record = dataset(r.t, r.x, r.aux, r.chart, r.d[:, D.rest_length], "hybrid", r.message)
    steps = _steps_of_events(r)
    done = len(steps["time"]) > n_steps or (seconds is not None and r.status is hy.Status.FINAL_TIME)
    return Run(record, steps, COMPLETED if done else r.message)


def first_stance(experiment: Experiment) -> dict[str, float]:
    """Return energies of the mass centre at the start and after the first stance [J], and how the leg landed [m].

    `length` is from foot to mass centre at touchdown, `added` the travel of the spring that compensation asked for.
    """
    params = {**items(experiment.params), **items(experiment.control), **ground_table(experiment.ground)}
    r = unbroken(simulator().run(experiment.start(), params=params, stop_at="liftoff", record_period=None, rtol=1e-10))
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


def dataset(time, state, aux, phase, rest_length, engine: str, status: str) -> xr.Dataset:
    """Return the record of the rows of a run: states (n, 8), auxiliaries (n, len(AUX)), codes of `CHARTS`, lengths."""
    variables = {name: ("time", state[:, i]) for i, name in enumerate(STATE)}
    variables |= {name: ("time", aux[:, i]) for i, name in enumerate(AUX)}
    variables |= {"phase": ("time", np.asarray(phase, int)), "rest_length": ("time", rest_length)}
    return xr.Dataset(variables, {"time": time}, {"engine": engine, "status": status, "phases": ", ".join(CHARTS)})
