"""Functions that numba translates and LLVM links, in an engine of our own, apart from numba's.

`translated` ends where numba hands a function with all that it calls to LLVM: one module, which can be kept as bitcode
and linked with others. `machine_code_of` optimises a module as numba does, and `address_of` loads the result.

Objects in one engine find each other's symbols by name, those of local functions too, and numba numbers names by
process: two files made by two processes may hold different functions of one name. So the engine is our own, and all
names in machine code are local (`seal`) but one that its maker chose, by a fingerprint.

Private to numba are, besides what `together` uses: the target machine and its options (`_tm`, `_customize_tm_options`),
the passes of a library (`_optimize_final_module`), and beginnings of names (the constants below).
"""

import functools
from typing import Any

from llvmlite import binding as llvm
from numba import config, njit
from numba.core import sigutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target

from .functions import INNER
from .machine_code import define, expected
from .together import COUNTS, Outer, Whole, below

LOCAL = (llvm.Linkage.private, llvm.Linkage.internal)
OURS = "tarsus_"  # begins names that are chosen here; those of numba begin otherwise
UNRESOLVED = ".numba.unresolved$"  # what a function that calls itself reads its own address from
ENVIRONMENT = "_ZN08NumbaEnv"  # Python objects that compiled code uses
DYNAMIC = "numba.dynamic.globals"  # addresses in this process


class NotLinked(Exception):
    """A function needs what only numba's own engine has; the sentence says what."""


class Raw(Whole):
    """A module with all that it calls, which is not optimised."""

    def finalize(self) -> None:
        """End the translation."""
        self._finalized = True


class Translate(Outer):
    """Numba's front end alone; a `pipeline_class` of `numba.njit`."""

    library = Raw

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.state.flags.no_compile = True


def translated(functions: dict[str, tuple[Any, Any]]) -> llvm.ModuleRef:
    """Return the LLVM module of plain functions, given with their signatures by `OURS` names, and all that they call.

    They have numba's calling convention: a status is returned; the value and an exception are written. All other names
    are local, but of functions that count references.
    """
    made = {name: _front_end(*of) for name, of in functions.items()}
    module = llvm.parse_assembly(str(_codegen()._create_empty_module("tarsus")))
    for of in made.values():
        module.link_in(of.library._final_module)
    parts, others = below([library for of in made.values() for library in of.library._linking_libraries])
    for part in parts:
        module.link_in(part._final_module, preserve=True)
    for library in others:  # last: what nobody refers to yet would not be linked
        module.link_in(library._get_module_for_linking(), preserve=True)
    for name, of in made.items():
        module.get_function(of.fndesc.mangled_name).name = name
    return seal(module, OURS)


def _front_end(function: Any, signature: Any) -> CompileResult:
    jitted = njit(pipeline_class=Translate, **INNER)(function)
    return jitted._compiler.compile(*sigutils.normalize_signature(signature))


def seal(module: llvm.ModuleRef, ours: str, counts: bool = True) -> llvm.ModuleRef:
    """Return a module in which all names are local but those that begin so and, on request, of functions that count."""
    for part in (*module.functions, *module.global_variables):
        if part.is_declaration or part.name.startswith(ours) or part.linkage in LOCAL:
            continue
        if part.name.startswith((ENVIRONMENT, DYNAMIC)):
            part.linkage = "linkonce_any"  # vanishes only if nothing reads it, and is not taken for what it is now
        else:
            part.linkage = "linkonce_odr" if counts and part.name.startswith(COUNTS) else "internal"
    return module


def machine_code_of(module: llvm.ModuleRef) -> tuple[bytes, list[str], bool]:
    """Return a module's machine code, the names that it expects, and whether another process may use it."""
    library = JITCodeLibrary(_codegen(), "tarsus_linked")
    library._final_module = module
    library._optimize_final_module()
    module.verify()
    variables = [part.name for part in module.global_variables]
    for prefix, what in ((UNRESOLVED, "calls itself"), (ENVIRONMENT, "uses Python's objects")):
        if any(name.startswith(prefix) for name in variables):
            raise NotLinked(f"a function {what}")
    names = expected(module)
    if unknown := define(cpu_target.target_context, names):
        raise NotLinked(f"nothing defines {', '.join(unknown)}")
    code = _codegen()._tm.emit_object(module)
    return code, names, is_lasting(module)


def is_lasting(module: llvm.ModuleRef) -> bool:
    """Return whether another process may use a module: it holds no address in this one."""
    return not any(part.name.startswith(DYNAMIC) for part in module.global_variables)


def address_of(code: bytes, names: list[str], name: str) -> int:
    """Load machine code and return the address of a function of it, which no other code that is loaded may have."""
    if unknown := define(cpu_target.target_context, names):
        raise ImportError(f"nothing defines {', '.join(unknown)}")
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine.get_function_address(name)


def numbers(values: dict[str, int]) -> str:
    """Return whole numbers as functions by `OURS` names without arguments, which are inlined: a module as text."""
    head = f'target triple = "{llvm.get_process_triple()}"'
    parts = [f"define i64 @{OURS}{name}() alwaysinline {{ ret i64 {int(value)} }}" for name, value in values.items()]
    return "\n".join([head, *parts])


def kind_of_processor() -> tuple:
    """Return the processor that code is for: a part of its key beside source and circumstances."""
    return _codegen().magic_tuple()


def _codegen() -> Any:
    return cpu_target.target_context.codegen()


@functools.cache
def _engine() -> llvm.ExecutionEngine:
    options: dict[str, Any] = {"opt": config.OPT}
    _codegen()._customize_tm_options(options)
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(**options)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
