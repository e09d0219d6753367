"""Options of `make` and actions, right and wrong, alone and mixed: a sentence that names the option, or it works."""

import collections
import traceback
from dataclasses import MISSING, fields
from pathlib import Path

import budget
import gymnasium
import numpy as np
import pytest

import tarsus
from tarsus.analytic.terrain import TERRAINS, Rough, Slope
from tarsus.envs import ENVIRONMENTS, SURROGATES

PACKAGE = Path(tarsus.__file__).parent
ODD = (None, True, False, 0, -1, 7, 0.0, -0.5, 1e-300, 1e300, np.nan, np.inf, 1j, "", "word", b"word", (), [], {})
ODD += ((0.5, 0.1), (0.1, 0.5), (np.nan, 1.0), (1.0,), (0, 1, 2), {"g": (0.9, 1.1)}, {"g": 1.0}, {"power": -1.0})
ODD += ({1: 2}, {"height": 0.1}, ["height"], "height", object, len, np.array(0.3), np.float32(0.3), np.int64(4), Slope)
SAID = (TypeError, ValueError)
WORDS = {"ctrl_dt": "control period", "n_legs": "number of legs"}  # what some messages call these
ROUGH = [*TERRAINS, Rough(), Slope(0.1, 0.0)]


def leaning(task):
    return task.frame.gravity[..., 0] if "gravity" in task.frame.at else np.zeros(task.shape)


def never(task):
    return np.zeros(task.shape, bool)


def config_of(name):
    env = gymnasium.make(name).unwrapped
    return type(env.config), env


CONFIGS = {}


def fitting(name, config, entry, env, rng):
    """Return a value that an option may have, whatever the others have."""
    pick = lambda values: values[rng.integers(len(values))]  # noqa: E731
    low, high = np.sort(rng.uniform(0.0, 1.0, 2)).tolist()
    choices = {
        "task": lambda: pick(list(config.REWARDS)),
        "terrain": lambda: pick(ROUGH),
        "preset": lambda: pick(list(config.PRESETS)),
        "engine": lambda: "mujoco",  # the exact one is compiled for half a minute
        "action_mode": lambda: pick(config.ACTION_MODES),
        "observations": lambda: tuple(rng.permutation(list(env.observation_slices))[: 1 + rng.integers(3)].tolist()),
        "privileged": lambda: tuple(rng.permutation(list(env.observation_slices))[: rng.integers(3)].tolist()),
        "randomise": lambda: {str(rng.choice(list(config.randomisable()))): (0.5 + low, 0.5 + high)},
        "reward_weights": lambda: {str(rng.choice([*config.REWARDS["forward"], *config.SHAPING])): -high},
        "rewards": lambda: {"lean": (low, leaning)},
        "observe": lambda: {"lean": (1, 1.0, leaning)},
        "terminate": lambda: {"never": never},
        "observation_noise": lambda: {str(rng.choice(list(env.observation_slices))): high},
        "action_delay": lambda: (int(rng.integers(2)), int(rng.integers(1, 4))),
        "ctrl_dt": lambda: env.ctrl_dt * pick([1, 2, 0.5, 1.1]),
        "n_legs": lambda: pick([4, 6, 7, 50, 52]),
        "clock": lambda: pick(["table2", "rhex"]),
        "law": lambda: pick(["viscous", "coulomb"]),
        "params": lambda: env.params,
        "body_height": lambda: high,
    }
    if entry.name in choices and name in ENVIRONMENTS or entry.name in ("ctrl_dt", "n_legs", "law", "params"):
        return choices[entry.name]()
    default = entry.default if entry.default is not MISSING else entry.default_factory()
    if isinstance(default, bool):
        return not default
    if isinstance(default, tuple):
        return low, high
    return high if isinstance(default, float) else default


def options_of(name, rng):
    """Return some options, most of which fit."""
    if name not in CONFIGS:
        CONFIGS[name] = config_of(name)
    config, env = CONFIGS[name]
    known, options = fields(config), {}
    for k in rng.permutation(len(known))[: rng.integers(1, 6)]:
        odd = rng.uniform() < 0.25
        options[known[k].name] = ODD[rng.integers(len(ODD))] if odd else fitting(name, config, known[k], env, rng)
    if options.get("engine") == "exact":
        del options["engine"]
    if rng.uniform() < 0.05:
        options["wings"] = 2
    return options


def says_it(error, options):
    """Return whether an error is ours, and names an option that was given."""
    error = error.__cause__ or error  # Gymnasium says it again, with all keywords
    ours = Path(traceback.extract_tb(error.__traceback__)[-1].filename).is_relative_to(PACKAGE)
    text = str(error).replace("_", " ")
    values = [str(value) for value in options.values() if isinstance(value, str) and value]
    words = (*options, *values, *(WORDS[option] for option in options if option in WORDS))
    return ours and any(word.replace("_", " ") in text for word in words)


def odd_action(shape, rng):
    """Return an action of an odd kind, and whether it is one: numbers of the right shape."""
    plain = rng.uniform(-2.0, 2.0, shape)
    kinds = [
        (plain.astype(np.float32), True),
        (plain.tolist(), True),
        (plain.astype(int), True),
        (plain > 0.0, True),
        (np.float16(plain), True),
        (plain.astype(np.longdouble), True),
        (1e300 * plain, True),
        (np.moveaxis(np.stack([plain, plain]), 0, -1)[..., 0], True),
        (plain + 1j, False),
        (plain.astype(object), False),
        (plain.astype(str), False),
        (plain[..., :-1], False),
        (plain[None], False),
        (plain.ravel()[0], False),
        (np.full(shape, np.nan), False),
        (np.where(plain > plain.min(), plain, np.inf), False),
        (None, False),
        ("forward", False),
        ({}, False),
        ([[0.0], [0.0, 1.0]], False),
        (iter(plain), False),
    ]
    return kinds[rng.integers(len(kinds))]


def steps(env, rng, label):
    """Step by odd actions: those that are actions are stepped by, others refused."""
    env.reset(seed=int(rng.integers(2**31)))
    for _ in range(4):
        action, fits = odd_action(env.action_space.shape, rng)
        try:
            observation, reward, terminated, truncated, _ = env.step(action)
        except SAID as error:
            assert not fits and "action" in str(error), (label, action, error)
            continue
        assert fits, (label, action)
        assert np.isfinite(observation).all() and np.isfinite(reward).all(), (label, action)
        if np.any(terminated | truncated):
            env.reset()


@pytest.fixture(autouse=True)
def a_folder_for_mujocos_log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_random_options_are_refused_by_name_or_work_with_any_action():
    tried, names = collections.Counter(), [*ENVIRONMENTS, *SURROGATES]
    for rng in budget.tries(count=150):
        name = names[rng.integers(len(names))]
        options, many = options_of(name, rng), rng.uniform() < 0.3
        label = f"{name}, {'many' if many else 'one'}, {options}"
        try:
            if many:
                env = gymnasium.make_vec(name, 2, vectorization_mode="vector_entry_point", **options)
            else:
                env = gymnasium.make(name, disable_env_checker=True, **options).unwrapped
        except SAID as error:
            assert says_it(error, options), f"{label}: {traceback.format_exc()}"
            tried["refused"] += 1
            continue
        assert "wings" not in options, label
        try:
            steps(env, rng, label)
        except SAID as error:
            assert "an episode cannot start" in str(error), f"{label}: {traceback.format_exc()}"
            tried["cannot start"] += 1
        else:
            tried["stepped"] += 1
        env.close()
    print("options:", dict(tried))
    assert min(tried["refused"], tried["stepped"]) > 0
