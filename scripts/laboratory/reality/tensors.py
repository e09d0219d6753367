"""Tensors of torch's files, without torch and without unpickling anything else: numbers only.

A pickle can run any code when it is read. This reader knows the four names that the header of one tensor needs and
refuses all others.
"""

from __future__ import annotations

import collections
import io
import pickle
import zipfile
from typing import Any

import numpy as np

TYPES = {"DoubleStorage": "<f8", "FloatStorage": "<f4", "LongStorage": "<i8"}
MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001  # of torch's files before release 1.6


class TensorHeader(pickle.Unpickler):
    """Unpickles the header of a tensor; the numbers lie elsewhere. `tensors` are those it describes."""

    def __init__(self, data: io.BufferedIOBase) -> None:
        super().__init__(data)
        self.tensors: list[tuple] = []

    def find_class(self, module: str, name: str) -> Any:
        """Return the class of a name that a header may hold.

        Raises:
            pickle.UnpicklingError: If it is anything else.
        """
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return self._describe
        if module == "torch" and name in TYPES:
            return TYPES[name]
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        raise pickle.UnpicklingError(f"a tensor's header names {module}.{name}, which is not allowed")

    def persistent_load(self, pid: Any) -> tuple[str, str, int]:
        """Return key, type and length of a storage."""
        kind, dtype, key, _, count = pid[:5]
        if kind != "storage" or dtype not in TYPES.values():
            raise pickle.UnpicklingError(f"a tensor's header refers to {pid!r}, which is no storage")
        return str(key), dtype, int(count)

    def _describe(self, storage: tuple, offset: int, size: tuple, stride: tuple, *_: Any) -> tuple:
        tensor = (storage, int(offset), tuple(map(int, size)), tuple(map(int, stride)))
        self.tensors.append(tensor)
        return tensor


def read(file: bytes) -> np.ndarray:
    """Return the one tensor of a `.pt` file.

    Raises:
        ValueError: If the file holds anything else than one tensor, or one that reaches outside its numbers.
        pickle.UnpicklingError: If it names anything that the header of a tensor does not need.
    """
    return _zipped(file) if file[:2] == b"PK" else _legacy(file)


def _zipped(file: bytes) -> np.ndarray:
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        names = {name.partition("/")[2]: name for name in archive.namelist()}
        if "byteorder" in names and archive.read(names["byteorder"]).strip() != b"little":
            raise ValueError("the file is of another byte order")
        tensor = _only(archive.read(names["data.pkl"]))[0]
        return _numbers(tensor, archive.read(names[f"data/{tensor[0][0]}"]))


def _legacy(file: bytes) -> np.ndarray:
    stream = io.BytesIO(file)
    magic, protocol, system = (TensorHeader(stream).load() for _ in range(3))
    if magic != MAGIC or protocol != PROTOCOL or not system["little_endian"]:
        raise ValueError("the file is no tensor of torch")
    header = TensorHeader(stream)
    header.load()
    (tensor,) = header.tensors
    if TensorHeader(stream).load() != [tensor[0][0]]:
        raise ValueError("the file holds more than one tensor")
    if int.from_bytes(stream.read(8), "little") != tensor[0][2]:
        raise ValueError("the tensor's storage has another length than its header says")
    return _numbers(tensor, stream.read())


def _only(pickled: bytes) -> list[tuple]:
    header = TensorHeader(io.BytesIO(pickled))
    header.load()
    if len(header.tensors) != 1:
        raise ValueError(f"the file holds {len(header.tensors)} tensors, not one")
    return header.tensors


def _numbers(tensor: tuple, raw: bytes) -> np.ndarray:
    (_, dtype, count), offset, size, stride = tensor
    flat = np.frombuffer(raw, dtype, count)
    last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if min(size, default=1) < 1 or min(stride, default=0) < 0 or not 0 <= offset <= last < count:
        raise ValueError("the tensor reaches outside its storage")
    steps = [step * flat.itemsize for step in stride]
    return np.lib.stride_tricks.as_strided(flat[offset:], size, steps).copy()
