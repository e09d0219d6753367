"""A parameter study: runs of a machine at every point of a grid of its parameters, spread by joblib."""

import copy
import dataclasses
import itertools
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tarsus.scripts.command import arguments
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.running import options, run

MOST = 100_000  # points of a grid


def axes(words: Sequence[str]) -> tuple[dict[str, np.ndarray], list[str]]:
    """Return the values of each parameter that is swept, and the words that set others; ValueError for no range.

    Words are NAME=FIRST:LAST:COUNT, or NAME=VALUE.
    """
    found, fixed = {}, []
    for word in words:
        name, _, value = word.partition("=")
        if ":" not in value:
            fixed.append(word)
            continue
        first, last, count = (value.split(":") + ["", ""])[:3]
        if value.count(":") != 2 or not count.isdecimal() or not 2 <= int(count) <= MOST:
            raise ValueError(f"--set takes NAME=FIRST:LAST:COUNT with a count from 2 on, got {word!r}")
        ends = arguments.assignments([f"{name}={first}", f"first={last}"], "--set")
        if name in found:
            raise ValueError(f"--set sweeps {name} twice")
        found[name] = np.linspace(ends[name], ends["first"], int(count))
    if not found:
        raise ValueError("--set must sweep a parameter: NAME=FIRST:LAST:COUNT, for instance body_mass=6:9:4")
    if np.prod([float(len(values)) for values in found.values()]) > MOST:
        raise ValueError(f"--set asks for more than {MOST} runs")
    return found, fixed


def points(args: Namespace) -> list[tuple[dict[str, float], Namespace]]:
    """Return the parameters of each run and its options, the last parameter fastest; ValueError if one cannot run."""
    swept, fixed = axes(args.set)
    if args.engine == "both":
        raise ValueError("a study runs one engine; --engine exact or mujoco")
    found = []
    for values in itertools.product(*swept.values()):
        point = {name: float(value) for name, value in zip(swept, values, strict=True)}
        asked = copy.copy(args)
        asked.set = [*fixed, *(f"{name}={value!r}" for name, value in point.items())]
        found.append((point, asked))
    for point, asked in (found[0], found[-1]):  # names and engine, before the work
        try:
            options.experiment_of(options.machine_of(args.machine), copy.copy(asked))
        except ValueError as error:
            raise ValueError(f"{' '.join(f'{name}={value:g}' for name, value in point.items())}: {error}") from None
    return found


def study(found: Sequence[tuple[dict[str, float], Namespace]], jobs: int = -1) -> pd.DataFrame:
    """Return a row for each run: its parameters, `status` in words, `seconds`, and the numbers of its summary.

    `displacement` is that of the body along the ground [m]; of a machine that hops or steps, `steps_...` are those of
    its last. What a run that failed lacks is NaN. Within `joblib.parallel_config` jobs are those of its backend.
    """
    rows = parallel.each(row, [(asked,) for _, asked in found], jobs, unit="run")
    return pd.DataFrame([point | numbers for (point, _), numbers in zip(found, rows, strict=True)])


def row(args: Namespace) -> dict[str, Any]:
    """Return the numbers of a run; that it failed is its status."""
    machine = options.machine_of(args.machine)
    try:
        done = run.ran(machine, options.experiment_of(machine, args), args)
    except (ValueError, RuntimeError) as error:
        return {"status": arguments.sentence(error), "seconds": 0.0}
    way = done.record["body_position"].values[:, :2]
    numbers = {name: value for name, value in machine.numbers(done).items() if name not in ("settings", "tables")}
    return scalars(numbers) | {"displacement": float(np.hypot(*(way[-1] - way[0]))) if len(way) else 0.0}


def scalars(numbers: Any, name: str = "") -> dict[str, Any]:
    """Return numbers and words by name, those within others with both names; of a table by steps the last row."""
    if dataclasses.is_dataclass(numbers):
        numbers = {entry.name: getattr(numbers, entry.name) for entry in dataclasses.fields(numbers)}
    if isinstance(numbers, Mapping):
        inner = [
            scalars(value, f"{name}_{key}".removeprefix("_").removeprefix("summary_")) for key, value in numbers.items()
        ]
        return {key: value for found in inner for key, value in found.items() if not key.startswith("window_")}
    if isinstance(numbers, np.ndarray | list) and name.startswith("steps_"):
        return {name: float(numbers[-1])} if len(numbers) else {}
    if isinstance(numbers, str):
        return {name: str(numbers)} if name == "status" or numbers else {}
    return {name: float(numbers)} if isinstance(numbers, int | float | np.number) else {}
