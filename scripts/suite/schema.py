"""Check values read from JSON against a schema: the part of JSON Schema that `schema.json` uses, and a place to name.

Needs nothing but the standard library, as `case.py`. Stricter than the standard in three ways, as what is read is
computed with: numbers are finite, whole numbers are written without a point, and text can be written as UTF-8.
"""

from __future__ import annotations

import operator
import re
import reprlib
import sys

TYPES = {
    "object": (dict, "an object"),
    "array": (list, "a list"),
    "string": (str, "text"),
    "number": ((int, float), "a number"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
    "null": (type(None), "null"),
}
BOUNDS = {  # of a number, of how many a list holds, or of all of a text: what holds, and in words
    "minimum": (operator.ge, "at least {}"),
    "maximum": (operator.le, "at most {}"),
    "exclusiveMinimum": (operator.gt, "greater than {}"),
    "minItems": (operator.ge, "a list of at least {}"),
    "maxItems": (operator.le, "a list of at most {}"),
    "pattern": (lambda text, pattern: re.fullmatch(pattern, text), "text like {}"),
}
KEYWORDS = {*"$ref oneOf type const enum required properties additionalProperties items".split(), *BOUNDS}
SHORT = reprlib.Repr()  # of a value that is refused: a file may have put anything in its place
SHORT.maxlevel, SHORT.maxdict = 2, 2


def resolved(schema: dict, definitions: dict) -> dict:
    reference = schema.get("$ref")
    return definitions[reference.rpartition("/")[2]] | schema if reference else schema


def check(value, schema: dict, definitions: dict, place: str = "") -> None:
    """Check a value; ValueError says the place in the document, what is allowed there and what it is instead."""
    schema = resolved(schema, definitions)
    if "oneOf" in schema:  # their types differ: the one of the value's type says what is wrong
        fitting = [one for one in schema["oneOf"] if _is(value, resolved(one, definitions)["type"])]
        _hold(place, bool(fitting), " or ".join(TYPES[one["type"]][1] for one in schema["oneOf"]), value)
        schema = resolved(fitting[0], definitions)
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        _hold(place, any(_is(value, name) for name in names), " or ".join(TYPES[name][1] for name in names), value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        _hold(place, _is_finite(value), "a finite number", value)
    if isinstance(value, str):
        _hold(place, not re.search("[\ud800-\udfff]", value), "text of UTF-8", value)
    if "const" in schema or "enum" in schema:
        allowed = schema.get("enum", [schema.get("const")])
        fits = any(type(value) is type(one) and value == one for one in allowed)
        _hold(place, fits, " or ".join(map(str, allowed)), value)
    size = len(value) if isinstance(value, list) else value
    for keyword, (holds, words) in BOUNDS.items():
        if keyword in schema:
            _hold(place, holds(size, schema[keyword]), words.format(schema[keyword]), value)
    if isinstance(value, dict):
        _check_fields(value, schema, definitions, place)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            check(item, schema["items"], definitions, f"{place}[{index}]")


def shortened(names: list[str], most: int = 12) -> str:
    """Return names that there are, in words, not all if there are many; a file may have given long ones."""
    said = [name if len(name) <= 40 and name.isprintable() else reprlib.repr(name) for name in names[:most]]
    return ", ".join(said) + (f" and {len(names) - most} more" if len(names) > most else "")


def _check_fields(value: dict, schema: dict, definitions: dict, place: str) -> None:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise ValueError(f"{place or 'the document'} lacks {name}")
    for name, part in value.items():
        if name in known:
            check(part, known[name], definitions, f"{place}.{name}" if place else name)
        elif schema.get("additionalProperties") is False:
            raise ValueError(f"{place or 'the document'} has no {reprlib.repr(name)}; there are {', '.join(known)}")


def _is(value, name: str) -> bool:
    return isinstance(value, TYPES[name][0]) and (name == "boolean" or not isinstance(value, bool))


def _is_finite(value: float) -> bool:
    return abs(value) <= sys.float_info.max  # not of NaN; of whole numbers too


def _hold(place: str, fits: bool, allowed: str, value) -> None:
    if not fits:
        raise ValueError(f"{place or 'the document'} must be {allowed}, got {SHORT.repr(value)}")
