"""What an action of a walker means: legs that go round on their own, and a correction to the clock's gait."""

import gymnasium
import numpy as np
import pytest

from tarsus.analytic import rhex_gaits
from tarsus.analytic.clock import RIGHT, TRIPOD_PHASE, TripodGait, profile, wrap
from tarsus.envs.hexapod import HexapodTask
from tarsus.envs.hexapod_clocks import GAIT_RANGES, RHEX_RANGES, WALK, gait_parameters, tripod_gait
from tarsus.mjcf.hexapod_state import start_state

TURN = HexapodTask.RATE_GAIT


def make(name="Hexapod-v0", **options):
    return gymnasium.make(name, **options).unwrapped


def turned(cycles):
    """Return the hips' angles that far in their turns [rad]."""
    return -profile(cycles, TURN.cycle_time, TURN.slow_time, TURN.sweep_angle)[0]


@pytest.mark.parametrize("action", [0.0, 1.0, -1.0, 0.3])
def test_a_leg_goes_through_its_turn_at_the_rate_that_the_action_asks_for(action):
    env = make(action_mode="rate", phase_spread=0.0, reset_noise=0.0)
    cycles = np.array([0.0, 0.1, 0.28, 0.31, 0.62, 0.9])
    env.reset(seed=0)
    env.task.reference[:] = turned(cycles)
    step = env.ctrl_dt / TURN.cycle_time * (1.0 + env.action_scale * action)
    for k in range(1, 12):
        env.data.qpos[7::3] = env.task.reference  # a set-point never waits for a leg that is held up
        env.step(np.full(6, action))
        fast = (2 * np.pi - TURN.sweep_angle) / (TURN.cycle_time - TURN.slow_time) * (1.0 + env.action_scale * action)
        if fast <= env.params.motor.no_load_speed:
            np.testing.assert_allclose(wrap(env.task.reference - turned(cycles + k * step)), 0.0, atol=1e-9)


def test_no_leg_is_asked_for_more_than_the_motors_speed():
    env = make(action_mode="rate")
    env.reset(seed=0)
    for _ in range(40):
        env.step(np.ones(6))
        assert np.abs(env.task.rate).max() <= env.params.motor.no_load_speed


def test_rates_of_the_widest_range_stop_the_legs_or_double_their_rate():
    env, gone = make(action_mode="rate", phase_spread=0.0, reset_noise=0.0, rate_range=1.0), []
    for action in (-1.0, 0.0, 1.0):
        env.reset(seed=0)
        env.task.reference[:] = env.data.qpos[7::3] = turned(np.zeros(6))
        env.step(np.full(6, action))
        gone.append(env.task.reference[0] / turned(0.02 / TURN.cycle_time))
    np.testing.assert_allclose(gone, [0.0, 1.0, 2.0], atol=1e-9)


def test_coupled_legs_come_into_step_from_any_phases_and_keep_it_under_noise():
    env, rng = make(action_mode="rate", coupling=2.0), np.random.default_rng(0)
    for seed in range(3):
        env.reset(seed=seed)
        for _ in range(250):
            *_, terminated, _, info = env.step(np.clip(rng.standard_normal(6), -1.0, 1.0))
            assert not terminated
        assert 0.2 < info["distance"] / info["time"] < 0.5


@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_legs_begin_within_their_spread_of_a_tripods_phases(spread):
    env, seen = make(action_mode="rate", phase_spread=spread, reset_noise=0.0), []
    grid = np.linspace(-0.5, 0.5, 20001)
    for seed in range(30):
        env.reset(seed=seed)
        phase = grid[np.abs(wrap(turned(grid)[:, None] - env.task.reference)).argmin(0)] - TRIPOD_PHASE
        apart = phase[:, None] - phase
        seen.append(np.abs(apart - np.round(apart)).max())
    assert max(seen) <= 2 * spread + 2e-4
    assert max(seen) >= spread


def test_nothing_added_is_the_clocks_walk():
    """Set-points of the mode "residual" with zero actions are those of the mode "gait" that names the walk."""
    low, high = np.array(list(GAIT_RANGES.values())).T
    walk, none = 2 * (WALK - low) / (high - low) - 1, np.zeros(6)
    np.testing.assert_allclose(gait_parameters(walk), WALK, atol=1e-15)
    residual, gait = make(action_mode="residual"), make(action_mode="gait")
    _, info = residual.reset(seed=3)
    gait.reset(seed=3, options={"qpos": residual.data.qpos, "qvel": residual.data.qvel})
    assert residual.task.cycles == gait.task.cycles
    for _ in range(25):
        _, _, _, _, info = residual.step(none)
        _, _, _, _, other = gait.step(walk)
    np.testing.assert_allclose(info["hip_reference"], other["hip_reference"], atol=1e-12)
    np.testing.assert_allclose(info["position"], other["position"], atol=1e-9)


