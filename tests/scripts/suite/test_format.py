"""The cases: their format, what the reader refuses, and that the makers make the files."""

import copy
import json
import math

import jsonschema
import pytest

from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import making

SCHEMA = json.loads((cases.FOLDER / "schema.json").read_text())
FILES = {path.stem: json.loads(path.read_text()) for path in sorted(cases.CASES.glob("*.json"))}


def close(one, other):
    """Whether two values of JSON are alike but for the rounding of numbers on another processor."""
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(close(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(close, one, other))
    return one == other


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", FILES)
def test_a_case_is_valid_and_has_its_file_s_name(name):
    jsonschema.Draft202012Validator(SCHEMA).validate(FILES[name])
    assert FILES[name]["id"] == name
    cases.load(name)


def test_the_files_are_what_the_makers_make():
    made = {case["id"]: case for case in making.made()}
    assert FILES.keys() == made.keys()
    assert [name for name in FILES if not close(FILES[name], made[name])] == []


def test_most_of_the_list_is_there():
    assert len({case["number"] for case in FILES.values()}) >= 36


@pytest.mark.parametrize("name", FILES)
def test_what_moves_has_room_and_answers_have_bounds(name):
    case = cases.load(name)
    for row in case["measurements"]:
        assert row["bound"] <= max(1e-9 * row["scale"], row["tolerance"] / 10)
        assert row["tolerance"] <= 0.05 * row["scale"], "a tolerance of more than a twentieth notices nothing"
    for body in case["bodies"]:
        assert math.isclose(sum(x**2 for x in body["quaternion"]), 1, abs_tol=1e-12)
        if "mass" in body:
            a, b, c = sorted(body["inertia"])
            assert c <= (a + b) * (1 + 1e-9), f"{body['name']}: no body has these moments of inertia"


CASE = FILES["block_stops"]


def changed(**changes):
    """Return the case of the block with parts replaced."""
    return {**copy.deepcopy(CASE), **changes}


def test_defaults_are_those_of_the_schema():
    case = cases.complete(CASE)
    assert case["gravity"] == [0, 0, -9.81] and case["joints"] == [] and case["forces"] == []
    assert case["bodies"][1]["quaternion"] == [1, 0, 0, 0] and case["contacts"][0]["restitution"] == 0
    assert case["contacts"][0]["pairs"] == [["block.box", "ground.plane"]]
    assert "pairs" not in CASE["contacts"][0], "the reader changes what it is given"


MASSLESS = {"name": "block", "mass": 1.0, "shapes": []}
ROW = CASE["measurements"][0]
WRONG = {
    "block_stops: body 'block' needs a mass and an inertia, or neither": changed(bodies=[MASSLESS, CASE["bodies"][1]]),
    "block_stops: two bodies have one name": changed(bodies=[CASE["bodies"][0]] * 2),
    "block_stops: contact names 'moon'; there are block, ground, block.box, ground.plane": changed(
        contacts=[{"name": "contact", "between": ["block", "moon"], "friction": 0.1}]
    ),
    "block_stops: contact 'contact': two coefficients of friction need a direction": changed(
        contacts=[{"name": "contact", "between": ["block", "ground"], "friction": [0.1, 0.2]}]
    ),
    "block_stops: measurement 'distance' needs one of at, mean, greatest, least, change, crossing, period": changed(
        measurements=[{key: value for key, value in ROW.items() if key != "at"}]
    ),
    "block_stops: measurement 'distance' names 'moon'; there are block, ground": changed(
        measurements=[ROW | {"of": "moon"}]
    ),
    "block_stops: measurement 'distance' ends at 99 s, after the case's 2 s": changed(
        measurements=[ROW | {"at": 99}], duration=2.0
    ),
    "block_stops: joint names 'moon'; there are block, ground, world": changed(
        joints=[{"name": "j", "type": "slide", "parent": "moon", "child": "block", "axis": [1, 0, 0]}]
    ),
    "block_stops: joint 'j' lacks an axis or an anchor": changed(
        joints=[{"name": "j", "type": "hinge", "parent": "world", "child": "block", "axis": [1, 0, 0]}]
    ),
    "block_stops: force names 'moon'; there are block, ground": changed(forces=[{"body": "moon", "force": [1, 0, 0]}]),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_a_case_that_contradicts_itself_is_refused(sentence):
    with pytest.raises(ValueError) as refused:
        cases.complete(WRONG[sentence])
    assert str(refused.value) == sentence


def test_an_unknown_case_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="no case 'blok'; there are .*block_stops"):
        cases.load("blok")
