"""Options of a command line, read from the signature of the function that is called with them.

A parameter with a default is the option `--its-name`, one without is positional. Its type says what it takes: `float`,
`int`, `str`, `bool`, `Path`, `Literal` for choices, a tuple or sequence of these for several, a union for either; and
`Annotated[float, arguments.seconds]`, whose second part is a type as argparse has them, for what has limits of its own.
Its line under `Args` in the docstring, `Attributes` in that of a dataclass, is its help.
"""

from __future__ import annotations

import argparse
import collections.abc
import dataclasses
import functools
import inspect
import operator
import re
import types
import typing
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from tarsus.scripts import arguments

Count = Annotated[int, arguments.count]
Jobs = Annotated[int, arguments.jobs]
Positive = Annotated[float, arguments.positive]
Seconds = Annotated[float, arguments.seconds]
Seed = Annotated[int, arguments.seed]

READERS = {float: arguments.finite, int: arguments.integer(-arguments.MOST), str: str, Path: Path}
SEVERAL = (tuple, list, collections.abc.Sequence)


def add_options(parser: argparse.ArgumentParser, function: Callable, skip: Collection[str] = ()) -> None:
    """Add an option for every parameter of a function, or field of a dataclass, but for those to skip.

    Raises:
        TypeError: If a parameter has a type that no text can be read as.
    """
    helps = descriptions(function)
    for name, parameter in _parameters(function, skip).items():
        settings, kind, default = {"help": helps.get(name, "")}, parameter.annotation, parameter.default
        if kind is bool:
            settings["action"] = "store_false" if default is True else "store_true"
        else:
            settings |= _reading(name, kind)
        if default is parameter.empty and parameter.kind is not parameter.KEYWORD_ONLY:
            flags = [name]
        else:
            flags = [("--no-" if default is True else "--") + name.rstrip("_").replace("_", "-")]
            settings |= {"dest": name} | ({"required": True} if default is parameter.empty else {"default": default})
            if not (default is parameter.empty or default is None or kind is bool):
                settings["help"] += f" (default: {_words(default)})"
        parser.add_argument(*flags, **settings | {"help": settings["help"].strip().replace("%", "%%")})


def keywords(args: argparse.Namespace, function: Callable, skip: Collection[str] = ()) -> dict[str, Any]:
    """Return what to call a function with whose options were added and parsed; several values are a tuple."""
    found = {name: getattr(args, name) for name in _parameters(function, skip)}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}


def descriptions(function: Callable) -> dict[str, str]:
    """Return what a docstring says of each parameter, by its name."""
    section = re.search(r"^(?:Args|Attributes):\n((?: +.*\n?|\n)*)", inspect.getdoc(function) or "", re.MULTILINE)
    lines = re.findall(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", section[1] if section else "", re.MULTILINE)
    return {name: " ".join(text.split()).rstrip(".") for name, text in lines}


def _parameters(function: Callable, skip: Collection[str]) -> dict[str, inspect.Parameter]:
    found = {n: p for n, p in inspect.signature(function, eval_str=True).parameters.items() if n not in skip}
    for field in dataclasses.fields(function) if dataclasses.is_dataclass(function) else ():
        if field.name in found and field.default_factory is not dataclasses.MISSING:
            found[field.name] = found[field.name].replace(default=field.default_factory())
    return found


def _reading(name: str, kind: Any) -> dict[str, Any]:
    """Return what argparse has to know to read a parameter of a type."""
    if _is_union(kind) and type(None) in typing.get_args(kind):  # None is what is meant where the option is not given
        kind = functools.reduce(operator.or_, (member for member in typing.get_args(kind) if member is not type(None)))
    number, inside = {}, typing.get_args(kind)
    if typing.get_origin(kind) in SEVERAL:
        number, kind = {"nargs": "+" if len(inside) == 1 or inside[1] is ... else len(inside)}, inside[0]
    if typing.get_origin(kind) is Literal:
        choices = {str(choice): choice for choice in typing.get_args(kind)}
        return number | {"type": lambda text: choices.get(text, text), "choices": list(choices.values())}
    try:
        return number | {"type": _reader(kind), "metavar": name.rstrip("_").upper() if number else None}
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def _reader(kind: Any) -> Callable[[str], Any]:
    """Return a type of argparse's, which reads a word."""
    members = typing.get_args(kind)
    if typing.get_origin(kind) is Annotated:
        return members[1]
    if typing.get_origin(kind) is Literal:
        return _one_of({str(choice): choice for choice in members})
    if _is_union(kind):
        return _either([_reader(member) for member in members])
    if kind not in READERS:
        raise TypeError(f"no option can have the type {kind}")
    return READERS[kind]


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (Union, types.UnionType)


def _one_of(choices: dict[str, Any]) -> Callable[[str], Any]:
    def chosen(text: str) -> Any:
        if text not in choices:
            raise argparse.ArgumentTypeError(f"must be one of {', '.join(choices)}, got {text!r}")
        return choices[text]

    return chosen


def _either(readers: list[Callable[[str], Any]]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        reasons = []
        for reader in readers:
            try:
                return reader(text)
            except (argparse.ArgumentTypeError, ValueError) as error:
                reasons.append(str(error).removeprefix("must be ").partition(", got ")[0])
        raise argparse.ArgumentTypeError(f"must be {' or '.join(reasons)}, got {text!r}")

    return read


def _words(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return " ".join(map(_words, value)) if isinstance(value, SEVERAL) and not isinstance(value, str) else str(value)
