"""What makes more than MuJoCo can is refused before it tries, and told by what MuJoCo makes where it can."""

import zipfile

import mujoco
import pytest

from tarsus.mjcf import element_limits, own_robot
from tarsus.mjcf.element_limits import MOST_ELEMENTS, check_elements

GEOM = "<geom size='.1'/>"
CHILD = f"<mujoco model='child'><worldbody><body name='b'>{GEOM * 3}</body></worldbody></mujoco>"


def world(body, asset="", rest=""):
    return f"<mujoco><asset>{asset}</asset><worldbody>{body}</worldbody>{rest}</mujoco>"


def flex(**attributes):
    words = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return world(f"<body name='b'><flexcomp name='f' spacing='.1 .1 .1' mass='1' {words}/></body>")


def doubling(n):
    """Return bodies, of which each attaches the one before it twice."""
    twice = [f"<attach body='a{k}' prefix='p'/><attach body='a{k}' prefix='q'/>" for k in range(n)]
    return world("".join(f"<body name='a{k}'>{inside}</body>" for k, inside in enumerate([GEOM, *twice])))


REFUSED = {
    '<replicate count="30000000"> makes 30000000 elements, and may make 10000': world(
        f"<replicate count='30000000'>{GEOM}</replicate>"
    ),
    '<replicate count="3e7"> makes 30000000 elements': world(f"<replicate count='3e7'>{GEOM}</replicate>"),
    '<replicate count="99999999"> makes 99999999 elements': world("<replicate count='99999999'/>"),
    '<replicate count="200"> makes 40000 elements': world(
        f"<frame><replicate count='200'><body><replicate count='199'>{GEOM}</replicate></body></replicate></frame>"
    ),
    "its repetitions make 17996 elements together": world(f"<replicate count='9000'>{GEOM}</replicate>" * 2),
    '<replicate count="20000"> makes': world(f"<!-- a -- b --><replicate count='2&#48;000'>{GEOM}</replicate>"),
    "makes 64000 elements": flex(count="40 40 40", dim="3"),
    "makes 2000000000 elements": flex(count="2000000000 1 1", dim="1"),
    "asks for 15625 nodes of its cells, and may ask for 2500": flex(
        count="3 3 3", dim="3", dof="quadratic", cellcount="12 12 12"
    ),
    '<attach body="a12" prefix="p"> makes 12287 elements': doubling(40),
    '<attach body="X" prefix="p"> attaches the model or body that holds it, without end': world(
        "<body name='X'><attach body='X' prefix='p'/></body>"
    ),
    "asks for 10000000000 values, and may ask for 67108864": world(
        "", "<texture name='t' width='100000' height='1e5'/>"
    ),
    '<hfield nrow="100000" ncol="100000"> asks for': world("", "<hfield nrow='100000' ncol='100000'/>"),
    '<size nkey="20000000"> asks for': "<mujoco><size nkey='20000000'/></mujoco>",
    '<size nuser_geom="2000000000"> asks for': "<mujoco><size nuser_geom='2000000000'/></mujoco>",
    '<contact num="200000000"> asks for': world("", "", "<sensor><contact num='200000000'/></sensor>"),
    '<camera resolution="200000 200000"> asks for': world("<camera resolution='200000 200000'/>"),
    'params="300000000 .5"> has a parameter above 300': world("", "<mesh builtin='cone' params='300000000 .5'/>"),
    "its elements are nested 20002 deep, and may be 400": world("<frame>" * 20000 + "</frame>" * 20000),
}
TAKEN = {
    "replicates": world(f"<replicate count='20'><replicate count='20'>{GEOM}</replicate></replicate>"),
    "a grid": flex(count="6 6 6", dim="3"),
    "a shell": flex(count="22 22 22", type="ellipsoid", dim="2", radius=".001"),
    "cells": flex(count="3 3 3", dim="3", dof="trilinear", cellcount="3 3 3"),
    "attached twice": doubling(3),
    "many keys": "<mujoco><size nkey='100'/></mujoco>",
    "no XML": "<mujoco><!-- a -- b --><worldbody>< geom name='a>b' size = '.1'pos='0 0 0'/></worldbody></mujoco>",
}
NO_BODIES = {"cells": 27, "a shell": 400}  # the points, where the cells move; the inside of a face, which is left open


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_explodes_is_refused_by_element_number_and_limit(sentence, monkeypatch):
    monkeypatch.setattr(mujoco, "MjSpec", None)  # which would hang
    with pytest.raises(ValueError) as refused:
        own_robot.build(own_robot.OwnRobot(REFUSED[sentence], ("f",)), None)
    assert sentence in str(refused.value) and str(refused.value).startswith("the MJCF makes more than MuJoCo can: ")


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_mujoco_makes_in_a_moment_is_left_to_it_and_was_counted(name):
    check_elements(TAKEN[name], True)
    model = mujoco.MjSpec.from_string(TAKEN[name]).compile()
    counted = element_limits._Model(TAKEN[name], lambda file: None)
    worlds = [element for element in counted.top.walk() if element.name == "worldbody"]
    made = sum(counted.made(world) - 1 for world in worlds)
    assert made == model.nbody - 1 + model.ngeom + NO_BODIES.get(name, 0)


