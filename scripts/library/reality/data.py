"""The measured data: the cube's come with the package, the others are made by `convert.py` and named by their folder.

A file is read only if it holds what the numbers of the documentation are of. `digest` is of arrays, not of a file:
another zlib packs the same numbers into other bytes.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tarsus.analytic.spelling import listed

SHIPPED = Path(__file__).parent / "measured"
DIGESTS = {
    "cube_tosses": "628ac3cf0bd0925a017d359623db09fb3d3657695a1baa871b5b780c55c91e73",
    "ellipse_impacts": "19d93dbdac75c41e4283d3f4c4be45d339f5f01543c81c6dbb838a0d19435109",
    "square_drops": "a46d20324597140e6356f274b84632415fbc015ac0c9baaffa3818ef0c41e338",
}
FITTED = ("contact_start",)  # made by least squares, whose last digits are the processor's
CONVERT = "python -m tarsus.scripts.laboratory.reality.convert"


def digest(arrays: Mapping[str, np.ndarray]) -> str:
    """Return the SHA-256 of arrays: names, types, shapes and numbers of all but the fitted ones."""
    found = hashlib.sha256()
    for name in sorted(set(arrays) - {*FITTED}):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def read(name: str, folder: Path | None = None) -> dict[str, np.ndarray]:
    """Return the arrays of a data set, one of `DIGESTS`; the package holds the cube's alone.

    ValueError if there is no such data set, or no file of it in the folder, or the file is another one.
    """
    if name not in DIGESTS:
        raise ValueError(f"there are no data {name!r}; there are {listed(name, DIGESTS)}")
    path = (folder or SHIPPED) / f"{name}.npz"
    if not path.is_file():
        made = f"in a checkout `{CONVERT} FOLDER` makes it from its repository, and --data names the folder"
        raise ValueError(f"there is no {path}; only the cube's data come with the package: {made}")
    try:
        with np.load(path) as stored:
            arrays = dict(stored)
    except (ValueError, OSError, zipfile.BadZipFile) as error:  # no archive, or one with pickled objects
        raise ValueError(f"{path} cannot be read as arrays: {error}") from None
    if digest(arrays) != DIGESTS[name]:
        raise ValueError(f"{path} does not hold the numbers that were measured (their SHA-256 differs); make it anew")
    return arrays
