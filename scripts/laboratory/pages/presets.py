"""The presets in docs/crossvalidation.md: gaits, slopes and turns in every preset, and creep."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat, Slope, Terrain
from tarsus.mjcf import PRESETS
from tarsus.mjcf.presets import find
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies import decomposition, preset_errors
from tarsus.scripts.laboratory.studies.creep_and_cost import CREEP_SLOPE, creep_of_pinned, creep_of_standing
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.machines.hexapod import HexapodExperiment
from tarsus.scripts.library.machines.hexapod_mujoco import simulate
from tarsus.scripts.library.records import record, summary

PLACE = Place("crossvalidation.md", "presets")
PACKAGES = record.PACKAGES
DUTY = 0.6
GAITS = ((1.0, 0.75), (0.5, 0.75), (0.75, 1.0), (2.0, 0.5), (0.6, 0.5))  # t_c [s], phi_s [rad]
SLOPES = (-0.2, -0.15, -0.1, -0.05, 0.0, 0.05, 0.1, 0.15, 0.2)
TIPPED = 25.0  # past this the plate's edge is on the ground; a walk along a slope of 0.2 tilts by up to 23 [deg]


@dataclass(frozen=True)
class PresetCase:
    """One run of the tables."""

    table: str  # gait, slope, turn
    label: str
    gait: TripodGait
    ground: Terrain = field(default_factory=Flat)
    seconds: float = 10.0


def cases() -> list[PresetCase]:
    """Return every run that is made in each preset."""
    rows = [
        PresetCase("gait", f"t_c {t_c:g} s, phi_s {phi_s:g} rad", TripodGait(t_c, DUTY * t_c, phi_s))
        for t_c, phi_s in GAITS
    ]
    rows += [PresetCase("slope", f"{slope:+.2f}", TripodGait(), Slope(0.0, slope)) for slope in SLOPES]
    turns = {
        "in place, left, default gait": TripodGait(heading="left"),
        "in place, left, duty 0.7": TripodGait(slow_time=0.7, heading="left"),
        "in place, right, duty 0.7": TripodGait(slow_time=0.7, heading="right"),
        "in place, left, t_c 0.75 s": TripodGait(0.75, DUTY * 0.75, heading="left"),
        "in place, right, t_c 0.75 s": TripodGait(0.75, DUTY * 0.75, heading="right"),
        "right, dphi_o +0.1 rad": TripodGait(offset_difference=0.1),
        "right, dt_s -0.05 s": TripodGait(slow_time_difference=-0.05),
        "right, dphi_o +0.1 rad, dt_s -0.05 s": TripodGait(offset_difference=0.1, slow_time_difference=-0.05),
        "left, dphi_o -0.1 rad, dt_s +0.05 s": TripodGait(offset_difference=-0.1, slow_time_difference=0.05),
    }
    return rows + [PresetCase("turn", label, gait, seconds=30.0) for label, gait in turns.items()]


@dataclass(frozen=True)
class PresetCell:
    """What a table shows of a run."""

    speed: float  # [m/s]
    yaw_rate: float  # [rad/s]
    max_tilt: float  # [rad]
    cost_of_transport: float  # positive mechanical work over weight and way
    fell_at: float | None  # when the run ended early [s]


def run(case: PresetCase, preset: str) -> PresetCell:
    """Return a cell of a table."""
    result = simulate(HexapodExperiment(HexapodParams(), case.gait, case.ground, preset), case.seconds, progress=False)
    numbers = summary.summarise(result.record)
    fell_at = None if result.completed else float(result.record["time"].values[-1])
    return PresetCell(numbers.speed, numbers.yaw_rate, numbers.max_tilt, numbers.cot_positive, fell_at)


def compute(rows: list[PresetCase], n_jobs: int = -1) -> dict[tuple[str, str, str], PresetCell]:
    """Return the cell of each (table, label, preset), with a progress bar; joblib's active backend runs them."""
    jobs = [(case, preset) for case in rows for preset in PRESETS]
    cells = parallel.each(run, jobs, n_jobs, unit="run")
    return {(case.table, case.label, preset): cell for (case, preset), cell in zip(jobs, cells, strict=True)}


def tables(jobs: Jobs = -1) -> Page:
    """Return the tables, and the figure of speed against slope.

    Args:
        jobs: Processes; -1 takes every core.
    """
    rows = cases()
    cells = compute(rows, jobs)
    made = [
        _settings(),
        _creep(),
        *_errors(),
        _speeds(rows, cells, "gait", "gait, t_s / t_c = 0.6"),
    ]
    made += [_costs(rows, cells), _speeds(rows, cells, "slope", "slope dz/dy"), _turns(rows, cells)]
    return Page(*made, files={"figures/presets.png": lambda: draw(rows, cells)})


def _settings() -> Table:
    names = list(vars(find("reference")))
    body = [[name, *(str(getattr(preset, name)) for preset in PRESETS.values())] for name in names]
    return Table(["setting", *PRESETS], body, "### Settings")


