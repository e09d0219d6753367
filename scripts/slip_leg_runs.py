"""The articulated SLIP leg in either engine, under the same controller, into the same labelled record."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import numpy as np
import xarray as xr

from tarsus.analytic import hybrid as hy
from tarsus.analytic.compiled import compiled
from tarsus.analytic.hybrid.names import items
from tarsus.analytic.models import slip_leg_hybrid
from tarsus.analytic.models.ground_line import ground_table
from tarsus.analytic.models.slip_leg import SlipLegParams, apex_state, com_state, foot_state
from tarsus.analytic.models.slip_leg_hybrid import AUX, CHARTS, STANCE
from tarsus.analytic.models.slip_leg_motion import com_energy
from tarsus.analytic.terrain import Flat, Terrain
from tarsus.controllers.slip import SlipControl, SlipController, laws
from tarsus.controllers.slip_laws import D, leg_length
from tarsus.mjcf.presets import Preset

STATE = ("x", "z", "hip", "knee", "vx", "vz", "hip_speed", "knee_speed")
FALLEN = 0.3  # height of the base over the ground below which the run is over, in MuJoCo [m]
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
    """What a run gave, up to its end.

    `record` has the dimension `time` and the variables `STATE`, `AUX`, `phase` (a code of `CHARTS`) and `rest_length`;
    `steps` has a row per apex: time, height [m] and energy [J] of the centre of mass, angle of attack asked for [rad],
    energy lost in the impact before it [J], and the times of touchdown and liftoff before it [s].
    """

    record: xr.Dataset
    steps: dict[str, np.ndarray]
    status: str

    @property
    def n_steps(self) -> int:
        """Steps completed: apexes after the first."""
        return len(self.steps["time"]) - 1


@functools.cache
def simulator() -> hy.Simulator:
    """Return the hybrid model, compiled once: leg, controller and ground are its parameters."""
    return hy.compile(slip_leg_hybrid.build(laws()))


def hybrid(
    experiment: Experiment, n_steps: int = 40, *, period: float = 1e-3, rtol: float = 1e-9, on_frame=None, fps=0.0
) -> Run:
    """Run the hybrid model for a number of steps.

    Args:
        experiment: What to run.
        n_steps: From apex to apex.
        period: Between rows of the record [s]; 0 records every integration step.
        rtol: Relative error allowed per integration step.
        on_frame: `on_frame(t, x, d, chart)`, called `fps` times per simulated second; a true value stops the run.
        fps: Frames per simulated second.
    """
    params = {**items(experiment.params), **items(experiment.control), **ground_table(experiment.ground)}
    r = simulator().run(
        experiment.start(),
        params=params,
        stop_at="apex",
        stop_count=n_steps,
        final_time=TIME_PER_STEP * n_steps,
        record_period=period,
        rtol=rtol,
        on_frame=on_frame,
        frame_period=1.0 / fps if fps else 0.0,
    )
    record = _dataset(r.t, r.x, r.aux, r.chart, r.d[:, D.rest_length], "hybrid", r.message)
    status = "completed" if r.status is hy.Status.STOPPED else r.message
    return Run(record, _steps_of_events(r), status)


def first_stance(experiment: Experiment) -> dict[str, float]:
    """Return energies of the mass centre at the start and after the first stance [J], and how the leg landed [m].

    `length` is from foot to mass centre at touchdown, `added` the travel of the spring that compensation asked for.
    """
    params = {**items(experiment.params), **items(experiment.control), **ground_table(experiment.ground)}
    r = simulator().run(experiment.start(), params=params, stop_at="liftoff", record_period=None, rtol=1e-10)
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


def _dataset(time, state, aux, phase, rest_length, engine: str, status: str) -> xr.Dataset:
    variables = {name: ("time", state[:, i]) for i, name in enumerate(STATE)}
    variables |= {name: ("time", aux[:, i]) for i, name in enumerate(AUX)}
    variables |= {"phase": ("time", np.asarray(phase, int)), "rest_length": ("time", rest_length)}
    return xr.Dataset(variables, {"time": time}, {"engine": engine, "status": status, "phases": ", ".join(CHARTS)})


def mujoco(
    experiment: Experiment, n_steps: int = 40, *, preset: str | Preset = "reference", every: int = 1, row: int = 0
) -> Run:
    """Run the same leg and controller in MuJoCo.

    Args:
        experiment: What to run; sampled control wants an `energy_gain` of about 0.5.
        n_steps: From apex to apex.
        preset: Contact and timestep settings.
        every: Physics steps for which a torque is held.
        row: Physics steps between rows of the record, at least `every`; by default those of a millisecond.
    """
    return _MujocoRun(experiment, preset, every).run(n_steps, row)


class _MujocoRun:
    """One run in MuJoCo, being recorded."""

    def __init__(self, experiment: Experiment, preset: str | Preset, every: int):
        import mujoco

        from tarsus.mjcf import compile_model, slip_leg
        from tarsus.mjcf.terrain import GroundPatches

        self.experiment, self.every, self._step = experiment, every, mujoco.mj_step
        self.model = compile_model(slip_leg.build(experiment.params, experiment.ground, preset))
        self.data = mujoco.MjData(self.model)
        self.patches = GroundPatches(self.model, experiment.ground)
        self.controller = SlipController(experiment.params, experiment.control, hold=every * self.model.opt.timestep)
        x = experiment.start()
        self.data.qpos[:], self.data.qvel[:] = x[:4], x[4:]
        self._p, self._com, self._foot = hy.vector(experiment.params), compiled(com_state), compiled(foot_state)
        self.rows: list[tuple] = []
        self.steps: list[tuple] = []
        self._touchdown = self._liftoff = np.nan

    def run(self, n_steps: int, row: int) -> Run:
        """Run until the last apex or a fall."""
        dt, data, every = self.model.opt.timestep, self.data, self.every
        row = max(1, round((row or max(1, round(1e-3 / dt))) / every))  # in control periods
        status = "ran out of time"
        for k in range(round(TIME_PER_STEP * n_steps / (every * dt))):
            x = np.concatenate([data.qpos, data.qvel])
            self._control(x)
            if len(self.steps) > n_steps:
                status = "completed"
                break
            if x[1] - self._ground_under(x[0]) < FALLEN or data.warning.number.any():
                status = f"fell at t = {data.time:.3f} s after {len(self.steps) - 1} steps"
                break
            time = data.time
            self._advance(1)
            if k % row == 0:
                self._record(time, x)
            self._advance(every - 1)
        return self._finished(status)

    def _advance(self, n: int) -> None:
        """Take n physics steps."""
        if not self.patches:
            self._step(self.model, self.data, n)
            return
        for _ in range(n):
            self.patches.follow(self.data)
            self._step(self.model, self.data)

    def _ground_under(self, x: float) -> float:
        return float(self.experiment.ground.height(x, 0.0))

    def _control(self, x: np.ndarray) -> None:
        """Ask the controller, and note what it noticed."""
        before, foot = self.controller.phase, np.empty(4)
        self._foot(x, self._p, foot)
        ground = self._ground_under(foot[0]) if self.patches else 0.0
        self.data.ctrl[:] = self.controller(self.data.time, x[:4], x[4:], ground)
        now, d = self.controller.phase, self.controller.memory
        if now == before:
            return
        if now == "stance":
            self._touchdown = self.data.time
        elif now == "hold":
            self._liftoff = self.data.time
        elif now == "extend":
            values = (d[D.apex_height], d[D.apex_energy], d[D.angle], d[D.energy_lost])
            self.steps.append((self.data.time, *values, self._touchdown, self._liftoff))

    def _record(self, time: float, x: np.ndarray) -> None:
        """Note the state before the step with the forces of the same instant, which MuJoCo has by now."""
        com, foot, d = np.empty(4), np.empty(4), self.controller.memory
        self._com(x, self._p, com)
        self._foot(x, self._p, foot)
        stands = self.controller.phase == "stance"
        length = np.hypot(*(com[:2] - foot[:2]))
        compression = max(d[D.rest_length] - length, 0.0) if stands else 0.0
        force = self.data.sensordata[[1, 3]]
        aux = np.concatenate([self.data.actuator_force, force, com, foot, [compression]])
        self.rows.append((time, x, aux, CHARTS.index(self.controller.phase), d[D.rest_length]))

    def _finished(self, status: str) -> Run:
        time, x, aux, phase, rest_length = (np.array(column) for column in zip(*self.rows, strict=True))
        names = ("time", "apex_height", "apex_energy", "angle", "energy_lost", "touchdown", "liftoff")
        steps = dict(zip(names, np.array(self.steps).T, strict=True))
        return Run(_dataset(time, x, aux, phase, rest_length, "mujoco", status), steps, status)


ENGINES = {"hybrid": hybrid, "mujoco": mujoco}
__all__ = ["ENGINES", "STANCE", "Experiment", "Run", "hybrid", "mujoco", "simulator"]
