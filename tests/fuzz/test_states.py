"""A mutant of a state is refused with a sentence and changes nothing, or it is a state and goes on."""

import collections
import functools
from dataclasses import replace

import budget
import gymnasium
import numpy as np
import pytest

from tarsus.envs import ENVIRONMENTS, SURROGATES

EXACT = {"engine": "exact"}
VARIANTS = [
    *((name, {}) for name in (*ENVIRONMENTS, *SURROGATES)),
    ("Hexapod-v0", {"action_delay": (0, 3), "push_speed": 0.3, "observation_noise": {"height": 0.01}}),
    ("SlipLeg-v1", {"randomise": {"friction_coeff": (0.5, 1.0)}, "terrain": "rough", "task": "commanded"}),
    ("Multipod-v1", {"action_mode": "gait", "terrain": "stairs", "randomise_contact": True}),
    ("HoppingLeg-v1", EXACT),
]


@functools.cache
def pair(which):
    """Return a single environment that has stepped, and three simulations that have."""
    name, options = VARIANTS[which]
    env = gymnasium.make(name, **options).unwrapped
    envs = (
        gymnasium.make_vec(name, 3, vectorization_mode="vector_entry_point", n_threads=1, **options)
        if (name in ENVIRONMENTS)
        else gymnasium.make_vec(name, 3, vectorization_mode="vector_entry_point")
    )
    for one in (env, envs):
        one.reset(seed=which)
        one.step(np.zeros(one.action_space.shape))
    return env, envs


def any_name(state, rng):
    return str(rng.choice(list(state.arrays)))


def with_array(state, name, array):
    return replace(state, arrays=state.arrays | {name: array})


def lost(state, rng):
    gone = any_name(state, rng)
    return replace(state, arrays={name: array for name, array in state.arrays.items() if name != gone})


def added(state, rng):
    return with_array(state, f"{any_name(state, rng)}_", np.zeros(len(state)))


def cut(state, rng):
    name = any_name(state, rng)
    array = state.arrays[name]
    return with_array(state, name, array[..., :-1] if array.ndim > 1 else array[:-1])


def more_rows(state, rng):
    name = any_name(state, rng)
    return with_array(state, name, np.concatenate([state.arrays[name]] * 2))


def another_kind(state, rng):
    name = any_name(state, rng)
    kinds = (np.float32, complex, object, str, "datetime64[s]")
    return with_array(state, name, state.arrays[name].astype(kinds[rng.integers(len(kinds))]))


def no_array(state, rng):
    values = (None, 0.0, "", [], state.arrays, np.float64(1.0))
    return with_array(state, any_name(state, rng), values[rng.integers(len(values))])


def not_finite(state, rng):
    name = any_name(state, rng)
    array = state.arrays[name].astype(float) if state.arrays[name].dtype.kind == "f" else state.arrays["action"].copy()
    name = name if state.arrays[name].dtype.kind == "f" else "action"
    array.flat[rng.integers(array.size)] = rng.choice([np.nan, np.inf, -np.inf])
    return with_array(state, name, array)


def other_numbers(state, rng):
    name = any_name(state, rng)
    array = state.arrays[name]
    if array.dtype.kind == "f":
        array = array.copy()
        array[np.isfinite(array)] *= rng.choice([-1.0, 0.0, 1.0 + 1e-9, 3.0, 1e3, 1e12])
        return with_array(state, name, array)
    return with_array(state, name, rng.integers(-3, 200, array.shape).astype(array.dtype))


def of_another(state, rng):
    other = pair(rng.integers(len(VARIANTS)))[rng.integers(2)].get_state()
    what = ("arrays", "config", "randoms", "drawn")[rng.integers(4)]
    return replace(state, **{what: getattr(other, what)})


def no_part(state, rng):
    values = (None, (), [], {}, (None,), ({},), ((),), 7, ({"bit_generator": "PCG64", "state": {}},))
    what = ("arrays", "config", "randoms", "drawn")[rng.integers(4)]
    return replace(state, **{what: values[rng.integers(len(values))]})


def no_state(state, rng):
    values = (None, 7, "state", state.arrays, [state], state.arrays["action"])
    return values[rng.integers(len(values))]


MUTATIONS = (lost, added, cut, more_rows, another_kind, no_array, not_finite, other_numbers, of_another, no_part)
MUTATIONS += (no_state,)


def after(env, state):
    """Return what a step from a state gives."""
    env.set_state(state)
    observation, reward, *_ = env.step(np.full(env.action_space.shape, 0.1))
    return observation, reward


@pytest.fixture(autouse=True)
def a_folder_for_mujocos_log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_mutants_of_states_are_refused_or_go_on():
    tried = collections.Counter()
    for rng in budget.tries(count=400):
        which, mutate = rng.integers(len(VARIANTS)), MUTATIONS[rng.integers(len(MUTATIONS))]
        env = pair(which)[rng.integers(2)]
        state = pair(which)[rng.integers(2)].get_state() if env.action_space.shape[0] == 3 else env.get_state()
        mutant, label = mutate(state, rng), f"{VARIANTS[which]}: {mutate.__name__}"
        kept = env.get_state()
        try:
            env.set_state(mutant)
        except (TypeError, ValueError) as refusal:
            assert "state" in str(refusal), (label, refusal)
            for name, array in env.get_state().arrays.items():
                np.testing.assert_array_equal(array, kept.arrays[name], err_msg=f"{label}: {name}")
            tried["refused"] += 1
        else:
            assert mutate not in (lost, added, cut, more_rows, another_kind, no_array, no_state), label
            observation = env.step(np.zeros(env.action_space.shape))[0]
            assert np.isfinite(observation).all(), label
            tried["went on"] += 1
        for one, again in zip(after(env, kept), after(env, kept), strict=True):
            np.testing.assert_array_equal(one, again, err_msg=label)
        env.set_state(kept)
    print("mutants:", dict(tried))
    assert min(tried["refused"], tried["went on"]) > 0
