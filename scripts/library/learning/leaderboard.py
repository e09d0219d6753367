"""Entries of frozen tasks, anybody's: read, refused by what differs, played again, and compared in a table.

An entry is the folder that `tarsus evaluate POLICY --env TASK --out FOLDER` leaves: `result.json`, and the policy that
was played, unless it has a name. All entries below a folder are one entrant's, one for each training seed and task.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.analytic.spelling import listed
from tarsus.envs import TASKS
from tarsus.envs.frozen import SEEDS, FrozenTask
from tarsus.scripts.command.output import PACKAGES
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.learning import entering, playing, policies
from tarsus.scripts.library.learning.evaluation import run_episode
from tarsus.scripts.library.learning.scores import interquartile
from tarsus.scripts.library.learning.training_runs import differences

CLOSE = 1e-3  # by which an episode's score may differ when it is played again on such a computer
ERRORS = 4.0  # standard errors by which their mean may differ on another
# Of docs/tasks.md, by task: entrant, score with its interval, policies, falls, steps of training.
STORED = policies.SHIPPED / "scores.json"
HEAD = ("task", "entrant", "score (95 %)", "policies", "falls", "certificate")


@dataclass(frozen=True)
class Entry:
    """A policy in a frozen task."""

    entrant: str  # whose it is
    folder: Path  # of its result
    task: str  # the task's id
    policy: str  # the file or the name by which it can be played again; "" if it cannot
    options: dict[str, Any]  # those that an entrant chooses
    stochastic: bool  # whether it draws its actions
    scores: np.ndarray  # of the episodes, in the order of the seeds, shape (n,)
    falls: int  # how many of them fell
    verdict: str  # of the certificate that lies beside it, "" if none does
    digest: str  # of the policy's file, or its name
    # whether it was made on a computer and by packages like these, so that it can be played again to the bit
    alike: bool


def entries(folders: Iterable[Path]) -> list[Entry]:
    """Return the entries below folders, each an entrant's; ValueError if one has none, or one is twice or no entry."""
    found: list[Entry] = []
    for folder in folders:
        if not folder.is_dir():
            raise ValueError(f"there is no folder {folder}; each folder is an entrant's, with results below")
        results = sorted(folder.rglob("result.json"))
        mine = [entry for path in results if (entry := read(path, folder.resolve().name)) is not None]
        if not mine:
            raise ValueError(
                f"{folder} holds no entry; tarsus evaluate POLICY --env TASK --out {folder}/NAME makes one"
            )
        found += mine
    seen: dict[tuple, Path] = {}
    for entry in found:
        key = entry.entrant, entry.task, entry.digest
        if key in seen:
            raise ValueError(f"{entry.folder} is the same policy in the same task as {seen[key]}: leave one out")
        seen[key] = entry.folder
    return found


def read(path: Path, entrant: str) -> Entry | None:
    """Return the entry of a result, None of something else's; ValueError says in what its task differs from ours."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["command"] != "tarsus evaluate" or "task" not in told["result"]:
            return None
        result, inputs, task = told["result"], told["inputs"], told["result"]["task"]
        name, printed, episodes = str(task["id"]), dict(task["fingerprint"]), list(result["episodes"])
        seeds, scores = [row["seed"] for row in episodes], np.array([row["score"] for row in episodes], float)
        falls = int(sum(row["fell"] for row in episodes))
        alike = (told["computer"], told["versions"]) == (stamp.computer(), stamp.versions(*PACKAGES))
        options, stochastic, policy = dict(task["options"]), bool(inputs["stochastic"]), str(result["policy"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no result of tarsus evaluate: {type(error).__name__}: {error}") from error
    refuse(path, name, printed, seeds, scores)
    kept = next((path.with_name(file) for file in ("policy.npz", "policy.onnx") if path.with_name(file).exists()), None)
    again = str(kept) if kept else policy if policy in policies.of_environment(name) else ""
    digest = hashlib.sha256(kept.read_bytes()).hexdigest() if kept else policy
    asked = name, again, options, stochastic
    return Entry(entrant, path.parent, *asked, scores, falls, _verdict(path.parent), digest, alike)


def refuse(path: Path, name: str, printed: dict[str, Any], seeds: Sequence[int], scores: np.ndarray) -> None:
    """Refuse an entry of another task than the one of that name here."""
    if name not in TASKS:
        raise ValueError(f"{path}: there is no frozen task {name} here; there are {listed(name, TASKS)}")
    here = _here(name, TASKS[name])
    if entering.digest_of(here) != TASKS[name].digest:
        raise ValueError(f"{name} of this installation is not the frozen one: install a release as it is")
    if found := differences(printed, here):
        more = f", and {len(found) - 3} more" if len(found) > 3 else ""
        raise ValueError(f"{path} was played in another {name}: {'; '.join(found[:3])}{more}")
    if list(seeds) != list(SEEDS):
        lacking = sorted({*SEEDS} - {*seeds})
        what = f"lacking: {lacking}" if lacking else f"it has {list(seeds)}"
        raise ValueError(f"{path} must have the episodes of seeds {SEEDS[0]} to {SEEDS[-1]} once, in order; {what}")
    if not np.isfinite(scores).all():
        raise ValueError(f"{path} has scores that are not finite")


@cache
def _here(name: str, task: FrozenTask) -> dict[str, Any]:
    """Return the fingerprint of a task in this installation, made once for all entries."""
    return entering.fingerprint(name)


def check(entry: Entry) -> None:
    """Refuse an entry that cannot be played again: code of a stranger's is not run."""
    if not entry.policy:
        raise ValueError(
            f"{entry.folder} has no policy that can be played without running its author's code; evaluate the "
            ".onnx that tarsus export makes of it, or --trust its scores"
        )
    try:
        playing.check(entry.policy, entry.task, entry.options, entry.stochastic)
    except ValueError as error:
        raise ValueError(f"{entry.folder} cannot be played again: {error}") from error


