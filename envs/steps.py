"""Functions shared by single and vector environments in MuJoCo: initial states and divergence."""

import copy
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from .episodes import mapping_of
from .kinds import numbers
from .task import Task

DIVERGED = "diverged"  # the beginning of every message about a diverged simulation
OF_ONE_EPISODE = ("qpos", "qvel", "command")  # options of a reset
BEYOND = f"{DIVERGED}: an observation is beyond its bound"


def warning_sentence(counts: np.ndarray) -> str:
    """Return the first of MuJoCo's warnings, by their counts, shape (n_kinds,), as why an episode ended."""
    kind = mujoco.mjtWarning(int(np.flatnonzero(counts)[0]))
    return f"{DIVERGED}: MuJoCo warned {kind.name.removeprefix('mjWARN_')}"


def own_models(task: Task, models: list[mujoco.MjModel]) -> list[mujoco.MjModel]:
    """Return the models of simulations, each its own where episodes change them."""
    if task.models.vary and models[0] is task.model:
        return [copy.copy(task.model) for _ in models]
    return models


def split(options: Mapping[str, Any] | None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the options of a reset that hold from now on, and those of one episode, or TypeError or ValueError."""
    kept = mapping_of(options)
    return kept, {name: numbers(name, kept.pop(name)) for name in OF_ONE_EPISODE if name in kept}


def observed_start(task: Task, simulated, sims: list[int] | tuple = ()) -> np.ndarray:
    """Return the observation, shape (..., n), of episodes that begin, in the simulations `sims` of many.

    ValueError if one lies outside the observation space, or where the engine, by its `warnings`, cannot simulate.
    """
    warnings = simulated.warnings
    counts = warnings[sims].reshape(-1, warnings.shape[-1]).sum(0)
    if counts.any():
        raise ValueError(
            f"an episode cannot start in this state: {simulated.complaint(counts)}; change qpos, qvel or an option "
            "such as reset_noise"
        )
    task.try_terms()
    with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float32 is refused
        observation = task.observe()
    bound, begun = task.observation_space.high, observation[sims]
    beyond = ~(np.abs(begun) <= bound)
    if beyond.any():
        first = tuple(np.argwhere(beyond)[0])
        name = next(name for name, part in task.observation_slices.items() if part.start <= first[-1] < part.stop)
        unit = 1.0 if task.typical is None else task.typical[first[-1]]
        raise ValueError(
            f"an episode cannot start outside its observation space: {name} would be {begun[first] * unit:g}, its "
            f"bound is {bound[first[-1]] * unit:g}; change qpos, qvel or an option such as reset_noise"
        )
    return observation
