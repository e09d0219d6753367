"""`SlipLeg-v1`: its actions, rewards, terminations and options, and the SLIP controller as its policy."""

import gymnasium
import mujoco
import numpy as np
import pytest

import tarsus  # noqa: F401
from tarsus.analytic.models.slip_leg import SlipLegParams, apex_state
from tarsus.controllers import slip
from tarsus.envs.slip_leg import OBSERVATIONS, SCAN, START_LEG
from tarsus.mjcf.slip_leg import JOINT_RANGES, SPEED_LINES, TORQUE_LIMITS

TORQUES = {"action_mode": "torque", "scaled": False, "max_episode_steps": 5000}


def make(**options):
    return gymnasium.make("SlipLeg-v1", **TORQUES | {"reset_noise": 0.0} | options)


@pytest.mark.extra
def test_the_slip_controller_is_a_policy_that_runs():
    env = make()
    base, control = env.unwrapped, slip.SlipControl(energy_gain=0.5)
    policy = slip.policy(base.params, base.action_scale, control, hold=base.ctrl_dt)
    for _ in range(2):  # a second episode starts it anew
        observation, info = env.reset(seed=0)
        heights, rewards = [], []
        for _ in range(2500):
            observation, reward, terminated, _, info = env.step(policy(observation, info))
            assert not terminated
            heights.append(observation[0])
            rewards.append(reward)
    assert info["distance"] == pytest.approx(5.0 * 2.5, rel=0.03)
    assert np.mean(rewards) == pytest.approx(1.0, abs=0.1)  # as its weights are to give
    assert 0.6 < min(heights) and max(heights) < 0.8


def test_a_foot_begins_on_the_ground_where_it_would_begin_under_it_and_else_where_it_did():
    low, high = (make(apex_height=height).unwrapped for height in (0.2, 0.62))
    for env in (low, high):
        env.reset(seed=0)
        mujoco.mj_kinematics(env.model, env.data)
    toe = low.data.site_xpos[low.model.site("foot_0").id]
    assert toe[2] == pytest.approx(0.0, abs=1e-15) and high.data.qpos[1] - low.data.qpos[1] < 0.62 - 0.2 - 0.1
    np.testing.assert_array_equal(np.delete(low.data.qpos, 1), np.delete(high.data.qpos, 1))
    start = apex_state(high.params, 0.62, high.config.speed, *START_LEG)
    np.testing.assert_array_equal(high.data.qpos, start[:4])


@pytest.mark.parametrize("joint, sign", [(0, 1), (0, -1), (1, 1), (1, -1)])
def test_a_joint_that_is_pushed_for_seconds_is_hardly_faster_than_its_motor_and_held_by_its_end_stop(joint, sign):
    """A joint that is not driven may be thrown a little beyond its motor's speed by the other's motion."""
    env, action = make(), np.zeros(2, np.float32)
    env.reset(options={"qpos": np.array([0.0, 40.0, 0.0, -1.0]), "qvel": np.zeros(4)})
    fastest, terminated, time, action[joint] = 0.0, False, 0.0, sign
    while not terminated and time < 5.0:
        _, _, terminated, _, info = env.step(action)
        time, fastest = info["time"], max(fastest, abs(info["qvel"][2 + joint]))
        low, high = JOINT_RANGES[joint]
        assert low - 0.15 < info["qpos"][2 + joint] < high + 0.15
    assert fastest < 1.1 * SPEED_LINES[joint][1]


@pytest.mark.parametrize("mode", ["torque", "position"])
def test_torque_falls_with_speed(mode):
    """From the peak, past the corner of the line, to nothing at the no-load speed; braking is bounded by the peak."""
    env = make(action_mode=mode).unwrapped
    for k, (peak, (stall, no_load)) in enumerate(zip(TORQUE_LIMITS, SPEED_LINES, strict=True)):
        corner = no_load * (1 - peak / stall)
        for speed, most in [(0, peak), (corner, peak), (0.5 * (corner + no_load), 0.5 * peak), (no_load, 0.0)]:
            qvel = np.zeros(4)
            qvel[2 + k] = speed
            env.reset(options={"qpos": np.array([0.0, 40.0, -60.0, -60.0]), "qvel": qvel})
            env.data.ctrl[:] = env.model.actuator_ctrlrange[:, 1]
            mujoco.mj_forward(env.model, env.data)
            assert env.data.actuator_force[k] == pytest.approx(most, abs=1e-9)
            env.task.action[:] = 1.0
            env.task.refresh()
            assert env.task.torque[k] == pytest.approx(most, abs=1e-9)
            env.data.qvel[2 + k] *= -1
            mujoco.mj_forward(env.model, env.data)
            assert env.data.actuator_force[k] == pytest.approx(peak, abs=1e-9)


