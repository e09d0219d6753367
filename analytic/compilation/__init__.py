"""How functions are compiled (numba), and their machine code kept on disk: for the engine, the laws and the kernels.

`jit` is the decorator of a module's own functions, `compiled` compiles a plain function with everything it calls, and
`hybrid.loader` the engine's kernel with a model. All three keep machine code by `machine_code.keep_on_disk`, under a
`fingerprint` of everything the code was made of.
"""

from .functions import compiled, has_numba, jit

__all__ = ["compiled", "has_numba", "jit"]
