"""Multipod-v1 and BigAnt-v1: what their actions, observations, rewards and options mean."""

from dataclasses import replace

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.analytic.models.bigant import BigAntParams
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.terrain import Flat, Rough, Slope
from tarsus.analytic.undulation import undulation_angles
from tarsus.controllers import gaits
from tarsus.envs.bigant import BigAntConfig, BigAntTask
from tarsus.envs.measure import heading
from tarsus.envs.multipod import MultipodConfig, MultipodTask
from tarsus.mjcf import bigant, compile_model, multipod
from tarsus.mjcf.compile import take_parameters

NAMES = ("Multipod-v1", "BigAnt-v1")
QUIET = {"reset_noise": 0.0, "action_mode": "velocity", "scaled": False}


def make(name, **options):
    return gymnasium.make(name, **{**QUIET, **options}).unwrapped


def in_range(task_class, **values):
    """Return the action that names these gait parameters, the middle of the range for others."""
    action = [0.0] * len(task_class.gait_ranges)
    for k, (name, (low, high)) in enumerate(task_class.gait_ranges.items()):
        if name in values:
            action[k] = 2 * (values[name] - low) / (high - low) - 1
    return np.array(action)


def test_undulation_is_the_controllers_gait():
    rng = np.random.default_rng(0)
    for _ in range(20):
        frequency, offset, yaw, roll, steering = rng.uniform(-1, 1, 5)
        frequency, t, n = abs(frequency) + 0.1, rng.uniform(0, 9, 7), int(rng.integers(3, 12))
        gait = gaits.make("undulation", 2 * n, frequency=frequency, phase_offset=offset, yaw=yaw, roll=roll,
                          steering=steering)  # fmt: skip
        ours = undulation_angles(frequency * t, frequency, offset, yaw, roll, steering, n)
        np.testing.assert_allclose(ours, gait(t), atol=1e-12)


def test_bigants_gait_goes_from_ripple_to_tripod_of_the_controllers():
    params, t = BigAntParams(), np.random.default_rng(0).uniform(0, 20, 50)
    for name, lag in (("ripple", 1 / 3), ("tripod", 1 / 2)):
        gait = gaits.make(name, 6, cycle_time=5.0, duty=0.6, sweep_angle=1.2, steering=0.2)
        ours = BigAntTask.gait(params, np.array([0.2, 0.6, 1.2, lag, 0.2]), 0.2 * t)
        turned = np.remainder(ours[0] - gait(t)[0] + np.pi, 2 * np.pi) - np.pi  # phases may differ by whole turns
        np.testing.assert_allclose(turned, 0.0, atol=1e-9)
        np.testing.assert_allclose(ours[1], gait(t)[1], atol=1e-12)


@pytest.mark.parametrize(
    ("name", "task_class", "values", "least"),
    [
        ("Multipod-v1", MultipodTask, {"frequency": 0.5, "yaw": 0.3, "roll": 0.15, "phase_offset": 1.35 * np.pi}, 0.08),
        ("BigAnt-v1", BigAntTask, {"frequency": 0.3, "sweep_angle": 1.4, "duty_factor": 0.6, "lag": 0.5}, 0.02),
    ],
)
def test_a_gait_as_action_walks_forward_and_is_rewarded_for_it(name, task_class, values, least):
    env = make(name, action_mode="gait")
    env.reset(seed=0)
    action, reward = in_range(task_class, **values), 0.0
    for _ in range(250):
        _, gained, terminated, _, info = env.step(action)
        reward += gained
        assert not terminated
    assert info["distance"] / info["time"] > least and info["position"][0] == pytest.approx(info["distance"])
    weight = env.config.REWARDS["forward"]["forward"][0]
    assert info["reward_forward"] == pytest.approx(weight * info["speed"])
    steered = in_range(task_class, **values, steering=task_class.gait_ranges["steering"][1])
    for _ in range(150):
        env.step(steered)
    w, _, _, z = env.data.qpos[3:7]
    assert 2 * np.arctan2(z, w) > 0.03  # to the left


