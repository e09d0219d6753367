"""What a closed loop survives: a threshold for pushes in each direction, and one for each change of the machine.

Searches are independent of one another, and each keeps its trials in a file of its own, so that they are spread over
processes, counted as they are made, and what was killed goes on where it was.
"""

import contextlib
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from tarsus.analytic.spelling import check_name
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.base.ticking import ticking
from tarsus.scripts.library.stability.changes import CHANGES, Change, Changed
from tarsus.scripts.library.stability.ensembles import Trial, ensemble
from tarsus.scripts.library.stability.gaits import Gait
from tarsus.scripts.library.stability.loop import Loop
from tarsus.scripts.library.stability.pushes import FallsByItself, Pushed, PushedGait
from tarsus.scripts.library.stability.store import Store
from tarsus.scripts.library.stability.survey import Survives
from tarsus.scripts.library.stability.survival import Island, Settings, Threshold, bound_of, threshold

DIRECTIONS = (
    *("forward", "forward left", "left", "backward left", "backward", "backward right", "right", "forward right"),
)
PUSHES = "pushes"  # from all directions together
N_PHASES, N_TRIALS = 8, 64  # of an ensemble of pushes
FIRST_PUSH, MOST_PUSH = 0.2, 6.4  # sizes that a search begins with, and ends at [m/s]
BAR = "{desc}: {n} trials [{elapsed}]"
OF_PUSHES, OF_CHANGES = Settings(), Settings(halvings=2, checks=1)


@dataclass(frozen=True)
class Margin:
    """What is survived of one kind."""

    name: str  # a direction of pushes, or a change of the machine
    unit: str  # of sizes
    threshold: Threshold | None = None  # the largest size; None if there is none to look for
    reason: str = ""  # why there is none
    angle: float | None = None  # of pushes in one direction, from forward towards left [rad]

    @property
    def message(self) -> str:
        """What is known, in a sentence."""
        return f"{self.name}: {self.threshold.message(self.unit) if self.threshold else self.reason}"

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> "Margin":
        """Return the margin of what `dataclasses.asdict` made of it, also after JSON."""
        found = stored["threshold"]
        if found is None:
            return cls(**stored)
        found = {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
        islands = tuple(Island(**one) for one in found["islands"])
        return cls(**{**stored, "threshold": Threshold(**{**found, "islands": islands})})


@dataclass(frozen=True)
class Question:
    """Of which closed loop margins are asked, and with which ensembles."""

    make: Callable[[], Loop | Gait]  # makes the loop, or a gait that has a `pushed`, in any process
    steps_per_period: int  # control periods in a period of the loop's gait
    folder: Path | None = None  # where trials are kept as they are found; None keeps none
    about: Mapping[str, Any] = field(default_factory=dict)  # what they depend on: policy, options, engine, versions
    first_seed: int = 0  # of the ensembles; those of other first seeds, at least as far apart as 64, are disjoint
    n_trials: int = N_TRIALS  # of an ensemble, a multiple of `N_PHASES`; the first of a larger one

    def path(self, name: str) -> Path | None:
        """Return the file of a search's trials."""
        return None if self.folder is None else self.folder / f"{name.replace(' ', '-')}.jsonl"

    def outcomes(self, name: str, survives: Callable[[Trial], bool]) -> Survives:
        """Return the outcomes of a search: each trial is asked once, and kept."""
        store = Store(self.path(name), {**self.about, "search": name, "steps_per_period": self.steps_per_period})

        def known(trials: Sequence[Trial]) -> np.ndarray:
            return np.array([store.part(json.dumps(astuple(t)), lambda t=t: bool(survives(t))) for t in trials], bool)

        return known


def margins(
    question: Question,
    jobs: int = 1,
    changes: Sequence[str] = tuple(CHANGES),
    said: Callable[[str], Any] = lambda words: None,
) -> tuple[Margin, ...]:
    """Return the margins of a closed loop: pushes in all directions together, in each, and changes, see `CHANGES`.

    Of a return map only pushes in all directions together. `said` is told each as it is found. ValueError if a change
    is unknown, or files have other trials.
    """
    for name in changes:
        check_name("change", name, CHANGES)
    cases, found = _cases(question.make(), changes), []
    with contextlib.ExitStack() as stack:
        if question.folder is None:
            question = replace(question, folder=Path(stack.enter_context(tempfile.TemporaryDirectory())))
        bar = stack.enter_context(_counting([question.path(name) for _, name, *_ in cases]))
        calls = [(function, question, *of) for function, *of in cases]
        for one in parallel.stream(_call, calls, jobs, disable=True):
            found.append(one)
            said(one.message)
            bar.set_description_str(f"{len(found)} of {len(cases)} margins")
    return tuple(found)


def _cases(subject: Loop | Gait, changes: Sequence[str]) -> list[tuple]:
    """Return the searches: a function, the name, and the function's further arguments."""
    if isinstance(subject, Gait):
        return [(pushed, PUSHES, 0.0, np.pi)]
    free = subject.chart.free
    width = np.pi / 8 if free else 0.0  # eight sectors have all directions; a leg on a rail has two
    named = [(pushed, DIRECTIONS[k], k * np.pi / 4, width) for k in (range(8) if free else (0, 4))]
    together = [(pushed, PUSHES, 0.0, np.pi)] if free else []
    return [*named, *together, *((changed, name) for name in changes)]


def _counting(paths: Sequence[Path], every: float | None = None) -> contextlib.AbstractContextManager[tqdm]:
    """Give a bar that shows how many trials are in files, which other processes write."""

    def count() -> int:
        return sum(path.read_bytes().count(b"\n") - 1 for path in paths if path.exists())

    return ticking(count, every, desc=f"0 of {len(paths)} margins", unit=" trials", bar_format=BAR)


def _call(function: Callable[..., Margin], question: Question, name: str, *arguments: Any) -> Margin:
    """Return a margin, or that the loop falls by itself."""
    try:
        return function(question, name, *arguments)
    except FallsByItself as error:
        return Margin(name, "", reason=str(error))


def pushed(question: Question, name: str, angle: float, half_width: float, settings: Settings = OF_PUSHES) -> Margin:
    """Return the margin of pushes in a sector of directions about an angle, from forward towards left [rad].

    Its `half_width` is in radians too; pi is all directions.
    """
    subject = question.make()
    of = PushedGait(subject) if isinstance(subject, Gait) else Pushed(subject, question.steps_per_period)
    survives = question.outcomes(name, of)
    members = ensemble(angle, half_width, N_PHASES, question.n_trials // N_PHASES, question.first_seed)
    bound = bound_of(survives, members, FIRST_PUSH, MOST_PUSH)
    found = threshold(survives, members, bound, settings)
    return Margin(name, "m/s", found, angle=None if half_width == np.pi else angle)


def changed(question: Question, name: str, settings: Settings = OF_CHANGES) -> Margin:
    """Return the margin of a change of the machine, one of `CHANGES`, or why there is none."""
    change, loop = CHANGES[name], question.make()
    if reason := change.absent(loop):
        return Margin(name, change.unit, reason=reason)
    survives = question.outcomes(name, Changed(loop, change, question.steps_per_period))
    members = ensemble(n_phases=1, n_seeds=question.n_trials, first_seed=question.first_seed)
    found = threshold(survives, members, _bound(change, survives, members), settings, change.step)
    return Margin(name, change.unit, found)


def _bound(change: Change, survives: Callable, members: Sequence[Trial]) -> float:
    """Return the bound of a change; smaller where few survive much less, so that sizes are not wasted."""
    if change.step:
        return change.bound
    return bound_of(survives, members, change.bound / 16, change.bound)