def _errors() -> list[Table | str]:
    """Return the parts of raw force errors, and the share of time in which a bent spring's foot is lost."""
    rows, lost = [], {preset: {} for preset in PRESETS}
    for preset in PRESETS:
        for gait, found in preset_errors.decomposed(preset).items():
            parts = (f"{100 * found[name]:.0f}" for name in decomposition.KINDS)
            shift = f"{1e3 * found['shift']:+.2f}", f"{100 * found['left']:.0f}"
            rows.append([preset, gait, f"{100 * found['raw']:.1f}", *parts, *shift])
        for name, walk in preset_errors.walkers(preset).items():
            lost[preset][name] = f"{100 * preset_errors.bent_without_contact(walk):.1f}"
    head = ["preset", "gait", "raw error [%]", *decomposition.KINDS, "late by [ms]", "left without [%]"]
    words = "; ".join(f"*{name}*: {meaning}" for name, meaning in decomposition.KINDS.items())
    made = Table(head, rows, "### What the error of raw forces is made of, % of its square")
    names = list(lost[next(iter(PRESETS))])
    body = [[name, *(lost[preset][name] for preset in PRESETS)] for name in names]
    return [made, words + ".", Table(["", *PRESETS], body, "### Frames in which a bent spring's foot is lost, %")]


def _creep() -> Table:
    standing = (f"{1e3 * creep_of_standing(preset):.3f}" for preset in PRESETS)
    pinned = (f"{1e3 * creep_of_pinned(preset):.3f}" for preset in PRESETS)
    body = [[f"standing on a slope of {CREEP_SLOPE}", *standing], ["body held, flat ground", *pinned]]
    return Table(["", *PRESETS], body, "### Creep [mm/s]")


def _fall(cell: PresetCell) -> str:
    if cell.fell_at is not None:
        return f" (**topples** at {cell.fell_at:.1f} s)"
    tilt = np.rad2deg(cell.max_tilt)
    return f" (**tips** to {tilt:.0f} deg)" if tilt > TIPPED else ""


def _speeds(rows: list[PresetCase], cells, table: str, name: str) -> Table:
    head = [name, *(f"{preset} [m/s]" for preset in PRESETS), *_others()]
    shown = (lambda cell: f"{cell.speed:.4f}{_fall(cell)}",)
    body = _body(rows, cells, table, shown, lambda cell, first: f"{100 * (cell.speed / first.speed - 1):+.1f} %")
    return Table(head, body, f"### {table.capitalize()}s")


def _costs(rows: list[PresetCase], cells) -> Table:
    def dearer(cell: PresetCell, first: PresetCell) -> str:
        return f"{100 * (cell.cost_of_transport / first.cost_of_transport - 1):+.0f} %"

    body = _body(rows, cells, "gait", (lambda cell: f"{cell.cost_of_transport:.3f}",), dearer)
    return Table(["gait, positive work over weight and way", *PRESETS, *_others()], body, "### Cost of transport")


def _turns(rows: list[PresetCase], cells) -> Table:
    shown = lambda cell: f"{cell.yaw_rate:+.3f}{_fall(cell)}", lambda cell: f"{cell.speed:+.3f}"
    head = [*(f"{preset}, yaw [rad/s]" for preset in PRESETS), *(f"{preset} [m/s]" for preset in PRESETS)]
    return Table(["turn", *head], _body(rows, cells, "turn", shown), "### Turns")


def _others() -> list[str]:
    first, *others = PRESETS
    return [f"{preset} against {first}" for preset in others]


def _body(rows: list[PresetCase], cells, table: str, shown, against=None) -> list[list[str]]:
    """Return the rows of a table: what is shown of every preset, and of all but the first `against` it."""
    body = []
    for case in (case for case in rows if case.table == table):
        first, *others = row = [cells[table, case.label, preset] for preset in PRESETS]
        ratios = [against(cell, first) for cell in others] if against else []
        body.append([case.label, *(show(cell) for show in shown for cell in row), *ratios])
    return body


def draw(rows: list[PresetCase], cells):
    """Return the figure of speed against slope in every preset."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axis = figure.subplots()
    slopes = [case for case in rows if case.table == "slope"]
    for preset, style in zip(PRESETS, itertools.cycle(("o-", "s--", "^:", "v-.")), strict=False):
        values = [cells["slope", case.label, preset] for case in slopes]
        x = np.array([case.ground.slope_y for case in slopes])
        stands = np.array([cell.fell_at is None for cell in values])
        speed = np.array([cell.speed for cell in values])
        (line,) = axis.plot(x[stands], speed[stands], style, label=preset, ms=4)
        axis.plot(x[~stands], speed[~stands], "x", color=line.get_color(), ms=9)
    axis.set(xlabel="slope dz/dy, uphill is positive", ylabel="speed along the ground [m/s]")
    axis.legend(title="preset; a cross topples")
    return figure
