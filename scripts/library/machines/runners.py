"""A described machine in the exact engine and in MuJoCo: the same start, controller and record.

A run goes from section to section, so many or for a time; the table of steps is read from the log of events.
"""

import functools
from typing import Any

import mujoco
import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.compilation import compiled
from tarsus.analytic.hybrid.sampled import Happened, Sampled
from tarsus.analytic.terrain import Flat
from tarsus.mjcf.compile import compile_model
from tarsus.mjcf.presets import Preset, find
from tarsus.scripts.library.machines import stepping
from tarsus.scripts.library.machines.description import Experiment, Machine, Rows
from tarsus.scripts.library.machines.outcome import SAMPLE_PERIOD, Run, RunStatus
from tarsus.scripts.library.records import record

ENDLESS = 10**6  # sections: the time ends the run
LONGEST = 1.0  # a run of n sections ends after n times this [s]


def limits(sections: int | None, seconds: float | None) -> tuple[int, float]:
    """Return after how many sections and after what time [s] a run ends, whichever is first; ValueError for none."""
    sections = ENDLESS if sections is None else sections
    if not sections >= 1:
        raise ValueError(f"the number of steps must be at least 1, got {sections}")
    return sections, sections * LONGEST if seconds is None else seconds


@functools.lru_cache(maxsize=8)
def _compiled(machine: Machine, ground: Any) -> hy.Simulator:
    return hy.compile(machine.model(machine.control(machine.experiment(ground=ground)), ground))


def simulator(machine: Machine, experiment: Experiment | None = None) -> hy.Simulator:
    """Return the hybrid model of an experiment, compiled once; machine, gains and most grounds are its parameters."""
    return _compiled(machine, experiment.ground if experiment and machine.of_ground else Flat())


def exact(
    machine: Machine,
    experiment: Experiment,
    sections: int | None = None,
    *,
    seconds: float | None = None,
    period: float | None = SAMPLE_PERIOD,
    sim: hy.Simulator | None = None,
    **settings: Any,
) -> Run:
    """Run the hybrid model.

    Args:
        machine: What to run.
        experiment: How.
        sections: For how many steps, from section to section.
        seconds: Or for that long, whichever is over first [s].
        period: Between rows of the record [s]; None keeps none.
        sim: A compiled model to use instead of the machine's.
        **settings: See `hybrid.Options`, and `on_frame`.

    Raises:
        ValueError: If there is no step to make, or the model has no such ground.
    """
    most, limit = limits(sections, seconds)
    settings = {"rtol": 1e-9, "params": machine.numbers(experiment), "record_period": period} | settings
    sim = sim or simulator(machine, experiment)
    x0 = machine.state(experiment)
    r = sim.run(x0, stop_at=machine.section, stop_count=most, final_time=limit, **settings)
    log, status = log_of(r), r.message
    timely = seconds is not None and r.status is hy.Status.FINAL_TIME
    if timely or sum(event.name == machine.section for event in log) == most:
        status = RunStatus.COMPLETED
    elif r.status is hy.Status.STOPPED:
        status = RunStatus.STOPPED
    rows = None
    if period is not None:  # an instant with an event has two rows; that after it is kept
        keep = np.append(np.diff(r.t) > 0, True)[: r.t.size]
        t, x, d = r.t[keep], r.x[keep], r.d[keep]
        rows = Rows(t, x, d, r.chart[keep], machine.exact_loads(r.aux[keep], d))
    return run_of(machine, experiment, ("tarsus hybrid", status, "exact"), log, rows)


def log_of(r: hy.Result) -> list[Happened]:
    """Return the events of a result as a sampled controller logs them, after the start."""
    began = (r.x[0], r.d[0]) if len(r.d) else (r.x_end, r.d_end)  # a start that is refused leaves no row
    events, names = r.events, r.names.guards
    rows = [(k, place) for k, place in np.argwhere(events.fired) if events.kind[k] == "transition"]
    after = events.t, events.x_plus, events.d_plus
    return [Happened("start", 0.0, *began), *(Happened(names[i], *(column[k] for column in after)) for k, i in rows)]


