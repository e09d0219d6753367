"""A task's arrays, wherever its objects hold them: as buffers with names, and moved to a device.

An array that is a view of another remains one: the buffer that both share is moved once.
"""

from collections.abc import Callable
from dataclasses import is_dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from ...mjcf.ground import Ground
from ...mjcf.terrain import GroundPatches
from ..actions import ActionMode
from ..extras import Extra
from ..observations import Frame
from .arrays import DeviceArray

HOLDERS = (Frame, ActionMode, Extra, Ground, GroundPatches, SimpleNamespace)
Visit = Callable[[str, np.ndarray], Any]


def owner(array: np.ndarray) -> np.ndarray:
    """Return the array whose memory a view shows, or itself."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def visit_all(root: Any, visit: Visit) -> None:
    """Replace every array that an object and its parts hold by what `visit` makes of it and of the path to it."""
    seen: set[int] = set()

    def inside(path: str, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return visit(path, value) if value.dtype.kind in "biuf" else value
        if isinstance(value, list | tuple):
            return type(value)(inside(f"{path}.{k}", one) for k, one in enumerate(value))
        if isinstance(value, dict):
            return {key: inside(f"{path}.{key}", one) for key, one in value.items()}
        if isinstance(value, HOLDERS):
            hold(path, value)
        return value

    def hold(path: str, holder: Any) -> None:
        if id(holder) in seen or is_dataclass(holder):
            return
        seen.add(id(holder))
        for name, value in list(vars(holder).items()):
            found = inside(f"{path}.{name}", value)
            if found is not value:
                setattr(holder, name, found)

    hold("", root)


def buffers(root: Any) -> dict[str, np.ndarray]:
    """Return the arrays that own the memory of all that an object holds, by the path on which they are found first."""
    found: dict[int, tuple[str, np.ndarray]] = {}

    def visit(path: str, array: np.ndarray) -> np.ndarray:
        base = owner(array)
        found.setdefault(id(base), (path, base))
        return array

    visit_all(root, visit)
    return dict(found.values())


def move(root: Any, device: torch.device) -> dict[str, torch.Tensor]:
    """Put a `DeviceArray` in place of every array that an object holds; return the tensors that own their memory.

    ValueError if an array is laid out in a way that PyTorch has not.
    """
    kept, tensors, paths = {}, {}, {}

    def visit(path: str, array: np.ndarray) -> DeviceArray:
        base = owner(array)
        if id(base) not in tensors:
            if not base.flags.c_contiguous:
                raise ValueError(f"the array{path} is not contiguous, so that it cannot be moved to a device")
            tensors[id(base)] = torch.as_tensor(base.copy(), device=device)
            kept[id(base)], paths[path] = base, tensors[id(base)]
        gap = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        strides = [stride // array.itemsize for stride in array.strides]
        if any(stride < 0 for stride in strides) or array.dtype != base.dtype:
            raise ValueError(f"the array{path} is a view that cannot be moved to a device")
        return DeviceArray(torch.as_strided(tensors[id(base)], array.shape, strides, gap // array.itemsize))

    visit_all(root, visit)
    return paths
