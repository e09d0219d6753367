"""`Hexapod-v0`: what it measures, what its actions mean, and what it refuses."""

import sys
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.analytic.battery import Battery
from tarsus.analytic.clock import TripodGait, wrap
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import TERRAINS, Rough, Slope
from tarsus.controllers.clock import ClockPolicy
from tarsus.envs import free_body, kernels, measure, servos
from tarsus.envs.hexapod import HexapodConfig, HexapodTask
from tarsus.envs.hexapod_clocks import GAIT_RANGES, gait_parameters, tripod_gait
from tarsus.mjcf import PRESETS
from tarsus.mjcf.terrain import EDGE

GAIT_ACTION = {"cycle_time": 1.0, "duty_factor": 0.6, "sweep_angle": 0.75, "leg_offset": 0.0}


def make(**options):
    return gymnasium.make("Hexapod-v0", **options).unwrapped


def make_walker(**options):
    return make(action_mode="velocity", **options)


def walk(env, seconds, gait=None, seed=0, **reset):
    """Walk the clock's gait in the environment's velocity mode; return the last info and the list of all."""
    policy = ClockPolicy(gait or TripodGait(), "velocity", ctrl_dt=env.ctrl_dt, scale=env.action_scale)
    observation, info = env.reset(seed=seed, **reset)
    infos = []
    for _ in range(round(seconds / env.ctrl_dt)):
        observation, _, terminated, _, info = env.step(policy(observation, info))
        infos.append(info)
        assert not terminated, info["termination"]
    return info, infos


def test_gymnasium_makes_it_by_either_name():
    assert gymnasium.make("Hexapod-v0").spec.id == gymnasium.make("tarsus:Hexapod-v0").spec.id == "Hexapod-v0"


def test_the_control_period_is_that_of_the_action_mode_unless_chosen():
    assert [make(action_mode=mode).ctrl_dt for mode in ("velocity", "gait", "torque")] == [0.02, 0.02, 0.002]
    assert make(action_mode="torque", ctrl_dt=0.01).ctrl_dt == 0.01
    env = make(action_mode="torque")
    assert env.metadata["render_fps"] == 500 and env.n_substeps == 1
    env.reset(options={"ctrl_dt": 0.004})
    assert env.ctrl_dt == 0.004
    env.reset(options={"ctrl_dt": None})
    assert env.ctrl_dt == 0.002


def test_clock_policy_walks_at_the_published_speed():
    info, infos = walk(make_walker(reset_noise=0.0), 10.0)
    speed = (info["distance"] - infos[199]["distance"]) / 6.0  # whole strides after four seconds
    assert speed == pytest.approx(0.262, rel=0.03)  # the rl preset's own error is 1 % at this gait


def test_gait_actions_walk_the_same_gait():
    env = make(action_mode="gait", reset_noise=0.0)
    low, high = np.array(list(GAIT_RANGES.values())).T
    value = np.array([GAIT_ACTION.get(name, 0.0) for name in GAIT_RANGES])
    action = 2 * (value - low) / (high - low) - 1
    env.reset(seed=0)
    for _ in range(500):
        _, _, _, _, info = env.step(action)
    assert info["distance"] / info["time"] == pytest.approx(0.26, rel=0.04)


def test_torque_actions_are_delivered_up_to_the_motors_limit():
    env = make(action_mode="torque")
    env.reset(seed=0)
    for _ in range(10):
        speed_before = env.data.qvel[6::3].copy()
        _, _, _, _, info = env.step(np.full(6, 0.4))
    low, high = env.params.motor.torque_limits(env.data.qvel[6::3])
    assert np.all(info["torque"] <= 0.4 * 3.0 + 1e-12)
    free = (speed_before < 15) & (env.data.qvel[6::3] < 15)
    np.testing.assert_allclose(info["torque"][free], 1.2, rtol=1e-12)


