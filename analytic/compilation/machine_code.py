"""Machine code on disk, for every function compiled here: never stale, never incomplete, never a cause of failure.

A file holds one function for one signature on one kind of processor. Its name contains the fingerprint of all that the
code depends on, its header a hash of its name and contents, so that an empty, truncated or damaged file is removed and
the function recompiled before anything is unpickled. An error while code is written causes a warning, and compilation
in the next process. (numba's own cache checks only a single source file, and raises the disk's errors.)
"""

import copy
import functools
import hashlib
import pickle
import re
import sys
import sysconfig
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import __version__ as llvmlite_version
from llvmlite.binding import address_of_symbol
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from . import notice, store
from .cache import cache_folder, warn_once
from .content import NoFingerprint
from .fingerprint import fingerprint, fingerprint_and_used

SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "USING_SVML", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")
NO_MODULE = "it is of a function without a module, as `exec` makes them; give its globals the `__name__` of one"
DYNAMIC = "it holds the address of an array of more than a megabyte, or of something outside of Python"


@functools.cache
def linker() -> str:
    """The source of what links compiled functions: other machine code comes of another."""
    return Path(__file__).with_name("together.py").read_text(encoding="utf-8")


def circumstances() -> list[str]:
    """Return the versions, the platform and the settings of numba that machine code depends on."""
    settings = [str(getattr(numba.config, name, "")) for name in SETTINGS]
    versions = [numba.__version__, llvmlite_version, np.__version__, sys.version, sysconfig.get_platform()]
    return [*versions, *settings, linker()]


class Key:
    """The fingerprint of functions and values to be compiled, and of the circumstances."""

    def __init__(self, *values: Any, rebuilt: bool = True) -> None:
        self.then: str | NoFingerprint  # when they were taken, or the error that says why there is none
        self._used: list[Any] = []
        try:
            self.then, self._used = fingerprint_and_used(*values, circumstances(), rebuilt=rebuilt)
        except NoFingerprint as error:
            self.then = error
        self.name = self.then if isinstance(self.then, str) else uuid.uuid4().hex  # a word that nobody has used

    def joined(self, *hashes: str) -> "Key":
        """Return the key of what is made of the same and of what has these hashes."""
        made = copy.copy(self)
        made.name = hashlib.sha256(repr((self.name, hashes)).encode()).hexdigest()[:20]
        made.then = made.name if isinstance(self.then, str) else self.then
        return made

    def check(self) -> None:
        """Raise `NoFingerprint` if there was none, or if something that was not copied has changed since."""
        if isinstance(self.then, NoFingerprint):
            raise self.then
        fingerprint(*self._used, rebuilt=False)


def keep_on_disk(dispatcher: Any, key: Callable[[], Key]) -> Any:
    """Return a function of `numba.njit` that loads its machine code from disk if it is there, and saves it otherwise.

    `key` returns what the code depends on, when it is about to be compiled.
    """
    if hasattr(dispatcher, "enable_caching"):  # else NUMBA_DISABLE_JIT is set
        dispatcher._cache = DiskCache(dispatcher.py_func, key)
        notice.show(DiskCache)
    return dispatcher


class DiskCache(_Cache):
    """The machine code of one jitted function, a file for each of its signatures. numba calls the methods."""

    def __init__(self, function: Callable, key: Callable[[], Key]) -> None:
        self._name, self._key = re.sub(r"\W", "_", function.__name__), key
        self._module = function.__module__
        self._keys: dict[Any, Key] = {}  # of what is being compiled, by signature

    @property
    def cache_path(self) -> str:
        """Return the folder, for numba's statistics."""
        return str(cache_folder(store.FOLDER) or "")

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the compiled function for a signature, or None if it must be compiled."""
        key = self._keys[sig] = self._key()
        path = self._path(key, sig, target_context.codegen())
        return store.read(path, lambda body: _loaded(target_context, *pickle.loads(body)))

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep a compiled function, if it can be: whatever happens, it can be called."""
        key = self._keys.pop(sig)
        try:
            key.check()
            if not self._has_module():
                raise NoFingerprint(NO_MODULE)
            if data.library.has_dynamic_globals or not all(part.can_cache for part in data.lifted):
                raise NoFingerprint(DYNAMIC)
            path = self._path(key, sig, data.codegen)
            if path is None:
                return
            store.write(path, dumps((expected(data.library._final_module), data._reduce())))
        except Exception as error:
            not_kept(error)

    def _path(self, key: Key, sig: Any, codegen: Any) -> Path | None:
        if isinstance(key.then, NoFingerprint) or not self._has_module():
            return None
        return store.path_of(self._name, key.then, (sig, codegen.magic_tuple()))

    def _has_module(self) -> bool:
        """Return whether numba can find the function's module, which it looks for where it loads the code."""
        return self._module in sys.modules

    def enable(self) -> None:
        """Do nothing: it is always in use."""

    def disable(self) -> None:
        """Do nothing: it is always in use."""

    def flush(self) -> None:
        """Do nothing: nothing here is ever out of date."""


def not_kept(error: Exception) -> None:
    """Warn, once, that compiled code is not kept."""
    why = str(error) if isinstance(error, NoFingerprint) else f"{type(error).__name__}: {error}"
    warn_once(f"compiled code is not kept for the next process: {why}")


def expected(module: Any) -> list[str]:
    """Return the names that machine code looks up in the process: functions of C, objects of Python and numba."""
    parts = (*module.functions, *module.global_variables)
    return sorted(part.name for part in parts if part.is_declaration and not part.name.startswith("llvm."))


def _loaded(target_context: Any, names: list[str], parts: tuple) -> CompileResult:
    define(target_context, names)
    return CompileResult._rebuild(target_context, *parts)


def define(target_context: Any, names: list[str]) -> list[str]:
    """Have numba define names that machine code expects; return those that it does not know.

    What numba needs to compile is left for the first compilation: importing it takes 0.4 s in a new process. Some of
    it defines names that machine code may expect.
    """
    rtsys.initialize(target_context)
    if not all(map(address_of_symbol, names)):
        target_context.refresh()
    return [name for name in names if not address_of_symbol(name)]
