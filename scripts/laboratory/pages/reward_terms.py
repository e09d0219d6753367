"""The table of reward terms in docs/policies.md: the clock's walk in the exact engine and in the preset `reference`.

Usage: tarsus page reward_terms [--seeds 10] [--write]. Runtime: five seconds of one core for a seed.
"""

from __future__ import annotations

from dataclasses import replace

import gymnasium
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.mjcf.presets import PRESETS
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.frame import Page, Place, Table

PLACE = Place("policies.md", "reward_terms")
PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy")
FINE = PRESETS["reference"]
# Contact as many timesteps soft.
FINER = replace(FINE, timestep=FINE.timestep / 2, solref=(FINE.solref[0] / 2, FINE.solref[1]))
ENGINES = {
    "exact": {"engine": "exact"},
    "`reference`": {"preset": FINE},
    "`reference`, half the timestep": {"preset": FINER},
}
TERMS = ("`forward`", "`drift`", "`power`", "return")  # of the clock no action changes, and `healthy` counts its steps


def terms(engine: dict, seeds: int) -> np.ndarray:
    """Return the sums of `TERMS` over episodes under the clock, shape (4, n_seeds)."""
    envs = gymnasium.make_vec("Hexapod-v0", seeds, vectorization_mode="vector_entry_point", **engine)
    envs.reset(seed=list(range(seeds)))
    action, total, over = np.zeros(envs.action_space.shape), np.zeros((len(TERMS), seeds)), np.zeros(seeds, bool)
    names = [f"reward_{name.strip('`')}" for name in TERMS[:-1]]
    while not over.all():
        _, reward, ends, over, info = envs.step(action)
        if ends.any():
            raise RuntimeError(f"the clock's walk ended: {info['termination']}")
        total += [*(info[name] for name in names), reward]
    envs.close()
    return total


def tables(seeds: Count = 10) -> Page:
    """Return the table.

    Args:
        seeds: Episodes, each from another phase of the walk.
    """
    found = {label: terms(engine, seeds) for label, engine in ENGINES.items()}
    exact = found.pop("exact")
    rows = []
    for k, name in enumerate(TERMS):
        own = exact[k]
        row = [name, f"{own.mean():.2f}", f"{own.min():.2f} to {own.max():.2f}"]
        for other in (terms_of[k] for terms_of in found.values()):
            row += [f"{_percent(own.mean(), other.mean()):+.2f}", f"{np.abs(_percent(own, other)).max():.1f}"]
        rows.append(row)
    head = ["term", "exact, mean", "exact, of one episode"]
    for label in found:
        head += [f"from {label} [%], of means", "of one episode, at most"]
    return Page(Table(head, rows))


def _percent(value, other):
    return 100 * (value / other - 1)
