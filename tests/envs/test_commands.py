"""Commands: what following them earns and what standing does, how they are drawn, and the user's own."""

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.envs import ENVIRONMENTS, commands, own_robot
from tarsus.envs.free_body import FreeBodyTask
from tarsus.mjcf.own_robot import EXAMPLE


def single(name="Hexapod-v0", **options):
    return gymnasium.make(name, **{"task": "commanded"} | options).unwrapped


def many(name="Hexapod-v0", n=3, **options):
    options = {"task": "commanded"} | options
    return gymnasium.make_vec(name, n, vectorization_mode="vector_entry_point", **options).unwrapped


def test_the_width_is_half_the_command_and_at_least_the_floor():
    assert commands.tracking(0.0, 0.3**2, 0.125) == 1.0
    assert commands.tracking(0.2**2, 0.4**2, 0.125) == pytest.approx(np.exp(-1))
    assert commands.tracking(0.125**2, 0.1**2, 0.125) == pytest.approx(np.exp(-1))
    assert commands.tracking(0.4**2, 0.4**2, 0.125) == pytest.approx(np.exp(-4))  # at rest
    asked = (np.arange(10_000) + 0.5) / 10_000  # as shares of the largest command
    assert np.mean(commands.tracking(asked**2, asked**2, 0.25)) == pytest.approx(0.23, abs=0.002)  # at rest, if uniform
    assert np.mean(np.exp(-4 * asked**2)) == pytest.approx(0.44, abs=0.002)  # with a fixed width


def test_forward_sideways_and_yaw_rate_are_told_apart():
    yawed = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # a quarter turn to the left
    velocity, spin = np.array([-0.3, 0.1]), np.array([0.5, 0.6, 0.7])
    np.testing.assert_allclose(commands.velocities(yawed, 0, velocity, spin), (0.1, 0.3, 0.7))
    np.testing.assert_allclose(commands.velocities(yawed, 1, velocity, spin), (0.3, -0.1, 0.7))
    rolled = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # about x: the body's y is up
    np.testing.assert_allclose(commands.velocities(rolled, 0, velocity, spin), (-0.3, 0.1, 0.6))


def test_a_pace_earns_by_its_distance_from_the_command():
    asked, floors = np.array([0.4, -0.2]), (0.125, 0.125)
    earned = commands.followed(np.array([0.3, 0.1, -0.1]), asked, floors)
    expected = {"speed": np.exp(-(0.1**2 + 0.1**2) / 0.2**2), "yaw_rate": np.exp(-((0.1 / 0.125) ** 2))}
    assert earned == pytest.approx(expected)
    for pace in ([0.4, 0.0, -0.2], [[0.4, 0.0, -0.2]] * 2):
        full = commands.followed(np.array(pace), np.broadcast_to(asked, (*np.shape(pace)[:-1], 2)), floors)
        assert np.all(full["speed"] == 1.0) and np.all(full["yaw_rate"] == 1.0)


def test_the_pace_is_the_mean_over_about_a_stride():
    env = single(action_mode="gait", reset_noise=0.0)
    env.reset(seed=0)
    task, swing, mean = env.task, [], np.zeros(3)
    for _ in range(100):
        env.step(np.zeros(6))
        now = commands.velocities(task.rotation, task.FORWARD, task.velocity, env.data.qvel[3:6])
        mean += (1 - np.exp(-0.02 / 0.25)) * (now - mean)
        np.testing.assert_allclose(task.pace, mean, atol=1e-12)
        swing.append([now[0], mean[0]])
    assert mean[0] > 0.1
    now, smooth = np.std(swing[50:], axis=0)
    assert smooth < 0.5 * now
    env.reset(seed=0)
    assert not task.pace.any()


COMMANDED = [name for name in ENVIRONMENTS if "commanded" in single(name, task="forward").config.REWARDS]
FREE = [name for name in COMMANDED if isinstance(single(name).task, FreeBodyTask)]
SHARES = {"Hexapod-v0": 0.316, "Multipod-v1": 0.340, "BigAnt-v1": 0.340, "HoppingLeg-v1": 0.320, "SlipLeg-v1": 0.020}


