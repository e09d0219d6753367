"""What is no option, and what is no value of one: refused with a sentence, over all environments and all options."""

import ast
import gc
import re
import sys
from dataclasses import fields, replace

import gymnasium
import numpy as np
import pytest

from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.envs import ENVIRONMENTS, SURROGATES
from tarsus.envs.hexapod import HexapodVectorEnv
from tarsus.mjcf import PRESETS
from tarsus.scripts.command.verbs import evaluate

ALL = [*ENVIRONMENTS, *SURROGATES]
WRONG = (np.nan, np.inf, -np.inf, None, "word", 1j, [1.0, np.nan], {"g": np.nan}, {"g": 1.0}, {1: (1.0, 2.0)})
OF_IMAGES = {"render_mode": None, "width": 640, "height": 480, "camera": "follow", "forces": False}
OF_MANY = {"max_episode_steps": None, "autoreset_mode": "NextStep", "n_threads": 0}


def single(name, **options):
    return gymnasium.make(name, **options).unwrapped


def many(name, n=2, **options):
    return gymnasium.make_vec(name, n, vectorization_mode="vector_entry_point", **options).unwrapped


def config_of(env):
    return env.vector.config if hasattr(env, "vector") else env.task.config if hasattr(env, "task") else env.config


def wrong_values(value):
    """Return what an option cannot be whose default is this value."""
    inverted = (value[::-1],) if isinstance(value, tuple) and value[:1] < value[1:] else ()
    return *(wrong for wrong in WRONG if wrong is not value), *inverted


def steps_with_finite_numbers(env):
    env.reset(seed=0)
    observation, reward, *_ = env.step(np.zeros(env.action_space.shape, np.float32))
    return np.isfinite(observation).all() and np.isfinite(reward).all()


UNKNOWN = {"Multipod-v1": "legs", "BigAnt-v1": "n_legs", "MultipodQuasistatic-v1": "terrain", "Hexapod-v0": "colour"}


@pytest.mark.parametrize("name", ALL)
def test_an_unknown_keyword_is_a_type_error_in_pythons_words(name):
    word = UNKNOWN.get(name, "bogus")
    near = {"legs": "; did you mean n_legs\\?"}.get(word, "")
    for make in (single, many):
        says = rf"\(\) got an unexpected keyword argument '{word}'; there are params, [^;]*{near}( was raised|$)"
        with pytest.raises(TypeError, match=says):
            make(name, **{word: 6})


@pytest.mark.parametrize("word", ["friction_coeff", "frictoin_coeff"])
def test_a_parameter_of_the_robot_is_no_option_and_the_message_says_where_it_is(word):
    says = rf"'{word}'; there are params, .*; of the robot (randomise=.'friction_coeff': \(0.5, 0.5\).) halves"
    for make in (single, many):
        with pytest.raises(TypeError, match=says) as refused:
            make("Hexapod-v0", **{word: 0.5})
    option = re.search(says, str(refused.value))[1].removeprefix("randomise=")
    plain, halved = (single("Hexapod-v0", randomise=one) for one in ({}, ast.literal_eval(option)))
    for env in (plain, halved):
        env.reset(seed=0)
    frictions = [env.model.geom("ground").friction[0] for env in (plain, halved)]
    assert frictions[1] == pytest.approx(0.5 * frictions[0], rel=1e-12)


def test_the_command_line_says_it_in_a_sentence(capsys):
    assert evaluate.main(["clock", "--option", "bogus=1"]) == 2
    assert "Hexapod() got an unexpected keyword argument 'bogus'" in capsys.readouterr().err


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


def test_many_simulations_that_were_refused_go_in_silence(monkeypatch):
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", lambda said: complaints.append(said.exc_value))
    monkeypatch.setattr(HexapodVectorEnv, "__del__", lambda env: env.close(), raising=False)  # as in Gymnasium 1.2
    for wrong in ({"n_threads": -1}, {"width": 0}, {"terrain": "swamp"}):
        with pytest.raises(ValueError):
            HexapodVectorEnv(2, **wrong)
    gc.collect()
    assert not complaints


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


