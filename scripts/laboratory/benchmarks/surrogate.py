"""Environment steps per second of MultipodQuasistatic-v1, beside Multipod-v1 in MuJoCo, on one core.

Usage: tarsus benchmark surrogate [--legs 6 12 50] [--num-envs 4096] [--repeats 5]. Runtime: about a minute.

Every row is measured in turn, `repeats` times over after one round of warm-up, in one process on one thread, by CPU
time. Actions are those of the undulation as joint speeds; both environments have a control period of 0.02 s.
"""

from __future__ import annotations

import gymnasium
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.controllers import gaits
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.benchmarks.timing import Simulations
from tarsus.scripts.laboratory.benchmarks.vector import VectorRow, vectorised
from tarsus.scripts.laboratory.frame import Page, Table

PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "numba")
CTRL_DT = 0.02  # [s]
N_ENVS_MUJOCO = 64


def undulating(n_legs: int, n: int, n_steps: int, speed: float) -> np.ndarray:
    """Return the undulation as actions, each robot at a phase of its own; an action of 1 is a joint speed `speed`."""
    gait = gaits.make("undulation", n_legs)
    times = CTRL_DT * np.arange(n_steps)[:, None] + gait.period * np.linspace(0, 1, n, endpoint=False)
    _, rate = gait(times)
    return (rate / speed).reshape(n_steps, n, n_legs)


def rows(n_legs: int, num_envs: int, n_steps: int = 20) -> list[VectorRow]:
    """Return the lines of a robot: the surrogate under both laws, and MuJoCo."""
    made, options = [], {"n_legs": n_legs, "action_mode": "velocity", "scaled": False}
    for law in ("viscous", "coulomb"):
        env = gymnasium.make_vec(
            "MultipodQuasistatic-v1", num_envs, vectorization_mode="vector_entry_point", law=law, **options
        )
        speed = env.unwrapped.config.robot.motor.no_load_speed
        made.append(vectorised(f"surrogate, {law}, {n_legs} legs", env, undulating(n_legs, num_envs, n_steps, speed)))
    env = gymnasium.make_vec(
        "Multipod-v1", N_ENVS_MUJOCO, vectorization_mode="vector_entry_point", n_threads=1, **options
    )
    made.append(vectorised(f"Multipod-v1, rl, {n_legs} legs", env, undulating(n_legs, N_ENVS_MUJOCO, 5, speed)))
    return made


def check(legs: tuple[int, ...], **_) -> None:
    """Refuse robots that there are not.

    Raises:
        ValueError: The sentence says why.
    """
    for n_legs in legs:
        MultipodParams(n_legs=n_legs)


def tables(legs: tuple[Count, ...] = (6, 12, 50), num_envs: Simulations = 4096, repeats: Count = 5) -> Page:
    """Return the table.

    Args:
        legs: Of the robots.
        num_envs: Robots of the surrogate.
        repeats: Measurements of each.
    """
    return Page(table([row for n_legs in legs for row in rows(n_legs, num_envs)], repeats))


def table(measured: list[VectorRow], repeats: int) -> Table:
    """Return the table of rows: steps per second of all robots together."""
    runs = {row.label: row.run for row in measured}
    took = timing.rounds(runs, repeats, {row.label: row.prepare for row in measured}, progress=True)
    rates = {row.label: row.n_envs * row.n_steps / took[row.label].cpu for row in measured}
    lines = [(row.label, row.n_envs, timing.spread(rates[row.label])) for row in measured]
    return Table(("environment", "robots", "steps/s, median (min to max)"), lines)
