"""The content of a value, for its fingerprint: of functions, types, arrays and containers.

`walk` is the pass over all values that feeds them to the hash (`fingerprint`).
"""

import dataclasses
import enum
import functools
import hashlib
import types
from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from .references import Reached, references

ARRAYS = (np.ndarray, np.memmap, np.recarray)
OF_NAMEDTUPLES = {*vars(namedtuple("Empty", ""))} - {"_fields", "_field_defaults"}


class NoFingerprint(ValueError):
    """A value cannot be hashed: code that refers to it must not be kept."""


@functools.singledispatch
def feed_content(value: Any, walk: Any) -> None:
    """Feed a value that is neither a literal, nor a library's, nor made by numba."""
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        walk.feed((type(value), fields))
    elif type(value).__module__.startswith("numba.core.types") and "#" not in str(value) and "0x" not in str(value):
        walk.put("type", str(value))
    else:
        raise NoFingerprint(f"{walk.where()} is of type {type(value).__name__}, which cannot be hashed")


@feed_content.register(types.FunctionType)
def _(value: types.FunctionType, walk: Any) -> None:
    if walk.again(value):
        return
    above, walk.path = walk.path, walk.path or [value.__name__]
    walk.feed((value.__code__, value.__defaults__, value.__kwdefaults__))
    walk.feed_named(references(value, reached=True), referred=True)
    walk.path = above


@feed_content.register(types.CodeType)
def _(value: types.CodeType, walk: Any) -> None:
    walk.names.update(value.co_names)
    walk.put("code", value.co_code, value.co_exceptiontable, value.co_flags, value.co_argcount, value.co_kwonlyargcount)
    walk.put(value.co_posonlyargcount, value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
    walk.feed(value.co_consts)


@feed_content.register(types.ModuleType)
def _(value: types.ModuleType, walk: Any) -> None:
    raise NoFingerprint(f"module {value.__name__} is used in {walk.where()} other than by the names of its attributes")


@feed_content.register(Reached)
def _(value: Reached, walk: Any) -> None:
    walk.feed_named(value.attributes, referred=True)


@feed_content.register(np.ndarray)
@feed_content.register(np.generic)
def _(value: Any, walk: Any) -> None:
    if value.dtype.hasobject or not (isinstance(value, np.generic) or type(value) in ARRAYS):
        raise NoFingerprint(f"{walk.where()} is an array of objects or of a user-defined type")
    order = (value.flags.c_contiguous, value.flags.f_contiguous)
    contents = hashlib.sha256(value.tobytes()).hexdigest()
    walk.put("array", type(value).__name__, repr(value.dtype), value.shape, order, contents)


@feed_content.register(np.dtype)
def _(value: np.dtype, walk: Any) -> None:
    walk.put("dtype", repr(value))


@feed_content.register(tuple)
@feed_content.register(list)
def _(value: Any, walk: Any) -> None:
    if type(value) in (tuple, list):
        walk.put(type(value).__name__, len(value))
    else:
        walk.feed((type(value), vars(value) if hasattr(value, "__dict__") else None, len(value)))
    for item in value:
        walk.feed(item)


@feed_content.register(set)
@feed_content.register(frozenset)
def _(value: Any, walk: Any) -> None:
    walk.feed((type(value), sorted(value, key=walk.digest_of)))


@feed_content.register(Mapping)
@feed_content.register(types.SimpleNamespace)
def _(value: Any, walk: Any) -> None:
    items = vars(value) if isinstance(value, types.SimpleNamespace) else value
    walk.feed((type(value), [*items], [*items.values()]))


@feed_content.register(enum.Enum)
def _(value: enum.Enum, walk: Any) -> None:
    walk.feed((type(value), value.name))


@feed_content.register(type)
def _(value: type, walk: Any) -> None:
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
    """Return whether an attribute is the user's: no slot, and none that every class or dataclass has."""
    if name.startswith("__") and name.endswith("__"):
        return isinstance(part, types.FunctionType) and not dataclasses.is_dataclass(of)
    return not isinstance(part, (types.MemberDescriptorType, types.GetSetDescriptorType)) and name not in (
        getattr(of, "_fields", ()) if issubclass(of, tuple) else ()
    )


@feed_content.register(property)
@feed_content.register(staticmethod)
@feed_content.register(classmethod)
def _(value: Any, walk: Any) -> None:
    functions = [getattr(value, name, None) for name in ("fget", "fset", "fdel", "__func__")]
    walk.feed((type(value).__name__, functions))
