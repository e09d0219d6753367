"""Where a user's robot comes from: a file or text of MJCF or URDF, or an `MjSpec`; read into a spec with names.

All that has none gets a name that is the same in every reading, so that feet and parts can be called by it. Meshes
that are only drawn may be absent.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import mujoco
import numpy as np

from . import own_urdf
from .element_limits import check_elements

GEOM_MESH, FREE = mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtJoint.mjJNT_FREE
SIZES = {FREE: (7, 6), mujoco.mjtJoint.mjJNT_BALL: (4, 3)}  # of qpos and qvel; of others 1 each


@dataclass(frozen=True)
class Packed:
    """An `MjSpec` as text, which can be pickled and does not change when the user's does."""

    text: str
    folder: str  # where its files are
    assets: tuple[tuple[str, bytes], ...]

    @classmethod
    def of(cls, spec: mujoco.MjSpec) -> Packed:
        """Return a copy of a spec.

        Raises:
            ValueError: If MuJoCo cannot write it.
        """
        try:
            return cls(spec.to_xml(), spec.modelfiledir or "", tuple(sorted(spec.assets.items())))
        except (ValueError, RuntimeError, mujoco.FatalError) as error:
            raise ValueError(f"MuJoCo cannot write the MjSpec: {' '.join(str(error).split())}") from None

    def __str__(self) -> str:
        """Return what it is called in a sentence."""
        return "the MjSpec"


Source = str | Path | Packed


@dataclass(frozen=True)
class Loaded:
    """A robot as it was read.

    Attributes:
        spec: Of its own, which may be changed.
        speeds: Velocity limits by joint, of a URDF.
        urdf: Whether it is one.
        notes: Sentences on what is not as in the source.
        files: All that it was made of: itself, what it includes, its meshes, height fields and pictures.
    """

    spec: mujoco.MjSpec
    speeds: dict[str, float]
    urdf: bool
    notes: tuple[str, ...]
    files: tuple[Path, ...] = ()


def packed(source) -> Source:
    """Return a source that can be pickled: an `MjSpec` as text.

    Raises:
        ValueError: If it is none.
    """
    if isinstance(source, str | Path | Packed):
        return source
    if not isinstance(source, mujoco.MjSpec):
        raise ValueError(
            f"a robot is the name or the text of an MJCF or URDF, or an MjSpec, got {type(source).__name__}"
        )
    return Packed.of(source)


def load(source: Source) -> Loaded:
    """Return the parsed robot, everything of it with a name.

    Raises:
        ValueError: If there is no such file, MuJoCo cannot read it, or it makes more than MuJoCo can.
    """
    text, folder = _text_of(source)
    if own_urdf.is_urdf(text):
        found = own_urdf.translated(text, folder)
        loaded, files = Loaded(found.spec, found.speeds, True, found.notes), []
    else:
        spec, files = _parsed(source)
        loaded = Loaded(spec, {}, False, tuple(_leave_out_drawn(spec)))
    _check_keyframes(loaded.spec)
    notes = _leave_out_others(loaded.spec)
    _name_all(loaded.spec)
    itself = [] if isinstance(source, Packed) or is_text(source) else [Path(source)]
    files = dict.fromkeys(map(Path.absolute, (*itself, *files, *_assets(loaded.spec))))
    return replace(loaded, notes=(*loaded.notes, *notes), files=tuple(files))


def _assets(spec: mujoco.MjSpec) -> list[Path]:
    """Return the files of meshes, height fields, skins and textures."""
    folder = Path(spec.modelfiledir or ".")
    names = [(spec.meshdir, element.file) for element in (*spec.meshes, *spec.hfields, *spec.skins)]
    names += [(spec.texturedir, name) for texture in spec.textures for name in (texture.file, *texture.cubefiles)]
    places = [folder / within / name for within, file in names if file for name in (file, Path(file).name)]
    return [place for place in places if _is_file(place)]


