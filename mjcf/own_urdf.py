"""A URDF of the user's own as an `MjSpec`: with a free root, its links and inertias kept, its meshes found.

MuJoCo reads the format; what it leaves out or does otherwise is done here. Meshes of `package://` are looked for in
the folders above the file and in ROS_PACKAGE_PATH. One that is not there, or of a format that nothing here can read, is
left out and named. A link without `<inertial>` weighs nothing, as URDF says. Links behind fixed joints stay bodies:
they may be feet.
"""

import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from . import own_meshes, own_repairs

READABLE = (".stl", ".obj", ".msh")
LOST = "collide with nothing by the mesh"
XACRO = "http://www.ros.org/wiki/xacro"
KEPT = {"strippath": "false", "meshdir": "", "fusestatic": "false", "discardvisual": "false"}


@dataclass(frozen=True)
class Urdf:
    """A URDF as MuJoCo takes it.

    Attributes:
        spec: The robot on a free joint.
        speeds: Velocity limits by joint [rad/s] or [m/s], where there are any.
        notes: Sentences on what is not as in the file.
        files: Meshes that it was given in another format.
    """

    spec: mujoco.MjSpec
    speeds: dict[str, float]
    notes: tuple[str, ...]
    files: tuple[Path, ...]


def is_urdf(text: str) -> bool:
    """Whether a text is a URDF or a xacro, by its first element."""
    return bool(re.match(r"\s*<robot[\s>]", re.sub(r"<\?.*?\?>|<!--.*?-->", "", text, flags=re.DOTALL)))


def translated(text: str, folder: Path | None) -> Urdf:
    """Return the robot of a URDF.

    Args:
        text: The URDF.
        folder: Of the file, where paths begin; None if there is none.

    Raises:
        ValueError: If it is no URDF that MuJoCo can read, or a xacro.
    """
    try:
        robot = ET.fromstring(text)
    except ET.ParseError as error:
        raise ValueError(f"the URDF is no XML: {error}") from None
    if XACRO in text and any(element.tag.startswith(f"{{{XACRO}}}") for element in robot.iter()):
        raise ValueError("the file is a xacro: make a URDF of it by `xacro FILE > robot.urdf`, and take that")
    notes, made = _take_meshes(robot, folder)
    inertias, said = _take_inertias(robot)
    massless = {link.get("name") for link in robot.iter("link") if link.find("inertial") is None}
    extension = robot.find("mujoco")
    extension = ET.SubElement(robot, "mujoco") if extension is None else extension
    compiler = extension.find("compiler")
    compiler = ET.SubElement(extension, "compiler") if compiler is None else compiler
    compiler.attrib.update(KEPT)
    try:
        assets = {name: obj for name, (_, obj) in made.items()}
        spec = mujoco.MjSpec.from_string(ET.tostring(robot, encoding="unicode"), assets=assets)
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise ValueError(f"MuJoCo cannot read the URDF: {' '.join(str(error).split())}") from None
    for body in spec.bodies[1:]:
        for geom in body.geoms if body.name in massless else ():
            geom.mass = 0.0
    solid = {geom.meshname for geom in spec.geoms if geom.contype or geom.conaffinity}
    for mesh in (mesh for mesh in spec.meshes if mesh.name not in solid):
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # what is drawn may be flat: masses are the file's
    for name, values in inertias.items():
        spec.add_numeric(name=f"{name}_inertia", data=values)  # for `compile.compile_model`
    _free(spec)
    notes += said + own_repairs.hold_weightless(spec)
    return Urdf(spec, dict(_speeds(robot)), tuple(notes), tuple(place for place, _ in made.values()))


def _take_meshes(robot: ET.Element, folder: Path | None) -> tuple[list[str], dict[str, tuple[Path, bytes]]]:
    """Give meshes their places and leave out what cannot be read.

    Returns:
        Sentences on what is left out; and of meshes that MuJoCo cannot read their place and OBJ, by the name they get.
    """
    made: dict[str, tuple[Path, bytes]] = {}
    lost: dict[str, dict[str, list[str]]] = {"visual": {}, "collision": {}}
    for link in robot.iter("link"):
        for kind, found in lost.items():
            for element in link.findall(kind):
                mesh = element.find("geometry/mesh")
                if mesh is None:
                    continue
                name = mesh.get("filename", "")
                place = find_mesh(name, folder) or (_found(name, folder) if kind == "collision" else None)
                if place and (obj := own_meshes.as_obj(place)):
                    made[f"{len(made)}_{place.stem}.obj"] = place, obj
                    mesh.set("filename", list(made)[-1])
                elif place and place.suffix.lower() in READABLE:
                    mesh.set("filename", str(place))
                else:
                    link.remove(element)
                    found.setdefault(name, []).append(link.get("name", ""))
    notes = []
    if lost["visual"]:
        notes.append(f"{len(lost['visual'])} visual meshes are absent or no STL or OBJ, and are not drawn")
    for name, links in lost["collision"].items():
        why = "is no STL, OBJ or COLLADA with a volume" if _found(name, folder) else "was not found"
        notes.append(f"{', '.join(links)} {LOST} {name}: it {why}")
    return notes, made


