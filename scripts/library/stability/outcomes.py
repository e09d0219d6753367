"""Outcomes of trials, kept in a file as they are found: a search that was killed goes on where it was.

Trials are a function of what they are made of, so that a search asks the same of them again, and gets what is known.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.scripts.library.stability.ensembles import Trial


class Outcomes:
    """A function of trials that is asked once for each.

    Its file has a line for what it is about, and one for each trial: direction, phase, size, seed, whether it survived.

    Args:
        survives: Yields whether trials are survived, in order, as they are found.
        path: Of the file; None keeps nothing.
        about: What the outcomes depend on: policy, options, engine, versions.

    Raises:
        ValueError: If the file is about something else, or is no such file.
        OSError: If it cannot be read or written.
    """

    def __init__(
        self, survives: Callable[[Sequence[Trial]], Iterable[bool]], path: Path | None, about: Mapping[str, Any]
    ):
        self._survives, self._path = survives, path
        self.known: dict[Trial, bool] = {}
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        head = json.dumps(about, sort_keys=True)
        text = path.read_text() if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]  # a line that was being written when the process ended is left out
        if not whole:
            whole = head + "\n"
        self._read(whole.splitlines(), head)
        if whole != text:
            path.write_text(whole)

    def _read(self, lines: Sequence[str], head: str) -> None:
        if lines[0] != head:
            raise ValueError(
                f"{self._path} has trials of {lines[0]}, asked for are those of {head}: take another folder, "
                "or remove the file"
            )
        for k, line in enumerate(lines[1:], 2):
            try:
                *trial, survived = json.loads(line)
                self.known[Trial(*trial)] = bool(survived)
            except (TypeError, ValueError) as error:
                raise ValueError(f"line {k} of {self._path} is no trial: {line!r}; remove the file") from error

    def __call__(self, trials: Sequence[Trial]) -> np.ndarray:
        """Return whether trials are survived, shape (n,) of bool."""
        new = [trial for trial in trials if trial not in self.known]
        for trial, survived in zip(new, self._survives(new) if new else (), strict=True):
            self.known[trial] = bool(survived)
            if self._path is not None:
                row = [trial.direction, trial.phase, trial.size, trial.seed, bool(survived)]
                with self._path.open("a") as file:
                    file.write(json.dumps(row) + "\n")
        return np.array([self.known[trial] for trial in trials], bool)
