"""Throughput of many simulations: bare MuJoCo, its batch, our vector environment, Gymnasium's, and of learning.

Usage: tarsus benchmark vector [--num-envs 64 256] [--async-envs 64] [--repeats 5]. Runtime: about five minutes.

A step is a control period: eight physics steps of Hexapod-v0, five of Ant-v5. The clock walks; Ant-v5 gets random
actions. All rows of the first table make the same steps of Hexapod-v0: from the same start, without noise, so that no
simulation has more contacts to solve than the bare one. Every row is measured in turn, `repeats` times over after one
round of warm-up, by the wall clock, in one process (AsyncVectorEnv: one more for each simulation). The share is that
of the first row times the number of cores.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import gymnasium
import mujoco
import numpy as np
from gymnasium.vector import AutoresetMode
from mujoco.batch import Batch

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.benchmarks.env import hexapod_actions, recorded
from tarsus.scripts.laboratory.benchmarks.timing import Run, Simulations, Times
from tarsus.scripts.laboratory.frame import Page, Table

PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "torch", "stable-baselines3")
NAME, STATE = "Hexapod-v0", mujoco.mjtState.mjSTATE_INTEGRATION
STEADY = dict(max_episode_steps=10**9, reset_noise=0.0, action_mode="velocity")
WALKS = 20  # of the bare loop in a repeat: one takes a hundredth of a second


@dataclass
class VectorRow:
    """One line of the tables: `run` makes a number of steps of all simulations together."""

    label: str
    n_envs: int
    n_steps: int  # of each simulation
    run: Run
    close: Run = lambda: None
    prepare: Run = lambda: None  # not timed: an episode has a thousand steps, a run some dozens


def walk(n_steps: int) -> tuple[mujoco.MjModel, np.ndarray, np.ndarray, np.ndarray]:
    """Return the model, the start, and a walk's actions (n_steps, 6) and controls (n_steps, n_substeps, nu)."""
    env = gymnasium.make(NAME, **STEADY)
    base, actions = env.unwrapped, hexapod_actions(env, n_steps)
    state, controls = recorded(env, actions, STATE)
    return base.model, state, actions, controls.reshape(n_steps, base.n_substeps, base.model.nu)


def bare(n_steps: int) -> VectorRow:
    """Return the row of a loop over `mj_step`, one simulation on one core."""
    model, state, _, controls = walk(n_steps)
    data = mujoco.MjData(model)

    def run() -> None:
        for _ in range(WALKS):
            mujoco.mj_setState(model, data, state, STATE)
            for rows in controls:
                for row in rows:
                    data.ctrl[:] = row
                    mujoco.mj_step(model, data)

    return VectorRow("bare `mj_step`, one core", 1, WALKS * n_steps, run)


def batched(n_envs: int, n_steps: int) -> VectorRow:
    """Return the row of MuJoCo's batch alone: nothing is observed or rewarded."""
    model, state, _, controls = walk(n_steps)
    batch = Batch(model, n_envs)
    controls = [np.repeat(rows[None], n_envs, axis=0) for rows in controls]

    def run() -> None:
        batch.state[:] = state
        for rows in controls:
            batch.rollout(rows.shape[1], rows, record=())

    return VectorRow("`mujoco.batch` alone", n_envs, n_steps, run)


def vectorised(label: str, envs: gymnasium.vector.VectorEnv, actions: np.ndarray) -> VectorRow:
    """Return the row of a vector environment.

    Args:
        label: Its name.
        envs: The environment.
        actions: Shape (n_steps, n_actions), which go to all simulations, or (n_steps, num_envs, n_actions).
    """
    actions = [np.array(np.broadcast_to(action, envs.action_space.shape)) for action in actions]

    def run() -> None:
        for action in actions:
            envs.step(action)

    return VectorRow(label, envs.num_envs, len(actions), run, envs.close, lambda: envs.reset(seed=0))


def make(name: str, n_envs: int, mode: str, **options) -> gymnasium.vector.VectorEnv:
    return gymnasium.make_vec(name, n_envs, vectorization_mode=mode, **options)


