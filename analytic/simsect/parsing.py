"""The text of an init file and the symbols it sets.

A list of `name = value;` with a real number or a quoted string; `#` begins a comment, outside quotes; of two
assignments to a name the last holds. Source: SimSect manual, section 3.4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DEFAULT_FILE = "SimSect.rc"
LARGEST = 1e12  # of a number: nothing here is larger in SI units, and products of larger ones leave what floats hold
ALIASES = {
    "power": "rkPower",
    "maxStopIter": "maxStopIterations",
    "frameRate": "framerate",
    "spr_i": "spri",
    "spr_j": "sprj",
}

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+|#[^\n]*)|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<number>[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)"
    r'|(?P<string>"[^"\n]*")|(?P<sign>[=;])'
)


@dataclass(frozen=True)
class Symbol:
    """A value from an init file, and where it stands."""

    value: float | str
    line: int


def parse(text: str, name: str = DEFAULT_FILE) -> dict[str, Symbol]:
    """Return the symbols that an init file sets.

    Raises:
        ValueError: With file and line, if the text is not a list of assignments, or a number is beyond `LARGEST`.
    """
    tokens = list(_tokens(text, name))
    symbols: dict[str, Symbol] = {}
    i = 0
    while i < len(tokens):
        line = tokens[i][2]
        part = tokens[i : i + 4]
        kinds = [kind for kind, _, _ in part]
        if kinds[:1] != ["name"]:
            raise ValueError(f"{name}:{line}: expected a name, got {part[0][1]!r}")
        if len(part) < 2 or part[1][1] != "=":
            raise ValueError(f"{name}:{line}: expected '=' after {part[0][1]}")
        if len(part) < 3 or kinds[2] not in ("number", "string"):
            raise ValueError(f"{name}:{line}: {part[0][1]} needs a number or a quoted string")
        if len(part) < 4 or part[3][1] != ";":
            raise ValueError(f"{name}:{part[2][2]}: expected ';' after the value of {part[0][1]}")
        value = float(part[2][1]) if kinds[2] == "number" else part[2][1][1:-1]
        if not isinstance(value, str) and not abs(value) <= LARGEST:
            what = f"{part[0][1]} must be at most {LARGEST:g} in size, got {part[2][1]}"
            raise ValueError(f"{name}:{part[2][2]}: {what}")
        symbols[ALIASES.get(part[0][1], part[0][1])] = Symbol(value, line)
        i += 4
    return symbols


def _tokens(text: str, name: str):
    place, line = 0, 1
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError(f"{name}:{line}: cannot read {text[place : place + 20].splitlines()[0]!r}")
        if match.lastgroup != "space":
            yield match.lastgroup, match.group(), line
        line += match.group().count("\n")
        place = match.end()
