"""`HoppingLeg-v1`: what it reports is what happens, and its baseline hops."""

import gymnasium
import mujoco
import numpy as np
import pytest

import tarsus  # noqa: F401
from tarsus.analytic.models.hopping_leg import limited_torque, places
from tarsus.analytic.terrain import Pyramid, Sloped
from tarsus.controllers import raibert
from tarsus.controllers.raibert import RaibertGains
from tarsus.mjcf.hopping_leg import JOINT_RANGES

TORQUES = {"action_mode": "torque", "scaled": False, "max_episode_steps": 2000}


def make(**options):
    return gymnasium.make("HoppingLeg-v1", **{"reset_noise": 0.0} | TORQUES | options)


def test_the_baseline_hops_at_the_commanded_speed():
    env = make(max_episode_steps=10**9)
    base = env.unwrapped
    policy = raibert.policy(base.params, base.action_scale, RaibertGains(speed=1.0), fast=False)
    observation, info = env.reset(seed=0)
    rows = []
    for _ in range(round(8.0 / base.ctrl_dt)):
        observation, _, terminated, _, info = env.step(policy(observation, info))
        assert not terminated, info["termination"]
        rows.append((info["hip_position"][2], info["speed"], info["foot_contact"][0]))
    height, speed, contact = np.array(rows[len(rows) // 2 :]).T
    assert speed.mean() == pytest.approx(1.0, abs=0.15)
    assert height.max() == pytest.approx(0.4, abs=0.01)
    landings = np.count_nonzero(np.diff(contact) > 0)
    assert 7 <= landings <= 14  # in 4 s, at 0.42 s a hop


def test_what_is_reported_is_the_state():
    env = make()
    env.reset(seed=1)
    base = env.unwrapped
    for _ in range(60):
        observation, _, terminated, _, info = env.step(np.array([0.1, 0.5], np.float32))
        where = places(base.params, info["qpos"])
        np.testing.assert_array_equal(info["foot_position"], where.foot)
        np.testing.assert_array_equal(info["hip_position"], where.hip)
        np.testing.assert_allclose(observation[base.observation_slices["foot_position"]], where.leg, rtol=1e-6)
        if terminated:
            break
    assert info["distance"] == pytest.approx(base.params.LB * info["qpos"][0], abs=1e-12)


@pytest.mark.parametrize("terrain", ["stairs", Pyramid(slope=0.24)])
def test_a_foot_begins_on_the_ground_where_it_would_begin_under_it_and_else_where_it_did(terrain):
    """On the stairs the foot's nominal place is 2 cm above the ground, one standard deviation of its height."""
    env, flat, raised = make(terrain=terrain, reset_noise=0.02).unwrapped, make(reset_noise=0.02).unwrapped, 0
    for seed in range(60):
        env.reset(seed=seed), flat.reset(seed=seed)
        gaps = []
        for one in (env, flat):
            x, y, z = places(env.params, one.data.qpos).foot
            gaps.append(z - env.terrain.height(x, y))
        if gaps[1] < 0.0:
            raised += 1
            assert -1e-15 < gaps[0] < 1e-11 and env.data.qpos[1] < flat.data.qpos[1]
        others = [0, 2, 3] if gaps[1] < 0.0 else [0, 1, 2, 3]
        np.testing.assert_array_equal(env.data.qpos[others], flat.data.qpos[others])
    assert 1 <= raised <= 20


def test_ground_above_the_upright_boom_is_refused():
    with pytest.raises(ValueError, match="the foot would begin under the ground; lower the Sloped at the start"):
        make(terrain=Sloped(offset=3.0)).reset(seed=0)


def test_a_limp_leg_falls_and_says_so():
    env = make()
    env.reset(seed=0)
    for _ in range(400):
        _, _, terminated, _, info = env.step(np.zeros(2, np.float32))
        if terminated:
            break
    assert info["termination"] == "fell: the hip is less than 0.08 m above the ground"
    assert info["reward_healthy"] == 0.0


@pytest.mark.parametrize("joint, sign", [(0, 1), (0, -1), (1, 1), (1, -1)])
def test_a_joint_that_is_pushed_for_seconds_is_hardly_faster_than_its_motor_and_held_by_its_end_stop(joint, sign):
    env, action = make(max_episode_steps=10**9), np.zeros(2, np.float32)
    _, info = env.reset(options={"qpos": np.array([0.0, -0.5, 0.0, -1.0]), "qvel": np.zeros(4)})
    fastest, terminated, action[joint] = 0.0, False, sign
    while not terminated and info["time"] < 5.0:
        _, _, terminated, _, info = env.step(action)
        fastest = max(fastest, abs(info["qvel"][2 + joint]))
        low, high = JOINT_RANGES[joint]
        assert low - 0.25 < info["qpos"][2 + joint] < high + 0.25
    assert fastest < 1.1 * [40.0, 26.7][joint]


def test_the_motors_are_the_published_ones():
    """MIT's model of this drive: 18 N m up to the speed where 24 V give no more, and none at 40 rad/s."""
    env = make().unwrapped
    kt, volts, ohms, gear = 0.05, 24.0, 0.17, np.array([6.0, 9.0])
    for speed in (0.0, 20.0, 26.0, 28.0, 35.0, 40.0):
        shaft = speed * 6.0
        expected = 6.0 * min(3.0, 1.5 * kt * (volts - 2 * kt * shaft) / ohms)
        env.reset(options={"qpos": env.data.qpos.copy(), "qvel": np.array([0.0, 0.0, speed, speed * 6 / 9])})
        env.data.ctrl[:] = 100.0
        mujoco.mj_forward(env.model, env.data)
        np.testing.assert_allclose(env.data.actuator_force, expected * gear / 6.0, atol=1e-9)
        reported = limited_torque(env.params.torque_limits, np.full(2, 100.0), env.data.qvel[2:])
        np.testing.assert_allclose(reported, expected * gear / 6.0, atol=1e-9)


@pytest.mark.parametrize("speed, total", [(1.0, 1964.7), (2.0, 3894.4)])
def test_the_baseline_is_within_the_limits(speed, total):
    """Its returns are what they were before there were any."""
    weights = {"forward": 1.0, "power": -0.002, "action_change": -0.01, "healthy": 0.05}
    env = make(reset_noise=0.02, reward_weights=weights)
    base, over, rewards = env.unwrapped, False, []
    policy = raibert.policy(base.params, base.action_scale, RaibertGains(speed=speed), fast=False)
    observation, info = env.reset(seed=0)
    while not over:
        observation, reward, terminated, over, info = env.step(policy(observation, info))
        assert not terminated, info["termination"]
        rewards.append(reward)
    assert sum(rewards) == pytest.approx(total, abs=0.1)


def test_the_force_of_a_standing_leg_carries_it():
    """In a slow stance the vertical force is near the weight felt at the tip, 32 N."""
    env = make(max_episode_steps=10**9)
    base = env.unwrapped
    policy = raibert.policy(base.params, base.action_scale, RaibertGains(speed=0.0), fast=False)
    observation, info = env.reset(seed=0)
    forces = []
    for _ in range(round(4.3 / base.ctrl_dt)):
        observation, _, _, _, info = env.step(policy(observation, info))
        forces.append(info["foot_force"][0])
    mean = np.mean(forces[len(forces) // 2 :], axis=0)
    assert mean[2] == pytest.approx(32.0, rel=0.1)  # what carries the leg over whole hops is its weight
    assert np.all(np.array(forces)[:, 2] >= 0)


def test_the_force_is_observed_along_the_hips_way_and_its_components_have_names():
    env = gymnasium.make("HoppingLeg-v1", observations=("foot_force",), scaled=False).unwrapped
    env.reset(seed=0)
    for _ in range(200):
        observation, *_, info = env.step(np.full(env.action_space.shape, 0.3, np.float32))
        if info["foot_force"][0, 2] > 1:
            break
    yaw = env.task.qpos[0]
    axes = {"forward": (-np.sin(yaw), np.cos(yaw), 0), "left": (-np.cos(yaw), -np.sin(yaw), 0), "up": (0, 0, 1)}
    axes["outward"] = -np.array(axes["left"])
    expected = [np.dot(axes[said.removeprefix("foot_force.")], info["foot_force"][0]) for said in env.observation_names]
    np.testing.assert_allclose(observation, expected, rtol=1e-5, atol=1e-5)
    assert abs(yaw) > 1e-5 and np.abs(observation).min() > 1e-3


def test_options_change_the_leg_and_are_checked():
    env = make(randomise={"leg_mass": (0.5, 2.0)})
    masses = []
    for seed in (0, 1):
        env.reset(seed=seed)
        masses.append(env.unwrapped.model.body("boom").mass[0])
    assert masses[0] != masses[1]
    np.testing.assert_allclose(env.unwrapped.params.mass[1], masses[1])
    for options, message in [
        ({"task": "fly"}, "unknown task 'fly'; there are forward, commanded"),
        ({"randomise": {"LB": (1, 2)}}, "cannot randomise 'LB'; there are g, leg_mass"),
        ({"ctrl_dt": 0.0033}, "is not a multiple of the timestep"),
        ({"terrain": "moon"}, "unknown terrain 'moon'"),
        ({"observations": ("command",)}, "observation 'command' is constant here: it needs commanded"),
    ]:
        with pytest.raises(ValueError, match=message):
            make(**options)


def test_the_command_is_drawn_from_its_range():
    env = make(task="commanded", command_speed=(0.2, 0.3), command_period=0.05, command_standing=0.0)
    env.reset(seed=0)
    commands = {round(float(env.step(np.zeros(2, np.float32))[4]["command"][0]), 9) for _ in range(40)}
    assert len(commands) >= 3 and all(0.2 <= command <= 0.3 for command in commands)
