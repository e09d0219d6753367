"""A function of machine code that was linked (`linking`): made when first needed, and kept for other processes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

from . import linking, notice, store
from .content import NoFingerprint
from .machine_code import DYNAMIC, DiskCache, Key, not_kept


class LinkedCode:
    """The address of a function, once it is needed.

    Args:
        name: Begins the name of its file.
        key: What it is made of.
        link: `link(symbol)`, the module that defines the function by this name, sealed.
        enter: The jitted function that calls it, whose compilation the terminal's line counts with this one.

    Attributes:
        symbol: The function's name, which no other function in the engine has.
    """

    def __init__(self, name: str, key: Key, link: Callable[[str], llvm.ModuleRef], enter: Any) -> None:
        self.symbol = f"{linking.OURS}{name}_{key.name}"
        self._name, self._key, self._link, self._enter = name, key, link, enter
        self._address = 0

    def address(self) -> int:
        """Return the address of the function, which the first call compiles or loads."""
        if not self._address:
            notice.show(DiskCache)
            with global_compiler_lock:
                if not self._address:
                    path = self._path()
                    self._address = store.read_or_make(path, self._loaded, lambda: self._compiled(path))
        return self._address

    def _loaded(self, body: bytes) -> int:
        end = 8 + int.from_bytes(body[:8], "little")
        return linking.address_of(body[end:], json.loads(body[8:end]), self.symbol)

    def _path(self) -> Path | None:
        if isinstance(self._key.then, NoFingerprint):
            return None
        return store.path_of(self._name, self._key.name, linking.kind_of_processor())

    def _compiled(self, path: Path | None) -> int:
        with event.trigger_event("numba:compile", data={"dispatcher": self._enter}):  # for the line that says so
            code, names, lasting = linking.machine_code_of(self._link(self.symbol))
        try:
            self._key.check()
            if not lasting:
                raise NoFingerprint(DYNAMIC)
            if path:
                head = json.dumps(names).encode()
                store.write(path, len(head).to_bytes(8, "little") + head + code)
        except Exception as error:
            not_kept(error)
        return linking.address_of(code, names, self.symbol)


def bitcode(name: str, key: str | Key, translate: Callable[[], llvm.ModuleRef]) -> bytes:
    """Return a translation as bitcode: from disk, or what `translate` returns, kept; `key` hashes all it is made of."""
    then = key.then if isinstance(key, Key) else key
    path = store.path_of(name, then, linking.kind_of_processor()) if isinstance(then, str) else None

    def make() -> bytes:
        module = translate()
        try:
            if isinstance(key, Key):
                key.check()
            if path and linking.is_lasting(module):
                store.write(path, module.as_bitcode())
        except (OSError, NoFingerprint) as error:
            not_kept(error)
        return module.as_bitcode()

    return store.read_or_make(path, lambda body: body, make)
