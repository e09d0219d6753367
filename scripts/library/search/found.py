"""The result of a search, the same of every one: the best, all candidates, and the history."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from tarsus.scripts.library.base.stamp import markdown_table

CONFIDENCE = 0.95  # of a score's interval


class Parameter(NamedTuple):
    """What is searched along."""

    name: str
    low: float
    high: float
    unit: str = ""


class Tried(NamedTuple):
    """A candidate."""

    point: np.ndarray  # of the parameters' values, shape (k,)
    score: float
    about: Any = None  # what else its search knows of it


@dataclasses.dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
        name: Of the search.
        maximised: What a score is, with its unit.
        parameters: What was searched, with bounds.
        point: The best values, shape (k,).
        trials: Scores of the best, in all repetitions of its trial, shape (m,).
        tried: All candidates, in the order in which they were tried.
        history: After every generation `tried`, how many there were, `best`, the highest score of these, and `median`,
            that of the generation.
        converged: Whether the search ended by itself.
        interrupted: Whether it was asked to stop.
        made: What the best values mean, by name: a gait, a table, and what is known of it.
        told: The same in words.
        failure: Why the best is none, a sentence, or empty.
    """

    name: str
    maximised: str
    parameters: tuple[Parameter, ...]
    point: np.ndarray
    trials: np.ndarray
    tried: list[Tried]
    history: dict[str, list]
    converged: bool
    interrupted: bool
    made: dict[str, Any] = dataclasses.field(default_factory=dict)
    told: str = ""
    failure: str = ""

    @property
    def best(self) -> dict[str, float]:
        """The best values by name."""
        return {entry.name: float(value) for entry, value in zip(self.parameters, self.point, strict=True)}

    @property
    def score(self) -> float:
        """Of the best, the mean over the repetitions of its trial."""
        return float(self.trials.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Where its mean score lies with 95 % confidence; without width where a trial always gives the same.

        If the same trials chose the best among several, its mean is rather below the middle.
        """
        n = len(self.trials)
        half = stats.t.ppf(0.5 + CONFIDENCE / 2, n - 1) * self.trials.std(ddof=1) / np.sqrt(n) if n > 1 else 0.0
        return self.score - half, self.score + half

    def numbers(self) -> dict[str, Any]:
        """Return the contents of `result.json`, with the same keys for all searches."""
        best = [entry._asdict() | {"value": value} for entry, value in zip(self.parameters, self.point, strict=True)]
        shown = ("maximised", "score", "interval", "trials", "history", "converged", "interrupted", "failure", "made")
        named = {"search": self.name, "best": best, "tried": len(self.tried)}
        return named | {key: getattr(self, key) for key in shown}

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of `found.npz`: points and scores of all candidates, and `made` of the best."""
        made: dict[str, Any] = {}
        for name, value in self.made.items():
            made |= vars(value) if dataclasses.is_dataclass(value) else {name: value}
        found = {name: np.asarray(value) for name, value in made.items()}
        found |= {"best": self.point, "names": np.array([entry.name for entry in self.parameters])}
        found |= {"points": np.array([row.point for row in self.tried])}
        found |= {"scores": np.array([row.score for row in self.tried])}
        return {name: value for name, value in found.items() if value.dtype != object}

    def __str__(self) -> str:
        """Return parameters and score as a table, and what its search tells of it."""
        values = zip(self.parameters, self.point, strict=True)
        rows = [(f"{one.name} [{one.unit}]" if one.unit else one.name, f"{value:.4f}") for one, value in values]
        low, high = self.interval
        spread = f" ± {0.5 * (high - low):.4g} (95 %, {len(self.trials)} trials)" if high > low else ""
        table = markdown_table(("parameter", "value"), [*rows, (self.maximised, f"{self.score:.4f}{spread}")])
        ended = "; the search converged" if self.converged else ""
        return "\n\n".join(filter(None, [table, f"{len(self.tried)} candidates tried{ended}", self.told]))
