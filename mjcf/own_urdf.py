"""A URDF of the user's own as an `MjSpec`: with a free root, its links and inertias kept, its meshes found.

MuJoCo reads the format; what it leaves out or does otherwise is done here. Meshes of `package://` are looked for in
the folders above the file and in ROS_PACKAGE_PATH. One that is not there, or of a format that nothing here can read, is
left out and named. A link without `<inertial>` weighs nothing, as URDF says. Links behind fixed joints stay bodies:
they may be feet.
"""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import mujoco

from . import own_inertia, own_meshes, own_repairs

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
    inertias, said = own_inertia.take(robot)
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
    own_inertia.keep(spec, inertias)
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
    """Return where a mesh is that a URDF calls by this name, or one beside it that MuJoCo can read."""
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
