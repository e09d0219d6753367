"""`Dog-v0`: what the dog weighs, how it stands, and how the clock that actions correct carries it."""

import functools

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.envs import dog
from tarsus.mjcf import own_robot

G = 9.81


@functools.cache
def walked(terrain, n, tempo=0.0):
    """Return speeds [m/s], means of reward and power [W] of n episodes of 20 s, and which of them fell, shape (n,)."""
    envs = gymnasium.make_vec("Dog-v0", n, vectorization_mode="vector_entry_point", terrain=terrain)
    envs.reset(seed=0)
    action, fell = np.zeros(envs.action_space.shape, np.float32), np.zeros(n, bool)
    action[:, -1] = tempo
    speeds, rewards, powers = [], [], []
    for _ in range(1000):
        _, reward, terminated, _, infos = envs.step(action)
        fell |= terminated
        speeds.append(infos["speed"].copy())
        rewards.append(reward.copy())
        powers.append(envs.unwrapped.task.power().copy())
    envs.close()
    return *(np.mean(values, axis=0) for values in (speeds, rewards, powers)), fell


def test_it_weighs_12_kg_has_18_degrees_of_freedom_and_four_feet():
    model = own_robot.model(dog.robot(), "flat", "rl")
    assert model.body_subtreemass[model.body("trunk").id] == pytest.approx(12.0, abs=0.3)
    assert (model.nv, model.nu, len(own_robot.names_of_feet(model))) == (18, 12, 4)
    left, right = (mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, k) for k in (0, 3))
    assert (left, right) == ("FL_hip", "FR_hip")


def test_without_a_baseline_it_stands_and_its_feet_carry_its_weight():
    env = gymnasium.make("Dog-v0", baseline=None, reset_noise=0.0).unwrapped
    env.reset(seed=0)
    carried = []
    for k in range(250):
        *_, terminated, _, info = env.step(np.zeros(12, np.float32))
        assert not terminated
        if k >= 100:
            carried.append(info["foot_force"][:, 2].sum())
    assert np.mean(carried) / (12.0 * G) == pytest.approx(1.0, abs=0.02) and np.ptp(carried) < 0.02 * 12.0 * G
    assert abs(info["distance"]) < 0.02 and env.task.trunk_height == pytest.approx(env.task.stands_at, abs=0.02)


def test_the_clock_walks_for_20_s_and_a_step_of_it_is_worth_about_1():
    speed, reward, power, fell = walked("flat", 4)
    assert not fell.any() and speed.min() > 0.25
    assert 0.8 < reward.min() and reward.max() < 1.1
    config = dog.DogConfig()
    assert speed.mean() == pytest.approx(config.typical_speed, rel=0.05)
    assert power.mean() == pytest.approx(config.typical_power, rel=0.05)


@pytest.mark.extra
def test_the_tempo_makes_it_faster_and_slower():
    slow, usual, fast = (walked("flat", 4, tempo)[0].mean() for tempo in (-1.0, 0.0, 1.0))
    assert 0.3 < slow / usual < 0.7 and 1.25 < fast / usual < 2.0


@pytest.mark.extra
def test_on_rough_ground_it_stays_up_and_gets_ahead():
    speed, *_, fell = walked("rough", 10)
    assert fell.sum() <= 2 and np.median(speed) > 0.25
