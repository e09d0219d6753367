"""Files that lack what has nothing to do with the robot, or are of a format MuJoCo does not read, are robots too."""

import re

import mujoco
import numpy as np
import pytest

from tarsus.mjcf import own_meshes, own_robot, own_source, own_urdf
from tests.mjcf.test_own_urdf import INERTIA, LEG, urdf

TEXT = own_robot.EXAMPLE.read_text(encoding="utf-8")
CORNERS = [(x, y, z) for x in (0.0, 0.2) for y in (0.0, 0.1) for z in (0.0, 0.3)]
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4)]


def notes_of(text):
    return "\n".join(own_robot.adapted(own_robot.OwnRobot(text), own_robot.Flat())[2])


def stl_of(corners):
    """Return an STL as text of a box without its top."""
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*corners[k]) for k in face)
        + "endloop\nendfacet\n"
        for face in FACES
    )
    return f"solid box\n{facets}endsolid box\n"


def collada_of(corners, moves="", unit=1.0):
    numbers = " ".join(str(number) for corner in corners for number in corner)
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{unit}"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="f" count="24">{numbers}</float_array></source>
  <source id="n"><float_array count="3">9 9 9</float_array></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="a">{moves}<node id="b"><instance_geometry url="#g"/></node></node>
</visual_scene></library_visual_scenes></COLLADA>"""


def test_many_comments_before_the_first_element_are_passed():
    comments = "<?xml version='1.0'?>\n" + "<!-- made by a tool -->\n" * 200
    assert own_urdf.is_urdf(comments + "<robot name='r'/>")
    assert not own_urdf.is_urdf(comments + "<mujoco><body name='<robot '/></mujoco>")
    assert own_robot.OwnRobot(comments + TEXT).feet == ("FL", "FR", "RL", "RR")


def test_a_pair_with_a_floor_that_is_in_another_file_touches_the_ground():
    bare = "\n".join(line for line in TEXT.splitlines() if 'type="plane"' not in line)
    pairs = "".join(f'<pair geom1="{foot}" geom2="floor" friction="0.1 0.1"/>' for foot in ("FL", "FR", "RL", "RR"))
    text = bare.replace("</mujoco>", f"<contact>{pairs}</contact></mujoco>")
    said = notes_of(text)
    assert "its pairs name 'floor', which is not in the file" in said
    assert "pairs with the floor (FL, FR, RL, RR)" in said
    model = own_robot.model(own_robot.OwnRobot(text))
    assert not model.npair and mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "floor") < 0
    twice = text.replace('geom1="FL" geom2="floor"', 'geom1="FL" geom2="flor"')
    with pytest.raises(ValueError, match="cannot compile the MJCF"):
        own_robot.OwnRobot(twice)


def test_a_file_without_a_free_joint_is_freed_if_it_has_one_robot():
    text = TEXT[: TEXT.index("<keyframe>")].replace("<freejoint/>", "") + "</mujoco>"
    assert "has no free joint: trunk moves freely here" in notes_of(text)
    model = own_robot.model(own_robot.OwnRobot(text))
    assert model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE and model.nv == 18
    door = '<body name="door"><joint name="hinge"/><geom size="0.1"/></body></worldbody>'
    with pytest.raises(ValueError, match="needs one free joint.*has 0"):
        own_robot.OwnRobot(text.replace("</worldbody>", door))


def test_links_that_weigh_nothing_are_held_or_get_the_least_mass():
    fingers = LEG.format("tail", 0, 0, inertia=INERTIA)
    begin = fingers.index("<inertial>")
    light = fingers[:begin] + fingers[fingers.index("</inertial>") + len("</inertial>") :]
    mimic = light.replace("<dynamics", '<mimic joint="FL"/><dynamics')
    for more in (light, mimic):
        robot = own_robot.OwnRobot(urdf(more=more), ("FL_foot", "FR_foot", "RL_foot", "RR_foot"))
        said = own_robot.adapted(robot, own_robot.Flat())[2]
        assert any("1 links that move and weigh nothing are held: tail_leg" in note for note in said)
        model = own_robot.model(robot)
        assert model.nv == 10 and model.neq == 0 and model.body("tail_foot").id > 0
    hip = LEG.format("FL", *(0.15, 0.1), inertia=INERTIA).replace('<parent link="trunk"/>', '<parent link="cross"/>', 1)
    cross = (
        '<link name="cross"/><joint name="abduction" type="revolute"><parent link="trunk"/><child link="cross"/>'
        '<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="9" velocity="8"/></joint>'
    )
    text = urdf().replace(LEG.format("FL", *(0.15, 0.1), inertia=INERTIA), hip + cross)
    model = own_source.as_it_is(text)
    assert model.nv == 11 and model.body("cross").mass[0] == pytest.approx(1e-6)


@pytest.mark.parametrize(
    ("moves", "unit", "low", "high"),
    [
        ("", 1.0, (0, 0, 0), (0.2, 0.1, 0.3)),
        ("<translate>1 2 3</translate>", 0.01, (0.01, 0.02, 0.03), (0.012, 0.021, 0.033)),
        ("<rotate>0 0 1 90</rotate><scale>2 1 1</scale>", 1.0, (-0.1, 0, 0), (0, 0.4, 0.3)),
        ("<matrix>0 -1 0 5 1 0 0 6 0 0 1 7 0 0 0 1</matrix>", 1.0, (4.9, 6, 7), (5, 6.2, 7.3)),
    ],
)
def test_a_collada_mesh_collides_by_the_hull_of_its_scene_in_metres(moves, unit, low, high, tmp_path):
    path = tmp_path / "box.dae"
    path.write_text(collada_of(CORNERS, moves, unit))
    lines = [line.split() for line in own_meshes.as_obj(path).decode().splitlines()]
    points = np.array([line[1:] for line in lines if line[0] == "v"], float)
    np.testing.assert_allclose(points.min(0), low, atol=1e-9)
    np.testing.assert_allclose(points.max(0), high, atol=1e-9)
    assert sum(line[0] == "f" for line in lines) == 12
    flat = [(x, y, 0.0) for x, y, _ in CORNERS]
    path.write_text(collada_of(flat, moves, unit) + "\n")
    assert own_meshes.as_obj(path) is None


@pytest.mark.parametrize(("name", "text"), [("box.stl", stl_of(CORNERS)), ("box.dae", collada_of(CORNERS))])
def test_a_robot_collides_by_an_stl_that_is_text_and_by_collada(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    hit = f'<collision><geometry><mesh filename="{name}" scale="1 1 2"/></geometry></collision>'
    file = tmp_path / "table.urdf"
    file.write_text(urdf(visual=hit))
    loaded = own_source.load(file)
    assert loaded.files == (file, tmp_path / name) and not loaded.notes
    model = own_source.as_it_is(file)
    (mesh,) = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)
    np.testing.assert_allclose(2 * model.geom_aabb[mesh, 3:].max(), 0.6, atol=1e-6)


def test_that_no_feet_are_found_says_which_meshes_are_not_there():
    bare = re.sub("<collision>.*?</collision>", "", urdf(), flags=re.DOTALL)
    hit = '<collision><geometry><mesh filename="none.dae"/></geometry></collision>'
    with pytest.raises(
        ValueError, match="no feet were found.*FL_foot collide with nothing by the mesh none.dae: it was"
    ):
        own_robot.OwnRobot(bare.replace('<link name="FL_foot">', f'<link name="FL_foot">{hit}'))


def test_a_mesh_without_volume_is_no_obstacle_to_a_urdf(tmp_path):
    (tmp_path / "plate.stl").write_text(stl_of([(x, y, 0.0) for x, y, _ in CORNERS]))
    file = tmp_path / "table.urdf"
    file.write_text(urdf(visual='<visual><geometry><mesh filename="plate.stl"/></geometry></visual>'))
    assert own_robot.OwnRobot(file).feet == ("FL_foot", "FR_foot", "RL_foot", "RR_foot")


def test_fixed_parts_beside_the_floor_are_said():
    step = (
        '<geom name="step" type="box" size="0.1 1 0.1" pos="1 0 0" contype="1"/>'
        '<geom type="box" size="1 1 1" pos="4 0 0" contype="1"/>'
    )
    text = TEXT.replace("</worldbody>", f"{step}</worldbody>")
    assert "fixed parts that are no floor stand where they are in the file: a box, step" in notes_of(text)
