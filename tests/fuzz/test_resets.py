"""Every environment begins in every engine, on every terrain and from every start, with no foot under the ground.

The exact engine is compiled for each kind of ground, which takes half a minute once. So without a word from
TARSUS_FUZZ_SECONDS it begins on flat ground only; `pytest -m thorough tests/fuzz` begins 1,000 episodes of each.
"""

import functools
import importlib
import itertools
import os

import budget
import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.analytic.terrain import TERRAINS, Pyramid, Sinusoid, Stairs, Step
from tarsus.envs import ENVIRONMENTS, SURROGATES

ROUNDING = 1e-12  # a foot on the ground is this far from it [m]
MANY = 1000
STEEP = {  # worse than the registered ones, and still ground to stand on
    "high sinusoid": Sinusoid(0.08, 9.0, 11.0),
    "high stairs": Stairs(rise=0.1, tread=0.2, start=0.3),
    "steep pyramid": Pyramid(slope=0.5, start=0.2, bend=0.1),
    "step at the start": Step(rise=0.1, position=-0.02, heading=0.0),
}


def task_of(name):
    module, _, env_class = gymnasium.spec(name).entry_point.partition(":")
    return getattr(importlib.import_module(module), env_class).task_class


def config_of(name):
    return task_of(name).config_class


def combinations(name, grounds):
    """Return the options of an environment that choose engine, ground and action mode."""
    if name in SURROGATES:
        return [{}]
    config = config_of(name)
    keys = ("engine", "terrain", *(("action_mode",) if config.ACTION_MODES else ()))
    engines = ("mujoco", "exact") if task_of(name).EXACT else ("mujoco",)
    values = engines, grounds, *((config.ACTION_MODES,) if config.ACTION_MODES else ())
    return [dict(zip(keys, chosen, strict=True)) for chosen in itertools.product(*values)]


@functools.lru_cache(maxsize=8)
def made(name, options):
    """Return an environment, or None where the exact engine says that it has no such terrain."""
    try:
        return gymnasium.make(name, **dict(options)).unwrapped
    except ValueError as refusal:
        assert str(refusal).startswith("engine 'exact' has no terrain "), refusal
        return None


def start_of(name, rng):
    """Return random options of a reset that change how episodes begin."""
    if name in SURROGATES:
        return {}
    config, options = config_of(name), {}
    if rng.uniform() < 0.5:
        options["reset_noise"] = config.reset_noise * rng.choice([0.0, 0.5, 2.0])
    if rng.uniform() < 0.3:
        parameter = rng.choice(list(config.randomisable()))
        options["randomise"] = {str(parameter): (0.8, 1.2)}
    if rng.uniform() < 0.3:
        options |= {"push_speed": 0.3, "action_delay": (0, 2)}
    if "apex_height" in config.__dataclass_fields__ and rng.uniform() < 0.5:
        options["apex_height"] = rng.uniform(0.0, 1.0)
    return options


def lowest_gap(env):
    """Return how far the lowest foot is above the ground below it [m]; negative is under it."""
    env.data.site_xpos[:] = 0.0  # whose heights a foot's plane has overwritten
    mujoco.mj_kinematics(env.model, env.data)
    feet = env.data.site_xpos[[env.model.site(f"foot_{k}").id for k in range(env.task.n_feet)]]
    return np.min(feet[:, 2] - env.terrain.height(feet[:, 0], feet[:, 1]))


def begins(env, name, seed, **options):
    """Begin an episode, and see where it begins."""
    try:
        observation, info = env.reset(seed=seed, options=options)
    except Exception as error:
        raise AssertionError(f"{name} with {env.config}, seed {seed}: {error}") from error
    assert env.observation_space.contains(observation) and info["termination"] == "", (name, env.config, seed)
    if name in ENVIRONMENTS:
        assert lowest_gap(env) > -ROUNDING, (name, env.config, seed)


def test_random_starts_on_random_ground_begin():
    everywhere, tried = budget.SECONDS in os.environ, {}
    for rng in budget.tries(count=50):
        name = str(rng.choice([*ENVIRONMENTS, *SURROGATES]))
        options = rng.choice(combinations(name, [*TERRAINS, *STEEP]))
        if options.get("engine") == "exact" and not everywhere:
            options = options | {"terrain": "flat"}
        options = options | ({"terrain": STEEP[options["terrain"]]} if options.get("terrain") in STEEP else {})
        env = made(name, tuple(options.items()))
        if env is None:
            continue
        start = start_of(name, rng)
        for seed in rng.integers(2**31, size=4).tolist():
            begins(env, name, seed, **start)
        made.cache_clear() if start else None  # the options of a reset are kept
        tried[name] = tried.get(name, 0) + 4
    print("episodes begun:", tried)
    assert tried


ALL = [(name, options) for name in (*ENVIRONMENTS, *SURROGATES) for options in combinations(name, TERRAINS)]


@pytest.mark.thorough
@pytest.mark.parametrize("name, options", ALL, ids=["-".join([name, *options.values()]) for name, options in ALL])
def test_a_thousand_seeds_begin(name, options):
    env = made(name, tuple(options.items()))
    for seed in range(MANY if env else 0):
        begins(env, name, seed)
