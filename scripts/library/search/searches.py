"""Searches for the parameters with the highest score: what is tried, what is kept, what is found.

A search joins as a file of this folder with a class like those beside it, a frozen dataclass whose fields are the
options of `tarsus search FILE`. It says what is searched (`parameters`) and how candidates are scored (`score`); how
they are drawn, chosen and confirmed it may say too. The rest is done here, for all alike.
"""

import dataclasses
import importlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import differential_evolution
from tqdm import tqdm

from tarsus.analytic.spelling import listed
from tarsus.scripts.command import cli
from tarsus.scripts.library.base.in_python import in_python
from tarsus.scripts.library.search.found import Found, Parameter, Tried


class Trials:
    """The candidates that a search has tried, while it goes on: at most `total`, where that is known.

    Attributes:
        tried: The candidates, in order.
        history: Of generations; see `Found`.
        population: The points of the last generation that an evolution kept, the best first, shape (n, k).
    """

    def __init__(self, search: "Search", stop: Callable[..., bool] | None, total: int | None, progress: bool) -> None:
        self._search, self._stop, self._stopped = search, stop, False
        self.tried: list[Tried] = []
        self.history: dict[str, list] = {"tried": [], "best": [], "median": []}
        self.population = np.zeros((0, len(search.parameters)))
        self.bar = tqdm(total=total, unit="candidate", mininterval=1.0, disable=not progress)

    @property
    def best(self) -> Tried:
        """The candidate with the highest score, the first of them."""
        return max(self.tried, key=lambda row: row.score)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Return the scores of a generation, shape (n,) for (n, k)."""
        scores, about = self._search.score(points, len(self.history["tried"]))
        scores = np.where(np.isnan(scores), -np.inf, scores)  # what has no score is the worst
        self.add([Tried(*row) for row in zip(points.copy(), scores.tolist(), about, strict=True)])
        return scores

    def add(self, rows: Sequence[Tried]) -> None:
        """Keep a generation that has been scored."""
        self.tried += rows
        best = max([row.score for row in rows] + self.history["best"][-1:])
        entries = len(self.tried), best, float(np.median([row.score for row in rows]))
        for column, entry in zip(self.history.values(), entries, strict=True):
            column.append(entry)
        self.bar.update(len(rows))
        self.bar.set_postfix(best=f"{best:.4g}", refresh=False)

    def stopped(self, *_: Any) -> bool:
        """Return whether the search shall end; once True, always True."""
        self._stopped = self._stopped or bool(self._stop is not None and self._stop())
        return self._stopped


class Search(ABC):
    """A search, by differential evolution (SciPy) unless it explores in another way.

    A subclass is a frozen dataclass with the fields `seed` and `generations`.
    """

    unit: ClassVar[str] = "the generation"  # what is finished when the search is asked to stop
    evolution: ClassVar[dict[str, Any]] = {}  # settings of SciPy's `differential_evolution`
    population: int  # candidates in a generation

    @property
    @abstractmethod
    def parameters(self) -> tuple[Parameter, ...]:
        """What is searched."""

    @property
    @abstractmethod
    def maximised(self) -> str:
        """What a score is, with its unit; more is better."""

    def score(self, points: np.ndarray, generation: int) -> tuple[np.ndarray, Sequence]:
        """Return scores of candidates (n, k) of a generation, counted from 0, (n,), and what else is known of each."""
        raise NotImplementedError("a search scores generations, or explores in a way of its own")

    def check(self) -> None:  # noqa: B027  most have nothing to refuse
        """Refuse what cannot be searched, before any work."""

    def first(self, rng: np.random.Generator) -> np.ndarray:
        """Return the first generation, shape (population, k)."""
        low, high = self.bounds.T
        return rng.uniform(low, high, (self.population, len(low)))

    def explore(self, trials: Trials) -> bool:
        """Try candidates; return whether the search ended by itself."""
        rng = np.random.default_rng(self.seed)
        settings = {"tol": 0.0, "maxiter": self.generations} | self.evolution
        result = differential_evolution(
            lambda points: -trials(points.T), self.bounds, init=self.first(rng), rng=rng, polish=False,
            vectorized=True, updating="deferred", callback=trials.stopped, **settings,
        )  # fmt: skip
        trials.population = result.population[np.argsort(result.population_energies)]
        return bool(result.success)

    def choose(self, trials: Trials) -> tuple[np.ndarray, np.ndarray]:
        """Return the best point (k,), and its scores in repeated trials, (m,)."""
        return trials.best.point, np.array([trials.best.score])

    def finish(self, found: Found, trials: Trials, confirm: bool) -> Found:
        """Return the result with `made` of the best; confirmed, also with its numbers in other simulators."""
        return found

    @property
    def bounds(self) -> np.ndarray:
        """Least and greatest value of each parameter, shape (k, 2)."""
        return np.array([(entry.low, entry.high) for entry in self.parameters])

    def run(self, stop: Callable[..., bool] | None = None, confirm: bool = True, progress: bool = True) -> Found:
        """Search until `stop`, asked after every generation, is true; else confirm the best where that can be done."""
        self.check()
        trials = Trials(self, stop, self.total, progress)
        with trials.bar:
            converged = self.explore(trials)
        if not trials.tried:
            raise KeyboardInterrupt  # it was pressed before the first candidate was scored
        interrupted = trials.stopped()
        best = self.choose(trials)
        named = name_of(type(self)), self.maximised, self.parameters, *best, trials.tried, trials.history
        found = Found(*named, converged and not interrupted, interrupted)
        found = self.finish(found, trials, confirm and not interrupted)
        return dataclasses.replace(found, interrupted=trials.stopped())  # that may take long, too

    @property
    def total(self) -> int | None:
        """How many candidates are tried at most, if that is known."""
        return self.population * (self.generations + 1)


def name_of(kind: type[Search]) -> str:
    return kind.__module__.rpartition(".")[2]


def find(name: str) -> type[Search]:
    """Return the search of a name; ValueError if there is none."""
    known = cli.names("search")
    if name not in known:
        raise ValueError(f"there is no search {name!r}; there are {listed(name, known)}")
    module = importlib.import_module(cli.module_of(known[name]))
    kinds = [kind for _, kind in inspect.getmembers(module, inspect.isclass) if kind.__module__ == module.__name__]
    return next(kind for kind in kinds if issubclass(kind, Search))


@in_python
def search(name: str, **settings: Any) -> Found:
    """Return the result of `tarsus search NAME`: `best` has the parameters, `made` the gait or table they stand for.

    Args:
        name: gait (the highest return on Hexapod-v0), hexapod (the fastest or cheapest exact walk), multipod, sweep
            (gaits on a grid), or baseline (of a robot of the user's own).
        settings: Options of `tarsus search NAME`, with underscores: fields of its class.

    Raises:
        ValueError: If there is no such search or setting, or it cannot search for that.
    """
    kind = find(name)
    known = [field.name for field in dataclasses.fields(kind)]
    if unknown := [word for word in settings if word not in known]:
        raise ValueError(f"{name} has no setting {unknown[0]!r}; there are {listed(unknown[0], known)}")
    return kind(**settings).run()