@pytest.mark.parametrize("name", COMMANDED)
def test_standing_earns_at_most_a_third_of_perfect_following(name):
    env = single(name)
    env.reset(seed=0)
    task, weights, still, perfect = env.task, env.config.weights, [], []
    for _ in range(3000):
        task.commands.draw(task, (), 0.0)
        for pace, earned in ((0.0, still), (task.command, perfect)):
            if name in FREE:
                speed, turn = np.broadcast_to(pace, 2)
                task.pace[:] = speed, 0.0, turn
            else:
                task.velocity[...] = np.ravel(pace)[0]
            terms = task.unweighted_terms()
            earned.append(
                sum(weights[term] * terms[term] for term in ("speed", "yaw_rate", "healthy") if term in terms)
            )
    assert np.std(perfect) < 1e-12
    share = np.mean(still) / np.mean(perfect)
    assert share == pytest.approx(SHARES.get(name, share), abs=0.02) and share < 0.35


@pytest.mark.parametrize("name", FREE)
def test_the_least_width_is_a_quarter_of_the_largest_command(name):
    env = single(name)
    largest = [max(map(abs, limits)) for limits in env.task.command_ranges]
    np.testing.assert_allclose(env.task.WIDTHS, np.multiply(commands.FLOOR_SHARE, largest))


def test_a_share_of_the_commands_is_to_stand():
    for share, lowest, highest in ((0.0, 0, 0), (0.1, 0.07, 0.13), (1.0, 1, 1)):
        env = single(command_standing=share)
        env.reset(seed=0)
        drawn = []
        for _ in range(1000):
            env.task.commands.draw(env.task, (), 0.0)
            drawn.append(env.task.command.copy())
        drawn = np.array(drawn)
        stands = ~drawn.any(1)
        assert lowest <= stands.mean() <= highest
        assert share == 1.0 or np.ptp(drawn[~stands], axis=0) == pytest.approx([0.5, 1.0], abs=0.02)


@pytest.mark.parametrize("name", COMMANDED)
def test_a_command_of_ones_own_holds_for_one_episode(name):
    env = single(name, command_period=2 * single(name).ctrl_dt, observations=("height", "command"), scaled=False)
    size = len(env.task.command_ranges)
    asked = np.linspace(0.05, 0.07, size)
    observation, info = env.reset(seed=0, options={"command": asked})
    for _ in range(8):
        np.testing.assert_array_equal(info["command"], asked)
        np.testing.assert_array_equal(observation[1:], asked.astype(np.float32))
        observation, *_, info = env.step(np.zeros(env.action_space.shape))
    state = env.get_state()
    env.reset(seed=1)
    env.set_state(state)
    np.testing.assert_array_equal(env.step(np.zeros(env.action_space.shape))[-1]["command"], asked)
    assert not np.array_equal(env.reset(seed=2)[1]["command"], asked)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_each_of_many_gets_its_own_command_until_its_next_episode(mode):
    envs = many(command_period=0.04, max_episode_steps=5, autoreset_mode=mode)
    asked = np.array([[0.1, 0.2], [0.3, -0.1], [0.0, 0.0]])
    _, infos = envs.reset(seed=4, options={"command": asked})
    for _ in range(4):
        np.testing.assert_array_equal(infos["command"], asked)
        *_, infos = envs.step(np.zeros(envs.action_space.shape))
    for _ in range(2):
        *_, infos = envs.step(np.zeros(envs.action_space.shape))
    assert np.all(infos["command"] != asked)
    _, infos = envs.reset(options={"command": (0.25, 0.0), "reset_mask": np.array([True, False, True])})
    np.testing.assert_array_equal(infos["command"][[0, 2]], [[0.25, 0.0]] * 2)
    assert not np.array_equal(infos["command"][1], [0.25, 0.0])


