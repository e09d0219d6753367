"""What is found of a robot: its feet, a pose that stands, a clock, and what its source may be."""

import re

import mujoco
import numpy as np
import pytest

from tarsus.envs import own_clock
from tarsus.envs.own_task import OwnRobotTask
from tarsus.mjcf import feet, own_feet, own_pose, own_source
from tarsus.mjcf import own_robot as models

TEXT = models.EXAMPLE.read_text(encoding="utf-8")
FEET = ("FL", "FR", "RL", "RR")
LIGHT = '<inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/>'
ABSENT, SOLID = '<asset><mesh name="m" file="none.stl"/></asset>', '<geom type="mesh" mesh="m" contype="1"/>'
TETRAHEDRON = {"tip.obj": b"v 0 0 -1\nv 1 0 1\nv -1 1 1\nv -1 -1 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"}


def straight(text=TEXT):
    return text[: text.index("<keyframe>")] + "</mujoco>"


def test_a_robot_is_the_same_from_file_text_and_spec():
    spec = mujoco.MjSpec.from_string(TEXT)
    built = [models.model(models.OwnRobot(source)) for source in (models.EXAMPLE, TEXT, spec)]
    spec.delete(spec.body("RR_calf"))  # the user's own, afterwards
    for other in built[1:]:
        np.testing.assert_array_equal(other.body_mass, built[0].body_mass)
        np.testing.assert_array_equal(other.key_qpos, built[0].key_qpos)


def test_feet_are_found_or_named_by_geom_or_body():
    assert models.OwnRobot(TEXT).feet == FEET
    nameless = TEXT
    for name in FEET:
        nameless = nameless.replace(f'<geom name="{name}" class="foot"/>', '<geom class="foot"/>')
    found = models.OwnRobot(nameless).feet
    assert found == tuple(f"{name}_calf" for name in FEET)
    named = models.model(models.OwnRobot(nameless, found))
    assert [named.geom_type[k] for (k,) in feet.toes(named)] == [mujoco.mjtGeom.mjGEOM_SPHERE] * 4


def test_a_sole_of_spheres_is_one_foot_with_one_force():
    corners = "".join(
        f'<geom class="foot" pos="{x} {y} -0.16" mass="0.01"/>' for x in (-0.03, 0.03) for y in (-0.02, 0.02)
    )
    text = TEXT
    for name in FEET:
        text = text.replace(f'<geom name="{name}" class="foot"/>', corners)
    robot = models.OwnRobot(text)
    model = models.model(robot)
    assert [len(foot) for foot in feet.toes(model)] == [4] * 4
    data = models.standing(model)
    data.ctrl[:] = models.rest_controls(model)
    mujoco.mj_step(model, data, 4000)
    readings = data.sensordata[:16].reshape(4, 4)
    assert readings[:, 3].sum() == pytest.approx(model.body_subtreemass[1] * 9.81, rel=1e-3)
    assert (readings[:, 0] > 1).all()


@pytest.mark.parametrize(("z", "sole"), [(-0.16, True), (-0.08, False)])
def test_a_foot_of_two_spheres_is_a_sole_where_both_are_as_low(z, sole):
    text = TEXT.replace(
        '<geom name="FL" class="foot"/>', f'<geom name="FL" class="foot"/><geom class="foot" pos="0.03 0 {z}"/>'
    )
    model = own_source.as_it_is(text)
    data, foot = own_feet.posed(model, model.qpos0), model.geom("FL").id
    tree = own_feet.Tree(model, data)
    body = [k for k in tree.solid if model.geom_bodyid[k] == model.geom_bodyid[foot]]
    assert own_pose.is_sole(tree, data, foot) == (len(tree.foot(body)) > 1) == sole