def test_walking_takes_the_same_power_in_both_presets():
    """MuJoCo's own reading of the torque in `rl` belongs to the start of a long step and would give four times."""
    power = {}
    for preset in ("reference", "rl"):
        _, infos = walk(make_walker(preset=preset, reset_noise=0.0), 4.0)
        power[preset] = np.mean([np.maximum(info["torque"] * info["hip_speed"], 0).sum() for info in infos[100:]])
    assert power["rl"] == pytest.approx(power["reference"], rel=0.12)


def test_foot_forces_carry_the_weight_and_point_up():
    _, infos = walk(make_walker(reset_noise=0.0), 6.0)
    force = np.array([info["foot_force"] for info in infos])[200:]  # whole strides
    assert force[..., 2].sum(1).mean() == pytest.approx(HexapodParams().total_mass * 10.0, rel=0.05)
    assert force[..., 2].min() >= 0.0
    touching = np.array([info["foot_contact"] for info in infos])[200:]
    assert np.all(force[~touching] == 0.0)
    assert np.all(np.linalg.norm(force[..., :2], axis=-1) <= 0.5 * force[..., 2] * (1 + 1e-6) + 1e-9)  # friction cone


def test_foot_forces_are_right_on_a_slope():
    """Standing still on a slope, the feet's forces balance gravity, whose part along the slope is friction."""
    env = make_walker(terrain=Slope(0.0, 0.1), reset_noise=0.0)
    env.reset(seed=0)
    for _ in range(150):
        _, _, _, _, info = env.step(np.zeros(6))
    total = info["foot_force"].sum(0)
    np.testing.assert_allclose(total, [0, 0, 60.6], atol=1.0)


def test_curved_ground_is_touched_at_its_height_and_normal():
    env = make_walker(terrain="rough", preset="reference", reset_noise=0.0)
    walk(env, 0.5)
    mujoco.mj_forward(env.model, env.data)
    assert env.data.ncon >= 3
    for contact in env.data.contact:
        toe = env.data.geom_xpos[contact.geom2]
        assert toe[2] - env.terrain.height(*toe[:2]) == pytest.approx(0.0, abs=1e-3)
        np.testing.assert_allclose(contact.frame[:3], env.terrain.normal(*toe[:2]), atol=1e-3)


def test_terrain_is_rolled_anew_from_the_episodes_seed():
    env = make(terrain="rough")
    seeds = []
    for seed in (1, 2, 1):
        env.reset(seed=seed)
        seeds.append(env.terrain.seed)
    assert seeds[0] == seeds[2] != seeds[1]
    fixed = make(terrain=Rough(seed=4), reroll_terrain=False)
    fixed.reset(seed=1)
    assert fixed.terrain.seed == 4


def test_reset_options_hold_until_changed():
    env = make()
    env.reset(seed=0, options={"terrain": "slope", "params": HexapodParams(body_mass=5.0)})
    env.reset()
    assert env.model.body("torso").mass[0] == 5.0 and env.terrain == Slope()
    env.reset(options={"terrain": "flat", "preset": "reference"})
    assert env.model.opt.timestep == PRESETS["reference"].timestep and env.n_substeps == 80


def test_a_reset_from_a_given_state_starts_there():
    env = make()
    env.reset(seed=0)
    qpos, qvel = env.data.qpos + 0.01, env.data.qvel + 0.1
    env.reset(seed=1, options={"qpos": qpos, "qvel": qvel})
    np.testing.assert_array_equal(env.data.qpos, qpos)
    np.testing.assert_array_equal(env.data.qvel, qvel)
    with pytest.raises(ValueError, match=r"qpos must be finite and of shape \(25,\)"):
        env.reset(options={"qpos": np.zeros(3)})


