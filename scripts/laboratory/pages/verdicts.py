"""Which gaits walk and which topple, in both engines, over cycle time, sweep angle and duty.

A cell in which an engine cannot go on, or whose gait is impossible, is marked as failed, and the sweep goes on.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat
from tarsus.mjcf.presets import find
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.comparison.compare import ENGINES
from tarsus.scripts.library.machines.hexapod import HEXAPOD, PlatelessExperiment
from tarsus.scripts.library.records import record, summary

PLACE = Place("crossvalidation.md", "verdicts")
PACKAGES = record.PACKAGES
CYCLE_TIMES = (0.5, 0.6, 0.75, 1.0, 1.25, 1.5, 2.0)  # [s]
SWEEP_ANGLES = (0.3, 0.5, 0.75, 1.0, 1.25)  # [rad]
DUTIES = (0.5, 0.6)
SECONDS, PERIOD = 8.0, 0.01  # of a run, and between rows of the exact record [s]
WALKS, TOPPLES, FAILED = "walks", "topples", "failed"


@dataclass(frozen=True)
class EngineVerdict:
    """What one engine says of a gait."""

    verdict: str  # WALKS, TOPPLES or FAILED
    reason: str  # how the run ended, or why it failed
    ended: float = np.nan  # [s]
    speed: float = np.nan  # [m/s]
    tilt: float = np.nan  # the greatest [rad]


def judge(
    engine: str, cycle_time: float, sweep_angle: float, duty: float, preset: str, seconds: float
) -> EngineVerdict:
    """Return an engine's verdict on a gait; a run that cannot be made is a verdict too."""
    try:
        gait = TripodGait(cycle_time, duty * cycle_time, sweep_angle)
        experiment = PlatelessExperiment(HexapodParams(), gait, Flat(), preset)
        if engine == "exact":
            trial = HEXAPOD.exact(experiment, seconds, PERIOD)
        else:
            trial = HEXAPOD.mujoco(experiment, seconds, fine=False)
    except (ValueError, RuntimeError) as error:
        return EngineVerdict(FAILED, str(error))
    status, time = trial.record.attrs["status"], trial.record["time"].values
    if status.startswith("diverged"):
        return EngineVerdict(FAILED, status, float(time[-1]) if len(time) else 0.0)
    over = summary.window(trial.record)
    speed = float(summary.travel(trial.record, over).sum() / over.duration)
    tilt = float(summary.tilt(trial.record).max())
    return EngineVerdict(WALKS if trial.completed else TOPPLES, status, float(time[-1]), speed, tilt)


def compute(
    gaits: list[tuple[float, float, float]] | None = None,
    preset: str = "reference",
    n_jobs: int = -1,
    seconds: float = SECONDS,
) -> dict[tuple[float, float, float], dict[str, EngineVerdict]]:
    """Return both engines' verdicts on each gait (t_c [s], phi_s [rad], duty); joblib's active backend runs them."""
    gaits = list(itertools.product(CYCLE_TIMES, SWEEP_ANGLES, DUTIES)) if gaits is None else gaits
    jobs = [(engine, gait) for gait in gaits for engine in ENGINES]
    cases = [(engine, *gait, preset, seconds) for engine, gait in jobs]
    grid: dict[tuple[float, float, float], dict[str, EngineVerdict]] = {gait: {} for gait in gaits}
    for (engine, gait), verdict in zip(jobs, parallel.each(judge, cases, n_jobs, unit="run"), strict=True):
        grid[gait][engine] = verdict
    return grid


def agreement(grid: dict) -> float:
    """Return the share of cells in which both engines say the same; a failed cell is no agreement."""
    return float(np.mean([_agrees(cell) for cell in grid.values()]))


def _agrees(cell: dict[str, EngineVerdict]) -> bool:
    first, second = (cell[engine].verdict for engine in ENGINES)
    return first == second != FAILED


def parts(grid: dict, preset: str) -> list[Table | str]:
    """Return the grid in words, and the cells that differ."""
    signs = {WALKS: "w", TOPPLES: "t", FAILED: "!"}
    parts: list[Table | str] = []
    for duty in sorted({gait[2] for gait in grid}):
        angles = sorted({gait[1] for gait in grid})
        rows = []
        for t_c in sorted({gait[0] for gait in grid}):
            cells = [grid[t_c, phi_s, duty] for phi_s in angles]
            signed = ["".join(signs[cell[engine].verdict] for engine in ENGINES) for cell in cells]
            shown = [text if _agrees(c) else f"**{text}**" for text, c in zip(signed, cells, strict=True)]
            rows.append([f"{t_c:g}", *shown])
        head = [f"duty {duty:g}, t_c [s]", *(f"phi_s {angle:g}" for angle in angles)]
        parts.append(Table(head, rows))
    parts.append(
        f"Exact, then MuJoCo (preset `{preset}`): w walks for {SECONDS:g} s, t topples, ! failed. The engines agree in "
        f"**{100 * agreement(grid):.1f} %** of {len(grid)} cells."
    )
    if agreement(grid) < 1:
        parts += ["The others:", "\n".join(_differences(grid))]
    both = [cell for cell in grid.values() if all(cell[engine].verdict == WALKS for engine in ENGINES)]
    ratios = np.array([cell["mujoco"].speed / cell["exact"].speed - 1 for cell in both])
    parts.append(
        f"Where both walk, the mean speeds differ by {100 * np.median(np.abs(ratios)):.2f} % in the median and "
        f"{100 * np.abs(ratios).max():.2f} % at most."
    )
    return parts


def _differences(grid: dict) -> list[str]:
    """Return a line for each cell without agreement."""
    lines = []
    for (t_c, phi_s, duty), cell in grid.items():
        if not _agrees(cell):
            words = (f"{engine} {cell[engine].reason} ({cell[engine].ended:.2f} s)" for engine in ENGINES)
            lines.append(f"* t_c {t_c:g} s, phi_s {phi_s:g} rad, duty {duty:g}: " + "; ".join(words))
    return lines


def check(preset: str, **_) -> None:
    """Refuse a preset that there is not.

    Raises:
        ValueError: The sentence says which there are.
    """
    find(preset)


def tables(preset: str = "reference", jobs: Jobs = -1) -> Page:
    """Return the grid.

    Args:
        preset: MuJoCo's settings.
        jobs: Processes; -1 takes every core.
    """
    return Page(*parts(compute(preset=preset, n_jobs=jobs), preset))
