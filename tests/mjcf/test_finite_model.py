"""A number of a robot that is infinite or undefined is refused by its element's name, wherever the file is read."""

import mujoco
import pytest

from tarsus.mjcf.finite_model import check_numbers
from tarsus.mjcf.own_robot import OwnRobot
from tarsus.scripts.library.doctor import examining

ROBOT = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .3"><freejoint/>
<geom name="trunk" size=".1" mass="1"/><body pos="0 0 -.2"><joint name="hip" axis="0 1 0" {joint}/>
<geom name="FL" size=".1" mass=".1" {geom}/></body></body></worldbody>
<actuator><position name="servo" joint="hip" kp="{kp}"/></actuator></mujoco>"""
CASES = {
    "friction": (dict(geom='friction="inf 0 0"'), "geom FL has friction"),
    "solref": (dict(geom='solref="inf 1"'), "geom FL has solref"),
    "damping": (dict(joint='damping="inf"'), "joint hip has damping inf"),
    "frictionloss": (dict(joint='frictionloss="nan"'), "joint hip has frictionloss nan"),
    "stiffness": (dict(joint='stiffness="inf"'), "joint hip has stiffness inf"),
    "kp": (dict(kp="inf"), "actuator servo has gainprm"),
}


def text(joint="", geom="", kp="9"):
    return ROBOT.format(joint=joint, geom=geom, kp=kp)


@pytest.mark.parametrize("change, words", CASES.values(), ids=CASES)
def test_it_is_refused_by_its_element(change, words):
    for read in (lambda robot: OwnRobot(robot, feet=("FL",)), examining.examine):
        with pytest.raises(ValueError, match=f"{words}.*must be finite"):
            read(text(**change))


def test_infinite_ranges_are_none_and_a_whole_model_is_returned():
    model = mujoco.MjModel.from_xml_string(text(joint='range="-inf inf"'))
    assert check_numbers(model) is model
