"""What is no option, and what is no value of one: refused with a sentence, over all environments and all options."""

from dataclasses import fields

import gymnasium
import numpy as np
import pytest

from tarsus.envs import ENVIRONMENTS, SURROGATES
from tarsus.scripts import evaluate

ALL = [*ENVIRONMENTS, *SURROGATES]
WRONG = (np.nan, np.inf, -np.inf, None, "word", 1j, [1.0, np.nan], {"g": np.nan}, {"g": 1.0}, {1: (1.0, 2.0)})
OF_IMAGES = {"render_mode": None, "width": 640, "height": 480, "camera": "follow"}
OF_MANY = {"max_episode_steps": None, "autoreset_mode": "NextStep", "n_threads": 0}


def single(name, **options):
    return gymnasium.make(name, **options).unwrapped


def many(name, n=2, **options):
    return gymnasium.make_vec(name, n, vectorization_mode="vector_entry_point", **options).unwrapped


def config_of(env):
    return env.vector.config if hasattr(env, "vector") else env.task.config if hasattr(env, "task") else env.config


def wrong_values(value):
    """Return what an option cannot be whose default is this value."""
    inverted = (value[::-1],) if isinstance(value, tuple) and value[0] < value[1] else ()
    return *(wrong for wrong in WRONG if wrong is not value), *inverted


def steps_with_finite_numbers(env):
    env.reset(seed=0)
    observation, reward, *_ = env.step(np.zeros(env.action_space.shape, np.float32))
    return np.isfinite(observation).all() and np.isfinite(reward).all()


UNKNOWN = {"Multipod-v0": "legs", "BigAnt-v0": "n_legs", "MultipodQuasistatic-v0": "terrain", "Hexapod-v0": "colour"}


@pytest.mark.parametrize("name", ALL)
def test_an_unknown_keyword_is_a_type_error_in_pythons_words(name):
    word = UNKNOWN.get(name, "bogus")
    for make in (single, many):
        with pytest.raises(TypeError, match=rf"\(\) got an unexpected keyword argument '{word}'; there are params, "):
            make(name, **{word: 6})


def test_the_command_line_says_it_in_a_sentence(capsys):
    assert evaluate.main(["clock", "--option", "bogus=1"]) == 2
    assert "tarsus evaluate: Hexapod() got an unexpected keyword argument 'bogus'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ALL)
def test_every_keyword_refuses_what_it_cannot_be_by_its_name(name):
    made, config = type(single(name)), config_of(single(name))
    defaults = {entry.name: getattr(config, entry.name) for entry in fields(config)}
    images = OF_IMAGES if name in ENVIRONMENTS else {"render_mode": None}
    for keyword, value in (defaults | images).items():
        for wrong in wrong_values(value):
            try:
                env = made(**{keyword: wrong})  # without Gymnasium, which stumbles over a render mode of 5 itself
            except (ValueError, TypeError) as refusal:
                assert keyword.replace("_", " ") in str(refusal).replace("_", " "), (keyword, wrong, str(refusal))
            else:
                assert steps_with_finite_numbers(env), (keyword, wrong)


@pytest.mark.parametrize("name", ALL)
def test_every_keyword_of_many_refuses_what_it_cannot_be_by_its_name(name):
    ours = {"n_threads": 0} | OF_IMAGES if name in ENVIRONMENTS else {}
    for keyword, value in ({"max_episode_steps": None, "autoreset_mode": "NextStep"} | ours).items():
        for wrong in (*wrong_values(value), 1.5, -1):
            try:
                env = many(name, **{keyword: wrong})
            except (ValueError, TypeError) as refusal:
                assert keyword.replace("_", " ") in str(refusal).replace("_", " "), (keyword, wrong, str(refusal))
            else:
                assert steps_with_finite_numbers(env), (keyword, wrong)
    for wrong in (np.nan, None, "word", 0, -1, 1.5):
        with pytest.raises((ValueError, TypeError), match="num_envs"):
            many(name, wrong)
