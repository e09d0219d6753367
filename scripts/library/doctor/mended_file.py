"""The user's file with mends: attributes of its own elements set in its text, or else as MuJoCo writes it."""

import difflib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.parsers import expat

import mujoco
import numpy as np

from tarsus.mjcf import own_source
from tarsus.scripts.library.doctor.finding import ENUMS, Mend, mended

FOLDERS = ("meshdir", "texturedir", "assetdir")  # of a compiler element


def text_of(mjcf: str | Path) -> str:
    """Return the text of a file, or the text itself."""
    is_text = isinstance(mjcf, str) and mjcf.lstrip().startswith("<")
    return mjcf if is_text else Path(mjcf).read_text(encoding="utf-8")


def written(mjcf: str | Path, model: mujoco.MjModel, mends: Sequence[Mend]) -> str:
    """Return a file's text with mends, whose compiled model has them and no others; "" if that cannot be.

    Relative paths become absolute, so that it can lie in any folder.
    """
    home = Path(mjcf).resolve().parent if not text_of(mjcf) == mjcf else Path.cwd()
    wanted = mended(model, mends)
    for make in (lambda: anchored(edited(text_of(mjcf), mends), home), lambda: _by_mujoco(mjcf, mends, home)):
        try:
            text = make()
            if _same(mujoco.MjModel.from_xml_string(text), wanted, mends):
                return text
        except (ValueError, RuntimeError, LookupError, expat.ExpatError, UnicodeError):
            continue
    return ""


def edited(text: str, mends: Iterable[Mend]) -> str:
    """Return an MJCF with attributes of elements set, else as it is to the letter; LookupError if it lacks one."""
    source = text.encode()
    tags = _Tags(source)
    settings: dict[tuple[str, int], dict[str, str]] = {}
    for element, number, attribute, value in mends:
        settings.setdefault((element, number), {})[attribute] = value
    changes = []
    for (element, number), values in settings.items():
        places = {"geom": tags.geoms, "pair": tags.pairs, "option": tags.options[-1:]}[element]
        if element == "option" and not places:
            words = " ".join(f'{name}="{value}"' for name, value in values.items())
            changes.append((tags.inside, tags.inside, f"\n  <option {words}/>".encode()))
            continue
        start = places[number]
        end = _end(source, start)
        changes.append((start, end, _with(source[start:end].decode(), values).encode()))
    for start, end, tag in sorted(changes, reverse=True):
        source = source[:start] + tag + source[end:]
    return source.decode()


def difference(before: str, after: str) -> str:
    """Return the lines that differ, as `diff` shows them."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++")))


def anchored(text: str, home: Path) -> str:
    """Return an MJCF whose relative paths are made absolute, from the folder that it lay in."""
    if not re.search(r"\bfile\s*=|<include\b", text):
        return text
    parts = re.split(r"(<(?:include|compiler)\b[^>]*>)", text)
    place = home.as_posix().rstrip("/")
    for k, tag in enumerate(parts):
        if tag.startswith("<include"):
            parts[k] = re.sub(r'(file\s*=\s*")(?!/)', rf"\g<1>{place}/", tag)
        elif tag.startswith("<compiler"):
            parts[k] = re.sub(rf'((?:{"|".join(FOLDERS)})\s*=\s*")(?!/)', rf"\g<1>{place}/", tag)
    whole = "".join(parts)
    if re.search(r"<(?:mesh|hfield|texture|skin)\b[^>]*\bfile\s*=", whole) and not re.search("|".join(FOLDERS), whole):
        head = _Tags(whole.encode()).inside
        whole = (
            whole.encode()[:head] + f'\n  <compiler assetdir="{place}"/>'.encode() + whole.encode()[head:]
        ).decode()
    return whole


class _Tags:
    """Where in a text the elements begin that can be mended [bytes], in MuJoCo's order."""

    def __init__(self, source: bytes) -> None:
        self.options, self.pairs, self.inside = [], [], 0
        self._bodies, self._stack, self._path = [], [], []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler, self._parser.EndElementHandler = self._start, self._stop
        self._parser.Parse(source, True)
        self.inside = _end(source, self._root)
        self.geoms = [at for geoms in self._bodies for at in geoms]

    def _start(self, name: str, _) -> None:
        at, above = self._parser.CurrentByteIndex, self._path[-1] if self._path else ""
        if not self._path:
            self._root = at
        if name in ("worldbody", "body"):
            if name == "body" or not self._bodies:
                self._bodies.append([])
                self._stack.append(self._bodies[-1])
            else:
                self._stack.append(self._bodies[0])
        elif name == "geom" and self._stack and above in ("worldbody", "body", "frame"):
            self._stack[-1].append(at)
        elif name == "pair" and above == "contact":
            self.pairs.append(at)
        elif name == "option" and above == "mujoco":
            self.options.append(at)
        self._path.append(name)

    def _stop(self, name: str) -> None:
        self._path.pop()
        if name in ("worldbody", "body"):
            self._stack.pop()


def _end(source: bytes, start: int) -> int:
    """Return the end of the tag that starts there, `>` in quotes left aside."""
    return start + re.compile(rb"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""").match(source[start:]).end()


def _with(tag: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        tag, n = re.subn(rf"""(\s{name}\s*=\s*)("[^"]*"|'[^']*')""", rf'\g<1>"{value}"', tag)
        if not n:
            tag = re.sub(r"\s*(/?>)$", rf' {name}="{value}"\g<1>', tag)
    return tag


def _by_mujoco(mjcf: str | Path, mends: Iterable[Mend], home: Path) -> str:
    """Return the whole file as MuJoCo writes it, with mends."""
    spec = own_source.read(mjcf)
    spec.compile()
    geoms = {geom.id: geom for geom in spec.geoms}
    for element, number, attribute, value in mends:
        target = (
            {"option": spec.option, "geom": geoms.get(number), "pair": None}[element]
            if element != "pair"
            else spec.pairs[number]
        )
        words = [float(word) for word in value.split()] if attribute not in ENUMS else [ENUMS[attribute][value]]
        has = getattr(target, attribute)
        if isinstance(has, np.ndarray):
            has[: len(words)] = words
        else:
            setattr(target, attribute, type(has)(words[0]))
    spec.compiler.meshdir = str(home / spec.compiler.meshdir)
    spec.compiler.texturedir = str(home / spec.compiler.texturedir)
    return spec.to_xml()


def _same(made: mujoco.MjModel, wanted: mujoco.MjModel, mends: Iterable[Mend]) -> bool:
    """Return whether two models have the same values of all attributes that were mended."""
    if (made.ngeom, made.npair, made.nv) != (wanted.ngeom, wanted.npair, wanted.nv):
        return False
    for element, _, attribute, _ in mends:
        pair = [model.opt if element == "option" else model for model in (made, wanted)]
        name = attribute if element == "option" else f"{element}_{attribute}"
        if not np.allclose(*(getattr(one, name) for one in pair), rtol=1e-6, atol=1e-12):
            return False
    return True
