"""Answers of the planar cases of statics and sliding, against planar Newton-Euler equations from event to event."""

import numpy as np
import pytest
from planar_contacts import Planar
from suite_answers import CHECKS, answer

from tarsus.scripts.suite.case import ids, load


def separate(case):
    """Return the parts of a case that do not touch each other, one free group at a time, so that modes stay few."""
    bodies = {body["name"]: body for body in case["bodies"]}
    free = [name for name, body in bodies.items() if "mass" in body]
    groups = {name: {name} for name in free}
    for contact in case["contacts"]:
        one, other = (name.split(".")[0] for name in contact["between"])
        if one in groups and other in groups:
            groups[one] |= groups[other]
            for name in groups[one]:
                groups[name] = groups[one]
    for group in {id(g): g for g in groups.values()}.values():
        contacts = [c for c in case["contacts"] if {n.split(".")[0] for n in c["between"]} & group]
        names = group | {n.split(".")[0] for c in contacts for n in c["between"]}
        yield (
            group,
            {
                **case,
                "bodies": [bodies[name] for name in bodies if name in names],
                "contacts": contacts,
                "forces": [push for push in case["forces"] if push["body"] in group],
            },
        )


def signal(motion, measurement):
    along = np.array(measurement.get("along", [0, 0, 0]), float)
    along = along / (np.linalg.norm(along) or 1.0)
    flat, name = along[[0, 2]], measurement["of"]
    if measurement["quantity"] == "force":
        return lambda t: motion.force(name, flat, t)
    if measurement["quantity"] in ("angle", "angular_velocity"):
        which = measurement["quantity"] == "angular_velocity"
        start = 0.0 if which else motion.body(name, 0.0)[0][2]
        return lambda t: along[1] * (motion.body(name, t)[which][2] - start)
    which = measurement["quantity"] == "velocity"

    def value(t):
        moved = motion.body(name, t)[which][:2]
        if "relative_to" in measurement:
            moved = moved - motion.body(measurement["relative_to"], t)[which][:2]
        return moved @ flat if "along" in measurement else np.hypot(*moved)

    return value


def checked(case):
    """Yield measurement and independent answer of everything a case asks for."""
    for group, part in separate(case):
        motion = Planar(part)
        names = group | {contact["name"] for contact in part["contacts"]}
        breaks = [0.0, *(piece[1] for piece in motion.pieces)]
        for measurement in case["measurements"]:
            if measurement["of"] in names:
                yield measurement, answer(signal(motion, measurement), measurement, breaks)


@pytest.mark.parametrize("name", CHECKS["planar"])
def test_answers_agree_with_planar_equations_of_motion(name):
    case, seen = load(name), set()
    for measurement, found in checked(case):
        seen.add(measurement["name"])
        allowed = max(1e-9, measurement["bound"]) * max(1.0, measurement["scale"])
        assert found == pytest.approx(measurement["answer"], rel=0, abs=allowed), measurement["name"]
    assert seen == {measurement["name"] for measurement in case["measurements"]}


def test_every_case_of_statics_and_sliding_has_a_second_way():
    wanted = {name for name in ids() if load(name)["phenomenon"] in ("statics", "sliding")}
    assert wanted == {name for names in CHECKS.values() for name in names}
    assert {load(name)["number"] for name in wanted} == set(range(1, 19))