def test_reset_restores_the_full_integration_state():
    env = make_walker(reset_noise=0.0)
    states = []
    for _ in range(2):
        env.reset(seed=0)
        state = np.empty(mujoco.mj_stateSize(env.model, mujoco.mjtState.mjSTATE_INTEGRATION))
        mujoco.mj_getState(env.model, env.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        states.append(state)
        walk(env, 0.2)
    np.testing.assert_array_equal(*states)


def test_randomised_parameters_lie_in_their_ranges_and_return():
    env = make(randomise={"body_mass": (0.5, 0.9), "leg_k": (1.1, 1.2)})
    masses = set()
    for seed in range(4):
        env.reset(seed=seed)
        factor = env.params.rho_k / HexapodParams().rho_k
        assert np.all((factor >= 1.1) & (factor <= 1.2)) and np.ptp(factor) > 0
        assert env.model.body("torso").mass[0] == env.params.body_mass
        masses.add(env.params.body_mass)
    assert len(masses) == 4 and min(masses) >= 3.0 and max(masses) <= 5.4
    env.reset(options={"randomise": {}})
    assert env.model.body("torso").mass[0] == 6.0


@pytest.mark.parametrize(("name", "field"), HexapodConfig.randomisable().items())
def test_every_randomisable_parameter_can_be_drawn(name, field):
    env = make(randomise={name: (0.9, 0.95)})
    env.reset(seed=0)
    nominal, drawn = np.asarray(getattr(HexapodParams(), field)), np.asarray(getattr(env.params, field))
    ratio = drawn[nominal != 0] / nominal[nominal != 0]
    assert np.all((ratio >= 0.9) & (ratio <= 0.95))
    env.step(np.zeros(6))
    assert not env.data.warning.number.any()


def test_commands_change_when_their_time_is_over():
    env = make(task="commanded", command_period=0.1, terrain="flat")
    _, info = env.reset(seed=0)
    commands = [info["command"]]
    for _ in range(12):
        commands.append(env.step(np.zeros(6))[4]["command"])
    assert len({tuple(command) for command in commands}) == 3
    assert all(0 <= speed <= 0.5 and abs(yaw_rate) <= 0.5 for speed, yaw_rate in commands)


def test_reward_weights_weigh():
    plain, heavy = make(reset_noise=0.0), make(reset_noise=0.0, reward_weights={"power": -1.0})
    for env in (plain, heavy):
        env.reset(seed=0)
    a, b = (env.step(np.full(6, -0.4))[4]["reward_power"] for env in (plain, heavy))
    assert b == pytest.approx(250 * a)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a window system of their own")
def test_a_window_without_a_display_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    env = make(render_mode="human")
    with pytest.raises(RuntimeError, match="needs a display, and there is none; 'rgb_array'"):
        env.reset(seed=0)


def test_a_toppled_robot_ends_the_episode_and_says_so():
    env = make()
    env.reset(seed=0)
    qpos = env.data.qpos.copy()
    qpos[3:7] = np.cos(0.6), np.sin(0.6), 0, 0  # rolled by 69 degrees
    env.reset(seed=0, options={"qpos": qpos})
    _, reward, terminated, _, info = env.step(np.zeros(6))
    assert terminated and info["termination"].startswith("toppled") and np.isfinite(reward)
    assert info["reward_healthy"] == 0.0 and info["reward_power"] < 0.0


@pytest.mark.parametrize("axis", [0, 1])
def test_a_robot_that_leaves_the_ground_has_not_fallen_and_its_episode_is_truncated(axis):
    env = make(terrain="sinusoid")
    env.reset(seed=0)
    qpos = env.data.qpos.copy()
    qpos[axis] += EDGE - 0.02
    env.reset(seed=0, options={"qpos": qpos})
    _, _, terminated, truncated, info = env.step(np.zeros(6))
    assert not terminated and not truncated and info["termination"] == info["truncation"] == ""
    qpos[axis] += 0.04
    env.reset(seed=0, options={"qpos": qpos})
    _, _, terminated, truncated, info = env.step(np.zeros(6))
    assert not terminated and truncated and info["termination"] == "" and info["reward_healthy"] > 0.0
    assert info["truncation"] == "left the terrain"
    qpos[3:7] = np.cos(0.6), np.sin(0.6), 0, 0  # rolled by 69 degrees: a fall is one there, too
    env.reset(seed=0, options={"qpos": qpos})
    _, _, terminated, truncated, info = env.step(np.zeros(6))
    assert terminated and not truncated and info["termination"].startswith("toppled") and info["reward_healthy"] == 0.0
    assert info["truncation"] == ""


def test_a_diverged_simulation_ends_the_episode_with_the_last_good_state(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log file there
    env = make()
    env.reset(seed=0)
    env.data.qvel[:] = 1e9
    before = env.data.qpos.copy()
    observation, reward, terminated, _, info = env.step(np.zeros(6))
    assert terminated and info["termination"].startswith("diverged: ")
    assert np.isfinite(observation).all() and reward == 0.0 and info["reward_healthy"] == 0.0
    np.testing.assert_array_equal(env.last_good_state[0], before)
    env.reset(seed=0)
    assert env.last_good_state is None and not env.data.warning.number.any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"terrain": "swamp"}, "unknown terrain 'swamp'; there are "),
        ({"preset": "best"}, "unknown preset 'best'; there are .*rl"),
        ({"action_mode": "dance"}, "unknown action_mode 'dance'; there are velocity, torque, gait, residual, rate"),
        ({"task": "fly"}, "unknown task 'fly'; there are forward, commanded"),
        ({"observations": ["heigth"]}, "unknown observation 'heigth'; there are height, gravity"),
        ({"observations": ["clock"], "action_mode": "rate"}, "'clock' is constant here: it needs gait or residual"),
        ({"observations": ["height", "height"]}, "named twice"),
        ({"ctrl_dt": 0.021}, "not a multiple of the timestep 0.002 s; the nearest that is: 0.02 s"),
        ({"ctrl_dt": 0.001}, "the nearest that is: 0.002 s"),
        ({"reward_weights": {"speed": 1}}, "unknown reward term 'speed'; task 'forward' has forward, "),
        ({"randomise": {"mass": (1, 2)}}, "cannot randomise 'mass'; there are body_mass"),
        ({"randomise": {"body_mass": (0, 2)}}, "need 0 < low <= high"),
        ({"reset_noise": -1}, "reset_noise must not be negative"),
        ({"command_period": 0}, "command_period must be positive"),
        ({"render_mode": "ascii"}, "unknown render mode 'ascii'; there are human, rgb_array, depth_array"),
    ],
)
def test_bad_options_are_refused_with_what_exists(options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)