RIGHT = {  # an option of reset that each environment takes
    "Hexapod-v0": {"terrain": "slope", "reset_noise": 0.01},
    "HoppingLeg-v1": {"params": HoppingLegParams(motor_mode="voltage"), "ctrl_dt": 0.01},
    "SlipLeg-v1": {"apex_height": 0.7, "terrain": "step"},
    "Multipod-v1": {"params": MultipodParams(leaf_k=800.0)},
    "BigAnt-v1": {"reward_weights": {"healthy": 1.0}},
}
NOT_BUILT = {  # what is no wrong value by itself, but makes no machine, or none with these spaces, or no start
    "Hexapod-v0": [{"preset": replace(PRESETS["rl"], integrator="implicitfast", timestep=0.005)}],
    "HoppingLeg-v1": [{"params": HoppingLegParams(LH=0.01, LK=0.01)}, {"params": HoppingLegParams(HB=0.0)}],
    "SlipLeg-v1": [{"params": SlipLegParams(thigh_length=0.04, thigh_com=0.02)}, {"speed": 1e9}],
    "Multipod-v1": [{"params": MultipodParams(n_legs=8)}, {"reset_noise": 1e300}],
    "BigAnt-v1": [{"reset_noise": 1e6}],
}
BAD_STARTS = (
    {"qvel": 1e9},
    {"qvel": np.nan},
    {"qpos": np.inf},
    {"qpos": "word"},
    {"qpos": None},
    {"qpos": [[1], [2, 3]]},
)


def refused_options(env, name):
    """Return options that a reset must refuse: every field with every wrong value, impossible machines and starts."""
    config = config_of(env)
    cases = [{"bogus": 1}, {"params": None}]
    if name in ENVIRONMENTS:
        values = {entry.name: getattr(config, entry.name) for entry in fields(config)}
        cases += [{key: wrong} for key, value in values.items() for wrong in wrong_values(value)]
        for start in BAD_STARTS:
            (key, value), size = *start.items(), env.task.model.nv if "qvel" in start else env.task.model.nq
            cases += [{key: np.full(size, value) if isinstance(value, float) else value}, {key: np.zeros(size + 1)}]
    return cases + NOT_BUILT.get(name, [])


def steps(env, rng, n=3):
    return [env.step(rng.uniform(-1, 1, env.action_space.shape))[0] for _ in range(n)]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("make", [single, pytest.param(many, marks=pytest.mark.extra)])
