"""The kernel for all models and methods, and each method's steps: their own files, translated once, kept as bitcode.

What differs between models stays open, as functions and tables of the LLVM module that `linked` defines:

    tarsus_size_N(), ...         sizes and flags, of the method too, which the files name as N, ...
    tarsus_table_DIRECTION, ...  tables of guards
    tarsus_place_k(), ...        where an array begins in the workspace
    tarsus_columns_k(), ...      how long the rows of an array or a table are
    tarsus_field(...), ...       the model's functions, with numba's calling convention

In the kernel the method's functions are open too, `tarsus_stages(...)`, ...: its steps are a translation of their own.
The files are changed in one thing: a size or table is called where it is named, N as N().
"""

import ast
import contextlib
import functools
import hashlib
import importlib.util
import inspect
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir
from numba import types as nb
from numba.core import cgutils, typing
from numba.extending import intrinsic

from ..compilation import linking
from ..compilation.functions import INNER, inner
from ..compilation.linked_code import bitcode
from ..compilation.machine_code import circumstances
from . import loader, run_types
from .run_types import I64, Numbers, Workspace, Workspaces, external
from .tableau import METHODS, Method
from .unroll import unrolled
from .workspace import layout

SIZES = ("N", "ND", "NP", "NG", "N_CHARTS", "HAS_VALIDATE", "HAS_TIMES", "BY_CALLER")
SIZES += ("N_STAGES", "N_DENSE", "DEGREE", "STIFF", "POLISH")  # of the method
WHOLE_TABLES = ("DIRECTION", "SIDE", "KIND", "ON_ENTRY", "PASSIVE", "CERTIFIED")
WHOLE_TABLES += ("TIMED", "FIRST_TIME", "N_TIMES", "PERIOD_AT", "OFFSET_AT")
TABLES = dict.fromkeys(WHOLE_TABLES, Numbers(nb.int64, 1)) | {"TIMED_IN": Numbers(nb.int64, 2)}
TABLES |= dict.fromkeys(("PERIOD", "OFFSET", "KNOWN_TIMES"), Numbers(nb.float64, 1))

REAL, WHOLE, REALS, WHOLES = nb.float64, nb.int64, nb.CPointer(nb.float64), nb.CPointer(nb.int64)
STATE = (REALS, REALS, REALS)  # x, d, p
CALLS = {  # the model's functions; each returns a whole number, 0 where there is nothing to return
    "field": WHOLE(REAL, *STATE, WHOLE, REALS),
    "guards": WHOLE(REAL, *STATE, WHOLE, REALS),
    "transition": WHOLE(REAL, *STATE, WHOLE, WHOLES),
    "initial": WHOLE(REAL, *STATE),
    "validate": WHOLE(REAL, *STATE, WHOLE),
    "after_zeno": WHOLE(REAL, *STATE, WHOLE),
    "field_key": WHOLE(WHOLE),
    "enclose_values": WHOLE(REALS, *STATE, WHOLE, REALS, WHOLES),
    "enclose_jets": WHOLE(REALS, *STATE, WHOLE, REALS, WHOLES),
}
RUN, ROW = Workspace(), Numbers(REAL, 1)
STEPS = {  # the method's functions, by the files in which the kernel finds them
    "sums": {"stages": nb.none(RUN, REAL, ROW)},
    "method": {"error_norm": REAL(RUN, REAL), "prepare_dense": nb.none(RUN)},
}
ARRAYS = (Numbers, nb.Array)
STEP_FILES = ("codes", "stages", "linear", "sums", "method")
FILES = tuple(file for file in loader.FILES if file not in ("linear", "sums", "method"))
ENTRY = "tarsus_kernel"
SIGNATURE = WHOLE(Workspaces(), WHOLE, WHOLE, REALS, WHOLE, WHOLE, REALS, WHOLE, WHOLE)
SOURCES = (run_types, linking, sys.modules[__name__])  # and `together`, which `circumstances` hold


@functools.cache
def key_of(method: str) -> str:
    """Return a hash of all that the steps of a method are made of, or without a method the kernel for all."""
    of = METHODS.get(method)
    texts = [_source(file, of) for file in (STEP_FILES if of else FILES)]
    texts += [inspect.getsource(module) for module in SOURCES]
    numbers = [loader.method_numbers(of) if of else (), layout(1, 1, 1, 1, 1, 1, 1).descr, INNER]
    return hashlib.sha256(repr((texts, numbers, circumstances())).encode()).hexdigest()[:20]


@functools.cache
def kernel() -> bytes:
    """Return the bitcode of the kernel for all methods: from disk, or translated."""
    return bitcode("kernel", key_of(""), _kernel)


@functools.cache
def steps(method: str) -> bytes:
    """Return the bitcode of a method's steps: from disk, or translated."""
    return bitcode(f"steps_{method}", key_of(method), lambda: _steps(METHODS[method]))


def _kernel() -> llvm.ModuleRef:
    steps = {file: {name: call(name, of) for name, of in named.items()} for file, named in STEPS.items()}
    with _executed(FILES, steps) as files:
        return linking.translated({ENTRY: (_entry(files["flow"].advance), SIGNATURE)})


