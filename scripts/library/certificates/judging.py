"""A policy certified: its episodes in every setting, and what they say, row by row."""

import itertools
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np

from tarsus.scripts.command import output
from tarsus.scripts.library.base import parallel, stamp
from tarsus.scripts.library.certificates import divergence, replay, settings
from tarsus.scripts.library.certificates.certificate import ERRORS, Certificate, Change, Finding, Replayed
from tarsus.scripts.library.certificates.replay import Track
from tarsus.scripts.library.certificates.settings import BETWEEN, ITSELF, Setting
from tarsus.scripts.library.learning.loading import Candidate

LEAST_SPEED = 0.01  # that changes are relative to [m/s]
LEAST_RETURN = 0.01  # likewise [1/step]
FINE = {"reference", "exact"}  # the simulations that should agree
PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "numba")


def certify(
    candidate: Candidate, config, seeds: Sequence[int], seconds: float | None = None, n_jobs: int = 1
) -> tuple[Certificate, dict[str, list[Track]]]:
    """Return the certificate of a policy in an environment of that configuration, and its episodes in each setting."""
    asked = settings.fan(config)
    threads = max(1, (n_jobs if n_jobs > 0 else joblib.cpu_count()) - 1)  # beside the longest simulation, `reference`
    groups = settings.groups(asked)
    cases = [(candidate, [asked[k] for k in group], tuple(seeds), seconds, threads) for group in groups]
    bar = dict(names=[case[1][0].name for case in cases], desc=output.called(candidate.name), leave=False)
    found = parallel.each(_played, cases, n_jobs, unit="part", **bar)
    by_place = dict(zip(itertools.chain(*groups), itertools.chain(*found), strict=True))
    rows, found = _rows(asked, [by_place[k] for k in range(len(asked))], config.task == "forward")
    shown = {name: value for name, value in candidate.options.items() if _plain(value)}
    made = stamp.versions(*PACKAGES), stamp.computer(), time.strftime("%Y-%m-%d")
    told = {"used": dict(candidate.used), "lines": candidate.lines}
    certificate = Certificate(candidate.name, candidate.environment, shown, tuple(seeds), tuple(rows), *made, **told)
    return certificate, found


def _rows(
    asked: Sequence[Setting], played: Sequence[tuple[list[Track] | str, float]], by_speed: bool
) -> tuple[list[Finding], dict[str, list[Track]]]:
    """Return the rows of settings, the base first, and their episodes, those of one name in one row; or ValueError."""
    rows: list[Finding] = []
    found: dict[str, list[Track]] = {}
    noise = ByNudge()
    for name, group in itertools.groupby(zip(asked, played, strict=True), key=lambda pair: pair[0].name):
        (setting, (tracks, _)), *_ = members = list(group)
        if not isinstance(tracks, str):
            tracks = found[name] = list(itertools.chain.from_iterable(tracks for _, (tracks, _) in members))
        elif not rows:
            raise ValueError(tracks)
        base = found[asked[0].name]
        rows.append(judged(setting, base, tracks, by_speed, sum(cpu for _, (_, cpu) in members), noise))
        noise = ByNudge.of(rows[-1], len(base)) if setting.kind == ITSELF else noise
    if FINE <= found.keys():
        between = Setting("exact against reference", BETWEEN, {})
        rows.append(judged(between, found["reference"], found["exact"], by_speed))
    return rows, found


@dataclass(frozen=True)
class ByNudge:
    """The relative changes of mean speed and return that a nudge explains."""

    speed: float = 0.0
    total: float = 0.0

    @classmethod
    def of(cls, nudged: Finding, n: int) -> "ByNudge":
        """Return the changes that the row of nudged episodes shows, for means of n episodes."""
        times = ERRORS * np.sqrt(len(nudged.episodes) / n)  # the row's own error is of a mean of more
        return cls(*(abs(c.value) + float(times) * c.error if c else 0.0 for c in (nudged.speed, nudged.total)))


def _played(
    candidate: Candidate, group: Sequence[Setting], seeds, seconds, n_threads: int = 1
) -> list[tuple[list[Track] | str, float]]:
    """Return the episodes of settings that are played together, or why there are none, and the processor time [s].

    If they cannot all be played, each is alone.
    """
    begun = time.thread_time()
    try:
        found = replay.play_together(candidate, group, seeds, seconds, n_threads)
    except replay.NotFinite:
        raise
    except ValueError as error:
        if len(group) > 1:
            return [_played(candidate, [setting], seeds, seconds)[0] for setting in group]
        return [(str(error).partition("; there are")[0], 0.0)]
    return [(tracks, (time.thread_time() - begun) / len(group)) for tracks in found]


def _plain(value: Any) -> bool:
    try:
        return json.loads(json.dumps(value)) == value
    except (TypeError, ValueError):
        return False


def judged(
    setting: Setting,
    base: list[Track],
    tracks: list[Track] | str,
    by_speed: bool,
    cpu: float = 0.0,
    noise: ByNudge = ByNudge(),
) -> Finding:
    """Return the row of a setting whose episodes are `tracks`, once or several times, or why there are none.

    Speed is judged beside return if `by_speed`; `cpu` is processor time [s], `noise` what a nudge explains.
    """
    words = ", ".join(f"{name}={value}" for name, value in setting.options.items() if name != "params")
    if isinstance(tracks, str):
        return Finding(setting.name, setting.kind, words, left_out=tracks)
    least = LEAST_RETURN * float(np.mean([len(track.down) for track in base]))
    base = base * (len(tracks) // len(base))
    speed = change([track.speed for track in base], [track.speed for track in tracks], LEAST_SPEED, noise.speed)
    total = change([track.total for track in base], [track.total for track in tracks], least, noise.total)
    episodes = tuple(map(_numbers, base, tracks))
    return Finding(setting.name, setting.kind, words, episodes, "", speed if by_speed else None, total, cpu)


def _numbers(base: Track, track: Track) -> Replayed:
    apart = divergence.between(base, track)
    cost = None if np.isnan(track.cost_of_transport) else track.cost_of_transport
    when = None if np.isinf(apart.time) else apart.time
    return Replayed(track.seed, track.speed, track.total, cost, track.ending, when, apart.cause)


def change(base: Sequence[float], other: Sequence[float], least: float, noise: float = 0.0) -> Change:
    """Return the relative change of a mean of pairs of the same seeds, with its standard error; of one pair that is 0.

    It is relative to `least` at the least; `noise` is the relative change that a nudge explains.
    """
    difference, scale = np.subtract(other, base), max(abs(float(np.mean(base))), least)
    error = float(np.std(difference, ddof=1)) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return Change(float(difference.mean()) / scale, error / scale, noise)
