"""The workspaces of runs as the kernel for all models sees them: numba's types for a run and for its arrays.

A model's workspace is a record of numpy's (`workspace`) that begins with single numbers, at the same places for all
models. Its arrays are where `tarsus_place_NAME()` says, with rows as long as `tarsus_columns_NAME()`: functions that
whoever links the kernel with a model defines. They are no arrays of numba's: no references are counted.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_getattr, models, register_model

from .workspace import layout

I64 = ir.IntType(64)
INDEX = types.intp
PAIR = types.UniTuple(INDEX, 2)


class Workspaces(types.Type):
    """The address of the workspaces of runs, one behind the other."""

    def __init__(self) -> None:
        super().__init__("tarsus.runs")


class Workspace(types.Type):
    """The address of a run's workspace."""

    def __init__(self) -> None:
        super().__init__("tarsus.run")


class Numbers(types.Type):
    """An array of numbers, in rows or not."""

    def __init__(self, dtype: types.Type, ndim: int) -> None:
        self.dtype, self.ndim = dtype, ndim
        super().__init__(f"tarsus.numbers({dtype}, {ndim})")


register_model(Workspaces)(models.OpaqueModel)
register_model(Workspace)(models.OpaqueModel)


@register_model(Numbers)
class NumbersModel(models.StructModel):
    """Where they are, and of rows how many and how long."""

    def __init__(self, manager: Any, of: Numbers) -> None:
        sizes = [("rows", INDEX), ("columns", INDEX)] if of.ndim == 2 else []
        super().__init__(manager, of, [("data", types.CPointer(of.dtype)), *sizes])


def _fields() -> dict[str, tuple[types.Type, int]]:
    """Return the contents of a workspace by name: the type, and, of a number, its place."""
    fields = {}
    for name, (part, at) in layout(1, 1, 1, 1, 1, 1, 1).fields.items():
        number = types.float64 if part.base == np.float64 else types.int64
        fields[name] = (Numbers(number, part.ndim) if part.ndim else number, at)
    return fields


_FIELDS = _fields()


def external(builder: Any, name: str) -> Any:
    """Return a function without arguments that whoever links a model defines."""
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(I64, []), f"tarsus_{name}")


@infer_global(operator.getitem)
class OneRun(AbstractTemplate):
    """A run's workspace, by its number."""

    def generic(self, args, kws):
        """Return the signature."""
        if len(args) == 2 and isinstance(args[0], Workspaces) and isinstance(args[1], types.Integer):
            return signature(Workspace(), args[0], INDEX)


@lower_builtin(operator.getitem, Workspaces, types.Integer)
def _one_run(context, builder, sig, args):
    return builder.gep(args[0], [builder.mul(args[1], builder.call(external(builder, "size_RECORD"), []))])


@infer_getattr
class RunAttribute(AttributeTemplate):
    """What a workspace holds, by name."""

    key = Workspace

    def generic_resolve(self, of, name):
        """Return its type."""
        return _FIELDS[name][0] if name in _FIELDS else None


def _number_at(context: Any, builder: Any, run: Any, name: str) -> Any:
    of, at = _FIELDS[name]
    return builder.bitcast(builder.gep(run, [I64(at)]), context.get_data_type(of).as_pointer())


@lower_getattr_generic(Workspace)
def _get(context, builder, kind, run, name):
    of, _ = _FIELDS[name]
    if not isinstance(of, Numbers):
        return builder.load(_number_at(context, builder, run, name))
    made = cgutils.create_struct_proxy(of)(context, builder)
    made.data = builder.bitcast(
        builder.gep(run, [builder.call(external(builder, f"place_{name}"), [])]), made.data.type
    )
    if of.ndim == 2:
        made.rows, made.columns = I64(0), builder.call(external(builder, f"columns_{name}"), [])
    return made._getvalue()


@lower_setattr_generic(Workspace)
def _set(context, builder, sig, args, name):
    builder.store(args[1], _number_at(context, builder, args[0], name))


def _indexed(of: types.Type, index: types.Type) -> tuple | None:
    """Return the types of index and item, or None."""
    if not isinstance(of, Numbers):
        return None
    if isinstance(index, types.Integer):
        return INDEX, (of.dtype if of.ndim == 1 else Numbers(of.dtype, 1))
    both = isinstance(index, types.BaseTuple) and all(isinstance(part, types.Integer) for part in index)
    return (PAIR, of.dtype) if both and of.ndim == len(index) == 2 else None


@infer_global(operator.getitem)
class Item(AbstractTemplate):
    """A number, or a row of numbers."""

    def generic(self, args, kws):
        """Return the signature."""
        if found := _indexed(*args):
            return signature(found[1], args[0], found[0])


@infer_global(operator.setitem)
class SetItem(AbstractTemplate):
    """A number that is written."""

    def generic(self, args, kws):
        """Return the signature."""
        found = _indexed(*args[:2])
        if found and isinstance(found[1], types.Number):
            return signature(types.none, args[0], *found)


def _place(context: Any, builder: Any, of: Numbers, values: Any, index: Any) -> Any:
    held = cgutils.create_struct_proxy(of)(context, builder, value=values)
    if of.ndim == 1:
        at = index
    elif isinstance(index.type, ir.IntType):
        at = builder.mul(index, held.columns)
    else:
        row, column = cgutils.unpack_tuple(builder, index)
        at = builder.add(builder.mul(row, held.columns), column)
    return builder.gep(held.data, [at])


@lower_builtin(operator.getitem, Numbers, types.Integer)
@lower_builtin(operator.getitem, Numbers, types.BaseTuple)
def _item(context, builder, sig, args):
    at = _place(context, builder, sig.args[0], *args)
    if not isinstance(sig.return_type, Numbers):
        return builder.load(at)
    made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    made.data = at
    return made._getvalue()


@lower_builtin(operator.setitem, Numbers, types.Integer, types.Number)
@lower_builtin(operator.setitem, Numbers, types.BaseTuple, types.Number)
def _set_item(context, builder, sig, args):
    builder.store(args[2], _place(context, builder, sig.args[0], *args[:2]))


@infer_getattr
class NumbersAttribute(AttributeTemplate):
    """The number of rows, and how long they are."""

    key = Numbers

    def resolve_shape(self, of):
        """Return its type."""
        return PAIR if of.ndim == 2 else None


@lower_getattr(Numbers, "shape")
def _shape(context, builder, of, values):
    held = cgutils.create_struct_proxy(of)(context, builder, value=values)
    return cgutils.pack_array(builder, [held.rows, held.columns])


@intrinsic
def same(context, value):
    """Return a value as it is."""
    return value(value), lambda context, builder, sig, args: args[0]


@intrinsic
def table(context, data, rows, columns):
    """Return numbers in rows at an address."""
    of = Numbers(data.dtype, 2)

    def generate(context, builder, sig, args):
        made = cgutils.create_struct_proxy(of)(context, builder)
        made.data, made.rows, made.columns = args
        return made._getvalue()

    return of(data, rows, columns), generate