def test_the_baseline_is_within_the_limits(monkeypatch):
    """Limits ten times as wide change nothing but the last digits, which the sampled controller amplifies."""
    states = []
    for wide in (1.0, 10.0):
        lines = tuple((wide * stall, wide * speed) for stall, speed in SPEED_LINES)
        monkeypatch.setattr("tarsus.mjcf.slip_leg.SPEED_LINES", lines)
        env = make(terrain="rough", reset_noise=0.01).unwrapped
        policy = slip.policy(env.params, env.action_scale, slip.SlipControl(energy_gain=0.5), hold=env.ctrl_dt)
        observation, info = env.reset(seed=0)
        for _ in range(1000):
            observation, _, terminated, _, info = env.step(policy(observation, info))
            assert not terminated, info["termination"]
        states.append(info["qpos"])
    np.testing.assert_allclose(*states, atol=1e-6)


def test_an_action_of_one_is_the_torque_limit():
    env = make()
    env.reset(seed=0)
    info = env.step(np.array([0.5, -0.2], np.float32))[4]
    np.testing.assert_allclose(info["torque"], [0.5 * TORQUE_LIMITS[0], -0.2 * TORQUE_LIMITS[1]], rtol=1e-6)
    np.testing.assert_allclose(env.unwrapped.data.actuator_force, info["torque"], rtol=1e-6)


def test_position_actions_are_set_points():
    env = make(action_mode="position", ctrl_dt=0.01)
    _, info = env.reset(seed=0, options={"qpos": np.array([0.0, 20.0, 0.0, -1.0]), "qvel": np.zeros(4)})
    for _ in range(100):
        info = env.step(np.zeros(2))[4]
    np.testing.assert_allclose(info["qpos"][2:], [0.2, -1.35], atol=0.02)  # the middle of the joints' ranges
    np.testing.assert_allclose(info["torque"], env.unwrapped.data.actuator_force, atol=2.0)


def test_rewards_are_what_their_names_say():
    env = make(reward_weights={"healthy": 2.0})
    env.reset(seed=0)
    _, before = env.reset(seed=0)
    _, reward, _, _, info = env.step(np.array([0.1, 0.1]))
    speed = (info["qpos"][0] - before["qpos"][0]) / 0.002
    assert info["reward_forward"] == pytest.approx(0.8 / 2.45 * speed) and info["speed"] == pytest.approx(speed)
    assert info["reward_power"] == pytest.approx(-0.05 / 1339.0 * np.abs(info["torque"] * info["qvel"][2:]).sum())
    assert info["reward_action_change"] == pytest.approx(-0.02 * 0.01) and info["reward_healthy"] == 2.0
    assert reward == pytest.approx(sum(v for k, v in info.items() if k.startswith("reward_")))


def test_the_commanded_task_rewards_the_commanded_speed():
    env = make(task="commanded", command_speed=(2.5, 2.5))
    observation, _ = env.reset(seed=0)
    assert observation[env.unwrapped.observation_slices["command"]] == 2.5
    assert env.step(np.zeros(2))[4]["reward_speed"] == pytest.approx(1.0, abs=1e-3)
    env = make(task="commanded", command_speed=(1.5, 1.5))
    env.reset(seed=0)
    assert env.step(np.zeros(2))[4]["reward_speed"] == pytest.approx(np.exp(-4.0), abs=2e-3)


def test_a_limp_leg_falls_and_earns_no_survival_bonus():
    env = make()
    env.reset(seed=0)
    for _ in range(500):
        _, _, terminated, _, info = env.step(np.zeros(2))
        if terminated:
            break
    assert info["termination"].startswith("fell: the base is less than 0.3 m") and info["reward_healthy"] == 0.0


