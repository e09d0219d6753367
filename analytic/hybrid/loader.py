"""Kernel and model become one module: compiled and cached, or interpreted, from the same text.

The kernel's files are joined into one text with the model's functions, sizes and tableau as the names left free
(`kernel/free.py`). Interpreted, that text is executed with decorators that do nothing. Compiled, it is executed with
numba's decorators in a module named after a fingerprint of the kernel, the model's functions with all they refer to,
the sizes, the method and the circumstances; under that fingerprint the machine code is kept (`machine_code`), so that a
cache entry cannot be stale and none can collide.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import linecache
import math
import sys
import types
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..references import size
from .rebuild import ieee, rebuild
from .tableau import METHODS, Method
from .unroll import unrolled

KERNEL = Path(__file__).parent / "kernel"
FILES = (
    *("codes", "stages", "METHOD", "steps", "motion", "guards", "windows", "scan", "locate", "place", "search"),
    *("accumulation", "log", "events", "flow"),
)
FUNCTIONS = ("field", "guards", "initial", "validate", "after_zeno", "field_key", "transition")
ENTRIES = ("flow", "begin_event", "finish_event", "advance", "advance_many")
MODES = ("compiled", "mixed", "python")

# The model's functions up to this size of bytecode are compiled into their caller: passing five arrays costs more than
# a small field (51 ns against 9 ns for the stance of SLIP).
INLINE_BYTES = 2000

# Exact IEEE arithmetic (no fastmath, no contraction): the interpreted kernel computes the same bits.
JIT_OPTIONS = {"error_model": "numpy", "nogil": True}
# Called from compiled code only: without entry points for Python and C, a third of the compile time is saved.
INNER_OPTIONS = {**JIT_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@dataclass(frozen=True)
class Functions:
    """What a model is to the kernel: the seven functions, sizes and guard tables."""

    field: Any
    guards: Any
    transition: Any
    initial: Any
    validate: Any  # or None
    after_zeno: Any
    field_key: Any
    sizes: dict[str, int]  # N, ND, NP, NG, N_CHARTS
    tables: dict[str, np.ndarray]  # DIRECTION, SIDE, KIND, ON_ENTRY, shape (n_guards,)


def has_numba() -> bool:
    """Return whether the compiled modes are available."""
    return importlib.util.find_spec("numba") is not None


@functools.cache
def kernel_text(method: str) -> str:
    """Return the kernel as one text, with the method's sums written out and its own files in their places."""
    parts = []
    place = FILES.index("METHOD")
    for name in (*FILES[:place], *METHODS[method].files, *FILES[place + 1 :]):
        text = (KERNEL / f"{name}.py").read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom) and node.level:
                lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
        parts.append("\n".join(lines))
        if name == "stages":
            parts.append(unrolled(METHODS[method]))
    return "\n\n".join(parts)


def load(functions: Functions, method: Method, mode: str) -> types.SimpleNamespace:
    """Return the kernel's entry points for a model: `flow`, `begin_event`, `finish_event`, `advance`, ...

    Raises:
        ValueError: If the mode is unknown.
        ImportError: If a compiled mode is asked for and numba is not installed.
    """
    if mode not in MODES:
        raise ValueError(f"unknown mode {mode!r}; known: {', '.join(MODES)}, auto")
    text = kernel_text(method.name)
    if mode == "python":
        space = _free_names(functions, method, _same, {id(math): ieee}, __name__, mode)
        space.update(jit=_same, loop_jit=_same, plain=_same)
        exec(compile(text, str(KERNEL), "exec"), space)
    else:
        space = _compiled_space(functions, method, text, mode)
    return types.SimpleNamespace(**{name: space[name] for name in (*ENTRIES, "call_transition")}, space=space)


def interpreted(function: Any) -> Any:
    """Return a function as the interpreted kernel calls it: with arithmetic that answers NaN instead of raising."""
    return rebuild(function, _same, {id(math): ieee}, {}, __name__)


def _same(value: Any) -> Any:
    return value


def _free_names(functions: Functions, method: Method, wrap: Any, swap: dict, module: str, mode: str) -> dict[str, Any]:
    """Return the kernel's free names: functions rebuilt with `wrap`, sizes, tables and tableau."""
    done: dict = {}
    names = {}
    for name in FUNCTIONS:
        function = getattr(functions, name) or _always
        keep = mode == "mixed" and name == "transition"
        names[name] = function if keep else rebuild(function, wrap, swap, done, module, frozen=mode != "python")
    return names | _numbers(functions, method)


def _numbers(functions: Functions, method: Method) -> dict[str, Any]:
    sizes = {**functions.sizes, "N_STAGES": method.n_stages, "POLISH": method.polish, "GAMMA": method.gamma}
    return {**sizes, **functions.tables, "HAS_VALIDATE": functions.validate is not None}


def _always(t, x, d, p, chart):
    return True


def _compiled_space(functions: Functions, method: Method, text: str, mode: str) -> dict[str, Any]:
    if not has_numba():
        raise ImportError('compiled modes need numba: pip install numba; or use mode="python"')
    import numba

    from ..machine_code import Key, keep_on_disk

    compiled = [getattr(functions, name) for name in FUNCTIONS if (mode, name) != ("mixed", "transition")]
    parts = {"rates": functions.field, "read_guards": functions.guards}
    small = [name for name, part in parts.items() if size(part) < INLINE_BYTES]
    options = [mode, small, INLINE_BYTES, JIT_OPTIONS, INNER_OPTIONS]
    key = Key(text, *compiled, _numbers(functions, method), options, _plain_intrinsic())
    module = new_module("hyb", key)

    def jit(function):
        name = function.__name__
        if name in ENTRIES:
            return keep_on_disk(numba.njit(**JIT_OPTIONS)(function), "hybrid", lambda: key)
        return numba.njit(forceinline=name in small, **INNER_OPTIONS)(function)

    def jit_model(function):
        inline = len(function.__code__.co_code) < INLINE_BYTES
        return numba.njit(forceinline=inline, **INNER_OPTIONS)(function)

    loop_jit = _same if mode == "mixed" else jit
    module.__dict__.update(_free_names(functions, method, jit_model, {}, module.__name__, mode))
    module.__dict__.update(jit=jit, loop_jit=loop_jit, plain=_plain_intrinsic())
    execute(text, module)
    return module.__dict__


def new_module(kind: str, key: Any) -> types.ModuleType:
    """Return an empty module named after a fingerprint, where numba finds it when it loads machine code."""
    stem = f"{kind}_{key.then if isinstance(key.then, str) else uuid.uuid4().hex}"
    module = types.ModuleType(f"tarsus_{stem}")
    module.__file__ = f"<{stem}>"
    sys.modules[module.__name__] = module
    return module


def execute(text: str, module: types.ModuleType) -> None:
    """Execute a text in a module, so that errors can quote its lines though there is no such file."""
    linecache.cache[module.__file__] = (len(text), None, text.splitlines(keepends=True), module.__file__)
    exec(compile(text, module.__file__, "exec"), module.__dict__)


@functools.cache
def _plain_intrinsic() -> Any:
    """Return the compiled `plain`: a record's array seen as an ordinary one (numba gives it a type of its own)."""
    from numba import types as nb
    from numba.extending import intrinsic

    @intrinsic
    def plain(context, array):
        def same(context, builder, signature, arguments):
            return arguments[0]

        return nb.Array(array.dtype, array.ndim, "C")(array), same

    return plain
