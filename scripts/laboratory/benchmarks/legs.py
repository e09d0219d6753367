"""What the one-legged machines cost: terms of the equations of motion, steps of a gait, steps of the environment.

Usage: tarsus benchmark legs [--repeats 7]. Runtime: about three minutes, most of it compiling the first time.

One process, one thread, processor time. Terms are timed in a compiled loop over states, so that calls from Python do
not count.
"""

from __future__ import annotations

import gymnasium
import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import hopping_leg_mechanics, slip_leg_motion
from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.controllers import raibert, slip
from tarsus.controllers.slip import SlipControl
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.benchmarks.env import actions_of, episode
from tarsus.scripts.laboratory.benchmarks.timing import Run
from tarsus.scripts.laboratory.frame import Page, Table
from tarsus.scripts.library.machines import hopping_leg, runners, slip_leg

N_STATES, N_STEPS, N_ACTIONS = 20_000, 40, 2000
REGULATED = SlipControl(energy_gain=0.5)
PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "numba")
SLIP_STATES = ((-1, 0.7, -1, -2, -2, -2, -9, -9), (1, 0.9, 1, -0.2, 2, 2, 9, 9))  # least, greatest
BOOM_STATES = ((-1, -0.2, 0, -2, -2, -2, -9, -9), (1, 0.2, 1.5, -0.2, 2, 2, 9, 9))


def slip_terms(states, p):
    """Evaluate all terms of the articulated leg for every state; return a sum, so that nothing is left out."""
    total = 0.0
    for i in range(states.shape[0]):
        M, h, J_foot, J_com, drift_foot, drift_com = slip_leg_motion.terms(states[i], p)
        total += M[2, 3] + h[3] + J_foot[1, 3] + drift_foot[0] + J_com[0, 3] + drift_com[1]
    return total


def boom_terms(states, p):
    """Evaluate all terms of the boom leg likewise."""
    M, h, J, total = np.empty((4, 4)), np.empty(4), np.empty((6, 4)), 0.0
    for i in range(states.shape[0]):
        q, dq = states[i, :4], states[i, 4:]
        frames = hopping_leg_mechanics.frames_of(q, dq, p)
        hopping_leg_mechanics.mass_and_bias(frames, dq, p, M, h)
        total += M[0, 0] + h[3] + hopping_leg_mechanics.toe_jacobian(frames, p, J)[1] + J[0, 0]
    return total


def terms() -> dict[str, Run]:
    """Return a compiled loop over all terms of each leg, for `N_STATES` states."""
    from tarsus.analytic.compilation import compiled

    rng = np.random.default_rng(0)
    boom = np.concatenate([np.ravel(value) for value in hopping_leg_mechanics.numbers(HoppingLegParams()).values()])
    loops = {
        "boom leg": (compiled(boom_terms), rng.uniform(*BOOM_STATES, (N_STATES, 8)), boom),
        "slip leg": (compiled(slip_terms), rng.uniform(*SLIP_STATES, (N_STATES, 8)), hy.vector(SlipLegParams())),
    }
    return {name: lambda loop=loop, states=states, p=p: loop(states, p) for name, (loop, states, p) in loops.items()}


def gaits() -> dict[str, Run]:
    """Return runs of the hybrid models, and of the slip leg in MuJoCo in each preset."""
    boom, leg = hopping_leg.machine(), slip_leg.machine()
    hopping, plain, regulated = boom.experiment(), leg.experiment(), leg.experiment(gains=REGULATED)
    coarse = {"preset": "rl", "every": 4, "row": 400}
    return {
        "boom leg, hybrid": lambda: runners.exact(boom, hopping, N_STEPS, period=None),
        "slip leg, hybrid": lambda: runners.exact(leg, plain, N_STEPS, period=1.0),
        "slip leg, reference": lambda: runners.in_mujoco(leg, regulated, N_STEPS, row=400),
        "slip leg, rl": lambda: runners.in_mujoco(leg, regulated, N_STEPS, **coarse),
    }


def environments() -> dict[str, Run]:
    """Return an episode of each leg's environment with the actions of its baseline."""
    made = {}
    for name in ("HoppingLeg-v1", "SlipLeg-v1"):
        options = {"action_mode": "torque", "reset_noise": 0.0, "max_episode_steps": 10**9}
        env = gymnasium.make(f"tarsus:{name}", disable_env_checker=True, **options)
        base = env.unwrapped
        if name == "SlipLeg-v1":
            policy = slip.policy(base.params, base.action_scale, REGULATED, hold=base.ctrl_dt)
        else:
            policy = raibert.policy(base.params, base.action_scale)
        made[name] = episode(env, actions_of(env, policy, N_ACTIONS))
    return made


def tables(repeats: Count = 7) -> Page:
    """Return the table.

    Args:
        repeats: Measurements of each.
    """
    of_terms, of_gaits, of_environments = terms(), gaits(), environments()
    took = timing.rounds(of_terms | of_gaits | of_environments, repeats)
    rows = [(f"{name}, all dynamics terms [us]", took[name].median(1e6 / N_STATES)) for name in of_terms]
    rows += [(f"{name}, {N_STEPS} steps [s]", took[name].median()) for name in of_gaits]
    rows += [(f"{name}, rl [steps/s]", timing.spread(N_ACTIONS / took[name].cpu)) for name in of_environments]
    return Page(Table(("what", "processor time, median (least to most)"), rows))
