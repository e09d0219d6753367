"""An MJCF with named feet is an environment by one call, and what cannot be one is refused with a sentence."""

import pickle
import re
import warnings

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tarsus.analytic.terrain import Flat
from tarsus.envs import own_robot
from tarsus.mjcf import PRESETS
from tarsus.mjcf import own_robot as models

FEET = ("FL", "FR", "RL", "RR")
TEXT = models.EXAMPLE.read_text(encoding="utf-8")
WEIGHT = 5.04 * 9.81


@pytest.fixture
def registered(monkeypatch):
    """Registrations that end with the test."""
    monkeypatch.setattr(gymnasium.envs.registration, "registry", dict(gymnasium.registry))
    monkeypatch.setattr(gymnasium, "registry", gymnasium.envs.registration.registry)
    return lambda mjcf=models.EXAMPLE, feet=FEET, **options: own_robot.register("Dog-v0", mjcf, feet, **options)


def make(**options):
    return gymnasium.make("Dog-v0", **options).unwrapped


@pytest.mark.parametrize(
    "options", [{}, {"terrain": "rough"}, {"task": "commanded"}, {"randomise": {"friction_coeff": (0.5, 1.5)}}], ids=str
)
def test_it_passes_the_checker_and_is_the_same_in_both_environments(registered, options):
    registered(reach=0.3, rewards={"tall": (2.0, lambda task: task.height)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**options), skip_render_check=True)
    env = make(**options)
    many = gymnasium.make_vec("Dog-v0", 2, vectorization_mode="vector_entry_point", **options)
    env.reset(seed=0), many.reset(seed=0)
    action = np.linspace(-1, 1, 12).astype(np.float32)
    one, several = env.step(action), many.step(np.stack([action] * 2))
    np.testing.assert_array_equal(one[0], several[0][0])
    assert one[1] == several[1][0] and one[4]["reward_tall"] == pytest.approx(2 * env.task.height)
    again = pickle.loads(pickle.dumps(make(**options, rewards={})))
    again.reset(seed=0)
    np.testing.assert_array_equal(again.step(action)[0], one[0])


def test_it_stands_where_its_keyframe_is_and_actions_move_its_servos(registered):
    registered(reach=0.2)
    env = make(reset_noise=0.0)
    env.reset(seed=0)
    target = np.tile([0.0, 0.8, -1.6], 4)
    for action in (np.zeros(12), np.tile([0.3, -0.5, 0.4], 4)):
        for _ in range(100):
            *_, info = env.step(action.astype(np.float32))
        np.testing.assert_allclose(env.data.ctrl, target + 0.2 * action, atol=1e-7)
        np.testing.assert_allclose(env.data.qpos[7:], env.data.ctrl, atol=0.05)
        assert info["foot_contact"].all() and not info["termination"]
        assert info["foot_force"][:, 2].sum() == pytest.approx(WEIGHT, rel=2e-3)


def test_half_the_range_is_the_reach_by_default_and_controls_stay_in_their_ranges(registered):
    registered()
    env = make()
    np.testing.assert_allclose(env.action_scale, np.tile([0.6, 1.4, 1.1], 4))
    env.reset(seed=0)
    env.step(np.ones(12, np.float32))
    env.task.correction[...] = 1.0
    np.testing.assert_allclose(env.task.controls(np.ones(12))[0], np.tile([0.6, 2.2, -0.5], 4))


def rest(mjcf):
    return models.rest_controls(mujoco.MjModel.from_xml_string(mjcf))


def test_at_rest_servos_hold_the_keyframe_and_motors_the_middle_of_their_range():
    np.testing.assert_allclose(rest(TEXT), np.tile([0.0, 0.8, -1.6], 4))
    given = " ".join(["0.1"] * 12)
    told = TEXT.replace('<key name="home"', f'<key name="home" ctrl="{given}"')
    np.testing.assert_allclose(rest(told), 0.1)
    motor = TEXT.replace('<position name="FL_hip"', '<motor name="FL_hip"').replace(
        'joint="FL_hip" ctrlrange="-0.6 0.6"', 'joint="FL_hip" ctrlrange="-2 6"'
    )
    np.testing.assert_allclose(rest(motor)[:2], [2.0, 0.8])
    geared = TEXT.replace('joint="FL_knee" ctrlrange="-2.4 -0.2"', 'joint="FL_knee" gear="2" ctrlrange="-5 0"')
    np.testing.assert_allclose(rest(geared)[2], -3.2)
    np.testing.assert_allclose(rest(re.sub("<keyframe>.*</keyframe>", "", TEXT, flags=re.DOTALL))[:3], [0, 0, -0.2])


def test_forward_is_the_axis_that_is_named(registered):
    for axis, index in (("x", 0), ("y", 1)):
        registered(forward=axis)
        env = make(reset_noise=0.0, reward_weights={"drift": -1.0})
        velocity = np.zeros(18)
        velocity[index] = 0.3
        env.reset(seed=0, options={"qvel": velocity})
        *_, info = env.step(np.zeros(12, np.float32))
        assert info["reward_forward"] > 0.1 and abs(info["reward_drift"]) < 0.05


