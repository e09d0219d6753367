"""A URDF becomes the robot that it describes: masses, inertias, limits and fixed links as written, root free."""

import re

import mujoco
import numpy as np
import pytest

from tarsus.mjcf import own_robot as models
from tarsus.mjcf import own_servos, own_source, own_urdf

LEG = """
  <link name="{0}_leg"><inertial><origin xyz="0 0 -0.1"/><mass value="0.2"/>{inertia}</inertial>
    <collision><origin xyz="0 0 -0.1"/><geometry><cylinder radius="0.015" length="0.2"/></geometry></collision></link>
  <joint name="{0}" type="revolute"><parent link="trunk"/><child link="{0}_leg"/><origin xyz="{1} {2} 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="12" velocity="8"/>
    <dynamics damping="0.1" friction="0.05"/></joint>
  <link name="{0}_foot"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
  <joint name="{0}_end" type="fixed"><parent link="{0}_leg"/><child link="{0}_foot"/><origin xyz="0 0 -0.2"/></joint>"""
INERTIA = '<inertia ixx="7e-4" iyy="7e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/>'
PLACES = {"FL": (0.15, 0.1), "FR": (0.15, -0.1), "RL": (-0.15, 0.1), "RR": (-0.15, -0.1)}


def urdf(inertia=INERTIA, visual="", more=""):
    legs = "".join(LEG.format(name, *place, inertia=inertia) for name, place in PLACES.items())
    return f"""<?xml version="1.0"?>
<robot name="table"><link name="base"/>
  <joint name="base_fixed" type="fixed"><parent link="base"/><child link="trunk"/></joint>
  <link name="trunk"><inertial><mass value="3"/>
    <inertia ixx="0.01" iyy="0.03" izz="0.035" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.3 0.2 0.06"/></geometry></collision>{visual}</link>{legs}{more}
</robot>"""


def model_of(text):
    return own_source.as_it_is(text)


def test_masses_are_those_written_the_root_is_free_and_fixed_links_stay():
    model = model_of(urdf())
    assert model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE and model.nv == 10
    assert model.body("FL_foot").mass[0] == 0.0  # no <inertial>: MuJoCo would take it from the shape
    assert model.body_subtreemass[0] == pytest.approx(3.8, abs=1e-12)
    np.testing.assert_allclose(model.body("trunk").inertia, [0.035, 0.03, 0.01], rtol=1e-9)
    assert models.OwnRobot(urdf()).feet == ("FL_foot", "FR_foot", "RL_foot", "RR_foot")


def test_an_inertia_that_no_mass_distribution_has_is_simulated_as_it_is():
    odd = '<inertia ixx="7e-4" iyy="2e-3" izz="1e-4" ixy="0" ixz="0" iyz="0"/>'
    model = models.model(models.OwnRobot(urdf(odd)))
    np.testing.assert_allclose(model.body("RL_leg").inertia, [2e-3, 7e-4, 1e-4], rtol=1e-9)
    notes = models.adapted(models.OwnRobot(urdf(odd)), models.Flat())[2]
    assert any("A + B < C" in note and "RL_leg" in note for note in notes)
    with pytest.raises(
        ValueError, match="'FL_leg' has mass 0.2 kg and principal inertias .*-0.0007.*none may be negative"
    ):
        model_of(urdf(odd.replace("7e-4", "-7e-4")))


@pytest.mark.parametrize(("old", "new"), [('value="0.2"', 'value="nan"'), ('izz="1e-4"', 'izz="x"')])
def test_a_mass_or_inertia_that_is_no_number_is_refused_by_its_link(old, new):
    with pytest.raises(ValueError, match="'FL_leg' has (mass 'nan'|izz 'x'), which is no number: correct its <iner"):
        own_source.load(urdf().replace(old, new, 1))


def test_without_any_collision_there_are_no_feet():
    bare = re.sub("<collision>.*?</collision>", "", urdf(), flags=re.DOTALL)
    with pytest.raises(ValueError, match="no feet were found.*nothing of it may touch anything"):
        models.OwnRobot(bare)


def test_the_servo_has_the_limits_of_the_joint():
    model = models.model(models.OwnRobot(urdf(), servo=(40.0, 1.0)))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    dof, torque = model.joint("FL").dofadr[0], {}
    for speed in (0.0, 4.0, 6.0, 8.0, 9.0):
        data.qvel[:] = 0.0
        data.qvel[dof], data.ctrl[:] = speed, 1.0
        data.qpos[model.joint("FL").qposadr[0]] = -0.9
        mujoco.mj_forward(model, data)
        torque[speed] = data.actuator_force[0]
    # 40 N m/rad times 1.9 rad is above the effort of 12 N m, which falls from half the largest speed on to none there.
    np.testing.assert_allclose(
        [torque[speed] for speed in (0.0, 4.0, 6.0, 8.0)], [12.0, 12.0, 12.0 * 0.5, 0.0], atol=1e-9
    )
    assert torque[9.0] < 0.0


