"""An MJCF with named feet is an environment by one call, and what cannot be one is refused with a sentence."""

import functools
import pickle
import re
import warnings

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tarsus.analytic.terrain import Flat, Slope
from tarsus.envs import own_robot, own_trial, own_verdict
from tarsus.envs.free_body import FreeBodyTask
from tarsus.mjcf import PRESETS
from tarsus.mjcf import own_robot as models
from tests.envs.own_robots import ANT, POSE, QUADRUPED, SHANKS, stride, trot

FEET = ("FL", "FR", "RL", "RR")
TEXT = models.EXAMPLE.read_text(encoding="utf-8")
WEIGHT = 5.04 * 9.81


@pytest.fixture
def registered(monkeypatch):
    """Registrations that end with the test."""
    monkeypatch.setattr(gymnasium.envs.registration, "registry", dict(gymnasium.registry))
    monkeypatch.setattr(gymnasium, "registry", gymnasium.envs.registration.registry)
    given = {"baseline": None}
    return lambda mjcf=models.EXAMPLE, feet=FEET, **options: own_robot.register(
        "Mine-v0", mjcf, feet, **given | options
    )


def make(**options):
    return gymnasium.make("Mine-v0", **options).unwrapped


@pytest.mark.parametrize(
    "options", [{}, {"terrain": "rough"}, {"task": "commanded"}, {"randomise": {"friction_coeff": (0.5, 1.5)}}], ids=str
)
def test_it_passes_the_checker_and_is_the_same_in_both_environments(registered, options):
    registered(reach=0.3, rewards={"tall": (2.0, lambda task: task.height)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**options), skip_render_check=True)
    env = make(**options)
    many = gymnasium.make_vec("Mine-v0", 2, vectorization_mode="vector_entry_point", **options)
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


def test_the_reach_is_0_3_rad_by_default_or_given_by_actuator_and_controls_stay_in_their_ranges(registered):
    registered()
    np.testing.assert_allclose(make().action_scale, 0.3)
    registered(reach={"FL_hip": 0.6, "FL_thigh": 1.4, "FL_knee": 1.1})
    np.testing.assert_allclose(make().action_scale, [0.6, 1.4, 1.1, *[0.3] * 9])
    registered(reach=dict(zip(make().task.actuators, np.tile([0.6, 1.4, 1.1], 4), strict=True)))
    env = make()
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


def straight(text):
    return re.sub("<keyframe>.*</keyframe>", "", text, flags=re.DOTALL)


DOOR = TEXT.replace("<freejoint/>", "").replace(
    "</worldbody>", '<body name="door"><joint name="hinge"/><geom size="0.1"/></body></worldbody>'
)
NO_RANGE = TEXT.replace(
    '<position name="FL_hip" joint="FL_hip" ctrlrange="-0.6 0.6"/>', '<motor name="FL_hip" joint="FL_hip"/>'
)


