"""MuJoCo's contact settings, each with its error against the exact engine and its cost.

Every setting walks and runs the default hexapod on flat ground in MuJoCo; forces and speeds are compared with the exact
engine's. A setting that diverges, topples or is refused stays in the list, marked with the reason.
"""

from __future__ import annotations

import itertools
import statistics
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from tqdm import tqdm

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat
from tarsus.mjcf.presets import PRESETS, Preset
from tarsus.scripts.laboratory.studies.creep_and_cost import speed_of_simulation
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.comparison.compare import Comparison, compare
from tarsus.scripts.library.machines.hexapod import HEXAPOD, PlatelessExperiment
from tarsus.scripts.library.machines.outcome import SAMPLE_PERIOD, Run

RIGID = 0.01  # shorter time constants of contact let a light toe sink less than its impedance's width [s]
GAITS = {"walk": TripodGait(1.0, 0.6), "run": TripodGait(0.5, 0.3)}
SECONDS = 6.0  # of a run; the first 3 s are left out
FINEST = 5e-4  # divides the time between rows of every setting here [s]
SLIDE_SPEED = 1e-3  # of the exact engine: biases its walking speed by 0.02 % [m/s]
TIMESTEPS = (2.5e-4, 5e-4, 1e-3, 2e-3, 2.5e-3)
DEFAULTS = "MuJoCo's defaults"
ROUNDS = 5  # of cost through all settings: a busy minute of the machine is in every setting's median, or in none's
SAFE = 2.0  # MuJoCo widens a contact's time constant to this many steps


def settings() -> dict[str, Preset]:
    """Return every setting by a name that says how it differs from what it is derived from."""
    made = {DEFAULTS: Preset(2e-3, "Euler", (0.02, 1.0), (0.9, 0.95, 1e-3), 1.0, "pyramidal", 0, 1e-8, 0.01)}
    made |= dict(PRESETS)
    for timestep in TIMESTEPS:
        solref = (max(SAFE * timestep, 1e-3), 1.0)
        for integrator in ("Euler", "implicitfast", "discrete"):
            for cone, impratio in (("elliptic", 100.0), ("elliptic", 10.0), ("elliptic", 1.0), ("pyramidal", 1.0)):
                base = Preset(timestep, integrator, solref, impratio=impratio, cone=cone, tolerance=1e-8)
                made[f"{1e3 * timestep:g} ms {integrator} {cone} {impratio:g}"] = base
        for integrator in ("implicitfast", "discrete"):
            soft = Preset(timestep, integrator, (2.0 * solref[0], 1.0), impratio=10.0, tolerance=1e-8)
            made[f"{1e3 * timestep:g} ms {integrator} elliptic 10, solref doubled"] = soft
        made[f"{1e3 * timestep:g} ms RK4 elliptic 10"] = Preset(timestep, "RK4", solref, impratio=10.0, tolerance=1e-8)
    for name, preset in PRESETS.items():
        made |= {f"{name}, {words}": replace(preset, **changed) for words, changed in _changes(preset)}
    return made


def _changes(preset: Preset) -> list[tuple[str, dict]]:
    """Return one change at a time of a preset, in words and as its fields."""
    changes = [(f"solref x {factor}", {"solref": (factor * preset.solref[0], 1.0)}) for factor in (2, 4, 10)]
    changes += [(f"damping ratio {ratio}", {"solref": (preset.solref[0], ratio)}) for ratio in (0.5, 4.0)]
    solimps = (0.9, 0.95, 1e-3), (0.9, 0.99, 1e-3), (0.9, 0.999, 1e-4), (0.95, 0.99, 1e-3), (0.999, 0.999, 1e-3)
    changes += [("solimp {} {} {}".format(*solimp), {"solimp": solimp}) for solimp in solimps]
    changes += [(f"impratio {value:g}", {"impratio": value}) for value in (1.0, 10.0, 100.0, 1000.0)]
    changes += [(f"noslip {n}", {"noslip_iterations": n}) for n in (3, 10)]
    changes += [(f"toe radius {1e3 * radius:g} mm", {"toe_radius": radius}) for radius in (1e-3, 3e-3, 1e-2)]
    changes += [("tolerance 1e-6", {"tolerance": 1e-6}), ("pyramidal", {"cone": "pyramidal"})]
    changes += [(f"solimp {d0} at the onset", {"solimp": (d0, *preset.solimp[1:])}) for d0 in (0.5, 0.9)]
    changes += [("no speculative contact", {"speculative": False}), ("no sink", {"sink": 0.0})]
    return [(words, changed) for words, changed in changes if replace(preset, **changed) != preset]


