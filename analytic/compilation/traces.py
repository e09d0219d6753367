"""Numbers that record how they were computed (traces), for numba: derivatives of one result by everything, backward.

A trace is a value, its place on a tape and the tape's address; place 0 stands for constants. Each operation with an
argument that is no constant adds a row to the tape: the places of its arguments and the partial derivatives by them.
`number_types` has the rules, `number_arrays` the arrays; `hybrid.adjoint_pass` runs back along the tape.

A tape is an array of words in rows of ROW: the first row holds the number of rows in use and how many there are, the
others two pairs of place (an integer) and partial derivative. A full tape counts on and writes over its last row.

Source: Griewank & Walther, Evaluating Derivatives (2008), chapters 3 and 6 (reverse mode).
"""

from typing import Any

from llvmlite import ir
from numba.extending import models, register_model

from .number_types import NumberType, register_by_rules

ROW = 4  # words
WHOLE, REAL = ir.IntType(64), ir.DoubleType()
TRACE = ir.LiteralStructType([REAL, WHOLE, WHOLE.as_pointer()])


class TraceType(NumberType):
    """The type of traces."""

    words = 3

    def __init__(self) -> None:
        super().__init__(name="Trace")


@register_model(TraceType)
class TraceModel(models.PrimitiveModel):
    """In memory as in registers: value, place, address of the tape."""

    def __init__(self, manager: Any, kind: TraceType) -> None:
        super().__init__(manager, kind, TRACE)


def _whole(value: int) -> ir.Constant:
    return ir.Constant(WHOLE, value)


def _trace(builder: Any, value: Any, place: Any, tape: Any) -> Any:
    made = builder.insert_value(ir.Constant(TRACE, None), value, 0)
    return builder.insert_value(builder.insert_value(made, place, 1), tape, 2)


def _constant(builder: Any, kind: TraceType, value: Any) -> Any:
    return builder.insert_value(ir.Constant(TRACE, None), value, 0)


def _combine(builder: Any, kind: TraceType, value: Any, terms: list, steep: bool) -> Any:
    place, tape = _whole(0), ir.Constant(WHOLE.as_pointer(), None)
    for _, arg in terms:  # the tape of one that is no constant
        own = builder.extract_value(arg, 1)
        tape = builder.select(builder.icmp_signed("!=", own, _whole(0)), builder.extract_value(arg, 2), tape)
        place = builder.or_(place, own)
    before = builder.block
    with builder.if_then(builder.icmp_signed("!=", place, _whole(0))):
        row = builder.load(tape, align=8)
        builder.store(builder.add(row, _whole(1)), tape, align=8)
        last = builder.sub(builder.load(builder.gep(tape, [_whole(1)]), align=8), _whole(1))
        row = builder.select(builder.icmp_signed("<", row, last), row, last)
        at = builder.mul(row, _whole(ROW))
        pairs = [(builder.extract_value(arg, 1), by) for by, arg in terms] + [(_whole(0), ir.Constant(REAL, 0.0))]
        for i, (parent, by) in enumerate(pairs[:2]):
            builder.store(parent, builder.gep(tape, [builder.add(at, _whole(2 * i))]), align=8)
            slot = builder.gep(tape, [builder.add(at, _whole(2 * i + 1))])
            builder.store(by, builder.bitcast(slot, REAL.as_pointer()), align=8)
        inside = builder.block
    place = builder.phi(WHOLE)
    place.add_incoming(_whole(0), before)
    place.add_incoming(row, inside)
    return _trace(builder, value, place, tape)


def _same(builder: Any, a: Any, b: Any) -> Any:
    equal = builder.fcmp_ordered("==", builder.extract_value(a, 0), builder.extract_value(b, 0))
    places = builder.icmp_signed("==", builder.extract_value(a, 1), builder.extract_value(b, 1))
    return builder.and_(equal, places)


register_by_rules(TraceType, _constant, _combine, _same)
