"""What a function is, as a hash: its code, constants, defaults, and all it refers to, recursively.

Two functions with the same fingerprint compile to the same machine code. The identity, name and place of a function do
not enter; the values of its globals and closures do, so editing any of them gives another fingerprint.

Limits: mutable globals (lists, dictionaries, arrays) are frozen at their value when the model is compiled. Modules
enter by name and version, and modules of packages that have no version by the contents of their file.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def plain_function(value: Any) -> types.FunctionType | None:
    """Return the Python function behind `value` (a function, or one already jitted), or None."""
    value = getattr(value, "py_func", value)
    return value if isinstance(value, types.FunctionType) else None


def global_names(code: types.CodeType) -> set[str]:
    """Return all names a code object, or one nested in it, may look up as globals (or attributes)."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= global_names(constant)
    return names


def references(function: types.FunctionType) -> dict[str, Any]:
    """Return the globals and closure values that a function refers to, by name."""
    found = {
        name: function.__globals__[name] for name in global_names(function.__code__) if name in function.__globals__
    }
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        found[name] = cell.cell_contents
    return found


def size(value: Any, seen: set[int] | None = None) -> int:
    """Return the bytes of bytecode of a function and of all functions it refers to."""
    function = plain_function(value)
    seen = set() if seen is None else seen
    if function is None or id(function) in seen:
        return 0
    seen.add(id(function))
    return len(function.__code__.co_code) + sum(size(part, seen) for part in references(function).values())


def fingerprint(*values: Any) -> str:
    """Return the hash of functions and values, 20 hexadecimal digits."""
    digest = hashlib.sha256()
    seen: dict[int, int] = {}
    for value in values:
        _feed(digest.update, value, seen)
    return digest.hexdigest()[:20]


def _feed(update: Callable[[bytes], None], value: Any, seen: dict[int, int]) -> None:
    function = plain_function(value)
    if function is not None:
        _feed_function(update, function, seen)
    elif isinstance(value, types.CodeType):
        _feed_code(update, value, seen)
    elif isinstance(value, types.ModuleType):
        update(_module(value).encode())
    elif isinstance(value, np.ndarray):
        update(f"array {value.dtype} {value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (tuple, list)):
        update(f"{type(value).__name__} {len(value)} {getattr(value, '_fields', '')}(".encode())
        for item in value:
            _feed(update, item, seen)
    elif isinstance(value, dict):
        update(f"dict {len(value)}".encode())
        for key in sorted(value, key=repr):
            _feed(update, (key, value[key]), seen)
    else:
        update(f"{type(value).__name__} {value!r};".encode())


def _feed_function(update: Callable[[bytes], None], function: types.FunctionType, seen: dict[int, int]) -> None:
    if id(function) in seen:  # recursion: the order of discovery stands for the function
        update(f"again {seen[id(function)]}".encode())
        return
    seen[id(function)] = len(seen)
    _feed_code(update, function.__code__, seen)
    _feed(update, function.__defaults__, seen)
    _feed(update, function.__kwdefaults__, seen)
    for name, value in sorted(references(function).items()):
        update(f"{name}=".encode())
        _feed(update, value, seen)


def _feed_code(update: Callable[[bytes], None], code: types.CodeType, seen: dict[int, int]) -> None:
    update(code.co_code + repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)).encode())
    for constant in code.co_consts:
        _feed(update, constant, seen)


def _module(module: types.ModuleType) -> str:
    version = getattr(module, "__version__", None)
    file = getattr(module, "__file__", None)
    if version is None and file and file.endswith(".py") and "site-packages" not in file:
        return f"module {module.__name__} {hashlib.sha256(Path(file).read_bytes()).hexdigest()};"
    return f"module {module.__name__} {version};"
