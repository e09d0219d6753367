"""The cases: their format, what the reader refuses, and that the makers make the files."""

import copy
import json
import math

import jsonschema
import pytest

from tarsus.scripts.command import cli
from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import making, schema

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


BLOCK, GROUND = CASE["bodies"]
ROW = CASE["measurements"][0]
SLIDE = {"name": "j", "type": "slide", "parent": "world", "child": "block", "axis": [1, 0, 0]}
DRIVE = {"stiffness": 1, "damping": 0, "times": [0, 1], "targets": [0]}
TOUCH = {"name": "contact", "between": ["block", "ground"], "friction": 0.1}


def block(**changes):
    """Return the case with another block."""
    return changed(bodies=[BLOCK | changes, GROUND])


WRONG = {
    "bodies[0] needs a mass and an inertia, or neither": changed(
        bodies=[{"name": "block", "mass": 1.0, "shapes": []}, GROUND]
    ),
    "bodies[0] has a mass and a motion; driven bodies have no mass": block(
        motion={"axis": [1, 0, 0], "times": [0], "velocities": [1]}
    ),
    "bodies[0].inertia must have no moment greater than the sum of the others, got [1, 1, 3]": block(inertia=[1, 1, 3]),
    "bodies[0].quaternion must have the norm 1, got 0": block(quaternion=[0, 0, 0, 0]),
    "bodies[0].shapes must have names of their own, got 'a' twice": block(shapes=[{"name": "a", "type": "point"}] * 2),
    "bodies[0].shapes[0].size of a box must hold 3 numbers, got 1": block(
        shapes=[{"name": "box", "type": "box", "size": [1]}]
    ),
    "bodies[1].motion.times must begin at 0": changed(
        bodies=[BLOCK, GROUND | {"motion": {"axis": [1, 0, 0], "times": [1], "velocities": [1]}}]
    ),
    "bodies[1].motion must have as many times as velocities, got 1 and 2": changed(
        bodies=[BLOCK, GROUND | {"motion": {"axis": [1, 0, 0], "times": [0], "velocities": [1, 2]}}]
    ),
    "bodies[1].motion.times must be times that rise, got [0, 2, 1]": changed(
        bodies=[BLOCK, GROUND | {"motion": {"axis": [1, 0, 0], "times": [0, 2, 1], "velocities": [1, 2, 3]}}]
    ),
    "bodies[1].motion.axis must be a direction, got [0, 0, 0]": changed(
        bodies=[BLOCK, GROUND | {"motion": {"axis": [0, 0, 0], "times": [0], "velocities": [1]}}]
    ),
    "bodies must have names of their own, got 'block' twice": changed(bodies=[BLOCK] * 2),
    "contacts[0].between names 'moon'; there are block, ground, block.box, ground.plane": changed(
        contacts=[TOUCH | {"between": ["block", "moon"]}]
    ),
    "contacts[0] needs a direction with two coefficients of friction, and only then": changed(
        contacts=[TOUCH | {"friction": [0.1, 0.2]}]
    ),
    "measurements[0] needs one of at, mean, greatest, least, change, crossing, period": changed(
        measurements=[{key: value for key, value in ROW.items() if key != "at"}]
    ),
    "measurements[0].of names 'moon'; there are block, ground": changed(measurements=[ROW | {"of": "moon"}]),
    "measurements[0].relative_to names 'moon'; there are block, ground": changed(
        measurements=[ROW | {"relative_to": "moon"}]
    ),
    "measurements[0] is of an angle, and lacks along": changed(
        measurements=[{key: value for key, value in ROW.items() if key != "along"} | {"quantity": "angle"}]
    ),
    "measurements[0].at ends at 99 s, after the case's 2 s": changed(measurements=[ROW | {"at": 99}], duration=2.0),
    "joints[0].parent names 'moon'; there are block, ground, world": changed(joints=[SLIDE | {"parent": "moon"}]),
    "joints[0] joins 'block' to itself": changed(joints=[SLIDE | {"parent": "block"}]),
    "joints[0] lacks an axis or an anchor": changed(joints=[SLIDE | {"type": "hinge"}]),
    "joints[0].drive must have as many times as targets, got 2 and 1": changed(joints=[SLIDE | {"drive": DRIVE}]),
    "forces[0].body names 'moon'; there are block, ground": changed(forces=[{"body": "moon", "force": [1, 0, 0]}]),
    "forces[0].during must be times that rise, got [2, 1]": changed(
        forces=[{"body": "block", "force": [1, 0, 0], "during": [2, 1]}]
    ),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_a_case_that_contradicts_itself_is_refused(sentence):
    with pytest.raises(ValueError) as refused:
        cases.complete(WRONG[sentence])
    assert str(refused.value) == f"block_stops: {sentence}"


def test_an_unknown_case_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="no case 'blok'; there are .*block_stops"):
        cases.load("blok")