def read(mjcf: str | Path) -> mujoco.MjSpec:
    """Return the spec of a file or a text as MuJoCo reads it, for what is to stay as it is.

    Raises:
        ValueError: If there is no such file, MuJoCo cannot read it, or it makes more than MuJoCo can.
    """
    if not isinstance(mjcf, str | Path):
        raise ValueError(f"mjcf must be the name of a file or its text, got {type(mjcf).__name__}")
    _text_of(mjcf)
    return _parsed(mjcf)[0]


def as_it_is(source: Source, files: Sequence[Path] | None = None) -> mujoco.MjModel:
    """Return the source's own model, in which geoms are as many and in the order of the spec's; not to be changed.

    Args:
        source: The robot.
        files: What it is made of, if it is loaded.

    Raises:
        ValueError: If MuJoCo cannot compile it: a mesh is missing, or something names what there is not.
    """
    return _compiled(source, stamps(load(source).files if files is None else files))


def stamps(files: Iterable[Path]) -> tuple[tuple[Path, int, int], ...]:
    """Return of each file when it was written, and its size; 0 both if it is not there."""
    about = [(file, file.stat() if _is_file(file) else None) for file in files]
    return tuple((file, there.st_mtime_ns, there.st_size) if there else (file, 0, 0) for file, there in about)


def digest(files: Iterable[Path]) -> str:
    """Return a hash of the contents of files, whatever they are called: SHA-256, in hexadecimal."""
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()


@functools.lru_cache(maxsize=8)
def _compiled(source: Source, stamps: tuple) -> mujoco.MjModel:
    mujoco.mj_clearCache(mujoco.mj_getCache())  # of meshes: it does not see a file that changes within a second
    spec = load(source).spec  # a copy of a spec would lack what names nothing
    spec.compiler.discardvisual = spec.compiler.fusestatic = False
    try:
        return spec.compile()
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        words = " ".join(str(error).split()) + _weightless(load(source).spec)
        raise ValueError(f"MuJoCo cannot compile {called(source)}, before anything of it is changed: {words}") from None


def _weightless(spec: mujoco.MjSpec) -> str:
    """Return the names of bodies that move and weigh nothing, in words."""
    names = [
        body.name
        for body in spec.bodies[1:]
        if body.joints and not body.mass and not any(geom.mass != 0 for geom in body.geoms) and not body.bodies
    ]
    return f"; these move and weigh nothing: {', '.join(names)}" if names else ""


def called(source: Source) -> str:
    """Return the name of a source in a sentence."""
    if isinstance(source, Packed):
        return str(source)
    if is_text(source):
        return "the URDF" if own_urdf.is_urdf(str(source)) else "the MJCF"
    return str(source)


def is_text(source: Source) -> bool:
    """Whether a source is a text and no file's name."""
    return isinstance(source, str) and ("<" in source or "\n" in source)  # no file's name has either


def _text_of(source: Source) -> tuple[str, Path | None]:
    """Return text and folder of a source; of an archive or a binary file an empty text."""
    if isinstance(source, Packed):
        return source.text, Path(source.folder) if source.folder else None
    if is_text(source):
        return str(source), None
    if not _is_file(source):
        raise ValueError(
            f"there is no file {str(source)[:200]!r}; a robot is the name of an MJCF or URDF file, or its text"
        )
    return Path(source).read_text(encoding="utf-8", errors="replace"), Path(source).parent


def _parsed(source: Source) -> tuple[mujoco.MjSpec, list[Path]]:
    """Return the spec of an MJCF, and the files that it includes or attaches."""
    text = source.text if isinstance(source, Packed) else source
    try:
        files = check_elements(text, is_text(text))
    except ValueError as error:
        raise ValueError(f"{called(source)} makes more than MuJoCo can: {error}") from None
    try:
        if isinstance(source, Packed):
            spec = mujoco.MjSpec.from_string(text, assets=dict(source.assets))
            spec.modelfiledir = source.folder
            return spec, files
        return mujoco.MjSpec.from_string(text) if is_text(text) else mujoco.MjSpec.from_file(str(text)), files
    except (ValueError, RuntimeError, mujoco.FatalError) as error:  # of C++, which MuJoCo lets through
        raise ValueError(f"{called(source)} is not an MJCF that MuJoCo can read: {error}") from None


