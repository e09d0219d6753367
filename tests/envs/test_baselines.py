"""Walkers whose action zero is a hand-made gait: what it earns, what its tempo and its corrections do, what it follows.

What policies explore with at first, normal actions, clipped, must earn more than standing, or dying pays.
"""

import gymnasium
import numpy as np
import pytest

from tarsus.analytic.undulation import undulation_angles
from tarsus.controllers.gaits import bigant_gait, multipod_gait
from tarsus.envs import bigant, gait_kernels, multipod, surrogate
from tarsus.envs.kernels import COMPILED

NAMES = ("Multipod-v1", "BigAnt-v1", "MultipodQuasistatic-v1")
IN_MUJOCO = NAMES[:2]


def held(name, n_steps, action=0.0, tempo=0.0, seed=0, **options):
    """Return speed, return and last info of an episode of constant corrections and tempo, and whether it fell."""
    env, earned = gymnasium.make(name, **options), 0.0
    _, info = env.reset(seed=seed)
    constant = np.append(np.full(env.action_space.shape[0] - 1, action), tempo)
    for _ in range(n_steps):
        _, reward, terminated, _, info = env.step(constant)
        earned += reward
        if terminated:
            break
    return info["distance"] / info["time"], earned, info, terminated


@pytest.mark.parametrize("name", NAMES)
def test_an_episode_of_the_baseline_earns_a_thousand(name):
    _, earned, info, fell = held(name, 1000)
    assert not fell and info["time"] == pytest.approx(20.0) and 950 < earned < 1050


@pytest.mark.parametrize("name", NAMES)
def test_exploring_earns_more_than_standing_and_does_not_fall(name):
    envs = gymnasium.make_vec(name, 10, vectorization_mode="vector_entry_point")
    rng, earned = np.random.default_rng(0), np.zeros(10)
    envs.reset(seed=0)
    for _ in range(500):
        action = np.clip(rng.standard_normal(envs.action_space.shape), -1.0, 1.0)
        _, reward, terminated, _, _ = envs.step(action)
        earned += reward
        assert not terminated.any()
    assert earned.min() / 500 > 0.3


@pytest.mark.parametrize("name", NAMES)
def test_the_tempo_makes_the_gait_faster_or_slower(name):
    slow, usual, fast = (held(name, 400, tempo=tempo)[0] for tempo in (-1.0, 0.0, 1.0))
    assert 0.4 < slow / usual < 0.7 and 1.6 < fast / usual < 2.1


@pytest.mark.parametrize("name", NAMES)
def test_set_points_are_those_of_the_gait_at_its_tempo_and_the_lagging_correction(name):
    env = gymnasium.make(name, reset_noise=0.0).unwrapped
    env.reset(seed=1)
    task = env.vector.task if name not in IN_MUJOCO else env.task
    cycles, tempo, correction, share = float(task.cycles.squeeze()), 0.0, np.zeros(6), -np.expm1(-0.02 / 0.4)
    rng = np.random.default_rng(0)
    for _ in range(20):
        action = 0.3 * rng.uniform(-1, 1, 7)
        *_, info = env.step(action)
        tempo, correction = tempo + share * (action[6] - tempo), correction + share * (0.5 * action[:6] - correction)
        walk = bigant.WALK if name == "BigAnt-v1" else multipod.WALK
        cycles += 0.02 * walk[0] * 2.0**tempo
        if name == "BigAnt-v1":
            angle = task.gait(walk, np.array(cycles))[0]
        else:
            angle = undulation_angles(cycles, *walk, n_pairs=3)[0].ravel()
        np.testing.assert_allclose(info["joint_reference"], angle + correction, atol=1e-9)
    assert task.tempo.squeeze() == pytest.approx(tempo)


def test_what_is_corrected_are_the_gaits_of_the_controllers():
    times = np.linspace(0.0, 7.0, 50)
    params = multipod.MultipodParams()
    np.testing.assert_array_equal(multipod.WALK, surrogate.WALK)
    angle = undulation_angles(multipod.WALK[0] * times, *np.tile(multipod.WALK, (50, 1)).T, n_pairs=3)[0]
    np.testing.assert_allclose(angle, multipod_gait(params, frequency=0.3)(times)[0], atol=1e-9)
    task = gymnasium.make("BigAnt-v1").unwrapped.task
    ours = task.gait(np.tile(bigant.WALK, (50, 1)), bigant.WALK[0] * times)[0]
    ahead = ours - bigant_gait(task.config.robot, sweep_angle=np.pi / 2, duty=0.5)(times)[0]
    np.testing.assert_allclose(np.cos(ahead), 1.0, atol=1e-9)


GAITS = [(gait_kernels.UNDULATION, multipod.WALK), (gait_kernels.SHAFT_CLOCK, bigant.WALK)]


