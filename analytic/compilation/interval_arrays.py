"""Arrays of bounds as a model's functions are given them, for numba: time, state, and what takes the guards' values.

In memory a number is four floats: lo, hi and those of its derivative. `interval_at` and `intervals_of` make intervals
of them that share a cell of undecided questions. `Answers` takes the values of guards.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.cpython.slicing import fix_slice
from numba.extending import intrinsic, lower_builtin, models, register_model
from numba.np.arrayobj import make_array, populate_array

from . import interval_rules as rules
from .intervals import REAL_NUMBER, WHOLE, IntervalType, bounds_of, interval
from .number_types import NumberType

WORDS = 4  # of a number in memory


def _whole(value: int) -> ir.Constant:
    return ir.Constant(WHOLE, value)


def _real(value: float) -> ir.Constant:
    return ir.Constant(REAL_NUMBER, value)


INFINITE = _real(float("inf")), _real(float("-inf"))


def _ordered(builder: Any, lo: Any, hi: Any) -> list:
    """Return bounds; the whole line if one is NaN or they are the wrong way round."""
    good = builder.fcmp_ordered("<=", lo, hi)
    most, least = INFINITE
    return [builder.select(good, lo, least), builder.select(good, hi, most)]


def _load(builder: Any, kind: IntervalType, data: Any, row: Any, cell: Any) -> Any:
    at = builder.mul(row, _whole(WORDS))
    words = [builder.load(builder.gep(data, [builder.add(at, _whole(i))])) for i in range(kind.bounds)]
    bounds = sum((_ordered(builder, *words[i : i + 2]) for i in range(0, kind.bounds, 2)), [])
    return interval(builder, kind, bounds, cell)


@functools.cache
def interval_at(rate: bool, short: bool) -> Callable:
    """Return the compiled function that makes an interval of four floats, shape (4,), and a cell, shape (1,)."""

    @intrinsic
    def at(context, array, cell):
        kind = IntervalType(rate, short)

        def load(context, builder, sig, args):
            data, counts = (
                make_array(of)(context, builder, value=arg).data for arg, of in zip(args, sig.args, strict=True)
            )
            return _load(builder, kind, data, _whole(0), counts)

        return kind(array, cell), load

    return at


@functools.cache
def intervals_of(rate: bool, short: bool) -> Callable:
    """Return the compiled function that copies rows of four floats, shape (n, 4), to an array of n intervals.

    The copy lies on the stack, for as long as the function that calls this runs.
    """

    @intrinsic
    def of(context, array, cell):
        kind = types.Array(IntervalType(rate, short), 1, "C")

        def copy(context, builder, sig, args):
            given = make_array(sig.args[0])(context, builder, value=args[0])
            counts = make_array(sig.args[1])(context, builder, value=args[1]).data
            n, word = builder.extract_value(given.shape, 0), context.get_data_type(kind.dtype)
            room = builder.alloca(word, size=n)
            with cgutils.for_range(builder, n) as loop:
                value = _load(builder, kind.dtype, given.data, loop.index, counts)
                builder.store(value, builder.gep(room, [loop.index]))
            made = make_array(kind)(context, builder)
            width = context.get_constant(types.intp, 8 * kind.dtype.words)
            populate_array(made, room, [n], [width], width, None)
            return made._getvalue()

        return kind(array, cell), copy

    return of


class AnswersType(types.Type):
    """The type of what takes the values of guards."""

    def __init__(self, rate: bool, clears: bool, short: bool) -> None:
        self.clears, self.number = clears, IntervalType(rate, short)
        super().__init__(name=f"Answers({rate=}, {clears=}, {short=})")


@register_model(AnswersType)
class AnswersModel(models.StructModel):
    """Rows of four floats, and the cell of undecided questions."""

    def __init__(self, manager: Any, kind: AnswersType) -> None:
        members = [("data", types.CPointer(types.float64)), ("n", types.intp), ("cell", types.CPointer(types.int64))]
        super().__init__(manager, kind, members)


@functools.cache
def answers_in(rate: bool, clears: bool, short: bool) -> Callable:
    """Return the compiled function that makes `Answers` of rows of four floats, shape (n, 4), and a cell.

    Args:
        rate: Whether derivatives are written.
        clears: Whether undecided questions are counted anew once a guard is written, as the next is computed by itself.
        short: Whether the rules are made part of the code.
    """

    @intrinsic
    def answers(context, array, cell):
        kind = AnswersType(rate, clears, short)

        def make(context, builder, sig, args):
            given, counts = (
                make_array(of)(context, builder, value=arg) for arg, of in zip(args, sig.args, strict=True)
            )
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.data, made.n, made.cell = given.data, builder.extract_value(given.shape, 0), counts.data
            return made._getvalue()

        return kind(array, cell), make

    return answers


@infer_global(operator.setitem)
class SetAnswer(AbstractTemplate):
    """`g[i] = value`: an interval or a number."""

    def generic(self, args, kws):
        """Return the signature."""
        if len(args) == 3 and isinstance(args[0], AnswersType) and isinstance(args[1], types.Integer):
            own = args[0].number
            if args[2] == own or isinstance(args[2], types.Number) and not isinstance(args[2], NumberType):
                return signature(types.none, args[0], types.intp, own)


@lower_builtin(operator.setitem, AnswersType, types.Integer, IntervalType)
def _set_answer(context, builder, sig, args):
    kind, own = sig.args[0], sig.args[2]
    given = cgutils.create_struct_proxy(kind)(context, builder, value=args[0])
    words = bounds_of(builder, own, args[2])
    pairs = [_ordered(builder, *words[i : i + 2]) for i in range(0, own.bounds, 2)]
    at = builder.mul(args[1], _whole(WORDS))
    for i, word in enumerate(sum(pairs, [])):
        builder.store(word, builder.gep(given.data, [builder.add(at, _whole(i))]))
    if kind.clears:
        context.compile_internal(builder, rules.end_guard, types.none(types.CPointer(types.int64)), [given.cell])
    return context.get_dummy_value()


@infer_global(operator.getitem)
class PartOfAnswers(AbstractTemplate):
    """`g[i:]`: the rows of a part of a model."""

    def generic(self, args, kws):
        """Return the signature."""
        if len(args) == 2 and isinstance(args[0], AnswersType) and args[1] == types.slice2_type:
            return signature(args[0], *args)


@lower_builtin(operator.getitem, AnswersType, types.SliceType)
def _part_of_answers(context, builder, sig, args):
    given = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
    part = context.make_helper(builder, sig.args[1], args[1])
    fix_slice(builder, part, given.n)
    made = cgutils.create_struct_proxy(sig.args[0])(context, builder)
    made.data = builder.gep(given.data, [builder.mul(part.start, _whole(WORDS))])
    made.n, made.cell = builder.sub(part.stop, part.start), given.cell
    return made._getvalue()
