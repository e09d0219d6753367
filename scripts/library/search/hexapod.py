"""Search the clock's parameters for the fastest or cheapest stable gait in the exact engine, and confirm it in MuJoCo.

Usage: tarsus search hexapod [--robot rhex] [--pattern tripod|pronk] [--goal speed|resistance]
[--blend 0.1] [--method gradient].
Differential evolution (scipy) maximises the mean speed of a walk from rest whose last strides are of one length, or
minimises its specific resistance; a gait that falls costs more the sooner it does. Of the gaits tried the best stable
one is taken (see `gait_proof`). The method `gradient` climbs from the fastest gaits of the first generation by exact
derivatives instead (see `gait_gradient`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import joblib
import numpy as np
from scipy.optimize import differential_evolution
from tqdm import tqdm

from tarsus.analytic.clock import TURN, TripodGait
from tarsus.analytic.models.hexapod import HexapodParams, robot
from tarsus.analytic.terrain import Flat
from tarsus.scripts.command import arguments
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.machines import hexapod_exact as exact
from tarsus.scripts.library.machines.hexapod import ROBOT
from tarsus.scripts.library.search.gait_gradient import RestWalks, climb
from tarsus.scripts.library.search.gait_proof import SECONDS, ExactWalk, follows, prove, table, walk

# Sweeps past 2 rad lay the body on the ground.
RANGES = {"cycle_time": (0.2, 1.2), "duty": (0.3, 0.8), "sweep_angle": (0.2, 2.0), "leg_offset": (-0.6, 0.6)}
CONVERGED = 3e-3  # spread of a generation's costs at which the search ends, relative
CANDIDATES = 100  # gaits that are examined further before the search counts as failed
PATTERNS = {"tripod": 0.5, "pronk": 0.0}  # the second tripod's phase after the first [cycle]
GOALS = ("speed", "resistance")
LEAST_SPEED = 0.3  # a resistance is looked for above that [m/s]
ALOFT = 0.1  # share of the time that a pronking robot flies, at least
METHODS = ("evolution", "gradient")
CLIMBS = 6  # by gradient, from the fastest gaits of the first generation
WORST = 1e3  # above every resistance of a robot that walks


@dataclass(frozen=True)
class GaitSearch:
    """What is searched for.

    Attributes:
        params: The robot.
        pattern: One of `PATTERNS`.
        goal: One of `GOALS`.
        blend: Width of the clock's blended corners [cycle], at most the shorter phase.
    """

    params: HexapodParams
    pattern: str = "tripod"
    goal: str = "speed"
    blend: float = 0.0

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Least and greatest value of each parameter; hips hardly turn faster than nine tenths of the no-load speed."""
        shortest = TURN / (0.9 * self.params.motor.no_load_speed)
        return list((RANGES | {"cycle_time": (shortest, RANGES["cycle_time"][1])}).values())

    def gait_at(self, point) -> TripodGait:
        """Return the gait of a point (4,) in the order of `RANGES`."""
        cycle_time, duty, sweep_angle, leg_offset = (float(value) for value in point)
        gait = TripodGait(cycle_time, duty * cycle_time, sweep_angle, leg_offset)
        return replace(gait, phase_difference=PATTERNS[self.pattern], blend=min(self.blend, duty, 1.0 - duty))

    def walk(self, sim, point) -> ExactWalk:
        """Return how the exact robot walks the gait of a point."""
        electric = (self.pattern, self.goal) != ("tripod", "speed")
        return walk(sim, self.params, self.gait_at(point), electric=electric)[0]

    def first(self, population: int, seed: int) -> np.ndarray:
        """Return the first generation, points at random, shape (population, 4)."""
        unit = np.random.default_rng(seed).uniform(size=(population, len(self.bounds)))
        low, high = np.array(self.bounds).T
        return low + unit * (high - low)

    def strides(self, point, made: ExactWalk) -> float:
        """Return how many strides a walk took, from rest until its end or its fall."""
        return made.lasted * np.ceil(SECONDS / point[0])

    def passes(self, made: ExactWalk) -> bool:
        """Return whether a walk is one of those that are looked for."""
        flies = self.pattern != "pronk" or made.aloft >= ALOFT
        return made.steady and flies and (self.goal == "speed" or made.speed >= LEAST_SPEED)

    def cost(self, made: ExactWalk) -> float:
        """Return what the search minimises."""
        if self.passes(made):
            return -made.speed if self.goal == "speed" else made.resistance
        amiss = made.penalty if not made.steady else 0.5 - 0.1 * min(made.speed, LEAST_SPEED) - made.aloft
        return amiss if self.goal == "speed" else WORST * (1.0 + amiss)