def test_a_timestep_that_breaks_the_springs_is_refused_with_the_largest():
    with pytest.raises(ValueError, match=r"too long for the stiffest leg spring \(707 rad/s\).*under 0.00283 s"):
        make(preset=replace(PRESETS["rl"], integrator="implicitfast", timestep=0.005))


@pytest.mark.parametrize("name", ["task", "action_mode", "observations"])
def test_a_reset_cannot_change_the_spaces(name):
    env = make()
    with pytest.raises(ValueError, match=f"unknown option '{name}'"):
        env.reset(options={name: "forward"})


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (np.full(6, np.nan), "must be finite"),
        (np.array([np.inf, -np.inf, 0, 0, 0, 0]), "must be finite"),
        (np.zeros(5), r"has shape \(6,\), got \(5,\)"),
        (0.0, r"has shape \(6,\), got \(\)"),
    ],
)
def test_bad_actions_are_refused_before_the_physics(action, message):
    env = make()
    env.reset(seed=0)
    before = env.data.time
    with pytest.raises(ValueError, match=message):
        env.step(action)
    assert env.data.time == before


def test_actions_are_clipped_to_their_box():
    states = []
    for action in (np.full(6, -1.0), np.full(6, -7.0)):
        env = make()
        env.reset(seed=0)
        states.append(env.step(action)[0])
    np.testing.assert_array_equal(*states)