@pytest.mark.parametrize("shape", ['type="cylinder" size="0.02 0.01"', 'type="ellipsoid" size="0.03 0.02 0.01"'])
def test_feet_of_these_shapes_begin_on_the_ground(shape):
    text = TEXT.replace('type="sphere" size="0.018"', shape)
    model = models.model(models.OwnRobot(text, FEET))
    data = models.standing(model)
    from tarsus.mjcf.own_feet import lowest

    low = min(lowest(model, data, k) for (k,) in feet.toes(model))
    assert low == pytest.approx(0.0, abs=1e-12)


def test_a_mesh_is_a_foot_by_its_hull_and_a_sphere_is_fitted_to_it():
    text = TEXT.replace("<asset>", '<asset><mesh name="tip" file="tip.obj" scale="0.02 0.02 0.02"/>')
    text = text.replace('type="sphere" size="0.018"', 'type="mesh" mesh="tip"')
    spec = mujoco.MjSpec.from_string(text, assets=TETRAHEDRON)
    robot = models.OwnRobot(spec, FEET)
    model = models.model(robot)
    data = models.standing(model)
    points = feet.support_points(model, data)
    assert points[:, 2].min() == pytest.approx(0.0, abs=1e-9)
    angles = np.linspace(0, np.pi / 2, 20)
    ring = np.array([(np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), -np.cos(a)) for a in angles for b in 7 * angles])
    ball = "".join(f"v {x} {y} {z}\n" for x, y, z in np.vstack([0.03 * ring, [[0, 0, 0.1]]]))
    world = '<asset><mesh name="b" file="b.obj"/></asset><worldbody><geom type="mesh" mesh="b"/></worldbody>'
    world = f"<mujoco>{world}</mujoco>"
    mesh = mujoco.MjModel.from_xml_string(world, assets={"b.obj": ball.encode()})
    at = mujoco.MjData(mesh)
    mujoco.mj_kinematics(mesh, at)
    radius, error = own_feet.sphere_of(mesh, at, 0)
    assert radius == pytest.approx(0.03, rel=5e-3) and error < 1e-4


def test_a_pose_is_found_where_the_file_s_own_does_not_stand():
    text = straight().replace('range="-2.4 -0.2"', 'range="-2.4 2.4"').replace("-2.4 -0.2", "-2.4 2.4")
    robot = models.OwnRobot(text)
    data = models.standing(models.model(robot))
    model = data.model if hasattr(data, "model") else models.model(robot)
    own = own_source.as_it_is(text)
    tips = [own.geom(name).id for name in FEET]
    assert not own_pose.stands(own, own.qpos0, tips) and own_pose.stands(
        own, np.append(own.qpos0[:7], data.qpos[7:]), tips
    )
    knees = data.qpos[7:].reshape(4, 3)[:, 2]
    assert (np.abs(knees) > 0.5).all()
    ends = np.array([data.geom_xpos[k][2] for (k,) in feet.toes(model)])
    assert np.ptp(ends) < 5e-3


def test_a_pose_is_found_from_the_joints_at_0_where_the_first_keyframe_kneels():
    home = 'qpos="0 0 0.27 1 0 0 0  0 0.8 -1.6  0 0.8 -1.6'
    kneeling = TEXT.replace(home, 'qpos="0 0 0.27 1 0 0 0  0 2.2 -0.2  0 2.2 -0.2')  # the front legs are lifted
    assert kneeling != TEXT and models.OwnRobot(kneeling).feet == ("RL", "RR")
    robot = models.OwnRobot(kneeling, pose="found")
    assert robot.feet == FEET
    data = models.standing(models.model(robot))
    np.testing.assert_allclose(np.ptp(data.qpos[7:].reshape(4, 3), axis=0), 0.0, atol=0.1)  # all legs alike
    named = models.OwnRobot(kneeling, pose="found", keyframe="home")  # from there, where it is named
    assert named.feet == ("RL", "RR")


