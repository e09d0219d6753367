"""A model's pass of derivatives: the pass for all models, linked with the model's functions of jets and its sizes."""

import dataclasses
from collections.abc import Callable
from typing import Any

from llvmlite import binding as llvm
from numba import carray
from numba.core import cgutils
from numba.extending import intrinsic

from ..compilation import jit, linking
from ..compilation.functions import EXACT, INNER, inner
from ..compilation.linked_code import LinkedCode
from ..compilation.machine_code import Key
from ..compilation.rebuild import rebuild
from .generic import REAL, WHOLE
from .generic_pass import CALLS, ENTRY, GIVEN, SIZES, pass_for_all, pass_key
from .jet_functions import JetFunctions, Sizes
from .tableau import Method


def load(of: JetFunctions, s: Sizes, method: Method, rel_step: float, jets: bool, whole: Callable) -> "LinkedPass":
    """Return the pass of functions of jets, exact or not; `whole(of)` compiles it where it cannot be linked."""
    how = method, rel_step, jets
    key = Key(pass_key(*how), *of, dataclasses.astuple(s), EXACT, INNER)
    if key.name not in _PASSES:
        _PASSES[key.name] = LinkedPass(of, s, how, whole, key)
    return _PASSES[key.name]


_PASSES: "dict[str, LinkedPass]" = {}  # by fingerprint


class LinkedPass:
    """`carry` of `tangent_pass` for a model, compiled or loaded when it is first called; `load` makes it."""

    def __init__(self, of: JetFunctions, s: Sizes, how: tuple, whole: Callable, key: Key) -> None:
        done: dict[int, Any] = {}
        # They refer to what they refer to now, whenever they are compiled.
        self._of = JetFunctions(*(rebuild(part, lambda own: own, {}, done, __name__, frozen=True) for part in of))
        self._sizes, self._how, self._whole = s, how, whole
        self._module = f"tarsus_jets_{key.name}"
        self._code = LinkedCode("carry", key, self.linked, _enter)
        self._address, self._other, self._parts = 0, None, {}

    def __call__(self, *given: Any) -> float:
        """Return the time at which a number is not finite, infinity if all are; see `carry`."""
        if not (self._address or self._other):
            try:
                self._address = self._code.address()
            except linking.NotLinked:
                self._other = self._whole(self._of)
        return self._other(*given) if self._other else _enter(self._address, *given)

    def linked(self, symbol: str) -> llvm.ModuleRef:
        """Return the module in which the pass, linked with the model, has this name."""
        # Kept: code may hold an array's address.
        self._parts = _of_addresses(self._of, self._sizes, self._module)
        of = {f"{linking.OURS}{name}": (part, CALLS[name]) for name, part in self._parts.items()}
        module = llvm.parse_bitcode(pass_for_all(*self._how))
        module.get_function(ENTRY).name = symbol
        module.link_in(linking.translated(of))
        sizes = {f"size_{name}": getattr(self._sizes, own) for name, own in SIZES.items()}
        module.link_in(llvm.parse_assembly(linking.numbers(sizes)))
        return linking.seal(module, symbol, counts=False)


def _of_addresses(of: JetFunctions, s: Sizes, module: str) -> dict[str, Any]:
    """Return the functions of jets, to be compiled, as functions of addresses."""
    n, nd, n_p, ng = (size * s.jet for size in (s.n, s.nd, s.n_p, s.ng))
    m, k, guards, done = s.jet, s.k, s.ng, {}

    def jit_part(function):
        return inner(function, **INNER)

    field_of, guards_of, transition_of = (rebuild(part, jit_part, {}, done, module, frozen=True) for part in of)

    def jets_field(t, x, d, p, chart, dx, norms):
        field_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart, carray(dx, n), carray(norms, k))
        return 0

    def jets_guards(t, x, d, p, chart, g, norms):
        guards_of(carray(t, m), carray(x, n), carray(d, nd), carray(p, n_p), chart, carray(g, ng), carray(norms, k))
        return 0

    def jets_transition(t, x, d, p, chart, fired, norms):
        at = carray(x, n), carray(d, nd), carray(p, n_p)
        return transition_of(carray(t, m), *at, chart, carray(fired, guards), carray(norms, k))

    return {part.__name__: part for part in (jets_field, jets_guards, jets_transition)}


@intrinsic
def _call(context, address, given):
    """Call a pass at an address; an exception of the model's goes on."""

    def generate(context, builder, sig, args):
        convention = context.call_conv
        declared = convention.get_function_type(REAL, GIVEN)
        function = builder.inttoptr(args[0], declared.as_pointer())
        values = [
            context.cast(builder, value, of, kind)
            for value, of, kind in zip(cgutils.unpack_tuple(builder, args[1]), sig.args[1], GIVEN, strict=True)
        ]
        status, when = convention.call_function(builder, function, REAL, GIVEN, values)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return when

    return REAL(WHOLE, given), generate


@jit
def _enter(address, rec, log, x, d, p, norms, allowed, rtol, t_by, xs, ds, kinds, sided, room, matrix, swap):
    # Not `*given`, which takes 20 us longer.
    return _call(address, (rec, log, x, d, p, norms, allowed, rtol, t_by, xs, ds, kinds, sided, room, matrix, swap))
