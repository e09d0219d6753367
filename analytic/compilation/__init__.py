"""Compilation of functions (numba) and caching of their machine code on disk, for engine, laws and kernels.

`jit` is the decorator of a module's own functions, `compiled` compiles a plain function with everything it calls, and
`hybrid.linked` links a model with the engine's kernel. All keep code under a `fingerprint` of everything it was made
of, in the files of `store`: whole, private to the user, never a cause of failure.

What the words mean:

- A *translation* is what numba's front end makes of a function for LLVM. It takes most of the time, so it is done once
  (`together.Part`), and LLVM sees a function that Python calls with all translations below it (`together.Whole`).
- *Linking* joins translations that were kept as bitcode with others, and machine code of that is loaded into an engine
  of our own (`linking`).
- A *carrier* is a number that carries more than its value: an interval, a jet, a trace (`carriers`). Its *rules* say
  what the functions of `math` and NumPy make of it (`interval_rules`, `jet_rules`); a function written for numbers is
  compiled for carriers as it is.

What is private to numba is used in `together`, `linking`, `machine_code`, `numba_objects` and `carriers` alone. A new
release of numba stands in `functions.TRIED` when the tests of this folder, and `test_compile` and `test_linked` of
`hybrid`, pass with it there; until then everything is compiled by what numba documents, which takes longer.
"""

from .functions import compiled, has_numba, jit

__all__ = ["compiled", "has_numba", "jit"]
