"""Cases of the contact suite: read from JSON and refused where they break the format, defaults filled in.

Needs nothing but the standard library, as the environment of another engine may hold nothing else of ours.
`schema.json` beside this file is the format, which `schema.py` checks.
"""

from __future__ import annotations

import copy
import functools
import json
import math
import reprlib
from pathlib import Path

from . import schema

FOLDER = Path(__file__).parent
CASES = FOLDER / "cases"
REDUCTIONS = ("at", "mean", "greatest", "least", "change", "crossing", "period")
SIZES = {"plane": 0, "box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "point": 0}  # numbers of a shape's size

Case = dict  # as in the schema, with its defaults


@functools.cache
def form() -> dict:
    """Return the format of cases, a JSON schema."""
    return json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))


def ids(folder: Path = CASES) -> list[str]:
    """Return the ids of all cases, in the order of their numbers.

    Raises:
        ValueError: If a file of the folder is no case.
    """
    found = [read(path) for path in sorted(folder.glob("*.json"))]
    return [case["id"] for case in sorted(found, key=lambda case: (case["number"], case["id"]))]


def load(name: str, folder: Path = CASES) -> Case:
    """Return a case, with defaults filled in.

    Raises:
        ValueError: If there is none of that id, or its file is no case: with the file, the place in it, what is allowed
            there and what it is instead.
    """
    path = folder / f"{name}.json"
    if not path.exists():
        raise ValueError(f"there is no case {name!r}; there are {', '.join(ids(folder))}")
    return complete(read(path), str(path))


