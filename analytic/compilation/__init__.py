"""Compilation of functions (numba) and caching of their machine code on disk, for engine, laws and kernels.

`jit` is the decorator of a module's own functions, `compiled` compiles a plain function with everything it calls, and
`hybrid.linked` links a model with the engine's kernel. All keep code under a `fingerprint` of everything it was made
of, in the files of `store`: whole, private to the user, never a cause of failure.

The page of the architecture in the documentation defines translation, link, extended number and rule, lists which
private parts of numba are used and where, and says what to do when a new numba comes.
"""

from .functions import compiled, entry, has_numba, jit

__all__ = ["compiled", "entry", "has_numba", "jit"]