@pytest.mark.parametrize("kind, walk", GAITS, ids=IN_MUJOCO)
def test_the_gaits_kernel_computes_what_the_arrays_do_and_every_row_by_itself(kind, walk):
    rng, times = np.random.default_rng(3), np.linspace(0.0, 0.02, 5)
    gait = gymnasium.make(IN_MUJOCO[kind]).unwrapped.task.gait
    parameters = walk * rng.uniform(0.8, 1.2, (5, 5)) + np.array([0, 0, 0, 0, 0.1])
    begun, action, before = rng.uniform(-2, 2, 5), rng.uniform(-1, 1, (5, 7)), rng.normal(size=(5, 6))

    def followed(kernel, rows=slice(0, 5)):
        kept = [begun[rows].copy(), before[rows].copy(), before[rows].copy(), before[rows].copy()]
        cycles, *joints = kept
        commands = np.zeros((len(cycles), 4, 6, 3))
        kernel(kind, parameters[rows], cycles, times, 1, 0.5, 0.1, action[rows], *joints, commands)
        return *kept, commands

    found = followed(COMPILED.joints_of_gait)
    cycles, correction, reference, rate, commands = found
    after = before + 0.1 * (0.5 * action[:, :6] - before)
    added = (after - before) / 0.02
    for k, time in enumerate(times[1:]):
        angle, speed = gait(parameters, begun + time * parameters[:, 0])
        np.testing.assert_allclose(commands[:, k, :, 0], angle + before + time * added, atol=1e-12)
        np.testing.assert_allclose(commands[:, k, :, 1], speed + added, atol=1e-9)
    np.testing.assert_allclose(correction, after, atol=1e-15)
    np.testing.assert_allclose([reference, rate], np.moveaxis(commands[:, -1, :, :2], -1, 0), atol=1e-12)
    np.testing.assert_allclose(cycles, begun + 0.02 * parameters[:, 0], atol=1e-15)
    for mine, plain in zip(found, followed(gait_kernels.joints_of_gait), strict=True):
        np.testing.assert_allclose(mine, plain, atol=1e-12)
    for row in range(5):
        for among, alone in zip(found, followed(COMPILED.joints_of_gait, slice(row, row + 1)), strict=True):
            np.testing.assert_array_equal(among[row], alone[0])


@pytest.mark.parametrize("name, speed", [("Multipod-v1", 0.12), ("BigAnt-v1", 0.05)])
def test_the_baseline_follows_the_command(name, speed):
    env, turned = gymnasium.make(name, task="commanded").unwrapped, []
    for turn in (0.5, -0.5):
        env.reset(seed=0, options={"command": (speed, turn * env.config.command_yaw_rate[1])})
        for _ in range(400):
            *_, info = env.step(np.zeros(env.action_space.shape))
        assert 0.75 < info["distance"] / info["time"] / speed < 1.25
        turned.append(np.arctan2(*env.task.forward_axis[::-1]))
    assert turned[0] > 0.02 > -0.02 > turned[1]
    _, info = env.reset(seed=0, options={"command": (0.0, 0.0)})
    for _ in range(100):
        *_, info = env.step(np.zeros(env.action_space.shape))
    assert abs(info["distance"]) < 0.01


def test_observations_are_of_typical_size():
    for name in IN_MUJOCO:
        rows = []
        for options in ({"scaled": False}, {}):
            env = gymnasium.make(name, **options).unwrapped
            env.reset(seed=0)
            rows.append(np.array([env.step(np.full(env.action_space.shape, 0.2))[0] for _ in range(100)]))
        np.testing.assert_allclose(rows[0] / env.task.typical, rows[1], rtol=1e-6, atol=1e-6)
        assert 0.3 < np.sqrt(np.mean(rows[1] ** 2)) < 2.0 and np.abs(rows[1]).max() < 10.0


@pytest.mark.parametrize("name", NAMES)
def test_options_of_the_correction_are_refused_where_they_mean_nothing(name):
    with pytest.raises(ValueError, match="tempo_lag needs action_mode 'residual', here it is 'velocity'"):
        gymnasium.make(name, action_mode="velocity", tempo_lag=1.0)
    with pytest.raises(ValueError, match="tempo_range must be at least 1, got 0.5"):
        gymnasium.make(name, tempo_range=0.5)
    with pytest.raises(ValueError, match="residual_lag must be positive, got 0"):
        gymnasium.make(name, residual_lag=0.0)


@pytest.mark.parametrize("engine", ["mujoco", pytest.param("exact", marks=pytest.mark.extra)])
def test_the_hexapods_clock_has_a_tempo_if_asked_for(engine):
    usual, fast = (held("Hexapod-v0", 150, tempo=tempo, tempo_range=1.5, engine=engine)[0] for tempo in (0.0, 1.0))
    assert fast > 1.2 * usual
    assert gymnasium.make("Hexapod-v0").action_space.shape == (6,)
