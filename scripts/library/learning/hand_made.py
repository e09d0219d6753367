"""The policies that are made by hand, by environment and name; a new one is a line in `POLICIES`.

A policy is called as `policy(observation, info)` and returns an action. Some need certain options of the environment.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium
import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.rhex_gaits import SPEEDS
from tarsus.controllers import gaits
from tarsus.controllers import raibert as raibert_controller
from tarsus.controllers import slip as slip_controller
from tarsus.controllers.clock import ClockPolicy
from tarsus.controllers.clock_gaits import CLOCK_GAITS
from tarsus.controllers.gait_policy import GaitPolicy
from tarsus.controllers.gaits import bigant_gait, multipod_gait
from tarsus.controllers.rhex_policy import RhexPolicy
from tarsus.controllers.slope import SlopeEstimator, SlopeLaw
from tarsus.envs.hexapod_clocks import GAIT_RANGES
from tarsus.scripts.library.learning.steered import connection_mpc

PolicyFunction = Callable[[np.ndarray, Mapping], np.ndarray]
GAITS = CLOCK_GAITS | {  # the best of 1600 that `tarsus search gait` tried
    "dash": TripodGait(0.304, 0.2185, 1.958, 0.5045, -0.01027, -0.06544)
}
FAST = ("sprint", "dash")  # those that need a run-up
RUN_UP = (0.5, 1.0)  # how long it runs, and how long it takes to the gait after that [s]
TORQUE, RESIDUAL = {"action_mode": "torque"}, {"action_mode": "residual"}


@dataclass(frozen=True)
class Policy:
    """How to make a policy, and what it needs.

    Attributes:
        make: From the environment, and the episode's seed.
        needs: Options of the environment.
    """

    make: Callable[[gymnasium.Env, int], PolicyFunction]
    needs: Mapping[str, Any] = field(default_factory=dict)


def zero(env: gymnasium.Env, seed: int) -> PolicyFunction:
    """Do nothing."""
    action = np.zeros(env.action_space.shape, np.float32)
    return lambda observation, info: action


def hurried(env: gymnasium.Env, seed: int) -> PolicyFunction:
    """Correct nothing, and hold the tempo at its highest."""
    action = np.zeros(env.action_space.shape, np.float32)
    action[-1] = 1.0
    return lambda observation, info: action


def random(env: gymnasium.Env, seed: int) -> PolicyFunction:
    """Draw every action evenly from the action space."""
    rng = np.random.default_rng(seed)
    low, high, shape = env.action_space.low, env.action_space.high, env.action_space.shape
    return lambda observation, info: rng.uniform(low, high, shape).astype(np.float32)


def clock(env: gymnasium.Env, seed: int, gait: TripodGait | None = None) -> PolicyFunction:
    """Follow the clock of a gait, by default the robot's own, of Table 2 the documents' walk."""
    base = env.unwrapped
    mode = base.config.action_mode
    return ClockPolicy(gait or base.config.params.gait, mode, ctrl_dt=base.ctrl_dt, scale=base.action_scale)


def gait_action(gait: TripodGait) -> np.ndarray:
    """Return the action of the mode "gait" that names a gait, shape (6,); beyond [-1, 1] where it is out of range."""
    low, high = np.array(list(GAIT_RANGES.values())).T
    t_c = gait.cycle_time
    differences = gait.slow_time_difference / t_c, gait.offset_difference
    value = np.array([t_c, gait.slow_time / t_c, gait.sweep_angle, gait.leg_offset, *differences])
    return 2 * (value - low) / (high - low) - 1


def run_up(action: np.ndarray, time: float) -> np.ndarray:
    """Return the gait's action at a time [s]: the documents' run at first, then by and by `action`, shape (..., 6).

    A fast gait throws the robot over when it is started from rest.
    """
    first = gait_action(GAITS["run"])
    return (first + (action - first) * np.clip((time - RUN_UP[0]) / RUN_UP[1], 0.0, 1.0)).astype(np.float32)


def steady(env: gymnasium.Env, seed: int, gait: TripodGait, from_rest: bool = True) -> PolicyFunction:
    """Name the same gait for ever, or after a run-up, and leave the rest to the environment's own clock."""
    action = gait_action(gait)  # in single precision the clock would move against the control periods
    return lambda observation, info: action if from_rest else run_up(action, info["time"])


def rhex(env: gymnasium.Env, seed: int, feels_slope: bool = False) -> PolicyFunction:
    """Walk as RHex's own walker does, at the commanded speed and yaw rate, or along +y at the speed setting 2.

    The robot knows no heading: what brings it back to +y is what an operator would do. If it feels the slope, by the
    accelerometer once a control period, it compensates for it.
    """
    base = env.unwrapped

    def command():
        if base.config.task == "commanded":
            return base.task.command
        right, ahead = base.task.forward_axis
        return SPEEDS[-1], np.arctan2(right, ahead)

    if not feels_slope:
        return RhexPolicy(command, base.ctrl_dt, base.action_scale)
    estimator = SlopeEstimator(base.config.params.g, period=base.ctrl_dt)
    walk = RhexPolicy(command, base.ctrl_dt, base.action_scale, estimator.compensation(SlopeLaw()))

    def policy(observation: np.ndarray, info: Mapping) -> np.ndarray:
        estimator.sense(info["time"], base.task.accelerometer[1])
        return walk(observation, info)

    return policy