def _steps(method: Method) -> llvm.ModuleRef:
    with _executed(STEP_FILES, {"free": {"GAMMA": method.gamma}}, method) as files:
        named = {
            name: (getattr(files[file], name), of) for file, of_file in STEPS.items() for name, of in of_file.items()
        }
        return linking.translated({f"{linking.OURS}{name}": (of.py_func, kinds) for name, (of, kinds) in named.items()})


@contextlib.contextmanager
def _executed(files: Iterable[str], given: dict[str, dict], method: Method | None = None) -> Iterator[dict[str, Any]]:
    """Execute files of the kernel beside what is given, by names of files, and `free`; return the modules by file."""
    package = "tarsus_kernel"
    modules = {file: types.ModuleType(f"{package}.{file}") for file in ("free", *given, *files)}
    vars(modules["free"]).update(_free())
    for file, names in given.items():
        vars(modules[file]).update(names)
    in_process = {module.__name__: module for module in modules.values()} | {package: types.ModuleType(package)}
    sys.modules |= in_process
    try:
        for file in files:
            modules[file].__package__ = package
            exec(_code(file, method), vars(modules[file]))
        yield modules
    finally:
        for name in in_process:
            sys.modules.pop(name, None)


def _entry(advance: Any) -> Any:
    table = run_types.table

    def run_all(ws, first, last, rec, rec_rows, rec_columns, ev, ev_rows, ev_columns):
        rows, log, code = table(rec, rec_rows, rec_columns), table(ev, ev_rows, ev_columns), 0
        for run in range(first, last):
            code = advance(ws, run, rows, log)
        return code

    return run_all


def _free() -> dict[str, Any]:
    """Return the kernel's free names."""

    def jit(function):
        return inner(function, **INNER)

    free = {"jit": jit, "plain": run_types.same}
    free |= {name: open_size(name) for name in SIZES} | {name: _table(name) for name in TABLES}
    return free | {name: call(name, of) for name, of in CALLS.items()}


def open_size(name: str) -> Any:
    """Return the intrinsic that reads a size."""

    @intrinsic
    def size(context):
        def generate(context, builder, sig, args):
            return builder.call(external(builder, f"size_{name}"), [])

        return nb.int64(), generate

    return size


def _table(name: str) -> Any:
    of = TABLES[name]

    @intrinsic
    def table(context):
        def generate(context, builder, sig, args):
            made = cgutils.create_struct_proxy(of)(context, builder)
            made.data = builder.bitcast(_constant(builder.module, f"tarsus_table_{name}"), made.data.type)
            if of.ndim == 2:
                made.rows, made.columns = I64(0), builder.call(external(builder, f"columns_{name}"), [])
            return made._getvalue()

        return of(), generate

    return table


def _constant(module: ir.Module, name: str) -> ir.GlobalVariable:
    """Return the start of a table that whoever links a model defines."""
    if name not in module.globals:
        ir.GlobalVariable(module, I64, name).global_constant = True
    return module.globals[name]


def call(name: str, of: typing.Signature) -> Any:
    """Return the intrinsic that calls an open function: numbers in arrays are given by address, where it takes one."""
    answer, kinds = of.return_type, of.args

    def generate(context, builder, sig, args):
        given = [
            cgutils.create_struct_proxy(given)(context, builder, value=arg).data if given != kind else arg
            for given, kind, arg in zip(sig.args, kinds, args, strict=True)
        ]
        convention = context.call_conv
        declared = convention.get_function_type(answer, kinds)
        function = cgutils.get_or_insert_function(builder.module, declared, f"tarsus_{name}")
        status, value = convention.call_function(builder, function, answer, kinds, given)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return value

    def typed(context, *given):
        taken = [of if isinstance(of, ARRAYS) else kind for of, kind in zip(given, kinds, strict=True)]
        return answer(*taken), generate

    names = ", ".join(f"a{i}" for i in range(len(kinds)))
    space = {"typed": typed}
    exec(f"def {name}(context, {names}):\n    return typed(context, {names})\n", space)
    return intrinsic(space[name])


class Called(ast.NodeTransformer):
    """Calls what has one of these names where a function names it."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {*names}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the call."""
        return ast.copy_location(ast.Call(node, [], []), node) if node.id in self._names else node

    def inside(self, function: ast.FunctionDef) -> None:
        """Change a function, but for names of its own."""
        whole = [node for part in function.body for node in ast.walk(part)]
        own = {node.id for node in whole if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        own |= {arg.arg for arg in function.args.args}
        own_names = Called(self._names - own)
        function.body = [own_names.visit(part) for part in function.body]


def _code(file: str, method: Method | None) -> types.CodeType:
    tree, called = ast.parse(_source(file, method)), Called((*SIZES, *TABLES))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            called.inside(node)
    place = f"<sums of {method.name}>" if file == "sums" else _spec(file, method).origin
    return compile(ast.fix_missing_locations(tree), place, "exec")


def _source(file: str, method: Method | None) -> str:
    return unrolled(method) if file == "sums" else _spec(file, method).loader.get_source(_spec(file, method).name)


def _spec(file: str, method: Method | None) -> Any:
    return importlib.util.find_spec(f"{loader.KERNEL}.{method.file if file == 'method' else file}")