@pytest.mark.parametrize("name", ALL)
def test_a_refused_reset_leaves_everything_as_it_was(name, make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log file there
    mode = {"action_mode": "gait"} if name in ("Multipod-v1", "BigAnt-v1") else {}
    drawn = {"g"} & set(getattr(config_of(single(name)), "RANDOMISABLE", ()))
    drawn = {"randomise": dict.fromkeys(drawn, (0.9, 1.1))} if drawn else {}
    env, twin = make(name, **mode, **drawn), make(name, **mode, **drawn)
    for options in refused_options(env, name):  # before the first episode
        config = config_of(env)
        with pytest.raises((ValueError, TypeError)):
            env.reset(seed=9, options=options)
        assert config_of(env) is config, options
    for one in (env, twin):
        one.reset(seed=1)
        steps(one, np.random.default_rng(0))
    for options in refused_options(env, name):  # in the middle of one
        config, started = config_of(env), env.get_state()
        with pytest.raises((ValueError, TypeError)):
            env.reset(seed=9, options=options)
        assert config_of(env) is config, options
        for key, value in env.get_state().arrays.items():
            np.testing.assert_array_equal(value, started.arrays[key], err_msg=f"{key} after {options}")
    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    np.testing.assert_array_equal(steps(env, rng), steps(twin, same))
    for options in ({}, RIGHT.get(name, {})):
        np.testing.assert_array_equal(env.reset(options=options)[0], twin.reset(options=options)[0])
        np.testing.assert_array_equal(steps(env, rng), steps(twin, same))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_start_outside_the_observation_space_is_refused_by_what_would_be_observed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    env, envs = single(name), many(name)
    message = (
        r"cannot start outside its observation space: \w+ would be -?1e\+09, its bound is \d+; change qpos, qvel or"
    )
    for one in (env, envs):
        with pytest.raises(ValueError, match=message):
            one.reset(seed=0, options={"qvel": np.full(one.task.model.nv, 1e9)})
        with pytest.raises(ValueError, match=r"qpos must be finite numbers, got 'word'"):
            one.reset(seed=0, options={"qpos": "word"})
        with pytest.raises(TypeError, match="the options of a reset must be a mapping"):
            one.reset(seed=0, options=5)
    for wrong in (0.5, "ab"):
        with pytest.raises(TypeError, match="seed must be a whole number, or one for each of 2 environments, got"):
            envs.reset(seed=wrong)
    with pytest.raises(ValueError, match="qpos must have a row for each of 2 environments, or be one, got 3 rows"):
        envs.reset(options={"qpos": np.zeros((3, env.model.nq))})


@pytest.mark.parametrize(
    "name, options, message",
    [
        ("SlipLeg-v1", {"command_speed": (2.2, 3.0)}, "command_speed needs task 'commanded', here it is 'forward'"),
        (
            "HoppingLeg-v1",
            {"command_curriculum": True},
            "command_curriculum needs task 'commanded', here it is 'forward'",
        ),
        ("Multipod-v1", {"command_yaw_rate": (0.0, 0.1)}, "command_yaw_rate needs task 'commanded'"),
        ("Hexapod-v0", {"phase_spread": 0.1}, "phase_spread needs action_mode 'rate', here it is 'residual'"),
        (
            "Hexapod-v0",
            {"clock": "rhex", "action_mode": "rate"},
            "clock needs action_mode 'gait' or 'residual', here it",
        ),
    ],
)
def test_an_option_that_could_never_have_an_effect_is_refused(name, options, message):
    for make in (single, many):
        with pytest.raises(ValueError, match=message):
            make(name, **options)
    default = {option: getattr(config_of(single(name)), option) for option in options}
    single(name, **default)  # what is asked for is what is there
    env = single(name)
    for option in set(options) - set(env.config.FIXED):
        with pytest.raises(ValueError, match=message):
            env.reset(options={option: options[option]})


OF_COMMANDS = {"period": 1.5, "standing": 0.35, "curriculum": True, "speed": (0.01, 0.02), "yaw_rate": (0.01, 0.02)}


@pytest.mark.parametrize("option", OF_COMMANDS)
@pytest.mark.parametrize("name", ALL)
def test_commands_are_chosen_in_the_task_that_has_them_and_in_no_other(name, option):
    word, env = f"command_{option}", single(name)
    chosen = {word: OF_COMMANDS[option]}
    if word not in {entry.name for entry in fields(config_of(env))}:
        for make in (single, many):
            with pytest.raises(TypeError, match=f"got an unexpected keyword argument '{word}'"):
                make(name, **chosen)
        return
    message = f"{word} needs task 'commanded', here it is 'forward'"
    for make in (single, many):
        with pytest.raises(ValueError, match=message):
            make(name, **chosen)
        assert getattr(config_of(make(name, task="commanded", **chosen)), word) == OF_COMMANDS[option]
    with pytest.raises(ValueError, match=message):
        env.reset(options=chosen)
    with pytest.raises(ValueError, match="a command needs the task 'commanded'"):
        env.reset(options={"command": np.zeros(2)})


@pytest.mark.parametrize("pair", [np.array(0.3), [1.0, [2.0, 3.0]], b"ab"])
def test_what_has_no_length_or_several_is_no_pair(pair):
    with pytest.raises(ValueError, match="push_interval must be a pair of finite numbers, got"):
        single("Hexapod-v0", push_interval=pair)
    with pytest.raises(ValueError, match="observations must be a sequence of names or None, got"):
        single("Hexapod-v0", observations=pair)
