"""Numbers with derivatives along k directions (jets), for numba: plain functions compiled for them differentiate.

A jet is a value and k partial derivatives; arithmetic and `math` carry them along by the chain rule, exactly. A
function compiled for floats serves unchanged: its arguments are arrays of jets, and `numpy.empty` and `numpy.zeros` in
it make arrays of jets too (`jet_arrays`). An order is that of the values: at a kink the derivative is that of the
branch taken. Jets are equal only if all their parts are: where code treats one number apart (`x**1.0` as `x`, a
division by zero), its special case does not hold around that number, and its derivative would be wrong.

This is registered with numba by types, not by overloads of its functions, so that the fingerprints of other code, and
its machine code on disk, stay as they are. `jet_arrays.VERSION` stands for this file in the fingerprints of its users.

Source: Griewank & Walther, Evaluating Derivatives (2008), chapter 3 (vector forward mode).
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.compiler import Flags
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast, models, register_model

from . import jet_rules as rules

REAL = types.float64
CONTRACT = ("contract",)  # a product and a sum of derivatives may be one instruction


class JetType(types.Type):
    """The type of jets with k partial derivatives."""

    def __init__(self, k: int) -> None:
        self.k = k
        super().__init__(name=f"Jet({k})")

    def unify(self, context: Any, other: types.Type) -> types.Type | None:
        """Return what holds either: a number is a jet that does not move."""
        return self if isinstance(other, types.Number) else None

    def can_convert_from(self, context: Any, other: types.Type) -> Conversion | None:
        """Return whether a value of the other type becomes a jet by itself."""
        return Conversion.promote if isinstance(other, types.Number) else None


def _lanes(k: int) -> ir.VectorType:
    return ir.VectorType(ir.DoubleType(), k)


@register_model(JetType)
class JetModel(models.PrimitiveModel):
    """In memory: the value, then its derivatives, as plain numbers. In registers the derivatives are one vector."""

    def __init__(self, manager: Any, kind: JetType) -> None:
        super().__init__(manager, kind, ir.LiteralStructType([ir.DoubleType(), _lanes(kind.k)]))
        self._data = ir.ArrayType(ir.DoubleType(), kind.k + 1)

    def get_data_type(self) -> ir.Type:
        """Return the type in memory."""
        return self._data

    def as_data(self, builder: Any, value: Any) -> Any:
        """Return a jet as it is in memory."""
        by = builder.extract_value(value, 1)
        made = builder.insert_value(ir.Constant(self._data, None), builder.extract_value(value, 0), 0)
        for i in range(by.type.count):
            made = builder.insert_value(made, builder.extract_element(by, _index(i)), i + 1)
        return made

    def from_data(self, builder: Any, value: Any) -> Any:
        """Return a jet from memory."""
        by = ir.Constant(_lanes(self._data.count - 1), None)
        for i in range(by.type.count):
            by = builder.insert_element(by, builder.extract_value(value, i + 1), _index(i))
        return _jet(builder, builder.extract_value(value, 0), by)

    def load_from_data_pointer(self, builder: Any, ptr: Any, align: int | None = None) -> Any:
        """Return the jet at a place in memory; its derivatives are read as one vector."""
        numbers = builder.bitcast(ptr, ir.DoubleType().as_pointer())
        first = builder.bitcast(builder.gep(numbers, [_index(1)]), _lanes(self._data.count - 1).as_pointer())
        return _jet(builder, builder.load(numbers, align=8), builder.load(first, align=8))


def _index(i: int) -> ir.Constant:
    return ir.Constant(ir.IntType(32), i)


def _jet(builder: Any, value: Any, by: Any) -> Any:
    made = ir.Constant(ir.LiteralStructType([value.type, by.type]), ir.Undefined)
    return builder.insert_value(builder.insert_value(made, value, 0), by, 1)


def _in_all(builder: Any, number: Any, kind: ir.VectorType) -> Any:
    """Return a vector with a number in all its entries."""
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), number, _index(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), kind.count), None))


@lower_cast(types.Number, JetType)
def _constant_jet(context, builder, given, kind, value):
    real = context.cast(builder, value, given, REAL)
    return _jet(builder, real, ir.Constant(_lanes(kind.k), None))


def _flags() -> Flags:
    """Return how a rule is compiled: a division by zero is infinite."""
    flags = Flags()
    flags.error_model = "numpy"
    return flags


def _times(builder: Any, by: Any, part: Any, steep: bool) -> Any:
    """Return a term of the chain rule; where the rule may be infinite, what does not move adds nothing."""
    term = builder.fmul(_in_all(builder, by, part.type), part, flags=CONTRACT)
    if not steep:
        return term
    zero = ir.Constant(part.type, None)
    return builder.select(builder.fcmp_ordered("==", part, zero), zero, term)


def _register(function: Callable, rule: Callable, n: int) -> None:
    """Make a function known for n arguments of which one at least is a jet.

    Args:
        function: The function or operator.
        rule: Takes the values and returns the function's value and its n partial derivatives.
        n: Number of arguments.
    """

    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            jets = [kind for kind in args if isinstance(kind, JetType)]
            if kws or len(args) != n or not jets:
                return None
            if all(isinstance(kind, (JetType, types.Number)) for kind in args):
                return signature(jets[0], *(kind if isinstance(kind, JetType) else REAL for kind in args))

    def lower(context, builder, sig, args):
        values = [
            builder.extract_value(arg, 0) if isinstance(kind, JetType) else arg
            for arg, kind in zip(args, sig.args, strict=True)
        ]
        answer = types.UniTuple(REAL, n + 1)
        inner = answer(*[REAL] * n)
        code = context.compile_subroutine(builder, rule, inner, flags=_flags())
        made = context.call_internal(builder, code.fndesc, inner, values)
        made = [builder.extract_value(made, i) for i in range(n + 1)]
        terms = [
            _times(builder, by, builder.extract_value(arg, 1), function in rules.STEEP)
            for by, arg, kind in zip(made[1:], args, sig.args, strict=True)
            if isinstance(kind, JetType)
        ]
        return _jet(builder, made[0], functools.reduce(lambda a, b: builder.fadd(a, b, flags=CONTRACT), terms))

    for kinds in _mixtures(n):
        lower_builtin(function, *kinds)(lower)


def _mixtures(n: int) -> list[tuple]:
    if n == 1:
        return [(JetType,)]
    return [(JetType, JetType), (JetType, types.Float), (types.Float, JetType)]


def _register_comparison(function: Callable) -> None:
    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 2 and any(isinstance(kind, JetType) for kind in args):
                if all(isinstance(kind, (JetType, types.Number)) for kind in args):
                    return signature(types.boolean, *(k if isinstance(k, JetType) else REAL for k in args))

    def lower(context, builder, sig, args):
        kind = next(kind for kind in sig.args if isinstance(kind, JetType))
        whole = [context.cast(builder, arg, given, kind) for arg, given in zip(args, sig.args, strict=True)]
        a, b = ([builder.extract_value(jet, i) for i in range(2)] for jet in whole)
        if function not in (operator.eq, operator.ne):
            compare = context.get_function(function, signature(types.boolean, REAL, REAL))
            return compare(builder, [a[0], b[0]])
        lanes = builder.bitcast(builder.fcmp_ordered("==", a[1], b[1]), ir.IntType(kind.k))
        equal = builder.and_(
            builder.fcmp_ordered("==", a[0], b[0]), builder.icmp_unsigned("==", lanes, ir.Constant(lanes.type, -1))
        )
        return equal if function is operator.eq else builder.not_(equal)

    for kinds in _mixtures(2):
        lower_builtin(function, *kinds)(lower)


def _register_value(function: Callable) -> None:
    """Make a function known whose derivative is zero: it takes the value."""

    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 1 and isinstance(args[0], JetType):
                self.inner = self.context.resolve_function_type(function, (REAL,), {})
                return signature(self.inner.return_type, args[0])

    @lower_builtin(function, JetType)
    def lower(context, builder, sig, args):
        inner = signature(sig.return_type, REAL)
        return context.get_function(function, inner)(builder, [builder.extract_value(args[0], 0)])


def _has_jets(kind: types.Type) -> bool:
    return isinstance(kind, JetType) or isinstance(kind, types.BaseTuple) and any(map(_has_jets, kind.types))


@infer_global(operator.getitem)
class MixedItem(AbstractTemplate):
    """An item of a tuple of which some are jets, at an index known when it runs: as what can hold any of them."""

    def generic(self, args, kws):
        """Return the signature."""
        if (
            len(args) == 2
            and type(args[0]) is types.Tuple
            and isinstance(args[1], types.Integer)
            and _has_jets(args[0])
        ):
            held = self.context.unify_types(*args[0].types)
            if held is not None:
                return signature(held, args[0], types.intp)


@lower_builtin(operator.getitem, types.Tuple, types.Integer)
def _mixed_item(context, builder, sig, args):
    kind = types.UniTuple(sig.return_type, len(sig.args[0]))
    same = context.cast(builder, args[0], sig.args[0], kind)
    return context.get_function(operator.getitem, signature(sig.return_type, kind, types.intp))(
        builder, [same, args[1]]
    )


for _function, _rule in rules.ONE.items():
    _register(_function, _rule, 1)
for _function, _rule in rules.TWO.items():
    _register(_function, _rule, 2)
for _function in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
    _register_comparison(_function)
for _function in (math.floor, math.isfinite, math.isnan):
    _register_value(_function)
