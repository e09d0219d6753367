"""Search the clock's parameters for the fastest stable gait with the exact engine, and confirm it in MuJoCo.

Differential evolution (scipy) maximises the mean speed of a walk from rest whose last strides are of one length; a gait
that falls costs more the sooner it does. Of the gaits tried the fastest stable one is taken (see `gait_proof`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import joblib
import numpy as np
from scipy.optimize import differential_evolution
from tqdm import tqdm

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams, robot
from tarsus.analytic.terrain import Flat
from tarsus.scripts import arguments
from tarsus.scripts.machines import hexapod_exact as exact
from tarsus.scripts.machines.hexapod import ROBOT
from tarsus.scripts.runs import interrupts
from tarsus.scripts.studies.gait_proof import TABLE_2, ExactWalk, follows, prove, table, walk

# A hip that turns once in 0.18 s runs at the motor's no-load speed. Sweeps past 2 rad lay the body on the ground.
RANGES = {"cycle_time": (0.2, 1.2), "duty": (0.3, 0.8), "sweep_angle": (0.2, 2.0), "leg_offset": (-0.6, 0.6)}
CONVERGED = 3e-3  # spread of a generation's costs at which the search ends, relative
CANDIDATES = 100  # gaits that are examined further before the search counts as failed


def gait_at(point) -> TripodGait:
    """Return the gait of a point (4,) in the order of `RANGES`."""
    cycle_time, duty, sweep_angle, leg_offset = (float(value) for value in point)
    return TripodGait(cycle_time, duty * cycle_time, sweep_angle, leg_offset)


def search(
    population: int,
    generations: int,
    seed: int = 0,
    n_jobs: int = -1,
    stop: Callable[..., bool] | None = None,
    params: HexapodParams = TABLE_2,
) -> tuple[list[tuple[np.ndarray, ExactWalk]], bool]:
    """Return every point tried (4,) with how it walks, by differential evolution, and whether the search converged.

    Args:
        population: Points per generation.
        generations: How many at most, after the first.
        seed: Of the search.
        n_jobs: Threads; the engine's loop holds no lock.
        stop: Asked after every generation whether it shall be the last.
        params: The robot.
    """
    sim = exact.simulator(Flat())
    tried: list[tuple[np.ndarray, ExactWalk]] = []
    parallel = joblib.Parallel(n_jobs=n_jobs, backend="threading")
    with tqdm(total=population * (generations + 1), unit="gait") as bar:

        def walked(point):
            return walk(sim, gait_at(point), params=params)[0]

        def costs(points):  # (4, m)
            walks = parallel(joblib.delayed(walked)(point) for point in points.T)
            tried.extend(zip(points.T.copy(), walks, strict=True))
            bar.update(len(walks))
            bar.set_postfix_str(f"fastest {-min(made.cost for _, made in tried):.3f} m/s")
            return np.array([made.cost for made in walks])

        bounds = list(RANGES.values())
        unit = np.random.default_rng(seed).uniform(size=(population, len(bounds)))
        first = np.array([low + u * (high - low) for (low, high), u in zip(bounds, unit.T, strict=True)]).T
        found = differential_evolution(
            costs, bounds, maxiter=generations, init=first, rng=seed, polish=False, vectorized=True,
            updating="deferred", tol=CONVERGED, mutation=(0.4, 0.9), recombination=0.8,
            callback=stop,
        )  # fmt: skip
    return tried, bool(found.success)


def command_of(point, name: str = "table2") -> str:
    """Return the command that walks the gait of a point (4,) with the robot of that name."""
    values = zip(("t-c", "duty", "phi-s", "phi-o"), point, strict=True)
    named = "" if name == "table2" else f"--robot {name} "
    return f"tarsus run hexapod {named}" + " ".join(f"--{symbol}={value:.12g}" for symbol, value in values)


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Search, prove, print the table and the command that walks the gait."""
    parser = arguments.Parser(prog="tarsus search hexapod", description=(__doc__ or "").partition("\n")[0])
    count = arguments.count
    parser.add_argument(
        "--population", type=arguments.integer(5), default=24, help="gaits per generation, 5 or more; default 24"
    )
    parser.add_argument("--generations", type=count, default=60, help="most generations after the first; default 60")
    parser.add_argument("--robot", **ROBOT)
    parser.add_argument("--seed", type=arguments.seed, default=0, help="of the search; default 0")
    parser.add_argument("--jobs", type=arguments.jobs, default=-1, help="threads; -1 takes every core")
    args = arguments.parse(parser, argv)
    with interrupts.heeded("the generation") as asked:
        params = robot(args.robot)
        tried, converged = search(args.population, args.generations, args.seed, args.jobs, asked, params)
    if asked():
        point, made = min(tried, key=lambda row: row[1].cost)
        print(f"the fastest gait until then, {made.speed:.3f} m/s, not proved:\n{command_of(point, args.robot)}")
        print("tarsus search hexapod: interrupted; the search was not finished", file=sys.stderr)
        return interrupts.EXIT_STATUS
    sim = exact.simulator(Flat())
    for point, made in sorted(tried, key=lambda row: row[1].cost)[:CANDIDATES]:
        if not made.steady:
            break
        gait = gait_at(point)
        proof = prove(sim, gait, params) if follows(gait, made.speed, params) else None
        if proof is not None and proof.stable:
            print(table(proof, len(tried), converged))
            print(f"\n{command_of(point, args.robot)}")
            return 0
        why = "not stable" if proof else "MuJoCo does not follow"
        print(f"{why} at {made.speed:.3f} m/s, tried the next: {point}", file=sys.stderr)
    print("tarsus search hexapod: no stable gait was found; allow more generations", file=sys.stderr)
    return 1
