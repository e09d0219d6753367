"""What a function is, as a hash: its code, constants, defaults, and the values of all it refers to, recursively.

Two functions with the same fingerprint compile to the same machine code. The identity, name and place of a function do
not enter; the values behind its globals and closures do, and those of the attributes its code reads of modules, as they
are at the moment of asking. Types enter by their content, numba's objects by the functions they were made from. Only
what a library holds (`references.LIBRARIES` and Python itself) enters by name and version.

What cannot be told from another value is refused with a sentence: code that refers to it must not be kept.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import types
from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from .numba_objects import has_cache_of_numba, is_compiled, is_jitted, made_from, overloads_for
from .references import Reached, library_name, references

LITERALS = (type(None), bool, int, float, complex, str, bytes, range, type(Ellipsis))
PARTS = (tuple, list, dict, types.CodeType, Reached)
ARRAYS = (np.ndarray, np.memmap, np.recarray)
OF_NAMEDTUPLES = {*vars(namedtuple("Empty", ""))} - {"_fields", "_field_defaults"}


class NoFingerprint(ValueError):
    """A value cannot be told from another: code that refers to it must not be kept."""


@dataclasses.dataclass(frozen=True)
class Used:
    """What one of numba's objects is, without what others of them it refers to: those stand by themselves."""

    value: Any  # kept, so that its `id` stays its own
    digest: str
    refers_to: tuple[int, ...]  # by `id`


_FIRST: dict[int, Used] = {}  # by `id`: what they were when they were first seen in this process


def fingerprint(*values: Any, rebuilt: bool = True) -> str:
    """Return the hash of functions and values, 20 hexadecimal digits; see `fingerprint_and_used`."""
    return fingerprint_and_used(*values, rebuilt=rebuilt)[0]


def fingerprint_and_used(*values: Any, rebuilt: bool = True) -> tuple[str, list[Any]]:
    """Return the hash of functions and values, and the objects of numba's that are used as they are.

    Args:
        values: Functions, and whatever else the compiled code depends on.
        rebuilt: Whether jitted functions will be compiled again from their Python source (by `rebuild`), or are used
            as they are, with the machine code that they may hold already.

    Raises:
        NoFingerprint: If a function refers to something that cannot be hashed, or uses an object of numba's that is not
            what it was when it was first seen here; the sentence says what and where.
    """
    walk = _Walk(rebuilt)
    try:
        walk.feed(values)
        fed = 0
        while len(overloads := overloads_for(walk.names)) > fed:  # they may call others
            fed = len(overloads)
            walk.feed(overloads)
    except RecursionError:
        raise NoFingerprint(f"{walk.where()} is nested too deeply") from None
    place = {key: k for k, key in enumerate(walk.used)}
    for found in walk.used.values():
        walk.put(found.digest, [place[key] for key in found.refers_to])
    walk.put([place[key] for key in walk.refers_to])
    return walk.digest.hexdigest()[:20], [found.value for found in walk.used.values()]


class _Walk:
    """One pass over all values reached, in an order that depends on nothing but what they are.

    Attributes:
        names: Of globals and attributes, in all code reached.
        used: Objects of numba's that are used as they are, by `id`, in order of discovery.
        refers_to: Those met in this walk, one for each time.
        data: Whether a function met refers to anything but functions, libraries and such objects.
    """

    def __init__(self, rebuilt: bool, above: _Walk | None = None) -> None:
        self.rebuilt, self.data = rebuilt, False
        self.names: set[str] = above.names if above else set()
        self.used: dict[int, Used] = above.used if above else {}
        self.path = [*above.path] if above else []
        self.refers_to: list[int] = []
        self.digest = hashlib.sha256()
        self.seen: dict[int, tuple[int, Any]] = {}  # in order of discovery; the value, so that its `id` stays its own

    def where(self) -> str:
        return ".".join(self.path) or "the value"

    def put(self, *words: Any) -> None:
        self.digest.update(repr(words).encode())

    def again(self, value: Any) -> bool:
        """Return whether a value was met before; then where stands for what."""
        if id(value) in self.seen:
            self.put("again", self.seen[id(value)][0])
            return True
        self.seen[id(value)] = (len(self.seen), value)
        return False

    def feed(self, value: Any) -> None:
        if type(value) in LITERALS:
            self.put(type(value).__name__, repr(value))
        elif type(value) in PARTS:
            _feed(value, self)
        elif (name := library_name(value)) is not None:
            self.put("library", name)
        elif (parts := made_from(value)) is None:
            _feed(value, self)
        elif self.rebuilt and is_jitted(value):
            self.feed((parts["function"], parts["options"]))
        else:
            self.feed_used(value, parts)

    def feed_named(self, values: Mapping[str, Any], referred: bool = False) -> None:
        self.put("names", sorted(values))
        for name, value in sorted(values.items()):
            self.path.append(name)
            self.data |= referred and not _is_code(value)
            self.feed(value)
            self.path.pop()

    def feed_used(self, value: Any, parts: dict[str, Any]) -> None:
        """Note an object of numba's that is used as it is: its machine code must be that of what it refers to now."""
        self.put("used")
        self.refers_to.append(id(value))
        if id(value) in self.used:
            return
        if has_cache_of_numba(value):
            raise NoFingerprint(f"{self.where()} has a cache of numba's own, which sees no more than its own file")
        self.used[id(value)] = Used(value, "", ())  # holds its place while others are found
        inner = _Walk(False, above=self)
        inner.feed_named(parts)
        found = self.used[id(value)] = Used(value, inner.digest.hexdigest(), tuple(inner.refers_to))
        known = id(value) in _FIRST or not (inner.data and is_compiled(value))
        if not known or _FIRST.setdefault(id(value), found) != found:
            raise NoFingerprint(f"{self.where()} may have been compiled before something it refers to was changed")