def find_mesh(name: str, folder: Path | None) -> Path | None:
    """Return the path of a mesh that a URDF calls by this name, or of one beside it that MuJoCo can read."""
    place = _found(name, folder)
    for found in [] if place is None else [place, *(place.with_suffix(suffix) for suffix in READABLE)]:
        if found.suffix.lower() in READABLE and found.is_file():
            return found.resolve()
    return None


def _found(name: str, folder: Path | None) -> Path | None:
    scheme, _, path = name.partition("://") if "://" in name else ("", "", name)
    if scheme in ("package", "model"):
        package, _, rest = path.partition("/")
        above = [] if folder is None else [folder, *folder.resolve().parents]
        roots = [*above, *map(Path, filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)))]
        known = [root / path for root in roots] + [root / rest for root in roots if root.name == package]
        known += [root / rest for root in above if (root / "package.xml").is_file()]  # of a renamed package
    else:
        known = [Path(path)] if folder is None else [folder / path]
    return next((place for place in known if place.is_file()), None)


def _free(spec: mujoco.MjSpec) -> None:
    """Give the robot a free root, unless the file has a floating joint."""
    if not any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in spec.joints) and len(spec.bodies) > 1:
        spec.bodies[1].add_freejoint()


def _speeds(robot: ET.Element) -> Iterator[tuple[str, float]]:
    for joint in robot.iter("joint"):
        limit = joint.find("limit")
        speed = float(limit.get("velocity", 0)) if limit is not None else 0.0
        if speed > 0:
            yield joint.get("name", ""), speed


ENTRIES = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"  # a finite one
NONE = 1e-12  # an inertia below this is none [kg m^2], a mass likewise [kg]
LEAST = 1e-9  # principal inertia of a link that has mass, but in that direction none [kg m^2]
LESS = 1.0 - 1e-9  # than the sum of the two others is the largest, beyond rounding
NEGATIVE = 1e-6  # of the largest principal inertia, from which on a negative one is no rounding


def _take_inertias(robot: ET.Element) -> tuple[dict[str, np.ndarray], list[str]]:
    """Make inertias of a URDF ones that MuJoCo takes, in place, or refuse those that cannot be simulated.

    Exported inertias often violate the triangle inequality, which no mass distribution does, but equations of motion do
    not mind. The compiler gets the nearest that it takes; `compile.compile_model` writes the file's own. Return the
    file's own principal inertias of those that violate the triangle inequality, by link, largest first,
    shape (3,) [kg m^2]; and sentences.
    """
    own, thin = {}, []
    for link in robot.iter("link"):
        inertial, name = link.find("inertial"), link.get("name", "")
        if inertial is None:
            continue
        mass, tensor = _read_inertia(inertial, name)
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
            _write_inertia(inertial, values, axes)
        if name not in thin and values[2] > values[0] + values[1]:
            own[name] = values[::-1].copy()
        if values[2] > values[0] + values[1]:
            _write_inertia(inertial, np.array([values[0], values[1], LESS * (values[0] + values[1])]), axes)
    notes = []
    if own:
        notes.append(f"inertias that no mass distribution has (A + B < C) are used as they are: {', '.join(own)}")
    if thin:
        notes.append(f"inertias of 0 are taken to be {LEAST:g} kg m^2: {', '.join(thin)}")
    return own, notes


def _read_inertia(inertial: ET.Element, link: str) -> tuple[float, np.ndarray]:
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


def _write_inertia(inertial: ET.Element, values: np.ndarray, axes: np.ndarray) -> None:
    tensor, element = axes @ np.diag(values) @ axes.T, inertial.find("inertia")
    element = ET.SubElement(inertial, "inertia") if element is None else element
    element.attrib.update({name: repr(float(tensor[at])) for name, at in ENTRIES.items()})


def _words(values: np.ndarray) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
