"""Where a user's robot comes from: a file or text of MJCF or URDF, or an `MjSpec`; read into a spec with names.

All that has none gets a name that is the same in every reading, so that feet and parts can be called by it. Meshes
that are only drawn may be absent.
"""

import functools
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import mujoco

from . import own_repairs, own_urdf
from .element_limits import check_elements
from .finite_model import check_numbers

OPTION, ENTRY = re.compile(r"<option\b([^>]*)>"), re.compile(r"(\w+)\s*=")


@dataclass(frozen=True)
class Packed:
    """An `MjSpec` as text, which can be pickled and does not change when the user's does."""

    text: str
    folder: str  # where its files are
    assets: tuple[tuple[str, bytes], ...]

    @classmethod
    def of(cls, spec: mujoco.MjSpec) -> "Packed":
        """Return a copy of a spec.

        Raises:
            ValueError: If MuJoCo cannot write it.
        """
        try:
            return cls(spec.to_xml(), spec.modelfiledir or "", tuple(sorted(spec.assets.items())))
        except (ValueError, RuntimeError, mujoco.FatalError) as error:
            raise ValueError(f"MuJoCo cannot write the MjSpec: {' '.join(str(error).split())}") from None

    def __str__(self) -> str:
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
        options: Names of the entries of `<option>` that are written in the source.
    """

    spec: mujoco.MjSpec
    speeds: dict[str, float]
    urdf: bool
    notes: tuple[str, ...]
    files: tuple[Path, ...] = ()
    options: frozenset[str] = frozenset()


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
        loaded, files = Loaded(found.spec, found.speeds, True, found.notes), found.files
    else:
        spec, files = _parsed(source)
        mended = own_repairs.leave_out_drawn(spec), own_repairs.add_floor(spec), own_repairs.add_free_joint(spec)
        loaded = Loaded(spec, {}, False, tuple(note for notes in mended for note in notes))
    own_repairs.check_keyframes(loaded.spec)
    notes = own_repairs.leave_out_others(loaded.spec)
    _name_all(loaded.spec)
    itself = [] if isinstance(source, Packed) or is_text(source) else [Path(source)]
    files = dict.fromkeys(map(Path.absolute, (*itself, *files, *_assets(loaded.spec))))
    texts = [text, *(file.read_text("utf-8", "replace") for file in files if file.suffix == ".xml")]
    options = {name for each in texts for inside in OPTION.findall(each) for name in ENTRY.findall(inside)}
    return replace(loaded, notes=(*loaded.notes, *notes), files=tuple(files), options=frozenset(options))


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
        return check_numbers(spec.compile())
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        words = " ".join(str(error).split())
        words += own_repairs.cure(words, load(source).spec)
        raise ValueError(f"MuJoCo cannot compile {called(source)}, before anything of it is changed: {words}") from None


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
