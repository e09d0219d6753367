"""What numba's objects were made from: the functions and options that distinguish them.

Nothing here imports numba: its objects only exist where it is already imported.
"""

import sys
from typing import Any

from .references import is_library, library_name


def is_jitted(value: Any) -> bool:
    """Return whether a value is what `jit` returns."""
    numba = sys.modules.get("numba")
    return numba is not None and isinstance(value, numba.core.dispatcher.Dispatcher)


def made_from(value: Any) -> dict[str, Any] | None:
    """Return the functions and options that one of numba's objects was made from, by name; None for anything else.

    Args:
        value: What `jit`, `vectorize`, `guvectorize`, `intrinsic` or `jitclass` return; a plain function for which
            overloads are registered, or one of these.
    """
    if sys.modules.get("numba") is None:
        return None
    from numba.core import dispatcher, extending, types
    from numba.np.ufunc import dufunc, gufunc

    if isinstance(value, dispatcher.Dispatcher):
        return {"function": value.py_func, "options": value.targetoptions, "locals": value.locals}
    if isinstance(value, (dufunc.DUFunc, gufunc.GUFunc)):
        inner = value._dispatcher
        parts = {"function": inner.py_func, "options": inner.targetoptions, "types": value._frozen and value.types}
        return parts | {"signature": getattr(value, "signature", None), "identity": value.identity}
    if isinstance(value, extending._Intrinsic):
        return {"function": value._defn, "options": value._ctor_kwargs}
    class_type = getattr(value, "class_type", None)  # of a jitclass, and of the type of its instances
    if isinstance(class_type, types.ClassType):
        methods = (class_type.jit_methods, class_type.jit_static_methods, class_type.jit_props)
        return {"name": class_type.class_name, "fields": dict(class_type.struct), "methods": methods}
    if isinstance(value, type) and hasattr(value, "_overload_func"):
        options = dict(getattr(value, "_jit_options", {}))
        return {"function": value._overload_func, "options": options, "attribute": getattr(value, "_attr", "")}
    overloads = _overloads()[0].get(id(value))
    return overloads and {"overloads": overloads}


def is_compiled(value: Any) -> bool:
    """Return whether one of numba's objects already holds machine code, made with the globals of that moment."""
    inner = getattr(value, "_dispatcher", value)
    translated = getattr(inner, "translated", None)  # by which compiled callers know it
    return any(getattr(made, name, None) for made in (inner, translated) for name in ("overloads", "_impl_cache"))


def has_cache_of_numba(value: Any) -> bool:
    """Return whether numba keeps the object's machine code on disk by itself, under the contents of a single file."""
    from numba.core.caching import FunctionCache

    inner = getattr(value, "_dispatcher", value)
    return isinstance(getattr(inner, "_cache", getattr(inner, "cache", None)), FunctionCache)


def overloads_for(names: set[str]) -> list[Any]:
    """Return the user's overloads that code with these names may call of attributes, methods and libraries' functions.

    Those of operators and of Python's own functions are always among them: an operator's name stands in no code.
    """
    return [template for name, template in _overloads()[1] if name is None or name in names]


_KNOWN: tuple[int, dict[int, list[Any]], list[tuple]] = (0, {}, [])  # how many templates numba held then; see below


def _overloads() -> tuple[dict[int, list[Any]], list[tuple[str | None, Any]]]:
    """Return the registered overloads by the `id` of what they overload, and those of users for libraries by name.

    The name is None where any code may call one.
    """
    global _KNOWN
    if sys.modules.get("numba") is None:
        return {}, []
    from numba.core.typing.templates import builtin_registry as registry

    number = len(registry.functions) + len(registry.attributes)
    if _KNOWN[0] != number:
        table: dict[int, list[Any]] = {}
        users = []
        for template in (*registry.functions, *registry.attributes):
            if hasattr(template, "_overload_func"):
                table.setdefault(id(template.key), []).append(template)
                users += _by_name(template)
        _KNOWN = number, table, users
    return _KNOWN[1:]


def _by_name(template: Any) -> list[tuple[str | None, Any]]:
    if is_library(template._overload_func.__globals__.get("__name__", "")):
        return []
    if getattr(template.key, "__module__", "") in ("_operator", "operator", "builtins"):
        return [(None, template)]
    if attribute := getattr(template, "_attr", None):
        return [(attribute, template)]
    return [(template.key.__name__, template)] if library_name(template.key) else []
