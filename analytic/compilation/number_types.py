"""Types of extended numbers (a value and more), for numba: functions written for floats are compiled for them.

`register` gives a type arithmetic and the functions of `math`. Jets and traces follow `jet_rules`; intervals have rules
of their own. An order of jets is that of their values: at a kink the derivative is that of the branch taken. Two are
equal only if neither could move off the other: where code treats one number apart (`x**1.0` as `x`, a division by
zero), its special case does not hold around that number, and its derivative would be wrong.

This is registered with numba by types, not by overloads of its functions, so that the fingerprints of other code, and
its machine code on disk, stay as they are.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.compiler import Flags
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast

from . import jet_rules as rules

REAL = types.float64
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


class NumberType(types.Type):
    """The type of a number with more than a value. In registers it is a structure, the value first."""

    words: int  # of eight bytes, in memory

    def unify(self, context: Any, other: types.Type) -> types.Type | None:
        """Return the type that holds either: a plain number is an extended one that does not move."""
        return self if isinstance(other, types.Number) else None

    def can_convert_from(self, context: Any, other: types.Type) -> Conversion | None:
        """Return the implicit conversion from the other type, None if there is none."""
        return Conversion.promote if isinstance(other, types.Number) else None


def register(kind: type[NumberType], constant: Callable, apply: Callable, ask: Callable, functions: tuple) -> None:
    """Register a type of extended numbers with numba.

    Args:
        kind: The type.
        constant: `constant(builder, type, value)`, an extended number that does not move.
        apply: `apply(context, builder, function, args, kinds)`, a function's value, an extended number; an argument
            whose kind is not the type is a plain number.
        ask: `ask(context, builder, function, args, kinds, answer)`, a comparison or another function whose value is
            of the plain type `answer`.
        functions: Of one argument with such a value.
    """

    @lower_cast(types.Number, kind)
    def from_number(context, builder, given, made, value):
        return constant(builder, made, context.cast(builder, value, given, REAL))

    for table, n in ((rules.ONE, 1), (rules.TWO, 2)):
        for function in table:
            _register(kind, function, n, apply)
    for function in COMPARISONS:
        _register_comparison(kind, function, ask)
    for function in functions:
        _register_value(kind, function, ask)


def register_by_rules(kind: type[NumberType], constant: Callable, combine: Callable, same: Callable) -> None:
    """Make a type known whose first entry is a number that all code decides by, and whose rules are `jet_rules`.

    Args:
        kind: The type.
        constant: As in `register`.
        combine: `combine(builder, type, value, terms, steep)`, a function's value from pairs of a partial derivative
            and the argument that it belongs to; steep: the partial derivatives may be infinite.
        same: `same(builder, a, b)`, whether two are equal.
    """

    def apply(context, builder, function, args, kinds):
        rule = (rules.ONE if len(args) == 1 else rules.TWO)[function]
        pairs = list(zip(args, kinds, strict=True))
        values = [builder.extract_value(arg, 0) if isinstance(of, kind) else arg for arg, of in pairs]
        made = call(context, builder, rule, types.UniTuple(REAL, len(args) + 1), values)
        terms = [(by, arg) for by, (arg, of) in zip(made[1:], pairs, strict=True) if isinstance(of, kind)]
        own = next(of for of in kinds if isinstance(of, kind))
        return combine(builder, own, made[0], terms, function in rules.STEEP)

    def ask(context, builder, function, args, kinds, answer):
        own = next(of for of in kinds if isinstance(of, kind))
        both = [context.cast(builder, arg, given, own) for arg, given in zip(args, kinds, strict=True)]
        if function in (operator.eq, operator.ne):
            equal = same(builder, *both)
            return equal if function is operator.eq else builder.not_(equal)
        inner = signature(answer, *[REAL] * len(both))
        return context.get_function(function, inner)(builder, [builder.extract_value(arg, 0) for arg in both])

    register(kind, constant, apply, ask, (math.floor, math.isfinite, math.isnan))


def call(context: Any, builder: Any, rule: Callable, answer: types.UniTuple, values: list) -> list:
    """Return a rule's values for numbers, compiled on first use; a division by zero is infinite."""
    inner = answer(*[REAL] * len(values))
    code = context.compile_subroutine(builder, rule, inner, flags=exact_flags())
    made = context.call_internal(builder, code.fndesc, inner, values)
    return [builder.extract_value(made, i) for i in range(answer.count)]


def exact_flags() -> Flags:
    """Return numba's flags for rules: a division by zero is infinite."""
    flags = Flags()
    flags.error_model = "numpy"
    return flags


def _register(kind: type[NumberType], function: Callable, n: int, apply: Callable) -> None:
    """Register a function of n arguments, at least one an extended number."""

    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            own = [arg for arg in args if isinstance(arg, kind)]
            if kws or len(args) != n or not own:
                return None
            if all(isinstance(arg, (kind, types.Number)) for arg in args):
                return signature(own[0], *(arg if isinstance(arg, kind) else REAL for arg in args))

    def lower(context, builder, sig, args):
        return apply(context, builder, function, args, sig.args)

    for kinds in _mixtures(kind, n):
        lower_builtin(function, *kinds)(lower)


def _mixtures(kind: type[NumberType], n: int) -> list[tuple]:
    return [(kind,)] if n == 1 else [(kind, kind), (kind, types.Float), (types.Float, kind)]


def _register_comparison(kind: type[NumberType], function: Callable, ask: Callable) -> None:
    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 2 and any(isinstance(arg, kind) for arg in args):
                if all(isinstance(arg, (kind, types.Number)) for arg in args):
                    return signature(types.boolean, *(arg if isinstance(arg, kind) else REAL for arg in args))

    def lower(context, builder, sig, args):
        return ask(context, builder, function, args, sig.args, sig.return_type)

    for kinds in _mixtures(kind, 2):
        lower_builtin(function, *kinds)(lower)


def _register_value(kind: type[NumberType], function: Callable, ask: Callable) -> None:
    """Register a function of one argument without a derivative; its answer has the type that it has for a number."""

    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 1 and isinstance(args[0], kind):
                self.inner = self.context.resolve_function_type(function, (REAL,), {})
                return signature(self.inner.return_type, args[0])

    @lower_builtin(function, kind)
    def lower(context, builder, sig, args):
        return ask(context, builder, function, args, sig.args, sig.return_type)


def _has_extended(kind: types.Type) -> bool:
    return isinstance(kind, NumberType) or isinstance(kind, types.BaseTuple) and any(map(_has_extended, kind.types))


@infer_global(operator.getitem)
class MixedItem(AbstractTemplate):
    """An item, by a variable index, of a tuple of plain and extended numbers: all become extended."""

    def generic(self, args, kws):
        """Return the signature."""
        if (
            len(args) == 2
            and type(args[0]) is types.Tuple
            and isinstance(args[1], types.Integer)
            and _has_extended(args[0])
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