def search(
    task: GaitSearch, population: int, generations: int, seed: int = 0, n_jobs: int = -1, stop: Callable | None = None
) -> tuple[list[tuple[np.ndarray, ExactWalk]], bool]:
    """Return every point tried (4,) with how it walks, by differential evolution, and whether the search converged.

    Args:
        task: What to search for.
        population: Points per generation.
        generations: How many at most, after the first.
        seed: Of the search.
        n_jobs: Threads; the engine's loop holds no lock.
        stop: Asked after every generation whether it shall be the last.
    """
    sim = exact.simulator(Flat())
    tried: list[tuple[np.ndarray, ExactWalk]] = []
    parallel = joblib.Parallel(n_jobs=n_jobs, backend="threading")
    with tqdm(total=population * (generations + 1), unit="gait") as bar:

        def costs(points):  # (4, m)
            walks = parallel(joblib.delayed(task.walk)(sim, point) for point in points.T)
            tried.extend(zip(points.T.copy(), walks, strict=True))
            bar.update(len(walks))
            best = min((made for _, made in tried), key=task.cost)
            bar.set_postfix_str(f"best {best.speed:.3f} m/s")
            return np.array([task.cost(made) for made in walks])

        first = task.first(population, seed)
        found = differential_evolution(
            costs, task.bounds, maxiter=generations, init=first, rng=seed, polish=False, vectorized=True,
            updating="deferred", tol=CONVERGED, mutation=(0.4, 0.9), recombination=0.8,
            callback=stop,
        )  # fmt: skip
    return tried, bool(found.success)


def ascend(
    task: GaitSearch, population: int, budget: float, seed: int = 0, stop: Callable | None = None
) -> tuple[list[tuple[np.ndarray, ExactWalk]], float]:
    """Return every point tried (4,) with how it walks, by gradient, and the strides it took.

    Args:
        task: What to search for; a tripod gait's speed.
        population: Gaits at random, of which the fastest are climbed from.
        budget: Strides after which no step is begun.
        seed: Of these.
        stop: Asked after every gait whether it shall be the last.
    """
    sim, walks = exact.simulator(Flat()), RestWalks(task.params, task.gait_at)
    tried: list[tuple[np.ndarray, ExactWalk]] = []
    bounds, took = np.array(task.bounds), [0.0]
    with tqdm(unit="gait") as bar:

        def told(point, made: ExactWalk, strides: float) -> bool:
            tried.append((point, made))
            took[0] += strides
            bar.update()
            best = min((walked for _, walked in tried), key=task.cost)
            bar.set_postfix_str(f"best {best.speed:.3f} m/s, {took[0]:.0f} strides")
            return bool(stop is not None and stop())

        for point in task.first(population, seed):
            made = task.walk(sim, point)
            if told(point, made, task.strides(point, made)):
                return tried, took[0]
        starts = sorted((row for row in tried if task.passes(row[1])), key=lambda row: task.cost(row[1]))
        for point, _ in starts[:CLIMBS]:
            if took[0] >= budget or (stop is not None and stop()):
                break
            climb(walks, point, bounds, budget - took[0], lambda at, made: told(at, made.walk, made.strides))
    return tried, took[0]


