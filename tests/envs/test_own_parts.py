"""Robots that are not ours: feet of any shape, parts drawn at random, contacts that count, baselines to correct."""

import pickle
import warnings

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tarsus.analytic.terrain import Flat, make
from tarsus.envs import own_robot
from tarsus.mjcf import feet, own_parts
from tarsus.mjcf import own_robot as models
from tests.envs.own_robots import ANT, LEGS, POSE, QUADRUPED, ROBOTS, SHANKS, trot

TEXT = QUADRUPED.read_text(encoding="utf-8")
BOXES = TEXT.replace('type="sphere" size="0.02"', 'type="box" size="0.03 0.02 0.01"')
MIXED = TEXT.replace('"FL" class="foot"', '"FL" class="foot" size="0.03"')
DRAWN = {
    "body_mass": (0.8, 1.2),
    "leg_mass": (0.8, 1.2),
    "inertia.trunk": (0.7, 1.3),
    "com.trunk": (-0.02, 0.02),
    "KP.*": (0.8, 1.2),
    "KD": (0.8, 1.2),
    "joint_offset.*": (-0.05, 0.05),
    "max_torque.FL_knee": (0.5, 0.6),
    "friction_coeff.FR": (0.3, 0.4),
    "friction_coeff": (0.9, 1.1),
    "leg_d": (0.5, 2.0),
    "g": (0.9, 1.1),
}


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """Registrations that end with the test."""
    monkeypatch.setattr(gymnasium.envs.registration, "registry", dict(gymnasium.registry))
    monkeypatch.setattr(gymnasium, "registry", gymnasium.envs.registration.registry)


def registered(name, **options):
    own_robot.register(name, **{"baseline": None} | ROBOTS[name] | options)
    return gymnasium.make(name).unwrapped


