"""Search the clock's gait with the highest return on Hexapod-v0: the best open-loop policy.

Usage: tarsus search gait [--num-envs 64] [--generations 24] [--steps 300] [--seed 0] [--threads 0]
Runtime: about 10 s of processor time for a generation.

A candidate is an action of the action mode "gait", held after a run-up (`policies.run_up`), so that search and policies
choose from the same gaits.
Differential evolution (scipy) hands over a generation at a time, the vector environment walks it, and the best of the
last generation are walked again for whole episodes of several seeds, of which the mean return decides.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import gymnasium
import numpy as np
from scipy.optimize import differential_evolution
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.clock import TripodGait
from tarsus.envs.hexapod_clocks import GAIT_RANGES, gait_parameters
from tarsus.scripts.command import arguments
from tarsus.scripts.library.base import interrupts, stamp
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


def search(
    num_envs: int, generations: int, n_steps: int, seed: int, n_threads: int, stop: Callable[..., bool] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best action, shape (6,), and its returns in whole episodes, shape (FINAL_SEEDS,).

    After every generation `stop` is asked whether it shall be the last.
    """
    walks = Walks(num_envs, n_threads)
    with tqdm(total=generations + 1, unit="generation", mininterval=1.0) as bar:

        def cost(points: np.ndarray) -> np.ndarray:
            found = walks(points.T, n_steps, seed=1000 + bar.n)  # another start each time: a lucky one does not last
            bar.update()
            bar.set_postfix(best=f"{found.max():.0f}", refresh=False)
            return -found

        result = differential_evolution(
            cost,
            BOUNDS,
            init=start(num_envs, seed),
            maxiter=generations,
            rng=np.random.default_rng(seed),
            polish=False,
            vectorized=True,
            updating="deferred",
            mutation=(0.4, 0.9),
            tol=0.0,
            callback=stop,
        )
    best = result.population[np.argsort(result.population_energies)[: num_envs // FINAL_SEEDS]]
    final = walks(best.repeat(FINAL_SEEDS, axis=0), EPISODE, seed=10_000).reshape(-1, FINAL_SEEDS)
    first = int(final.mean(1).argmax())
    return best[first], final[first]


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus search gait", description=__doc__.partition("\n")[0])
    least = arguments.integer(FINAL_SEEDS, 100_000)  # the episodes of a finalist
    parser.add_argument("--num-envs", type=least, default=64, help=f"gaits in a generation, {FINAL_SEEDS} or more")
    parser.add_argument("--generations", type=arguments.count, default=24)
    parser.add_argument("--steps", type=arguments.count, default=300, help="of an episode in the search, 20 ms each")
    parser.add_argument("--seed", type=arguments.seed, default=0)
    parser.add_argument(
        "--threads", type=arguments.threads, default=0, help="of the physics; 0 is one for each processor"
    )
    args = arguments.parse(parser, argv)
    with interrupts.heeded("the generation") as asked:
        action, returns = search(args.num_envs, args.generations, args.steps, args.seed, args.threads, asked)
    rows = [(name, f"{value:.4f}") for name, value in zip(GAIT_RANGES, gait_parameters(action), strict=True)]
    print(stamp.markdown_table(("parameter", "value"), rows))
    print(f"return of {EPISODE} steps {returns.mean():.0f} ± {returns.std():.0f} of {len(returns)} seeds")
    print(gait_of(action))
    if asked():
        print("tarsus search gait: interrupted; this is the best gait until then", file=sys.stderr)
        return interrupts.EXIT_STATUS
    return 0