def command_of(task: GaitSearch, point, name: str) -> str:
    """Return the command that walks the gait of a point (4,) on the robot of that name."""
    gait = task.gait_at(point)
    options = [] if name == "table2" else [f"--robot {name}"]
    options += [] if task.pattern == "tripod" else [f"--phase-difference={PATTERNS[task.pattern]:g}"]
    options += [f"--blend={gait.blend:.12g}"] if gait.blend else []
    values = zip(("t-c", "duty", "phi-s", "phi-o"), point, strict=True)
    return " ".join(["tarsus run hexapod", *options, *(f"--{name}={value:.12g}" for name, value in values)])


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Search, prove, print the table and the command that walks the gait."""
    parser = _parser()
    with arguments.read(parser, argv) as args:
        task = GaitSearch(robot(args.robot), args.pattern, args.goal, args.blend)
        if args.method == "gradient" and (task.pattern, task.goal, task.blend) != ("tripod", "speed", 0.0):
            parser.error("the method gradient searches for a tripod's speed, without blend")
    with interrupts.heeded("the gait" if args.method == "gradient" else "the generation") as asked:
        if args.method == "gradient":
            tried, strides = ascend(task, args.population, args.strides, args.seed, asked)
            converged = strides < args.strides
        else:
            tried, converged = search(task, args.population, args.generations, args.seed, args.jobs, asked)
            strides = sum(task.strides(*row) for row in tried)
    tried.sort(key=lambda row: task.cost(row[1]))
    if asked():
        point, made = tried[0]
        print(f"the best gait until then, {made.speed:.3f} m/s, not proved:\n{command_of(task, point, args.robot)}")
        print("tarsus search hexapod: interrupted; the search was not finished", file=sys.stderr)
        return interrupts.EXIT_STATUS
    print(f"{strides:.0f} strides walked from rest, {len(tried)} gaits")
    return report_best(task, tried, converged, args.robot)


def _parser() -> arguments.Parser:
    parser = arguments.Parser(prog="tarsus search hexapod", description=(__doc__ or "").partition("\n")[0])
    count = arguments.count
    parser.add_argument(
        "--population", type=arguments.integer(5), default=24, help="gaits per generation, 5 or more; default 24"
    )
    parser.add_argument("--generations", type=count, default=60, help="most generations after the first; default 60")
    parser.add_argument("--seed", type=arguments.seed, default=0, help="of the search; default 0")
    parser.add_argument("--jobs", type=arguments.jobs, default=-1, help="threads; -1 takes every core")
    parser.add_argument("--robot", **ROBOT)
    parser.add_argument("--pattern", choices=tuple(PATTERNS), default="tripod", help="default: %(default)s")
    parser.add_argument("--goal", choices=GOALS, default="speed", help="most speed, or least specific resistance")
    words = "width of blended corners, a share of the cycle; default 0"
    parser.add_argument("--blend", type=arguments.number(low=0.0, high=0.5), default=0.0, help=words)
    words = "from generation to generation, or by exact derivatives from the fastest gaits of the first one"
    parser.add_argument("--method", choices=METHODS, default="evolution", help=words + "; default: %(default)s")
    words = "by gradient: strides after which no step is begun; default 750"
    parser.add_argument("--strides", type=count, default=750, help=words)
    return parser


def report_best(task: GaitSearch, tried, converged: bool, name: str) -> int:
    """Print the proof of the best gait that is stable and the command that walks it; return the exit status."""
    sim = exact.simulator(Flat())
    for point, made in tried[:CANDIDATES]:
        if not task.passes(made):
            break
        gait = task.gait_at(point)
        proof = prove(sim, task.params, gait) if follows(task.params, gait, made.speed) else None
        if proof is not None and proof.stable:
            print(table(proof, len(tried), converged))
            print(f"\n{command_of(task, point, name)}")
            return 0
        why = "not stable" if proof else "MuJoCo does not follow"
        print(f"{why} at {made.speed:.3f} m/s, tried the next: {point}", file=sys.stderr)
    print("tarsus search hexapod: no stable gait was found; allow more generations", file=sys.stderr)
    return 1