def test_a_correction_follows_the_action_with_a_lag_and_ramps_on_the_gaits_angles():
    env, plain = make(action_mode="residual", reset_noise=0.0), make(action_mode="residual", reset_noise=0.0)
    env.reset(seed=0), plain.reset(seed=0)
    first, second = np.linspace(-1, 1, 6), np.linspace(0.5, -0.5, 6)
    before, share = np.zeros(6), 1.0 - np.exp(-0.02 / 0.09)
    for action in (first, second):
        task, other = env.task, plain.task
        commands, bare = (one.controls(a).reshape(-1, 6, 3).copy() for one, a in given(task, action, other))
        times = task.substep_times[task.lead : task.lead + task.n_substeps, None] / task.ctrl_dt
        after = before + share * (0.5 * action - before)
        expected = before + times * (after - before)
        np.testing.assert_allclose(commands[..., 0] - bare[..., 0], expected, atol=1e-12)
        np.testing.assert_allclose(commands[..., 1] - bare[..., 1], np.tile(after - before, (10, 1)) / 0.02)
        np.testing.assert_allclose(task.reference - other.reference, after, atol=1e-12)
        before = after


def given(task, action, other):
    """Yield the two tasks with their actions, as `act` hands them to `controls`."""
    for one, value in ((task, action), (other, np.zeros(6))):
        one.last_action[...], one.action[...] = one.action, value
        yield one, value


def test_the_gait_that_is_corrected_follows_the_command():
    env = make(action_mode="residual", task="commanded")
    env.reset(seed=0, options={"command": (0.4, 0.2)})
    for _ in range(150):
        _, _, terminated, _, info = env.step(np.zeros(6))
    assert not terminated and 0.25 < info["distance"] / info["time"] < 0.45


def test_a_side_that_sweeps_more_does_so_by_its_clock():
    wider, usual = (tripod_gait(np.append(WALK, more), 0.05)[1] for more in (0.2, 0.0))
    slow = np.abs(usual) < 2.0  # the slow phase of a tripod of two legs on one side and one on the other
    np.testing.assert_allclose((wider / usual)[slow], np.where(RIGHT, 0.55, 0.95)[slow] / 0.75)
    np.testing.assert_array_equal(usual, tripod_gait(WALK, 0.05)[1])


@pytest.mark.parametrize("yaw_rate", [-0.25, 0.25])
def test_the_steered_clock_walks_and_turns_as_commanded(yaw_rate):
    env = make(action_mode="residual", task="commanded")
    env.reset(seed=0, options={"command": (0.4, yaw_rate)})
    pace = []
    for _ in range(250):
        _, _, terminated, _, _ = env.step(np.zeros(6))
        pace.append(env.task.pace.copy())
    forward, _, turn = np.mean(pace[125:], axis=0)
    assert not terminated and 0.36 < forward < 0.44
    assert 0.4 < turn / yaw_rate < 1.2


def test_the_steered_clock_stands_when_it_is_told_to():
    env = make(action_mode="residual", task="commanded")
    env.reset(seed=0, options={"command": (0.0, 0.0)})
    for _ in range(150):
        _, _, terminated, _, info = env.step(np.zeros(6))
    assert not terminated and abs(info["distance"]) < 0.05 and np.abs(env.task.pace).max() < 5e-3


RHEX = {"params": "rhex", "clock": "rhex", "reset_noise": 0.0}


def test_the_clock_of_rhex_is_its_tables():
    gait = rhex_gaits.gait(2)
    env = make(action_mode="residual", **RHEX)
    env.reset(seed=0)
    cycles = env.task.cycles.copy()
    for _ in range(100):
        _, _, terminated, _, info = env.step(np.zeros(6))
    expected = gait.clock().at(cycles + 2.0 / gait.cycle_time)[0]
    np.testing.assert_allclose(wrap(info["hip_reference"] - expected), 0.0, atol=1e-9)
    for _ in range(100):
        _, _, terminated, _, info = env.step(np.zeros(6))
    assert not terminated and 0.5 < info["distance"] / info["time"] < 0.6


def test_the_clock_of_rhex_has_ranges_for_every_blend():
    env = make(action_mode="gait", **RHEX)
    assert env.action_names == tuple(RHEX_RANGES) and env.action_space.shape == (8,)
    rng = np.random.default_rng(0)
    corners = rng.choice([-1.0, 1.0], (200, 8))
    low, high = np.array(list(RHEX_RANGES.values())).T
    parameters = dict(zip(RHEX_RANGES, (low + 0.5 * (corners + 1) * (high - low)).T, strict=True))
    shortest = 1.0 - parameters["duty_factor"] - np.abs(parameters["duty_difference"])
    assert np.all(shortest > parameters["blend"])
    assert make(action_mode="gait").action_space.shape == (6,)