def _leave_out_drawn(spec: mujoco.MjSpec) -> list[str]:
    """Leave out meshes and textures that are absent and only drawn; return a sentence on them."""
    folder = Path(spec.modelfiledir or ".")
    present = set(spec.assets)

    def absent(name: str, within: str) -> bool:
        return bool(name) and name not in present and not (folder / within / name).is_file()

    lost = {mesh.name or Path(mesh.file).stem: mesh for mesh in spec.meshes if absent(mesh.file, spec.meshdir)}
    solid = {geom.meshname for geom in spec.geoms if geom.contype or geom.conaffinity or not _has_mass(geom)}
    lost = {name: mesh for name, mesh in lost.items() if name not in solid}
    for geom in [geom for geom in spec.geoms if geom.type == GEOM_MESH and geom.meshname in lost]:
        spec.delete(geom)
    pictures = [one for one in spec.textures if absent(one.file, spec.texturedir)]
    names = {one.name for one in pictures}
    for material in spec.materials:
        for role, texture in enumerate(material.textures):
            material.textures[role] = "" if texture in names else texture
    for element in [*lost.values(), *pictures]:
        spec.delete(element)
    gone = [*lost, *names]
    return [f"files that are absent are not drawn: {', '.join(gone[:4])}{' ...' * (len(gone) > 4)}"] if gone else []


def _has_mass(geom) -> bool:
    """Whether a geom's body has its mass and inertia from elsewhere than its geoms."""
    return bool(geom.parent.explicitinertial)


def _check_keyframes(spec: mujoco.MjSpec) -> None:
    """Refuse keyframes of another robot; MuJoCo pads those that are shorter.

    Raises:
        ValueError: The message has the two sizes.
    """
    n = sum(SIZES.get(joint.type, (1, 1))[0] for joint in spec.joints)
    for number, key in enumerate(spec.keys):
        if len(key.qpos) not in (0, n):
            raise ValueError(
                f"the keyframe {key.name or number!r} has {len(key.qpos)} positions and the robot {n}: it is of "
                "another robot; correct it, or take it out of the file"
            )


def _leave_out_others(spec: mujoco.MjSpec) -> list[str]:
    """Leave out bodies that move freely beside the robot, which is the one with most joints; return a sentence."""
    free = {joint.parent: joint for joint in spec.joints if joint.type == FREE}
    if len(free) < 2:
        return []
    robot = max(free, key=lambda body: len(_joints_of(body)))
    others = [body for body in free if body.name != robot.name or body.id != robot.id]
    gone, names = (
        [joint.id for body in others for joint in _joints_of(body)],
        [body.name or "without a name" for body in others],
    )
    sizes = [(joint.id in gone, *SIZES.get(joint.type, (1, 1))) for joint in spec.joints]
    for key in spec.keys:
        for field, column in (("qpos", 1), ("qvel", 2)):
            keep = np.concatenate([np.full(row[column], not row[0]) for row in sizes])
            if len(values := np.array(getattr(key, field))) == len(keep):
                setattr(key, field, values[keep])
    for body in others:
        spec.delete(body)
    return [f"bodies that move freely and are no part of the robot are left out: {', '.join(names)}"]


def _joints_of(body) -> list:
    return [*body.joints, *(joint for child in body.bodies for joint in _joints_of(child))]


def _name_all(spec: mujoco.MjSpec) -> None:
    """Name bodies, joints, geoms and actuators that have no name."""
    for kind in (spec.bodies[1:], spec.joints):
        for number, element in enumerate(kind):
            element.name = element.name or f"{type(element).__name__.removeprefix('Mjs').lower()}_{number}"
    taken = {geom.name for geom in spec.geoms}
    for body in spec.bodies[1:]:
        for number, geom in enumerate(body.geoms):
            if not geom.name:
                name = f"{body.name}_geom_{number}"
                geom.name = name if name not in taken else f"{name}_"
                taken.add(geom.name)
    taken = {actuator.name for actuator in spec.actuators}
    for number, actuator in enumerate(spec.actuators):
        if not actuator.name:
            actuator.name = actuator.target if actuator.target not in taken else f"actuator_{number}"
            taken.add(actuator.name)


def _is_file(name: str | Path) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # longer than names may be
        return False