@dataclass(frozen=True)
class ContactCell:
    """What a setting is worth. Errors are NaN if it failed."""

    failed: str  # why, or an empty string
    force_error: float = np.nan  # of the 20 ms mean forces, all feet and gaits, as a share of the exact forces
    raw_force_error: float = np.nan  # of the forces themselves
    speed_error: float = np.nan  # the worst of the gaits, as a share
    height_error: float = np.nan  # the worst of the gaits [m]
    real_time: float = np.nan  # simulated over processor time, commands every 20 ms: the setting's cost


def row_period(preset: Preset) -> float:
    """Return the time between rows of a record [s]."""
    return preset.timestep * max(1, round(SAMPLE_PERIOD / preset.timestep))


def exact_trials(chosen: list[Preset]) -> dict[tuple[str, float], Run]:
    """Return the exact run of each gait with the rows of each preset, all of one run whose rows are `FINEST` apart."""
    trials = {}
    for name, gait in GAITS.items():
        experiment = PlatelessExperiment(HexapodParams(), gait, Flat())
        fine = HEXAPOD.exact(experiment, SECONDS, FINEST, slide_speed=SLIDE_SPEED)
        for period in {row_period(preset) for preset in chosen}:
            every = slice(None, None, round(period / FINEST))
            trials[name, period] = replace(fine, record=fine.record.isel(time=every))
    return trials


def accuracy(preset: Preset, exact: dict[str, Run]) -> ContactCell:
    """Return a setting's errors, without its cost; `exact` holds the exact run of each gait."""
    found: list[Comparison] = []
    for name, gait in GAITS.items():
        try:
            trial = HEXAPOD.mujoco(PlatelessExperiment(HexapodParams(), gait, Flat(), preset), SECONDS, fine=False)
        except ValueError as error:
            return ContactCell(failed=str(error))
        if not trial.completed:
            return ContactCell(failed=f"{name}: {trial.record.attrs['status']}")
        found.append(compare(exact[name], trial, gait.cycle_time))
    return ContactCell(
        failed="",
        force_error=_relative(found, "normal_smooth", "tangential_smooth"),
        raw_force_error=_relative(found, "normal", "tangential"),
        speed_error=max(abs(one.speed_ratio - 1) for one in found),
        height_error=max(one.body["height"] for one in found),
    )


def _relative(found: list[Comparison], *names: str) -> float:
    """Return the root mean square of force errors over feet and gaits, as a share of the exact normal forces."""
    error = np.mean([sum(np.mean(getattr(one, name) ** 2) for name in names) for one in found])
    return float(np.sqrt(error / np.mean([np.mean(one.load**2) for one in found])))


def compute(chosen: dict[str, Preset] | None = None, n_jobs: int = -1, progress: bool = True) -> dict[str, ContactCell]:
    """Return each setting's cell: errors by joblib's active backend, then costs one after the other, unhurried."""
    chosen = settings() if chosen is None else chosen
    exact = exact_trials(list(chosen.values()))
    cases = [(preset, {name: exact[name, row_period(preset)] for name in GAITS}) for preset in chosen.values()]
    cells = parallel.each(accuracy, cases, n_jobs, unit="setting", desc="errors", disable=not progress)
    found = dict(zip(chosen, cells, strict=True))
    works = [name for name in chosen if not found[name].failed]
    rounds = itertools.product(range(ROUNDS), works)
    speeds: dict[str, list[float]] = {name: [] for name in works}
    for _, name in tqdm(rounds, total=ROUNDS * len(works), unit="run", desc="costs", disable=not progress):
        speeds[name].append(speed_of_simulation(chosen[name], seconds=1.0, hold=0.02))
    return found | {name: replace(found[name], real_time=statistics.median(speeds[name])) for name in works}


def front(real_time: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return the mask of Pareto-optimal points, higher speed and lower error being better, shape (n,) of bool.

    A NaN is on no front.
    """
    better = (real_time[None] >= real_time[:, None]) & (error[None] <= error[:, None])
    strictly = (real_time[None] > real_time[:, None]) | (error[None] < error[:, None])
    return ~np.any(better & strictly, axis=1) & np.isfinite(real_time) & np.isfinite(error)


def flickers(preset: Preset) -> bool:
    """Return whether contact flickers: rigid, it barely sinks at rest, and nothing fades its force out at the onset."""
    return preset.solimp[0] > 0.5 and preset.solref[0] < RIGID


def frame(chosen: dict[str, Preset], cells: dict[str, ContactCell]) -> pd.DataFrame:
    """Return settings and cells as one table, a row each; `setting` is the name."""
    rows = [
        {"setting": name, **vars(preset), **vars(cells[name]), "flickers": flickers(preset)}
        for name, preset in chosen.items()
    ]
    return pd.DataFrame(rows)
