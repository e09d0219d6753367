"""Arrays of extended numbers, for compiled functions: views of arrays of floats, and what stands for `numpy`."""

import functools
import hashlib
import types as python_types
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, register_jitable
from numba.np.arrayobj import _empty_nd_impl, make_array, populate_array

from . import (
    interval_arithmetic,
    interval_arrays,
    interval_elementary,
    interval_library,
    interval_questions,
    interval_rules,
    interval_slopes,
    intervals,
    jet_rules,
    jets,
    number_types,
    traces,
)
from .intervals import IntervalType
from .jets import JetType
from .number_types import NumberType
from .traces import TraceType

# In the fingerprint of what computes with extended numbers: numba's registries are not seen by it.
_OF_INTERVALS = interval_arithmetic, interval_elementary, interval_slopes, interval_questions, interval_rules
_PARTS = (number_types, jet_rules, jets, traces, *_OF_INTERVALS, interval_library, intervals, interval_arrays)
_FILES = (__file__, *(module.__file__ for module in _PARTS))
VERSION = int.from_bytes(hashlib.sha256(b"".join(Path(file).read_bytes() for file in _FILES)).digest()[:4], "big")

register_jitable(jet_rules.where)


def number(k: int | tuple[bool, bool]) -> NumberType:
    """Return the type of jets with k derivatives; for k = 0 of traces, for k = (rate, short) of intervals."""
    if isinstance(k, tuple):
        return IntervalType(*k)
    return JetType(k) if k else TraceType()


@functools.cache
def view(k: int | tuple[bool, bool]) -> Callable:
    """Return the compiled view of an array of floats, shape (n words,), as n extended numbers."""

    @intrinsic
    def as_numbers(context, array):
        kind = types.Array(number(k), 1, "C")

        def show(context, builder, sig, args):
            given = make_array(sig.args[0])(context, builder, value=args[0])
            made = make_array(kind)(context, builder)
            width = context.get_constant(types.intp, 8 * kind.dtype.words)
            n = builder.sdiv(builder.extract_value(given.shape, 0), context.get_constant(types.intp, kind.dtype.words))
            data = builder.bitcast(given.data, context.get_data_type(kind.dtype).as_pointer())
            populate_array(made, data, [n], [width], width, given.meminfo, given.parent)
            return impl_ret_borrowed(context, builder, kind, made._getvalue())

        return kind(array), show

    return as_numbers


def _room(k: int | tuple[bool, bool], cleared: bool) -> Callable:
    @intrinsic
    def room(context, shape):
        n_axes = 1 if isinstance(shape, types.Integer) else len(shape)
        kind = types.Array(number(k), n_axes, "C")

        def allocate(context, builder, sig, args):
            whole = isinstance(sig.args[0], types.Integer)
            sizes = [args[0]] if whole else cgutils.unpack_tuple(builder, args[0])
            each = [sig.args[0]] if whole else list(sig.args[0])
            sizes = [context.cast(builder, s, t, types.intp) for s, t in zip(sizes, each, strict=True)]
            made = _empty_nd_impl(context, builder, kind, sizes)
            if cleared:
                cgutils.memset(builder, made.data, builder.mul(made.itemsize, made.nitems), 0)
            return made._getvalue()

        return kind(shape), allocate

    return room


@functools.cache
def numpy_of(k: int | tuple[bool, bool]) -> python_types.ModuleType:
    """Return the stand-in for `numpy` in a function of `number(k)`.

    `empty` and `zeros` make arrays of them, and functions of arrays are those of one number.
    """
    module = python_types.ModuleType(f"numpy_of_numbers_{k}")
    for name in ("pi", "inf", "nan"):
        setattr(module, name, getattr(np, name))
    for name, function in jet_rules.NUMPY.items():
        setattr(module, name, function)
    module.empty, module.zeros = _room(k, False), _room(k, True)
    return module
