"""What a function refers to: the values of its names, and the module attributes that its code reads.

A library is a package whose version determines its contents: Python's own, NumPy, SciPy, numba. All other modules are
the user's: they change between runs, and while a program runs.
"""

import builtins
import dis
import os
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

LIBRARIES = ("numpy", "scipy", "numba", "llvmlite")
DATA = (bool, int, float, complex, str, bytes, tuple)
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


@dataclass(frozen=True)
class Reached:
    """What some code reads of a user's module: the attributes by name, of a submodule again a `Reached`."""

    module: types.ModuleType
    attributes: dict[str, Any]


def plain_function(value: Any) -> types.FunctionType | None:
    """Return the Python function behind `value` (a function, or one already jitted), or None."""
    value = getattr(value, "py_func", value)
    return value if isinstance(value, types.FunctionType) else None


def references(function: types.FunctionType, reached: bool = False) -> dict[str, Any]:
    """Return the globals and closure values that a function refers to, by name.

    Args:
        function: A plain function.
        reached: Whether to put what the code reads of it in the place of a user's module. A module that the code does
            anything else with (gives it another name, passes it on) stays a module.
    """
    code, space = function.__code__, function.__globals__
    names = _global_names(code)
    found = {name: space[name] for name in names & space.keys()}
    for name in names - space.keys() & vars(builtins).keys():
        if not library_name(vars(builtins)[name]):  # the user put it there
            found[name] = vars(builtins)[name]
    found |= {n: cell.cell_contents for n, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)}
    if reached and not all(
        isinstance(value, DATA) or plain_function(value) or library_name(value) for value in found.values()
    ):
        chains = _chains(code)  # names of attributes are among those of the code, and may be names of globals by chance
        found = {
            name: _reached(value, chains[name]) if isinstance(value, types.ModuleType) else value
            for name, value in found.items()
            if name in chains
        }
    return found


def library_reads(function: Any, seen: set[int] | None = None) -> Iterator[tuple[Any, str]]:
    """What a function, and all that it refers to, reads of libraries: a module and an attribute, or a value and ""."""
    plain, seen = plain_function(function), set() if seen is None else seen
    if plain is None or id(plain) in seen:
        return
    seen.add(id(plain))
    chains = _chains(plain.__code__)
    for name, value in references(plain).items():
        if isinstance(value, types.ModuleType):
            yield from ((value, chain[0]) for chain in chains.get(name, ()) if chain)
        elif plain_function(value) is None or library_name(value):
            yield value, ""
        else:
            yield from library_reads(value, seen)


def builtin_names(function: types.FunctionType) -> dict[str, Any]:
    """Return Python's own functions and types that a function refers to, by name."""
    names = _global_names(function.__code__) - function.__globals__.keys()
    return {name: value for name, value in vars(builtins).items() if name in names and library_name(value)}


def size(value: Any, seen: set[int] | None = None) -> int:
    """Return the bytes of bytecode of a function and of all functions it refers to."""
    function = plain_function(value)
    seen = set() if seen is None else seen
    if function is None or id(function) in seen:
        return 0
    seen.add(id(function))
    return len(function.__code__.co_code) + sum(size(part, seen) for part in references(function).values())


def library_name(value: Any) -> str | None:
    """Return name and version of a library's module, or of a value a library holds under its own name; else None."""
    is_module = isinstance(value, types.ModuleType)
    module = value.__name__ if is_module else getattr(value, "__module__", None)
    if isinstance(value, np.ufunc) and module is None:  # before NumPy 2.2 they did not say where they come from
        module = "numpy"
    if not isinstance(module, str) or not is_library(module):
        return None
    name = "" if is_module else getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    found = sys.modules.get(module)
    for part in (name or "").split(".") if name != "" else ():
        found = getattr(found, part, None)
    version = getattr(sys.modules.get(module.partition(".")[0]), "__version__", "")
    return f"{module}.{name} {version}" if found is value else None


def is_library(module: str) -> bool:
    """Return whether a module, given by its dotted name, belongs to a library."""
    top = module.partition(".")[0]
    if top in LIBRARIES or top in sys.builtin_module_names:
        return True
    if top not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(top), "__file__", None)  # a user's file may have the name of one of Python's modules
    return file is not None and Path(file).parts[: len(_PYTHON.parts)] == _PYTHON.parts and _SITE not in file


_PYTHON = Path(os.__file__).parent
_SITE = f"{os.sep}site-packages{os.sep}"


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object and all nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _global_names(code: types.CodeType) -> set[str]:
    """Return the names a code object, or one nested in it, may look up as globals (or attributes)."""
    return {name for part in _codes(code) for name in part.co_names}


def attribute_names(code: types.CodeType) -> set[str]:
    """Return the names of all attributes that a code object, or one nested in it, reads."""
    return {i.argval for part in _codes(code) for i in dis.get_instructions(part) if i.opname in ATTRIBUTES}


def _chains(code: types.CodeType) -> dict[str, set[tuple[str, ...]]]:
    """Return the chains of attributes read of each global or closed-over name; an empty one where it stands alone."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for part in _codes(code):
        steps = [(i.opname, i.argval) for i in dis.get_instructions(part) if i.opname not in ("EXTENDED_ARG", "NOP")]
        for place, (operation, name) in enumerate(steps):
            if operation in LOADS:
                end = place + 1
                while steps[end][0] in ATTRIBUTES:  # the last step is a return
                    end += 1
                found.setdefault(name, set()).add(tuple(argument for _, argument in steps[place + 1 : end]))
    return found


def _reached(module: types.ModuleType, chains: set[tuple[str, ...]]) -> Reached | types.ModuleType:
    """Return the attributes of a module that chains of names read, or the module itself if a chain ends there."""
    if library_name(module) or () in chains:
        return module
    attributes = {}
    for name in {chain[0] for chain in chains}:
        try:
            value = getattr(module, name)
        except AttributeError:
            continue  # compiling says so
        rest = {chain[1:] for chain in chains if chain[0] == name}
        attributes[name] = _reached(value, rest) if isinstance(value, types.ModuleType) else value
    return Reached(module, attributes)
