"""The table of closed loops in docs/crossvalidation.md: controllers that are sampled and held, in both engines.

Usage: tarsus page sampled_loops [--write]. Runtime: up to twenty minutes of one core.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import gymnasium
import numpy as np

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat
from tarsus.controllers.raibert import RaibertGains, policy
from tarsus.controllers.sampled import SampledPolicy
from tarsus.controllers.slip import SlipControl
from tarsus.envs.exact.hexapod import VARIANTS
from tarsus.envs.hopping_leg import DRIVEN
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.learning.hand_made import clock, slip
from tarsus.scripts.library.machines import hexapod_exact, hopping_leg, runners, slip_leg
from tarsus.scripts.library.machines.hexapod import HexapodExperiment

PLACE = Place("crossvalidation.md", "sampled_loops")
PACKAGES = ("tarsus", "mujoco", "numpy")
GAINS, SLIP = RaibertGains(speed=0.5), SlipControl(energy_gain=0.5)
ENGINES = ({"engine": "exact"}, {"preset": "reference"}, {"preset": "rl"})
BOUNCE = 0.1  # contacts that follow each other faster than that are one [s]


class Settled(NamedTuple):
    """What a run settles to."""

    period: float  # between a foot's touchdowns [s]
    speed: float  # [m/s]
    end: str = ""  # when it fell


class Loop(NamedTuple):
    """A controller as a policy, and without a hold."""

    label: str
    environment: str
    options: dict
    policy: Callable  # of the environment and a seed
    continuous: Callable[[], Settled]
    holds: tuple[float, ...]  # [s]
    seconds: float


def raibert(env, seed: int) -> SampledPolicy:
    """Return Raibert's controller as a policy."""
    return policy(env.params, env.action_scale, GAINS)


def continuous_clock() -> Settled:
    """Return the walk under the clock without a hold."""
    robot = HexapodParams()
    experiment = HexapodExperiment(robot, robot.gait, Flat())
    made = hexapod_exact.run(experiment, 20.0, record_period=1.0, variants=VARIANTS)
    begin, end = np.searchsorted(made.t, (10.0, 20.0 - 1e-9))
    return Settled(robot.cycle_time, (made.x[end, 1] - made.x[begin, 1]) / (made.t[end] - made.t[begin]))


def continuous_raibert() -> Settled:
    """Return the hopping under a controller without a hold."""
    leg = hopping_leg.machine()
    run = runners.exact(leg, leg.experiment(DRIVEN, GAINS), 35)
    times = run.steps["touchdown"][18:]
    yaw = np.interp(times[[0, -1]], run.record["time"], np.unwrap(run.record["joint_angle"].sel(joint="yaw")))
    return Settled(np.diff(times).mean(), DRIVEN.LB * (yaw[1] - yaw[0]) / (times[-1] - times[0]))


def continuous_slip() -> Settled:
    """Return the run under a controller without a hold."""
    leg = slip_leg.machine()
    run = runners.exact(leg, leg.experiment(gains=SLIP), 20)
    times = run.steps["time"][10:]
    x = np.interp(times[[0, -1]], run.record["time"], run.record["body_position"].sel(axis="x"))
    return Settled(np.diff(times).mean(), (x[1] - x[0]) / (times[-1] - times[0]))


TORQUE = {"action_mode": "torque"}
LOOPS = (
    Loop("clock, `velocity`", "Hexapod-v0", {"action_mode": "velocity"}, clock, continuous_clock, (0.02,), 20.0),
    Loop(
        "clock, `torque`",
        "Hexapod-v0",
        TORQUE,
        clock,
        continuous_clock,
        (0.002, 0.02),
        20.0,
    ),
    Loop("Raibert", "HoppingLeg-v1", TORQUE, raibert, continuous_raibert, (0.001, 0.002, 0.005, 0.01, 0.02), 15.0),
    Loop("SLIP", "SlipLeg-v1", TORQUE, slip, continuous_slip, (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02), 10.0),
)


def sampled(loop: Loop, hold: float, engine: dict) -> Settled:
    """Return the settled measures of an episode: means over the second half of its strides."""
    env = gymnasium.make(
        loop.environment, max_episode_steps=10**7, reset_noise=0.0, ctrl_dt=hold, **loop.options, **engine
    )
    env = env.unwrapped
    observation, info = env.reset(seed=0)
    act, rows, over = loop.policy(env, 0), [], False
    while not over and info["time"] < loop.seconds - 1e-9:
        observation, _, over, _, info = env.step(act(observation, info))
        rows.append((info["time"], info["distance"], info["foot_contact"][0]))
    if over:
        return Settled(np.nan, np.nan, f"falls after {info['time']:.1f} s")
    time, distance, contact = np.array(rows, float).T
    down = np.flatnonzero(np.diff(contact) > 0) + 1
    down = down[np.append(True, np.diff(time[down]) > BOUNCE)]
    first, last = down[len(down) // 2], down[-1]
    lasted = time[last] - time[first]
    return Settled(lasted / (len(down) - 1 - len(down) // 2), (distance[last] - distance[first]) / lasted)


def compared(gait: Settled, base: Settled) -> tuple[str, str]:
    """Return by how much period and speed differ from another gait, in percent."""
    if gait.end or base.end:
        return gait.end, gait.end
    shares = zip(gait[:2], base[:2], strict=True)
    period, speed = (f"{100 * (value / other - 1):+.2f}" for value, other in shares)
    return period, speed


def rows(loop: Loop) -> list[tuple]:
    """Return the lines of a controller."""
    base = loop.continuous()
    found = [(loop.label, "none", f"{base.period:.4f} s", "", "", f"{base.speed:.4f} m/s", "", "")]
    for hold in loop.holds:
        pairs = [compared(sampled(loop, hold, engine), base) for engine in ENGINES]
        found.append((loop.label, f"{1e3 * hold:g}", *(pair[0] for pair in pairs), *(pair[1] for pair in pairs)))
    return found


def tables() -> Page:
    """Return the table of all controllers."""
    names = ("exact", "`reference`", "`rl`")
    head = ("controller", "hold [ms]", *(f"period, {name}" for name in names), *(f"speed, {name}" for name in names))
    words = "The lines without a hold are of the exact engine; the others are differences from them in percent."
    return Page(Table(head, [row for loop in LOOPS for row in rows(loop)]), words)
