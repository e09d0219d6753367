"""Combines kernel and model to one package of modules, interpreted or compiled, from the same source.

For every model the kernel's files are executed again, in new modules where `free` is the model and `sums` and `method`
are the method's. Interpreted, the kernel's decorators do nothing. Compiled, they are numba's, and the package is named
by a fingerprint of everything combined: the kernel's code, the model's functions with all they refer to, the sizes, the
method. The machine code is kept under that name (`compilation.machine_code`), so that no entry of the cache can be
stale and none can collide.

So models are compiled that cannot be linked with the kernel that was translated once for all (`linked`).
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import types
import uuid
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilation import has_numba
from ..compilation.functions import EXACT, INNER
from ..compilation.rebuild import interpreted, rebuild
from ..compilation.references import size
from ..spelling import listed
from .interval_functions import enclosures
from .tableau import METHODS, Method
from .unroll import unrolled

KERNEL = f"{__package__}.kernel"
FILES = (  # each after those that it imports
    *("codes", "stages", "linear", "sums", "method", "steps", "dense", "enclose", "motion", "guards", "samples"),
    *("windows", "locate", "rest", "clear", "scan", "confirm", "place", "search", "accumulation", "timed", "log"),
    *("events", "flow"),
)
FUNCTIONS = ("field", "guards", "initial", "validate", "after_zeno", "field_key", "transition")
STAND_INS = {"validate": lambda t, x, d, p, chart: True, "transition": lambda t, x, d, p, chart, fired: 0}
ENTRIES = ("advance", "advance_many")  # of `flow`; Python calls them
MODES = ("compiled", "mixed", "python")

# The model's functions up to this size of bytecode are compiled into their caller: passing five arrays costs more than
# a small field (51 ns against 9 ns for the stance of SLIP).
INLINE_BYTES = 2000

_COMPILED: dict[str, types.SimpleNamespace] = {}  # what `load` returned for compiled modes, by fingerprint


@dataclass(frozen=True)
class Functions:
    """A model as the kernel sees it: the seven functions, sizes and guard tables."""

    field: Any
    guards: Any
    transition: Any  # or None, if the caller of the kernel performs them
    initial: Any
    validate: Any  # or None
    after_zeno: Any
    field_key: Any
    sizes: dict[str, int]  # N, ND, NP, NG, N_CHARTS
    tables: dict[str, np.ndarray]  # DIRECTION, SIDE, KIND, ON_ENTRY, PASSIVE, CERTIFIED, shape (n_guards,)
    enclosed: Any  # the guards that can be enclosed
    one_by_one: bool  # whether each of them is computed by itself: what is undecided in one of them is not in others


def load(functions: Functions, method: Method, mode: str) -> types.SimpleNamespace:
    """Return the kernel for a model: its entry points, and `modules`, its files by name."""
    if mode not in MODES:
        raise ValueError(f"unknown mode {mode!r}; known: {listed(mode, (*MODES, 'auto'))}")
    if mode == "python":
        done: dict[int, Any] = {}
        free = {name: interpreted(function_of(functions, name), done) for name in FUNCTIONS}
        free |= enclosures_of(functions, interpreted=True)
        free |= {"jit": _same, "plain": _same}
        kernel = _execute(f"tarsus_hybrid_{uuid.uuid4().hex}", method, free | _numbers(functions, method))
        for module in kernel.modules.values():
            del sys.modules[module.__name__]
        return kernel
    if not has_numba():
        raise ImportError('compiled modes need numba: pip install numba; or use mode="python"')
    return _load_compiled(functions, method)


def _load_compiled(functions: Functions, method: Method) -> types.SimpleNamespace:
    from ..compilation.functions import inner, outer
    from ..compilation.machine_code import Key, keep_on_disk

    parts = {"rates": functions.field, "read_guards": functions.guards}
    small = [name for name, part in parts.items() if size(part) < INLINE_BYTES]
    enclosed = functions.enclosed, functions.one_by_one, interval_version()
    made_of = *(function_of(functions, name) for name in FUNCTIONS), _numbers(functions, method), intrinsic_plain()
    key = Key(*kernel_code(method.name).values(), *made_of, enclosed, small, INLINE_BYTES, EXACT, INNER)
    if key.name in _COMPILED:
        return _COMPILED[key.name]

    def jit(function):
        if function.__name__ in ENTRIES:
            return keep_on_disk(outer(function, **EXACT), lambda: key)
        return inner(function, forceinline=function.__name__ in small, **INNER)

    name = f"tarsus_hybrid_{key.name}"
    free = {"jit": jit, "plain": intrinsic_plain()} | jitted(functions, f"{name}.free")
    kernel = _COMPILED[key.name] = _execute(name, method, free | _numbers(functions, method))
    return kernel


def jitted(functions: Functions, module: str) -> dict[str, Any]:
    """Return the functions that the kernel calls, to be compiled into it; `module` is the name of theirs."""
    from ..compilation.functions import inner

    def jit_model(function):
        return inner(function, forceinline=len(function.__code__.co_code) < INLINE_BYTES, **INNER)

    def jit_enclosure(function):
        return inner(function, **INNER)

    done, enclosed = {}, enclosures_of(functions, interpreted=False)
    of = {name: rebuild(function_of(functions, name), jit_model, {}, done, module, frozen=True) for name in FUNCTIONS}
    return of | {name: rebuild(f, jit_enclosure, {}, {}, module, frozen=True) for name, f in enclosed.items()}


def enclosures_of(functions: Functions, interpreted: bool) -> dict[str, Any]:
    """Return the functions that enclose the guards: values only, and values with derivatives."""
    of, alone = functions.enclosed, functions.one_by_one
    return {f"enclose_{name}": enclosures(of, name == "jets", alone, interpreted) for name in ("values", "jets")}


def interval_version() -> int:
    """Return a version of the rules of intervals, which numba's registries hide from the fingerprint."""
    from ..compilation.number_arrays import VERSION

    return VERSION


