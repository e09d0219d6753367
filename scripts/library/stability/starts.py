"""One result of several starts: their verdict where they agree, else that it depends on the start."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tarsus.scripts.library.stability.result import Interval, Stability
from tarsus.scripts.library.stability.verdict import Kind, sentences

# What is kept of each start.
KEPT = ("seed", "verdict", "reason", "period", "speed", "largest", "observed", "decay_error", "parting", "multipliers")
SHOWN = 6  # multipliers of each


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
    """Return how many starts have which verdict, for a table: their number alone where they agree."""
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
