"""Observations: named entries, their selection, their positions in the vector, and their table.

A machine's dictionary of entries defines the order, names, sizes, bounds and documentation of its observation. An
entry's value is a function of the machine's task and returns an array of shape (..., size); leading dimensions are for
parallel simulations. It is None where the task's `refresh` writes it to its `frame`, which is faster. An observation
beyond its bound means a diverged simulation. With the option `scaled` an entry is divided by its typical value, and so
is its bound: networks learn from numbers of size one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analytic.spelling import check_name


@dataclass(frozen=True)
class Observation:
    """One named entry of the observation."""

    size: int
    bound: float  # of its absolute value
    unit: str
    text: str
    value: Callable[[Any], np.ndarray] | None = None  # of the task; None if its `refresh` writes it to its frame
    needs: str = ""  # an action mode or task without which the entry would be constant
    labels: tuple[str, ...] = ()  # names of its components, if they have names
    typical: float = 1.0  # what it is divided by if observations are `scaled`, in its unit

    def varies(self, action_mode: str, task: str) -> bool:
        """Return whether the entry's requirements are met."""
        return not self.needs or bool({action_mode, task} & set(self.needs.split(" or ")))


def labelled(
    labels: Iterable[str],
    bound: float,
    unit: str,
    text: str,
    value: Callable[[Any], np.ndarray] | None = None,
    needs: str = "",
    typical: float = 1.0,
) -> Observation:
    """Return an entry whose components have these names; its `value` is of a task, shape (..., n_labels)."""
    names = tuple(labels)
    return Observation(len(names), bound, unit, text, value, needs, names, typical)


def numbered(size: int, bound: float, unit: str, text: str, value: Callable[[Any], np.ndarray]) -> Observation:
    """Return an entry whose components have numbers; its `value` is of a task, shape (..., size)."""
    return labelled(map(str, range(size)), bound, unit, text, value)


def select(names: Sequence[str], action_mode: str, task: str, known: dict[str, Observation]) -> dict[str, Observation]:
    """Return the named entries among the known ones, in the order given.

    Raises:
        ValueError: If a name is unknown, given twice, or would be constant with this action mode and task.
    """
    for name in names:
        check_name("observation", name, known)
        if not known[name].varies(action_mode, task):
            needs = known[name].needs
            raise ValueError(f"observation {name!r} is constant here: it needs {needs}, not {action_mode} and {task}")
    if len(set(names)) != len(names):
        raise ValueError(f"an observation is named twice in {list(names)}")
    return {name: known[name] for name in names}


def slices(selected: dict[str, Observation]) -> dict[str, slice]:
    """Return the slice of each entry in the observation."""
    ends = np.cumsum([entry.size for entry in selected.values()])
    return {
        name: slice(int(end) - entry.size, int(end)) for (name, entry), end in zip(selected.items(), ends, strict=True)
    }


def bounds(selected: dict[str, Observation]) -> np.ndarray:
    """Return the bound of every component of the observation, in its unit, shape (n,) of float32."""
    return np.concatenate([np.full(entry.size, entry.bound, np.float32) for entry in selected.values()])


def typical_values(selected: dict[str, Observation]) -> np.ndarray:
    """Return the typical value of every component of the observation, in its unit, shape (n,)."""
    return np.concatenate([np.full(entry.size, entry.typical) for entry in selected.values()])


def names_of_numbers(selected: dict[str, Observation]) -> tuple[str, ...]:
    """Return the name of every number, such as `foot_contact.left_0`; of entries without labels `torque.0`."""
    names: list[str] = []
    for name, entry in selected.items():
        numbers = [f"{name}.{k}" for k in range(entry.size)] if entry.size > 1 else [name]
        names += [f"{name}.{label}" for label in entry.labels] or numbers
    return tuple(names)


class Frame:
    """The measured numbers of all simulations, as attributes by their names, each of shape (*shape, size).

    An observation is then one conversion; joining an array for each entry took longer than computing them.

    Args:
        shape: Leading dimensions, those of the simulations.
        parts: Sizes of what a task's `refresh` fills in, by name.
        observed: The selected entries of the observation, in order.

    Attributes:
        values: All numbers, shape (n, n_values): a row for each simulation.
        at: The first column of each part, by name.
        observed: The observation's numbers, a view, shape (*shape, n).
        functions: Of the entries that `refresh` does not fill in, each with its part.
    """

    def __init__(self, shape: tuple[int, ...], parts: dict[str, int], observed: dict[str, Observation]):
        sizes = {name: entry.size for name, entry in observed.items()}
        self.at: dict[str, int] = {}
        n = 0
        for name, size in (sizes | parts).items():
            self.at[name] = n
            n += size
        self.values = np.zeros((math.prod(shape), n))
        shaped = self.values.reshape(*shape, n)
        for name, size in (sizes | parts).items():
            setattr(self, name, shaped[..., self.at[name] : self.at[name] + size])
        self.observed = shaped[..., : sum(sizes.values())]
        self.functions = [(getattr(self, name), entry.value) for name, entry in observed.items() if entry.value]
