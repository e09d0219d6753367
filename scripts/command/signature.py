"""Options of a command line, read from the signature of the function that is called with them.

A parameter with a default is the option `--its-name`, one without is positional. Its type says what it takes: `float`,
`int`, `str`, `bool`, `Path`, `Literal` for choices, a tuple or sequence of these for several, a union for either. In
`Annotated[float, arguments.seconds, "how long"]` the function reads the word, as a type of argparse does, and the text
is the help, unless the docstring has a line on the parameter under `Args` (of a dataclass: `Attributes`).
"""

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

from tarsus.scripts.command import arguments

Count = Annotated[int, arguments.count]
Jobs = Annotated[int, arguments.jobs, "processes; -1 takes every core"]
Positive = Annotated[float, arguments.positive]
Seconds = Annotated[float, arguments.seconds]
Seed = Annotated[int, arguments.seed]

READERS = {float: arguments.finite, int: arguments.integer(-arguments.MOST), str: str, Path: Path}
NONE = type(None)
SEVERAL = (tuple, list, collections.abc.Sequence)


def add_options(parser: argparse.ArgumentParser, function: Callable, skip: Collection[str] = ()) -> None:
    """Add an option for every parameter of a function or field of a dataclass but some; TypeError for other types."""
    said = descriptions(function)
    for name, parameter in _parameters(function, skip).items():
        kind, default, word = parameter.annotation, parameter.default, name.rstrip("_")
        base, *rest = typing.get_args(kind) if typing.get_origin(kind) is Annotated else (kind,)
        if base is bool:
            settings = {"help": " ".join(rest), "action": "store_false" if default is True else "store_true"}
        else:
            settings = {"help": ""} | _reading(name, kind)
            settings |= {} if "choices" in settings else {"metavar": word.upper()}
        text = said.get(name, settings["help"])
        flags = [name]
        if default is not parameter.empty:
            flags = [("--no-" if default is True else "--") + word.replace("_", "-")]
            settings |= {"dest": name, "default": default}
            text += "" if default is None or base is bool else f" (default: {_words(default)})"
        parser.add_argument(*flags, **settings | {"help": text.strip().replace("%", "%%")})


def keywords(args: argparse.Namespace, function: Callable, skip: Collection[str] = ()) -> dict[str, Any]:
    """Return the keyword arguments of a function from its parsed options; several values are a tuple."""
    found = {name: getattr(args, name) for name in _parameters(function, skip)}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}


def descriptions(function: Callable) -> dict[str, str]:
    """Return the description of each parameter in a docstring, by its name."""
    section = re.search(r"^(?:Args|Attributes):\n((?: +.*\n?|\n)*)", inspect.getdoc(function) or "", re.MULTILINE)
    lines = re.findall(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", section[1] if section else "", re.MULTILINE)
    return {name: " ".join(text.split()).rstrip(".") for name, text in lines}


def _parameters(function: Callable, skip: Collection[str]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(function, eval_str=True).parameters.items()
    found = {name: p for name, p in parameters if name not in skip and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    for field in dataclasses.fields(function) if dataclasses.is_dataclass(function) else ():
        if field.name in found and field.default_factory is not dataclasses.MISSING:
            found[field.name] = found[field.name].replace(default=field.default_factory())
    return found


def _reading(name: str, kind: Any) -> dict[str, Any]:
    """Return the settings with which argparse reads a parameter of a type."""
    origin, members = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        base, *rest = members
        words = [part for part in rest if isinstance(part, str)]
        read = _reading(name, base) if len(words) == len(rest) else {"type": _reader(name, kind)}
        return read | ({"help": words[0]} if words else {})
    if _is_union(kind) and NONE in members:  # None is what is meant where the option is not given
        return _reading(name, functools.reduce(operator.or_, (member for member in members if member is not NONE)))
    if origin in SEVERAL:
        if typing.get_origin(members[0]) in SEVERAL:
            raise TypeError(f"{name}: no option can have the type {kind}")
        number = {"nargs": "+" if members[1:] in ((), (...,)) else len(members)}
        return _reading(name, members[0]) | number
    if origin is Literal:
        choices = {str(choice): choice for choice in members}
        return {"type": lambda text: choices.get(text, text), "choices": list(members)}
    return {"type": _reader(name, kind)}


def _reader(name: str, kind: Any) -> Callable[[str], Any]:
    """Return a type of argparse's, which reads a word."""
    members = typing.get_args(kind)
    if typing.get_origin(kind) is Annotated:
        return members[1]
    if typing.get_origin(kind) is Literal:
        return _one_of({str(choice): choice for choice in members})
    if _is_union(kind):
        return _either([_reader(name, member) for member in members])
    if kind not in READERS:
        raise TypeError(f"{name}: no option can have the type {kind}")
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
