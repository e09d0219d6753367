"""A state restored goes on to the bit: the same environment or another, one simulation or many, whole or chosen.

Every environment is tested with everything it can observe (see conftest.py); VARIANTS are tested besides.
"""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

from tarsus.envs import ENVIRONMENTS, SURROGATES

VARIANTS = [
    ("Hexapod-v0", {}),
    ("Hexapod-v0", {"action_mode": "torque", "terrain": "sinusoid"}),
    ("Hexapod-v0", {"task": "commanded", "command_period": 0.1, "preset": "reference", "terrain": "slope"}),
    (
        "Hexapod-v0",
        {"randomise": {"body_mass": (0.8, 1.2), "max_torque": (0.5, 1.5), "KP": (0.5, 1.5), "rho_r0": (0.9, 1.1)}},
    ),
    (
        "Hexapod-v0",
        {
            **{"task": "commanded", "command_curriculum": True, "command_period": 0.04, "command_standing": 1.0},
            **{"terrain": "terraces", "terrain_curriculum": True, "terrain_distance": 0.004},
        },
    ),
    ("HoppingLeg-v0", {"randomise": {"mass": (0.8, 1.2), "resistance": (0.8, 1.2)}}),
    ("SlipLeg-v0", {"action_mode": "position", "randomise": {"friction": (0.5, 1.0)}, "terrain": "step"}),
    ("Multipod-v0", {"randomise_contact": True}),
    ("SlipLeg-v0", {"randomise_contact": True, "randomise": {"friction": (0.5, 1.0)}, "terrain": "rough"}),
    ("Multipod-v0", {"n_legs": 4, "randomise": {"KP": (0.5, 2.0)}}),
    ("BigAnt-v0", {"action_mode": "torque", "randomise": {"leg_k": (0.8, 1.2)}}),
    *[("MultipodQuasistatic-v0", {"law": law, "n_legs": 8}) for law in ("viscous", "coulomb")],
]
ALL = [*ENVIRONMENTS, *SURROGATES]


def single(name, **options):
    return gymnasium.make(name, **options).unwrapped


def many(name, n=2, mode="NextStep", **options):
    return gymnasium.make_vec(
        name, n, vectorization_mode="vector_entry_point", autoreset_mode=mode, max_episode_steps=5, **options
    )


def flat(values):
    """Return all that a step or a reset gave as one list of arrays."""
    if isinstance(values, dict):
        return [array for key in sorted(values) for array in flat(values[key])]
    if isinstance(values, tuple) or getattr(values, "dtype", None) == np.dtype(object):
        return [array for one in values for array in flat(one)]
    return [np.array(values)]