def without(name):
    return json.dumps({key: value for key, value in CASE.items() if key != name})


FILE = json.dumps(CASE)
BROKEN = {
    "the document is no JSON: Expecting value: line 1 column 1 (char 0)": "",
    "the document is nested too deeply to be a case": "[" * 100_000,
    "the document must be an object, got []": "[]",
    "the document lacks contacts": without("contacts"),
    "the document has no 'mass'; there are format, id, version, ": json.dumps(changed(mass=1)),
    "id must be the name of the file, got 'another'": json.dumps(changed(id="another")),
    "format must be 1, got True": json.dumps(changed(format=True)),
    "version must be a whole number, got 1.0": json.dumps(changed(version=1.0)),
    "duration must be a finite number, got nan": json.dumps(changed(duration=float("nan"))),
    "duration must be a finite number, got inf": FILE.replace('"duration": 2.0', '"duration": 1e400'),
    "duration must be at least 1e-06, got 0": json.dumps(changed(duration=0)),
    "duration must be at most 1000, got 1000000.0": json.dumps(changed(duration=1e6)),
    "duration must be a number, got '2'": json.dumps(changed(duration="2")),
    "title must be text of UTF-8, got ": json.dumps(changed(title="\ud800")),
    "bodies must be a list, got {": json.dumps(changed(bodies=BLOCK)),
    "bodies must be a list of at least 1, got []": json.dumps(changed(bodies=[])),
    "bodies[0].mass must be greater than 0, got -1": json.dumps(block(mass=-1)),
    "bodies[0].name must be text like ^[a-z][a-z0-9_]*$, got 'block\\n'": json.dumps(block(name="block\n")),
    "bodies[0].inertia[1] must be greater than 0, got 0": json.dumps(block(inertia=[1, 0, 1])),
    "bodies[0].mass must be a number, got [{'contacts': [...], 'mass': 1, ...}, {'contacts": json.dumps(
        block(mass=[{"name": "b", "contacts": [[9] * 9] * 9, "mass": 1}] * 20)
    ),
    "bodies[0].position must be a list of at most 3, got [0, 0, 0, 0]": json.dumps(block(position=[0, 0, 0, 0])),
    "bodies[0].shapes[0].type must be plane or box or ": json.dumps(block(shapes=[{"name": "a", "type": "moon"}])),
    "contacts[0].friction must be a number or a list, got '0'": json.dumps(
        changed(contacts=[TOUCH | {"friction": "0"}])
    ),
    "contacts[0].between names 'moon'; there are block, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10 and ": json.dumps(
        changed(
            bodies=[BLOCK, *(GROUND | {"name": f"b{k}"} for k in range(90))],
            contacts=[TOUCH | {"between": ["moon", "b1"]}],
        )
    ),
    "contacts[0].between names 'moon'; there are 'b99999999999...9999999999999', ground, ": json.dumps(
        changed(bodies=[BLOCK | {"name": "b" + "9" * 9999}, GROUND], contacts=[TOUCH | {"between": ["moon", "ground"]}])
    ),
    "joints[0].child names 'b[[[[[[[[[[[...[[[[[[[[[[[[['; there are block, ground": json.dumps(
        changed(joints=[SLIDE | {"child": "b" + "[" * 9999}])
    ),
    "contacts[0].friction[1] must be at least 0, got -1": json.dumps(changed(contacts=[TOUCH | {"friction": [1, -1]}])),
}


@pytest.mark.parametrize("sentence", BROKEN)
def test_a_file_that_is_no_case_is_refused_with_file_place_and_what_is_allowed(sentence, tmp_path, capsys):
    path = tmp_path / "block_stops.json"
    path.write_text(BROKEN[sentence])
    with pytest.raises(ValueError) as refused:
        cases.load("block_stops", tmp_path)
    assert str(refused.value).startswith(f"{path}: {sentence}")
    assert cli.main(["contact-suite", "--cases", str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and str(refused.value) in printed.err and printed.err.count("\n") == 1


def parts(value):
    """Yield the parts of a schema that are schemas."""
    if isinstance(value, dict):
        if {"type", "$ref", "enum", "const", "oneOf"} & value.keys() and not isinstance(value.get("type"), dict):
            yield value
        value = value.values()
    for part in value if not isinstance(value, str | int | float) else ():
        yield from parts(part)


def test_the_reader_knows_every_keyword_of_the_schema():
    used = {keyword for part in parts(SCHEMA) for keyword in part}
    notes = {"$schema", "$defs", "title", "description", "default"}
    assert used - notes == schema.KEYWORDS, "a keyword that is not checked, or checked for nobody"
