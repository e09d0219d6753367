"""Arrays on a device with NumPy's interface, as far as tasks need it: a task is one code for both.

NumPy hands its functions to arrays of other kinds, by the protocols `__array_ufunc__` and `__array_function__`; here
they find those of PyTorch. What is missing is an error that names it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.lib.mixins import NDArrayOperatorsMixin

# NumPy's names of elementwise functions that PyTorch calls otherwise.
RENAMED = {"power": "pow", "rint": "round", "equal": "eq", "not_equal": "ne", "invert": "bitwise_not", "fabs": "abs"}
KINDS = {bool: torch.bool, int: torch.int64, float: torch.float64, np.float32: torch.float32}


class DeviceArray(NDArrayOperatorsMixin):
    """A tensor with the interface of a NumPy array.

    Indices and slices are views, as in NumPy; arithmetic makes new arrays.

    Attributes:
        tensor: It.
        in_warp: Warp's array of its memory, once a kernel got it.
    """

    def __init__(self, tensor: torch.Tensor):
        self.tensor: torch.Tensor = tensor
        self.in_warp: Any = None

    shape = property(lambda self: tuple(self.tensor.shape))
    ndim = property(lambda self: self.tensor.ndim)
    size = property(lambda self: self.tensor.numel())
    dtype = property(lambda self: np.dtype(str(self.tensor.dtype).removeprefix("torch.")))
    T = property(lambda self: DeviceArray(self.tensor.permute(*reversed(range(self.tensor.ndim)))))

    def __array__(self, *args, **kwargs):
        raise TypeError("an array on a device does not become one of NumPy by itself; ask for `.tensor.cpu().numpy()`")

    def __array_ufunc__(self, ufunc, method: str, *inputs, out=None, **kwargs):
        if method != "__call__" or kwargs:
            raise TypeError(
                f"{ufunc.__name__}.{method} of arrays on a device takes no {', '.join(kwargs) or 'such call'}"
            )
        result = _elementwise(ufunc.__name__)(*(_operand(one, self.tensor) for one in inputs))
        if out is None:
            return DeviceArray(result)
        out[0].tensor.copy_(result)
        return out[0]

    def __array_function__(self, function, types, args, kwargs):
        if function.__name__ not in FUNCTIONS:
            raise TypeError(f"arrays on a device have no numpy.{function.__name__}")
        return _wrapped(FUNCTIONS[function.__name__](self.tensor, *args, **kwargs))

    def __len__(self) -> int:
        return len(self.tensor)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __iter__(self):
        return map(DeviceArray, self.tensor.unbind(0))

    def __getitem__(self, at) -> "DeviceArray":
        return DeviceArray(self.tensor[self._place(at)])

    def __setitem__(self, at, value) -> None:
        self.tensor[self._place(at)] = _stored(value, self.tensor)

    def _place(self, at):
        """Return an index as PyTorch takes it."""
        if isinstance(at, tuple):
            return tuple(map(self._place, at))
        if isinstance(at, DeviceArray):
            return at.tensor
        return torch.as_tensor(at, device=self.tensor.device) if isinstance(at, np.ndarray | list) else at

    def copy(self) -> "DeviceArray":
        """Return a copy."""
        return DeviceArray(self.tensor.clone())

    def astype(self, kind) -> "DeviceArray":
        """Return it as bool, int, float (double) or np.float32."""
        return DeviceArray(self.tensor.to(KINDS[kind]))

    def reshape(self, *shape) -> "DeviceArray":
        """Return it in another shape, a view where that is possible."""
        return DeviceArray(self.tensor.reshape(*shape))

    def max(self, axis: int) -> "DeviceArray":
        """Return the largest along an axis."""
        return DeviceArray(self.tensor.amax(axis))

    def any(self, axis: int | None = None) -> "DeviceArray":
        """Return whether any, along an axis or at all, is not zero."""
        return DeviceArray(self.tensor.any() if axis is None else self.tensor.any(axis))

    def all(self, axis: int | None = None) -> "DeviceArray":
        """Return whether none, along an axis or at all, is zero."""
        return DeviceArray(self.tensor.all() if axis is None else self.tensor.all(axis))


def _elementwise(name: str) -> Callable[..., torch.Tensor]:
    if name == "vecdot":
        return lambda a, b: (a * b).sum(-1)
    found = getattr(torch, RENAMED.get(name, name), None)
    if found is None:
        raise TypeError(f"arrays on a device have no numpy.{name}")
    return found


def _operand(value: Any, beside: torch.Tensor) -> torch.Tensor:
    """Return an operand as a tensor; a number as one of no dimension, which goes with any device."""
    if isinstance(value, DeviceArray):
        return value.tensor
    value = np.array(value)
    return torch.as_tensor(value, device=beside.device if value.ndim else "cpu")


def _stored(value: Any, into: torch.Tensor):
    """Return the values to write into a tensor: numbers as they are."""
    if isinstance(value, DeviceArray):
        return value.tensor.to(into.dtype)
    return torch.as_tensor(np.array(value), dtype=into.dtype, device=into.device) if np.ndim(value) else value


def _wrapped(value: Any):
    return DeviceArray(value) if isinstance(value, torch.Tensor) else value


def _all_of(values, beside: torch.Tensor) -> list[torch.Tensor]:
    """Return arrays to be joined, as tensors of one kind."""
    return [torch.as_tensor(_operand(one, beside), device=beside.device) for one in values]


def _where(beside, condition, yes, no):
    return torch.where(*(_operand(one, beside) for one in (condition, yes, no)))


def _clip(beside, value, low, high):
    value, low, high = (_operand(one, beside) for one in (value, low, high))
    return torch.minimum(torch.maximum(value, low), high)


def _interp(beside, at, points, values):
    """Return the piecewise-linear interpolant, constant outside the points."""
    at, points, values = (_operand(one, beside).double() for one in (at, points, values))
    upper = torch.searchsorted(points, at.contiguous()).clamp(1, len(points) - 1)
    left, right = points[upper - 1], points[upper]
    share = ((at - left) / (right - left)).clamp(0.0, 1.0)
    return values[upper - 1] + share * (values[upper] - values[upper - 1])


def _take(beside, a, indices, axis):
    return torch.index_select(_operand(a, beside), axis, _operand(indices, beside).long().reshape(-1))


def _tile(beside, a, repeats):
    return _operand(a, beside).repeat(*repeats)


# By NumPy's name: a tensor beside which all are, then NumPy's arguments.
FUNCTIONS: dict[str, Callable] = {
    "where": _where,
    "clip": _clip,
    "interp": _interp,
    "take": _take,
    "tile": _tile,
    "any": lambda beside, a: _operand(a, beside).any(),
    "atleast_1d": lambda beside, a: torch.atleast_1d(a.tensor),
    "atleast_2d": lambda beside, a: torch.atleast_2d(a.tensor),
    "broadcast_to": lambda beside, a, shape: a.tensor.expand(*shape),
    "concatenate": lambda beside, values, axis=0: torch.cat(_all_of(values, beside), axis),
    "empty_like": lambda beside, a: torch.empty_like(a.tensor),
    "flatnonzero": lambda beside, a: torch.nonzero(a.tensor.reshape(-1)).reshape(-1),
    "full_like": lambda beside, a, value: torch.full_like(a.tensor, float(value)),
    "moveaxis": lambda beside, a, source, to: torch.movedim(a.tensor, source, to),
    "ndim": lambda beside, a: a.ndim,
    "norm": lambda beside, a, axis, keepdims: torch.linalg.vector_norm(a.tensor, dim=axis, keepdim=keepdims),
    "ones": lambda beside, shape: torch.ones(shape, device=beside.device),
    "reshape": lambda beside, a, shape: a.tensor.reshape(shape),
    "shape": lambda beside, a: a.shape,
    "size": lambda beside, a: a.size,
    "stack": lambda beside, values, axis=0: torch.stack(torch.broadcast_tensors(*_all_of(values, beside)), axis),
    "take_along_axis": lambda beside, a, at, axis: torch.take_along_dim(a.tensor, at.tensor, axis),
    "zeros_like": lambda beside, a: torch.zeros_like(a.tensor),
}


class Draws:
    """What k simulations draw at once, first dimension k, as a task calls a `numpy.random.Generator`."""

    def __init__(self, generator: torch.Generator, k: int):
        self._generator, self._k = generator, k

    def _options(self) -> dict[str, Any]:
        return {"generator": self._generator, "device": self._generator.device, "dtype": torch.float64}

    def uniform(self, low=0.0, high=1.0, size: int | None = None) -> DeviceArray:
        """Return numbers evenly from low to high, shape (k, ...): a row of the bounds' or of that size for each."""
        low, high = (one.tensor if isinstance(one, DeviceArray) else torch.as_tensor(one) for one in (low, high))
        shape = torch.broadcast_shapes(low.shape, high.shape) if size is None else (size,)
        shape = shape if len(shape) == 2 else (self._k, *shape)
        return DeviceArray(low + torch.rand(shape, **self._options()) * (high - low))

    def standard_normal(self, size: int) -> DeviceArray:
        """Return normal numbers, shape (k, size)."""
        return DeviceArray(torch.randn((self._k, size), **self._options()))

    def integers(self, high: int) -> torch.Tensor:
        """Return whole numbers from 0 to below `high`, a tensor of shape (k,) of int64."""
        return torch.randint(high, (self._k,), generator=self._generator, device=self._generator.device)


class Together:
    """In place of `state.Randoms`: one generator for all simulations; its index is an array of those that draw."""

    def __init__(self, device: torch.device):
        self.generator = torch.Generator(device)

    def is_new(self, sims: DeviceArray) -> bool:
        """Return False: new generators are a new pool of starts."""
        return False

    def __getitem__(self, sims: DeviceArray) -> Draws:
        return Draws(self.generator, len(sims))
