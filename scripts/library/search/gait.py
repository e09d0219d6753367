"""The search for the clock's gait with the highest return on Hexapod-v0: the best open-loop policy.

A candidate is an action of the action mode "gait", held after a run-up (`policies.run_up`), so that search and policies
choose from the same gaits.
Differential evolution (scipy) hands over a generation at a time, the vector environment walks it, and the best of the
last generation are walked again for whole episodes of several seeds, of which the mean return decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import gymnasium
import numpy as np
from scipy.optimize import differential_evolution
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.clock import TripodGait
from tarsus.envs.hexapod_clocks import GAIT_RANGES, gait_parameters
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count, Seed
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.learning.policies import GAITS, gait_action, run_up

ENVIRONMENT = "Hexapod-v0"
EPISODE = 1000  # steps of the final walks
FINAL_SEEDS = 8  # of each finalist
BOUNDS = [(-1.0, 1.0)] * len(GAIT_RANGES)


def gait_of(action: np.ndarray) -> TripodGait:
    """Return the gait that an action names, shape (6,)."""
    t_c, duty, sweep, offset, duty_difference, offset_difference = (float(x) for x in gait_parameters(action))
    return TripodGait(t_c, duty * t_c, sweep, offset, duty_difference * t_c, offset_difference)


class Walks:
    """Returns of gaits that are held after a run-up, each in a simulation of its own.

    Args:
        num_envs: Simulations.
        n_threads: Of the physics.
    """

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
        """Return the return of each action, shape (n,) for (n, 6); a fall ends its episode.

        Args:
            actions: As many as there are simulations at most.
            n_steps: Of an episode.
            seed: Of the first simulation; the others follow on.
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


def start(population: int, seed: int) -> np.ndarray:
    """Return the first generation: random actions, and the gaits with a name."""
    points = np.random.default_rng(seed).uniform(-1.0, 1.0, (population, len(BOUNDS)))
    points[:, 4:] *= 0.2  # gaits that turn are no candidates for running straight; the search may widen this
    named = np.clip([gait_action(gait) for gait in GAITS.values()], -1.0, 1.0)
    points[: len(named)] = named
    return points


@dataclass(frozen=True)
class ReturnFound:
    """The best gait of a search.

    Attributes:
        action: That names it, shape (6,).
        returns: In whole episodes, shape (FINAL_SEEDS,).
    """

    action: np.ndarray
    returns: np.ndarray

    @property
    def gait(self) -> TripodGait:
        """The gait."""
        return gait_of(self.action)

    def __str__(self) -> str:
        """Return its parameters as a table, its return, and itself."""
        values = zip(GAIT_RANGES, gait_parameters(self.action), strict=True)
        table = stamp.markdown_table(("parameter", "value"), [(name, f"{value:.4f}") for name, value in values])
        total = f"{self.returns.mean():.0f} ± {self.returns.std():.0f} of {len(self.returns)} seeds"
        return f"{table}\nreturn of {EPISODE} steps {total}\n{self.gait}"


@dataclass(frozen=True)
class ReturnSearch:
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

    def run(self, stop: Callable[..., bool] | None = None) -> ReturnFound:
        """Return the best gait; after every generation `stop` is asked whether it shall be the last."""
        walks = Walks(self.num_envs, self.threads)
        with tqdm(total=self.generations + 1, unit="generation", mininterval=1.0) as bar:

            def cost(points: np.ndarray) -> np.ndarray:
                # another start each time: a lucky one does not last
                found = walks(points.T, self.steps, seed=1000 + bar.n)
                bar.update()
                bar.set_postfix(best=f"{found.max():.0f}", refresh=False)
                return -found

            result = differential_evolution(
                cost, BOUNDS, init=start(self.num_envs, self.seed), maxiter=self.generations,
                rng=np.random.default_rng(self.seed), polish=False, vectorized=True, updating="deferred",
                mutation=(0.4, 0.9), tol=0.0, callback=stop,
            )  # fmt: skip
        best = result.population[np.argsort(result.population_energies)[: self.num_envs // FINAL_SEEDS]]
        final = walks(best.repeat(FINAL_SEEDS, axis=0), EPISODE, seed=10_000).reshape(-1, FINAL_SEEDS)
        first = int(final.mean(1).argmax())
        return ReturnFound(best[first], final[first])
