"""Numbers with bounds (intervals), for Python: objects that follow `interval_rules`, as compiled code does.

They refuse what compiled intervals have no rule for, so that a function that runs with them can be compiled for them:
`stand_ins` replace `math`, `numpy` and Python's own functions in it (`rebuild`). One difference remains: a variable
that holds a number first and an interval later is an interval from the start in compiled code, which rounds outward.
"""

import builtins
import functools
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from . import interval_rules as rules
from . import jet_rules
from .rebuild import ieee

NUMBERS = (int, float, np.integer, np.floating)  # a truth value is an int


class Interval:
    """An interval: its bounds, those of its derivative or None, and the cell of undecided questions, (4,), or None."""

    __slots__ = ("lo", "hi", "rate", "cell")
    __array_ufunc__ = None  # a scalar of numpy's on the left leaves the operation to this class
    __hash__ = None

    def __init__(self, lo: float, hi: float, rate: tuple[float, float] | None, cell: np.ndarray | None = None) -> None:
        self.lo, self.hi, self.rate, self.cell = lo, hi, rate, cell

    def __repr__(self) -> str:
        return f"Interval({self.lo!r}, {self.hi!r}, {self.rate!r})"

    def __bool__(self) -> bool:
        raise TypeError("an interval is neither true nor false: compare it with a number")


KNOWN = (Interval, *NUMBERS)


def _bounds(value: Any) -> tuple[float, ...]:
    """Return the bounds of an interval and, if it has any, of its derivative; of a number, twice the number."""
    if isinstance(value, Interval):
        return (value.lo, value.hi, *(value.rate or ()))
    return float(value), float(value)


def _first(function: Callable, args: tuple) -> tuple[np.ndarray | None, tuple[float, float] | None]:
    """Return the first cell and rate of a function's arguments; refuse what is neither interval nor number."""
    cell = rate = None
    for arg in args:
        if isinstance(arg, Interval):
            cell, rate = arg.cell if cell is None else cell, arg.rate if rate is None else rate
        elif not isinstance(arg, NUMBERS):
            kinds = ", ".join(type(arg).__name__ for arg in args)
            raise TypeError(f"intervals have no rule for {function.__name__} of {kinds}: only of intervals and numbers")
    return cell, rate


def apply(function: Callable, *args: Any) -> Interval:
    """Return a function's value; at least one argument is an interval."""
    cell, rate = _first(function, args)
    if function in rules.CHOICES:
        args = tuple(arg if isinstance(arg, Interval) else constant(arg, rate is not None) for arg in args)
    given, which = [], ""
    for arg in args:
        given += _bounds(arg)
        which += "i" if isinstance(arg, Interval) else "f"
    rule = rules.value_rule(function) if rate is None else rules.jet_rule(function, which)
    lo, hi, *by = rule(*given)
    return Interval(lo, hi, tuple(by) or None, cell)


def ask(function: Callable, *args: Any) -> bool | int:
    """Return the answer to a question about intervals: undecided, that of the path in the cell."""
    cell, _ = _first(function, args)
    answer, other, undecided = rules.QUESTIONS[function](*(bound for arg in args for bound in _bounds(arg)[:2]))
    if undecided and cell is not None and rules.takes_other(cell, undecided):
        answer = other
    return int(answer) if function in rules.WHOLE_ANSWERS else answer != 0.0


def _method(function: Callable, carry: Callable, reverse: bool = False) -> Callable:
    def method(self, *others):
        for other in others:
            if not isinstance(other, KNOWN):
                return NotImplemented
        return carry(function, *others, self) if reverse else carry(function, self, *others)

    return method


for _name in ("neg", "pos", "abs", "add", "sub", "mul", "truediv", "mod", "pow"):
    _function = abs if _name == "abs" else getattr(operator, _name)
    setattr(Interval, f"__{_name}__", _method(_function, apply))
    if _function in rules.TWO:
        setattr(Interval, f"__r{_name}__", _method(_function, apply, reverse=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Interval, f"__{_name}__", _method(getattr(operator, _name), ask))


def constant(value: float, rate: bool) -> Interval:
    """Return a number as an interval that does not move."""
    return Interval(float(value), float(value), (0.0, 0.0) if rate else None)


class Intervals:
    """An array of intervals: what compiled code does with one, and no more."""

    __array_ufunc__ = None

    def __init__(self, items: np.ndarray, rate: bool) -> None:
        self._items, self._rate = items, rate
        self.shape, self.size, self.ndim = items.shape, items.size, items.ndim

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, place: Any) -> "Interval | Intervals":
        found = self._items[place]
        return Intervals(found, self._rate) if isinstance(found, np.ndarray) else found

    def __setitem__(self, place: Any, value: Any) -> None:
        if isinstance(value, NUMBERS):
            value = constant(value, self._rate)
        elif not isinstance(value, (Interval, Intervals)):
            raise TypeError(f"an array of intervals holds intervals and numbers, not {type(value).__name__}")
        if isinstance(self._items[place], np.ndarray):
            self._items[place] = value._items if isinstance(value, Intervals) else np.array(value, object)
        else:
            self._items[place] = value