def test_meshes_are_looked_for_in_the_package_and_absent_ones_are_said(tmp_path, monkeypatch):
    package = tmp_path / "table_description"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (package / "meshes" / "hull.obj").write_text(tetrahedron)
    mesh = '<geometry><mesh filename="package://table_description/meshes/{}"/></geometry>'
    seen = f"<visual>{mesh.format('hull.dae')}</visual><visual>{mesh.format('hull.obj')}</visual>"
    hit = f"<collision>{mesh.format('none.stl')}</collision>"
    (package / "urdf" / "table.urdf").write_text(urdf(visual=seen + hit))
    (package / "meshes" / "hull.dae").write_text("")  # an OBJ lies beside it
    loaded = own_source.load(package / "urdf" / "table.urdf")
    assert sum(geom.type == mujoco.mjtGeom.mjGEOM_MESH for geom in loaded.spec.geoms) == 2
    assert any("trunk collide with nothing by the mesh" in note and "was not found" in note for note in loaded.notes)
    elsewhere = tmp_path / "elsewhere" / "table.urdf"
    elsewhere.parent.mkdir()
    elsewhere.write_text(urdf(visual=seen))
    assert own_urdf.find_mesh("package://table_description/meshes/hull.obj", elsewhere.parent)  # beside the package
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    assert own_urdf.find_mesh("package://table_description/meshes/hull.obj", None)
    assert own_urdf.find_mesh("package://other/meshes/hull.obj", None) is None


def test_a_joint_that_mimics_another_follows_it():
    tail = LEG.format("tail", 0, 0, inertia=INERTIA).replace(
        "<dynamics", '<mimic joint="FL" multiplier="2" offset="0.1"/><dynamics'
    )
    loaded = own_source.load(urdf(more=tail))
    coupling = loaded.spec.equalities[0]
    assert (coupling.name1, coupling.name2, list(coupling.data[:2])) == ("tail", "FL", [0.1, 2.0])
    assert loaded.spec.compile().neq == 1 and loaded.speeds["tail"] == 8.0


def test_what_is_no_urdf_is_refused():
    xacro = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="a"/></robot>'
    for text, words in ((xacro, "is a xacro: make a URDF"), ("<robot><link></robot>", "the URDF is no XML")):
        with pytest.raises(ValueError, match=words):
            own_source.load(text)


def test_default_gains_follow_from_weight_and_legs():
    model = model_of(urdf())
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    feet = [model.geom(f"{name}_foot_geom_0").id for name in PLACES]
    kp, kd = own_servos.rule(model, data, feet, model.joint("FL").id)
    share, centre = 3.8 / 4, data.subtree_com[1]
    arm = max(0.2, np.linalg.norm(centre - np.array([0.15, 0.1, 0.0])))
    assert kp == pytest.approx(share * 9.81 * arm / 0.125, rel=1e-9)
    assert kd == pytest.approx(2 * 0.2 * np.sqrt(kp * share) * arm, rel=1e-9)


def test_an_offset_of_a_servo_with_a_largest_speed_is_one_of_its_joint_s_angle():
    places, readings = [], []
    for offset, told in ((0.0, 0.3), (0.1, 0.2)):
        model = models.model(models.OwnRobot(urdf(), g=0.1, changes={"joint_offset": offset, "KP.FL": 1.0}))
        data = models.standing(model)
        data.ctrl[:] = told
        mujoco.mj_step(model, data, 1500)
        body = data.xmat[1].reshape(3, 3)
        places.append((data.xpos[model.body("RL_foot").id] - data.xpos[1]) @ body)
        readings.append(data.qpos[7:].copy())
        np.testing.assert_allclose(model.jnt_range[1:] + offset, [[-1.0, 1.0]] * 4)  # the same end stops
        np.testing.assert_allclose(model.qpos_spring[7:], -offset)
    np.testing.assert_allclose(places[1], places[0], atol=1e-4)
    np.testing.assert_allclose(readings, [[0.3] * 4, [0.2] * 4], atol=2e-3)


def test_legs_alike_of_unlike_gains_have_their_reason_told():
    """The arm of a joint is the greater of its distances from its foot and from the mass centre."""
    robot = models.OwnRobot(models.EXAMPLE.with_name("hexapod.urdf"))
    (said,) = [note for note in models.adapted(robot, models.Flat())[2] if "got servos" in note]
    model = models.model(robot)
    data = models.standing(model)
    far, near = (np.linalg.norm(data.joint(name).xanchor - data.subtree_com[1]) for name in ("lf_knee", "lm_knee"))
    kp = [own_servos.gains_of(model)[1][model.actuator(name).id] for name in ("lf_knee", "lm_knee")]
    assert kp[0] / kp[1] == pytest.approx(far / near, rel=1e-3) and far > near
    words = f"of alike legs lf_knee has {100 * (far / near - 1):.0f} % more kp than lm_knee: it is farther"
    assert words in said
    level = models.adapted(models.OwnRobot(urdf()), models.Flat())[2]
    assert any("got servos" in note for note in level) and not any("alike" in note for note in level)
