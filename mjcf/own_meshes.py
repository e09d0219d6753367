"""Collision meshes of a URDF in formats that MuJoCo does not read, STL as text and COLLADA, as OBJ.

MuJoCo collides with convex hulls, so that of COLLADA the hull is all that is taken: of all points of its scene, in
metres. As ROS does, it takes the axes as they are, whatever `<up_axis>` says.
"""

import functools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, QhullError, transform

COLLADA, STL = ".dae", ".stl"
VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")
NODE, GEOMETRY, INSTANCE = "node", "geometry", "instance_geometry"


def as_obj(path: Path) -> bytes | None:
    """Return the OBJ of an STL that is text, or of a COLLADA file; None of other files, and of what has no volume."""
    stamp = path.stat()
    return _as_obj(path, stamp.st_mtime_ns, stamp.st_size)


@functools.lru_cache(maxsize=64)
def _as_obj(path: Path, *stamp: int) -> bytes | None:
    if path.suffix.lower() == STL:
        return _of_text(path)
    if path.suffix.lower() != COLLADA:
        return None
    try:
        points = np.vstack(list(_points(ET.parse(path).getroot())))
        hull = ConvexHull(points)
    except (ET.ParseError, ValueError, QhullError):
        return None
    return _written(points, hull.simplices)


def _of_text(path: Path) -> bytes | None:
    """Return the OBJ of an STL that is text; a binary one may begin with the same word."""
    with path.open("rb") as file:
        head = file.read(4096)
        found = VERTEX.findall(head + file.read()) if head.lstrip()[:5] == b"solid" and b"facet" in head else []
    if len(found) < 3:
        return None
    return _written(np.array(found, float), np.arange(len(found) // 3 * 3).reshape(-1, 3))


def _written(points: np.ndarray, faces: np.ndarray) -> bytes:
    lines = ["v {:.9g} {:.9g} {:.9g}".format(*point) for point in points]
    return "\n".join(lines + ["f {} {} {}".format(*face) for face in faces + 1]).encode()


def _points(collada: ET.Element) -> Iterator[np.ndarray]:
    """Return the points of each geometry in the scene, shape (n, 3) each [m]."""
    for element in collada.iter():
        element.tag = element.tag.rpartition("}")[2]
    unit = collada.find("asset/unit")
    metre = 1.0 if unit is None else float(unit.get("meter", 1))
    known = {f"#{one.get('id')}": _positions(one) for one in collada.iter(GEOMETRY)}
    for scene in collada.iter("visual_scene"):
        yield from (metre * points for points in _placed(scene, np.eye(4), known))


def _positions(geometry: ET.Element) -> np.ndarray:
    names = [one.get("source") for one in geometry.findall("mesh/vertices/input") if one.get("semantic") == "POSITION"]
    arrays = [one.find("float_array") for one in geometry.findall("mesh/source") if f"#{one.get('id')}" in names]
    return np.vstack([np.array((one.text or "").split(), float).reshape(-1, 3) for one in arrays if one is not None])


def _placed(node: ET.Element, at: np.ndarray, known: dict[str, np.ndarray]) -> Iterator[np.ndarray]:
    """Return the points of what a node and those in it show."""
    for element in node:
        numbers = np.array((element.text or "").split(), float) if element.tag in _MOVES else np.zeros(0)
        at = at @ _MOVES[element.tag](numbers) if element.tag in _MOVES else at
        if element.tag == INSTANCE:
            yield known[element.get("url", "")] @ at[:3, :3].T + at[:3, 3]
        elif element.tag == NODE:
            yield from _placed(element, at, known)


def _moved(linear: np.ndarray, offset=(0.0, 0.0, 0.0)) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = linear, offset
    return matrix


_MOVES = {
    "matrix": lambda numbers: numbers.reshape(4, 4),
    "translate": lambda numbers: _moved(np.eye(3), numbers),
    "scale": lambda numbers: _moved(np.diag(numbers)),
    "rotate": lambda n: _moved(transform.Rotation.from_rotvec(np.radians(n[3]) * n[:3]).as_matrix()),
}
