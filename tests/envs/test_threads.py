"""An environment serves one thread at a time, and says so to a second."""

import copy
import threading

import gymnasium
import numpy as np
import pytest

from tarsus.envs import ENVIRONMENTS, SURROGATES


def made(name, many):
    if many:
        return gymnasium.make_vec(name, 2, vectorization_mode="vector_entry_point")
    return gymnasium.make(name).unwrapped


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("name", [*ENVIRONMENTS, *SURROGATES])
def test_a_second_thread_is_refused_while_a_step_runs_and_served_after_it(name, many, monkeypatch):
    env, within, go_on = made(name, many), threading.Event(), threading.Event()
    env.reset(seed=0)
    state, action = env.get_state(), np.zeros(env.action_space.shape)
    simulation = env.task if name in ENVIRONMENTS else (env if many else env.vector).simulation
    work = "act" if name in ENVIRONMENTS else "step"
    given = getattr(simulation, work)

    def waits(*arguments):
        within.set()
        assert go_on.wait(60)
        return given(*arguments)

    monkeypatch.setattr(simulation, work, waits)
    thread = threading.Thread(target=env.step, args=(action,))
    thread.start()
    assert within.wait(60)
    message = r"\(\) was called while another call of this environment runs: an environment serves one thread at a time"
    try:
        for call in (lambda: env.step(action), env.reset, env.get_state, lambda: env.set_state(state)):
            with pytest.raises(RuntimeError, match=message):
                call()
    finally:
        go_on.set()
        thread.join(60)
    env.set_state(state)
    env.step(action)


def test_a_refused_action_ends_its_turn_and_a_copy_is_free():
    for many in (False, True):
        env = made("Hexapod-v0", many)
        env.reset(seed=0)
        action = np.zeros(env.action_space.shape)
        with pytest.raises(ValueError, match="must be finite"):
            env.step(action + np.nan)
        env.step(action)
        env._busy = True  # as if another thread stepped it meanwhile
        copy.deepcopy(env).step(action)
