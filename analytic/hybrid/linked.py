"""A model's kernel: the kernel for all models, linked with the model's functions, sizes and tables.

Only the model's functions are translated by numba. LLVM puts them into the kernel's bitcode (`generic`) and makes the
machine code as if all had been one source, so that loops over few states unroll and small fields are inlined. Machine
code is kept under the fingerprint of kernel and model, with a symbol named by it, and loaded into an engine of our own
(`compilation.linked_code`).
"""

import dataclasses
from typing import Any

import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from numba import carray
from numba import types as nb
from numba.core import cgutils
from numba.extending import intrinsic

from ..compilation import jit, linking
from ..compilation.functions import EXACT, INNER
from ..compilation.linked_code import LinkedCode, bitcode
from ..compilation.machine_code import Key
from ..compilation.rebuild import rebuild
from ..compilation.references import size
from . import loader
from .generic import CALLS, ENTRY, SIZES, TABLES, kernel, key_of, steps
from .tableau import Method
from .workspace import layout

# Functions of the kernel that call the model's small ones, by parts of their mangled names: inlined with them.
CALLERS = {"field": "6stages5rates", "guards": "6motion11read_guards"}


def load(functions: loader.Functions, method: Method) -> "LinkedKernel":
    """Return the kernel of a model; see `LinkedKernel`."""
    made_of = [loader.function_of(functions, name) for name in loader.FUNCTIONS]
    enclosed = functions.enclosed, functions.one_by_one, loader.interval_version()
    numbers = functions.sizes, functions.tables, loader.flags(functions)
    model = Key(*made_of, *numbers, enclosed, loader.INLINE_BYTES, EXACT, INNER)
    key = model.joined(key_of(""), key_of(method.name))
    if key.name not in _KERNELS:
        _KERNELS[key.name] = LinkedKernel(functions, method, key, model)
    return _KERNELS[key.name]


_KERNELS: "dict[str, LinkedKernel]" = {}  # by fingerprint


class LinkedKernel:
    """The entry points of a model's kernel, compiled or loaded when first needed; `name` is its fingerprint."""

    def __init__(self, functions: loader.Functions, method: Method, key: Key, model: Key) -> None:
        self.name, self._model = key.name, model
        self._functions, self._method = _frozen(functions), method
        self._other: Any = None  # the kernel compiled with the model, where it cannot be linked
        self._code = LinkedCode("advance", key, self.linked, _enter)
        self._address, self._parts = 0, {}

    def advance(self, ws: np.ndarray, run: int, rec: np.ndarray, ev: np.ndarray) -> int:
        """Do what `kernel.flow.advance` does."""
        if not (self._address or self._other):
            self.compile()
        if self._other:
            return self._other.advance(ws, run, rec, ev)
        return _enter(self._address, ws.ctypes.data, run, run + 1, rec, ev)

    def advance_many(self, ws: np.ndarray, first: int, last: int, rec: np.ndarray, ev: np.ndarray) -> None:
        """Do what `kernel.flow.advance_many` does."""
        if not (self._address or self._other):
            self.compile()
        if self._other:
            self._other.advance_many(ws, first, last, rec, ev)
        else:
            _enter(self._address, ws.ctypes.data, first, last, rec, ev)

    def compile(self) -> None:
        """Compile the kernel, or load its machine code."""
        try:
            self._address = self._code.address()
        except linking.NotLinked:
            self._other = loader.load(self._functions, self._method, "compiled")

    def linked(self, symbol: str) -> llvm.ModuleRef:
        """Return the module in which the kernel, linked with the model, has this name."""
        module = llvm.parse_bitcode(kernel())
        module.get_function(ENTRY).name = symbol
        module.link_in(llvm.parse_bitcode(steps(self._method.name)))
        module.link_in(llvm.parse_bitcode(bitcode("model", self._model, self._translated)))
        module.link_in(llvm.parse_assembly(_definitions(self._functions, self._method)))
        linking.seal(module, symbol, counts=False)
        small = [name for name in CALLERS if size(getattr(self._functions, name)) < loader.INLINE_BYTES]
        for function in module.functions:
            called = any(function.name == f"{linking.OURS}{name}" for name in small)
            if called or any(CALLERS[name] in function.name for name in small):
                function.add_function_attribute("alwaysinline")
        return module

    def _translated(self) -> llvm.ModuleRef:
        # Kept: code may hold an array's address.
        self._parts = of_addresses(self._functions, f"tarsus_model_{self._model.name}")
        return linking.translated({f"{linking.OURS}{name}": (part, CALLS[name]) for name, part in self._parts.items()})


def _frozen(functions: loader.Functions) -> loader.Functions:
    """Return a model whose functions refer to what they refer to now, whenever they are compiled."""
    done: dict[int, Any] = {}
    again = {
        name: rebuild(function, lambda plain: plain, {}, done, __name__, frozen=True)
        for name in (*loader.FUNCTIONS, "enclosed")
        if (function := getattr(functions, name)) is not None
    }
    return dataclasses.replace(functions, **again)