@pytest.mark.parametrize("name", NAMES)
def test_velocity_actions_move_the_joints_they_name(name):
    env = make(name)
    env.reset(seed=0)
    in_the_air = env.data.qpos + np.eye(env.model.nq)[2]  # on the ground, friction holds the feet back
    for k, joint in enumerate(env.action_names):
        env.reset(seed=0, options={"qpos": in_the_air})
        action = np.zeros(len(env.action_names))
        action[k] = 0.2
        for _ in range(5):
            info = env.step(action)[-1]
        moved = info["joint_angle"]
        asked = 0.2 * env.action_scale * 0.1
        assert info["joint_reference"][k] == pytest.approx(asked)
        assert moved[k] == pytest.approx(asked, rel=0.2) and np.abs(np.delete(moved, k)).max() < 0.2 * asked
        number = joint if name == "Multipod-v1" else f"shaft_{k}"
        assert env.data.joint(number).qpos[0] == moved[k]


def test_set_points_stop_at_the_joints_ranges():
    env = make("Multipod-v1")
    env.reset(seed=0)
    for _ in range(50):
        info = env.step(np.ones(6))[-1]
    limits = [env.params.yaw_range, env.params.roll_range] * 3
    np.testing.assert_allclose(info["joint_reference"], limits)
    assert np.all(info["joint_angle"] < np.array(limits) + 0.05)


@pytest.mark.parametrize("name", NAMES)
def test_torque_actions_are_the_motors_torque_within_its_limit(name):
    env = make(name, action_mode="torque")
    env.reset(seed=0)
    for _ in range(5):
        info = env.step(np.full(6, 0.01))[-1]
    motor = env.params.motor
    np.testing.assert_allclose(info["torque"], motor.limit(0.01 * motor.max_torque, info["joint_speed"]))
    np.testing.assert_allclose(info["current"], motor.current(info["torque"]))


@pytest.mark.parametrize(("name", "n_legs"), [("Multipod-v1", 4), ("Multipod-v1", 10), ("BigAnt-v1", 6)])
def test_observations_scale_with_the_legs_and_every_number_has_its_name(name, n_legs):
    env = make(name, **({"n_legs": n_legs} if name == "Multipod-v1" else {}))
    observation, info = env.reset(seed=0)
    names = env.observation_names
    assert len(names) == len(set(names)) == observation.size and len(info["foot_force"]) == n_legs
    assert env.action_space.shape == (n_legs,)
    for _ in range(40):
        observation, *_, info = env.step(env.action_space.sample())
    found = dict(zip(names, observation, strict=True))
    for k, leg in enumerate(env.task.layout.legs):
        assert found[f"foot_contact.{leg}"] == info["foot_contact"][k]
        assert env.data.sensor(f"foot_{k}").data[0] > 0 or not info["foot_contact"][k]
    for k, joint in enumerate(env.task.layout.joints):
        assert found[f"joint_speed.{joint}"] == np.float32(info["joint_speed"][k])
    assert found["height.height"] == np.float32(env.data.qpos[2])


@pytest.mark.parametrize("name", NAMES)
def test_standing_feet_carry_the_weight_and_springs_give_way(name):
    env = make(name, observations=("compression", "foot_force"))
    env.reset(seed=0)
    for _ in range(100):
        observation, *_, info = env.step(np.zeros(6))
    params = env.params
    assert info["foot_force"][:, 2].sum() == pytest.approx(params.total_mass * params.g, rel=0.01)
    stiffness = params.leaf_k if name == "Multipod-v1" else params.leg_k
    compression = observation[env.observation_slices["compression"]]
    assert np.all(compression > 0)
    carried = stiffness * compression.sum()
    assert carried == pytest.approx(params.total_mass * params.g, rel=0.25)  # feet and mounts weigh too
    np.testing.assert_allclose(observation[env.observation_slices["foot_force"]].reshape(6, 3), info["foot_force"])


