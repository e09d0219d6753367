"""Numbers with derivatives along k directions (jets), for numba: plain functions compiled for them differentiate.

A jet is a value and k partial derivatives; arithmetic and `math` carry them along by the chain rule, exactly
(`number_types`). A function compiled for floats serves unchanged: its arguments are arrays of jets, and `numpy.empty`
and `numpy.zeros` in it make arrays of jets too (`number_arrays`). In registers the derivatives are one vector: LLVM
does not find it in k separate numbers.

Source: Griewank & Walther, Evaluating Derivatives (2008), chapter 3 (vector forward mode).
"""

import functools
from typing import Any

from llvmlite import ir
from numba.extending import models, register_model

from .number_types import NumberType, register_by_rules

CONTRACT = ("contract",)  # a product and a sum of derivatives may be one instruction


class JetType(NumberType):
    """The type of jets with k partial derivatives."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.words = k + 1
        super().__init__(name=f"Jet({k})")


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


def _constant(builder: Any, kind: JetType, value: Any) -> Any:
    return _jet(builder, value, ir.Constant(_lanes(kind.k), None))


def _in_all(builder: Any, number: Any, kind: ir.VectorType) -> Any:
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), number, _index(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), kind.count), None))


def _times(builder: Any, by: Any, part: Any, steep: bool) -> Any:
    """Return a term of the chain rule; where the rule may be infinite, what does not move adds nothing."""
    term = builder.fmul(_in_all(builder, by, part.type), part, flags=CONTRACT)
    if not steep:
        return term
    zero = ir.Constant(part.type, None)
    return builder.select(builder.fcmp_ordered("==", part, zero), zero, term)


def _combine(builder: Any, kind: JetType, value: Any, terms: list, steep: bool) -> Any:
    parts = [_times(builder, by, builder.extract_value(arg, 1), steep) for by, arg in terms]
    return _jet(builder, value, functools.reduce(lambda a, b: builder.fadd(a, b, flags=CONTRACT), parts))


def _same(builder: Any, a: Any, b: Any) -> Any:
    (value_a, by_a), (value_b, by_b) = ([builder.extract_value(jet, i) for i in range(2)] for jet in (a, b))
    lanes = builder.bitcast(builder.fcmp_ordered("==", by_a, by_b), ir.IntType(by_a.type.count))
    all_lanes = builder.icmp_unsigned("==", lanes, ir.Constant(lanes.type, -1))
    return builder.and_(builder.fcmp_ordered("==", value_a, value_b), all_lanes)


register_by_rules(JetType, _constant, _combine, _same)