def test_body_frame_agrees_with_mujoco():
    rng = np.random.default_rng(0)
    qpos, qvel = rng.standard_normal((5, 7)), rng.standard_normal((5, 6))
    qpos[:, 3:] /= np.linalg.norm(qpos[:, 3:], axis=1, keepdims=True)
    expected, rotation, values = np.empty((5, 9)), np.empty((5, 3, 3)), np.zeros((5, 11))
    for row, q in zip(expected, qpos[:, 3:], strict=True):
        mujoco.mju_quat2Mat(row, q)
    kernels.body_frame(qpos, qvel, rotation, values, (6, 0, 3, 9), (0, 1, 1.0, 1))
    np.testing.assert_allclose(rotation.reshape(5, 9), expected, atol=1e-15)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", rotation, values[:, :3]), qvel[:, :3], atol=1e-14)
    np.testing.assert_array_equal(values[:, 3:6], qvel[:, 3:])
    np.testing.assert_allclose(np.einsum("nij,nj->ni", rotation, values[:, 6:9]), [[0, 0, -1]] * 5, atol=1e-15)
    np.testing.assert_array_equal(values[:, 9:], rotation[:, :2, 1])
    turned = np.zeros((5, 11))
    kernels.body_frame(qpos, qvel, rotation, turned, (6, 0, 3, 9), (1, 0, -1.0, 1))
    right, ahead, up = values[:, :9].reshape(5, 3, 3).transpose(2, 0, 1)
    np.testing.assert_array_equal(turned[:, :9].reshape(5, 3, 3).transpose(2, 0, 1), [ahead, -right, up])
    np.testing.assert_array_equal(turned[:, 9:], np.stack([values[:, 10], -values[:, 9]], -1))


def test_height_scan_sees_the_slope_ahead():
    env = make(terrain=Slope(0.0, 0.2), observations=("height_scan",), reset_noise=0.0)
    scan = env.reset(seed=0)[0].reshape(len(free_body.SCAN_FORWARD), len(free_body.SCAN_RIGHT))
    np.testing.assert_allclose(np.diff(scan[:, 0]), -0.2 * np.diff(free_body.SCAN_FORWARD), rtol=1e-5)
    np.testing.assert_allclose(np.ptp(scan, axis=1), 0.0, atol=1e-6)


def clock_commands(action, cycles, times, lead=0):
    parameters = gait_parameters(action)
    return servos.gait_commands(partial(tripod_gait, parameters), 1 / parameters[..., 0], cycles, times, lead)


def test_gait_commands_go_on_smoothly_when_the_cycle_time_changes():
    times = np.linspace(0, 0.02, 9)
    slow, fast = np.zeros(6), np.array([-1.0, 0, 0, 0, 0, 0])
    _, end, _, cycles = clock_commands(slow, np.array(0.3), times)
    commands, _, _, _ = clock_commands(fast, cycles, times)
    np.testing.assert_allclose(commands[0, :, 0], end, atol=1e-12)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_commands_take_leading_dimensions(batch):
    rng = np.random.default_rng(0)
    action, times = rng.uniform(-1, 1, (*batch, 6)), np.linspace(0, 0.02, 5)
    cycles = rng.uniform(size=batch)
    commands, reference, _, _ = clock_commands(action, cycles, times)
    assert commands.shape == (4, *batch, 6, 3) and reference.shape == (*batch, 6)
    for index in np.ndindex(batch):
        one, end, _, _ = clock_commands(action[index], cycles[index], times)
        np.testing.assert_allclose(commands[(slice(None), *index)], one, atol=1e-12)
        np.testing.assert_allclose(reference[index], end, atol=1e-12)


def test_set_points_do_not_run_away_from_a_blocked_hip():
    reference, rate, commands = np.full((1, 6), 50.0), np.zeros((1, 6)), np.zeros((1, 1, 6, 3))
    table, unlimited, times = servos.row_of(HexapodParams())[None], np.full(6, np.inf), np.array([0, 0.02])
    action = np.full((1, 6), 10.0 / HexapodParams().motor.no_load_speed)
    kernels.ramp(np.zeros((1, 25)), np.arange(7, 25, 3), table, unlimited, times, 0, action, reference, rate, commands)
    np.testing.assert_allclose(reference, np.pi + 0.2)
    np.testing.assert_allclose(commands[0, 0, :, 0], np.pi)