@pytest.mark.parametrize(
    ("mjcf", "feet", "options", "message"),
    [
        (
            TEXT,
            ("FL", "FRX"),
            {},
            "no geom or body 'FRX' to be a foot; there are FL, FR, RL, RR, FL_calf, FR_calf, RL_calf, RR_calf; `tarsus "
            "robot FILE` finds feet that have no name; did you mean FR",
        ),
        (TEXT, ("FR", "FR_calf"), {}, "the feet 'FR' and 'FR_calf' are the same geom 'FR': name one"),
        (TEXT, ("FL", "FR_knee"), {}, "no geom or body 'FR_knee' to be a foot, but a joint; there are FL, FR"),
        (
            TEXT,
            ("floor",),
            {},
            "no geom or body 'floor' to be a foot, but a geom of another shape, or fixed; there are ",
        ),
        (TEXT, "FL", {}, "feet are 'auto' or names of geoms or bodies, got 'FL'"),
        (TEXT, (), {}, "feet are 'auto' or names of geoms or bodies"),
        (TEXT, FEET, {"servo": (0.0, 1.0)}, "servo must be 'auto', 'file' or .kp, kd."),
        (TEXT, FEET, {"servo": {"FL_hip": (1.0, 1.0)}}, "'FL_hip' is no joint without a servo; there are none"),
        (TEXT, FEET, {"keyframe": "run"}, "there is no keyframe 'run'; there are 'home'"),
        (TEXT, FEET, {"pose": {"tail": 1.0}}, "pose: there is no joint 'tail'; there are FL_hip"),
        (
            TEXT,
            FEET,
            {"baseline": "trot"},
            "baseline must be 'clock', a function.time, task. or a table, got 'trot'",
        ),
        (TEXT, ("FL", "FL"), {}, "named once each, got FL"),
        (TEXT, FEET, {"friction": -1.0}, "friction must not be negative"),
        (TEXT, FEET, {"g": 0.0}, "g positive"),
        (TEXT, FEET, {"g": np.nan}, "finite"),
        (TEXT, FEET, {"forward": "z"}, "forward must be 'x' or 'y'"),
        (TEXT, FEET, {"reach": -0.1}, "reach must be positive"),
        (TEXT, FEET, {"terrain": "swamp"}, "swamp"),
        (straight(DOOR), FEET, {}, "needs one free joint, before all others.* has 0"),
        (BALL.format("<freejoint/>", ""), ("f",), {}, "no joints but its free one, so that nothing can move it"),
        (straight(TEXT).replace('class="knee"/>', 'type="ball"/>', 1), FEET, {}, "hinges or slides, unlike FL_knee"),
        (NO_RANGE, FEET, {"servo": "file"}, "the actuators FL_hip have no ctrlrange"),
        ("<mujoco><worldbody></mujoco>", FEET, {}, "the MJCF is not an MJCF that MuJoCo can read"),
        ("no_such_file.xml", FEET, {}, "there is no file 'no_such_file.xml'"),
        (7, FEET, {}, "a robot is the name or the text of an MJCF or URDF, or an MjSpec, got int"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) and "<" not in value else "",
)
def test_what_cannot_be_an_environment_is_refused(registered, mjcf, feet, options, message):
    with pytest.raises(ValueError, match=message):
        registered(mjcf, feet, **options)
    assert "Mine-v0" not in gymnasium.registry


def test_unknown_options_are_refused_and_a_missing_range_is_no_matter_where_there_is_a_reach(registered):
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        registered(colour="red")
    with pytest.raises(TypeError, match="argument 'residual_rang'; there are .*; did you mean residual_range.$"):
        registered(residual_rang=0.2)
    registered(terrain=("slope", 0.1, 0.0))
    assert make().terrain == Slope(0.1, 0.0)
    with pytest.raises(ValueError, match="params must be an OwnRobot"):
        own_robot.OwnRobotEnv()
    with pytest.raises(ValueError, match="cannot randomise 'weight'; there are g, friction_coeff, body_mass"):
        registered(randomise={"weight": (0.9, 1.1)})
    registered(NO_RANGE, servo="file", reach=0.5)
    assert make().action_scale == pytest.approx(0.5)


def test_weights_scale_lag_and_observations_are_options(registered):
    weights = dict(forward=1.0, drift=-0.2, healthy=0.05, action_change=-0.005 * 12, heading=0.0, air_time=0.0)
    registered(reach=0.3, scaled=False, residual_lag=1e-9, typical_speed=1.0, reward_weights=weights)
    env = make(observations=FreeBodyTask.DEFAULT[:8])
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


def warned(register, *args, **options):
    """Register a robot; return the sentences that are said of it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        register(*args, **options)
    return [str(one.message) for one in said if issubclass(one.category, own_robot.RobotWarning)]


def with_option(text):
    at = TEXT.index(">", TEXT.index("<mujoco")) + 1
    return TEXT[:at] + text + TEXT[at:]


def test_every_entry_of_option_and_every_flag_is_the_preset_s(registered):
    odd = 'timestep="0.01" impratio="3" tolerance="1e-3" ls_tolerance="0.5" noslip_tolerance="1" ccd_tolerance="1" '
    odd += 'sleep_tolerance="1" gravity="1 2 -3" wind="1 2 3" magnetic="1 1 1" density="2" viscosity="3" o_margin="1" '
    odd += 'o_solref="1 2" o_solimp=".1 .2 .3 .4 3" o_friction="2 2 2 2 2" integrator="RK4" cone="pyramidal" '
    odd += 'jacobian="sparse" solver="CG" iterations="1" ls_iterations="2" noslip_iterations="3" ccd_iterations="4" '
    odd += 'sdf_iterations="5" sdf_initpoints="6" actuatorgroupdisable="0 2"'
    off = {bit.removeprefix("mjDSBL_").lower() for bit in mujoco.mjtDisableBit.__members__ if "DSBL_" in bit}
    on = {bit.removeprefix("mjENBL_").lower() for bit in mujoco.mjtEnableBit.__members__ if "ENBL_" in bit}
    on.remove("ipc")  # which MuJoCo refuses with RK4
    flags = " ".join([*(f'{name}="disable"' for name in off), *(f'{name}="enable"' for name in on)])
    robot = models.OwnRobot(with_option(f"<option {odd}><flag {flags}/></option>"), FEET)
    plain = models.model(models.OwnRobot(TEXT, FEET), preset="rl").opt
    mine = models.model(robot, preset="rl").opt
    names = [name for name in dir(mine) if not name.startswith("_")]
    assert len(names) > 25
    for name in names:
        np.testing.assert_array_equal(getattr(mine, name), getattr(plain, name), err_msg=name)
    found = {one.option: one for one in models.adapted(robot, Flat(), "rl")[1]}
    assert found["iterations"].of_file == 1 and found["iterations"].used == 100
    assert found["wind"].of_file == (1.0, 2.0, 3.0) and found["flag contact"].used == "enable"
    assert {f"flag {name}" for name in off - {"island"} | on - {"speculative"}} <= set(found)
    said = warned(registered, with_option('<option iterations="1"/>'))
    assert said == ["Mine-v0: the preset replaces of the file: iterations 1 by 100"]
    assert warned(registered) == []


FLOOR, FOOT = '<geom name="floor"', 'pos="0 0 -0.16" mass="0.03" contype="1" conaffinity="1" priority="1"'


@pytest.mark.parametrize(
    ("floor", "foot", "kept"),
    [
        ('friction="0.3"', 'friction="0.4"', 0.4),  # the larger counts
        ('friction="0.3"', 'friction="0.4" priority="-1"', 0.3),
        ('friction="0.9"', 'friction="0.4" priority="1"', 0.4),
        ("", "", 1.0),
        (None, 'friction="0.4"', 0.4),
    ],
)
def test_the_friction_of_its_feet_on_its_floor_is_kept_as_mujoco_combines_it(floor, foot, kept):
    text = TEXT.replace(FOOT, FOOT.replace('priority="1"', foot)).replace(FLOOR, f"{FLOOR} {floor}")
    if floor is None:
        text = re.sub(r'<geom name="floor"[^>]*/>', "", text)
    model = models.model(models.OwnRobot(text, FEET))
    assert model.geom("ground").friction[0] == kept
    own = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(own)
    mujoco.mj_resetDataKeyframe(own, data, 0)
    data.qpos[2] = 0.2  # its feet are in the floor
    mujoco.mj_forward(own, data)
    assert floor is None or {contact.friction[0] for contact in data.contact} == {kept}


def test_every_contact_setting_of_the_file_that_is_replaced_is_said_by_name(registered):
    feet = 'friction="0.3" condim="6" margin="0.01" gap="0.002" solref="0.01 1" solimp="0.8 0.9 0.01" priority="2"'
    soft = TEXT.replace(FOOT, FOOT.replace('priority="1"', feet)).replace(FLOOR, f'{FLOOR} margin="0.02"')
    soft = soft.replace("<compiler", '<option cone="pyramidal"/><compiler')
    (said,) = warned(registered, soft)
    assert said == (
        "Mine-v0: the preset replaces of the file: cone pyramidal by elliptic, condim of the feet 6 by 3, margin of "
        "the feet 0.01 by 0, gap of the feet 0.002 by 0, solref of the feet 0.01 1 by 0.0032 1.2, solimp of the feet "
        "0.8 0.9 0.01 0.5 2 by 0 0.99 0.0004 0.5 2, priority of the feet 2 by 0, margin of the floor 0.02 by 0"
    )
    assert warned(registered, soft, friction=0.7)[1] == (
        "Mine-v0: friction 0.3 of the feet is replaced by 0.7; `friction=0.3` keeps it"
    )
    pair = '<contact><pair geom1="FL" geom2="floor" friction="0.5 0.5" margin="0.1"/></contact><actuator>'
    paired = warned(registered, TEXT.replace("<actuator>", pair))
    assert "margin of pairs with the floor 0.1 by 0" in paired[0]
    assert " ".join(paired).endswith(
        "friction of the feet differs (FL 0.5, FR 1, RL 1, RR 1), and is replaced by 1 of all; "
        "changes={'friction_coeff.FL': 0.5} keeps them"
    )


@pytest.mark.parametrize("bits", [(1, 1), (0, 1), (1, 0), (2, 1), (0, 0)], ids=str)
@pytest.mark.parametrize("terrain", ["flat", "rough"])
def test_parts_lie_on_the_ground_if_the_file_lets_them_touch_its_floor(bits, terrain):
    trunk = 'size="0.17 0.06 0.035" mass="3" contype="1" conaffinity="1"'
    text = TEXT.replace(trunk, trunk.replace('"1"', '"{}"').format(*bits))
    model = models.model(models.OwnRobot(text, FEET), terrain, "rl")
    box = next(k for k in range(model.ngeom) if model.geom_type[k] == mujoco.mjtGeom.mjGEOM_BOX)
    ground = model.geom("ground")
    touches = model.geom_contype[box] & ground.conaffinity[0] or model.geom_conaffinity[box] & ground.contype[0]
    own = mujoco.MjModel.from_xml_string(text)
    floor, mine = own.geom("floor"), own.geom_type.tolist().index(mujoco.mjtGeom.mjGEOM_BOX)
    may = own.geom_contype[mine] & floor.conaffinity[0] or own.geom_conaffinity[mine] & floor.contype[0]
    assert bool(touches) == bool(may)


def test_a_robot_that_collapses_ends_its_episode_and_that_is_said_when_it_is_registered(registered):
    text = re.sub(r'kp="60" kv="1.5"', 'kp="0.01" kv="0"', TEXT)
    (said,) = warned(registered, text)
    assert re.search(r"does not stand: after 0\.\d+ s collapsed: the trunk is below 0.4 of its height", said)
    env = make()
    env.reset(seed=0)
    while not (stepped := env.step(np.zeros(12, np.float32)))[2]:
        pass
    assert stepped[4]["termination"].startswith("collapsed")
    env = make(fall_height=0.0)
    env.reset(seed=0)
    ends = [env.step(np.zeros(12, np.float32)) for _ in range(60)]
    reasons = [info["termination"] for *_, info in ends if info["termination"]]
    assert reasons[0] == "collapsed: parts that are no feet carry over 0.5 of the weight"
    env = make(fall_height=0.0, fall_load=1000.0)
    env.reset(seed=0)
    assert not any(env.step(np.zeros(12, np.float32))[2] for _ in range(60))
    assert env.data.qpos[2] - 0.035 == pytest.approx(
        -0.018, abs=3e-3
    )  # on its belly; the ground is a foot's radius lower
    for options, words in (
        ({"fall_height": 1.0}, "fall_height must be"),
        ({"fall_load": 0.0}, "fall_load must be"),
    ):
        with pytest.raises(ValueError, match=words):
            make(**options)


REST = np.tile([0.0, 0.8, -1.6], 4)


def test_a_baseline_that_stands_has_the_power_of_a_frugal_walk(registered):
    registered(baseline=np.tile(REST, (4, 1)), baseline_period=1.0)
    kwargs = gymnasium.spec("Mine-v0").kwargs
    assert kwargs["typical_power"] == pytest.approx(0.2 * WEIGHT * kwargs["typical_speed"], rel=1e-6)
    env, rng = make(), np.random.default_rng(0)
    env.reset(seed=0)
    rewards = [env.step(rng.uniform(-1, 1, 13).astype(np.float32))[1] for _ in range(50)]
    assert min(rewards) > -2.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, r"falls by itself after 0\.\d+ s: collapsed.*trunk is at 0\.0\d+ m \(0\.2\d+ m at rest\)"),
        ({"fall_height": 0.0, "fall_load": 1000.0}, r"the baseline lies: its trunk is at 0\.0\d+ m .*carry 0\.\d+ of"),
    ],
)
def test_a_baseline_that_lies_is_refused_with_its_numbers(registered, options, words):
    with pytest.raises(ValueError, match=words):
        registered(baseline=np.tile(np.tile([0, 2.0, -2.4], 4), (4, 1)), baseline_period=1.0, **options)


@pytest.mark.parametrize(
    ("path", "way", "turn", "refused"),
    [(0.365, 0.011, 0.9, True), (0.3, 0.29, 0.0, False), (0.01, 0.0, 0.0, False), (0.0, 0.0, 0.5, True)],
)
def test_a_baseline_that_goes_round_is_refused_and_one_that_stands_is_not(path, way, turn, refused):
    task = own_verdict.OwnRobotTask(shape=(), params=models.OwnRobot(TEXT, FEET))
    trial = own_trial.Trial(6.0, "", "", 1.0, 0.0, (), 1.0, path, way, way, turn, 1.0)
    if not refused:
        own_verdict.check_baseline(trial, task)
        return
    with pytest.raises(
        ValueError, match=f"{path:.3f} m/s along its path, of which it makes good {way:.3f} m/s, turning"
    ):
        own_verdict.check_baseline(trial, task)


@pytest.mark.parametrize(
    ("sides", "words"), [((1, 1, 1, 1), r"by 3\d\.\d deg/s"), ((-1, -1, -1, 1), r"by -1\d\.\d deg/s")]
)
def test_an_ant_that_turns_on_the_spot_or_circles_is_refused(registered, sides, words):
    with pytest.raises(ValueError, match="the baseline goes round: .* makes good 0.0.* m/s, turning " + words):
        walk = functools.partial(stride, sides=sides)
        registered(ANT, feet=SHANKS, pose=POSE, servo="file", baseline=walk, baseline_period=1.0)


def test_a_baseline_that_walks_backward_is_called_so(registered):
    table = trot()
    table[:, ::2] += table[:, 1::2]  # the hips' swing alone
    table[:, ::2] = -table[:, ::2] - table[:, 1::2]
    said = warned(registered, QUADRUPED, baseline=table, baseline_period=0.5, reach=0.5)
    assert any(re.search(r"walks 0\.\d+ m/s, of which -0\.\d+ m/s are forward", one) for one in said), said


def test_a_path_that_is_too_long_and_is_no_text_is_no_file():
    with pytest.raises(ValueError, match="there is no file"):
        models.build(models.OwnRobot("x" * 5000, FEET), Flat())
