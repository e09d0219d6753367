"""Cases of the contact suite: read from JSON, refused where they contradict themselves, defaults filled in.

Needs nothing but the standard library, as the environment of another engine may hold nothing else of ours.
`schema.json` beside this file is the format.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

FOLDER = Path(__file__).parent
CASES = FOLDER / "cases"
REDUCTIONS = ("at", "mean", "greatest", "least", "change", "crossing", "period")

Case = dict  # as in the schema, with its defaults


def ids(folder: Path = CASES) -> list[str]:
    """Return the ids of all cases, in the order of their numbers."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    return [case["id"] for case in sorted(found, key=lambda case: (case["number"], case["id"]))]


def load(name: str, folder: Path = CASES) -> Case:
    """Return a case, with defaults filled in.

    Raises:
        ValueError: If there is none of that id, or it contradicts itself.
    """
    path = folder / f"{name}.json"
    if not path.exists():
        raise ValueError(f"there is no case {name!r}; there are {', '.join(ids(folder))}")
    return complete(json.loads(path.read_text(encoding="utf-8")))


def complete(case: Case) -> Case:
    """Return a case with the schema's defaults, and with `pairs`, the shapes that touch, in every contact.

    Raises:
        ValueError: If it contradicts itself.
    """
    schema = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
    case = _defaults(copy.deepcopy(case), schema, schema["$defs"])
    for optional in ("joints", "forces"):
        case.setdefault(optional, [])
    check(case)
    shapes = {body["name"]: [f"{body['name']}.{shape['name']}" for shape in body["shapes"]] for body in case["bodies"]}
    for contact in case["contacts"]:
        first, second = ([name] if "." in name else shapes[name] for name in contact["between"])
        contact["pairs"] = [[one, other] for one in first for other in second]
    return case


def _defaults(value, schema: dict, definitions: dict):
    """Return a value with the defaults that a schema names."""
    if reference := schema.get("$ref"):
        schema = definitions[reference.rpartition("/")[2]]
    if isinstance(value, list) and "items" in schema:
        return [_defaults(item, schema["items"], definitions) for item in value]
    if isinstance(value, dict):
        for key, part in schema.get("properties", {}).items():
            if key in value:
                value[key] = _defaults(value[key], part, definitions)
            elif "default" in part:
                value[key] = copy.deepcopy(part["default"])
    return value


def check(case: Case) -> None:
    """Check what the schema cannot say.

    Raises:
        ValueError: With what contradicts what.
    """
    name, bodies = case["id"], [body["name"] for body in case["bodies"]]
    shapes = [f"{body['name']}.{shape['name']}" for body in case["bodies"] for shape in body["shapes"]]
    _unique(name, "bodies", bodies)
    _unique(name, "shapes", shapes)
    _unique(name, "contacts", [contact["name"] for contact in case["contacts"]])
    _unique(name, "measurements", [measurement["name"] for measurement in case["measurements"]])
    for body in case["bodies"]:
        if ("mass" in body) != ("inertia" in body):
            raise ValueError(f"{name}: body {body['name']!r} needs a mass and an inertia, or neither")
        if "mass" in body and "motion" in body:
            raise ValueError(f"{name}: body {body['name']!r} has a mass and a motion; driven bodies have no mass")
    for contact in case["contacts"]:
        if isinstance(contact["friction"], list) != ("direction" in contact):
            raise ValueError(f"{name}: contact {contact['name']!r}: two coefficients of friction need a direction")
        _known(name, "contact", contact["between"], [*bodies, *shapes])
    for joint in case["joints"]:
        _known(name, "joint", [joint["parent"]], [*bodies, "world"])
        _known(name, "joint", [joint["child"]], bodies)
        if "axis" not in joint or (joint["type"] == "hinge" and "anchor" not in joint):
            raise ValueError(f"{name}: joint {joint['name']!r} lacks an axis or an anchor")
    _known(name, "force", [force["body"] for force in case["forces"]], bodies)
    _check_measurements(case, bodies)


def _check_measurements(case: Case, bodies: list[str]) -> None:
    contacts = [contact["name"] for contact in case["contacts"]]
    for measurement in case["measurements"]:
        is_force = measurement["quantity"] == "force"
        _known(
            case["id"], f"measurement {measurement['name']!r}", [measurement["of"]], contacts if is_force else bodies
        )
        if sum(reduction in measurement for reduction in REDUCTIONS) != 1:
            raise ValueError(f"{case['id']}: measurement {measurement['name']!r} needs one of {', '.join(REDUCTIONS)}")
        if (end := _last(measurement)) > case["duration"] * (1 + 1e-9):
            what = f"measurement {measurement['name']!r} ends at {end:g} s, after the case's {case['duration']:g} s"
            raise ValueError(f"{case['id']}: {what}")


def _last(measurement: dict) -> float:
    """Return the last time that a measurement asks for [s]."""
    when = next(measurement[reduction] for reduction in REDUCTIONS if reduction in measurement)
    return when["after"] if isinstance(when, dict) else max(when) if isinstance(when, list) else when


def _unique(case: str, what: str, names: list[str]) -> None:
    if len(set(names)) != len(names):
        raise ValueError(f"{case}: two {what} have one name")


def _known(case: str, what: str, names: list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"{case}: {what} names {name!r}; there are {', '.join(known)}")
