"""The hash of a function: of its code, constants, defaults, and the values of all it refers to, recursively.

Two functions with the same fingerprint compile to the same machine code. The identity, name and location of a function
are not hashed; the current values of its globals and closures are, and those of the module attributes its code reads.
Types are hashed by their content, numba's objects by the functions they were made from. Only what belongs to a library
(`references.LIBRARIES` and Python itself) is hashed by name and version.

A value that cannot be hashed is refused with an error message: code that refers to it must not be kept.
"""

import dataclasses
import hashlib
import types
from collections.abc import Mapping
from typing import Any

from .content import NoFingerprint, feed_content
from .numba_objects import has_cache_of_numba, is_compiled, is_jitted, made_from, overloads_for
from .references import Reached, library_name

LITERALS = (type(None), bool, int, float, complex, str, bytes, range, type(Ellipsis))
PARTS = (tuple, list, dict, types.CodeType, Reached)


@dataclasses.dataclass(frozen=True)
class Used:
    """The hash of one of numba's objects; the others that it refers to are noted, and have hashes of their own."""

    value: Any = dataclasses.field(compare=False)  # kept, so that its `id` stays its own
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
        rebuilt: Whether jitted functions will be compiled again from their Python source (by `rebuild`), if they are
            given here or by a name in the code, or all are used as they are, with the machine code that they may hold.
    """
    walk = _Walk(rebuilt)
    try:
        for value in values:
            walk.feed(value, by_name=True)
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
    """One pass over all values reached, in an order that depends only on the values."""

    def __init__(self, rebuilt: bool, above: "_Walk | None" = None) -> None:
        self.rebuilt, self.data = rebuilt, False
        self.names: set[str] = above.names if above else set()
        self.used: dict[int, Used] = above.used if above else {}
        self.path = [*above.path] if above else []
        self.refers_to: list[int] = []
        self.digest = hashlib.sha256()
        self.seen: dict[int, tuple[int, Any]] = {}  # in order of discovery; the value, so that its `id` stays its own

    def where(self) -> str:
        """Return by which names the present value was reached."""
        return ".".join(self.path) or "the value"

    def put(self, *words: Any) -> None:
        """Hash words, which their `repr` determines."""
        self.digest.update(repr(words).encode())

    def again(self, value: Any) -> bool:
        """Return whether a value was met before; if so, its place is hashed for its contents."""
        if id(value) in self.seen:
            self.put("again", self.seen[id(value)][0])
            return True
        self.seen[id(value)] = (len(self.seen), value)
        return False

    def feed(self, value: Any, by_name: bool = False) -> None:
        """Hash a value, which a function may refer to by a name."""
        if type(value) in LITERALS:
            self.put(type(value).__name__, repr(value))
        elif type(value) in PARTS:
            feed_content(value, self)
        elif (name := library_name(value)) is not None:
            self.put("library", name)
        elif (parts := made_from(value)) is None:
            feed_content(value, self)
        elif self.rebuilt and by_name and is_jitted(value):
            self.feed((parts["function"], parts["options"]))
        else:
            self.feed_used(value, parts)

    def feed_named(self, values: Mapping[str, Any], referred: bool = False) -> None:
        """Hash values with their names, by which a function may refer to them."""
        self.put("names", sorted(values))
        for name, value in sorted(values.items()):
            self.path.append(name)
            self.data |= referred and not _is_code(value)
            self.feed(value, by_name=referred)
            self.path.pop()

    def digest_of(self, value: Any) -> str:
        """Return the hash of a value by itself."""
        alone = _Walk(self.rebuilt, above=self)
        alone.feed(value)
        return alone.digest.hexdigest()

    def feed_used(self, value: Any, parts: dict[str, Any]) -> None:
        """Note an object of numba's that is used as it is; refuse it if what it refers to has changed since."""
        self.put("used")
        self.refers_to.append(id(value))
        if id(value) in self.used:
            return
        if has_cache_of_numba(value):
            raise NoFingerprint(f"{self.where()} has numba's own cache, which only checks its own source file")
        self.used[id(value)] = Used(value, "", ())  # holds its place while others are found
        inner = _Walk(False, above=self)
        inner.feed_named(parts)
        found = self.used[id(value)] = Used(value, inner.digest.hexdigest(), tuple(inner.refers_to))
        current = id(value) in _FIRST or not (inner.data and is_compiled(value))
        if not current or _FIRST.setdefault(id(value), found) != found:
            raise NoFingerprint(f"{self.where()} may have been compiled before something it refers to was changed")


def _is_code(value: Any) -> bool:
    """Return whether a value is a function, or refers to values that are hashed themselves."""
    return isinstance(value, (types.FunctionType, Reached)) or bool(library_name(value) or made_from(value))
