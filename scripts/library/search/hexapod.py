"""The search for the fastest or cheapest stable gait of the hexapod's clock in the exact engine, confirmed in MuJoCo.

Differential evolution (scipy) maximises the mean speed of a walk from rest whose last strides are of one length, or
minimises its specific resistance; a gait that falls costs more the sooner it does. Of the gaits tried the best stable
one is taken (see `gait_proof`). The method `gradient` climbs from the fastest gaits of the first generation by exact
derivatives instead (see `gait_gradient`).
"""

import functools
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, NamedTuple

import joblib
import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.clock import TURN, TripodGait
from tarsus.analytic.models.hexapod import ROBOTS, HexapodParams, robot
from tarsus.analytic.terrain import Flat
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count, Jobs, Seed
from tarsus.scripts.library.machines import hexapod_exact as exact
from tarsus.scripts.library.search.found import Found, Parameter, Tried
from tarsus.scripts.library.search.gait_gradient import DerivedWalk, RestWalks, climb
from tarsus.scripts.library.search.gait_proof import SECONDS, ExactWalk, Proof, follows, prove, table, walk
from tarsus.scripts.library.search.searches import Search, Trials

UNITS = {"cycle_time": "s", "duty": "", "sweep_angle": "rad", "leg_offset": "rad"}
# Sweeps past 2 rad lay the body on the ground.
RANGES = {"cycle_time": (0.2, 1.2), "duty": (0.3, 0.8), "sweep_angle": (0.2, 2.0), "leg_offset": (-0.6, 0.6)}
CONVERGED = 3e-3  # spread of a generation's costs at which the search ends, relative
CANDIDATES = 100  # gaits that are examined further before the search counts as failed
PATTERNS = {"tripod": 0.5, "pronk": 0.0}  # the second tripod's phase after the first [cycle]
LEAST_SPEED = 0.3  # a resistance is looked for above that [m/s]
ALOFT = 0.1  # share of the time that a pronking robot flies, at least
CLIMBS = 6  # by gradient, from the fastest gaits of the first generation
WORST = 1e3  # above every resistance of a robot that walks


class Walked(NamedTuple):
    """How a gait walks, and how many strides that took, from rest until its end or its fall."""

    walk: ExactWalk
    strides: float


