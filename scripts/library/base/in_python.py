"""Messages of the library in Python's words: arguments, where those of a command line are options."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import TypeVar

from tarsus.analytic.spelling import listed

Function = TypeVar("Function", bound=Callable)
CHOICE = re.compile(r"(\w+): invalid choice: (.*?) \(choose from (.*?)\)")
CALLED = {"env": "environment", "set": "params"}  # arguments whose option has another name


def in_python(function: Function) -> Function:
    """Make a function of the package speak of arguments, and name the nearest one of a word that is none.

    What both a command and a function refuse is worded for the command. Commands in backticks are left as they are.
    """
    parameters = inspect.signature(function).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())

    @functools.wraps(function)
    def spoken(*args, **keywords):
        if unknown := [] if takes_all else [name for name in keywords if name not in parameters]:
            there = f"there are {listed(unknown[0], parameters)}"
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {unknown[0]!r}; {there}")
        try:
            return function(*args, **keywords)
        except ValueError as error:
            if len(error.args) == 1:
                error.args = (words(str(error)),)
            raise

    return spoken


def words(message: str) -> str:
    """Return a message with arguments for options: `--num-envs` is num_envs, `--env` is environment.

    A word that argparse refuses, `--x: invalid choice: 'z' (choose from 'a', 'b')`, is refused as others are.
    """
    parts = re.split(r"(`[^`]*`)", message)
    option = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")
    parts[::2] = [option.sub(lambda m: CALLED.get(m[1], m[1].replace("-", "_")), part) for part in parts[::2]]
    return CHOICE.sub(lambda m: f"unknown {m[1]} {m[2]}; there are {m[3].replace(chr(39), '')}", "".join(parts))
