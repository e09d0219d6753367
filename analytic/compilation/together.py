"""Functions that go through LLVM together: each that Python calls, with all that it calls.

numba optimises each function with all that it calls, and generates machine code for it, although Python calls few of
them: what is called ten levels deep goes through LLVM ten times. Here an inner function is only translated; LLVM sees
it with the function that Python calls. A model's kernel then compiles in less than half the time.

This uses parts of numba that are its own business; `functions` imports it with the releases that it was tried with.
"""

from collections.abc import Callable
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult

COUNTS = "NRT_"  # functions that count references: a pass of numba's knows them by name, so that no copy may be renamed


def without_literals(jitted: Any) -> Any:
    """Return a jitted function that is compiled once, not again for each constant that it is called with."""
    template = jitted.get_call_template
    jitted.get_call_template = lambda args, kws: template(
        [*map(numba.types.unliteral, args)], {name: numba.types.unliteral(value) for name, value in kws.items()}
    )
    return jitted


def with_translation(jitted: Any, translated: Any) -> Any:
    """Return a jitted function that goes to its compiled callers as a translation of the same function by `inner`."""
    jitted.get_call_template, jitted.get_overload = translated.get_call_template, translated.get_overload
    jitted._compiling_counter = translated._compiling_counter  # by which numba knows that a function calls itself
    jitted.translated = translated
    return jitted


class Library(JITCodeLibrary):
    """A function with its declarations of what it calls."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Optimise what the module defines by one pass manager; numba makes one for each declaration, too."""
        ll_module.data_layout = self._codegen._data_layout
        manager, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                manager.run(function, builder)


class Part(Library):
    """An inner function, to be linked into the function that Python calls: neither optimised nor linked by itself."""

    def finalize(self) -> None:
        """End the translation."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the function with all that it calls, for libraries of numba's own: they link what they call."""
        if self._shared_module is None:
            parts, others = below([self])
            module = self._final_module.clone()
            for part in parts:
                if part is not self:
                    module.link_in(part._final_module, preserve=True)
            for function in module.functions:
                if not function.is_declaration and function.linkage == Linkage.external:
                    function.linkage = "linkonce_odr"
            for library in others:
                module.link_in(library._get_module_for_linking(), preserve=True)
            self._shared_module = module
        return self._shared_module


def below(libraries: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the parts among libraries and all that they call, and numba's own libraries."""
    found, waiting = {}, [*libraries]
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            waiting += library._linking_libraries if isinstance(library, Part) else ()
    return [part for part in found if isinstance(part, Part)], [own for own in found if not isinstance(own, Part)]


class Whole(Library):
    """A function that Python calls, with all that it calls."""

    def finalize(self) -> None:
        """Link all parts, each once, then optimise and generate machine code."""
        self._own = {function.name for function in self._final_module.functions if not function.is_declaration}
        # Numba's own come last, by `super`: what nobody refers to yet would not be linked.
        parts, self._linking_libraries = below(self._linking_libraries)
        for part in parts:
            self._final_module.link_in(part._final_module, preserve=True)
        super().finalize()

    def _optimize_final_module(self) -> None:
        # What is called vanishes where it is inlined. What remains must not be found by other machine code: numba
        # numbers names by process, and code that another process made may have another function of that name.
        for function in self._final_module.functions:
            if not (function.is_declaration or function.name in self._own or function.name.startswith(COUNTS)):
                function.linkage = "internal"
        super()._optimize_final_module()


class Unprinted(tuple):
    """Types of arguments. Numba prints them before each of thirty passes, and an engine's workspace fills pages."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "(...)"


class Outer(Compiler):
    """Compiles a function that Python calls; a `pipeline_class` of `numba.njit`."""

    library: type = Whole

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.state.args = Unprinted(self.state.args)
        self.state.library = self.library(self.state.targetctx.codegen(), "")
        self.state.library.enable_object_caching()


class Inner(Outer):
    """Translates a function that only compiled functions call."""

    library = Part

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.state.flags.no_compile = True

    def compile_extra(self, func: Callable) -> CompileResult:
        """Return the translated function; for its callers it stands as an object that Python cannot call."""
        made = super().compile_extra(func)
        name = made.fndesc.qualname.rpartition(".")[2]
        stand_in = _dynfunc.make_function(made.fndesc.lookup_module(), name, "", 0, made.environment, (made.library,))
        self.state.targetctx.insert_user_function(stand_in, made.fndesc, [made.library])
        return made._replace(entry_point=stand_in)
