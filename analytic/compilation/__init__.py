"""Compilation of functions (numba) and caching of their machine code on disk, for engine, laws and kernels.

`jit` is the decorator of a module's own functions, `compiled` compiles a plain function with everything it calls, and
`hybrid.loader` the engine's kernel with a model. All three keep machine code by `machine_code.keep_on_disk`, under a
`fingerprint` of everything the code was made of.
"""

from .functions import compiled, has_numba, jit

__all__ = ["compiled", "has_numba", "jit"]
