"""Python that numba compiles, translated to Warp's: kernels and the functions they call have one source.

Taken are assignments, also of several values at once, `if`, `for k in range(n)` and `return`; arithmetic, comparisons,
`and`, `or`, `not`, `a if b else c`; numbers of the function's module; entries and rows of arrays, `len(a)`,
`a.shape[k]`; the functions in `KNOWN`, and functions of this Python that write into no array. Numbers are double, whole
ones have 32 bits. All else is refused, with its line. A whole number times another Warp refuses: write `float(k)`.

The arguments of a kernel are arrays, or numbers: double, or annotated `int` or `bool`. Its last statement is a loop,
`for i in range(len(array))`, whose i are threads: it writes into `array[i, ...]` alone, reads no other row of what it
writes, and carries nothing from one i to the next.
"""

import ast
import builtins
import inspect
import math
from types import FunctionType
from typing import Any, NoReturn

import numpy as np
import warp as wp

NAMES = ("floor", "ceil", "rint", "sqrt", "exp", "log", "sin", "cos", "tan", "copysign")
KNOWN: dict[Any, str] = {getattr(np, name): f"wp.{name}" for name in NAMES}
KNOWN |= {np.arctan2: "wp.atan2", math.sin: "wp.sin", math.cos: "wp.cos", abs: "wp.abs", min: "smaller", max: "larger"}
KNOWN |= {float: "wp.float64", int: "int"}
OPERATIONS: dict[type, str] = {ast.Add: "({} + {})", ast.Sub: "({} - {})", ast.Mult: "({} * {})", ast.Pow: "({} ** {})"}
OPERATIONS |= {ast.Div: "(wp.float64({}) / wp.float64({}))", ast.USub: "negative({})", ast.Not: "(not {})"}
OPERATIONS |= {ast.FloorDiv: "(({0} - remainder({0}, {1})) / {1})", ast.Mod: "remainder({}, {})"}
COMPARISONS: dict[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


@wp.func
def smaller(a: Any, b: Any):
    """Return Python's min(a, b): a, if one of them is no number."""
    return wp.where(b < a, b, a)


@wp.func
def larger(a: Any, b: Any):
    """Return Python's max(a, b): a, if one of them is no number."""
    return wp.where(b > a, b, a)


@wp.func
def negative(a: Any):
    """Return -a: of 0.0 it is -0.0, which Warp's is not."""
    return type(a)(-1) * a


@wp.func
def remainder(a: int, b: int):
    """Return a % b, of whole numbers only: Python's has the sign of b, Warp's that of a."""
    rest = a % b
    return wp.where(rest != 0 and (rest < 0) != (b < 0), rest + b, rest)


SPACE: dict[str, Any] = {"wp": wp, "Any": Any, "inf": math.inf, "nan": math.nan, "smaller": smaller, "larger": larger}
SPACE |= {"negative": negative, "remainder": remainder}


class Translation:
    """A function in Warp's Python.

    Args:
        function: The original.
        made: Sources of translated functions; receives those of the functions that this one calls.
        kinds: Of each argument of a kernel: the type in Warp of an array, "" of a number.

    Raises:
        ValueError: If something is not taken.
    """

    def __init__(self, function: FunctionType, made: dict[FunctionType, str], kinds: tuple[str, ...] = ()):
        lines, first = inspect.getsourcelines(function)
        self.tree: Any = ast.increment_lineno(ast.parse("".join(lines)), first - 1).body[0]
        self.function, self.made, self.arguments = function, made, self.tree.args.args
        self.body = self.tree.body[1:] if ast.get_docstring(self.tree) else self.tree.body
        self.kinds = {one.arg: kind for one, kind in zip(self.arguments, kinds, strict=bool(kinds))}
        self.local, self.known = set(function.__code__.co_varnames), {one.arg for one in self.arguments}
        self.thread, self.fixed = "", set[str]()  # the name of a kernel's i, and names that its loop must not change
        self.written, self.elsewhere = set[str](), dict[str, ast.AST]()  # arrays, and where they are read but in row i
        self.n_values = 0
        for name in sorted(self.local):
            if name in (*SPACE, "int", "len", "range") or name.endswith("_") and name != "_":
                self.refuse(self.tree, f"the name `{name}`, which the translation uses")

    def refuse(self, node: Any, what: str = "") -> NoReturn:
        """Refuse a node for what it has, or for what it is."""
        place, what = f"{self.function.__code__.co_filename}:{node.lineno}", what or f"`{ast.unparse(node)}`"
        raise ValueError(f"{place}: {self.function.__name__} cannot be translated to Warp: {what}; see {__name__}")

    def source(self, name: str) -> str:
        """Return the source of a function that a kernel calls, under a name."""
        lines, arguments = self.statements(self.body), ", ".join(f"{one.arg}: Any" for one in self.arguments)
        if "return" not in self.known:
            self.refuse(self.tree, "an end without a return")
        return "\n".join(["@wp.func", f"def {name}({arguments}):", *lines])

    def kernel(self) -> tuple[str, int]:
        """Return the source of a kernel, and the place of the argument that has a row for each thread."""
        *before, loop = self.body
        match loop:
            case ast.For(
                ast.Name(i), ast.Call(ast.Name("range"), [ast.Call(ast.Name("len"), [ast.Name(rows)])]), body, []
            ):
                lines = self.statements(before)
            case _:
                self.refuse(loop, "its end, which is no loop `for i in range(len(array))`")
        self.thread, self.fixed = i, self.known | {i}
        self.known = self.fixed
        lines += [f"    {i} = wp.tid()", *self.statements(body)]
        for name in self.written.intersection(self.elsewhere):
            self.refuse(self.elsewhere[name], f"`{name}`, into which it writes, read elsewhere than in row {i}")
        numbers = (ast.unparse(one.annotation) if one.annotation else "wp.float64" for one in self.arguments)
        typed = zip(self.kinds.items(), numbers, strict=True)
        arguments = ", ".join(f"{name}: {kind or number}" for (name, kind), number in typed)
        head = "@wp.kernel(enable_backward=False)", f"def {self.function.__name__}({arguments}):"
        return "\n".join([*head, *lines]), list(self.kinds).index(rows)

    def statements(self, nodes: list[ast.stmt]) -> list[str]:
        """Return the lines of statements, indented."""
        return [f"    {line}" for node in nodes for line in self.statement(node)]

    def statement(self, node: ast.stmt) -> list[str]:
        """Return the lines of a statement.

        After it `known` has the names that have a value on every way there; after a return all, and "return".
        """
        match node:
            case ast.Assign([ast.Tuple(targets)], value):
                return self.several(targets, value)
            case ast.Assign([target], value):
                line = self.value(value)
                return [f"{self.target(target)} = {line}"]
            case ast.AugAssign(target, op, value):  # Warp's own is atomic
                total = self.value(ast.copy_location(ast.BinOp(target, op, value), node))
                return [f"{self.target(target)} = {total}"]
            case ast.If(test, body, orelse):
                test, before = self.value(test), self.known
                lines = [f"if {test}:", *self.statements(body)]
                known, self.known = self.known, before
                lines += ["else:", *self.statements(orelse)] if orelse else []
                self.known = self.known & known
                return lines
            case ast.For(ast.Name() as k, ast.Call(ast.Name("range"), [n], []), body, []):
                n, before, fixed = self.value(n), self.known, self.fixed
                self.fixed = fixed | {self.target(k)}
                lines = [f"for {k.id} in range({n}):", *self.statements(body)]
                self.known, self.fixed = before, fixed  # the loop may be empty
                return lines
            case ast.Return(value) if value and not self.thread:
                values = value.elts if isinstance(value, ast.Tuple) else [value]
                line = f"return {', '.join(map(self.value, values))}"
                self.known = self.local | {"return"}
                return [line]
        self.refuse(node)

    def several(self, targets: list[ast.expr], value: ast.expr) -> list[str]:
        """Return the lines of an assignment of several values: all are computed before the first is assigned."""
        names = [f"value_{self.n_values + k}_" for k in range(len(targets))]
        self.n_values += len(names)
        if isinstance(value, ast.Call):
            lines = [f"{', '.join(names)} = {self.value(value)}"]
        else:
            entries = [ast.copy_location(ast.Subscript(value, ast.Constant(k)), value) for k in range(len(names))]
            values = map(self.value, value.elts if isinstance(value, ast.Tuple) else entries)
            lines = [f"{name} = {one}" for name, one in zip(names, values, strict=True)]
        pairs = zip(targets, names, strict=True)
        return lines + [f"{self.target(one)} = {name}" for one, name in pairs if ast.unparse(one) != "_"]

    def target(self, node: ast.expr) -> str:
        """Return the target of an assignment."""
        match node:
            case ast.Name(name) if name not in self.fixed:
                self.known = self.known | {name}
                return name
            case ast.Subscript(ast.Name(name)) if self.kinds.get(name):
                entry = self.entry(node)
                if entry.startswith((f"{name}[{self.thread},", f"{name}[{self.thread}]")):
                    self.written.add(name)
                    return entry
        self.refuse(node, f"a change of `{ast.unparse(node)}`, which is neither its own nor in row i of an argument")

    def value(self, node: ast.expr) -> str:
        """Return an expression."""
        match node:
            case ast.Constant(value):
                return self.number(node, value)
            case ast.UnaryOp(ast.USub(), ast.Constant(value)):
                return self.number(node, -value)
            case ast.Name() | ast.Attribute():
                return self.named(node)
            case ast.Subscript(ast.Name(name)) if "wp.int" in self.kinds.get(name, ""):
                return f"int({self.entry(node)})"
            case ast.Subscript():
                return self.entry(node)
            case ast.UnaryOp(op, a) if type(op) in OPERATIONS:
                return OPERATIONS[type(op)].format(self.value(a))
            case ast.BinOp(a, op, b) if type(op) in OPERATIONS:
                return OPERATIONS[type(op)].format(self.value(a), self.value(b))
            case ast.BoolOp(op, values):
                return f"({(' and ' if isinstance(op, ast.And) else ' or ').join(map(self.value, values))})"
            case ast.Compare(a, ops, others) if all(type(op) in COMPARISONS for op in ops):
                rest = (f" {COMPARISONS[type(op)]} {self.value(b)}" for op, b in zip(ops, others, strict=True))
                return f"({self.value(a)}{''.join(rest)})"
            case ast.IfExp(test, a, b):
                return f"({self.value(a)} if {self.value(test)} else {self.value(b)})"
            case ast.Call(ast.Name("len"), [ast.Name(name)], []) if name in self.known:
                return f"len({name})"
            case ast.Call(function, arguments, []):
                return f"{self.called(function)}({', '.join(map(self.value, arguments))})"
        self.refuse(node)

    def number(self, node: ast.expr, value: Any) -> str:
        """Return a number: double, or a whole one or a truth as it is."""
        if type(value) is float:
            return f"wp.float64({value!r})"
        if type(value) not in (int, bool) or abs(value) >= 2**31:
            self.refuse(node, f"`{ast.unparse(node)}`, which is no number of 32 bits")
        return repr(value)

    def meant(self, node: ast.expr) -> Any:
        """Return the object of a name, also one with dots, outside of the function; None for a local one."""
        if isinstance(node, ast.Attribute):
            return getattr(self.meant(node.value), node.attr, None)
        if not isinstance(node, ast.Name) or node.id in self.local:
            return None
        return self.function.__globals__.get(node.id, getattr(builtins, node.id, None))

    def named(self, node: ast.Name | ast.Attribute) -> str:
        """Return a name of the function's own, or the number that another means."""
        name = ast.unparse(node)
        if name not in self.local:
            return self.number(node, self.meant(node))
        if name not in self.known:
            self.refuse(node, f"`{name}`, which may have no value")
        if self.kinds.get(name):
            self.elsewhere[name] = node
        return name

    def entry(self, node: ast.Subscript) -> str:
        """Return an entry or a row of an array, or of its shape."""
        name = ast.unparse(node.value)
        places = [self.value(one) for one in (node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])]
        if name.removesuffix(".shape") not in self.known:
            self.refuse(node)
        if places[0] != self.thread:
            self.elsewhere[name] = node
        return f"{name}[{', '.join(places)}]"

    def called(self, node: ast.expr) -> str:
        """Return the name of a known function, or of another's translation, which is made."""
        function = self.meant(node)
        if not isinstance(function, FunctionType):
            return KNOWN[function] if function in KNOWN else self.refuse(node, f"a call of `{ast.unparse(node)}`")
        name = f"{function.__module__.rpartition('.')[2]}_{function.__name__}_"
        if function not in self.made:
            self.made[function] = ""
            self.made[function] = Translation(function, self.made).source(name)
        return name if self.made[function] else self.refuse(node, f"`{ast.unparse(node)}` in itself")
