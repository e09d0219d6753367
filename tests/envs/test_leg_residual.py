"""The legs' action mode "residual": zero is the baseline, and what an action adds to it; end stops."""

import gymnasium
import numpy as np
import pytest

import tarsus  # noqa: F401
from tarsus.controllers import raibert, slip
from tarsus.envs.hopping_leg import HoppingLegConfig
from tarsus.envs.slip_leg import SlipLegConfig
from tarsus.mjcf import hopping_leg, slip_leg

LEGS = ("HoppingLeg-v1", "SlipLeg-v1")
SPEEDS = {  # of the action zero in 20 s, in MuJoCo and the exact engine [m/s]; the difference is that of the contacts
    "HoppingLeg-v1": (1.066, 1.116),
    "SlipLeg-v1": (2.445, 2.451),
}


def make(name, **options):
    return gymnasium.make(name, **options).unwrapped


def many(name, actions, n, n_steps, **options):
    """Return mean reward a step, mean speed [m/s], and how many episodes of n simulations fell."""
    envs = gymnasium.make_vec(
        name,
        n,
        vectorization_mode="vector_entry_point",
        max_episode_steps=n_steps,
        autoreset_mode="SameStep",
        **options,
    )
    envs.reset(seed=0)
    earned, speeds, fell = 0.0, [], 0
    for k in range(n_steps):
        _, rewards, terminated, _, infos = envs.step(actions(k))
        earned, fell = earned + rewards.sum(), fell + np.count_nonzero(terminated)
        speeds.append(infos["speed"])
    return earned / (n * n_steps), np.mean(speeds[:-1]), fell


@pytest.mark.parametrize("name", LEGS)
def test_nothing_asked_is_the_baseline_which_earns_one_a_step_and_does_not_fall(name):
    earned, speed, fell = many(name, lambda k: np.zeros((2, 3)), 2, 1000)
    assert 0.95 <= earned <= 1.05 and not fell
    assert speed == pytest.approx(SPEEDS[name][0], rel=0.01)


@pytest.mark.extra
@pytest.mark.parametrize("name", LEGS)
def test_the_first_actions_of_a_policy_that_learns_pay(name):
    """Normal, clipped ones, of which a policy that never learned lived for a quarter of a second in -v0."""
    rng = np.random.default_rng(0)
    earned, _, fell = many(name, lambda k: np.clip(rng.standard_normal((10, 3)), -1, 1), 10, 1000)
    assert earned > 0.8
    assert name == "SlipLeg-v1" or not fell


@pytest.mark.parametrize("name, faster", [*zip(LEGS, (1.4, 1.1), strict=True)])
def test_tempo_is_a_factor_on_the_speed(name, faster):
    speeds = [many(name, lambda k, a=a: np.array([[0.0, 0.0, a]]), 1, 400)[1] for a in (-1.0, 0.0, 1.0)]
    assert speeds[1] > 1.1 * speeds[0] and speeds[2] > faster * speeds[1]


@pytest.mark.extra  # it compiles both legs
@pytest.mark.parametrize("name", LEGS)
def test_the_exact_engine_runs_at_the_speed_of_mujocos(name):
    _, speed, fell = many(name, lambda k: np.zeros((1, 3)), 1, 1000, engine="exact")
    assert not fell and speed == pytest.approx(SPEEDS[name][1], rel=0.01)


@pytest.mark.extra
@pytest.mark.parametrize("name", LEGS)
def test_zero_is_what_the_controller_does_as_a_policy_in_the_mode_torque(name):
    """Their torques differ by the rounding of an action to float32, which a second's stances let grow."""
    env = make(name, reset_noise=0.0)
    twin = make(name, reset_noise=0.0, action_mode="torque")
    if name == "HoppingLeg-v1":
        policy = raibert.policy(twin.params, twin.action_scale, raibert.RaibertGains(speed=1.0), fast=False)
    else:
        policy = slip.policy(twin.params, twin.action_scale, slip.SlipControl(energy_gain=0.5), hold=twin.ctrl_dt)
    env.reset(seed=0)
    observation, info = twin.reset(seed=0)
    for _ in range(40):
        *_, mine = env.step(np.zeros(3))
        while info["time"] < mine["time"] - 1e-9:
            observation, *_, info = twin.step(policy(observation, info))
        np.testing.assert_allclose(mine["qpos"], info["qpos"], atol=1e-4)