def test_rewards_are_what_they_say():
    assert measure.track(0.3, 0.2, 0.1) == pytest.approx(np.exp(-1))
    assert measure.power(np.array([1.0, -2.0]), np.array([-3.0, -4.0])) == 11.0
    assert measure.squared_change(np.array([1.0, 2.0]), np.array([0.0, 0.0])) == 5.0


def test_wrapped_lead_of_the_clock_policy_ignores_whole_turns():
    policy = ClockPolicy(TripodGait(), "velocity", ctrl_dt=0.02, scale=1.0)
    angle, _ = TripodGait().clock()(0.0)
    info = {"time": 0.0, "hip_reference": angle}
    shifted = {"time": 0.0, "hip_reference": angle + 2 * np.pi * np.arange(6)}
    np.testing.assert_allclose(policy(None, info), policy(None, shifted), rtol=1e-5)
    assert wrap(np.pi) == np.pi


def test_documented_terrains_all_reset():
    for terrain in TERRAINS:
        env = make(terrain=terrain)
        env.reset(seed=0)
        toes = env.data.site_xpos[[env.model.site(f"foot_{leg}").id for leg in range(6)]]
        gap = toes[:, 2] - env.terrain.height(toes[:, 0], toes[:, 1])
        assert gap.min() == pytest.approx(0.0, abs=1e-9), terrain


def hand_made_task(asked="forward", shape=()):
    """A body rolled by 0.3 rad about its forward axis, everything else easy to tell apart, and measured."""
    qpos, qvel = np.zeros(25), np.zeros(24)
    qpos[:7] = 1, 2, 0.17, np.cos(0.15), 0, np.sin(0.15), 0
    qpos[7::3], qpos[8::3], qpos[9::3] = 0.1 * np.arange(6), 0.2, 0.18
    qvel[:3], qvel[3:6], qvel[6::3] = (0.1, 0.3, -0.2), (0.5, 0.0, 2.0), np.arange(6)
    sensors = np.array([*range(24), *[0.0] * 3, 1.0, 2.0, 3.0])  # feet, gyroscope, accelerometer
    state = {"qpos": qpos, "qvel": qvel, "sensordata": sensors}
    kept = dict(
        reference=np.full(6, 0.5),
        action=np.full(6, 0.3),
        last_action=np.full(6, 0.1),
        command=np.array([0.2, 1.5]),
        velocity=np.array([-0.4, 0.3]),
        cycles=np.array(0.25),
        pace=np.array([0.1, -0.2, 0.3]),
    )
    task = HexapodTask(shape, task=asked)
    for name, value in kept.items():
        getattr(task, name)[...] = value
    task.bind(
        SimpleNamespace(**{name: np.tile(value, (*shape, 1)).reshape(*shape, -1) for name, value in state.items()})
    )
    task.rest_length, task.ground = np.full(6, 0.2), SimpleNamespace(height=lambda x, y: 0.01 * x + 0.0 * y)
    task.refresh()
    return task


def seen(task, name):
    """Return an entry of the observation, selected or not."""
    value = task.machine_entries()[name].value
    return getattr(task.frame, name) if value is None else value(task)