def function_of(functions: Functions, name: str) -> Any:
    """Return a function of the model, or the one that stands for it if there is none."""
    return getattr(functions, name) or STAND_INS[name]


def _same(value: Any) -> Any:
    return value


def _numbers(functions: Functions, method: Method) -> dict[str, Any]:
    """Return the kernel's free names that are not functions."""
    return functions.sizes | functions.tables | flags(functions) | method_numbers(method)


def flags(functions: Functions) -> dict[str, bool]:
    """Return the flags of a model's optional parts."""
    has_times = bool(functions.tables["TIMED"].any())
    by_caller = functions.transition is None
    return {"HAS_VALIDATE": functions.validate is not None, "HAS_TIMES": has_times, "BY_CALLER": by_caller}


def method_numbers(method: Method) -> dict[str, Any]:
    """Return the kernel's free names that the method determines."""
    return {
        "N_STAGES": method.n_stages,
        "N_DENSE": method.n_dense,
        "DEGREE": 4 if method.n_dense == 4 else 7,
        "POLISH": method.polish,
        "STIFF": method.gamma != 0.0,
        "GAMMA": method.gamma,
    }


@functools.cache
def kernel_code(method: str) -> dict[str, types.CodeType]:
    """Return the kernel's files as code, in order, as they are when this process first asks."""
    code = {file: _code(file) for file in FILES if file != "sums"}
    code["sums"] = compile(unrolled(METHODS[method]), f"<sums of {method}>", "exec")
    code["method"] = _code(METHODS[method].file)
    return {file: code[file] for file in FILES}


def _code(file: str) -> types.CodeType:
    name = f"{KERNEL}.{file}"
    return importlib.util.find_spec(name).loader.get_code(name)


def _execute(name: str, method: Method, free: dict[str, Any]) -> types.SimpleNamespace:
    """Execute the kernel's files as a package of that name, where numba finds them when it loads machine code."""
    modules = {"": types.ModuleType(name), "free": types.ModuleType(f"{name}.free")}
    sys.modules |= {module.__name__: module for module in modules.values()}
    vars(modules["free"]).update(free)
    for file, code in kernel_code(method.name).items():
        module = modules[file] = sys.modules[f"{name}.{file}"] = types.ModuleType(f"{name}.{file}")
        module.__package__ = name
        exec(code, vars(module))
    entries = {entry: getattr(modules["flow"], entry) for entry in ENTRIES}
    return types.SimpleNamespace(**entries, name=name, modules=modules)


@functools.cache
def intrinsic_plain() -> Any:
    """Return the compiled `plain`: a record's array seen as an ordinary one (numba gives it a type of its own).

    Its references are not counted (each count is an atomic instruction): the caller of the kernel holds the memory.
    """
    from numba import types as nb
    from numba.extending import intrinsic

    @intrinsic
    def plain(context, array):
        def same(context, builder, signature, arguments):
            view = context.make_array(signature.return_type)(context, builder, value=arguments[0])
            view.meminfo = context.get_constant_null(nb.MemInfoPointer(nb.voidptr))
            view.parent = context.get_constant_null(nb.pyobject)
            return view._getvalue()

        return nb.Array(array.dtype, array.ndim, "C")(array), same

    return plain