def stepping_rows(num_envs: list[int], n_async: int, n_steps: int) -> list[VectorRow]:
    """Return the rows of the first table."""
    _, _, actions, _ = walk(n_steps)
    rows = [bare(n_steps)]
    for n in num_envs:
        rows.append(batched(n, n_steps))
        rows.append(vectorised("ours, `vector_entry_point`", make(NAME, n, "vector_entry_point", **STEADY), actions))
    ant_options = dict(terminate_when_unhealthy=False)
    ant = np.random.default_rng(0).uniform(-1, 1, (n_steps, 8)).astype(np.float32)
    for mode, label in (("sync", "SyncVectorEnv"), ("async", "AsyncVectorEnv")):
        rows.append(vectorised(label, make(NAME, n_async, mode, **STEADY), actions))
        rows.append(vectorised(f"{label}, Ant-v5", make("Ant-v5", n_async, mode, **ant_options), ant))
    return rows


def learning_rows(n_envs: int, n_async: int, n_steps: int) -> list[VectorRow]:
    """Return the rows of the second table: with PPO's policy asked for every action, and with PPO learning."""
    import torch
    from stable_baselines3 import PPO

    from tarsus.scripts.library.learning.stable import StableVectorEnv

    rows = []
    for mode, n in (("vector_entry_point", n_envs), ("async", n_async)):
        label = "ours" if mode == "vector_entry_point" else "AsyncVectorEnv"
        same_step = {"autoreset_mode": AutoresetMode.SAME_STEP}
        envs = StableVectorEnv(make(NAME, n, mode, **(same_step if label == "ours" else {"vector_kwargs": same_step})))
        model = PPO("MlpPolicy", envs, n_steps=n_steps, batch_size=n * n_steps // 4, n_epochs=5, device="cpu")

        def step_and_policy(envs=envs, model=model) -> None:
            observation = envs.reset()
            for _ in range(n_steps):
                with torch.no_grad():
                    action, _, _ = model.policy(torch.as_tensor(observation))
                observation, _, _, _ = envs.step(np.clip(action.numpy(), -1, 1))

        def step_and_learn(model=model, n=n) -> None:
            model.learn(n * n_steps)

        rows.append(VectorRow(f"{label}, step and policy", n, n_steps, step_and_policy))
        rows.append(VectorRow(f"{label}, step and learn", n, n_steps, step_and_learn, envs.close))
    return rows


def tables(
    num_envs: tuple[Simulations, ...] = (64, 256),
    async_envs: Simulations = 64,
    steps: Count = 50,
    repeats: Count = 5,
    learning: bool = True,
) -> Page:
    """Return the tables of stepping and of learning.

    Args:
        num_envs: Simulations of ours and of the batch.
        async_envs: Simulations of Gymnasium's vector environments.
        steps: Of each simulation in a repeat.
        repeats: Measurements of each.
        learning: Leave out the second table.
    """
    stepping = stepping_rows(num_envs, async_envs, steps)
    learned = learning_rows(num_envs[0], async_envs, steps) if learning else []
    rows = dict(enumerate(stepping + learned))
    prepare = {k: row.prepare for k, row in rows.items()}
    took = timing.rounds({k: row.run for k, row in rows.items()}, repeats, prepare, progress=True)
    for row in rows.values():
        row.close()
    lines = [line(row, took[k], rates_of(rows[0], took[0])) for k, row in rows.items()]
    of = f"of bare `mj_step` x {os.cpu_count() or 1} cores"
    head = ("", "simulations", "steps/s, median (min to max)", of, "CPU time of a step [us]")
    named = {"### Stepping": lines[: len(stepping)], "### Learning": lines[len(stepping) :]}
    parts = [Table(head, made, title) for title, made in named.items() if made]
    return Page(*parts, f"Physics on {os.cpu_count() or 1} threads, wall clock.")


def rates_of(row: VectorRow, times: Times) -> np.ndarray:
    """Return steps per second, of all simulations together, shape (n_repeats,)."""
    return row.n_envs * row.n_steps / times.wall


def line(row: VectorRow, times: Times, reference: np.ndarray) -> tuple:
    """Return a line of the table: steps per second, its spread, share of the reference's on all cores, CPU time."""
    rates = rates_of(row, times)
    share = np.median(rates / reference) / (os.cpu_count() or 1)  # round by round: what slows down slows both
    cpu = f"{1e6 * np.median(times.cpu) / (row.n_envs * row.n_steps):.0f}"
    return row.label, row.n_envs, timing.spread(rates), f"{share:.0%}", "-" if "Async" in row.label else cpu