def test_the_height_scan_looks_ahead_along_x():
    env = make("Multipod-v1", terrain=Slope(0.2, 0.0), observations=("height_scan",))
    scan = env.reset(seed=0)[0].reshape(4, 3)
    assert np.all(np.diff(scan, axis=0) < 0) and np.abs(np.diff(scan, axis=1)).max() < 1e-2
    scan = make("Multipod-v1", terrain=Slope(0.0, 0.2), observations=("height_scan",)).reset(seed=0)[0].reshape(4, 3)
    assert np.all(np.diff(scan, axis=1) > 0)  # the left side is uphill, and columns go to the right


def test_commands_are_met_along_the_heading():
    yawed = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(heading(yawed, 0), (0, 1))
    np.testing.assert_allclose(heading(yawed), (-1, 0))
    env = make("Multipod-v1", task="commanded", action_mode="gait", command_speed=(0.09, 0.09),
               command_yaw_rate=(0.0, 0.0), command_standing=0.0)  # fmt: skip
    rewards = {}
    for roll in (0.15, -0.15):
        env.reset(seed=1)
        terms = [
            env.step(in_range(MultipodTask, yaw=0.3, roll=roll, phase_offset=1.35 * np.pi))[-1] for _ in range(200)
        ]
        rewards[roll] = np.mean([info["reward_speed"] for info in terms[100:]])
        assert terms[-1]["command"][0] == 0.09
    assert rewards[0.15] > 0.5 > 0.1 > rewards[-0.15]


@pytest.mark.parametrize("name", NAMES)
def test_toppling_ends_the_episode_and_says_so(name):
    env = make(name)
    env.reset(seed=0)
    qpos = env.data.qpos.copy()
    qpos[2], qpos[3:7] = 0.5, (np.cos(0.6), np.sin(0.6), 0, 0)
    env.reset(options={"qpos": qpos})
    _, _, terminated, _, info = env.step(np.zeros(6))
    assert terminated and info["termination"] == "toppled: tilted by more than 60 degrees"
    assert info["reward_healthy"] == 0.0
    with pytest.raises(ValueError, match="qpos must be finite and of shape"):
        env.reset(options={"qpos": qpos[:-1]})


def test_a_diverged_simulation_ends_with_a_finite_reward():
    env = make("Multipod-v1")
    env.reset(seed=0)
    env.unwrapped.data.qvel[:] = 1e6  # a start like this is refused
    observation, reward, terminated, _, info = env.step(np.zeros(6))
    assert terminated and info["termination"].startswith("diverged") and reward == 0.0
    assert np.isfinite(observation).all() and env.last_good_state is not None


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("Multipod-v1", {"n_legs": 5}, "even number of legs from 4 to 50"),
        ("Multipod-v1", {"n_legs": 52}, "even number of legs from 4 to 50"),
        ("Multipod-v1", {"task": "dance"}, "unknown task 'dance'; there are forward, commanded"),
        ("Multipod-v1", {"action_mode": "thought"}, "unknown action_mode 'thought'"),
        ("Multipod-v1", {"observations": ("joint_cosine",)}, "unknown observation 'joint_cosine'; there are height"),
        ("Multipod-v1", {"action_mode": "velocity", "observations": ("clock",)}, "'clock' is constant"),
        ("Multipod-v1", {"randomise": {"reach": (0.9, 1.1)}}, "cannot randomise 'reach'; there are body_mass"),
        ("Multipod-v1", {"randomise": {"KP": (1.1, 0.9)}}, "need 0 < low <= high"),
        ("Multipod-v1", {"reward_weights": {"style": 1.0}}, "unknown reward term 'style'"),
        ("Multipod-v1", {"ctrl_dt": 0.021}, "not a multiple of the timestep"),
        ("Multipod-v1", {"reset_noise": -1.0}, "reset_noise must not be negative"),
        ("Multipod-v1", {"command_period": 0.0}, "command_period must be positive"),
        ("BigAnt-v1", {"terrain": "swamp"}, "unknown terrain 'swamp'"),
    ],
)
def test_impossible_options_are_refused_with_what_is_allowed(name, options, message):
    with pytest.raises(ValueError, match=message):
        gymnasium.make(name, **options)