def test_the_projects_own_models_are_taken():
    for path in own_robot.EXAMPLE.parents[1].rglob("*.xml"):
        check_elements(path, False)


def test_files_that_are_included_attached_or_packed_count_too(tmp_path, monkeypatch):
    many = f"<replicate count='4000'>{GEOM * 3}</replicate>"
    (tmp_path / "many.xml").write_text(f"<mujoco model='many'><worldbody>{many}</worldbody></mujoco>")
    (tmp_path / "part.xml").write_text(f"<part>{many}</part>")
    (tmp_path / "child.xml").write_text(CHILD)
    attach = "<replicate count='{}'><attach model='child' body='b' prefix='p'/></replicate>"
    texts = {
        "includes": (world("<include file='part.xml'/>"), 12000),
        "attaches": (world("<attach model='many' prefix='p'/>", "<model file='many.xml'/>"), 12000),
        "repeats": (world(attach.format(2000), "<model file='child.xml'/>"), 2000),
        "loops": ("<mujoco><asset><model name='l' file='loops.xml'/></asset><attach model='l'/></mujoco>", None),
    }
    for name, (text, made) in texts.items():
        path = tmp_path / f"{name}.xml"
        path.write_text(text)
        with pytest.raises(ValueError, match=f"makes {made}" if made == 12000 else "elements, and may|without end"):
            check_elements(path, False)
    with zipfile.ZipFile(tmp_path / "packed.mjz", "w") as archive:
        archive.write(tmp_path / "includes.xml", "a.xml"), archive.write(tmp_path / "part.xml", "part.xml")
    with pytest.raises(ValueError, match="makes 12000 elements"):
        check_elements(tmp_path / "packed.mjz", False)
    few = world(attach.format(20), "<model file='child.xml'/>")
    (tmp_path / "few.xml").write_text(few)
    check_elements(tmp_path / "few.xml", False)
    assert mujoco.MjSpec.from_file(str(tmp_path / "few.xml")).compile().ngeom == 60 < MOST_ELEMENTS
    monkeypatch.chdir(tmp_path)
    check_elements(few, True)


def test_what_mujocos_own_code_throws_is_a_sentence(monkeypatch):
    def throw(text):
        raise RuntimeError("Caught an unknown exception!")

    monkeypatch.setattr(mujoco.MjSpec, "from_string", throw)
    with pytest.raises(ValueError, match="is not an MJCF that MuJoCo can read: Caught an unknown exception"):
        own_robot.build(own_robot.OwnRobot(CHILD, ("f",)), None)