def same_in_both(name, n_steps=8, **options):
    """Check that one simulation, many, and a restored one are the same to the bit."""
    env = gymnasium.make(name, **options).unwrapped
    many = gymnasium.make_vec(name, 2, vectorization_mode="vector_entry_point", **options)
    one, several = env.reset(seed=5), many.reset(seed=5)
    np.testing.assert_array_equal(one[0], several[0][0])
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, (n_steps, *env.action_space.shape)).astype(np.float32)
    for k, action in enumerate(actions):
        if k == n_steps // 2:
            saved = env.get_state()
        one, several = env.step(action), many.step(np.stack([action] * 2))
        np.testing.assert_array_equal(one[0], several[0][0])
        assert one[1] == several[1][0]
    env.reset(seed=9)
    env.set_state(saved)
    for action in actions[n_steps // 2 :]:
        again = env.step(action)
    np.testing.assert_array_equal(again[0], one[0])
    assert again[1] == one[1]


@pytest.mark.parametrize("name", ROBOTS)
def test_they_pass_the_checker_and_one_is_the_same_as_many_and_as_restored(name):
    env = registered(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)
    same_in_both(name)
    same_in_both(name, terrain="rough", task="commanded")
    copied = pickle.loads(pickle.dumps(env))
    for one in (env, copied):
        one.reset(seed=0)
    action = np.full(env.action_space.shape, 0.5, np.float32)
    np.testing.assert_array_equal(env.step(action)[0], copied.step(action)[0])


@pytest.mark.parametrize(("mjcf", "radius"), [(TEXT, 0.02), (MIXED, 0.0), (BOXES, 0.0), (ANT, 0.0)])
@pytest.mark.parametrize("terrain", ["flat", "slope"])
def test_feet_of_any_shape_carry_the_weight_on_the_ground(mjcf, radius, terrain):
    names, pose = (SHANKS, POSE) if mjcf == ANT else (LEGS, {})
    robot = models.OwnRobot(mjcf, names, pose=pose)
    model = models.model(robot, terrain, "rl")
    assert model.numeric("ground_lowered").data[0] == radius
    data = models.standing(model, make(terrain))
    low = max(make(terrain).height(x, y) - z for x, y, z in feet.support_points(model, data))
    assert abs(low) < (1e-12 if terrain == "flat" else 0.02)  # on a slope the toes' centres are on its normal
    if terrain == "flat":
        data.ctrl[:] = models.rest_controls(model)
        mujoco.mj_step(model, data, 800)
        readings = data.sensordata[:16].reshape(4, 4)
        assert (readings[:, 0] > 0).all()
        assert readings[:, 3].sum() == pytest.approx(model.body_mass.sum() * 9.81, rel=0.05)
        assert np.abs(feet.support_points(model, data)[:, 2]).min() < 2e-3


def test_a_flat_foot_with_four_contacts_is_one_contact_of_the_observation():
    own_robot.register("Boxes-v0", BOXES, LEGS, reach=0.5, baseline=None)
    env = gymnasium.make("Boxes-v0").unwrapped
    env.reset(seed=0)
    for _ in range(50):
        observation, *_, terminated, _, info = env.step(np.zeros(8, np.float32))
    assert info["foot_contact"].all() and env.data.ncon > 4 and not terminated
    assert (observation[env.observation_slices["foot_contact"]] == 1).all()


def test_the_ground_stays_where_it_is_when_its_relief_is_drawn():
    registered("Quadruped-v0")
    env = gymnasium.make("Quadruped-v0", terrain="slope", terrain_difficulty=(0.0, 0.0)).unwrapped
    env.reset(seed=0)
    flat = models.model(env.task.config.params, Flat(), "rl")
    assert env.model.geom("ground").pos[2] == pytest.approx(flat.geom("ground").pos[2], abs=1e-12)


def test_without_a_keyframe_joints_start_within_their_ranges_or_where_they_are_told():
    model = models.model(models.OwnRobot(ANT, SHANKS))
    angles = models.standing(model).qpos[7:]
    np.testing.assert_allclose(np.rad2deg(angles), [0, 30, 0, -30, 0, -30, 0, 30], atol=1e-9)
    told = models.model(models.OwnRobot(ANT, SHANKS, pose=POSE | {"hip_1": 0.2}))
    np.testing.assert_allclose(models.standing(told).qpos[7:], [0.2, 1, 0, -1, 0, -1, 0, 1])


def test_parts_are_drawn_and_what_is_drawn_is_what_is_simulated():
    env = registered("Quadruped-v0")
    same_in_both("Quadruped-v0", randomise=DRAWN)
    env = gymnasium.make("Quadruped-v0", randomise=DRAWN, privileged=list(DRAWN)).unwrapped
    nominal = gymnasium.make("Quadruped-v0").unwrapped.model
    seen = []
    for seed in range(2):
        _, info = env.reset(seed=seed)
        model, drawn = env.model, env.params.changes
        seen.append(info["privileged"])
        trunk, knee = model.body("trunk").id, model.actuator("FL_knee").id
        assert model.body_mass[trunk] == pytest.approx(drawn["body_mass"] * nominal.body_mass[trunk])
        np.testing.assert_allclose(model.body_mass[trunk + 1 :], drawn["leg_mass"] * nominal.body_mass[trunk + 1 :])
        inertia = drawn["inertia.trunk"] * drawn["body_mass"] * nominal.body_inertia[trunk]
        np.testing.assert_allclose(model.body_inertia[trunk], inertia)
        np.testing.assert_allclose(model.body_ipos[trunk], nominal.body_ipos[trunk] + drawn["com.trunk"])
        np.testing.assert_allclose(model.actuator_gainprm[:, 0], 30 * drawn["KP.*"])
        np.testing.assert_allclose(model.actuator_biasprm[:, 0], 30 * drawn["KP.*"] * drawn["joint_offset.*"])
        np.testing.assert_allclose(model.actuator_biasprm[:, 1:3].T, [-30 * drawn["KP.*"], [-0.8 * drawn["KD"]] * 8])
        assert model.actuator_forcerange[knee, 1] == pytest.approx(8 * drawn["max_torque.FL_knee"])
        assert model.geom("toe_1").friction[0] == pytest.approx(drawn["friction_coeff.FR"] * env.params.friction)
        np.testing.assert_allclose(model.dof_damping[6:], 0.1 * drawn["leg_d"])
        assert model.opt.gravity[2] == -env.params.g != -9.81
    assert seen[0].size == 10 + 2 + 8 + 8 and (seen[0] != seen[1]).all()


def test_an_offset_of_the_servos_is_what_they_hold_beside_their_command():
    for offset in (0.0, 0.1):
        robot = models.OwnRobot(QUADRUPED, LEGS, g=0.1, changes={"joint_offset": offset, "max_torque.FL_hip": 0.5})
        model = models.model(robot)
        data = models.standing(model)
        data.qpos[2] += 1.0  # in the air
        mujoco.mj_step(model, data, 2000)
        np.testing.assert_allclose(data.qpos[7:], offset, atol=2e-3)


@pytest.mark.parametrize(
    ("change", "torque"),
    [
        ({}, {"angle": 1.0, "speed": 1.0, "most": 1.0, "fast": 1.0}),
        ({"KP": 0.5}, {"angle": 0.5, "speed": 1.0, "most": 1.0, "fast": 1.0}),
        ({"KD.lf_knee": 0.5}, {"angle": 1.0, "speed": 0.5, "most": 1.0, "fast": 1.0}),
        ({"max_torque": 0.5}, {"angle": 1.0, "speed": 1.0, "most": 0.5, "fast": 0.5}),
    ],
    ids=str,
)
def test_servos_with_a_largest_speed_change_as_they_are_told(change, torque):
    """The URDF's joints have velocity limits of 6 rad/s: their torque falls in a line to 0 there."""
    model = models.model(models.OwnRobot(models.EXAMPLE.with_name("hexapod.urdf"), servo=(8.0, 0.1), changes=change))
    knee = model.joint("lf_knee").id

    def at(ahead, speed):
        data = models.standing(model)
        data.qvel[5 + knee], data.ctrl[:] = speed, models.rest_controls(model)
        data.ctrl[knee - 1] += ahead
        mujoco.mj_forward(model, data)
        return data.actuator_force[knee - 1]

    assert at(0.1, 0.0) == pytest.approx(0.8 * torque["angle"]) and at(0.0, 1.0) == pytest.approx(
        -0.1 * torque["speed"]
    )
    assert at(2.0, 0.0) == pytest.approx(2.5 * torque["most"])
    assert at(2.0, 4.5) == pytest.approx(
        1.25 * torque["fast"]
    )  # of twice as much at rest, a quarter at 3/4 of the speed
    assert at(2.0, 6.0) == pytest.approx(0.0, abs=1e-9)


def test_the_foot_of_less_friction_slides():
    robot = models.OwnRobot(QUADRUPED, LEGS, changes={"friction_coeff.FR": 0.5})
    model = models.model(robot, "flat", "rl")
    data = models.standing(model)
    mujoco.mj_step(model, data, 100)
    found = {model.geom(contact.geom2).name: contact.friction[0] for contact in data.contact}
    assert found == {"toe_0": 1.0, "toe_1": 0.5, "toe_2": 1.0, "toe_3": 1.0}


def test_a_named_part_on_the_ground_ends_an_episode_or_costs():
    registered("Quadruped-v0", fall_contacts=(), cost_contacts=["trunk"])
    down = np.array([0, 0, 0.018, 1, 0, 0, 0, *[-1.0] * 8])  # on its belly, legs folded
    env = gymnasium.make("Quadruped-v0", reset_noise=0.0, ctrl_dt=0.004, fall_height=0.0).unwrapped
    for options, contact in (({}, 0.0), ({"qpos": down}, -0.2)):
        env.reset(seed=0, options=options)
        *_, terminated, _, info = env.step(np.zeros(8, np.float32))
        assert info["reward_contact"] == contact and not terminated
    env = gymnasium.make("Quadruped-v0", fall_contacts=["trunk"], cost_contacts=[], ctrl_dt=0.004).unwrapped
    env.reset(seed=0, options={"qpos": down})
    *_, terminated, _, info = env.step(np.zeros(8, np.float32))
    assert terminated and info["termination"] == "trunk touches the ground" and info["reward_healthy"] == 0


@pytest.mark.parametrize("name", ["Trot-v0", "AntTrot-v0"])
def test_an_action_of_0_is_the_baseline_worth_1_a_step_and_the_tempo_its_speed(name):
    env = registered(name)
    paid, n_steps = {}, 400
    for tempo in (-1.0, 0.0, 1.0):
        env.reset(seed=0)
        action = np.zeros(9, np.float32)
        action[-1] = tempo
        steps = [env.step(action) for _ in range(n_steps)]
        assert not any(terminated for _, _, terminated, _, _ in steps)
        paid[tempo] = np.mean([reward for _, reward, *_ in steps])
        assert env.task.gone == pytest.approx(n_steps * 0.02 * 2.0**tempo, rel=0.2 if tempo else 1e-9)
    assert paid[0.0] == pytest.approx(1.0, abs=0.15) and paid[-1.0] < 0.9
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    noisy = [env.step(np.clip(rng.standard_normal(9), -1, 1).astype(np.float32))[1] for _ in range(n_steps)]
    assert np.mean(noisy) > 0.3


def test_a_table_is_followed_within_the_control_period():
    env = registered("Trot-v0")
    env.reset(seed=0)
    table, at = trot(), env.task.substep_times[env.task.lead :][:10]
    controls = env.task.controls(np.zeros(9))
    for column in range(8):
        expected = np.interp(at / 0.5 * 20, np.arange(20), table[:, column])
        np.testing.assert_allclose(controls[:, column], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": 3.0}, "baseline must be a function\\(time, task\\)"),
        ({"baseline": trot()}, "a table needs baseline_period"),
        ({"baseline": trot()[:, :4], "baseline_period": 1.0}, "has 4 columns; actuators are FL_hip, FL_knee"),
        ({"baseline": lambda time, task: np.zeros(3)}, "baseline must return an array of shape \\(8,\\), got \\(3,\\)"),
        ({"baseline": lambda time, task: 1 / 0}, "baseline raised ZeroDivisionError"),
        (
            {"baseline": lambda time, task: np.tile([-0.8, 0.8], 4)},
            "the baseline falls by itself after .* s: trunk touches the ground; its trunk is at .* m.* an action of 0 "
            "has to stand or walk",
        ),
        ({"baseline_period": 1.0}, "baseline_period must be positive and needs a baseline"),
        ({"tempo_range": 0.5}, "tempo_range must be at least 1"),
        ({"typical_speed": 0.0}, "typical_speed must be positive"),
        ({"pose": {"FL_ankle": 0.1}}, "pose: there is no joint 'FL_ankle'; there are FL_hip, FL_knee, FR_hip"),
        ({"fall_contacts": ["belly"]}, "no body or geom 'belly' to touch the ground; there are trunk$"),
        ({"cost_contacts": ["FL_shank"]}, "nothing of 'FL_shank' but feet can touch the ground"),
        ({"randomise": {"KP.FL_ankle": (0.9, 1.1)}}, "'KP.FL_ankle': KP is of FL_hip, FL_knee"),
        ({"randomise": {"KP": (-0.9, 1.1)}}, "the factors of 'KP' need 0 < low <= high"),
        (
            {"randomise": {"com.trunk": (0.1, -0.1)}},
            "randomise is a range|must be|offsets of 'com.trunk' need low <= high",
        ),
        (
            {"randomise": {"body_mass.trunk": (0.9, 1.1)}},
            "there is no 'body_mass.trunk' to change; there are body_mass",
        ),
        ({"changes": {"colour": 2.0}}, "there is no 'colour' to change; there are body_mass, leg_mass, mass"),
    ],
    ids=lambda given: given if isinstance(given, str) else ", ".join(given),
)
def test_what_cannot_be_is_refused_with_what_there_is(options, message):
    with pytest.raises(ValueError, match=message):
        registered("Quadruped-v0", **options)
    assert "Quadruped-v0" not in gymnasium.registry


def test_motors_without_a_limit_lose_strength_and_servos_without_one_are_said_to_have_none():
    model = models.model(models.OwnRobot(ANT, SHANKS, pose=POSE, servo="file", changes={"max_torque": 0.5}))
    np.testing.assert_allclose(model.actuator_gainprm[:, 0], 0.5)
    with pytest.raises(ValueError, match="'KP': KP is of nothing in this robot"):
        models.model(models.OwnRobot(ANT, SHANKS, pose=POSE, servo="file", changes={"KP": 0.5}))
    unlimited = TEXT.replace(' forcerange="-8 8"', "")
    with pytest.raises(ValueError, match="'max_torque': max_torque is of nothing in this robot"):
        models.model(models.OwnRobot(unlimited, LEGS, changes={"max_torque": 0.5}))
    assert set(own_parts.WHOLE) >= {"body_mass", "leg_mass", "leg_k", "leg_d", "max_torque", "KP", "KD"}
