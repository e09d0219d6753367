"""What the method supplies besides its sums: error estimate and dense output, here of dop853.

The loader puts the file of the method it was asked for (`Method.file`) in the place of this module.
"""

from .dense_dop853 import dense, error_norm, prepare_dense

__all__ = ["dense", "error_norm", "prepare_dense"]