def test_standing_foot_carries_the_weight():
    """Held still over its foot by strong servos, the ground carries the leg's weight."""
    env = make(action_mode="position")
    qpos = np.array([0.0, 0.78 * np.cos(0.0), 0.27, -0.54])
    qpos[1] = 0.8 * np.cos(0.27)
    qpos[0] = 0.0
    env.reset(seed=0, options={"qpos": qpos, "qvel": np.zeros(4)})
    action = 2 * (qpos[2:] - [-1.8, -2.7]) / [4.0, 2.7] - 1
    forces = []
    for _ in range(60):
        info = env.step(action)[4]
        forces.append(info["foot_force"][0, 2])
    assert info["foot_contact"][0] and np.mean(forces[10:]) == pytest.approx(98.1, rel=0.15)


def test_options_of_reset_hold_and_unknown_ones_are_refused():
    env = make()
    env.reset(seed=0, options={"apex_height": 0.7, "speed": 1.0})
    height = env.unwrapped.data.subtree_com[0][2]
    assert height == pytest.approx(0.7)
    env.reset(seed=0)
    assert env.unwrapped.data.subtree_com[0][2] == pytest.approx(0.7)
    with pytest.raises(ValueError, match="unknown option 'colour'"):
        env.reset(options={"colour": "red"})
    with pytest.raises(ValueError, match="qpos must be finite and of shape"):
        env.reset(options={"qpos": np.zeros(3)})
    with pytest.raises(ValueError, match="cannot put its foot"):
        env.reset(options={"params": SlipLegParams(thigh_length=0.04, thigh_com=0.02)})


@pytest.mark.parametrize(
    "options, message",
    [
        ({"task": "fly"}, "unknown task 'fly'; there are forward, commanded"),
        ({"action_mode": "gait"}, "unknown action_mode 'gait'; there are torque, position"),
        ({"randomise": {"length": (1, 2)}}, "cannot randomise 'length'"),
        ({"randomise": {"g": (2, 1)}}, "0 < low <= high"),
        ({"reward_weights": {"fun": 1}}, "unknown reward term 'fun'"),
        ({"ctrl_dt": 0.0007}, "not a multiple of the timestep"),
        ({"observations": ("command",)}, "is constant here"),
        ({"preset": "best"}, "unknown preset 'best'"),
        ({"reset_noise": -1.0}, "reset_noise must not be negative"),
    ],
)
def test_impossible_options_are_refused_with_a_sentence(options, message):
    with pytest.raises(ValueError, match=message):
        make(**options) if "reset_noise" not in options else gymnasium.make("SlipLeg-v1", **options)


def test_randomised_legs_differ_and_the_same_seed_gives_the_same():
    env = make(randomise={"body_mass": (0.5, 1.5), "friction_coeff": (0.5, 1.0)})
    masses = [(env.reset(seed=seed), float(env.unwrapped.model.body("torso").mass[0]))[1] for seed in (0, 1, 0)]
    assert masses[0] == masses[2] != masses[1]
    assert masses[0] == pytest.approx(env.unwrapped.params.base_mass)


def test_observation_entries_are_what_they_say():
    env = make(observations=tuple(name for name in OBSERVATIONS if name != "command"), terrain="sinusoid")
    env.reset(seed=0)
    observation, _, _, _, info = env.step(np.array([0.1, -0.3]))
    part = {name: observation[where] for name, where in env.unwrapped.observation_slices.items()}
    data = env.unwrapped.data
    ground = env.unwrapped.terrain.height
    assert part["height"][0] == pytest.approx(data.qpos[1] - ground(data.qpos[0], 0.0), rel=1e-5)
    np.testing.assert_allclose(part["velocity"], data.qvel[:2], rtol=1e-5)
    np.testing.assert_allclose(part["joint_angle"], data.qpos[2:], rtol=1e-5)
    np.testing.assert_allclose(part["foot_place"], info["qpos"][:2] * -1 + data.site("foot_0").xpos[[0, 2]], atol=1e-6)
    ahead = data.qpos[1] - ground(data.qpos[0] + np.array(SCAN), 0.0)
    np.testing.assert_allclose(part["height_scan"], ahead, rtol=1e-5)
    np.testing.assert_allclose(part["action"], [0.1, -0.3], rtol=1e-6)