def _definitions(functions: loader.Functions, method: Method) -> str:
    """Return the sizes, flags and tables that the kernel leaves open, as LLVM text."""
    n = functions.sizes
    n_jac = n["N"] if method.gamma else 1
    of = layout(n["N"], n["ND"], n["NP"], n["NG"], method.n_rows, method.n_dense, n_jac)
    known = n | loader.flags(functions) | loader.method_numbers(method)
    numbers = {f"size_{name}": known[name] for name in SIZES}
    numbers["size_RECORD"] = of.itemsize
    for name, (part, at) in of.fields.items():
        numbers[f"place_{name}"] = at
        numbers |= {f"columns_{name}": part.shape[1]} if part.ndim == 2 else {}
    text = []
    for name, table in functions.tables.items():
        numbers |= {f"columns_{name}": table.shape[1]} if table.ndim == 2 else {}
        text.append(_constants(name, table))
    return "\n".join([linking.numbers(numbers), *text])


def _constants(name: str, table: np.ndarray) -> str:
    """Return a table as a constant: its bytes, eight by eight, are right for whole and other numbers."""
    kind = np.int64 if TABLES[name].dtype == nb.int64 else np.float64
    words = np.ascontiguousarray(table, kind).view(np.int64).ravel()
    values = ", ".join(f"i64 {word}" for word in words)
    return f"@tarsus_table_{name} = constant [{len(words)} x i64] [{values}]"


def of_addresses(functions: loader.Functions, module: str) -> dict[str, Any]:
    """Return the model's functions, to be compiled, as functions of addresses; `module` is the name of theirs."""
    n, nd, n_p, ng = (functions.sizes[name] for name in ("N", "ND", "NP", "NG"))
    of = loader.jitted(functions, module)
    return _of_state(of, n, nd, n_p, ng) | _of_enclosures(of, n, nd, n_p, ng)


def _of_state(of: dict[str, Any], n: int, nd: int, n_p: int, ng: int) -> dict[str, Any]:
    field_of, guards_of, transition_of, initial_of, validate_of, after_zeno_of, key_of = (
        of[name] for name in ("field", "guards", "transition", "initial", "validate", "after_zeno", "field_key")
    )

    def field(t, x, d, p, chart, dx):
        field_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart, carray(dx, n))
        return 0

    def guards(t, x, d, p, chart, g):
        guards_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart, carray(g, ng))
        return 0

    def transition(t, x, d, p, chart, fired):
        return transition_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart, carray(fired, ng))

    def initial(t, x, d, p):
        return initial_of(t, carray(x, n), carray(d, nd), carray(p, n_p))

    def validate(t, x, d, p, chart):
        return 1 if validate_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart) else 0

    def after_zeno(t, x, d, p, chart):
        return after_zeno_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart)

    def field_key(chart):
        return key_of(chart)

    made = field, guards, transition, initial, validate, after_zeno, field_key
    return {function.__name__: function for function in made}


def _of_enclosures(of: dict[str, Any], n: int, nd: int, n_p: int, ng: int) -> dict[str, Any]:
    def of_addresses(enclosed):
        def enclose(t, x, d, p, chart, g, undecided):
            at = carray(t, 4), carray(x, (n, 4)), carray(d, nd), carray(p, n_p)
            enclosed(*at, chart, carray(g, (ng, 4)), carray(undecided, 4))
            return 0

        return enclose

    return {name: of_addresses(of[name]) for name in ("enclose_values", "enclose_jets")}


@intrinsic
def _call_kernel(context, address, ws, first, last, rec, ev):
    """Call a kernel at an address; an exception of the model's goes on."""

    def generate(context, builder, sig, args):
        address, ws, first, last, *tables = args
        numbers = nb.CPointer(nb.float64), nb.int64, nb.int64
        convention, kinds = context.call_conv, (nb.voidptr, nb.int64, nb.int64, *numbers, *numbers)
        declared = convention.get_function_type(nb.int64, kinds)
        given = [builder.inttoptr(ws, ir.IntType(8).as_pointer()), first, last]
        for of, value in zip(sig.args[4:], tables, strict=True):
            array = context.make_array(of)(context, builder, value=value)
            given += [array.data, *cgutils.unpack_tuple(builder, array.shape)]
        function = builder.inttoptr(address, declared.as_pointer())
        status, code = convention.call_function(builder, function, nb.int64, kinds, given)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return code

    return nb.int64(nb.int64, nb.int64, nb.int64, nb.int64, rec, ev), generate


@jit
def _enter(address, ws, first, last, rec, ev):
    return _call_kernel(address, ws, first, last, rec, ev)