def test_what_shapes_the_spaces_is_fixed_at_make():
    env = make("Multipod-v1", n_legs=8)
    assert env.params.n_legs == 8
    for options in ({"n_legs": 6}, {"action_mode": "gait"}, {"task": "commanded"}, {"observations": ("height",)}):
        with pytest.raises(ValueError, match="unknown option"):
            env.reset(options=options)
    env.reset(options={"params": MultipodParams(n_legs=8, leaf_k=800.0), "terrain": "rough"})
    assert env.params.leaf_k == 800.0 and env.params.n_legs == 8
    env = make("Multipod-v1", params=MultipodParams(n_legs=8))
    with pytest.raises(ValueError, match="fixed when the environment is made"):
        env.reset(options={"params": MultipodParams()})


@pytest.mark.parametrize(
    ("plant", "config", "params"),
    [(multipod, MultipodConfig, MultipodParams()), (bigant, BigAntConfig, BigAntParams())],
)
@pytest.mark.parametrize("terrain", [Flat(), Rough(seed=3)])
def test_randomised_parameters_are_those_of_a_model_built_anew(plant, config, params, terrain):
    """Field by field, for every parameter that may be drawn."""
    drawn = replace(params, **{name: 1.1 * getattr(params, name) for name in config.RANDOMISABLE})
    model = compile_model(plant.build(params, terrain))
    take_parameters(model, compile_model(plant.build(drawn)))
    fresh = compile_model(plant.build(drawn, terrain))
    for name in dir(fresh):
        value = getattr(fresh, name) if not name.startswith("_") and name not in {"opt", "vis", "stat"} else None
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            np.testing.assert_allclose(getattr(model, name), value, rtol=1e-9, atol=1e-12, err_msg=name)
    np.testing.assert_array_equal(model.opt.gravity, fresh.opt.gravity)


def test_randomised_robots_differ_between_episodes_and_repeat_with_the_seed():
    env = make("BigAnt-v1", randomise={"body_mass": (0.8, 1.2), "KP": (0.5, 2.0)})
    masses = []
    for seed in (1, 2, 1):
        env.reset(seed=seed)
        masses.append(env.model.body("torso").mass[0])
        assert masses[-1] == pytest.approx(env.params.body_mass)
        info = env.step(np.full(6, 0.1))[-1]
        params, data = env.params, env.data
        shaft = data.qpos[7:].reshape(6, 4)[:, 1]
        expected = params.KP * (info["joint_reference"] - shaft) + params.KD * (
            0.1 * env.action_scale - info["joint_speed"]
        )
        np.testing.assert_allclose(info["torque"], params.motor.limit(expected, info["joint_speed"]))
    assert masses[0] == masses[2] != masses[1]


@pytest.mark.parametrize("n_legs", [32, 50])
def test_many_legs_on_curved_ground(n_legs):
    env = make("Multipod-v1", n_legs=n_legs, terrain="rough")
    env.reset(seed=0)
    for _ in range(5):
        info = env.step(np.zeros(n_legs))[-1]
    assert info["foot_contact"].sum() >= 3 and not env.data.warning.number.any()
    pairs = [
        [mujoco.mj_id2name(env.model, mujoco.mjtObj.mjOBJ_GEOM, g) for g in pair] for pair in env.data.contact.geom
    ]
    assert all(a.split("_")[1] == b.split("_")[1] for a, b in pairs if "toe" in b or "toe" in a)
