"""The mended file: the user's text with a few attributes set, which loads from any folder; and odd files."""

import mujoco
import numpy as np
import pytest

import tarsus
from tarsus.scripts.command.verbs import contact_doctor
from tarsus.scripts.library.doctor import finding, mended_file
from tarsus.scripts.library.doctor.finding import Mend

TEXT = """<mujoco>  <!-- a <geom/> in a comment -->
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 1"><freejoint/>
      <body pos="0 0 1"><geom size='0.1' name='inner > "it"' solref = '0.03 1' /><joint/></body>
      <frame pos="0 0 1"><geom size="0.2"/></frame>
    </body>
  </worldbody>
  <contact><pair geom1="floor" geom2='inner > "it"'/></contact>
</mujoco>"""
BOX = """<mujoco><worldbody>{floor}<body pos="0 0 0.1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
FLOOR = '<geom name="floor" type="plane" size="1 1 1"/>'
URDF = """<robot name="r"><link name="base"/><joint name="a" type="revolute"><parent link="base"/><child link="leg"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="10"/></joint><link name="leg"><inertial>
<mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.05"/></geometry></collision></link></robot>"""


def test_only_the_attributes_that_are_set_differ():
    model = mujoco.MjModel.from_xml_string(TEXT)
    inner = model.geom('inner > "it"').id
    mends = (
        Mend("option", 0, "cone", "elliptic"),
        Mend("geom", inner, "solref", "0.01 1"),
        Mend("geom", 1, "margin", "0.001"),  # the geom in the frame, which MuJoCo counts first
        Mend("pair", 0, "friction", "0.5"),
    )
    text = mended_file.edited(TEXT, mends)
    wanted = TEXT.replace("'0.03 1'", '"0.01 1"').replace('size="0.2"', 'size="0.2" margin="0.001"')
    wanted = wanted.replace("geom2='inner > \"it\"'", 'geom2=\'inner > "it"\' friction="0.5"')
    assert text == wanted.replace("<mujoco>", '<mujoco>\n  <option cone="elliptic"/>', 1)
    made = mujoco.MjModel.from_xml_string(mended_file.written(TEXT, model, mends))
    assert made.geom_solref[inner, 0] == 0.01 and made.geom_margin[1] == 0.001 and made.opt.cone == 1


def test_elements_of_included_files_are_mended_in_a_file_that_mujoco_writes(tmp_path):
    (tmp_path / "parts.xml").write_text(f"<mujoco><worldbody>{FLOOR}</worldbody></mujoco>")
    path = tmp_path / "robot.xml"
    path.write_text(BOX.format(floor="").replace("<worldbody>", '<include file="parts.xml"/><worldbody>'))
    model = mujoco.MjModel.from_xml_path(str(path))
    for mend in (Mend("geom", model.geom("floor").id, "margin", "0.01"), Mend("option", 0, "impratio", "5")):
        made = mujoco.MjModel.from_xml_string(mended_file.written(path, model, (mend,)))
        assert made.opt.impratio == 5 or made.geom("floor").margin == 0.01


def test_the_command_writes_a_file_that_loads_in_its_folder(tmp_path, capsys):
    mesh = "v -0.1 -0.1 -0.1\nv 0.1 -0.1 -0.1\nv 0 0.1 -0.1\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    (tmp_path / "rock.obj").write_text(mesh)
    text = BOX.format(floor=FLOOR).replace('size="0.1"', 'name="rock" type="mesh" mesh="rock"')
    (tmp_path / "robot.xml").write_text(text.replace("<world", '<asset><mesh file="rock.obj"/></asset><world', 1))
    words = [str(tmp_path / "robot.xml"), "--seconds", "0.3", "--out", str(tmp_path / "some" / "out")]
    assert contact_doctor.main(words) == 0
    assert "```diff" in capsys.readouterr().out
    made = mujoco.MjModel.from_xml_path(str(tmp_path / "some" / "out" / contact_doctor.MENDED))
    assert made.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC


def test_models_in_which_nothing_moves_a_contact_or_nothing_weighs_get_a_report():
    hinged = BOX.format(floor=FLOOR).replace("<freejoint/>", '<joint type="hinge"/>')
    assert "no joint moves it along its normal: geom 0 of" in str(tarsus.contact_doctor(hinged, seconds=0.1))
    floating = BOX.format(floor=FLOOR).replace("<worldbody>", '<option gravity="0 0 0"/><worldbody>')
    smooth = (
        BOX.format(floor=FLOOR)
        .replace('size="0.1"', 'size="0.1" friction="0.5"')
        .replace("/><body", ' friction="0"/><body')
    )
    for text in (URDF, floating, smooth, "<mujoco/>"):
        assert str(tarsus.contact_doctor(text, seconds=0.1))
    found = {one.ailment: one for one in tarsus.contact_doctor(smooth, seconds=0.3).findings}["greater friction"]
    assert found.number == 0.5 and "instead of 0" in str(found)


def test_a_servo_that_pushes_the_wrong_way_is_named():
    motor = '<actuator><general joint="j" gaintype="fixed" biastype="affine" biasprm="0 0 50"/></actuator></mujoco>'
    text = BOX.format(floor=FLOOR).replace("<freejoint/>", '<joint name="j" type="slide"/>').replace("</mujoco>", motor)
    found = tarsus.contact_doctor(text, seconds=0.1).findings
    assert any(one.ailment == "long timestep" and "wrong sign" in one.reason for one in found)


def test_what_has_no_name_is_described_by_its_place():
    model = mujoco.MjModel.from_xml_string(TEXT)
    assert finding.name_of(model, 1) == "geom 0 of body a (unnamed)"
    assert finding.joint_of(model, 1) == "joint 0 of the file's body number 2, in body a (unnamed)"
    names = ["FL on floor", "FR on floor", "box on shelf", "knee"]
    assert finding.joined(names) == "FL, FR on floor; box on shelf; knee"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"mjcf": None}, "must be the name of a file or its text, got NoneType"),
        ({"mjcf": "word " * 2000}, "there is no file 'word"),
        ({"mjcf": "."}, "there is no file"),
        ({"seconds": "2"}, "seconds must be a number of simulated seconds, got '2'"),
        ({"seconds": np.nan}, "seconds must be a number of simulated seconds"),
        ({"controls": [[0.0]]}, "controls must be an array of shape"),
        ({"motion": "walk.npz"}, "motion must be `Postures`"),
        ({"contact": 3, "want": {"restitution": 0.5}}, "contact must be the name of a geom, got int"),
        ({"contact": "floor", "want": [0.5]}, "want must be values by their names"),
    ],
)
def test_arguments_of_another_type_are_refused_in_a_sentence(asked, sentence):
    with pytest.raises(ValueError, match=sentence):
        tarsus.contact_doctor(**{"mjcf": BOX.format(floor=FLOOR), "seconds": 0.1} | asked)