def replayed(entry: Entry) -> Entry:
    """Return an entry with the scores that playing it again gives; ValueError says which are others.

    Round-off is another on another processor, and grows until feet fall elsewhere: there the means must agree, within
    what the episodes differ by.
    """
    played = [run_episode(entry.policy, entry.task, entry.options, seed, entry.stochastic) for seed in SEEDS]
    scores = np.array([episode.score for episode in played])
    found = scores - entry.scores
    worst = int(np.argmax(np.abs(found)))
    if entry.alike and not abs(found[worst]) <= CLOSE:
        what, here, told = f"seed {SEEDS[worst]}", scores[worst], entry.scores[worst]
    elif not abs(found.mean()) <= max(CLOSE, ERRORS * float(found.std(ddof=1)) / np.sqrt(len(found))):
        what, here, told = "the mean", scores.mean(), entry.scores.mean()
    else:
        return replace(entry, scores=scores, falls=int(sum(episode.fell for episode in played)))
    raise ValueError(f"{entry.folder}: {what} scores {here:.4f} when it is played again, and not {told:.4f}")


def table(found: Sequence[Entry], beside: bool = False) -> list[list[str]]:
    """Return a row for each entrant in each task, of `HEAD`, best first; and last the entrants over all their tasks.

    With `beside`, also those that are stored with the package, of the entries' tasks: of its policies, hand-made ones
    and random actions.
    """
    rows, entrants = [], list(dict.fromkeys(entry.entrant for entry in found))
    stored = json.loads(STORED.read_text(encoding="utf-8")) if beside else {}
    for name in TASKS:
        some = [_row(name, who, [e for e in found if (e.entrant, e.task) == (who, name)]) for who in entrants]
        rows += _sorted([*some, *(_stored(name, row) for row in stored.get(name, ()) if any(some))])
    over = [_over(who, [entry for entry in found if entry.entrant == who]) for who in entrants]
    return [row[1:] for row in [*rows, *_sorted(over)]]


def _stored(name: str, row: Sequence) -> list:
    who, score, n, falls, _ = row
    return [float(score.split()[0]), name, f"{who} (stored)", score, n, falls, "-"]


def runs(mine: Sequence[Entry]) -> np.ndarray:
    """Return the scores of an entrant's runs in a task: means of its policies' episodes, of one alone the episodes."""
    return np.array([entry.scores.mean() for entry in mine]) if len(mine) > 1 else mine[0].scores


def _sorted(rows: Iterable[list | None]) -> list[list]:
    return sorted((row for row in rows if row), key=lambda row: -row[0])


def _row(name: str, who: str, mine: Sequence[Entry]) -> list | None:
    if not mine:
        return None
    mean, *ends = interquartile([runs(mine)])
    falls = f"{sum(entry.falls for entry in mine)} of {len(SEEDS) * len(mine)}"
    verdicts = ", ".join(sorted({entry.verdict for entry in mine if entry.verdict})) or "-"
    return [mean, name, who, stamp.interval(mean, *ends, ".3f"), len(mine), falls, verdicts]


def _over(who: str, mine: Sequence[Entry]) -> list:
    by_task = [[entry for entry in mine if entry.task == name] for name in TASKS]
    mean, *ends = interquartile([runs(some) for some in by_task if some])
    n = f"{sum(map(bool, by_task))} of {len(TASKS)} tasks"
    return [mean, n, who, stamp.interval(mean, *ends, ".3f"), len(mine), "", ""]


def _verdict(folder: Path) -> str:
    path = folder / "certificate.json"
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["verdict"]) if path.exists() else ""
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no certificate of tarsus certify: {type(error).__name__}: {error}") from error