@pytest.mark.parametrize(("knee", "stands"), [(-0.35, False), (-0.6, True)])
def test_a_pose_of_nearly_straight_legs_is_not_taken(knee, stands):
    own = own_source.as_it_is(straight())
    qpos, tips = own.qpos0.copy(), [own.geom(name).id for name in FEET]
    qpos[7:] = np.tile([0.0, -0.5 * knee, knee], 4)
    assert own_pose.stands(own, qpos, tips) == stands


def test_a_clock_s_feet_go_back_in_stance_at_one_speed_and_forward_above_the_ground():
    phases = np.linspace(0, 1, 1001)[:-1]
    ahead, up = np.array([own_clock.path(phase) for phase in phases]).T
    stance = phases < own_clock.DUTY
    np.testing.assert_allclose(np.diff(ahead[stance]), -1e-3 / own_clock.DUTY, atol=1e-12)
    assert (up[stance] == 0).all() and up.max() == pytest.approx(1.0, abs=1e-4) and (up >= 0).all()
    assert ahead[0] == 0.5 and abs(ahead[-1] - 0.5) < 0.01  # continuous around the turn


def test_a_clock_s_table_puts_feet_on_their_paths():
    task = OwnRobotTask(shape=(), params=models.OwnRobot(TEXT), baseline=None)
    model = task.model
    table = own_clock.table(model, 0, 1e-12)  # without weight controls are the angles themselves
    data, rest = models.standing(model), models.standing(model)
    length = np.linalg.norm(rest.site("foot_0").xpos - rest.joint("FL_hip").xanchor)
    for row in range(0, own_clock.ROWS, 5):
        data.qpos[7:] = table[row]
        mujoco.mj_kinematics(model, data)
        ahead, up = own_clock.path(row / own_clock.ROWS)
        moved = data.site("foot_0").xpos - rest.site("foot_0").xpos
        np.testing.assert_allclose(
            moved, length * np.array([own_clock.STRIDE * ahead, 0, own_clock.LIFT * up]), atol=2e-3
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.replace('size="0.17 0.06 0.035"', 'size="170 60 35"').replace("0.16", "160"), "units are metres"),
        (TEXT.replace('qpos="0 0 0.27', 'qpos="0.27'), "the keyframe 'home' has 17 positions and the robot 19"),
        (TEXT.replace('qpos="', 'ctrl="1 2" qpos="'), "the keyframe 'home' has 2 controls and the robot 12"),
        (TEXT.replace('qpos="0 0 0.27', 'qpos="0 0 nan'), "the keyframe 'home' has numbers that are not finite"),
        (TEXT.replace('mass="', 'mass="1000'), "and weighs .* masses in grams"),
        (TEXT.replace("<freejoint/>", f"<freejoint/>{LIGHT}"), "mjMINVAL.*; give each an <inertial> of positive mass"),
        (TEXT.replace("<worldbody>", f"{ABSENT}<worldbody>").replace("<freejoint/>", f"<freejoint/>{SOLID}"), "put it"),
        ("<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>", "has no joints, so that nothing"),
        (
            straight().replace(
                "<freejoint/>", '<joint name="x" type="slide" axis="1 0 0"/><joint name="y" axis="0 1 0"/>'
            ),
            "in a plane",
        ),
    ],
)
def test_what_is_no_robot_is_refused_with_what_there_is(text, words):
    from tarsus.envs import own_robot

    with pytest.raises(ValueError, match=words):
        own_robot.register("Odd-v0", text)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('range="-2.4 -0.2"', 'range="-2.4 -2.0"', "outside the range of FL_knee (-2.4 to -2, at -1.6), FR_knee"),
        (
            'range="-2.4 -0.2"',
            'range="-0.2 -2.4"',
            "range of FL_knee (-0.2 to -2.4), .* ends where it begins or before",
        ),
        ('range="-2.4 -0.2"', 'range="-137 -11"', "range of FL_knee (-137 to -11), .*may be in degrees"),
        ('range="-0.6 2.2"', 'range="0.7 900"', ""),  # of a wheel, or of a motor that turns freely
    ],
)
def test_ranges_that_leave_out_the_pose_or_are_none_are_said(old, new, words):
    robot = models.OwnRobot(TEXT.replace(old, new, 1), FEET)
    said = "\n".join(models.adapted(robot, models.Flat())[2])
    assert re.search(words.replace("(", r"\(").replace(")", r"\)"), said) if words else not said


