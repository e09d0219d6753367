"""Seeds, masks and actions of every kind mean the same to one simulation and to many, or are refused by both."""

import gymnasium
import numpy as np
import pytest

from tarsus.envs import ENVIRONMENTS, SURROGATES

ALL = [*ENVIRONMENTS, *SURROGATES]


def pair(name, **options):
    """Return a single environment, and a vector environment of one."""
    many = gymnasium.make_vec(name, 1, vectorization_mode="vector_entry_point", **options)
    return gymnasium.make(name, **options).unwrapped, many


@pytest.mark.parametrize("name", ALL)
def test_a_seed_of_numpys_is_a_seed(name):
    env, envs = pair(name)
    expected, _ = env.reset(seed=7)
    for seed in (np.int64(7), np.uint8(7)):
        np.testing.assert_array_equal(env.reset(seed=seed)[0], expected)
        np.testing.assert_array_equal(envs.reset(seed=seed)[0][0], expected)
    for seeds in ([7], (np.int32(7),), np.array([7])):
        np.testing.assert_array_equal(envs.reset(seed=seeds)[0][0], expected)
    counted = gymnasium.make_vec(name, 2, vectorization_mode="vector_entry_point").reset(seed=np.int64(6))[0]
    np.testing.assert_array_equal(counted[1], expected)


@pytest.mark.parametrize("name", ["Hexapod-v0", "MultipodQuasistatic-v1"])
def test_what_is_no_seed_is_refused_and_nothing_changes(name):
    for one in pair(name):
        one.reset(seed=0)
        kept = one.get_state()
        for seed, error, message in [
            (0.5, TypeError, "whole number"),
            (True, TypeError, "whole number"),
            (np.bool_(True), TypeError, "whole number"),
            ("7", TypeError, "whole number"),
            (np.array(7), TypeError, "whole number"),
            (b"7", TypeError, "whole number"),
            (-1, ValueError, "must not be negative, got -1"),
            (np.int8(-1), ValueError, "must not be negative, got -1"),
        ]:
            with pytest.raises(error, match=message):
                one.reset(seed=seed)
        assert one.get_state().randoms == kept.randoms
    for seeds, error in [([0.5], TypeError), ([-1], ValueError), ([[1]], TypeError), ([1, 2], ValueError)]:
        with pytest.raises(error):
            one.reset(seed=seeds)
    assert one.get_state().randoms == kept.randoms


@pytest.mark.parametrize("name", ["Hexapod-v0", "MultipodQuasistatic-v1"])
def test_what_is_no_mask_is_refused(name):
    envs = gymnasium.make_vec(name, 2, vectorization_mode="vector_entry_point")
    envs.reset(seed=0)
    for mask in ([0, 1], np.array([1.0, 0.0]), [True], True, [False, False], [[True, False]], [True, [False]], "both"):
        with pytest.raises(ValueError, match="reset_mask must be 2 booleans, at least one of them true, got"):
            envs.reset(options={"reset_mask": mask})
    first = envs.reset(seed=[3, None], options={"reset_mask": [True, False]})[0]  # a list will do
    np.testing.assert_array_equal(first[0], envs.reset(seed=3)[0][0])
    with pytest.raises(ValueError, match="unknown option"):
        gymnasium.make(name).unwrapped.reset(options={"reset_mask": [True]})


def kinds(plain):
    """Return an action of zeros and ones in every kind that says the same numbers."""
    return {
        "float64": plain,
        "float32": plain.astype(np.float32),
        "float16": plain.astype(np.float16),
        "int": plain.astype(int),
        "bool": plain.astype(bool),
        "list": plain.tolist(),
        "tuple": tuple(plain.tolist()),
        "column by column": np.asfortranarray(plain),
        "every other": np.repeat(plain, 2, axis=-1)[..., ::2],
        "read only": np.broadcast_to(plain, plain.shape),
    }


@pytest.mark.parametrize("name", ALL)
def test_an_action_may_be_written_in_every_kind_of_numbers(name):
    env, envs = pair(name)
    env.reset(seed=0)
    state, plain = env.get_state(), np.zeros(env.action_space.shape)
    plain[::2] = 1.0
    expected, reward, *_ = env.step(plain)
    for kind, action in kinds(plain).items():
        env.set_state(state)
        np.testing.assert_array_equal(env.step(action)[0], expected, err_msg=kind)
    for kind, action in kinds(plain[None]).items():
        envs.set_state(state)
        observation, rewards, *_ = envs.step(action)
        np.testing.assert_array_equal(observation[0], expected, err_msg=kind)
        assert rewards[0] == reward


def wrong(shape):
    """Return what is no action of a shape, by what is wrong, and what is said about it."""
    zeros = np.zeros(shape)
    none = zeros.astype(object)
    none.flat[0] = None
    lost = zeros.copy()
    lost.flat[-1] = np.nan
    words = "must be finite numbers"
    return {
        "complex": (zeros + 1j, words),
        "complex list": ((zeros + 1j).tolist(), words),
        "object": (zeros.astype(object), words),
        "none within": (none, words),
        "words": (np.full(shape, "0.5"), words),
        "ragged": ([[0.0], [0.0, 0.0]], words),
        "none": (None, words),
        "dates": (np.zeros(shape, "datetime64[s]"), words),
        "too short": (zeros[..., :-1], r"has shape \(.*\), got \(.*\)"),
        "one number": (0.0, r"has shape \(.*\), got \(\)"),
        "nested": (zeros[None], r"has shape \(.*\), got \(.*\)"),
        "NaN": (lost, "must be finite"),
        "infinite": (zeros - np.inf, "must be finite"),
    }


@pytest.mark.parametrize("name", ["Hexapod-v0", "MultipodQuasistatic-v1"])
def test_what_is_no_action_is_refused_by_one_and_by_many_and_nothing_changes(name):
    for one in pair(name):
        one.reset(seed=0)
        expected = one.get_state()
        for kind, (action, message) in wrong(one.action_space.shape).items():
            with pytest.raises(ValueError, match=message):
                one.step(action)
            for key, array in one.get_state().arrays.items():
                np.testing.assert_array_equal(array, expected.arrays[key], err_msg=f"{kind}: {key}")


@pytest.mark.extra  # it is compiled for half a minute
def test_the_exact_engine_refuses_them_too_but_ends_the_episode_of_an_action_that_is_not_finite():
    for one in pair("Hexapod-v0", engine="exact"):
        one.reset(seed=0)
        for kind, (action, message) in wrong(one.action_space.shape).items():
            if kind not in ("NaN", "infinite"):
                with pytest.raises(ValueError, match=message):
                    one.step(action)
        assert np.all(one.step(wrong(one.action_space.shape)["NaN"][0])[2])
