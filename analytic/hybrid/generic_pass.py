"""The pass of derivatives for all models and numbers of directions: its own files, translated once, kept as bitcode.

As of the kernel (`generic`), what differs stays open: `tarsus_size_n()`, ..., which its functions name as n, nd, ng, k,
m, and `tarsus_jets_field(...)`, ..., the model's functions of flat jets. There is one translation for all
explicit methods, whose steps `explicit_step` serves, and one for each other.
"""

import ast
import hashlib
import importlib.util
import inspect
import sys
import types
from typing import Any

from llvmlite import binding as llvm
from numba import types as nb

from ..compilation import linking
from ..compilation.functions import INNER, inner
from ..compilation.linked_code import bitcode
from ..compilation.machine_code import circumstances
from ..compilation.rebuild import rebuild
from . import generic, jet_functions
from .generic import REAL, REALS, STATE, WHOLE, WHOLES, Called, call, open_size
from .jet_functions import JetFunctions
from .kernel import codes
from .loader import intrinsic_plain
from .tableau import METHODS, Method
from .unroll import IMPORTS, unrolled

FILES = ("simultaneous", "saltation", "tangent_rosenbrock", "tangent_pass")
# Sizes by the names that functions of the pass have for them, and where these find them in `Sizes`.
SIZES = {"n": "n", "nd": "nd", "ng": "ng", "k": "k", "m": "jet", "size": "state"}
CALLS = {  # the model's functions of jets; each returns a whole number, 0 where there is nothing to return
    "jets_field": WHOLE(REAL, *STATE, WHOLE, REALS, REALS),
    "jets_guards": WHOLE(REALS, *STATE, WHOLE, REALS, REALS),
    "jets_transition": WHOLE(REALS, *STATE, WHOLE, WHOLES, REALS),
}
ENTRY = "tarsus_pass"
ROW, ROWS, SIDES = (nb.Array(REAL, axes, "C") for axes in (1, 2, 3))
COUNTS = nb.Array(WHOLE, 1, "C")
# Of `carry` in `tangent_pass`, which says what they are.
GIVEN = (ROWS, ROWS, ROW, ROW, ROW, ROW, ROW, REAL, ROWS, SIDES, SIDES, COUNTS, WHOLE, ROWS, SIDES, COUNTS)
SOURCES = (generic.run_types, linking, generic, jet_functions, codes, sys.modules[__name__])


def pass_key(method: Method, rel_step: float, jets: bool) -> str:
    """Return a hash of all that a method's pass is made of."""
    texts = [_source(file) for file in FILES] + [inspect.getsource(module) for module in SOURCES]
    numbers = [_kind(method), unrolled(METHODS["dop853"]), [*method.arrays.items()], method.gamma, rel_step, jets]
    own = numbers if method.gamma else numbers[:2]
    return hashlib.sha256(repr((texts, own, INNER, circumstances())).encode()).hexdigest()[:20]


def pass_for_all(method: Method, rel_step: float, jets: bool) -> bytes:
    """Return the bitcode of a method's pass: from disk, or translated."""
    how = method, rel_step, jets
    return bitcode(f"pass_{_kind(method)}", pass_key(*how), lambda: _translated(*how))


def _kind(method: Method) -> str:
    return method.name if method.gamma else "explicit"


def _translated(method: Method, rel_step: float, jets: bool) -> llvm.ModuleRef:
    space, done = _executed(), {}
    sizes = types.SimpleNamespace(**{name: open_size(of) for of, name in SIZES.items()})
    of = JetFunctions(*(call(name, kinds) for name, kinds in CALLS.items()))
    carry = space["tangent_pass"](of, sizes, method, rel_step, jets, intrinsic_plain())

    def wrap(part):
        return inner(part, **INNER) if done else part  # the first is `carry` itself

    return linking.translated({ENTRY: (rebuild(carry, wrap, {}, done, __name__, frozen=True), REAL(*GIVEN))})


def _executed() -> dict[str, Any]:
    """Return the names of all files of the pass, whose inner functions call sizes where they name them."""
    space, called = {"__name__": f"{__name__}_files", "__package__": __package__}, Called(SIZES)
    for file in FILES:
        tree = ast.parse(_source(file))
        tree.body = [node for node in tree.body if not (isinstance(node, ast.ImportFrom) and node.module in FILES)]
        for factory in tree.body:
            for node in factory.body if isinstance(factory, ast.FunctionDef) else ():
                if isinstance(node, ast.FunctionDef):
                    called.inside(node)
        exec(compile(ast.fix_missing_locations(tree), _spec(file).origin, "exec"), space)
    space["_sums"] = _sums
    return space


def _sums(method: Method, rates: Any, n: Any) -> dict[str, Any]:
    """Do what `tangent_pass._sums` does, for numbers whose number is open."""
    tree, called = ast.parse(unrolled(method).removeprefix(IMPORTS)), Called("N")
    for node in tree.body:
        called.inside(node)
    space = {"jit": _same, "plain": _same, "N": n, "rates": rates}
    exec(compile(ast.fix_missing_locations(tree), f"<sums of {method.name}>", "exec"), space)
    return space


def _same(value: Any) -> Any:
    return value


def _source(file: str) -> str:
    return _spec(file).loader.get_source(_spec(file).name)


def _spec(file: str) -> Any:
    return importlib.util.find_spec(f"{__package__}.{file}")
