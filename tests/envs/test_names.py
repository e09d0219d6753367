"""Names: the same of every machine, for whoever makes an environment, steps it or draws its robots at random."""

import gymnasium
import numpy as np
import pytest

from tarsus.envs import ENVIRONMENTS, SURROGATES

ALL = (*ENVIRONMENTS, *SURROGATES)
SHARED = {"g", "friction_coeff", "body_mass", "leg_mass", "leg_k", "leg_d", "max_torque", "max_speed", "KP", "KD"}


def many(name, **options):
    return gymnasium.make_vec(name, 2, vectorization_mode="vector_entry_point", **options)


@pytest.mark.parametrize("name", ALL)
def test_single_and_vector_environments_say_the_same_of_what_they_observe_and_take(name):
    envs, env = many(name), gymnasium.make(name).unwrapped
    for one in (envs, env):
        (n_observed,), (n_actions,) = env.observation_space.shape, env.action_space.shape
        assert len(one.observation_names) == len(set(one.observation_names)) == n_observed
        assert len(one.action_names) == len(set(one.action_names)) == n_actions
        parts = one.observation_slices.values()
        assert [part.start for part in parts] == [0, *(part.stop for part in parts)][:-1]
        assert max(part.stop for part in parts) == n_observed
        for entry, part in one.observation_slices.items():
            assert all(said.partition(".")[0] == entry for said in one.observation_names[part])
        assert np.all(np.asarray(one.action_scale) > 0) and np.shape(one.action_scale) in ((), (n_actions,))
    for said in ("observation_names", "action_names", "observation_slices", "ctrl_dt"):
        assert getattr(envs, said) == getattr(env, said)
    np.testing.assert_array_equal(envs.action_scale, env.action_scale)
    env.reset(seed=0)
    assert env.step(np.zeros(env.action_space.shape))[4]["time"] == pytest.approx(envs.ctrl_dt)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_parameters_that_machines_share_have_one_name(name):
    env = gymnasium.make(name).unwrapped
    known = env.config.randomisable()
    words = ("friction", "base_mass", "segment_mass", "leaf", "rho_k", "rho_d")
    assert not [said for said in set(known) - SHARED if said.startswith(words)]
    for field in known.values():
        assert hasattr(env.params, field)


def test_an_entry_of_ones_own_may_have_the_old_name_of_a_parameter():
    env = gymnasium.make("Hexapod-v0", observe={"rho_k": (1, 10.0, lambda task: task.height)}, privileged=("rho_k",))
    assert list(env.unwrapped.task.privileged_slices) == ["rho_k"]
