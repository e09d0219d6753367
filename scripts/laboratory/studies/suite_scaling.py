"""What a simulator costs with more feet and with more robots: frames of sliding feet, many in one scene."""

from __future__ import annotations

import copy

import numpy as np

from tarsus.scripts.suite.case import Case

APART = 10.0  # from a copy to the next [m]


def copies(case: Case, count: int) -> Case:
    """Return a case with so many copies of its bodies side by side; the measurements are of the first.

    The first copy keeps the names, the others add `_2` and so on. Supports are copied too, so that nothing is shared.
    """
    made = {**copy.deepcopy(case), "id": f"{case['id']}_times_{count}"}
    for n in range(2, count + 1):
        for body in copy.deepcopy(case["bodies"]):
            body["name"] += f"_{n}"
            place = body.get("position", [0.0, 0.0, 0.0])
            body["position"] = [place[0], place[1] + APART * (n - 1), place[2]]
            made["bodies"].append(body)
        for joint in copy.deepcopy(case.get("joints", [])):
            joint |= {key: joint[key] + f"_{n}" for key in ("name", "child")}
            joint["parent"] += "" if joint["parent"] == "world" else f"_{n}"
            if "anchor" in joint:
                joint["anchor"] = [joint["anchor"][0], joint["anchor"][1] + APART * (n - 1), joint["anchor"][2]]
            made["joints"].append(joint)
        for contact in copy.deepcopy(case["contacts"]):
            contact["name"] += f"_{n}"
            contact["between"] = [_renamed(name, n) for name in contact["between"]]
            made["contacts"].append(contact)
        for force in copy.deepcopy(case.get("forces", [])):
            made["forces"].append(force | {"body": force["body"] + f"_{n}"})
    return made


def _renamed(name: str, n: int) -> str:
    body, dot, shape = name.partition(".")
    return f"{body}_{n}{dot}{shape}"


def quasi_static(case: Case) -> tuple[np.ndarray, ...]:
    """Return the contact solver's input for a frame: feet (n, 2), velocities over the belts, loads and friction.

    A foot on a belt slips as one that moves against the body by the belt's velocity, backward.
    """
    bodies = {body["name"]: body for body in case["bodies"]}
    feet = [bodies[contact["between"][0]] for contact in case["contacts"]]
    motions = [bodies[contact["between"][1]]["motion"] for contact in case["contacts"]]
    springs = {joint["child"]: -joint["stiffness"] * joint["rest"] for joint in case["joints"]}
    gravity = -case.get("gravity", [0, 0, -9.81])[2]
    load = np.array([springs[foot["name"]] + foot["mass"] * gravity for foot in feet])
    velocity = -np.array([motion["velocities"][0] * np.array(motion["axis"][:2]) for motion in motions])
    return (
        np.array([foot["position"][:2] for foot in feet]),
        velocity,
        load,
        np.array([c["friction"] for c in case["contacts"]]),
    )
