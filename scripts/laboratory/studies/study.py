"""Sweeps of the hexapod in both engines, cell by cell: what the scripts of the report's studies share.

A cell is a case in an engine. Both engines start from the same state. A cell that topples, cannot be run or fails is
marked by its verdict, its numbers are NaN, and the sweep goes on.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Annotated, Literal

import mujoco
import numpy as np
import xarray as xr
from tqdm import tqdm

from tarsus.analytic.battery import BOOKKEEPINGS
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams, start_height
from tarsus.analytic.models.hexapod.state import VELOCITY, rotation_matrix, start
from tarsus.analytic.terrain import Flat, Slope, Terrain
from tarsus.mjcf.hexapod import TORSO_SIZE
from tarsus.mjcf.hexapod_state import from_exact
from tarsus.mjcf.presets import PRESETS
from tarsus.scripts.command import arguments
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.machines import hexapod_exact as exact
from tarsus.scripts.library.machines.hexapod import HexapodExperiment, PlatelessExperiment, Start
from tarsus.scripts.library.machines.hexapod_mujoco import simulate
from tarsus.scripts.library.machines.outcome import Run, RunStatus
from tarsus.scripts.library.records import summary
from tarsus.scripts.library.records.record import terrain_of

EXACT = "exact"  # the hybrid engine; every other engine is MuJoCo with the preset of that name
LABELS = ("exact", "MuJoCo")
PARAMS = HexapodParams()
ROW_PERIOD = 5e-3  # between rows of a record: positions need no more [s]
FINE_ROW_PERIOD = 1e-3  # forces and currents do: their peaks last milliseconds [s]

# Options that studies share.
Fineness = Annotated[int, arguments.integer(1, 1000), "split every interval of the grid into so many"]
PresetName = Annotated[Literal[*PRESETS], "of the MuJoCo runs"]


class Verdict(IntEnum):
    """How a cell ended."""

    WALKS = 0
    TIPS = 1  # the plate of the body met the ground and held it up; the exact engine has no plate
    TOPPLES = 2  # tilted by more than 60 degrees
    FALLS = 3  # the centre of the body went below the ground
    DIVERGES = 4  # MuJoCo only
    REFUSED = 5  # an impossible case, such as a slow phase longer than the cycle
    FAILED = 6  # the engine gave up


VERDICTS = {RunStatus.TOPPLED: Verdict.TOPPLES, RunStatus.FELL: Verdict.FALLS, RunStatus.DIVERGED: Verdict.DIVERGES}
NUMBERS = ("speed", "yaw_rate", "max_tilt", "cot", "stance_rate", *BOOKKEEPINGS)


@dataclass(frozen=True, eq=False)
class Case:
    """What is run in a cell."""

    gait: Mapping = field(default_factory=dict)  # of TripodGait; made in the run, where an impossible one is refused
    ground: Terrain = field(default_factory=Flat)
    seconds: float = 10.0
    push: tuple[float, float] = (0.0, 0.0)  # velocity the body is given at the start, along x and y, world [m/s]
    place: tuple[float, float] = (0.0, 0.0)  # where the body starts, not on a slope, x and y [m]
    x0: np.ndarray | None = None  # state to start from, (52,); at rest on the gait's references if None
    row_period: float = ROW_PERIOD  # [s]
    method: str | None = None  # of the exact engine; None: the model's own
    plate: bool = True  # whether the body touches the ground in MuJoCo; in the exact engine it never does


def start_of(case: Case, gait: TripodGait) -> np.ndarray:
    """Return the state a case starts from, shape (52,).

    A push changes the velocity of the body and leaves the toes as they are: legs join them by springs, dampers and
    torques only, which have no impulse.

    Raises:
        ValueError: If a robot on a slope is to start at a place.
    """
    x0 = start(PARAMS, case.ground, gait.clock()(0.0)[0]) if case.x0 is None else np.array(case.x0, float)
    if any(case.place):
        if isinstance(case.ground, Slope) or case.x0 is not None:
            raise ValueError("a start on a slope or from a given state has no place")
        lift = start_height(PARAMS, case.ground, gait.clock()(0.0)[0], case.place) - x0[2]
        for first in (0, *range(13, 49, 6)):  # body and toes
            x0[first : first + 3] += (*case.place, lift)
    x0[VELOCITY : VELOCITY + 2] += case.push
    return x0


def run(case: Case, engine: str = EXACT) -> Run:
    """Run a case.

    Raises:
        ValueError: If the gait or the start is impossible.
        RuntimeError: If the exact engine gave up.
    """
    gait = TripodGait(**case.gait)
    x0 = start_of(case, gait)
    if engine == EXACT:
        experiment = HexapodExperiment(PARAMS, gait, case.ground, method=case.method)
        return exact.simulate(experiment, case.seconds, x0=x0, period=case.row_period)
    begin = Start(*from_exact(PARAMS, x0))
    robot = HexapodExperiment if case.plate else PlatelessExperiment
    experiment = robot(PARAMS, gait, case.ground, engine, begin)
    every = max(1, round(case.row_period / PRESETS[engine].timestep))
    return simulate(experiment, case.seconds, every=every, progress=False)


def clearance(record: xr.Dataset) -> np.ndarray:
    """Return the height of the plate's lowest corner above the ground below it, shape (n,) [m]."""
    corners_b = np.array(TORSO_SIZE) * np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    turn = rotation_matrix(record["body_orientation"].values)  # (n, 3, 3)
    corners = record["body_position"].values[:, None] + corners_b @ np.swapaxes(turn, -1, -2)  # (n, 8, 3)
    gap = corners[..., 2] - terrain_of(record).height(corners[..., 0], corners[..., 1])
    return gap.min(axis=-1)


