"""Compilation of functions (numba) and caching of their machine code on disk, for engine, laws and kernels.

`jit` is the decorator of a module's own functions, `compiled` compiles a plain function with everything it calls, and
`hybrid.linked` links a model with the engine's kernel. All keep code under a `fingerprint` of everything it was made
of, in the files of `store`: whole, private to the user, never a cause of failure.

What a translation, a link, a carrier and a rule are, what is used of numba's own business and where, and what is to be
done when a new numba comes stands in the documentation, on the page of the architecture.
"""

from .functions import compiled, has_numba, jit

__all__ = ["compiled", "has_numba", "jit"]