@pytest.mark.parametrize("make", [single, many])
def test_bad_commands_are_refused_and_change_nothing(make):
    env = make()
    env.reset(seed=0)
    before = env.get_state()
    for command, message in [
        ([0.1], r"command must be finite and of shape \(2,\)"),
        (0.1, r"command must be finite and of shape \(2,\)"),
        ([0.1, np.nan], "command must be finite"),
        ("fast", "command must be finite numbers, got 'fast'"),
        ([1e9, 0.0], "command would be 1e"),
        (np.zeros((5, 2)), "command"),
    ]:
        with pytest.raises(ValueError, match=message):
            env.reset(options={"command": command})
    with pytest.raises(ValueError, match="a command needs the task 'commanded', this one is 'forward'"):
        make(task="forward").reset(options={"command": [0.1, 0.0]})
    for name, rows in env.get_state().arrays.items():
        np.testing.assert_array_equal(rows, before.arrays[name])
    for share in (-0.1, 1.1):
        with pytest.raises(ValueError, match="command_standing must be a share from 0 to 1"):
            make(command_standing=share)


def own(size=1.0, **options):
    """Return the task of the example's quadruped with all lengths multiplied by a size."""
    spec = mujoco.MjSpec.from_file(str(EXAMPLE))
    for element in (*spec.bodies[1:], *spec.joints, *spec.geoms):
        element.pos *= size
    for geom in spec.geoms:
        geom.size, geom.fromto = size * geom.size, size * geom.fromto
    spec.keys[0].qpos = np.array(spec.keys[0].qpos) * np.where(np.arange(19) < 3, size, 1.0)
    own_robot.register("Sized-v0", spec, check=False, **options)
    made = single("Sized-v0", command_standing=0.0)
    gymnasium.registry.pop("Sized-v0")
    return made


@pytest.mark.parametrize(("size", "gravity"), [(2.0, 1.0), (0.5, 1.0), (1.0, 4.0), (2.0, 2.0)])
def test_a_robot_of_one_s_own_is_commanded_by_froude_numbers(size, gravity):
    """Speeds go with the root of gravity times length, yaw rates and the pace's with that of gravity over length."""
    one, other, drawn = own(), own(size, g=9.81 * gravity), []
    speed, rate = np.sqrt(gravity * size), np.sqrt(gravity / size)
    ranges = np.array(one.task.command_ranges) * [[speed], [rate]]
    np.testing.assert_allclose(other.task.command_ranges, ranges, rtol=1e-6)
    np.testing.assert_allclose(other.task.WIDTHS, np.multiply(one.task.WIDTHS, [speed, rate]), rtol=1e-6)
    assert other.task.PACE_TIME == pytest.approx(one.task.PACE_TIME / rate)
    assert other.config.typical_speed == pytest.approx(speed * one.config.typical_speed)
    for env in (one, other):
        env.reset(seed=0)
        drawn.append(env.task.command / [speed if env is other else 1.0, rate if env is other else 1.0])
    np.testing.assert_allclose(*drawn, rtol=1e-6)
    length = 0.225  # of legs of twice 0.16 m, bent, with hips of 0.05 m
    assert one.task.command_ranges[0][1] == pytest.approx(0.3 * np.sqrt(9.81 * length), rel=2e-3)
    assert one.task.command_ranges[1][1] == pytest.approx(0.09 * np.sqrt(9.81 / length), rel=2e-3)


def test_ranges_of_one_s_own_stay_as_they_are_given():
    env = own(2.0, command_speed=(-0.1, 0.2), task="commanded")
    assert env.task.command_ranges[0] == (-0.1, 0.2) and env.task.command_ranges[1] != (-0.1, 0.2)
    with pytest.raises(ValueError, match="command_speed must be a range, its lowest number first"):
        own(command_speed=(0.2, 0.1), task="commanded")


def test_a_command_beyond_its_motors_leaves_a_multipod_at_its_fastest_gait():
    """Its peak yaw speed is within the motors' no-load speed; at 1.2 m/s the frequency in proportion is 4.24 Hz."""
    task = single("Multipod-v1").task
    asked = np.array([[0.085, 0.0], [0.9, 0.0], [1.2, 0.3], [9.0, 0.0]])
    frequency, *_, steering = task.gait_corrected(asked).T
    np.testing.assert_allclose(frequency, [0.3, 0.3 * 0.9 / 0.085, 3.3, 3.3])
    assert steering[2] == 0.1 and 2 * np.pi * 3.3 * 0.3 < task.config.robot.motor.no_load_speed
