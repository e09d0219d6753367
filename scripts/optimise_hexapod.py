"""Search the clock's parameters for the fastest stable gait with the exact engine, and confirm it in MuJoCo.

A gait counts as stable if the robot walks it from rest for `SECONDS` without falling, its last strides differ in length
by less than `VARIATION`, and four pushes of `PUSH` leave it on its legs. Differential evolution (scipy) minimises minus
the mean speed; a gait that fails costs one, less for each second that it lasts. The best gait's stride map is then
solved for its fixed point: its multipliers must lie inside the unit circle.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import joblib
import numpy as np
from scipy.optimize import differential_evolution
from tqdm import tqdm

from tarsus.analytic import hybrid as hy
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import hybrid
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hexapod.orbit import heading, moved
from tarsus.analytic.models.hexapod.state import SCALE
from tarsus.analytic.terrain import Flat
from tarsus.scripts import exact

# A hip that turns once in 0.18 s runs at the motor's no-load speed. Sweeps past 2 rad lay the body on the ground.
RANGES = {"cycle_time": (0.2, 1.2), "duty": (0.3, 0.8), "sweep_angle": (0.2, 2.0), "leg_offset": (-0.6, 0.6)}
SECONDS = 4.0  # of walking from rest
VARIATION = 0.01  # of the last strides' lengths, relative
JUDGED = 1.5  # seconds of last strides
PUSH = 0.2  # change of the body's velocity [m/s]
AFTER_PUSH = 2.0  # of walking on [s]
SETTINGS = {"rtol": exact.RTOL, "atol": exact.RTOL * SCALE}


def gait_at(point) -> TripodGait:
    """Return the gait of a point (4,) in the order of `RANGES`."""
    cycle_time, duty, sweep_angle, leg_offset = (float(value) for value in point)
    return TripodGait(cycle_time, duty * cycle_time, sweep_angle, leg_offset)


@dataclass(frozen=True)
class Walk:
    """How the exact robot walks a gait from rest."""

    lasted: float  # share of the time on its legs
    speed: float  # of the last strides, forward [m/s]
    variation: float  # of their lengths, relative

    @property
    def steady(self) -> bool:
        """Whether it walks on and on, every stride like the last."""
        return self.lasted == 1.0 and self.variation < VARIATION

    @property
    def cost(self) -> float:
        """What the search minimises."""
        return -self.speed if self.steady else 1.0 - 0.5 * self.lasted + 0.1 * min(self.variation, 1.0)


def walk(sim: hy.Simulator, gait: TripodGait, params: HexapodParams | None = None) -> tuple[Walk, hy.Result]:
    """Return how the robot walks a gait from rest, and the engine's result with a row per stride."""
    params = HexapodParams() if params is None else params
    model = hybrid.build(params, Flat(), "open-loop", gait=gait)
    p = dict(zip(model.param_names, model.p0, strict=True))
    period = gait.cycle_time
    n = int(np.ceil(SECONDS / period))
    r = sim.run(model.x0, None, p, final_time=n * period, record_period=period, **SETTINGS)
    if r.status is not hy.Status.FINAL_TIME:
        return Walk(min(r.t_end / (n * period), 0.999), 0.0, 1.0), r
    strides = ways(r.x[-1 - max(3, int(np.ceil(JUDGED / period))) :])
    return Walk(1.0, float(strides.mean() / period), float(np.ptp(strides) / max(np.abs(strides).max(), 1e-9))), r


def survives(sim: hy.Simulator, walked: hy.Result, push: float) -> int:
    """Return after how many of four pushes the robot is on its legs: to each side, forward and backward.

    Args:
        sim: The compiled hexapod.
        walked: The walk at whose end it is pushed.
        push: Change of the body's velocity [m/s].
    """
    upright = 0
    for direction in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
        x, t = walked.x_end.copy(), walked.t_end
        x[7:9] += push * np.array(direction)
        r = sim.run(x, walked.d_end, walked.p, chart=walked.chart_end, t0=t, final_time=t + AFTER_PUSH, **SETTINGS)
        upright += r.status is hy.Status.FINAL_TIME
    return upright


def ways(x) -> np.ndarray:
    """Return the forward way of every stride, from states (n + 1, 52) at strides' ends, shape (n,) [m]."""
    return np.array([moved(b - np.pad(a[:2], (0, 50)), (0, 0), -heading(a))[1] for a, b in zip(x, x[1:], strict=False)])


def search(population: int, generations: int, seed: int = 0, n_jobs: int = -1) -> tuple[np.ndarray, list]:
    """Return the best point (4,) and every point tried with its verdict, by differential evolution with a progress bar.

    Args:
        population: Points per generation.
        generations: How many, after the first.
        seed: Of the search.
        n_jobs: Threads; the engine's loop holds no lock.
    """
    sim = exact.simulator(Flat())
    tried: list[tuple[np.ndarray, Walk]] = []
    parallel = joblib.Parallel(n_jobs=n_jobs, backend="threading")
    with tqdm(total=population * (generations + 1), unit="gait") as bar:

        def costs(points):  # (4, m)
            walks = parallel(joblib.delayed(lambda point: walk(sim, gait_at(point))[0])(point) for point in points.T)
            tried.extend(zip(points.T.copy(), walks, strict=True))
            bar.update(len(walks))
            bar.set_postfix_str(f"fastest {-min(made.cost for _, made in tried):.3f} m/s")
            np.savez("/tmp/orbit/tried.npz", points=[q for q, _ in tried], v=[(v.lasted,v.speed,v.variation,v.cost) for _,v in tried])
            return np.array([made.cost for made in walks])

        bounds = list(RANGES.values())
        unit = np.random.default_rng(seed).uniform(size=(population, len(bounds)))
        first = np.array([low + u * (high - low) for (low, high), u in zip(bounds, unit.T, strict=True)]).T
        found = differential_evolution(
            costs, bounds, maxiter=generations, init=first, rng=seed, polish=False, vectorized=True,
            updating="deferred", tol=0.0, mutation=(0.4, 0.9), recombination=0.8,
        )  # fmt: skip
    return found.x, tried


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tarsus optimise hexapod", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--population", type=int, default=28, help="gaits per generation; default 28")
    parser.add_argument("--generations", type=int, default=25, help="generations; default 25")
    parser.add_argument("--seed", type=int, default=0, help="of the search; default 0")
    parser.add_argument("--jobs", type=int, default=-1, help="threads; -1 takes every core")
    args = parser.parse_args(argv)
    best, tried = search(args.population, args.generations, args.seed, args.jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
