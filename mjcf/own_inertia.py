"""Inertias of a URDF that MuJoCo's compiler would refuse: kept where they can be simulated, else refused by name.

Exported inertias often violate the triangle inequality, which no mass distribution does, but equations of motion do
not mind. The compiler gets the nearest inertia that it takes; `compile.compile_model` writes the file's own.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import mujoco
import numpy as np

ENTRIES = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"  # a finite one
NONE = 1e-12  # an inertia below this is none [kg m^2], a mass likewise [kg]
LEAST = 1e-9  # principal inertia of a link that has mass, but in that direction none [kg m^2]
LESS = 1.0 - 1e-9  # than the sum of the two others is the largest, beyond rounding
NEGATIVE = 1e-6  # of the largest principal inertia, from which on a negative one is no rounding


def take(robot: ET.Element) -> tuple[dict[str, np.ndarray], list[str]]:
    """Make inertias of a URDF ones that MuJoCo takes, in place.

    Return the file's own principal inertias of those that violate the triangle inequality, by link, largest first,
    shape (3,) [kg m^2]; and sentences.
    """
    own, thin = {}, []
    for link in robot.iter("link"):
        inertial, name = link.find("inertial"), link.get("name", "")
        if inertial is None:
            continue
        mass, tensor = _read(inertial, name)
        values, axes = np.linalg.eigh(tensor)
        if mass <= NONE and abs(values).max() <= NONE:
            link.remove(inertial)
        elif mass < 0 or values[0] < -max(NONE, NEGATIVE * abs(values).max()):
            raise ValueError(
                f"the link {name!r} has mass {mass:g} kg and principal inertias {_words(values)} kg m^2, of which none "
                "may be negative: correct its <inertial>"
            )
        elif values[0] < LEAST:
            thin.append(name)
            values = np.maximum(values, LEAST)
            _write(inertial, values, axes)
        if name not in thin and values[2] > values[0] + values[1]:
            own[name] = values[::-1].copy()
        if values[2] > values[0] + values[1]:
            _write(inertial, np.array([values[0], values[1], LESS * (values[0] + values[1])]), axes)
    notes = []
    if own:
        notes.append(f"inertias that no mass distribution has (A + B < C) are used as they are: {', '.join(own)}")
    if thin:
        notes.append(f"inertias of 0 are taken to be {LEAST:g} kg m^2: {', '.join(thin)}")
    return own, notes


def keep(spec: mujoco.MjSpec, own: dict[str, np.ndarray]) -> None:
    """Let the compiled model have these principal inertias."""
    for name, values in own.items():
        spec.add_numeric(name=f"{name}_inertia", data=values)


def _read(inertial: ET.Element, link: str) -> tuple[float, np.ndarray]:
    mass, inertia, tensor = inertial.find("mass"), inertial.find("inertia"), np.zeros((3, 3))
    texts = {entry: "0" if inertia is None else inertia.get(entry, "0") for entry in ENTRIES}
    texts["mass"] = "0" if mass is None else mass.get("value", "0")
    for entry, text in texts.items():
        if not re.fullmatch(NUMBER, text.strip()):
            raise ValueError(f"the link {link!r} has {entry} {text!r}, which is no number: correct its <inertial>")
        if entry in ENTRIES:
            i, j = ENTRIES[entry]
            tensor[i, j] = tensor[j, i] = float(text)
    return float(texts["mass"]), tensor


def _write(inertial: ET.Element, values: np.ndarray, axes: np.ndarray) -> None:
    tensor, element = axes @ np.diag(values) @ axes.T, inertial.find("inertia")
    element = ET.SubElement(inertial, "inertia") if element is None else element
    element.attrib.update({name: repr(float(tensor[at])) for name, at in ENTRIES.items()})


def _words(values: np.ndarray) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
