"""What the method supplies besides its sums: error estimate and coefficients of the dense output, here dop853's.

The loader replaces this module by the file of the requested method (`Method.file`).
"""

from .dense_dop853 import error_norm, prepare_dense

__all__ = ["error_norm", "prepare_dense"]