def read(path: Path) -> dict:
    """Return the contents of a case's file, which has the form of a case; ValueError says what is wrong where."""
    try:
        case = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise ValueError(f"{path}: the document is nested too deeply to be a case") from None
    except ValueError as error:  # of JSON, of UTF-8, or a number of thousands of digits
        raise ValueError(f"{path}: the document is no JSON: {error}") from None
    try:
        schema.check(case, form(), form()["$defs"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if case["id"] != path.stem:
        raise ValueError(f"{path}: id must be the name of the file, got {reprlib.repr(case['id'])}")
    return case


def complete(case: dict, source: str = "") -> Case:
    """Return a case with the schema's defaults, and with `pairs`, the shapes that touch, in every contact.

    ValueError, which begins with the source or else the case's id, if it contradicts itself.
    """
    case = _defaults(copy.deepcopy(case), form(), form()["$defs"])
    for optional in ("joints", "forces"):
        case.setdefault(optional, [])
    try:
        check(case)
    except ValueError as error:
        raise ValueError(f"{source or case['id']}: {error}") from None
    shapes = {body["name"]: [f"{body['name']}.{shape['name']}" for shape in body["shapes"]] for body in case["bodies"]}
    for contact in case["contacts"]:
        first, second = ([name] if "." in name else shapes[name] for name in contact["between"])
        contact["pairs"] = [[one, other] for one in first for other in second]
    return case


def _defaults(value, part: dict, definitions: dict):
    """Return a value with the defaults that a schema names."""
    part = schema.resolved(part, definitions)
    if isinstance(value, list) and "items" in part:
        return [_defaults(item, part["items"], definitions) for item in value]
    if isinstance(value, dict):
        for key, field in part.get("properties", {}).items():
            if key in value:
                value[key] = _defaults(value[key], field, definitions)
            elif "default" in field:
                value[key] = copy.deepcopy(field["default"])
    return value


def check(case: Case) -> None:
    """Check what the schema cannot say; ValueError says the place and what contradicts what."""
    bodies = [body["name"] for body in case["bodies"]]
    shapes = [f"{body['name']}.{shape['name']}" for body in case["bodies"] for shape in body["shapes"]]
    for what in ("bodies", "joints", "contacts", "measurements"):
        _unique(what, [part["name"] for part in case[what]])
    for k, body in enumerate(case["bodies"]):
        _check_body(f"bodies[{k}]", body)
    for k, joint in enumerate(case["joints"]):
        _check_joint(f"joints[{k}]", joint, bodies)
    for k, contact in enumerate(case["contacts"]):
        _known(f"contacts[{k}].between", contact["between"], [*bodies, *shapes])
        _hold(
            isinstance(contact["friction"], list) == ("direction" in contact),
            f"contacts[{k}] needs a direction with two coefficients of friction, and only then",
        )
        _direction(f"contacts[{k}]", contact, "direction")
    for k, force in enumerate(case["forces"]):
        _known(f"forces[{k}].body", [force["body"]], bodies)
        _ordered(f"forces[{k}].during", force.get("during", ()))
    for k, measurement in enumerate(case["measurements"]):
        _check_measurement(f"measurements[{k}]", measurement, case)


def _check_body(place: str, body: dict) -> None:
    _unique(f"{place}.shapes", [shape["name"] for shape in body["shapes"]])
    _hold(("mass" in body) == ("inertia" in body), f"{place} needs a mass and an inertia, or neither")
    _hold("mass" not in body or "motion" not in body, f"{place} has a mass and a motion; driven bodies have no mass")
    if "inertia" in body:
        least, middle, greatest = sorted(body["inertia"])
        fits = greatest <= (least + middle) * (1 + 1e-9)
        _hold(fits, f"{place}.inertia must have no moment greater than the sum of the others, got {body['inertia']}")
    if "motion" in body:
        _series(f"{place}.motion", body["motion"], "velocities")
        _hold(body["motion"]["times"][0] == 0, f"{place}.motion.times must begin at 0")
        _direction(f"{place}.motion", body["motion"], "axis")
    _unit(place, body["quaternion"])
    for k, shape in enumerate(body["shapes"]):
        _unit(f"{place}.shapes[{k}]", shape["quaternion"])
        wanted, got = SIZES[shape["type"]], len(shape["size"])
        _hold(got == wanted, f"{place}.shapes[{k}].size of a {shape['type']} must hold {wanted} numbers, got {got}")


def _check_joint(place: str, joint: dict, bodies: list[str]) -> None:
    _known(f"{place}.parent", [joint["parent"]], [*bodies, "world"])
    _known(f"{place}.child", [joint["child"]], bodies)
    _hold(joint["child"] != joint["parent"], f"{place} joins {reprlib.repr(joint['child'])} to itself")
    has_all = "axis" in joint and (joint["type"] != "hinge" or "anchor" in joint)
    _hold(has_all, f"{place} lacks an axis or an anchor")
    _direction(place, joint, "axis")
    if "drive" in joint:
        _series(f"{place}.drive", joint["drive"], "targets")


def _check_measurement(place: str, measurement: dict, case: Case) -> None:
    bodies = [body["name"] for body in case["bodies"]]
    contacts = [contact["name"] for contact in case["contacts"]]
    _known(f"{place}.of", [measurement["of"]], contacts if measurement["quantity"] == "force" else bodies)
    if "relative_to" in measurement:
        _known(f"{place}.relative_to", [measurement["relative_to"]], bodies)
    _hold(measurement["quantity"] != "angle" or "along" in measurement, f"{place} is of an angle, and lacks along")
    for direction in ("along", "across"):
        _direction(place, measurement, direction)
    named = [reduction for reduction in REDUCTIONS if reduction in measurement]
    _hold(len(named) == 1, f"{place} needs one of {', '.join(REDUCTIONS)}")
    when = measurement[named[0]]
    if isinstance(when, list):
        _ordered(f"{place}.{named[0]}", when)
    last = when["after"] if isinstance(when, dict) else when[1] if isinstance(when, list) else when
    until = case["duration"] * (1 + 1e-9)
    _hold(last <= until, f"{place}.{named[0]} ends at {last:g} s, after the case's {case['duration']:g} s")


def _hold(fits: bool, sentence: str) -> None:
    if not fits:
        raise ValueError(sentence)


def _unique(place: str, names: list[str]) -> None:
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    _hold(twice is None, f"{place} must have names of their own, got {reprlib.repr(twice)} twice")


def _known(place: str, names: list[str], known: list[str]) -> None:
    for name in names:
        _hold(name in known, f"{place} names {reprlib.repr(name)}; there are {schema.shortened(known)}")


def _direction(place: str, part: dict, name: str) -> None:
    fits = name not in part or 1e-9 < math.hypot(*part[name]) < 1e9  # else its square is no number to divide by
    _hold(fits, f"{place}.{name} must be a direction, got {part.get(name)}")


def _unit(place: str, quaternion: list[float]) -> None:
    fits = math.isclose(math.hypot(*quaternion), 1.0, abs_tol=1e-9)
    _hold(fits, f"{place}.quaternion must have the norm 1, got {math.hypot(*quaternion):g}")


def _ordered(place: str, times: list[float]) -> None:
    fits = all(one < other for one, other in zip(times, times[1:], strict=False))
    _hold(fits, f"{place} must be times that rise, got {reprlib.repr(times)}")


def _series(place: str, part: dict, values: str) -> None:
    times, found = len(part["times"]), len(part[values])
    _hold(times == found, f"{place} must have as many times as {values}, got {times} and {found}")
    _ordered(f"{place}.times", part["times"])
