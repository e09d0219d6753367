"""What a command left in its folder, opened again: its numbers, its words, and the files beside them."""

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from tarsus.analytic.spelling import listed, lost
from tarsus.scripts.library.records import record

RESULT, EVALUATIONS = "result.json", "evaluations.npz"
KEYS = ("command", "inputs", "result", "text", "files", "made", "versions", "computer")
TEXTS = (".md", ".txt", ".html", ".log")


@dataclass(frozen=True)
class Stored:
    """A result in its folder; printed, it is what the command printed.

    Attributes:
        folder: Where it is.
        command: The command's words.
        inputs: What it was asked for, by option.
        result: Its numbers.
        text: What it printed.
        files: Names of the files beside `result.json`.
        made: When.
        versions: Of the packages that made it.
        computer: On which.
    """

    folder: Path
    command: str
    inputs: Mapping[str, Any] = field(repr=False)
    result: Mapping[str, Any] = field(repr=False)
    text: str = field(repr=False)
    files: tuple[str, ...]
    made: str
    versions: str = field(repr=False)
    computer: str = field(repr=False)

    def __str__(self) -> str:
        return f"{self.text}\n\n{self.folder}: {', '.join((*self.files, RESULT))}"

    def __getitem__(self, name: str) -> Any:
        """Return a file of the folder: .nc as a dataset, .csv as a table, .json as its values, a text, or its path.

        Raises:
            KeyError: If the result has no such file.
            ValueError: If the file is gone or broken.
        """
        if name not in self.files:
            raise KeyError(f"{self.folder} has no file {name!r}; there are {listed(name, self.files)}")
        path = self.folder / name
        if not path.exists():
            raise ValueError(f"{path} is gone")
        if path.suffix == ".nc":
            return load(path)
        if path.suffix == ".csv":
            return pd.read_csv(path, comment="#")
        if path.suffix == ".json":
            return _read(path)
        return path.read_text(encoding="utf-8") if path.suffix in TEXTS else path


def load(path: Path | str) -> xr.Dataset | Stored | pd.DataFrame:
    """Read the record of a run (.nc, .csv), into memory, or what a command left in its folder.

    The folder of a training gives its evaluations: a row of mean return, its least and most, and mean length [steps] by
    steps of training.

    Args:
        path: The file, or the folder.

    Raises:
        ValueError: If it is neither; the sentence says what is there.
    """
    path = Path(path)
    if path.is_dir() or path.name == RESULT:
        folder = path if path.is_dir() else path.parent
        return _evaluations(folder / EVALUATIONS) if (folder / EVALUATIONS).exists() else _stored(folder)
    if not path.exists():
        raise ValueError(lost(path))
    if path.suffix == ".csv":
        return record.load_csv(path)
    if path.suffix != ".nc":
        raise ValueError(f"{path} is no record (.nc, .csv), and no folder that a command wrote")
    found = record.dataset(path)
    return record.rebuilt(found) if set(record.ATTRS) <= set(found.attrs) else found


def _stored(folder: Path) -> Stored:
    path = folder / RESULT
    if not path.exists():
        there = ", ".join(sorted(entry.name for entry in folder.iterdir())[:8]) or "nothing"
        raise ValueError(f"{folder} holds no result of a command, for it has no {RESULT}; there is {there}")
    told = _read(path)
    missing = [key for key in KEYS if key not in told] if isinstance(told, dict) else list(KEYS)
    if missing:
        raise ValueError(f"{path} is not of a command of tarsus: it has no {', '.join(missing)}")
    return Stored(folder, *(tuple(told[key]) if key == "files" else told[key] for key in KEYS))


def _evaluations(path: Path) -> pd.DataFrame:
    try:
        with np.load(path) as stored:
            returns, lengths, steps = stored["results"], stored["ep_lengths"], stored["timesteps"]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is broken: {error}") from None
    columns = {"return": returns.mean(1), "least": returns.min(1), "most": returns.max(1), "length": lengths.mean(1)}
    return pd.DataFrame(columns, pd.Index(steps, name="steps"))


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is broken: {error}") from None
