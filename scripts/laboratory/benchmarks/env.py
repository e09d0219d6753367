"""Environment steps per second of Hexapod-v0, and the share outside the physics, beside Ant-v5 and Hopper-v5.

Usage: tarsus benchmark env [--seconds 2] [--repeats 7]. Runtime: about two minutes.

Every row is measured in turn, `repeats` times over, in one process on one thread; the table gives medians of CPU time.
The share outside the physics compares an episode with the same controls replayed from the same state by
`mujoco.rollout`, which is a loop over `mj_step` in C: what the episode took longer is Python and reading results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import gymnasium
import mujoco
import numpy as np
from mujoco import rollout

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.clock import TripodGait
from tarsus.controllers.clock import ClockPolicy
from tarsus.scripts.command.signature import Count, Seconds
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.benchmarks.timing import Run
from tarsus.scripts.laboratory.frame import Page, Table

PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy")
PHYSICS = mujoco.mjtState.mjSTATE_FULLPHYSICS
STEADY = dict(reset_noise=0.0, action_mode="velocity")  # where the clock walks, the same steps every time


@dataclass
class EnvRow:
    """One line of the table."""

    label: str
    env: gymnasium.Env | gymnasium.vector.VectorEnv
    actions: np.ndarray  # of one episode without end, shape (n_steps, ...)
    n_envs: int = 1
    replay: Run | None = None  # the bare physics of the same episode


def steps(env, actions: np.ndarray) -> Run:
    """Return a run of steps with these actions, after a reset."""

    def run() -> None:
        for action in actions:
            env.step(action)

    return run


def episode(env, actions: np.ndarray) -> Run:
    """Return a run of one episode with these actions."""

    def run() -> None:
        env.reset(seed=0)
        steps(env, actions)()

    return run


def actions_of(env, policy: Callable, n_steps: int) -> np.ndarray:
    """Return the actions of a policy in an episode, shape (n_steps, ...)."""
    observation, info = env.reset(seed=0)
    actions = []
    for _ in range(n_steps):
        actions.append(policy(observation, info))
        observation, _, _, _, info = env.step(actions[-1])
    return np.array(actions)


def hexapod_actions(env, n_steps: int) -> np.ndarray:
    """Return the actions with which the clock walks."""
    base = env.unwrapped
    policy = ClockPolicy(TripodGait(), "velocity", ctrl_dt=base.ctrl_dt, scale=base.action_scale)
    return actions_of(env, policy, n_steps)


def recorded(env, actions: np.ndarray, kind) -> tuple[np.ndarray, np.ndarray]:
    """Return an episode's start, a state of MuJoCo's `kind`, and the controls of its physics steps, shape (n, nu)."""
    base, controls, step = env.unwrapped, [], mujoco.mj_step

    def recording_step(model, data, nstep=1):
        controls.extend([data.ctrl.copy()] * nstep)
        step(model, data, nstep)

    env.reset(seed=0)
    state = np.empty(mujoco.mj_stateSize(base.model, kind))
    mujoco.mj_getState(base.model, base.data, state, kind)
    mujoco.mj_step = recording_step
    try:
        for action in actions:
            env.step(action)
    finally:
        mujoco.mj_step = step
    return state, np.array(controls)


def recorded_physics(env, actions: np.ndarray) -> Run:
    """Return a function that replays an episode's controls in C."""
    model = env.unwrapped.model
    state, controls = recorded(env, actions, PHYSICS)
    data = mujoco.MjData(model)
    return lambda: rollout.rollout(model, data, state[None], controls[None])


def rows(simulated_seconds: float) -> list[EnvRow]:
    n_steps = round(simulated_seconds / 0.02)
    rng = np.random.default_rng(0)
    made = []
    for preset in ("rl", "reference"):
        env = gymnasium.make("Hexapod-v0", preset=preset, max_episode_steps=10**9, **STEADY)
        actions = hexapod_actions(env, n_steps if preset == "rl" else n_steps // 5)
        made.append(EnvRow(f"Hexapod-v0, {preset}", env, actions, replay=recorded_physics(env, actions)))
    sync = gymnasium.make_vec("Hexapod-v0", num_envs=8, vectorization_mode="sync", **STEADY)
    made.append(EnvRow("Hexapod-v0, rl, 8 synchronous", sync, np.repeat(made[0].actions[:, None], 8, axis=1), n_envs=8))
    for name in ("Ant-v5", "Hopper-v5"):
        env = gymnasium.make(name, terminate_when_unhealthy=False, max_episode_steps=10**9)
        actions = rng.uniform(env.action_space.low, env.action_space.high, (n_steps, *env.action_space.shape))
        made.append(EnvRow(name, env, actions, replay=recorded_physics(env, actions)))
        sync = gymnasium.make_vec(name, num_envs=8, vectorization_mode="sync", terminate_when_unhealthy=False)
        made.append(EnvRow(f"{name}, 8 synchronous", sync, np.repeat(actions[:, None], 8, axis=1), n_envs=8))
    return made


def tables(seconds: Seconds = 4.0, repeats: Count = 7) -> Page:
    """Return the table: steps per second, its spread, ratio to the first row, share outside the physics.

    Args:
        seconds: Simulated, per repeat and environment [s].
        repeats: Measurements of each.
    """
    measured = rows(seconds)
    runs = {(row.label, what): run for row in measured
            for what, run in (("steps", steps(row.env, row.actions)), ("physics", row.replay)) if run}  # fmt: skip
    resets = {(row.label, "steps"): partial(row.env.reset, seed=0) for row in measured}
    took = timing.rounds(runs, repeats, resets, progress=True)
    rates = [row.n_envs * len(row.actions) / took[row.label, "steps"].cpu for row in measured]
    lines = []
    for row, rate in zip(measured, rates, strict=True):
        share = "-"
        if row.replay:
            share = f"{1 - np.median(took[row.label, 'physics'].cpu / took[row.label, 'steps'].cpu):.0%}"
        lines.append((row.label, timing.spread(rate), f"{np.median(rate) / np.median(rates[0]):.2f}", share))
    return Page(Table(("environment", "steps/s, median (min to max)", "ratio", "outside mj_step"), lines))