def slip(env: gymnasium.Env, seed: int) -> PolicyFunction:
    """Run as the spring-loaded inverted pendulum does; energy that sampled torques add is taken out again."""
    base = env.unwrapped
    control = slip_controller.SlipControl(energy_gain=0.5)
    return slip_controller.policy(base.params, base.action_scale, control, hold=base.ctrl_dt)


def raibert(env: gymnasium.Env, seed: int, speed: float = 1.0) -> PolicyFunction:
    """Hop at a speed [m/s], as Raibert's machines do."""
    base = env.unwrapped
    gains = raibert_controller.RaibertGains(speed=speed)
    return raibert_controller.policy(base.params, base.action_scale, gains)


def trot(env: gymnasium.Env, seed: int) -> PolicyFunction:
    """Ask for the joint angles of the clock (`envs.own_clock`) a control period later, and what the filter takes away.

    Of a robot of one's own without a baseline; where the clock goes beyond an action's reach, it is cut off.
    """
    from tarsus.envs import own_clock  # not above: it imports MuJoCo
    from tarsus.mjcf.own_robot import rest_controls

    base = env.unwrapped
    task, g, share = base.task, base.config.params.g, -np.expm1(-base.ctrl_dt / base.config.residual_lag)
    period = own_clock.period_of(base.model, g, own_clock.PERIODS[1])
    table = (own_clock.table(base.model, task.FORWARD, g) - rest_controls(base.model)) / base.action_scale
    rows = np.arange(len(table))

    def policy(observation: np.ndarray, info: Mapping) -> np.ndarray:
        row = (info["time"] + base.ctrl_dt) / period * len(table)
        asked = np.array([np.interp(row, rows, column, period=len(table)) for column in table.T])
        return np.clip(task.correction + (asked - task.correction) / share, -1.0, 1.0).astype(np.float32)

    return policy


def joint_speeds(env: gymnasium.Env, seed: int, name: str, make: Callable) -> PolicyFunction:
    """Follow a gait by joint speeds; `make(params, name)` makes it for the environment's robot."""
    base = env.unwrapped
    return GaitPolicy(make(base.params, name), base.ctrl_dt, base.action_scale)


def walking(make: Callable, names: tuple[str, ...], **needs: str) -> dict[str, Policy]:
    """Return the policies of these gaits, which command joint speeds."""
    return {name: Policy(partial(joint_speeds, name=name, make=make), needs) for name in names}


def corrected(name: str, needs: Mapping[str, Any] = RESIDUAL) -> dict[str, Policy]:
    """Return the baseline that actions correct, under its name, and the same in a hurry."""
    return {name: Policy(zero, needs), f"{name}-hurried": Policy(hurried, needs)}


POLICIES: dict[str, dict[str, Policy]] = {
    "*": {"zero": Policy(zero), "random": Policy(random)},
    "Hexapod-v0": {
        "stand": Policy(zero, {"action_mode": "velocity"}),
        "clock": Policy(clock, {"action_mode": "velocity"}),
        "PD": Policy(clock, {"action_mode": "torque"}),
    }
    | {
        name: Policy(partial(steady, gait=gait, from_rest=name not in FAST), {"action_mode": "gait"})
        for name, gait in GAITS.items()
    }
    | {
        "steered": Policy(zero, {"action_mode": "residual", "task": "commanded"}),
        "rhex": Policy(rhex, {"action_mode": "velocity", "params": "rhex"}),
        "rhex-slope": Policy(partial(rhex, feels_slope=True), {"action_mode": "velocity", "params": "rhex"}),
    },
    "SlipLeg-v1": corrected("SLIP") | {"SLIP-torque": Policy(slip, TORQUE)},
    "HoppingLeg-v1": corrected("Raibert")
    | {"Raibert-torque": Policy(raibert, TORQUE), "Raibert-fast": Policy(partial(raibert, speed=2.0), TORQUE)},
    "BigAnt-v1": walking(bigant_gait, gaits.names("shafts", 6), action_mode="velocity") | corrected("tripod"),
    "Dog-v0": corrected("clock", {}) | {"trot": Policy(trot, {"baseline": None})},
}
POLICIES |= {
    name: walking(multipod_gait, gaits.names("pairs", 6), action_mode="velocity")
    | {"connection-mpc": Policy(connection_mpc, {"action_mode": "velocity"})}
    | corrected("undulation")
    for name in ("Multipod-v1", "MultipodQuasistatic-v1")
}
