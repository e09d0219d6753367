"""A certificate: what a policy does in each setting, how it compares with the base preset, and the verdict.

Thresholds are on relative changes of mean speed and mean return from the preset `rl`, paired by seed. Their standard
error is that of the mean of the pairs' differences, so what a seed does in both settings alike does not count.

A policy *leans on the simulator* if it loses more than `LEANS` of its speed or return in another simulation of the same
robot; it *holds* if no setting changes them by more than `HOLDS`; else it *drifts*. Other robots (friction, stiffness)
make it drift at most: that a policy knows its robot is no fault of the simulator.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.certificates import parting
from tarsus.scripts.library.certificates.settings import BETWEEN, ROBOT

HOLDS = 0.05  # relative change of speed or return that is none
LEANS = 0.10  # relative loss that says that a policy leans
ERRORS = 2.0  # standard errors: a loss is certain beyond them, and a change of up to `LEANS` within them is none
VERDICTS = ("holds", "drifts", "leans on the simulator")
HOLD, DRIFT, LEAN = VERDICTS
THRESHOLDS = {"holds": HOLDS, "leans": LEANS, "standard errors": ERRORS} | {
    "distance": parting.DISTANCE,
    "angle": parting.ANGLE,
    "depth": parting.DEPTH,
    "creep": parting.CREEP,
    "flicker": parting.FLICKER,
}


@dataclass(frozen=True)
class Replayed:
    """An episode in a setting, in numbers; of what was not, None."""

    seed: int
    speed: float  # [m/s]
    total: float  # return
    cost_of_transport: float | None
    ending: str  # why it was terminated, or ""
    parted: float | None = None  # from the base preset's episode [s]
    cause: str = ""


@dataclass(frozen=True)
class Change:
    """The relative change of a mean from the base preset's, and its standard error."""

    value: float
    error: float

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        if abs(self.value) <= max(HOLDS, min(ERRORS * self.error, LEANS)):
            return HOLD
        return LEAN if self.value < -LEANS and -self.value > ERRORS * self.error else DRIFT


@dataclass(frozen=True)
class Finding:
    """A policy in one setting.

    Attributes:
        setting: Its name.
        kind: Its kind, see `settings.Setting`.
        options: What it changes, in words.
        episodes: One for each seed; none if it was left out.
        left_out: Why it was left out, or "".
        speed: Change of the mean speed; None where the task is to follow commands.
        total: Change of the mean return.
        cpu: Processor time [s].
    """

    setting: str
    kind: str
    options: str = ""
    episodes: tuple[Replayed, ...] = ()
    left_out: str = ""
    speed: Change | None = None
    total: Change | None = None
    cpu: float = 0.0

    @property
    def verdict(self) -> str:
        """The worse of those on speed and return; "" if it was left out, or compares two others."""
        if self.kind == BETWEEN:
            return ""
        worst = max((VERDICTS.index(change.verdict) for change in (self.speed, self.total) if change), default=-1)
        return "" if worst < 0 else VERDICTS[min(worst, 1) if self.kind == ROBOT else worst]

    def mean(self, name: str) -> float:
        """Return the mean of a number of its episodes; NaN if they have none."""
        values = [value for episode in self.episodes if (value := getattr(episode, name)) is not None]
        return float(np.mean(values)) if values else np.nan

    @property
    def parting(self) -> tuple[float, str]:
        """When half of the episodes had parted [s], and the most frequent cause; infinity and "" if they did not."""
        times = sorted(np.inf if episode.parted is None else episode.parted for episode in self.episodes)
        causes = [episode.cause for episode in self.episodes if episode.cause]
        return (times[len(times) // 2] if times else np.inf), max(causes, key=causes.count, default="")


@dataclass(frozen=True)
class Certificate:
    """All of it; `as_json` and `from_json` write and read it."""

    policy: str
    environment: str
    options: Mapping[str, Any]
    seeds: tuple[int, ...]
    rows: tuple[Finding, ...]
    versions: str
    computer: str
    date: str
    thresholds: Mapping[str, float] = field(default_factory=lambda: dict(THRESHOLDS))

    @property
    def verdict(self) -> str:
        """The worst of the rows'."""
        return max((row.verdict for row in self.rows if row.verdict), key=VERDICTS.index, default=HOLD)

    @property
    def reason(self) -> str:
        """The row that says so, in words."""
        said = [row for row in self.rows if row.verdict == self.verdict and row.verdict != HOLD]
        if not said:
            return f"no setting changes speed or return by more than {100 * HOLDS:g} %, or than chance"
        signed = abs if self.verdict == DRIFT else lambda loss: loss
        row = max(said, key=lambda row: max(signed(-change.value) for change in (row.speed, row.total) if change))
        named = (("speed", row.speed), ("return", row.total))
        words = [f"{name} {100 * change.value:+.0f} %" for name, change in named if change]
        _, cause = row.parting
        return f"{row.setting}: {', '.join(words)}" + (f"; first differs: {cause}" if cause else "")

    def as_json(self) -> str:
        """Return it as JSON, the verdicts with it."""
        rows = [asdict(row) | {"verdict": row.verdict} for row in self.rows]
        return json.dumps(asdict(self) | {"verdict": self.verdict, "reason": self.reason, "rows": rows}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Return the certificate of a JSON text."""
        found = stamp.of_today(json.loads(text))
        rows = []
        for row in found.pop("rows"):
            changes = {name: row[name] and Change(**row[name]) for name in ("speed", "total")}
            episodes = tuple(Replayed(**episode) for episode in row["episodes"])
            del row["verdict"]
            rows.append(Finding(**row | changes | {"episodes": episodes}))
        for derived in ("verdict", "reason"):
            del found[derived]
        return cls(**found | {"seeds": tuple(found["seeds"]), "rows": tuple(rows)})