def _is_code(value: Any) -> bool:
    """Return whether a value is a function, or leads to values that are asked themselves."""
    return isinstance(value, (types.FunctionType, Reached)) or bool(library_name(value) or made_from(value))


@functools.singledispatch
def _feed(value: Any, walk: _Walk) -> None:
    """Feed a value that is neither a literal, nor a library's, nor made by numba."""
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        walk.feed((type(value), fields))
    elif type(value).__module__.startswith("numba.core.types") and "#" not in str(value) and "0x" not in str(value):
        walk.put("type", str(value))
    else:
        raise NoFingerprint(f"{walk.where()} is of type {type(value).__name__}, which cannot be told from another")


@_feed.register(types.FunctionType)
def _(value: types.FunctionType, walk: _Walk) -> None:
    if walk.again(value):
        return
    above, walk.path = walk.path, walk.path or [value.__name__]
    walk.feed((value.__code__, value.__defaults__, value.__kwdefaults__))
    walk.feed_named(references(value, reached=True), referred=True)
    walk.path = above


@_feed.register(types.CodeType)
def _(value: types.CodeType, walk: _Walk) -> None:
    walk.names.update(value.co_names)
    walk.put("code", value.co_code, value.co_exceptiontable, value.co_flags, value.co_argcount, value.co_kwonlyargcount)
    walk.put(value.co_posonlyargcount, value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
    walk.feed(value.co_consts)


@_feed.register(types.ModuleType)
def _(value: types.ModuleType, walk: _Walk) -> None:
    raise NoFingerprint(f"module {value.__name__} is used in {walk.where()} other than by the names of its attributes")


@_feed.register(Reached)
def _(value: Reached, walk: _Walk) -> None:
    walk.feed_named(value.attributes, referred=True)


@_feed.register(np.ndarray)
@_feed.register(np.generic)
def _(value: Any, walk: _Walk) -> None:
    if value.dtype.hasobject or not (isinstance(value, np.generic) or type(value) in ARRAYS):
        raise NoFingerprint(f"{walk.where()} is an array of objects or of a type of its own")
    order = (value.flags.c_contiguous, value.flags.f_contiguous)
    walk.put("array", type(value).__name__, repr(value.dtype), value.shape, order, value.tobytes())


@_feed.register(np.dtype)
def _(value: np.dtype, walk: _Walk) -> None:
    walk.put("dtype", repr(value))


@_feed.register(tuple)
@_feed.register(list)
def _(value: Any, walk: _Walk) -> None:
    if type(value) in (tuple, list):
        walk.put(type(value).__name__, len(value))
    else:
        walk.feed((type(value), vars(value) if hasattr(value, "__dict__") else None, len(value)))
    for item in value:
        walk.feed(item)


@_feed.register(set)
@_feed.register(frozenset)
def _(value: Any, walk: _Walk) -> None:
    def own_digest(item: Any) -> str:
        alone = _Walk(walk.rebuilt, above=walk)
        alone.feed(item)
        return alone.digest.hexdigest()

    walk.feed((type(value), sorted(value, key=own_digest)))


@_feed.register(Mapping)
@_feed.register(types.SimpleNamespace)
def _(value: Any, walk: _Walk) -> None:
    items = vars(value) if isinstance(value, types.SimpleNamespace) else value
    walk.feed((type(value), [*items], [*items.values()]))


@_feed.register(enum.Enum)
def _(value: enum.Enum, walk: _Walk) -> None:
    walk.feed((type(value), value.name))


@_feed.register(type)
def _(value: type, walk: _Walk) -> None:
    """Feed a class of the user's: its bases, its attributes, its functions."""
    if walk.again(value):
        return
    walk.put("class", value.__qualname__)
    walk.feed(value.__bases__)
    if issubclass(value, enum.Enum):
        walk.feed_named({name: member.value for name, member in value.__members__.items()})
        return
    if dataclasses.is_dataclass(value):
        walk.feed([field.name for field in dataclasses.fields(value)])
    made = OF_NAMEDTUPLES if issubclass(value, tuple) and hasattr(value, "_fields") else {"_abc_impl"}
    walk.feed_named({name: part for name, part in vars(value).items() if name not in made and _own(part, name, value)})


def _own(part: Any, name: str, of: type) -> bool:
    """Return whether an attribute is the user's: not a slot, nor what every class or every dataclass has."""
    if name.startswith("__") and name.endswith("__"):
        return isinstance(part, types.FunctionType) and not dataclasses.is_dataclass(of)
    return not isinstance(part, (types.MemberDescriptorType, types.GetSetDescriptorType)) and name not in (
        getattr(of, "_fields", ()) if issubclass(of, tuple) else ()
    )


@_feed.register(property)
@_feed.register(staticmethod)
@_feed.register(classmethod)
def _(value: Any, walk: _Walk) -> None:
    functions = [getattr(value, name, None) for name in ("fget", "fset", "fdel", "__func__")]
    walk.feed((type(value).__name__, functions))
