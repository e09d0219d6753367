"""Every policy there is to evaluate, by name; a new one is a line in `POLICIES`.

A policy is called as `policy(observation, info)` and returns an action. Some need certain options of the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.controllers.clock import ClockPolicy
from tarsus.controllers.gait_policy import GaitPolicy
from tarsus.controllers.raibert import Raibert, RaibertGains, RaibertPolicy
from tarsus.controllers.slip import SlipControl, SlipController, SlipPolicy
from tarsus.scripts.checkpoint import TrainedPolicy
from tarsus.scripts.training_runs import differences, plain
from tarsus.scripts.walking import bigant_gait, multipod_gait

PolicyFunction = Callable[[np.ndarray, Mapping], np.ndarray]
SHAPING = ("task", "action_mode", "observations", "ctrl_dt")  # options that change what an action or observation means


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


def random(env: gymnasium.Env, seed: int) -> PolicyFunction:
    """Draw every action evenly from the action space."""
    rng = np.random.default_rng(seed)
    low, high, shape = env.action_space.low, env.action_space.high, env.action_space.shape
    return lambda observation, info: rng.uniform(low, high, shape).astype(np.float32)


def clock(env: gymnasium.Env, seed: int, gait: TripodGait | None = None) -> PolicyFunction:
    """Follow the clock of a gait, by default that of the documents."""
    base = env.unwrapped
    mode = base.config.action_mode
    return ClockPolicy(gait or TripodGait(), mode, ctrl_dt=base.ctrl_dt, scale=base.action_scale)


def slip(env: gymnasium.Env, seed: int) -> PolicyFunction:
    """Run as the spring-loaded inverted pendulum does; energy that sampled torques add is taken out again."""
    base = env.unwrapped
    controller = SlipController(base.params, SlipControl(energy_gain=0.5), hold=base.ctrl_dt)
    return SlipPolicy(controller, base.action_scale)


def raibert(env: gymnasium.Env, seed: int, speed: float = 1.0) -> PolicyFunction:
    """Hop at a speed [m/s], as Raibert's machines do."""
    base = env.unwrapped
    return RaibertPolicy(Raibert(RaibertGains(speed=speed), base.params, fast=True), base.action_scale)


def gait(name: str, make: Callable) -> Callable[[gymnasium.Env, int], PolicyFunction]:
    """Return how to make the policy of a gait; `make(params, name)` makes the gait for the environment's robot."""

    def policy(env: gymnasium.Env, seed: int) -> PolicyFunction:
        base = env.unwrapped
        return GaitPolicy(make(base.params, name), base.ctrl_dt, base.action_scale)

    return policy


def gaits(make: Callable, names: tuple[str, ...]) -> dict[str, Policy]:
    """Return the policies of these gaits."""
    return {name: Policy(gait(name, make), {"action_mode": "velocity"}) for name in names}


POLICIES: dict[str, dict[str, Policy]] = {
    "*": {"zero": Policy(zero), "random": Policy(random)},
    "Hexapod-v0": {
        "clock": Policy(clock, {"action_mode": "velocity"}),
        "PD": Policy(clock, {"action_mode": "torque"}),
    },
    "SlipLeg-v0": {"SLIP": Policy(slip, {"action_mode": "torque"})},
    "HoppingLeg-v0": {"Raibert": Policy(raibert)},
    "Multipod-v0": gaits(multipod_gait, ("undulation", "pair_tripod", "pair_wave", "pair_ripple")),
    "BigAnt-v0": gaits(bigant_gait, ("tripod", "ripple", "metachronal")),
}


def of_environment(name: str) -> dict[str, Policy]:
    """Return the policies of an environment, by their names."""
    return POLICIES["*"] | POLICIES.get(name, {})


def find(policy: str, environment: str | None, options: Mapping[str, Any]) -> tuple[Policy, str, dict[str, Any]]:
    """Return a policy, its environment, and the options to make that with.

    Args:
        policy: A name, or the path of a checkpoint.
        environment: Where to look a name up; a checkpoint knows its own.
        options: Asked for; they go before what a checkpoint was made with, unless they change what actions mean.

    Raises:
        ValueError: If there is no such policy, or it was made for other settings; the differences are listed.
    """
    if Path(policy).exists():
        trained = TrainedPolicy(policy)
        about = trained.about
        refuse(policy, about, environment, options)
        return Policy(lambda env, seed: trained), about["environment"], about["options"] | dict(options)
    known = of_environment(environment or "Hexapod-v0")
    if policy not in known:
        raise ValueError(f"unknown policy {policy!r}; there are {', '.join(known)}, and folders of checkpoints")
    refuse(policy, {"options": known[policy].needs}, None, options)
    return known[policy], environment or "Hexapod-v0", dict(known[policy].needs) | dict(options)


def refuse(policy: str, made: Mapping[str, Any], environment: str | None, options: Mapping[str, Any]) -> None:
    """Refuse options that a policy was not made for."""
    asked = {name: value for name, value in options.items() if name in SHAPING}
    found = differences({name: made["options"].get(name, "the default") for name in asked}, plain(asked))
    if not made["options"]:  # a policy that needs nothing takes everything
        found = []
    if environment and environment != made.get("environment", environment):
        found.insert(0, f"environment was {made['environment']!r}, asked for is {environment!r}")
    if found:
        raise ValueError(f"the policy {policy} was made for other settings: " + "; ".join(found))
