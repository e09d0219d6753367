"""A state restored goes on to the bit: the same environment or another, one simulation or many, whole or chosen.

Every environment is tested with everything it can observe (see conftest.py); VARIANTS are tested besides.
"""

import copy
import pickle
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from tarsus.analytic.models.multipod import MultipodParams
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
    ("HoppingLeg-v1", {"randomise": {"leg_mass": (0.8, 1.2), "resistance": (0.8, 1.2)}}),
    ("HoppingLeg-v1", {"engine": "exact"}),
    ("Dog-v0", {"engine": "exact", "randomise": {"mass": (0.8, 1.2)}}),
    ("SlipLeg-v1", {"terrain": "rough", "task": "commanded"}),
    ("SlipLeg-v1", {"action_mode": "position", "randomise": {"friction_coeff": (0.5, 1.0)}, "terrain": "step"}),
    ("Multipod-v1", {"randomise_contact": True}),
    ("SlipLeg-v1", {"randomise_contact": True, "randomise": {"friction_coeff": (0.5, 1.0)}, "terrain": "rough"}),
    ("Multipod-v1", {"n_legs": 4, "randomise": {"KP": (0.5, 2.0)}}),
    ("BigAnt-v1", {"action_mode": "torque", "randomise": {"leg_k": (0.8, 1.2)}}),
    *[("MultipodQuasistatic-v1", {"law": law, "n_legs": 8}) for law in ("viscous", "coulomb")],
    ("MultipodQuasistatic-v1", {"law": "coulomb", "n_legs": 8}),
    ("Multipod-v1", {"task": "commanded", "command_period": 0.04}),
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
    mode = "SameStep" if name == "SlipLeg-v1" else "NextStep"
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
    ant = single("BigAnt-v1")
    ant.reset(seed=0)
    with pytest.raises(ValueError, match="of another environment: of BigAnt, not Hexapod"):
        envs.set_state(ant.get_state())
    with pytest.raises(ValueError, match="the state is of 3 simulations and cannot be restored in 1;"):
        env.set_state(envs.get_state())
    with pytest.raises(ValueError, match="the state is of 2 simulations and cannot be restored in 3;"):
        envs.set_state(envs.get_state(indices=[0, 1]))
    for indices, message in [
        ([0, 3], "indices of 3 environments must lie from 0 to 2"),
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


def edited(state, **changes):
    """Return a state with other arrays."""
    return replace(state, arrays=state.arrays | changes)


def without(state, name):
    return replace(state, arrays={key: array for key, array in state.arrays.items() if key != name})


def with_nan(state, name):
    array = state.arrays[name].copy()
    array.ravel()[-1] = np.nan
    return edited(state, **{name: array})


WRONG = {
    "no array": (lambda s: without(s, "velocity"), r"missing are \['velocity'\], unknown \[\]"),
    "one more": (lambda s: edited(s, wings=np.zeros((1, 2))), r"missing are \[\], unknown \['wings'\]"),
    "too short": (
        lambda s: edited(s, physics=s.arrays["physics"][:, :-1]),
        r"'physics' of this state must be an array of float64, shape \(1, \d+\), got float64 of shape \(1, \d+\)",
    ),
    "too many rows": (
        lambda s: edited(s, steps=np.zeros(2, int)),
        r"'steps' .* shape \(1,\), got int64 of shape \(2,\)",
    ),
    "another kind": (lambda s: edited(s, over=np.zeros(1)), r"'over' of .* array of bool, shape \(1,\), got float64"),
    "a list": (lambda s: edited(s, over=[False]), r"'over' of .* array of bool, shape \(1,\), got \[False\]"),
    "NaN": (lambda s: with_nan(s, "physics"), "'physics' of a state must be finite"),
    "infinite": (lambda s: edited(s, action=s.arrays["action"] + np.inf), "'action' of a state must be finite"),
    "NaN of the endless": (lambda s: with_nan(s, "held"), "'held' of a state must be finite or [+]inf"),
    "nothing in them": (
        lambda s: replace(s, arrays=dict.fromkeys(s.arrays)),
        r"'\w+' of this state must be an array .* got None",
    ),
    "no arrays": (lambda s: replace(s, arrays=None), "arrays of a state is a dict, got NoneType"),
    "drawn": (lambda s: replace(s, drawn=((1, 2, 3),)), "the draws of this state's episodes must be nothing, got"),
    "drawn by none": (lambda s: replace(s, drawn=(None,)), "the draws of this state's episodes must be nothing, got"),
    "never reset": (
        lambda s: replace(s, randoms=(None,)),
        "randoms of a state must be those of a PCG64, got None",
    ),
    "another generator": (
        lambda s: replace(s, randoms=(np.random.MT19937(0).state,)),
        "randoms of a state must be those of a PCG64",
    ),
    "half a generator": (
        lambda s: replace(s, randoms=({"bit_generator": "PCG64"},)),
        "randoms of a state must be those of a PCG64",
    ),
}


@pytest.mark.parametrize("mutate, message", WRONG.values(), ids=WRONG)
def test_a_state_that_was_edited_is_refused_with_the_entry_and_what_is_expected(mutate, message):
    env, envs = single("Hexapod-v0"), many("Hexapod-v0", 2)
    for one in (env, envs):
        one.reset(seed=0)
        one.step(np.zeros(one.action_space.shape))
    state = env.get_state()
    wrong = mutate(state)
    for one in (env, envs):
        kept = one.get_state()
        with pytest.raises(ValueError, match=message):
            one.set_state(wrong)
        assert_alike([flat(one.get_state().arrays)], [flat(kept.arrays)])
        one.set_state(state)


def test_a_state_cannot_be_edited_in_place():
    env = single("Hexapod-v0")
    env.reset(seed=0)
    state = env.get_state()
    with pytest.raises(ValueError, match="read-only"):
        state.arrays["physics"][0, 3] = np.nan
    state.arrays["physics"] = state.arrays["physics"] * np.nan
    with pytest.raises(ValueError, match="'physics' of a state must be finite"):
        env.set_state(state)


def test_what_episodes_draw_and_are_delayed_by_is_looked_at_too():
    env = single("Hexapod-v0", randomise_contact=True, action_delay=(0, 2))
    env.reset(seed=0)
    state = env.get_state()
    with pytest.raises(ValueError, match="episodes must be HexapodParams, Flat, Preset of each simulation, got"):
        env.set_state(replace(state, drawn=()))
    with pytest.raises(ValueError, match=r"delays of a state must lie from 0 to 2 periods, got \[9\]"):
        env.set_state(edited(state, **{"delay.periods": np.array([9])}))
    env.set_state(state)


@pytest.mark.extra  # the exact engine is compiled
def test_a_state_of_the_exact_engine_cannot_be_edited():
    env = single("Hexapod-v0", engine="exact")
    env.reset(seed=0)
    state = env.get_state()
    damaged = state.arrays["physics"].copy()
    damaged[0, 400] ^= 1
    with pytest.raises(ValueError, match="'physics' of a state is not what the exact engine wrote"):
        env.set_state(edited(state, physics=damaged))
    env.set_state(state)


def test_a_robot_that_stands_no_more_is_restored_as_it_was():
    """Without equilibrium the surrogate knows neither posture nor forces."""
    options = {"action_mode": "velocity", "scaled": False, "reset_noise": 1.0}
    env = single("MultipodQuasistatic-v1", params=MultipodParams(n_legs=4, roll_range=1.3), **options)
    env.reset(seed=21)  # all its left legs are in the air
    state = env.get_state()
    assert np.isnan(state.arrays["posture"]).all()
    expected = run(env)
    env.set_state(state)
    assert_alike(run(env), expected)
    env.set_state(state)
    for _ in range(3):  # the rates of its tilt are not known before the second step
        assert np.isfinite(env.step(np.ones(env.action_space.shape))[0]).all()
    env.reset(seed=20)
    stands = env.get_state()
    assert np.isfinite(stands.arrays["posture"]).all()
    with pytest.raises(ValueError, match="must be finite where its robot has an equilibrium"):
        env.set_state(edited(stands, posture=state.arrays["posture"]))
