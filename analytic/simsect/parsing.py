"""The text of an init file and the symbols it sets.

A list of `name = value;` with a real number, a quoted string, or an array in braces of either, with blanks between;
`#` begins a comment, outside quotes; of two assignments to a name the last holds.

Source: SimSect manual, section 3.4; arrays, `terrain` and the positions: RHexLib, its own init files.
"""

import re
from dataclasses import dataclass

DEFAULT_FILE = "SimSect.rc"
LARGEST = 1e12  # of a number: nothing here is larger in SI units, and products of larger ones leave what floats hold
ALIASES = {
    "power": "rkPower",
    "maxStopIter": "maxStopIterations",
    "frameRate": "framerate",
    "terrain": "terrain_type",
    "spr_i": "spri",
    "spr_j": "sprj",
}

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+|#[^\n]*)|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<number>[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)"
    r'|(?P<string>"[^"\n]*")|(?P<sign>[=;{}])'
)


@dataclass(frozen=True)
class Symbol:
    """A value from an init file, and where it stands."""

    value: float | str | tuple[float, ...] | tuple[str, ...]
    line: int


def parse(text: str, name: str = DEFAULT_FILE) -> dict[str, Symbol]:
    """Return the symbols that an init file sets."""
    tokens = list(_tokens(text, name))
    symbols: dict[str, Symbol] = {}
    i = 0
    while i < len(tokens):
        kind, word, line = tokens[i]
        if kind != "name":
            raise ValueError(f"{name}:{line}: expected a name, got {word!r}")
        if [sign for _, sign, _ in tokens[i + 1 : i + 2]] != ["="]:
            raise ValueError(f"{name}:{line}: expected '=' after {word}")
        value, i = _value(tokens, i + 2, word, name)
        if [sign for _, sign, _ in tokens[i : i + 1]] != [";"]:
            raise ValueError(f"{name}:{tokens[i - 1][2]}: expected ';' after the value of {word}")
        symbols[ALIASES.get(word, word)] = Symbol(value, line)
        i += 1
    return symbols


def _value(tokens: list, i: int, symbol: str, name: str):
    """Return the value that begins at a token, and the token after it."""
    where, braced = f"{name}:{tokens[i - 1][2]}", i < len(tokens) and tokens[i][1] == "{"
    end = i = i + braced
    while end < len(tokens) and tokens[end][0] in ("number", "string") and (braced or end == i):
        kind, word, line = tokens[end]
        if kind == "number" and not abs(float(word)) <= LARGEST:
            raise ValueError(f"{name}:{line}: {symbol} must be at most {LARGEST:g} in size, got {word}")
        end += 1
    values = tuple(float(word) if kind == "number" else word[1:-1] for kind, word, _ in tokens[i:end])
    if len({type(value) for value in values}) != 1:
        raise ValueError(f"{where}: {symbol} needs a number or a quoted string, or several of one kind in braces")
    if not braced:
        return values[0], end
    if [sign for _, sign, _ in tokens[end : end + 1]] != ["}"]:
        raise ValueError(f"{where}: expected '}}' after the values of {symbol}")
    return values, end + 1


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