def test_corrections_and_tempo_follow_with_their_lags():
    env = make("HoppingLeg-v1", residual_lag=0.05, tempo_lag=0.3, scaled=False)
    env.reset(seed=0)
    at = env.observation_slices
    for k in range(1, 5):
        observation = env.step(np.array([1.0, -0.5, 1.0]))[0]
        followed = 1.0 - np.exp(-0.02 * k / 0.05)
        np.testing.assert_allclose(observation[at["correction"]], [followed, -0.5 * followed], rtol=1e-6)
        np.testing.assert_allclose(observation[at["tempo"]], 1.0 - np.exp(-0.02 * k / 0.3), rtol=1e-6)


def test_a_correction_is_a_share_of_the_largest_torque():
    """At the first sample: the same leg with and without a correction that has come whole."""
    torques = []
    for action in (0.0, 1.0):
        env = make("HoppingLeg-v1", residual_lag=1e-9, reset_noise=0.0, ctrl_dt=0.005)
        env.reset(seed=0)
        torques.append(env.step(np.array([action, -action, 0.0]))[4]["torque"])
    change = env.action_scale[:2]
    np.testing.assert_allclose(np.diff(torques, axis=0)[0], [change[0], -change[1]], rtol=1e-9)
    np.testing.assert_allclose(change, 0.2 * env.params.rated_torque)


@pytest.mark.parametrize("name, command", [*zip(LEGS, (0.5, 2.1), strict=True)])
def test_the_baseline_follows_the_command(name, command):
    env = make(name, task="commanded", command_period=1e6)
    env.reset(seed=0, options={"command": [command]})
    way = [env.step(np.zeros(3))[4]["distance"] for _ in range(500)]
    assert (way[-1] - way[249]) / 5.0 == pytest.approx(command, abs=0.15)


@pytest.mark.extra  # the exact engine is compiled
def test_the_controller_of_the_slip_leg_knows_the_ground_below_its_foot():
    for engine in ("mujoco", "exact"):
        env = make("SlipLeg-v1", terrain="slope", engine=engine)
        env.reset(seed=0)
        for _ in range(150):
            *_, terminated, _, info = env.step(np.zeros(3))
            assert not terminated, info["termination"]


@pytest.mark.parametrize("name", LEGS)
def test_a_state_with_a_phase_that_the_controller_has_not_is_refused(name):
    env = make(name)
    env.reset(seed=0)
    env.step(np.zeros(3))
    state = env.get_state()
    state.arrays["law.phase"] = np.array([7])
    with pytest.raises(ValueError, match="the phases of a state must lie from -1 to"):
        env.set_state(state)


@pytest.mark.parametrize("config", [HoppingLegConfig, SlipLegConfig])
def test_options_without_effect_and_impossible_ones_are_refused(config):
    for options, message in [
        ({"action_mode": "torque", "tempo_lag": 3.0}, "tempo_lag needs action_mode 'residual', here it is 'torque'"),
        ({"residual_range": 0.0}, "residual_range must be positive"),
        ({"tempo_range": 1e300}, r"tempo_range must be at most 1e\+06"),
        ({"ctrl_dt": 0.013}, "control period 0.013 s is not a multiple of the controller's period"),
    ]:
        with pytest.raises(ValueError, match=message):
            config(**options)


@pytest.mark.extra  # each exact engine of theirs is compiled for a minute
@pytest.mark.parametrize("name, model", [*zip(LEGS, (hopping_leg, slip_leg), strict=True)])
@pytest.mark.parametrize("action", [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)])
def test_end_stops_are_the_same_springs_in_both_engines(name, model, action):
    """The joints are driven into them in the air; MuJoCo's steps of the preset `reference` see the same motion."""
    states = []
    for engine in ("mujoco", "exact"):
        env = make(name, action_mode="torque", engine=engine, preset="reference", reset_noise=0.0, ctrl_dt=0.005)
        env.reset(seed=0)
        qpos = np.array([0.0, -0.6, 0.6, -1.2]) if name == "HoppingLeg-v1" else np.array([0.0, 1.2, 0.6, -1.2])
        env.reset(seed=0, options={"qpos": qpos, "qvel": np.zeros(4)})
        states.append([env.step(np.array(action))[4]["qpos"] for _ in range(16)])
    ours, exact = np.array(states)[:, :, 2:]
    np.testing.assert_allclose(ours, exact, atol=5e-3)
    low, high = np.array(model.JOINT_RANGES).T
    assert np.any((ours < low) | (ours > high)) and np.all((ours > low - 0.35) & (ours < high + 0.35))