def _ordered(lo: float, hi: float) -> tuple[float, float]:
    """Return bounds; the whole line if one is NaN or they are the wrong way round."""
    return (lo, hi) if lo <= hi else (-math.inf, math.inf)


def intervals_of(rows: np.ndarray, cell: np.ndarray, rate: bool) -> Intervals:
    """Return the intervals in rows of four floats, shape (n, 4), which share a cell of undecided questions."""
    made = np.empty(len(rows), object)
    for i, (lo, hi, dlo, dhi) in enumerate(rows.tolist()):
        made[i] = Interval(*_ordered(lo, hi), _ordered(dlo, dhi) if rate else None, cell)
    return Intervals(made, rate)


class Answers:
    """Takes the values of guards, as `interval_arrays.AnswersType`."""

    def __init__(self, rows: np.ndarray, cell: np.ndarray, clears: bool, rate: bool) -> None:
        self._rows, self._cell, self._clears, self._rate = rows, cell, clears, rate

    def __getitem__(self, place: slice) -> "Answers":
        if not isinstance(place, slice) or place.step is not None:
            raise TypeError("the guards' values are read by slices without a step, such as g[1:3]")
        return Answers(self._rows[place], self._cell, self._clears, self._rate)

    def __setitem__(self, place: int, value: Any) -> None:
        if isinstance(value, NUMBERS):
            value = constant(value, self._rate)
        elif not isinstance(value, Interval):
            raise TypeError(f"a guard is an interval or a number, not {type(value).__name__}")
        words = [*_ordered(value.lo, value.hi), *(_ordered(*value.rate) if self._rate else ())]
        self._rows[operator.index(place), : len(words)] = words
        if self._clears:
            rules.end_guard(self._cell)


def _has(args: Any) -> bool:
    return any(isinstance(arg, (Interval, Intervals)) or isinstance(arg, (tuple, list)) and _has(arg) for arg in args)


def _choosing(function: Callable, plain: Callable, carry: Callable | None) -> Callable:
    """Return a dispatcher: the plain function for numbers, its interval rule for intervals; raises if it has none."""

    def chosen(*args, **named):
        if not (_has(args) or _has(named.values())):
            return plain(*args, **named)
        if carry is None or named:
            raise TypeError(f"intervals have no rule for {function.__name__}")
        return carry(function, *args)

    return chosen


def _carry(function: Callable) -> Callable | None:
    return apply if function in rules.RULES else ask if function in rules.QUESTIONS else None


def _room(rate: bool, cleared: bool) -> Callable:
    def room(shape: int | tuple) -> Intervals:
        made = np.empty(shape, object)
        if cleared:
            made.fill(constant(0.0, rate))
        return Intervals(made, rate)

    return room


SAFE = ("range", "len", "enumerate", "zip", "print")  # builtins that see an interval only as an object


@functools.cache
def stand_ins(rate: bool) -> dict[int, Any]:
    """Return the stand-ins of modules and functions, by `id`; `rate`: whether intervals in arrays have derivatives."""
    numbers = types.SimpleNamespace(pi=np.pi, inf=np.inf, nan=np.nan, empty=_room(rate, False), zeros=_room(rate, True))
    swap: dict[int, Any] = {id(np): numbers, id(math): types.SimpleNamespace()}
    for name, value in jet_rules.NUMPY.items():
        carry = _carry(value)
        setattr(numbers, name, _choosing(value, getattr(ieee, value.__name__, value), carry) if carry else value)
    for name, value in vars(math).items():
        if not name.startswith("_"):
            if callable(value):
                swap[id(value)] = value = _choosing(value, getattr(ieee, name), _carry(value))
            setattr(swap[id(math)], name, value)
    for name, value in vars(builtins).items():
        is_error = isinstance(value, type) and issubclass(value, BaseException)
        if callable(value) and not name.startswith("_") and name not in SAFE and not is_error:
            swap[id(value)] = _choosing(value, value, _carry(value))
    return swap
