"""The number of elements of an MJCF, counted from its text: MuJoCo would not end with `<replicate count="30000000">`.

Repetitions multiply: a replicate in a replicate, or a model that a replicate attaches. Files that the text includes or
attaches are read too.
"""

import html
import math
import re
import textwrap
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

# What is not closed goes on to the end, so that no text is read twice.
TAG = re.compile(
    r"<!--(?:.*?-->|.*)|<!\[CDATA\[(?:.*?\]\]>|.*)|<[?!][^>]*"
    r"|<\s*+(?P<end>/?)\s*+(?P<name>[\w:.-]++)(?P<rest>(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+)",
    re.DOTALL,
)
ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")

MOST_ELEMENTS = 10_000  # that stand in no text: MuJoCo takes seconds for as many, and minutes for five times that
MOST_DEEP = 400  # of tags within tags; MuJoCo's reader takes 500
# Attributes that say how many values there are, by element; their product may be at most so much.
MOST_VALUES = {
    "texture": (("width", "height"), 2**26),
    "hfield": (("nrow", "ncol"), 2**24),
    "camera": (("resolution",), 2**24),
    "contact": (("num",), 10_000),
    "user": (("dim",), 1_000_000),
    "size": (("nkey",), 10_000),
}
MOST_OF_MESH = 300  # each parameter of a built-in mesh, which has their product of vertices
SHELLS = ("box", "cylinder", "ellipsoid")  # flexcomps that are hollow
FROM_FILE = ("mesh", "gmsh", "direct")  # and those whose points are given
PLACES = ("body", "frame")  # what can be attached of a model
ORDER = {"trilinear": 1, "quadratic": 2}  # of flexcomps whose cells have the degrees of freedom
MOST_NODES = 2500  # of their cells

Reader = Callable[[str], str | None]  # the text of a file by the name that another has for it


def check_elements(mjcf: str | Path, is_text: bool) -> list[Path]:
    """Refuse an MJCF that makes more than MuJoCo does in seconds; return the files that it includes or attaches."""
    files: list[Path] = []
    for text, read in [(mjcf, _beside(Path(), files))] if is_text else _texts(Path(mjcf), files):
        model = _Model(text, read)
        made = model.made(model.top) - sum(1 for _ in model.top.walk())
        if made > MOST_ELEMENTS:
            raise ValueError(f"its repetitions make {made} elements together, and may make {MOST_ELEMENTS}")
    return files


def _texts(path: Path, files: list[Path]) -> list[tuple[str, Reader]]:
    """Return the texts of a file, or of all in an archive, each with a reader of the texts that it names."""
    if not zipfile.is_zipfile(path):
        return [(path.read_text(encoding="utf-8", errors="replace"), _beside(path.parent, files))]
    with zipfile.ZipFile(path) as archive:
        found = {name: archive.read(name).decode(errors="replace") for name in archive.namelist() if ".xml" in name}
    return [(text, found.get) for text in found.values()]


def _beside(folder: Path, files: list[Path]) -> Reader:
    """Return a reader of the files of a folder, which adds those that it has read to `files`."""

    def read(name: str) -> str | None:
        try:
            text = (folder / name).read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):
            return None  # MuJoCo says so
        files.append(folder / name)
        return text

    return read


class _Model:
    """The elements of an MJCF, with those that it includes.

    Args:
        text: Of the model.
        read: Reads what it names.
        file: Its name, where another attaches it.
        within: What it stands in: files, and bodies or frames of files.
    """

    def __init__(self, text: str, read: Reader, file: str = "", within: tuple[tuple[str, str], ...] = ()) -> None:
        self.top, deepest = elements(text)
        self._read, self._file, self._within = read, file, within
        self._include(deepest)
        self._places = {e.attributes["name"]: e for e in self.top.walk() if e.name in PLACES and "name" in e.attributes}
        self._files = {self._name(e): e.attributes.get("file", "") for e in self.top.walk() if e.name == "model"}
        self._known: dict[tuple[str, str], int] = {}  # what an `attach` makes, by what it names
        for element in self.top.walk():
            _check_values(element)
        self._read_flexes()

    def made(self, element: "Element") -> int:
        inside = sum(map(self.made, element.children))
        if element.name == "replicate":
            inside = max(inside, 1) * _whole(element.numbers("count"))
        elif element.name == "flexcomp":
            inside += _points(element)
        elif element.name == "attach":
            inside += self._attached(element)
        else:
            return 1 + inside
        if inside > MOST_ELEMENTS:
            raise ValueError(f"{element} makes {inside} elements, and may make {MOST_ELEMENTS}")
        return inside

    def _include(self, deepest: int) -> None:
        """Put what other files hold in the place of `<include>`; a file is included once."""
        left, seen = [self.top], set()
        while left:
            element = left.pop()
            left += element.children
            name = element.attributes.get("file", "")
            if element.name == "include" and name not in seen:
                seen.add(name)
                included, deep = elements(self._read(name) or "")
                deepest += deep
                element.children.extend(included.children)
                left += included.children
        if deepest > MOST_DEEP:
            raise ValueError(f"its elements are nested {deepest} deep, and may be {MOST_DEEP}")

    def _read_flexes(self) -> None:
        """Read the files of flexcomps, which no spec names, so that they are among those of the model."""
        folders = ["", *(e.attributes.get(kind, "") for e in self.top.walk() for kind in ("assetdir", "meshdir"))]
        names = [e.attributes["file"] for e in self.top.walk() if e.name == "flexcomp" and "file" in e.attributes]
        for place in dict.fromkeys(str(Path(folder) / name) for folder in folders for name in names):
            self._read(place)

    def _attached(self, element: "Element") -> int:
        """Return the number of elements of an `attach`: those of another model, or of a body or frame of this one."""
        model = element.attributes.get("model")
        place = element.attributes.get("body") or element.attributes.get("frame", "")
        key = (self._file, place) if model is None else (self._files.get(model, ""), "")
        if key in self._within:
            raise ValueError(f"{element} attaches the model or body that holds it, without end")
        if key not in self._known:
            self._within += (key,)
            if model is None:
                self._known[key] = self.made(self._places[place]) if place in self._places else 0
            else:
                other = _Model(self._read(key[0]) or "", self._read, key[0], self._within)
                self._known[key] = other.made(other.top)
            self._within = self._within[:-1]
        return self._known[key]

    def _name(self, model: "Element") -> str:
        """Return the name of a `<model>`: its own, or its file's."""
        if "name" in model.attributes:
            return model.attributes["name"]
        top, _ = elements(self._read(model.attributes.get("file", "")) or "")
        return top.children[0].attributes.get("model", "") if top.children else ""