@dataclass(frozen=True)
class HexapodSearch(Search):
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

    evolution = {"mutation": (0.4, 0.9), "recombination": 0.8, "tol": CONVERGED}

    @functools.cached_property
    def params(self) -> HexapodParams:
        """The robot."""
        return robot(self.robot)

    @functools.cached_property
    def sim(self) -> hy.Simulator:
        """The compiled hexapod."""
        return exact.simulator(Flat())

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of `RANGES`; hips hardly turn faster than nine tenths of the no-load speed."""
        shortest = TURN / (0.9 * self.params.motor.no_load_speed)
        ranges = RANGES | {"cycle_time": (shortest, RANGES["cycle_time"][1])}
        return tuple(Parameter(name, *ranges[name], unit) for name, unit in UNITS.items())

    @property
    def maximised(self) -> str:
        """Of gaits that walk on and on; others have less the sooner they fall."""
        return "speed [m/s]" if self.goal == "speed" else "specific resistance, negative"

    @property
    def unit(self) -> str:
        """What is finished when the search is asked to stop, in words."""
        return "the gait" if self.method == "gradient" else "the generation"

    @property
    def total(self) -> int | None:
        """By gradient strides are counted, not gaits."""
        return None if self.method == "gradient" else super().total

    def gait_at(self, point) -> TripodGait:
        """Return the gait of a point (4,) in the order of `RANGES`."""
        cycle_time, duty, sweep_angle, leg_offset = (float(value) for value in point)
        gait = TripodGait(cycle_time, duty * cycle_time, sweep_angle, leg_offset)
        return replace(gait, phase_difference=PATTERNS[self.pattern], blend=min(self.blend, duty, 1.0 - duty))

    def walk(self, point) -> Walked:
        """Return the exact robot's walk with the gait of a point."""
        electric = (self.pattern, self.goal) != ("tripod", "speed")
        made = walk(self.sim, self.params, self.gait_at(point), electric=electric)[0]
        return Walked(made, made.lasted * np.ceil(SECONDS / point[0]))

    def passes(self, made: ExactWalk) -> bool:
        """Return whether a walk meets the search's conditions."""
        flies = self.pattern != "pronk" or made.aloft >= ALOFT
        return made.steady and flies and (self.goal == "speed" or made.speed >= LEAST_SPEED)

    def score_of(self, made: ExactWalk) -> float:
        """Return the score of a walk."""
        if self.passes(made):
            return made.speed if self.goal == "speed" else -made.resistance
        amiss = made.penalty if not made.steady else 0.5 - 0.1 * min(made.speed, LEAST_SPEED) - made.aloft
        return -amiss if self.goal == "speed" else -WORST * (1.0 + amiss)

    def first(self, rng: np.random.Generator) -> np.ndarray:
        """Return points at random."""
        unit = np.random.default_rng(self.seed).uniform(size=(self.population, len(self.parameters)))
        low, high = self.bounds.T
        return low + unit * (high - low)

    def score(self, points: np.ndarray, generation: int) -> tuple[np.ndarray, list[Walked]]:
        """Walk in threads; the engine's loop holds no lock."""
        run = joblib.Parallel(n_jobs=self.jobs, backend="threading")
        walks = run(joblib.delayed(self.walk)(point) for point in points)
        return np.array([self.score_of(made.walk) for made in walks]), walks

    def explore(self, trials: Trials) -> bool:
        """Evolve, or climb by exact derivatives from the fastest gaits of the first generation."""
        if self.method == "evolution":
            return super().explore(trials)
        for point in self.first(np.random.default_rng(self.seed)):
            trials(point[None])
            if trials.stopped():
                return False
        starts = sorted((row for row in trials.tried if self.passes(row.about.walk)), key=lambda row: -row.score)
        walks = RestWalks(self.params, self.gait_at)

        def told(point: np.ndarray, made: DerivedWalk) -> bool:
            trials.add([Tried(point, self.score_of(made.walk), Walked(made.walk, made.strides))])
            return trials.stopped()

        for row in starts[:CLIMBS]:
            if strides_of(trials.tried) >= self.strides or trials.stopped():
                break
            climb(walks, row.point, self.bounds, self.strides - strides_of(trials.tried), told)
        return strides_of(trials.tried) < self.strides

    def finish(self, found: Found, trials: Trials, confirm: bool) -> Found:
        """Return the result with the gait and its command; confirmed, of the best gait that is proved to be stable."""
        strides = strides_of(found.tried)
        words = f"{strides:.0f} strides walked from rest"
        proof = best_proved(self, trials) if confirm else None
        if proof is not None:
            row, proof = proof
            found = replace(found, point=row.point, trials=np.array([row.score]))
            words += f"\n{table(proof, len(found.tried), found.converged)}"
        else:
            words += "; the best gait is not proved to be stable"
        refuted = confirm and proof is None and not trials.stopped()
        failure = "no stable gait was found; allow more generations" if refuted else ""
        command = self.command_of(found.point)
        made = {"gait": self.gait_at(found.point), "proof": proof, "strides": strides, "command": command}
        return replace(found, made=made, told=f"{words}\n\n{command}", failure=failure)

    def command_of(self, point) -> str:
        """Return the command that walks the gait of a point (4,)."""
        gait = self.gait_at(point)
        options = [] if self.robot == "table2" else [f"--robot {self.robot}"]
        options += [] if self.pattern == "tripod" else [f"--phase-difference={PATTERNS[self.pattern]:g}"]
        options += [f"--blend={gait.blend:.12g}"] if gait.blend else []
        values = zip(("t-c", "duty", "phi-s", "phi-o"), point, strict=True)
        return " ".join(["tarsus run hexapod", *options, *(f"--{name}={value:.12g}" for name, value in values)])


def strides_of(tried: Sequence[Tried]) -> float:
    """Return the number of strides that gaits took together."""
    return float(sum(row.about.strides for row in tried))


def best_proved(search: HexapodSearch, trials: Trials) -> tuple[Tried, Proof] | None:
    """Return the best gait that is stable with its proof; None if there is none, or the search was asked to stop."""
    for row in sorted(trials.tried, key=lambda row: -row.score)[:CANDIDATES]:
        if not search.passes(row.about.walk) or trials.stopped():
            break
        gait, speed = search.gait_at(row.point), row.about.walk.speed
        follower = follows(search.params, gait, speed)
        proof = prove(search.sim, search.params, gait) if follower else None
        if proof is not None and proof.stable:
            return row, proof
        why = "not stable" if follower else "MuJoCo does not follow"
        print(f"{why} at {speed:.3f} m/s, tried the next: {row.point}", file=sys.stderr)
    return None
