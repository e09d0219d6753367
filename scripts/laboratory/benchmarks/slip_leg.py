"""What the one-legged machines cost: terms of the equations of motion, steps of a gait, steps of the environment.

Usage: tarsus benchmark slip_leg [--repeats 7]. Runtime: about two minutes, once everything is compiled.

One process, one thread, CPU time, medians. Terms are timed in a compiled loop over states, so that calls from Python do
not count.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.models import slip_leg_motion
from tarsus.controllers.slip import SlipControl, SlipController, SlipPolicy
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.benchmarks.env import actions_of, episode
from tarsus.scripts.laboratory.benchmarks.timing import Run
from tarsus.scripts.laboratory.frame import Page, Table

N_STATES, N_STEPS, N_ACTIONS = 20_000, 40, 2000
REGULATED = SlipControl(energy_gain=0.5)
PACKAGES = ("tarsus", "mujoco", "numpy", "numba")


def terms() -> Run:
    """Return a compiled loop over all terms of the articulated leg, for `N_STATES` states."""
    from tarsus.analytic.compilation import compiled
    from tarsus.analytic.hybrid import vector
    from tarsus.analytic.models.slip_leg import SlipLegParams

    p, rng = vector(SlipLegParams()), np.random.default_rng(0)
    states = rng.uniform((-1, 0.7, -1, -2, -2, -2, -9, -9), (1, 0.9, 1, -0.2, 2, 2, 9, 9), (N_STATES, 8))
    loop = compiled(all_terms_of)
    return lambda: loop(states, p)


def all_terms_of(states, p):
    """Evaluate all terms for every state; return a sum, so that nothing is left out."""
    total = 0.0
    for i in range(states.shape[0]):
        M, h, J_foot, J_com, drift_foot, drift_com = slip_leg_motion.terms(states[i], p)
        total += M[2, 3] + h[3] + J_foot[1, 3] + drift_foot[0] + J_com[0, 3] + drift_com[1]
    return total


def gaits() -> dict[str, Run]:
    """Return runs of the hybrid model and of MuJoCo in each preset."""
    from tarsus.scripts.library.machines import slip_leg_exact as runs
    from tarsus.scripts.library.machines.slip_leg_mujoco import simulate as mujoco_run

    regulated = runs.SlipLegExperiment(control=REGULATED)
    return {
        "of the hybrid model at rtol 1e-9": lambda: runs.simulate(runs.SlipLegExperiment(), N_STEPS, period=1.0),
        "in MuJoCo, preset reference": lambda: mujoco_run(regulated, N_STEPS, preset="reference", every=1, row=400),
        "in MuJoCo, preset rl": lambda: mujoco_run(regulated, N_STEPS, preset="rl", every=4, row=400),
    }


def environment_steps() -> Run:
    """Return an episode of `SlipLeg-v0` with the actions of running as a SLIP."""
    import gymnasium

    env = gymnasium.make("tarsus:SlipLeg-v0", disable_env_checker=True, max_episode_steps=10**9, reset_noise=0.0)
    base = env.unwrapped
    policy = SlipPolicy(SlipController(control=REGULATED, hold=base.ctrl_dt), base.action_scale)
    return episode(env, actions_of(env, policy, N_ACTIONS))


def tables(repeats: Count = 7) -> Page:
    """Return the table.

    Args:
        repeats: Measurements of each.
    """
    runs = gaits()
    took = timing.rounds({"terms": terms(), "episode": environment_steps(), **runs}, repeats)
    rows = [("slip leg, all dynamics terms (M, h, Jacobians and their rates) [us]",
             took["terms"].median(1e6 / N_STATES, ".2f"))]  # fmt: skip
    rows += [(f"slip leg, {N_STEPS} steps {name} [s]", took[name].median(1.0, ".3f")) for name in runs]
    rate = timing.spread(N_ACTIONS / took["episode"].cpu)
    return Page(Table(("what", "processor time, median (least to most)"),
                      [*rows, ("SlipLeg-v0, preset rl, steps of 2 ms running as a SLIP [steps/s]", rate)]))  # fmt: skip
