"""What a registered environment is tested with before anyone wrote a variant for it: all that it can observe."""

import functools
import importlib

import gymnasium
import numpy as np
import pytest

from tarsus.envs import ENVIRONMENTS, spec

gymnasium.register("Bead-v0", **spec("bare:Bead"))
NAMES = (*ENVIRONMENTS, "Bead-v0")


@functools.cache
def everything(name):
    """Return options with every entry of the observation, in the last task and action mode, on rough ground."""
    module, _, env_class = gymnasium.spec(name).entry_point.partition(":")
    task_class = getattr(importlib.import_module(module), env_class).task_class
    config = task_class.config_class
    options = {"terrain": "rough", "task": list(config.REWARDS)[-1]}
    options |= {"action_mode": config.ACTION_MODES[-1]} if config.ACTION_MODES else {}
    known = task_class((), **options).machine_entries()
    seen = [
        key for key, entry in known.items() if not entry.needs or set(entry.needs.split(" or ")) & set(options.values())
    ]
    return options | {"observations": tuple(seen)}


def fastest(task):
    """Return the largest speed of a simulation."""
    return np.abs(task.qvel).max(-1)


def still(task):
    """Return whether nothing moves."""
    return ~task.qvel.any(-1)


@functools.cache
def equipped(name):
    """Return options that turn on all that a task may have besides."""
    env = gymnasium.make(name).unwrapped
    randomisable = tuple(env.config.randomisable())
    return {
        "rewards": {"slow": (-0.01, fastest)},
        "observe": {"fastest": (1, 1e3, fastest)},
        "terminate": {"nothing moves": still},
        "reward_weights": dict.fromkeys(env.config.SHAPING, -0.01),
        "privileged": (*env.observation_slices, *randomisable, "push", "action_delay"),
        "observation_noise": dict.fromkeys(list(env.observation_slices)[:3], 0.01),
        "action_delay": (0, 2),
        "push_speed": 0.5,
        "push_interval": (env.ctrl_dt, 4.5 * env.ctrl_dt),
        "randomise": dict.fromkeys(randomisable[:1], (0.9, 1.1)),
        "randomise_contact": True,
    }


def pytest_generate_tests(metafunc):
    """Give tests of `name` and `options` everything of every registered environment, the core, and the VARIANTS."""
    if {"name", "options"} <= set(metafunc.fixturenames) and hasattr(metafunc.module, "VARIANTS"):
        variants = {f"{name}-{'-'.join(map(str, own.values()))}": (name, own) for name, own in metafunc.module.VARIANTS}
        variants |= {f"{name}-equipped": (name, equipped(name)) for name in NAMES}
        cases = [pytest.param(*case, id=key, marks=pytest.mark.extra) for key, case in variants.items()]
        cases += [pytest.param(name, everything(name), id=f"{name}-everything") for name in NAMES]
        metafunc.parametrize(("name", "options"), cases, scope="module")