OBSERVED = {
    "height": [0.16],
    "gravity": [0, -np.sin(0.3), -np.cos(0.3)],
    "velocity": [0.3, -0.1 * np.cos(0.3) - 0.2 * np.sin(0.3), 0.1 * np.sin(0.3) - 0.2 * np.cos(0.3)],
    "angular_velocity": [0.0, -0.5, 2.0],
    "hip_cosine": np.cos(0.1 * np.arange(6)),
    "hip_sine": np.sin(0.1 * np.arange(6)),
    "hip_speed": np.arange(6),
    "hip_lead": 0.5 - 0.1 * np.arange(6),
    "splay": [0.2] * 6,
    "compression": [0.02] * 6,
    "foot_contact": np.minimum(4 * np.arange(6), 1),  # a flat foot has many contacts
    "foot_force": (np.arange(24).reshape(6, 4)[:, [2, 1, 3]] * (1, -1, 1)).ravel(),
    "accelerometer": [2, -1, 3],
    "height_scan": np.repeat([0.16] * 4, 3) - np.tile([-0.002, 0.0, 0.002], 4),
    "action": [0.3] * 6,
    "command": [0.2, 1.5],
    "pace": [0.1, -0.2, 0.3],
    "clock": [0, 1],
    "heading": [1, 0],
    "correction": [0] * 6,
}


def test_every_observation_has_its_expected_value():
    task = hand_made_task()
    assert set(task.machine_entries()) == set(OBSERVED)
    for name, entry in task.machine_entries().items():
        np.testing.assert_allclose(seen(task, name), OBSERVED[name], atol=1e-12, err_msg=name)
        assert seen(task, name).shape == (entry.size,), name


def test_the_documents_axes_are_an_option_and_the_same_numbers_turned():
    names = ("gravity", "velocity", "angular_velocity", "accelerometer", "foot_force", "heading", "push", "hip_sine")
    options = dict(observations=names, push_speed=0.5, push_interval=(0.05, 0.1), terrain="rough")
    forward, documents = make(**options), make(axes="documents", **options)
    ours, theirs = (env.reset(seed=3)[0] for env in (forward, documents))
    for _ in range(20):
        for name, part in forward.observation_slices.items():
            ahead = (
                ours[part] if name == "hip_sine" else ours[part].reshape(-1, 2 if part.stop - part.start == 2 else 3)
            )
            right = theirs[part].reshape(ahead.shape)
            if name != "hip_sine":
                right = np.concatenate([right[:, 1:2], -right[:, :1], right[:, 2:]], 1)
            np.testing.assert_array_equal(ahead, right, err_msg=name)
        action = forward.action_space.sample()
        (ours, paid, *_), (theirs, also, *_) = forward.step(action), documents.step(action)
        assert paid == also
    assert forward.observation_names[:2] == ("gravity.forward", "gravity.left")
    assert documents.observation_names[:2] == ("gravity.x", "gravity.y")
    with pytest.raises(ValueError, match="unknown axes 'y'; there are forward, documents"):
        make(axes="y")


def test_a_robot_that_has_turned_left_sees_its_heading():
    env = make()
    env.reset(seed=0)
    qpos = env.data.qpos.copy()
    qpos[3:7] = np.cos(0.2), 0.0, 0.0, np.sin(0.2)
    observation, _ = env.reset(seed=0, options={"qpos": qpos})
    np.testing.assert_allclose(observation[env.observation_slices["heading"]], [np.cos(0.4), np.sin(0.4)], atol=1e-6)
    assert "heading" not in make(task="commanded").observation_slices


def test_reward_terms_have_their_expected_values():
    speed = np.arange(6)
    torque = HexapodParams().motor.limit(10 * (0.5 - 0.1 * speed) - 0.5 * speed, speed)  # two at their limit
    shared = {"power": np.sum(np.abs(torque * speed)), "action_change": 0.2**2, "healthy": 1.0}
    assert hand_made_task("forward").unweighted_terms() == pytest.approx({"forward": 0.3, "drift": 0.4} | shared)
    task = hand_made_task("commanded")
    task.pace[...] = 0.0
    task.advance()  # the position has not changed: only the yaw rate is not zero
    yaw_rate = (1 - np.exp(-0.02 / 0.25)) * (-0.5 * np.sin(0.3) + 2.0 * np.cos(0.3))
    task.pace[:2] = 0.15, -0.05
    expected = {"speed": np.exp(-(0.05**2 + 0.05**2) / 0.125**2), "yaw_rate": np.exp(-(((yaw_rate - 1.5) / 0.75) ** 2))}
    assert task.unweighted_terms() == pytest.approx(expected | shared)