def test_the_ground_is_ours_and_clashing_names_are_changed():
    text = (
        TEXT.replace('name="FR"', 'name="toe_0"')
        .replace('site name="imu"', 'site name="foot_1"')
        .replace('site="imu"', 'site="foot_1"')
    )
    text = text.replace('rgba="0.93 0.45 0.13 1"', 'material="grid"')
    foot = 'priority="1" condim="6" friction="0.8 0.02 0.01" margin="0.001" solimp="0.015 1 0.031"'
    text = text.replace('priority="1"', foot).replace('<geom name="FL"', '<site name="FL"/><geom name="FL"')
    robot = models.OwnRobot(text, ("FL", "toe_0", "RL", "RR"), friction=0.45, g=1.62)
    model = models.model(robot, "flat", "rl")
    names = [model.geom(k).name for k in range(model.ngeom)]
    assert "floor" not in names and {"ground", "toe_0", "toe_1", "toe_2", "toe_3"} <= set(names)
    assert models.names_of_feet(model) == {"FL": "toe_0", "toe_0": "toe_1", "RL": "toe_2", "RR": "toe_3"}
    assert model.geom("toe_1").pos[2] == -0.16 and model.body(model.geom("toe_1").bodyid[0]).name == "FR_calf"
    assert model.geom("ground").friction[0] == 0.45 and model.opt.gravity[2] == -1.62 and model.opt.timestep == 2e-3
    data = models.standing(model)
    data.ctrl[:] = models.rest_controls(model)
    mujoco.mj_step(model, data, 1000)
    found = {(contact.dim, contact.friction[0], tuple(contact.solref)) for contact in data.contact}
    assert data.ncon == 4 and found == {(3, 0.45, PRESETS["rl"].solref)}  # none of the file's


def test_its_lowest_foot_touches_the_ground_at_the_start():
    data = models.standing(models.model(models.OwnRobot(models.EXAMPLE, FEET)), Flat())
    feet = [data.site(f"foot_{k}").xpos[2] for k in range(4)]
    assert min(feet) == pytest.approx(0.0, abs=1e-12)


BALL = "<mujoco><worldbody><body name='b'>{}<geom name='f' size='0.1'/></body></worldbody>{}</mujoco>"
MOTOR = "<actuator><motor site='s'/></actuator>"


@pytest.mark.parametrize(
    ("mjcf", "feet", "options", "message"),
    [
        (
            TEXT,
            ("FL", "FRX"),
            {},
            "no sphere, capsule or box 'FRX' to be a foot; there are FL, FR, RL, RR; did you mean 'FR'",
        ),
        (TEXT, ("FL", "FR_calf"), {}, "'FR_calf' is a body: a foot is a geom at the end of a leg"),
        (TEXT, ("floor",), {}, "no sphere, capsule or box 'floor' to be a foot; there are FL"),
        (TEXT, "FL", {}, "feet must be names of geoms; there are FL, FR, RL, RR; got 'FL'"),
        (TEXT, (), {}, "feet must be names of geoms; there are FL, FR, RL, RR"),
        (TEXT, ("FL", "FL"), {}, "named once each, got FL"),
        (TEXT, FEET, {"friction": -1.0}, "friction must not be negative"),
        (TEXT, FEET, {"g": 0.0}, "g positive"),
        (TEXT, FEET, {"g": np.nan}, "finite"),
        (TEXT, FEET, {"forward": "z"}, "forward must be 'x' or 'y'"),
        (TEXT, FEET, {"reach": -0.1}, "reach must be positive"),
        (TEXT, FEET, {"terrain": "swamp"}, "swamp"),
        (TEXT.replace("<freejoint/>", ""), FEET, {}, "needs one free joint, before all others.* has 0"),
        (BALL.format("<freejoint/>", ""), ("f",), {}, "the file has no actuators"),
        (TEXT.replace('class="knee"/>', 'type="ball"/>', 1), FEET, {}, "hinges or slides, not so FL_knee"),
        (TEXT.replace('ctrlrange="-0.6 0.6"', "", 1), FEET, {}, "the actuators FL_hip have no ctrlrange"),
        ("<mujoco><worldbody></mujoco>", FEET, {}, "the MJCF is not an MJCF that MuJoCo can read"),
        ("no_such_file.xml", FEET, {}, "there is no file 'no_such_file.xml'"),
        (7, FEET, {}, "mjcf must be the name of a file or its text, got int"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) and "<" not in value else "",
)
def test_what_cannot_be_an_environment_is_refused(registered, mjcf, feet, options, message):
    with pytest.raises(ValueError, match=message):
        registered(mjcf, feet, **options)
    assert "Dog-v0" not in gymnasium.registry


def test_unknown_options_are_refused_and_a_missing_range_is_no_matter_where_there_is_a_reach(registered):
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        registered(colour="red")
    with pytest.raises(ValueError, match="params must be an OwnRobot"):
        own_robot.OwnRobotEnv()
    with pytest.raises(ValueError, match="cannot randomise 'weight'; there are g, friction_coeff, body_mass"):
        registered(randomise={"weight": (0.9, 1.1)})
    registered(TEXT.replace('ctrlrange="-0.6 0.6"', "", 1), reach=0.5)
    assert make().action_scale == pytest.approx(0.5)


def test_the_defaults_of_0_2_are_options(registered):
    weights = dict(forward=1.0, drift=-0.2, healthy=0.05, action_change=-0.005 * 12)
    registered(reach=0.3, scaled=False, residual_lag=1e-9, typical_speed=1.0, reward_weights=weights)
    env = make(observations=own_robot.OBSERVATIONS_0_2)
    env.reset(seed=0)
    before = np.zeros(12)
    for action in np.random.default_rng(0).uniform(-0.3, 0.3, (5, 12)).astype(np.float32):
        observation, reward, *_ = env.step(action)
        ahead, aside = env.task.velocity
        change = np.sum((action - before) ** 2)
        assert reward == pytest.approx(ahead - 0.2 * abs(aside) + 0.05 - 0.005 * change, abs=1e-9)
        np.testing.assert_allclose(env.data.ctrl, env.task.rest + 0.3 * action, atol=1e-7)
        before = action
    assert observation.size == 1 + 3 + 3 + 3 + 12 + 12 + 4 + 12
