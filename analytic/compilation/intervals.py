"""Numbers with bounds (intervals), for numba: plain functions compiled for them enclose their values.

An interval is lo and hi, with `rate` also the bounds of its derivative by something like time, and the address of a
cell that counts undecided comparisons: where bounds do not decide one, the code goes on with one answer, and the
cell tells that there is another. A result inherits its cell from an argument; constants have none.
`number_types` makes the functions known to numba, `interval_rules` has the rules, `number_arrays` the arrays.

Long rules are called, not compiled into their callers: the guards of a machine with six legs have hundreds.
"""

import functools
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import models, register_model

from . import interval_rules as rules
from .functions import is_tried
from .interval_library import all_rules, jet_name, library, question_name, signature, symbol, value_name, with_helpers
from .number_types import COMPARISONS, REAL, NumberType, exact_flags, register

REAL_NUMBER, WHOLE = ir.DoubleType(), ir.IntType(64)
CELL = WHOLE.as_pointer()
RULES = all_rules()


class IntervalType(NumberType):
    """The type of intervals, with or without the bounds of a derivative; of short functions, rules are made part."""

    def __init__(self, rate: bool, short: bool = False) -> None:
        self.rate, self.short = rate, short
        self.bounds = 4 if rate else 2
        self.words = self.bounds + 1
        super().__init__(name=f"{'IntervalJet' if rate else 'Interval'}({short=})")


def _structure(kind: IntervalType) -> ir.LiteralStructType:
    return ir.LiteralStructType([*[REAL_NUMBER] * kind.bounds, CELL])


@register_model(IntervalType)
class IntervalModel(models.PrimitiveModel):
    """In memory as in registers: bounds, those of the derivative, address of the cell."""

    def __init__(self, manager: Any, kind: IntervalType) -> None:
        super().__init__(manager, kind, _structure(kind))


def interval(builder: Any, kind: IntervalType, bounds: list, cell: Any) -> Any:
    """Return an interval in registers."""
    made = ir.Constant(_structure(kind), ir.Undefined)
    for i, word in enumerate([*bounds, cell]):
        made = builder.insert_value(made, word, i)
    return made


def bounds_of(builder: Any, kind: types.Type, value: Any) -> list:
    """Return the bounds of an interval, or of a number, which has no others."""
    if isinstance(kind, IntervalType):
        return [builder.extract_value(value, i) for i in range(kind.bounds)]
    return [value, value]


def _constant(builder: Any, kind: IntervalType, value: Any) -> Any:
    still = [ir.Constant(REAL_NUMBER, 0.0)] * (kind.bounds - 2)
    return interval(builder, kind, [value, value, *still], ir.Constant(CELL, None))


def _cell_of(builder: Any, args: list, kinds: tuple) -> Any:
    """Return the cell of the first argument that has one."""
    cells = [
        builder.extract_value(arg, of.bounds)
        for arg, of in zip(args, kinds, strict=True)
        if isinstance(of, IntervalType)
    ]
    return functools.reduce(lambda a, b: builder.select(cgutils.is_not_null(builder, a), a, b), cells)


def _call(context: Any, builder: Any, name: str, values: list, small: bool = False) -> list:
    rule = RULES[name]
    sig = signature(rule.given, rule.made)
    if is_tried():
        context.active_code_library.add_linking_library(library())
        own = symbol(name)
    else:
        own = context.compile_subroutine(
            builder, with_helpers(rule.function), sig, flags=exact_flags()
        ).fndesc.mangled_name
    name = f"rule{small}.{own}"
    function = builder.module.globals.get(name) or _in_registers(context, builder.module, name, own, sig, small)
    answer = builder.call(function, values)
    return [builder.extract_value(answer, i) for i in range(rule.made)]


def _in_registers(context: Any, module: Any, name: str, rule: str, sig: Any, small: bool) -> ir.Function:
    """Return the function that calls a compiled rule and returns its answer in registers.

    Numba's own convention takes a dozen instructions for a call, and as much longer to compile.
    """
    made = ir.LiteralStructType([REAL_NUMBER] * sig.return_type.count)
    function = ir.Function(module, ir.FunctionType(made, [REAL_NUMBER] * len(sig.args)), name)
    function.linkage = "linkonce_odr"
    function.attributes.add("alwaysinline" if small else "noinline")
    builder = ir.IRBuilder(function.append_basic_block())
    convention, always = context.call_conv, ("alwaysinline",)
    called = cgutils.get_or_insert_function(module, convention.get_function_type(sig.return_type, sig.args), rule)
    _, answer = convention.call_function(builder, called, sig.return_type, sig.args, function.args, attrs=always)
    words = ir.Constant(made, ir.Undefined)
    for i in range(sig.return_type.count):
        words = builder.insert_value(words, builder.extract_value(answer, i), i)
    builder.ret(words)
    return function


def _apply(context: Any, builder: Any, function: Callable, args: list, kinds: tuple) -> Any:
    own = next(of for of in kinds if isinstance(of, IntervalType))
    cell = _cell_of(builder, args, kinds)
    if function in rules.CHOICES:
        args = [context.cast(builder, arg, of, own) for arg, of in zip(args, kinds, strict=True)]
        kinds = (own, own)
    bounds = [bounds_of(builder, of, arg) for arg, of in zip(args, kinds, strict=True)]
    which = "".join("i" if isinstance(of, IntervalType) else "f" for of in kinds)
    name = jet_name(function, which) if own.rate else value_name(function)
    made = _call(context, builder, name, sum(bounds, []), own.short or function in rules.SMALL)
    return interval(builder, own, made, cell)


def _ask(context: Any, builder: Any, function: Callable, args: list, kinds: tuple, answer: types.Type) -> Any:
    """Answer a question: undecided, as the path in the cell says."""
    cell = _cell_of(builder, args, kinds)
    bounds = sum((bounds_of(builder, of, arg)[:2] for arg, of in zip(args, kinds, strict=True)), [])
    made = _call(context, builder, question_name(function), bounds)
    undecided = builder.fcmp_ordered("!=", made[2], ir.Constant(REAL_NUMBER, 0.0))
    before = builder.block
    with builder.if_then(builder.and_(undecided, cgutils.is_not_null(builder, cell))):
        pointer = types.CPointer(types.int64)
        other = context.compile_internal(builder, rules.takes_other, types.boolean(pointer, REAL), [cell, made[2]])
        inside = builder.block
    flipped = builder.phi(ir.IntType(1))
    flipped.add_incoming(ir.Constant(ir.IntType(1), 0), before)
    flipped.add_incoming(other, inside)
    value = builder.select(flipped, made[1], made[0])
    if function in rules.WHOLE_ANSWERS:
        return context.cast(builder, value, REAL, answer)
    return builder.fcmp_ordered("!=", value, ir.Constant(REAL_NUMBER, 0.0))


register(IntervalType, _constant, _apply, _ask, tuple(set(rules.QUESTIONS) - set(COMPARISONS)))