def test_a_change_of_all_six_hips_costs_the_mean_of_their_squares():
    env = make()
    env.reset(seed=0)
    action = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6])
    assert env.step(action)[4]["reward_action_change"] == pytest.approx(-0.02 * np.mean(action**2), rel=1e-12)


def test_observations_and_rewards_take_leading_dimensions():
    one, several = hand_made_task("commanded"), hand_made_task("commanded", (3,))
    for name, entry in several.machine_entries().items():
        np.testing.assert_array_equal(seen(several, name), np.tile(seen(one, name), (3, 1)), err_msg=name)
        assert seen(several, name).shape == (3, entry.size), name
    assert all(np.shape(term) in ((3,), ()) for term in several.unweighted_terms().values())


def test_gait_actions_move_the_parameters_they_name():
    """Left legs get the differences added, right legs taken off, as in the clock."""
    value = {"cycle_time": 0.8, "duty_factor": 0.6, "sweep_angle": 0.7, "leg_offset": 0.1} | {
        "duty_difference": 0.05,
        "offset_difference": 0.2,
    }
    low, high = np.array(list(GAIT_RANGES.values())).T
    action = 2 * (np.array([value[name] for name in GAIT_RANGES]) - low) / (high - low) - 1
    np.testing.assert_allclose(gait_parameters(action), list(value.values()))
    clock = TripodGait(0.8, 0.48, 0.7, 0.1, 0.04, 0.2).clock()
    times = np.array([0.0, 0.01, 0.02])
    commands, end, end_rate, cycles = clock_commands(action, np.array(0.3), times)
    angle, rate = clock.at(0.3 + times[:, None] / 0.8)
    np.testing.assert_allclose(commands[..., 0], angle[:-1], atol=1e-12)
    np.testing.assert_allclose(commands[..., 1], rate[:-1], atol=1e-12)
    np.testing.assert_allclose((end, end_rate), (angle[-1], rate[-1]), atol=1e-12)
    assert cycles == pytest.approx(0.325)
    ahead = clock_commands(action, np.array(0.3), times, lead=1)[0]
    np.testing.assert_allclose(ahead[..., 0], angle[1:], atol=1e-12)


def test_a_robot_is_taken_by_its_name_and_has_its_own_supply():
    env = gymnasium.make("tarsus:Hexapod-v0", params="rhex")
    env.reset(seed=0)
    assert env.unwrapped.params.body_mass == 7.0
    row = servos.row_of(env.unwrapped.params)
    assert 24.0 in row and 12.0 not in row and 12.0 in servos.row_of(HexapodParams())
    env.reset(options={"params": "rhex-drive"})
    assert env.unwrapped.params.max_torque == pytest.approx(6.142, abs=1e-3)
    assert env.unwrapped.model.opt.timestep == 1e-3  # in 2 ms hips' torques would come out half as large again
    env.reset(options={"params": "table2"})
    assert env.unwrapped.model.opt.timestep == 2e-3
    with pytest.raises(ValueError, match="unknown robot 'rex'; there are table2, rhex"):
        gymnasium.make("tarsus:Hexapod-v0", params="rex")


def test_battery_drains_by_what_the_motors_draw():
    env = make_walker(reset_noise=0.0)
    _, infos = walk(env, 1.0)
    drained = np.array([info["battery_drained"] for info in infos])
    assert np.all(np.diff(drained) > 0)
    info, motor = infos[-1], env.params.motor
    rate = Battery().drain_rate(info["current"], motor.voltage(info["torque"], info["hip_speed"]))
    assert drained[-1] - drained[-2] == pytest.approx(0.02 * rate)
    np.testing.assert_allclose(info["current"], motor.current(info["torque"]))
