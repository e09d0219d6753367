"""What the one-legged machines cost: terms of the equations of motion, steps of a gait, steps of the environment.

Usage: tarsus benchmark slip_leg [--repeats 7]. Runtime: about a minute, once everything is compiled.

One process, one thread, CPU time, medians. Terms are timed in a compiled loop over states, so that calls from Python do
not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from tarsus.analytic.models.slip_leg_dynamics import all_terms
from tarsus.scripts import arguments, report

N_STATES, N_STEPS, N_ACTIONS = 20_000, 40, 2000
PACKAGES = ("tarsus", "mujoco", "numpy", "numba")


def median_time(function: Callable, repeats: int) -> tuple[float, float, float]:
    """Return median, least and greatest CPU time of a call [s]; a first call is not counted."""
    function()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return float(np.median(times)), min(times), max(times)


def slip_leg_rows(repeats: int) -> list[tuple[str, str]]:
    """Return what was timed of the articulated leg, and the results in words."""
    import gymnasium

    import tarsus  # noqa: F401  registers the environments
    from tarsus.analytic.compiled import compiled
    from tarsus.analytic.hybrid import vector
    from tarsus.analytic.models.slip_leg import SlipLegParams
    from tarsus.controllers.slip import SlipControl, SlipController, SlipPolicy
    from tarsus.scripts.runs import slip_leg_runs as runs
    from tarsus.scripts.runs.slip_leg_mujoco import mujoco_run

    p, rng = vector(SlipLegParams()), np.random.default_rng(0)
    states = rng.uniform((-1, 0.7, -1, -2, -2, -2, -9, -9), (1, 0.9, 1, -0.2, 2, 2, 9, 9), (N_STATES, 8))
    loop = compiled(all_terms_of)
    median, least, most = median_time(lambda: loop(states, p), repeats)
    per_state = f"{median / N_STATES * 1e6:.2f} us ({least / N_STATES * 1e6:.2f} to {most / N_STATES * 1e6:.2f})"
    rows = [("slip leg, all dynamics terms (M, C, g, Jacobians and their rates)", per_state)]
    median, least, most = median_time(lambda: runs.hybrid(runs.Experiment(), N_STEPS, period=1.0), repeats)
    rows += [
        (f"slip leg, {N_STEPS} steps of the hybrid model at rtol 1e-9", f"{median:.3f} s ({least:.3f} to {most:.3f})")
    ]
    regulated = runs.Experiment(control=SlipControl(energy_gain=0.5))
    for preset, every in (("reference", 1), ("rl", 4)):
        run = median_time(lambda p=preset, e=every: mujoco_run(regulated, N_STEPS, preset=p, every=e, row=400), 1)
        rows += [(f"slip leg, {N_STEPS} steps in MuJoCo, preset {preset}", f"{run[0]:.2f} s")]
    env = gymnasium.make("SlipLeg-v0", disable_env_checker=True, max_episode_steps=10**9, reset_noise=0.0)
    base = env.unwrapped
    policy = SlipPolicy(SlipController(control=SlipControl(energy_gain=0.5), hold=base.ctrl_dt), base.action_scale)
    observation, info = env.reset(seed=0)
    actions = []
    for _ in range(N_ACTIONS):
        actions.append(policy(observation, info))
        observation, _, _, _, info = env.step(actions[-1])

    def episode() -> None:
        env.reset(seed=0)
        for action in actions:
            env.step(action)

    median, least, most = median_time(episode, repeats)
    rate = f"{len(actions) / median:,.0f} steps/s ({len(actions) / most:,.0f} to {len(actions) / least:,.0f})"
    return [*rows, ("SlipLeg-v0, preset rl, steps of 2 ms running as a SLIP", rate)]


def all_terms_of(states, p):
    """Evaluate all terms for every state; return a sum, so that nothing is left out."""
    total = 0.0
    M, C, g, foot, com = np.empty((4, 4)), np.empty((4, 4)), np.empty(4), np.empty(2), np.empty(2)
    J_foot, dJ_foot, J_com, dJ_com = np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 4))
    for i in range(states.shape[0]):
        all_terms(states[i, :4], states[i, 4:], p, M, C, g, foot, J_foot, dJ_foot, com, J_com, dJ_com)
        total += M[2, 3] + C[2, 3] + g[3] + foot[1] + J_foot[1, 3] + dJ_foot[0, 2] + com[0] + J_com[0, 3] + dJ_com[1, 3]
    return total


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Print the table."""
    parser = arguments.Parser(prog="tarsus benchmark slip_leg", description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=arguments.count, default=7)
    args = arguments.parse(parser, argv)
    print(report.markdown_table(("what", "CPU time, median (least to most)"), slip_leg_rows(args.repeats)))
    print(f"\n{report.versions(*PACKAGES)}, on {report.machine()}; one thread")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
