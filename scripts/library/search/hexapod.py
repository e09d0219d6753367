"""The search for the fastest or cheapest stable gait of the hexapod's clock in the exact engine, confirmed in MuJoCo.

Differential evolution (scipy) maximises the mean speed of a walk from rest whose last strides are of one length, or
minimises its specific resistance; a gait that falls costs more the sooner it does. Of the gaits tried the best stable
one is taken (see `gait_proof`). The method `gradient` climbs from the fastest gaits of the first generation by exact
derivatives instead (see `gait_gradient`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import joblib
import numpy as np
from scipy.optimize import differential_evolution
from tqdm import tqdm

from tarsus.analytic.clock import TURN, TripodGait
from tarsus.analytic.models.hexapod import ROBOTS, HexapodParams, robot
from tarsus.analytic.terrain import Flat
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count, Jobs, Seed
from tarsus.scripts.library.machines import hexapod_exact as exact
from tarsus.scripts.library.search.gait_gradient import RestWalks, climb
from tarsus.scripts.library.search.gait_proof import SECONDS, ExactWalk, Proof, follows, prove, walk

# Sweeps past 2 rad lay the body on the ground.
RANGES = {"cycle_time": (0.2, 1.2), "duty": (0.3, 0.8), "sweep_angle": (0.2, 2.0), "leg_offset": (-0.6, 0.6)}
CONVERGED = 3e-3  # spread of a generation's costs at which the search ends, relative
CANDIDATES = 100  # gaits that are examined further before the search counts as failed
PATTERNS = {"tripod": 0.5, "pronk": 0.0}  # the second tripod's phase after the first [cycle]
LEAST_SPEED = 0.3  # a resistance is looked for above that [m/s]
ALOFT = 0.1  # share of the time that a pronking robot flies, at least
CLIMBS = 6  # by gradient, from the fastest gaits of the first generation
WORST = 1e3  # above every resistance of a robot that walks


@dataclass(frozen=True)
class GaitSearch:
    """What is searched for.

    Attributes:
        params: The robot.
        pattern: One of `PATTERNS`.
        goal: "speed" or "resistance".
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


def evolve(
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


@dataclass(frozen=True)
class GaitsTried:
    """The gaits that a search tried, the best first.

    Attributes:
        task: What was searched for.
        tried: Points (4,) in the order of `RANGES`, with how each walks.
        strides: Walked from rest, of all gaits together.
        converged: Whether the search ended by itself.
    """

    task: GaitSearch
    tried: list[tuple[np.ndarray, ExactWalk]]
    strides: float
    converged: bool

    @property
    def gait(self) -> TripodGait:
        """The best gait tried, which is not proved to be stable."""
        return self.task.gait_at(self.tried[0][0])


@dataclass(frozen=True)
class HexapodSearch:
    """A search for a gait of the hexapod.

    Attributes:
        robot: The hexapod.
        pattern: Whether the tripods alternate or jump together.
        goal: Most speed, or least specific resistance.
        blend: Width of blended corners, a share of the cycle.
        method: From generation to generation, or by exact derivatives from the fastest gaits of the first one.
        population: Gaits per generation, 5 or more.
        generations: Most generations after the first.
        strides: By gradient: strides after which no step is begun.
        seed: Of the search.
        jobs: Threads; -1 takes every core.

    Raises:
        ValueError: If the method cannot search for that.
    """

    robot: Literal[tuple(ROBOTS)] = "table2"
    pattern: Literal["tripod", "pronk"] = "tripod"
    goal: Literal["speed", "resistance"] = "speed"
    blend: Annotated[float, arguments.number(low=0.0, high=0.5)] = 0.0
    method: Literal["evolution", "gradient"] = "evolution"
    population: Annotated[int, arguments.integer(5)] = 24
    generations: Count = 60
    strides: Count = 750
    seed: Seed = 0
    jobs: Jobs = -1

    def __post_init__(self) -> None:
        if self.method == "gradient" and (self.pattern, self.goal, self.blend) != ("tripod", "speed", 0.0):
            raise ValueError("the method gradient searches for a tripod's speed, without blend")

    @property
    def unit(self) -> str:
        """What is finished when the search is asked to stop, in words."""
        return "the gait" if self.method == "gradient" else "the generation"

    def run(self, stop: Callable | None = None) -> GaitsTried:
        """Return the gaits tried; `stop` is asked now and then whether to end."""
        task = GaitSearch(robot(self.robot), self.pattern, self.goal, self.blend)
        if self.method == "gradient":
            tried, strides = ascend(task, self.population, self.strides, self.seed, stop)
            converged = strides < self.strides
        else:
            tried, converged = evolve(task, self.population, self.generations, self.seed, self.jobs, stop)
            strides = sum(task.strides(*row) for row in tried)
        tried.sort(key=lambda row: task.cost(row[1]))
        return GaitsTried(task, tried, strides, converged)


def best_proved(found: GaitsTried) -> tuple[np.ndarray, Proof] | None:
    """Return the best gait that is stable, a point (4,), with its proof; None if there is none."""
    sim, task = exact.simulator(Flat()), found.task
    for point, made in found.tried[:CANDIDATES]:
        if not task.passes(made):
            break
        gait = task.gait_at(point)
        proof = prove(sim, task.params, gait) if follows(task.params, gait, made.speed) else None
        if proof is not None and proof.stable:
            return point, proof
        why = "not stable" if proof else "MuJoCo does not follow"
        print(f"{why} at {made.speed:.3f} m/s, tried the next: {point}", file=sys.stderr)
    return None
