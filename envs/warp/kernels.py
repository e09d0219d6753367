"""The kernels of `envs.kernels` on a device: translated to Warp, a thread for each simulation."""

import functools
import linecache
import zlib
from types import FunctionType
from typing import Any

import numpy as np
import warp as wp

from .. import kernels
from .arrays import DeviceArray
from .translation import SPACE, Translation


@functools.cache
def translated(original: FunctionType, kinds: tuple[str, ...]) -> tuple[wp.Kernel, int]:
    """Return a kernel in Warp, and which argument has a row for each thread; ValueError says why not, and the line."""
    made: dict[FunctionType, str] = {}
    kernel, rows = Translation(original, made, kinds).kernel()
    source = "\n\n".join([*made.values(), kernel])
    name = f"{original.__name__}_{zlib.crc32(repr(kinds).encode()):x}"
    linecache.cache[f"<{name}>"] = len(source), None, source.splitlines(True), f"<{name}>"  # where Warp reads it
    space: dict[str, Any] = {**SPACE, "__name__": f"{__name__}.{name}"}  # of what Warp compiles as one
    exec(compile(source, f"<{name}>", "exec"), space)
    return space[original.__name__], rows


class Kernels:
    """The kernels on a device, by their names, with the arguments of the originals; arrays are `DeviceArray`s."""

    def __init__(self, device: str):
        wp.init()
        self._device = device

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        original = getattr(kernels, name)
        found: Any = functools.partial(self._launch, original)
        if "range" not in original.__code__.co_names:  # it has no loop, but calls others
            others = {other: getattr(self, other) for other in original.__code__.co_names}
            found = FunctionType(original.__code__, others)
        setattr(self, name, found)
        return found

    def _launch(self, original: FunctionType, *arguments) -> None:
        given = [self._given(one) for one in arguments]
        kinds = tuple(
            f"wp.array(dtype=wp.{one.dtype.__name__}, ndim={one.ndim})" if isinstance(one, wp.array) else ""
            for one in given
        )
        kernel, rows = translated(original, kinds)
        wp.launch(kernel, dim=len(arguments[rows]), inputs=given, device=self._device)

    def _given(self, value):
        """Return an argument as Warp takes it."""
        if isinstance(value, DeviceArray):
            if value.in_warp is None:  # else it is most of a launch's time
                value.in_warp = wp.from_torch(value.tensor)
            return value.in_warp
        return wp.array(value, device=self._device) if isinstance(value, np.ndarray) else value
