"""What the method supplies besides its sums: error estimate and dense output, here those of dop853.

The loader replaces this module by the file of the requested method (`Method.file`).
"""

from .dense_dop853 import dense, error_norm, prepare_dense

__all__ = ["dense", "error_norm", "prepare_dense"]