def test_a_file_that_another_includes_is_read_anew_once_it_is_edited(tmp_path):
    import gymnasium

    from tarsus.envs import own_robot

    begin, end = TEXT.index("<worldbody>"), TEXT.index("</worldbody>") + len("</worldbody>")
    body, whole = tmp_path / "body.xml", tmp_path / "whole.xml"
    whole.write_text(f'{TEXT[:begin]}<include file="body.xml"/>{TEXT[end:]}')
    body.write_text(f"<mujocoinclude>{TEXT[begin:end]}</mujocoinclude>")
    assert own_source.load(whole).files == (whole, body)
    own_robot.register("Whole-v0", whole, check=False)
    before = gymnasium.make("Whole-v0").unwrapped.model
    other = '<freejoint/><geom type="sphere" size="0.01" pos="0 0 0.05" mass="0.1"/>'
    body.write_text(body.read_text().replace("<freejoint/>", other))
    one, many = gymnasium.make("Whole-v0"), gymnasium.make_vec("Whole-v0", 1)
    for env in (one, many):
        model = env.unwrapped.task.model
        assert model.ngeom == before.ngeom + 1
        assert model.body_subtreemass[1] == pytest.approx(before.body_subtreemass[1] + 0.1)
    gymnasium.registry.pop("Whole-v0")


@pytest.mark.parametrize("urdf", [False, True])
def test_a_mesh_is_read_anew_once_it_is_edited(urdf, tmp_path):
    tip, robot = tmp_path / "tip.obj", tmp_path / ("robot.urdf" if urdf else "robot.xml")
    tip.write_bytes(TETRAHEDRON["tip.obj"])
    if urdf:
        text = models.EXAMPLE.with_name("hexapod.urdf").read_text()
        robot.write_text(text.replace('<sphere radius="', '<mesh filename="tip.obj" scale="0.01 0.01 0.01"/><_ r="'))
    else:
        text = TEXT.replace("<asset>", '<asset><mesh name="tip" file="tip.obj" scale="0.02 0.02 0.02"/>')
        robot.write_text(text.replace('type="sphere" size="0.018"', 'type="mesh" mesh="tip"'))
    assert own_source.load(robot).files == (robot, tip)
    heights = []
    for place in (b"0 0 -1", b"0 0 -2"):
        tip.write_bytes(TETRAHEDRON["tip.obj"].replace(b"0 0 -1", place))
        model = own_source.as_it_is(robot)
        heights.append(np.ptp(model.mesh_vert[:, 2]))
    assert heights[1] > heights[0] * 1.2


@pytest.mark.parametrize("folder", ["", "soft"])
def test_the_file_of_a_flexcomp_is_one_of_the_robot(folder, tmp_path):
    rag = tmp_path / folder / "rag.obj"
    rag.parent.mkdir(exist_ok=True)
    rag.write_bytes(TETRAHEDRON["tip.obj"])
    flex = '<flexcomp name="rag" type="mesh" file="rag.obj" dim="2" scale="0.01 0.01 0.01" mass="0.01" rigid="true"/>'
    text = TEXT.replace("<freejoint/>", f"<freejoint/>{flex}").replace("<compiler", f'<compiler meshdir="{folder}"')
    robot = tmp_path / "robot.xml"
    robot.write_text(text)
    assert own_source.load(robot).files == (robot, rag)
    before = own_source.as_it_is(robot).flex_vert0.copy()
    rag.write_bytes(TETRAHEDRON["tip.obj"].replace(b"0 0 -1", b"0 0 -2"))
    assert np.ptp(own_source.as_it_is(robot).flex_vert0[:, 2]) != np.ptp(before[:, 2])