@pytest.mark.parametrize("command", [(0.3, 0.0), (0.45, 0.15), (0.15, 0.05), (0.0, 0.0)])
def test_the_clock_of_rhex_follows_commands(command):
    env = make(action_mode="residual", task="commanded", **RHEX)
    env.reset(seed=0, options={"command": command})
    pace = []
    for _ in range(300):
        _, _, terminated, _, _ = env.step(np.zeros(6))
        pace.append(env.task.pace.copy())
    forward, _, turn = np.mean(pace[150:], axis=0)
    assert not terminated and forward == pytest.approx(command[0], abs=0.05)
    assert turn == pytest.approx(command[1], abs=0.08)


def test_an_unknown_clock_is_refused():
    with pytest.raises(ValueError, match="unknown clock 'sun'; there are table2, rhex"):
        make(clock="sun")


@pytest.mark.parametrize("engine", ["mujoco", pytest.param("exact", marks=pytest.mark.extra)])
def test_the_clock_keeps_its_feet_from_legs_at_random_phases(engine):
    rng, falls = np.random.default_rng(0), 0
    env = make(reset_noise=0.0, engine=engine)
    for _ in range(8):
        phase = rng.uniform(size=6)
        angles = -wrap(profile(phase, 1.0, 0.6, 0.75)[0])
        env.reset(options={"qpos": start_state(env.task.config.robot, env.task.terrain[()], angles)})
        for _ in range(150):  # who rolls over does so within 2 s
            _, _, terminated, _, _ = env.step(np.zeros(6))
            if terminated:
                break
        falls += terminated
    assert falls <= 2  # of legs that wait where they are, five; of these 5 in 160, and rounding decides which


def test_legs_far_from_the_clocks_wait_until_it_comes_by():
    env = make(reset_noise=0.0)
    _, info = env.reset(seed=1)
    task, start = env.task, env.data.qpos.copy()
    assert np.isinf(task.held).all()
    start[task.driven[2]] += 1.0
    start[task.driven[4]] += 4 * np.pi  # the same pose: it follows at once, in its own turn
    env.reset(seed=1, options={"qpos": start})
    np.testing.assert_allclose(task.held, np.where(np.arange(6) == 2, start[task.driven[2]], np.inf))
    for _ in range(60):  # of which a turn takes 50
        _, _, terminated, _, _ = env.step(np.zeros(6))
    assert not terminated and np.isinf(task.held).all()
    assert np.abs(task.reference - task.joint_angle).max() < 2.0  # not a turn


@pytest.mark.parametrize("name", ["Multipod-v1", "BigAnt-v1"])
def test_other_walkers_correct_the_middle_of_their_gaits(name):
    env = make(name, action_mode="residual")
    env.reset(seed=0)
    for _ in range(50):
        _, _, terminated, _, _ = env.step(np.zeros(env.action_space.shape))
    assert not terminated and env.action_names == (*env.task.layout.joints, "tempo")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"residual_range": 0.0}, "residual_range must be positive, got 0.0"),
        ({"residual_range": 1e300}, "residual_range must be at most 1e.06, got 1e.300"),
        ({"residual_lag": -0.1}, "residual_lag must be positive, got -0.1"),
        ({"action_mode": "rate", "rate_range": 1.5}, "rate_range must be a share above 0, at most 1, got 1.5"),
        ({"action_mode": "rate", "coupling": -1.0}, "coupling must not be negative, got -1.0"),
        ({"coupling": 1.0}, "coupling needs action_mode 'rate', here it is 'residual'"),
        ({"action_mode": "rate", "phase_spread": 0.6}, "phase_spread must lie from 0 to 0.5 cycles, got 0.6"),
        ({"action_mode": "rate", "phase_spread": -0.1}, "phase_spread must lie from 0 to 0.5 cycles, got -0.1"),
    ],
)
def test_impossible_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)


def test_the_turn_is_a_gait_of_the_clock():
    assert isinstance(TURN, TripodGait) and TURN.sweep_angle == WALK[2]


@pytest.mark.extra
def test_a_policy_that_explores_at_full_range_keeps_its_feet():
    """Unit normal noise in every step, as PPO begins: what the lag of corrections is for."""
    fallen = {}
    for lag in (0.09, 1e-3):
        envs = gymnasium.make_vec("Hexapod-v0", 6, vectorization_mode="vector_entry_point", residual_lag=lag)
        envs.reset(seed=0)
        rng, fallen[lag] = np.random.default_rng(0), np.zeros(6, bool)
        for _ in range(250):
            fallen[lag] |= envs.step(np.clip(rng.standard_normal((6, 6)), -1.0, 1.0))[2]
    assert fallen[0.09].sum() <= 1 and fallen[1e-3].sum() >= 4
