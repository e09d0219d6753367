"""Methods as functions that take any record of the instance's fields: so a class becomes code that an engine compiles.

What a method reads of its instance beyond the fields is put into its code by name: other methods, static ones,
properties, and values of the class. The new code refers to them as globals, which fingerprints and rebuilding follow.
"""

import ast
import functools
import inspect
import textwrap
import types
from collections.abc import Callable, Collection
from typing import Any

from .references import attribute_names


@functools.cache
def as_function(kind: type, name: str, known: tuple[str, ...]) -> Callable:
    """Return a method of a class as a function of a record and the method's arguments.

    The record has the attributes `known`; all others of the instance are the class's.
    """
    return _function(kind, name, known, {})


def _function(kind: type, name: str, known: Collection[str], done: dict[str, Callable]) -> Callable:
    """Return such a function, which puts itself and those that it calls into `done`."""
    method = _plain(held := inspect.getattr_static(kind, name))
    owner = method.__qualname__.rpartition(".")[0].rpartition(".")[2].lstrip("_")
    wanted = {one for one in attribute_names(method.__code__) if one not in known and hasattr(kind, one)}
    if not wanted:
        return method
    space = dict(method.__globals__) | inspect.getclosurevars(method).nonlocals
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
    except (OSError, SyntaxError) as error:
        raise ValueError(
            f"{kind.__name__}.{name} uses {', '.join(sorted(wanted))} of its class, which the exact engine compiles "
            f"from the source, and there is none; write the class in a file, or {name} without it"
        ) from error
    definition = _bare(tree.body[0])
    instance = "" if isinstance(held, staticmethod) else definition.args.args[0].arg
    reads = _Reads(kind, instance, owner, wanted)
    definition.body = [reads.visit(line) for line in definition.body]
    if not reads.functions | reads.values:  # another object's attribute has the name
        return method
    definition.name = _called(kind, name)  # which no global has
    ast.increment_lineno(tree, method.__code__.co_firstlineno - 1)
    exec(compile(ast.fix_missing_locations(tree), method.__code__.co_filename, "exec"), space)
    done[name] = made = space[definition.name]
    for attribute in ("__defaults__", "__kwdefaults__", "__module__"):
        setattr(made, attribute, getattr(method, attribute))
    for one in reads.functions:
        space[_called(kind, one)] = done.get(one) or _function(kind, one, known, done)
    space |= {_called(kind, one): getattr(kind, one) for one in reads.values}
    return made


def _plain(found: Any) -> types.FunctionType:
    """Return the function behind a method, a static method or a property."""
    if isinstance(found, functools.cached_property):
        return found.func
    return found.fget if isinstance(found, property) else getattr(found, "__func__", found)


def _called(kind: type, name: str) -> str:
    return f"_{kind.__name__}_{name}"


def _bare(definition: ast.FunctionDef) -> ast.FunctionDef:
    """Return a definition without decorators, annotations and values of defaults, which the method has already."""
    definition.decorator_list, definition.returns = [], None
    arguments = definition.args
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        argument.annotation = None
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [one and ast.Constant(None) for one in arguments.kw_defaults]
    return definition


class _Reads(ast.NodeTransformer):
    """Puts functions and values in the place of what a method reads of its class."""

    def __init__(self, kind: type, instance: str, owner: str, wanted: Collection[str]):
        self.kind, self.instance, self.owner, self.wanted = kind, instance, owner, wanted
        self.functions, self.values = set(), set()

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802  named by ast
        """Make `self.method(x)` a call of `method(self, x)`, of a static method `method(x)`."""
        static = self.found(node.func)
        if not isinstance(static, types.FunctionType | staticmethod):
            return self.generic_visit(node)
        whole = [] if isinstance(static, staticmethod) else [ast.Name(self.instance, ast.Load())]
        self.functions.add(name := self.name_of(node.func))
        arguments, keywords = [self.visit(one) for one in node.args], [self.visit(one) for one in node.keywords]
        return ast.Call(ast.Name(_called(self.kind, name), ast.Load()), [*whole, *arguments], keywords)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:  # noqa: N802
        """Make `self.property` a call, and `self.VALUE` a name."""
        static = self.found(node)
        if static is None:
            return self.generic_visit(node)
        name = ast.Name(_called(self.kind, self.name_of(node)), ast.Load())
        if isinstance(static, property | functools.cached_property):
            self.functions.add(self.name_of(node))
            return ast.Call(name, [ast.Name(self.instance, ast.Load())], [])
        self.values.add(self.name_of(node))
        return name

    def name_of(self, node: ast.Attribute) -> str:
        """Return an attribute's name, a private one as Python stores it."""
        private = node.attr.startswith("__") and not node.attr.endswith("__")
        return f"_{self.owner}{node.attr}" if private else node.attr

    def found(self, node: ast.AST) -> Any:
        """Return the class's value of an attribute of the instance, None if it is no such attribute."""
        of_instance = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if not (of_instance and node.value.id == self.instance and self.name_of(node) in self.wanted):
            return None
        return inspect.getattr_static(self.kind, self.name_of(node))
