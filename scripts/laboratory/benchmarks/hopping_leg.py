"""How fast the legs are: dynamics terms in compiled code, forty hops, environment steps on one core.

Usage: tarsus benchmark hopping_leg [--repeats 7]. Runtime: about two minutes, most of it compiling. Times are medians
of CPU time; the least is given beside them, since a busy machine only ever adds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.benchmarks.env import actions_of, episode
from tarsus.scripts.laboratory.frame import Page, Table

PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "numba")


def dynamics_terms(n: int = 20_000) -> Callable:
    """Return a compiled loop over all terms of the boom leg, every coordinate changing, `n` times."""
    from tarsus.analytic.compilation import compiled
    from tarsus.analytic.models.hopping_leg import HoppingLegParams
    from tarsus.analytic.models.hopping_leg_mechanics import frames_of, mass_and_bias, numbers, toe_jacobian

    p = np.concatenate([np.ravel(value) for value in numbers(HoppingLegParams()).values()])

    def loop(p):
        q, dq = np.array([0.3, -0.1, 0.8, -1.6]), np.array([1.0, 0.5, -2.0, 3.0])
        M, h, J = np.empty((4, 4)), np.empty(4), np.empty((6, 4))
        total = 0.0
        for _ in range(n):
            for i in range(4):
                q[i] += 1e-6
                dq[i] += 1e-6
            frames = frames_of(q, dq, p)
            mass_and_bias(frames, dq, p, M, h)
            total += M[0, 0] + h[3] + toe_jacobian(frames, p, J)[1] + J[0, 0]
        return total

    run = compiled(loop)
    return lambda: run(p)


def forty_hops() -> Callable:
    """Return forty hops of the compiled hybrid model at 0.5 m/s."""
    from tarsus.analytic import hybrid as hy
    from tarsus.analytic.models import hopping_leg_hybrid
    from tarsus.controllers.raibert import Raibert
    from tarsus.scripts.library.machines.hopping_leg_exact import HoppingExperiment, simulate

    experiment, sim = HoppingExperiment(), hy.compile(hopping_leg_hybrid.build(Raibert()))
    return lambda: simulate(experiment, 40, sim=sim, period=None)


def environment_steps(n: int = 500) -> Callable:
    """Return `n` steps of HoppingLeg-v0 (preset rl) with the actions of the baseline."""
    import gymnasium

    from tarsus.controllers.raibert import Raibert, RaibertPolicy

    env = gymnasium.make("tarsus:HoppingLeg-v0", reset_noise=0.0, max_episode_steps=10**9)
    base = env.unwrapped
    policy = RaibertPolicy(Raibert(params=base.params), base.action_scale)
    return episode(env, actions_of(env, policy, n))


def tables(repeats: Count = 7) -> Page:
    """Return the table.

    Args:
        repeats: Measurements of each.
    """
    runs = {
        "boom leg: all dynamics terms, compiled": (dynamics_terms(), 20_000, 1e6, "us"),
        "boom leg: 40 hops, hybrid": (forty_hops(), 1, 1.0, "s"),
        "HoppingLeg-v0, rl: a step of 5 ms": (environment_steps(), 500, 1e6, "us"),
    }
    took = timing.rounds({label: run for label, (run, *_) in runs.items()}, repeats)
    rows = []
    for label, (_, n, scale, unit) in runs.items():
        each = scale * took[label].cpu / n
        rows.append((label, f"{np.median(each):.3g} {unit}", f"{each.min():.3g} {unit}"))
    return Page(Table(("what", "median", "least"), rows))