class MachineStepper(stepping.Stepper):
    """A machine in MuJoCo under its sampled controller; ValueError if the foot starts below ground.

    A command is held for `hold` physics steps, and after `most` sections the run has ended.
    """

    def __init__(
        self, machine: Machine, experiment: Experiment, preset: Preset, hold: int = 1, most: int = ENDLESS
    ) -> None:
        model = compile_model(machine.mjcf(experiment.params, experiment.ground, preset))
        data, self.machine, self.experiment = mujoco.MjData(model), machine, experiment
        self.hold, self.most, self.n_sections, self._read = hold, most, 0, 0
        automaton, plant = machine.control(experiment), machine.plant(experiment.ground)
        memory, lead = machine.memory | automaton.memory, hold * model.opt.timestep if machine.leads else 0.0
        options = {"settle": machine.settle, "hold": lead}
        self.controller = Sampled(automaton, plant, memory, machine.beliefs(experiment), **options)
        self._stands = [phase in automaton.down for phase in automaton.phases]
        self._measures = machine.believe is not None and not isinstance(experiment.ground, Flat)
        x = machine.state(experiment)
        if self._measures:
            machine.believe(self.controller.beliefs, x, experiment.ground)
        if plant.gap(x, self.controller.beliefs) < 0.0:
            raise ValueError("the foot starts below ground; start it higher")
        data.qpos[:], data.qvel[:] = machine.to_mujoco(x)
        mujoco.mj_forward(model, data)
        super().__init__(model, data, experiment.ground, preset)
        self._patches.follow(data)
        self._follow = machine.follow and machine.follow(model)

    def state(self) -> np.ndarray:
        """Return the exact state, shape (2 n,)."""
        return self.machine.to_exact(self.data.qpos, self.data.qvel)

    def command(self, data: mujoco.MjData) -> None:
        """Ask the controller where a command is not held, and count the sections."""
        if self.n_steps % self.hold:
            return
        machine, controller, x = self.machine, self.controller, self.state()
        if self._measures:
            machine.believe(controller.beliefs, x, self.ground)
        stands = controller.code >= 0 and self._stands[controller.code]
        touches = machine.touches is not None and bool(machine.touches(self.experiment, data, stands))
        data.ctrl[:] = controller(data.time, x, touches)
        if len(controller.log) > self._read:
            self.n_sections += sum(event.name == machine.section for event in controller.log[self._read :])
            self._read = len(controller.log)

    def advance(self) -> None:
        if self._follow is not None:
            self._follow(self.data)
        super().advance()

    def ended(self) -> bool:
        """Return whether the last section is reached."""
        return self.n_sections >= self.most

    def fallen(self) -> str:
        return self.machine.fallen(self.experiment, self.data.time, self.state(), self.n_sections)

    def before(self) -> tuple:
        """Return time, state, and the controller's memory and phase."""
        return self.data.time, self.state(), self.controller.memory, self.controller.code

    def after(self) -> tuple:
        """Return torques and the ground's force."""
        return (self.machine.mujoco_loads(self.data),)


def in_mujoco(
    machine: Machine,
    experiment: Experiment,
    sections: int | None = None,
    *,
    seconds: float | None = None,
    preset: str | Preset | None = None,
    every: int = 1,
    row: int = 0,
    **looks: Any,
) -> Run:
    """Run the same machine and controller in MuJoCo.

    Args:
        machine: What to run.
        experiment: How.
        sections: For how many steps, from section to section.
        seconds: Or for that long, whichever is over first [s].
        preset: Contact and timestep settings; the experiment's by default.
        every: Physics steps for which a command is held.
        row: Physics steps between rows of the record, at least `every`; by default those of a millisecond.
        **looks: See `stepping.simulate`; `on_frame` is called with (t, x, d, phase, loads).

    Raises:
        ValueError: If there is no step to make, or the foot starts below ground.
    """
    preset = experiment.preset if preset is None else preset
    most, limit = limits(sections, seconds)
    stepper = MachineStepper(machine, experiment, find(preset, machine.presets), every, most)
    row = row or max(1, round(SAMPLE_PERIOD / stepper.model.opt.timestep))
    row = max(1, round(row / every)) * every
    columns, status = stepping.simulate(stepper, limit, row, endless=seconds is not None, **looks)
    about = f"mujoco {mujoco.__version__}", status, preset
    return run_of(machine, experiment, about, stepper.controller.log, Rows(*columns))


def check(machine: Machine, experiment: Experiment, engine: str, seconds: float | None) -> None:
    """Refuse what an engine (`exact`, `mujoco` or `both`) could not begin, by a ValueError that says why."""
    preset = find(experiment.preset, machine.presets)
    machine.state(experiment)
    if engine != "mujoco":
        machine.numbers(experiment)
    if engine != "exact":
        stepping.rows_in(seconds or LONGEST, MachineStepper(machine, experiment, preset).model.opt.timestep)


def run_of(machine: Machine, experiment: Experiment, about: tuple, log: list[Happened], rows: Rows | None) -> Run:
    """Return a run with its labelled record; `about` are engine, status and preset."""
    steps = table(machine, experiment, log)
    down, up = (np.array([event.t for event in log if event.name == name]) for name in machine.since)
    stances = np.stack([down, np.append(up, np.inf)[: len(down)]], axis=-1)  # the run may end in the last
    made = None
    if rows is not None:
        attrs = record.describe(*about, experiment.params, experiment.gains, experiment.ground, machine.name)
        made = record.build(rows.t, machine.variables(experiment, rows), attrs)
    return Run(made, about[1], stances=(stances,), steps=steps, n_steps=len(steps["time"]) - 1)


def table(machine: Machine, experiment: Experiment, log: list[Happened]) -> dict[str, np.ndarray]:
    """Return the table of steps: a row for the start and for each section, with the last of the events before it."""
    sections, times, last = [], [], dict.fromkeys(machine.since, np.nan)
    for event in log:
        if event.name in last:
            last[event.name] = event.t
        elif event.name in ("start", machine.section):
            sections.append(event)
            times.append([*last.values()])
    x, d = (np.array([getattr(event, name) for event in sections]) for name in "xd")
    made = {"time": np.array([event.t for event in sections])} | machine.columns(experiment, x, d)
    return made | dict(zip(machine.since, np.array(times).T, strict=True))


def evaluated(function: Any, size: int, rows: Rows, p: np.ndarray) -> np.ndarray:
    """Return the output of a function to compile, `(t, x, d, p, phase, out)`, for every row, shape (n, size)."""
    out, write = np.zeros((len(rows.t), size)), compiled(function)
    for k in range(len(rows.t)):
        write(rows.t[k], rows.x[k], rows.d[k], p, int(rows.phase[k]), out[k])
    return out
