"""A policy in its environment: made ready, and refused with a sentence if the two do not go together."""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np

from tarsus.envs import SURROGATES
from tarsus.scripts.library.learning import loading
from tarsus.scripts.library.learning.environments import make
from tarsus.scripts.library.learning.hand_made import PolicyFunction
from tarsus.scripts.library.learning.loading import Candidate
from tarsus.scripts.library.learning.wrappers import UNSAID, Wrappers


def start(
    policy: str,
    environment: str | None,
    options: Mapping[str, Any],
    seed: int,
    stochastic: bool = False,
    wrappers: Wrappers = UNSAID,
    **more: Any,
) -> tuple[gymnasium.Env, PolicyFunction]:
    """Return the environment of any policy that `loading.load` has, and the policy in it; see `begin`.

    Keywords beyond the options are those of `gymnasium.make`. ValueError if there is no such policy or environment, or
    they do not go together.
    """
    return begin(loading.load(policy, environment, options, stochastic, wrappers), seed, **more)


def begin(found: Candidate, seed: int, **more: Any) -> tuple[gymnasium.Env, PolicyFunction]:
    """Return the environment of a policy that is loaded, and the policy in it; ValueError if they do not go together.

    Whatever the control period, an episode lasts as long as one of the default period does, unless a keyword says how
    many steps it has.
    """
    name, options = found.environment, found.options
    if more.get("render_mode") and name in SURROGATES:
        raise ValueError(f"{name} is no simulation in MuJoCo, and has no pictures")
    env = make(name, options, **more)
    if "max_episode_steps" not in {*options, *more} and (n_steps := steps_of(env)) != env.spec.max_episode_steps:
        env.close()
        env = make(name, options, **more, max_episode_steps=n_steps)
    return env, found.make(env, seed)


def steps_of(env: gymnasium.Env) -> int:
    """Return the number of control periods that last as long as an episode with the default options."""
    base, spec = env.unwrapped, gymnasium.spec(env.spec.id)
    default = type(base.config)(**spec.kwargs)
    seconds = spec.max_episode_steps * getattr(default, "period", default.ctrl_dt)
    return round(seconds / base.ctrl_dt)


def check(
    policy: str,
    environment: str | None,
    options: Mapping[str, Any],
    stochastic: bool = False,
    wrappers: Wrappers = UNSAID,
    **more: Any,
) -> Candidate:
    """Do what an episode begins with, up to the first action, and return the policy, or ValueError; see `start`."""
    found = loading.load(policy, environment, options, stochastic, wrappers)
    env, act = begin(found, 0, **more)
    check_acts(policy, env, lambda env, seed: act)
    env.close()
    return found


def check_acts(policy: str, env: gymnasium.Env, make: Callable[[gymnasium.Env, int], PolicyFunction]) -> None:
    """Do what an episode begins with, up to the first action, which must be one of the environment's; or ValueError.

    The environment is closed if the policy, made of it and a seed, does not go with it.
    """
    name, size = env.spec.id, env.action_space.shape
    observation, info = env.reset(seed=0)
    try:
        action = np.asarray(make(env, 0)(observation, info), float)
    except Exception as error:  # of somebody's policy
        env.close()
        raise ValueError(
            f"the policy {policy} cannot act in {name}, whose observation has {observation.size} numbers: "
            f"{type(error).__name__}: {error}"
        ) from error
    if action.shape != size:
        env.close()
        raise ValueError(f"the policy {policy} acts by arrays of shape {action.shape}, {name} takes {size}")
    if not np.isfinite(action).all():
        env.close()
        raise ValueError(f"the policy {policy} gave an action that is not finite: {action}")