def _whole(numbers: list[float]) -> int:
    """Return the product of numbers; none of them makes fewer than one."""
    return math.prod(int(min(max(number, 1.0), 1e12)) if number == number else 1 for number in numbers)


def _points(flex: "Element") -> int:
    """Return the number of bodies of a flexcomp, or a few more."""
    kind, count = flex.attributes.get("type", "grid"), flex.numbers("count") or [10.0] * 3
    points = 0 if kind in FROM_FILE else _whole(count)
    if kind in SHELLS and min(count) > 2:
        points -= _whole([number - 2 for number in count])
    order = ORDER.get(flex.attributes.get("dof", ""), 0)
    nodes = _whole([order * number + 1 for number in flex.numbers("cellcount")]) if order else 0
    if nodes > MOST_NODES:
        raise ValueError(f"{flex} asks for {nodes} nodes of its cells, and may ask for {MOST_NODES}")
    return points + nodes


def _check_values(element: "Element") -> None:
    """Refuse an element that asks for too much by a number."""
    attributes, most = MOST_VALUES.get(element.name, ((), 0))
    if attributes and (values := _whole(element.numbers(*attributes))) > most:
        raise ValueError(f"{element} asks for {values} values, and may ask for {most}")
    if element.name == "size":
        for name in (name for name in element.attributes if name.startswith("nuser")):
            if (values := _whole(element.numbers(name))) > MOST_VALUES["size"][1]:
                raise ValueError(f'<size {name}="{values}"> asks for more than {MOST_VALUES["size"][1]} values')
    if element.name == "mesh" and "builtin" in element.attributes:
        if max(element.numbers("params"), default=0.0) > MOST_OF_MESH:
            raise ValueError(f"{element} has a parameter above {MOST_OF_MESH}")


@dataclass(frozen=True)
class Element:
    """A tag with its attributes, and the elements in it."""

    name: str
    attributes: Mapping[str, str]
    children: "list[Element]" = field(default_factory=list)

    def numbers(self, *names: str) -> list[float]:
        """Return the numbers that attributes hold, in order; words that are none are left out."""
        found = []
        for word in " ".join(self.attributes.get(name, "") for name in names).split():
            try:
                found.append(float(word))
            except ValueError:
                continue  # MuJoCo refuses it
        return found

    def walk(self) -> "Iterator[Element]":
        """Yield the element and all below it."""
        left = [self]
        while left:
            yield (element := left.pop())
            left += element.children

    def __str__(self) -> str:
        words = [self.name, *(f'{name}="{value}"' for name, value in self.attributes.items())]
        return textwrap.shorten(f"<{' '.join(words)}>", 120, placeholder=" ...>")


def elements(text: str) -> tuple[Element, int]:
    """Return the tree of a text's elements, and the depth of their nesting. Ill-formed text is left to MuJoCo."""
    top = Element("", {})
    above, deepest = [top], 0
    for tag in TAG.finditer(text):
        if tag["name"] is None:
            continue
        if tag["end"]:
            if len(above) > 1:
                above.pop()
            continue
        attributes = {name: html.unescape(a or b) for name, a, b in ATTRIBUTE.findall(tag["rest"])}
        element = Element(tag["name"], attributes)
        above[-1].children.append(element)
        deepest = max(deepest, len(above))
        if not tag["rest"].rstrip().endswith("/"):
            above.append(element)
    return top, deepest
