"""A certificate: what a policy does in each setting, how it compares with the base preset, and the verdict.

Thresholds are on relative changes of mean speed and mean return from the preset `rl`, paired by seed. Their standard
error is that of the mean of the pairs' differences, so what a seed does in both settings alike does not count.

The noise of a change is `ERRORS` standard errors, or what a nudge at the start explains in the preset `rl` itself if
that is more. A policy *leans on the simulator* if it loses more than `LEANS` of its speed or return in another
simulation of the same robot, and *drifts* if a change is more than `HOLDS`, both beyond the noise. If it does neither,
it *falls by itself* if an episode in `rl` ends before its time, nudged or not; it *needs more seeds* if a loss of
`LEANS` would be lost in the noise; else it *holds*. Other robots (friction, stiffness) make it drift at most: that a
policy knows its robot is no fault of the simulator.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from tarsus.scripts.library.certificates import divergence
from tarsus.scripts.library.certificates.settings import BASE, BETWEEN, ITSELF, ROBOT

HOLDS = 0.05  # relative change of speed or return that is none
LEANS = 0.10  # relative loss that says that a policy leans
ERRORS = 2.0  # standard errors: a change within them may be chance
VERDICTS = ("holds", "needs more seeds", "falls by itself", "drifts", "leans on the simulator")
HOLD, UNKNOWN, FALL, DRIFT, LEAN = VERDICTS
EVERYWHERE = "as in every row"  # instead of a cause that says nothing of a setting
THRESHOLDS = {"holds": HOLDS, "leans": LEANS, "standard errors": ERRORS} | {
    "distance": divergence.DISTANCE,
    "angle": divergence.ANGLE,
    "depth": divergence.DEPTH,
    "creep": divergence.CREEP,
    "flicker": divergence.FLICKER,
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
    """The relative change of a mean from the base preset's, its standard error, and what of it a nudge explains."""

    value: float
    error: float
    nudge: float = 0.0

    @property
    def noise(self) -> float:
        """The largest change that may be chance."""
        return max(ERRORS * self.error, self.nudge)

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        if abs(self.value) > max(HOLDS, self.noise):
            return LEAN if self.value < -LEANS else DRIFT
        return HOLD if self.noise <= LEANS else UNKNOWN


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
        """The worse of those on speed and return; "" if it was left out, is the base nudged, or compares two others."""
        if self.kind in (BETWEEN, ITSELF) or self.left_out:
            return ""
        worst = max(VERDICTS.index(change.verdict) for change in (self.speed, self.total) if change)
        return VERDICTS[min(worst, VERDICTS.index(DRIFT)) if self.kind == ROBOT else worst]

    def mean(self, name: str) -> float:
        """Return the mean of a number of its episodes; NaN if they have none."""
        values = [value for episode in self.episodes if (value := getattr(episode, name)) is not None]
        return float(np.mean(values)) if values else np.nan

    @property
    def divergence(self) -> tuple[float, str]:
        """When half of the episodes had parted [s], and the most frequent cause; infinity and "" if they did not."""
        times = sorted(np.inf if episode.parted is None else episode.parted for episode in self.episodes)
        causes = [episode.cause for episode in self.episodes if episode.cause]
        time = times[len(times) // 2] if times else np.inf
        return time, max(causes, key=causes.count) if causes and np.isfinite(time) else ""


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
    used: Mapping[str, Any] = field(default_factory=dict)  # of a .zip: algorithm, normaliser, stack
    lines: tuple[str, ...] = ()  # the same for people, and what may be wrong with it

    @property
    def verdict(self) -> str:
        """The worst of the rows', and of what the falls in the base preset itself say."""
        said = [row.verdict for row in self.rows if row.verdict] + [FALL if self.falls[0] else HOLD]
        return max(said, key=VERDICTS.index)

    @property
    def falls(self) -> tuple[int, int]:
        """How many episodes ended before their time in the base preset, nudged or not, and of how many."""
        own = [episode for row in self.rows if row.setting == BASE or row.kind == ITSELF for episode in row.episodes]
        return sum(bool(episode.ending) for episode in own), len(own)

    @property
    def everywhere(self) -> str:
        """The cause that comes first in every row that parts from the base, and in the nudged one; else ""."""
        causes = [row.divergence[1] for row in self.rows if row.kind == ITSELF]
        causes += [cause for row in self.rows if row.kind not in (BETWEEN, ITSELF) and (cause := row.divergence[1])]
        return causes[0] if len(causes) > 1 and len(set(causes)) == 1 else ""

    def cause(self, row: Finding) -> str:
        """Return the quantity that differed first in a row, or `EVERYWHERE` if it did in every row.

        Of one that differed first in no more than half of the episodes it is said in how many.
        """
        _, cause = row.divergence
        if cause and cause == self.everywhere and row.kind != BETWEEN:
            return EVERYWHERE
        count, n = sum(episode.cause == cause for episode in row.episodes), len(row.episodes)
        return f"{cause} in {count} of {n}" if cause and 2 * count <= n else cause

    @property
    def reason(self) -> str:
        """The row that says so, in words."""
        if self.verdict == FALL:
            return "in {} of {} episodes in `rl`, nudged or not; more seeds tell how often".format(*self.falls)
        said = [row for row in self.rows if row.verdict == self.verdict and row.verdict != HOLD]
        if not said:
            return f"no setting changes speed or return by more than {100 * HOLDS:g} %, or than chance"
        if self.verdict == UNKNOWN:
            noise, row = max((change.noise, row.setting) for row in said for change in (row.speed, row.total) if change)
            asked = int(np.ceil(len(self.seeds) * (noise / LEANS) ** 2))
            return f"{row}: a change of {100 * noise:.0f} % may be chance; about {asked} seeds tell one of 10 %"
        signed = abs if self.verdict == DRIFT else lambda loss: loss
        row = max(said, key=lambda row: max(signed(-change.value) for change in (row.speed, row.total) if change))
        named = (("speed", row.speed), ("return", row.total))
        words = [f"{name} {100 * change.value:+.0f} %" for name, change in named if change]
        cause = self.cause(row)
        return f"{row.setting}: {', '.join(words)}" + (f"; first differs: {cause}" if cause else "")

    def as_json(self) -> str:
        """Return the certificate as JSON, with its verdicts."""
        rows = [asdict(row) | {"verdict": row.verdict} for row in self.rows]
        return json.dumps(asdict(self) | {"verdict": self.verdict, "reason": self.reason, "rows": rows}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "Certificate":
        """Return the certificate of a JSON text."""
        found = json.loads(text)
        rows = []
        for row in found.pop("rows"):
            changes = {name: row[name] and Change(**row[name]) for name in ("speed", "total")}
            episodes = tuple(Replayed(**episode) for episode in row["episodes"])
            del row["verdict"]
            rows.append(Finding(**row | changes | {"episodes": episodes}))
        for derived in ("verdict", "reason"):
            del found[derived]
        tuples = {name: tuple(found.get(name, ())) for name in ("seeds", "lines")}
        return cls(**found | tuples | {"rows": tuple(rows)})
