"""A policy's stability from its name: what `tarsus.stability` and `tarsus stability` do."""

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import joblib

from tarsus.envs import config
from tarsus.scripts.library.base import parallel, stamp
from tarsus.scripts.library.base.in_python import in_python
from tarsus.scripts.library.learning import policies, robot_files
from tarsus.scripts.library.learning.wrappers import UNSAID, Wrappers, with_friction
from tarsus.scripts.library.stability import gaits, result, single, surviving
from tarsus.scripts.library.stability.gaits import Gait
from tarsus.scripts.library.stability.loop import Loop
from tarsus.scripts.library.stability.margins import N_TRIALS
from tarsus.scripts.library.stability.result import Stability
from tarsus.scripts.library.stability.single import PACKAGES, Said, silent
from tarsus.scripts.library.stability.store import Store

CLOCK = "zero"  # the policy that corrects nothing of a robot's own clock
PERIOD = "baseline_period"  # the option that a clock's turn is [s]
SEEDS = 5  # starts that are asked


@in_python
def stability(
    policy: str,
    environment: str | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    engine: str = "mujoco",
    seeds: int = SEEDS,
    first_seed: int = 0,
    store: Path | None = None,
    said: Said = silent,
    wrappers: Wrappers = UNSAID,
    friction: float | None = None,
    margins: bool = False,
    trials: int = N_TRIALS,
    box: Sequence[float] = (),
    jobs: int = -1,
) -> Stability:
    """Return the rate at which a policy's gait forgets small displacements, and a verdict.

    The period of the gait is found, the derivative of a period is taken by central differences of the sampled closed
    loop, symmetries are taken out by name, and the multipliers stand beside the observed decay of small displacements.
    They agree within 2 %, or the verdict is "not determined". Several starts are asked, and the verdict is that of all.

    Args:
        policy: A name, the folder of a checkpoint, a .zip of Stable-Baselines3, an .onnx, or MODULE:FUNCTION; the file
            of a robot, for its own clock; or one of `gaits.MODELS`, such as simplest-walker.
        environment: By default the policy's own, or Hexapod-v0; the file of a robot is one.
        options: Of the environment. Terrain, noise, pushes and whatever else is drawn are left out.
        engine: "mujoco", or "exact" where the machine has it.
        seeds: Starts that are asked; a return map has one.
        first_seed: The first of their seeds.
        store: Folder in which parts are kept as they are found; a run that was stopped goes on from it.
        said: Called with what is done next, and each margin that was found, in words.
        wrappers: What a .zip was trained in.
        friction: Coefficient of the ground of a robot's file; by default the file's, or the policy's own.
        margins: Whether to find what it survives as well: pushes, payload, friction, slopes, motor strength, delay.
        trials: Of each size of a push or change, a multiple of 8.
        box: Of a return map, how far each coordinate may be off, in typical values: how much of that returns. One for
            all, or one for each.
        jobs: Processes for starts and margins; -1 takes every core.

    Raises:
        ValueError: If there is no such policy, environment or engine, or they do not go together.
        OSError: If a file cannot be read or written.
    """
    if seeds < 1:
        raise ValueError(f"seeds must be at least 1, got {seeds}")
    policy = policies.resolved(policy)
    options = with_friction(options, friction)
    make = functools.partial(subject_of, policy, environment, options, engine, wrappers, store)
    subject = make(said=said)
    surviving.refuse(subject, margins, box, trials)
    found = asked(subject, make, policy, range(first_seed, first_seed + seeds), store, said, jobs)
    return surviving.added(found, subject, make, margins, box, store, jobs, trials, said)


def subject_of(
    policy: str,
    environment: str | None,
    options: Mapping[str, Any],
    engine: str,
    wrappers: Wrappers = UNSAID,
    store: Path | None = None,
    said: Said = silent,
) -> Loop | Gait:
    """Return the loop of a policy, or the gait of a model of the exact engine; see `stability`; ValueError for none.

    The file of a robot is asked by the clock that is found for it, in either engine with the same period.
    """
    is_robot = robot_files.is_file(policy)
    if policy in gaits.MODELS:
        if environment or options:
            raise ValueError(f"{policy} is asked as it is in the exact engine: leave environment and options out")
        return gaits.MODELS[policy]()
    if not is_robot:
        if policies.is_unknown(policy):
            raise ValueError(policies.unknown(policy, environment, gaits.MODELS))
        return Loop.of(policy, environment, options, engine=engine, wrappers=wrappers)
    period = options.get(PERIOD) or clock_period(Path(policy), options.get("ctrl_dt"))
    if engine == "exact":
        if environment or set(options) - {PERIOD}:
            raise ValueError(
                f"the clock of {policy} takes {PERIOD} in the exact engine, and no other option; the policy {CLOCK!r} "
                f"with --env {policy} --engine exact takes all"
            )
        file = None if store is None else store / "gait.jsonl"
        return gaits.of_robot(Path(policy), period, Store(file, [policy, period, stamp.versions(*PACKAGES)]), said)
    loop = Loop.of(CLOCK, policy, {**options, **({PERIOD: period} if period else {})}, engine=engine, wrappers=wrappers)
    loop.lines += (f"its clock's turn takes {period:g} s",) if period else ()
    return loop


def clock_period(path: Path, ctrl_dt: float | None = None) -> float | None:
    """Return the period of the clock that is found for a robot's file, a whole number of control periods [s].

    Args:
        path: Its file.
        ctrl_dt: The control period [s]; by default the environment's.

    Returns:
        None if no clock walks, or of the file of a baseline that was found.
    """
    found = gymnasium.spec(robot_files.register(path)).kwargs
    baseline = found.get("baseline")
    if not isinstance(baseline, str) or baseline != "clock" or not found.get(PERIOD):
        return None
    step = ctrl_dt or config.PERIOD
    return round(max(round(found[PERIOD] / step), 1) * step, 9)


def asked(
    subject: Loop | Gait,
    make: Callable[[], Loop | Gait],
    policy: str,
    seeds: Sequence[int],
    store: Path | None = None,
    said: Said = silent,
    jobs: int = -1,
) -> Stability:
    """Return the result on a loop from several starts, or on a gait; other processes `make` it; see `stability`."""
    files = [None if store is None else store / f"seed-{seed}.jsonl" for seed in seeds]
    if isinstance(subject, Gait) or len(seeds) == 1:
        return single.asked(subject, policy, seeds[0], files[0], said)
    n_jobs, pairs = min(joblib.effective_n_jobs(jobs), len(seeds)), list(zip(seeds, files, strict=True))
    parts = n_jobs if n_jobs > 1 else len(seeds)  # each process makes the loop once
    said(f"{len(seeds)} starts, {n_jobs} at a time")
    cases = [(None if n_jobs > 1 else subject, make, policy, pairs[k::parts]) for k in range(parts)]
    found = parallel.each(_of_starts, cases, n_jobs, unit="part", desc="starts", leave=False)
    return result.together(sorted(itertools.chain(*found), key=lambda one: one.seed))


def _of_starts(subject, make: Callable[[], Loop | Gait], policy: str, pairs: Sequence[tuple]) -> list[Stability]:
    """Return the results on some starts, on a subject that is there or else is made."""
    subject = make() if subject is None else subject
    return [single.asked(subject, policy, seed, file) for seed, file in pairs]