def assert_alike(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        assert len(a) == len(b)
        for mine, theirs in zip(a, b, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def run(env, n_steps=4, seed=3):
    """Return everything that random actions give."""
    rng = np.random.default_rng(seed)
    return [flat(env.step(rng.uniform(-1, 1, env.action_space.shape))) for _ in range(n_steps)]


def run_into_next_episode(env):
    return [*run(env), flat(env.reset()), *run(env, 2)]


def test_a_restored_simulation_goes_on_to_the_bit(name, options):
    env = single(name, **options)
    env.reset(seed=5)
    if name in ENVIRONMENTS:
        env.reset(options={"qpos": env.data.qpos + 0.01})  # every distance begins elsewhere
    run(env, 3, seed=0)
    state = env.get_state()
    expected = run_into_next_episode(env)
    env.set_state(state)
    assert_alike(run_into_next_episode(env), expected)
    other = single(name, **options)  # which has never been reset
    other.set_state(pickle.loads(pickle.dumps(state)))
    assert_alike(run_into_next_episode(other), expected)


def test_random_numbers_that_the_user_drew_are_drawn_again():
    for name in ALL:
        env = single(name)
        env.reset(seed=0)
        env.get_state()
        env.np_random.uniform()
        state = env.get_state()
        drawn = env.np_random.uniform()
        env.set_state(state)
        assert env.np_random.uniform() == drawn


def test_restored_and_copied_simulations_go_on_to_the_bit_into_their_next_episodes(name, options):
    mode = "SameStep" if name == "SlipLeg-v0" else "NextStep"
    envs, other = many(name, mode=mode, **options), many(name, mode=mode, **options)
    assert copy.deepcopy(envs).num_envs == 2  # one that was never reset
    envs.reset(seed=5)
    run(envs, 3, seed=0)
    state, copied, pickled = envs.get_state(), copy.deepcopy(envs), pickle.dumps(envs)
    expected = run(envs)
    for one in (envs, other):
        one.set_state(state)
        assert_alike(run(one), expected)
    for one in (copied, pickle.loads(pickled)):
        assert_alike(run(one), expected)


def test_chosen_simulations_are_restored_and_one_serves_many(name, options):
    envs, twin, env = many(name, 3, **options), many(name, 3, **options), single(name, **options)
    for one in (envs, twin):
        one.reset(seed=5)
        run(one, 1, seed=0)
    state = envs.get_state(indices=[2, 0])
    actions = np.random.default_rng(1).uniform(-1, 1, envs.action_space.shape)
    first, *_ = envs.step(actions)
    twin.step(actions)
    envs.set_state(state, indices=[0, 1])
    actions = actions[[2, 0, 1]]
    again, untouched = envs.step(actions)[0], twin.step(actions)[0]
    np.testing.assert_array_equal(again, [first[2], first[0], untouched[2]])

    state, first_only = envs.get_state(), {"reset_mask": np.array([True, False, False])}
    expected = flat(envs.reset(options=first_only))  # which shows the others as they are
    envs.step(-actions)
    envs.set_state(state)
    assert_alike([flat(envs.reset(options=first_only))], [expected])

    env.set_state(envs.get_state(indices=[1]))
    start = env.get_state()
    envs.set_state(start)
    together, *_ = envs.step(actions)
    for sim, action in enumerate(actions):
        env.set_state(start)
        np.testing.assert_array_equal(env.step(action)[0], together[sim])


def test_what_is_no_state_of_this_environment_is_refused():
    env, envs = single("Hexapod-v0"), many("Hexapod-v0", 3)
    for one in (env, envs):
        with pytest.raises(gymnasium.error.ResetNeeded, match="no state before the first reset"):
            one.get_state()
        one.reset(seed=0)
        with pytest.raises(TypeError, match="takes what get_state returned, got ndarray"):
            one.set_state(np.zeros(3))
    rough = single("Hexapod-v0", terrain="rough", reward_weights={"power": -1.0})
    rough.reset(seed=0)
    with pytest.raises(ValueError, match="environment with other options: terrain, reward_weights"):
        env.set_state(rough.get_state())
    ant = single("BigAnt-v0")
    ant.reset(seed=0)
    with pytest.raises(ValueError, match="of another environment: of BigAnt, not Hexapod"):
        envs.set_state(ant.get_state())
    with pytest.raises(ValueError, match="the state is of 3 simulations and cannot be restored in 1;"):
        env.set_state(envs.get_state())
    with pytest.raises(ValueError, match="the state is of 2 simulations and cannot be restored in 3;"):
        envs.set_state(envs.get_state(indices=[0, 1]))
    for indices, message in [
        ([0, 3], "indices of 3 environments lie from 0 to 2"),
        ([-1], "lie from 0 to 2"),
        ([1, 1], "different whole numbers"),
        ([0.5], "different whole numbers"),
        (1, "different whole numbers"),
        ([], "different whole numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            envs.get_state(indices=indices)
        with pytest.raises(ValueError, match=message):
            envs.set_state(env.get_state(), indices=indices)


def test_equal_options_are_the_same_however_they_are_written():
    written = dict(reward_weights={"power": -1}, randomise={"body_mass": (0.5, 2)}, command_speed=[0, 0.5])
    again = dict(reward_weights={"power": -1.0}, randomise={"body_mass": [0.5, 2.0]}, command_speed=(0.0, 0.5))
    env, other = single("Hexapod-v0", **written), single("Hexapod-v0", **again)
    env.reset(seed=0)
    other.set_state(env.get_state())
    assert_alike(run(env), run(other))
