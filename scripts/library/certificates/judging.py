"""A policy certified: its episodes in every setting, and what they say, row by row."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from tarsus.scripts.library.base import parallel, stamp
from tarsus.scripts.library.certificates import parting, replay, settings
from tarsus.scripts.library.certificates.certificate import Certificate, Change, Finding, Replayed
from tarsus.scripts.library.certificates.loading import Candidate
from tarsus.scripts.library.certificates.replay import Track
from tarsus.scripts.library.certificates.settings import BETWEEN, Setting

LEAST_SPEED = 0.01  # that changes are relative to [m/s]
LEAST_RETURN = 0.01  # likewise [1/step]
FINE = {"reference", "exact"}  # the simulations that should agree
PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "numba")


def certify(
    candidate: Candidate, config, seeds: Sequence[int], seconds: float | None = None, n_jobs: int = 1
) -> tuple[Certificate, dict[str, list[Track]]]:
    """Return the certificate of a policy, and its episodes in each setting.

    Args:
        candidate: The policy.
        config: The configuration of its environment.
        seeds: Of the episodes.
        seconds: How long an episode is; by default as long as the environment's.
        n_jobs: Settings at a time.
    """
    asked = settings.fan(config)
    threads = max(1, (n_jobs if n_jobs > 0 else joblib.cpu_count()) - 1)  # beside the longest simulation, `reference`
    groups = settings.groups(asked)
    cases = [(candidate, [asked[k] for k in group], tuple(seeds), seconds, threads) for group in groups]
    found = parallel.each(_played, cases, n_jobs, unit="part", desc=Path(candidate.name).name, leave=False)
    by_place = dict(zip(itertools.chain(*groups), itertools.chain(*found), strict=True))
    played = [by_place[k] for k in range(len(asked))]
    base = played[0][0]
    if isinstance(base, str):
        raise ValueError(base)
    rows = [
        judged(setting, base, tracks, config.task == "forward", cpu)
        for setting, (tracks, cpu) in zip(asked, played, strict=True)
    ]
    found = {setting.name: tracks for setting, (tracks, _) in zip(asked, played, strict=True)}
    found = {name: tracks for name, tracks in found.items() if not isinstance(tracks, str)}
    if FINE <= found.keys():
        between = Setting("exact against reference", BETWEEN, {})
        rows.append(judged(between, found["reference"], found["exact"], config.task == "forward"))
    shown = {name: value for name, value in candidate.options.items() if _plain(value)}
    made = stamp.versions(*PACKAGES), stamp.computer(), time.strftime("%Y-%m-%d")
    certificate = Certificate(candidate.name, candidate.environment, shown, tuple(seeds), tuple(rows), *made)
    return certificate, found


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


def judged(setting: Setting, base: list[Track], tracks: list[Track] | str, by_speed: bool, cpu: float = 0.0) -> Finding:
    """Return the row of a setting.

    Args:
        setting: The setting.
        base: The episodes in the base preset.
        tracks: Those in the setting, of the same seeds; or why there are none.
        by_speed: Whether speed is judged beside return.
        cpu: Processor time [s].
    """
    words = ", ".join(f"{name}={value}" for name, value in setting.options.items() if name != "params")
    if isinstance(tracks, str):
        return Finding(setting.name, setting.kind, words, left_out=tracks)
    speed = change([track.speed for track in base], [track.speed for track in tracks], LEAST_SPEED)
    least = LEAST_RETURN * float(np.mean([len(track.down) for track in base]))
    total = change([track.total for track in base], [track.total for track in tracks], least)
    episodes = tuple(map(_numbers, base, tracks))
    return Finding(setting.name, setting.kind, words, episodes, "", speed if by_speed else None, total, cpu)


def _numbers(base: Track, track: Track) -> Replayed:
    parted = parting.part(base, track)
    cost = None if np.isnan(track.cost_of_transport) else track.cost_of_transport
    when = None if np.isinf(parted.time) else parted.time
    return Replayed(track.seed, track.speed, track.total, cost, track.ending, when, parted.cause)


def change(base: Sequence[float], other: Sequence[float], least: float) -> Change:
    """Return the relative change of a mean of pairs, with its standard error; of one pair that is 0.

    Args:
        base: Values to compare with.
        other: Values of the same seeds.
        least: What changes are at least relative to.
    """
    difference, scale = np.subtract(other, base), max(abs(float(np.mean(base))), least)
    error = float(np.std(difference, ddof=1)) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return Change(float(difference.mean()) / scale, error / scale)
