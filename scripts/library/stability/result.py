"""The result on one gait in one engine, as numbers: drawn, compared, written as JSON; and one of several starts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.scripts.library.stability.decay import Decay
from tarsus.scripts.library.stability.examining import Examined
from tarsus.scripts.library.stability.multipliers import Multipliers
from tarsus.scripts.library.stability.parting import Parting
from tarsus.scripts.library.stability.verdict import Kind, sentences

# What is kept of each start.
KEPT = ("seed", "verdict", "reason", "period", "speed", "largest", "observed", "decay_error", "parting", "multipliers")
SHOWN = 6  # multipliers of each

Interval = tuple[float, float, float]  # a value, and the ends of its interval


@dataclass(frozen=True)
class Stability:
    """How stable a gait is. Displacements are in typical values: what a coordinate varies by over the gait.

    Attributes:
        policy: Its name.
        environment: That it acts in.
        engine: "mujoco" or "exact".
        verdict: One of `verdict.Kind`, its value.
        reason: A sentence.
        options: Of the environment.
        lines: What was left out or fixed for the question to have an answer.
        period: After which the gait repeats [s]; None if it does not.
        speed: Forward, mean [m/s].
        multipliers: Complex as pairs, largest first, shape (k, 2), at most 20.
        largest: The largest modulus and its interval, of a stride; None if there is none.
        neutral: Symmetries that were taken out.
        direction: The coordinate in which the largest is most.
        step: Of the differences, and what was measured of it.
        decays: Of small displacements, observed beside the prediction.
        parting: Rate at which nearby runs part and its interval [1/s], negative where they come together; None if
            multipliers tell.
        sections: Distances of sections from those a period before, in typical values; none where none come back.
        margins: What pushes and changes are survived, see `margins.Margin`; none if none were tried.
        basin: What of a box of states returns, of a return map; None if there is no box.
        starts: Of each of several starts what `KEPT` names; none of one.
        seed: Of the start whose numbers these are.
        versions: Of the packages.
        computer: Where.
        date: When.
        cpu: Processor time [s].
    """

    policy: str
    environment: str
    engine: str
    verdict: str
    reason: str
    options: Mapping[str, Any] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    period: float | None = None
    speed: float | None = None
    multipliers: tuple[tuple[float, float], ...] = ()
    largest: Interval | None = None
    neutral: tuple[str, ...] = ()
    direction: str = ""
    step: Mapping[str, float] = field(default_factory=dict)
    decays: tuple[Mapping[str, Any], ...] = ()
    parting: Interval | None = None
    sections: tuple[float, ...] = ()
    margins: tuple[Mapping[str, Any], ...] = ()
    basin: Mapping[str, Any] | None = None
    starts: tuple[Mapping[str, Any], ...] = ()
    seed: int = 0
    versions: str = ""
    computer: str = ""
    date: str = ""
    cpu: float = 0.0

    @property
    def said(self) -> str:
        """The verdict and its reason."""
        return f"{self.verdict}: {self.reason}"

    @property
    def half_life(self) -> float | None:
        """Time in which a displacement halves, by the largest multiplier or as runs come together [s]; None if not."""
        if self.verdict == Kind.DEPENDS.value:
            return None
        if self.parting and Parting(*self.parting).meets:
            return float(np.log(0.5) / self.parting[0])
        if self.period is None or self.largest is None or not 0.0 < self.largest[0] < 1.0:
            return None
        return float(self.period * np.log(0.5) / np.log(self.largest[0]))

    @property
    def observed(self) -> float | None:
        """Observed factor per stride of the displacement along the largest multiplier; None if there is none."""
        rates = [one["rate"] for one in self.decays if one["name"].startswith("along") and "rate" in one]
        return float(np.mean(rates)) if rates else None

    @property
    def decay_error(self) -> float | None:
        """The largest relative error of the predicted decay; None if none was compared.

        Of several starts it is of those that are determined, if there are any.
        """
        off = [
            abs(one["rate"] / one["predicted_rate"] - 1.0)
            for one in self.decays
            if "rate" in one and not one["forgotten"]
        ]
        known = [one for one in self.starts if one["verdict"] != Kind.NOT_DETERMINED.value] or self.starts
        off += [one["decay_error"] for one in known if one["decay_error"] is not None]
        return max(off, default=None)

    def as_json(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self), indent=1, default=str)

    @classmethod
    def from_json(cls, text: str) -> "Stability":
        """Return the result of a JSON text.

        Raises:
            ValueError: If it is none.
        """
        try:
            known = {entry.name for entry in fields(cls)}
            given = {name: _tuples(value) for name, value in json.loads(text).items() if name in known}
            return cls(**given)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"this is no result of `tarsus stability`: {error}") from error

    @classmethod
    def read(cls, path: Path) -> "Stability":
        """Return the result in a file, or in the file stability.json of a folder.

        Raises:
            ValueError: If there is none.
        """
        path = path / "stability.json" if path.is_dir() else path
        if not path.is_file():
            raise ValueError(f"there is no result of `tarsus stability` at {path}")
        return cls.from_json(path.read_text(encoding="utf-8"))


def _tuples(value: Any) -> Any:
    """Return a value with tuples for its lists, also within tables."""
    if isinstance(value, dict):
        return {name: _tuples(one) for name, one in value.items()}
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value


def numbers(found: Examined) -> dict[str, Any]:
    """Return the fields of a result that say what was found of a system."""
    told: dict[str, Any] = {"verdict": found.verdict.kind.value, "reason": found.verdict.reason}
    if found.multipliers is not None and np.isfinite(found.multipliers.interval).all():
        told |= _of_multipliers(found.multipliers)
    return told | {"decays": tuple(map(_of_decay, found.decays))}


def _of_multipliers(made: Multipliers) -> dict[str, Any]:
    pairs = tuple((float(value.real), float(value.imag)) for value in made.values[:20])
    largest = (made.largest, *map(float, made.interval))
    words = {"neutral": made.neutral, "direction": made.direction if len(pairs) else ""}
    return words | {"multipliers": pairs, "largest": largest, "step": dict(vars(made.step))}


def _of_decay(decay: Decay) -> dict[str, Any]:
    observed, predicted = decay.rates
    stored = {name: tuple(value) if isinstance(value, list) else value for name, value in decay.stored().items()}
    rates = {"rate": observed, "predicted_rate": predicted} if np.isfinite([observed, predicted]).all() else {}
    return stored | rates | {"agrees": decay.agrees, "forgotten": decay.forgotten}


def together(found: Sequence[Stability]) -> Stability:
    """Return one result of those from several starts.

    Its numbers are those of the start that forgets slowest; the intervals of the largest multiplier and of the rate at
    which nearby runs part span those of all starts. Where a start is not determined, so is the whole, unless others
    differ already.
    """
    known = [one for one in found if one.verdict != Kind.NOT_DETERMINED.value]
    kinds = {one.verdict for one in known}
    kind = (
        Kind.DEPENDS.value if len(kinds) > 1 else Kind.NOT_DETERMINED.value if len(known) < len(found) else kinds.pop()
    )
    slowest = max(known or found, key=lambda one: [(of or (-1e300,))[0] for of in (one.largest, one.parting)])
    return replace(
        slowest,
        verdict=kind,
        reason=_reason(found, slowest),
        largest=_spanned([one.largest for one in known or found]),
        parting=_spanned([one.parting for one in known or found]),
        starts=tuple(
            {name: getattr(one, name) for name in KEPT} | {"multipliers": one.multipliers[:SHOWN]} for one in found
        ),
        lines=tuple(dict.fromkeys(line for one in found for line in one.lines)),
        cpu=sum(one.cpu for one in found),
    )


def counts(starts: Sequence[Any]) -> str:
    """Return the number of starts with each verdict, for a table: their number alone where they agree."""
    kinds = [one["verdict"] for one in starts]
    numbers = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
    return ", ".join(numbers) if len(numbers) > 1 else str(len(kinds) or 1)


def _reason(found: Sequence[Stability], slowest: Stability) -> str:
    """Return the verdicts of the starts, the spread of the largest multiplier, and the reason of one or two starts."""
    seeds: dict[str, list[str]] = {}
    for one in found:
        seeds.setdefault(one.verdict, []).append(str(one.seed))
    differ = "; ".join(f"{kind} with seed {', '.join(of)}" for kind, of in seeds.items())
    words = [differ if len(seeds) > 1 else f"all {len(found)} starts"]
    values = sorted((one.largest[0], one.seed) for one in found if one.largest and one.verdict == slowest.verdict)
    if len(values) > 1:
        words.append(
            "the largest multiplier is from {:.3g} (seed {}) to {:.3g} (seed {})".format(*values[0], *values[-1])
        )
    doubtful = next((one for one in found if one.verdict == Kind.NOT_DETERMINED.value), slowest)
    told = {one.seed: one.reason for one in (slowest, doubtful)}
    return sentences(*words, *(f"seed {seed}: {reason}" for seed, reason in told.items()))


def _spanned(intervals: Sequence[Interval | None]) -> Interval | None:
    """Return the largest value with an interval that contains those of all; None if there are none."""
    there = [one for one in intervals if one]
    values, lows, highs = zip(*there, strict=True) if there else ((), (), ())
    return (max(values), min(lows), max(highs)) if there else None
