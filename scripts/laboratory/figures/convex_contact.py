"""Walks where feet slip as they land: MuJoCo's stiff limit, and Coulomb's law by three other ways.

A trot of the example's quadruped: progress over many periods by each way to contact, and what one period from the exact
state adds; and what the law of friction does to other walks. Runtime: a quarter of an hour of one core.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.analytic.articulated.simulation import Options
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.studies import convex_contact as study
from tarsus.scripts.laboratory.studies import judges, walkers
from tarsus.scripts.laboratory.studies.study_plots import plain_log
from tarsus.scripts.library.base import parallel

TROT = "quadruped, trot"
STEP, STIFF = 1e-4, 5e-4  # of time stepping, and MuJoCo's time constant, in the comparison of walks [s]
FAST = Options(rtol=1e-7, hold_speed=1e-5)  # of the exact run there
GOLDEN = {
    "jobs": 1, "steps": (1e-3, 5e-4), "times": (2e-3,),
    "one_steps": (1e-3, 2e-4), "one_times": (2e-3, 1e-3), "walks": (),
}  # fmt: skip
# Rounding makes another sample of a long run's periods: five standard errors.
# One period from a state: rounding on another processor moved soft contact by 1.5e-5, a start 1e-5 away MuJoCo by 2e-3.
TOLERANCES = {"rigid": {"atol": 1e-3}, "mujoco": {"atol": 3e-4}, "one_mujoco": {"atol": 1e-3}}
TOLERANCES |= {f"one_{way}": {"atol": 2e-4} for way in ("rigid", "soft_coulomb", "soft_convex")}
RTOL = 1e-4


def judge(walker: walkers.Walker, way: str, size: float):
    """Return a judge of this step or time constant [s]: "exact", "mujoco", "preset", "rigid" or "soft" with a law."""
    if way == "exact":
        return judges.Exact(walker, FAST if size else judges.ACCURACY)
    kind, _, law = way.partition(" ")
    if law:
        return getattr(judges, kind)(walker, law=law, **{"dt" if kind == "rigid" else "time_constant": size})
    return judges.Mujoco(walker, size if way == "mujoco" else None)


def measured(name: str, way: str, size: float) -> tuple[float, float, float]:
    """Return the progress of a walk: mean, standard error and scatter; NaN where the exact run stops."""
    walker = study.WALKERS[name]()
    try:
        return study.steady(walker, judge(walker, way, size), study.PERIODS, study.settling(walker))
    except RuntimeError:
        if way != "exact":
            raise
        return np.nan, np.nan, np.nan


def added(way: str, size: float) -> tuple[float, float]:
    """Return the errors of one period of the trot: progress [relative], positions [rms, m and rad]."""
    walker = walkers.quadruped()
    return study.one_period(walker, judge(walker, way, size), study.settling(walker))


def compute(
    jobs: Jobs = -1,
    *,
    steps: Sequence[float] = (1e-3, 5e-4, 2e-4, 1e-4),
    times: Sequence[float] = (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4),
    one_steps: Sequence[float] = (1e-3, 5e-4, 2e-4, 1e-4),
    one_times: Sequence[float] = (2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4),
    walks: Sequence[str] = tuple(study.WALKERS),
) -> dict[str, np.ndarray]:
    """Return progress per period: of the trot (mean, standard error, scatter), of one period of it, and of other walks.

    Args:
        jobs: Processes.
        steps: Of Moreau's time stepping [s].
        times: Time constants of MuJoCo's contact [s].
        one_steps: The same for one period.
        one_times: The same, and of soft contact by either law.
        walks: Names of `WALKERS`.
    """
    long = [
        (TROT, "exact", 0.0),
        *((TROT, "rigid coulomb", dt) for dt in steps),
        *((TROT, "mujoco", tc) for tc in times),
    ]
    ways = (("exact", 1.0), ("rigid convex", STEP), ("rigid coulomb", STEP), ("mujoco", STIFF), ("preset", 0.0))
    others = [(name, way, size) for way, size in ways for name in walks]
    one = [("rigid coulomb", dt) for dt in one_steps]
    one += [(way, tc) for way in ("soft coulomb", "soft convex", "mujoco") for tc in one_times]
    n, m, k = len(long), len(steps), len(one_times)
    found = np.array(parallel.each(measured, [*others, *long], jobs, unit="walk"))
    other, trot = found[: len(others)], found[len(others) :]
    single = np.array(parallel.each(added, one, jobs, unit="period"))
    result = {
        "exact": trot[0], "step": np.array(steps), "rigid": trot[1 : 1 + m],
        "time": np.array(times), "mujoco": trot[1 + m : n],
        "one_step": np.array(one_steps), "one_rigid": single[: len(one_steps)], "one_time": np.array(one_times),
    }  # fmt: skip
    for place, way in enumerate(("soft_coulomb", "soft_convex", "mujoco")):
        result[f"one_{way}"] = single[len(one_steps) + place * k : len(one_steps) + (place + 1) * k]
    for place, (way, _) in enumerate(ways if walks else ()):
        result[f"walks_{way.replace(' ', '_')}"] = other[place * len(walks) : (place + 1) * len(walks)]
    return result


def draw(data, figure):
    """Draw the long run at the left, one period at the right, both over how stiff contact is."""
    figure.set_size_inches(10, 4.2)
    left, right = figure.subplots(1, 2, sharey=True)
    mean, error, _ = data["exact"]
    left.axhline(0.0, color="black", lw=1, label="exact, Coulomb")
    for key, size, label in (("rigid", "step", "Moreau's steps"), ("mujoco", "time", "MuJoCo")):
        values, errors = 100 * (data[key][:, 0] / mean - 1), 100 * np.hypot(data[key][:, 1], error) / mean
        left.errorbar(1e3 * data[size], values, errors, fmt="o-", capsize=3, label=label)
    right.axhline(0.0, color="black", lw=1)
    for key, style, label in (
        ("soft_coulomb", "s-", "soft, Coulomb"), ("soft_convex", "^-", "soft, convex"), ("mujoco", "o-", "MuJoCo")
    ):  # fmt: skip
        colour = {"soft_coulomb": "C2", "soft_convex": "C3", "mujoco": "C1"}[key]
        right.plot(1e3 * data["one_time"], 100 * data[f"one_{key}"][:, 0], style, color=colour, label=label)
    left.set(title="20 periods", xlabel="step, or time constant of contact [ms]", ylabel="progress, minus exact [%]")
    right.set(title="one period from the exact state", xlabel="time constant of contact [ms]")
    for axis in (left, right):
        axis.set_xscale("log")
        plain_log(axis.xaxis)
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
