"""The search for the clock's gait with the highest return on Hexapod-v0: the best open-loop policy.

A candidate is an action of the action mode "gait", held after a run-up (`hand_made.run_up`): search and policies choose
from the same gaits. The vector environment walks a generation at a time, and the best of the last one are walked
again for whole episodes of several seeds, of which the mean return decides.
"""

import functools
from dataclasses import dataclass, replace
from typing import Annotated

import gymnasium
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.clock import TripodGait
from tarsus.envs.hexapod_clocks import GAIT_RANGES, gait_parameters
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count, Seed
from tarsus.scripts.library.learning.hand_made import GAITS, gait_action, run_up
from tarsus.scripts.library.search.found import Found, Parameter
from tarsus.scripts.library.search.searches import Search, Trials

ENVIRONMENT = "Hexapod-v0"
EPISODE = 1000  # steps of the final walks
FINAL_SEEDS = 8  # of each finalist
FIRST_SEEDS = 1000, 10_000  # of the search's walks and of the final ones
UNITS = dict(cycle_time="s", sweep_angle="rad", leg_offset="rad", offset_difference="rad")


def gait_of(action: np.ndarray) -> TripodGait:
    t_c, duty, sweep, offset, duty_difference, offset_difference = (float(x) for x in gait_parameters(action))
    return TripodGait(t_c, duty * t_c, sweep, offset, duty_difference * t_c, offset_difference)


class Walks:
    """Returns of gaits that are held after a run-up, each in one of `num_envs` simulations of its own."""

    def __init__(self, num_envs: int, n_threads: int = 0):
        self.envs = gymnasium.make_vec(
            ENVIRONMENT,
            num_envs,
            vectorization_mode="vector_entry_point",
            action_mode="gait",
            max_episode_steps=10**9,
            n_threads=n_threads,
        )

    def __call__(self, actions: np.ndarray, n_steps: int, seed: int) -> np.ndarray:
        """Return the return of each action, shape (n,) for (n, 6), in episodes of these seeds or until a fall.

        There are as many actions as simulations at most; the seed is that of the first one, and the others follow on.
        """
        missing = self.envs.num_envs - len(actions)
        actions = np.pad(actions, ((0, missing), (0, 0)))
        _, info = self.envs.reset(seed=seed)
        total, alive = np.zeros(self.envs.num_envs), np.ones(self.envs.num_envs, bool)
        for _ in range(n_steps):
            _, reward, terminated, _, info = self.envs.step(run_up(actions, info["time"][:, None]))
            total += np.where(alive, reward, 0.0)
            alive &= ~terminated
        return total[: self.envs.num_envs - missing]


@dataclass(frozen=True)
class ReturnSearch(Search):
    """A search for the gait with the highest return.

    Attributes:
        num_envs: Gaits in a generation, 8 or more.
        generations: Of the search.
        steps: Of an episode in the search, 20 ms each.
        seed: Of the search.
        threads: Of the physics; 0 is one for each processor.
    """

    num_envs: Annotated[int, arguments.integer(FINAL_SEEDS, 100_000)] = 64  # at least the episodes of a finalist
    generations: Count = 24
    steps: Count = 300
    seed: Seed = 0
    threads: Annotated[int, arguments.threads] = 0

    evolution = {"mutation": (0.4, 0.9)}
    parameters = tuple(Parameter(name, *ends, UNITS.get(name, "")) for name, ends in GAIT_RANGES.items())
    bounds = np.array([(-1.0, 1.0)] * len(GAIT_RANGES))  # of the actions, which are searched

    @property
    def population(self) -> int:
        """Gaits in a generation."""
        return self.num_envs

    @property
    def maximised(self) -> str:
        """Of whole episodes, which the last generation's best are walked for."""
        return f"return of {EPISODE} steps"

    @functools.cached_property
    def walks(self) -> Walks:
        """What walks a generation."""
        return Walks(self.num_envs, self.threads)

    def first(self, rng: np.random.Generator) -> np.ndarray:
        """Return random actions, and the gaits with a name."""
        points = np.random.default_rng(self.seed).uniform(-1.0, 1.0, (self.num_envs, len(GAIT_RANGES)))
        points[:, 4:] *= 0.2  # gaits that turn are no candidates for running straight; the search may widen this
        named = np.clip([gait_action(gait) for gait in GAITS.values()], -1.0, 1.0)
        points[: len(named)] = named
        return points

    def score(self, points: np.ndarray, generation: int) -> tuple[np.ndarray, list]:
        """Return the returns of short episodes, from another start each time: a lucky one does not last."""
        return self.walks(points, self.steps, seed=FIRST_SEEDS[0] + generation), [None] * len(points)

    def choose(self, trials: Trials) -> tuple[np.ndarray, np.ndarray]:
        """Return the best of the last generation in whole episodes of several seeds."""
        best = trials.population[: self.num_envs // FINAL_SEEDS]
        final = self.walks(best.repeat(FINAL_SEEDS, axis=0), EPISODE, seed=FIRST_SEEDS[1]).reshape(-1, FINAL_SEEDS)
        first = int(final.mean(1).argmax())
        return best[first], final[first]

    def finish(self, found: Found, trials: Trials, confirm: bool) -> Found:
        """Return the result with the gait, actions as the parameters that they name."""
        gait, tried = gait_of(found.point), [row._replace(point=gait_parameters(row.point)) for row in found.tried]
        made = {"gait": gait, "action": found.point}
        return replace(found, point=gait_parameters(found.point), tried=tried, made=made, told=str(gait))