def stance_rate(record: xr.Dataset) -> float:
    """Return the mean speed asked of a hip in steady state, weighted by the load on its foot [rad/s]."""
    over, load = summary.window(record), record["foot_force"].values[..., 2]
    asked = np.abs(record["hip_reference_rate"].values)
    return float(summary.mean(record, asked * load, over).sum() / summary.mean(record, load, over).sum())


def verdict_of(result: Run) -> Verdict:
    """Return the status of a run."""
    if result.status is not RunStatus.COMPLETED:
        return VERDICTS[result.status]
    return Verdict.TIPS if clearance(result.record).min() < 0 else Verdict.WALKS


def numbers_of(record: xr.Dataset) -> dict[str, float]:
    """Return the numbers of a run that reached its end."""
    found = summary.summarise(record)
    plain = {"speed": found.speed, "yaw_rate": found.yaw_rate, "max_tilt": found.max_tilt, "cot": found.cot_electrical}
    return plain | {"stance_rate": stance_rate(record)} | {name: found.battery_life[name] for name in BOOKKEEPINGS}


def cell(case: Case, engine: str) -> tuple[dict[str, float], str]:
    """Return a cell: its numbers with `verdict` and `ended` [s], and what went wrong in words."""
    empty = dict.fromkeys(NUMBERS, np.nan) | {"ended": 0.0}
    try:
        result = run(case, engine)
    except ValueError as error:
        return empty | {"verdict": Verdict.REFUSED}, str(error)
    except (RuntimeError, mujoco.FatalError) as error:
        return empty | {"verdict": Verdict.FAILED}, str(error)
    verdict, ended = verdict_of(result), float(result.record["time"].values[-1])
    numbers = numbers_of(result.record) if result.completed else {}
    return empty | numbers | {"verdict": verdict, "ended": ended}, ""


def sweep(cases: Iterable[Case], engines: Sequence[str], n_jobs: int, label: str) -> dict[str, np.ndarray]:
    """Return every number of every cell, by name, each of shape (n_cases, n_engines); see `NUMBERS`.

    Cells that were refused or failed are listed on the terminal.
    """
    cases = list(cases)
    jobs = [(case, engine) for case in cases for engine in engines]
    cells = parallel.each(cell, jobs, n_jobs, unit="run", desc=label)
    for (case, engine), (_, wrong) in zip(jobs, cells, strict=True):
        if wrong:
            tqdm.write(f"{label}: {dict(case.gait)}, {case.ground}, push {case.push}, {engine}: {wrong}")
    shape = len(cases), len(engines)
    return {
        name: np.array([float(found[name]) for found, _ in cells]).reshape(shape)
        for name in ("verdict", "ended", *NUMBERS)
    }


def grid(case: Callable, axes: Sequence, engines: Sequence[str], n_jobs: int, label: str, *names: str) -> dict:
    """Return numbers of a sweep of `case(*values)` over a grid, each of the lengths of its axes and (n_engines,)."""
    found = sweep(itertools.starmap(case, itertools.product(*axes)), engines, n_jobs, label)
    return {name: found[name].reshape(*map(len, axes), -1) for name in names}


def refine(values: Sequence[float], fineness: int) -> np.ndarray:
    """Return the values with every interval split into `fineness` equal ones.

    Raises:
        ValueError: If the fineness is not positive.
    """
    if fineness < 1:
        raise ValueError(f"fineness must be 1 or more, got {fineness}")
    index = np.arange((len(values) - 1) * fineness + 1) / fineness
    return np.interp(index, np.arange(len(values)), values)


def count(verdicts: np.ndarray) -> str:
    """Return the count of each verdict, in words."""
    return ", ".join(f"{np.sum(verdicts == v)} {v.name.lower()}" for v in Verdict if np.any(verdicts == v))


def number(value: float, verdict: float, form: str) -> str:
    """Return a number of a cell for a table, or in its place how the cell ended."""
    verdict = Verdict(int(verdict))
    if verdict is Verdict.WALKS:
        return form.format(value)
    return f"{form.format(value)} (tips)" if verdict is Verdict.TIPS else verdict.name.lower()


def numbers(values: Iterable[float], verdicts: Iterable[float], form: str) -> list[str]:
    """Return the same number of several cells, as `number`."""
    return [number(value, verdict, form) for value, verdict in zip(values, verdicts, strict=True)]


ORBIT = ("height", "vertical", "forward", "lateral", "pitch", "pitch_rate", "roll_rate", "yaw_rate")


def orbit(record: xr.Dataset) -> np.ndarray:
    """Return the coordinates that a walk repeats from stride to stride, wherever it goes: shape (n, 8), of `ORBIT`.

    Height above the ground [m], velocity upward, along the heading and to its right [m/s], pitch [rad], and the angular
    velocity in the body frame [rad/s].
    """
    heading, (vx, vy, vz) = summary.yaw(record), record["body_velocity"].values.T
    forward, lateral = np.cos(heading) * vy - np.sin(heading) * vx, np.cos(heading) * vx + np.sin(heading) * vy
    columns = (summary.height(record), vz, forward, lateral, summary.pitch(record))
    return np.column_stack([*columns, record["body_angular_velocity_b"].values])
