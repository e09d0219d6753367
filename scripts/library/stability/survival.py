"""The threshold of an ensemble: the largest size below which a share of it survives; monotony is not assumed.

The share s(x) of an ensemble that survives the size x need not fall with x: a gait may fall at a size and survive a
larger one. The threshold is sup {x: s(y) >= share for all y <= x}. It is found by a grid of sizes, halving of the
bracket of the first size at which too many fail, and sizes tried below that in search of others: `Settings.checks`.
What survives above it is listed as islands. Pockets narrower than the distance of the sizes tried can be missed.

Interval: with n members and k(x) failures, the threshold is at least the size before the first at which k exceeds a,
P(B <= a) <= tail, and at most the first at which k reaches b, P(B >= b) <= tail / m, for B binomial with n and
1 - share, and m sizes of the grid and the halving. The lower end needs no correction: were it above the threshold,
k <= a would hold at the very size where the share is first too low. The upper end has one as only the first of m sizes
where k reaches b counts; where every member has a threshold of its own it is on the safe side.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.stability.ensembles import Trial, least_failures, most_failures
from tarsus.scripts.library.stability.survey import Survey, Survives

FOUND, AT_LEAST, NONE = "found", "at least", "none"


@dataclass(frozen=True)
class Settings:
    """How a threshold is looked for."""

    share: float = 0.95  # of the ensemble that is to survive
    confidence: float = 0.9  # of the interval
    n_sizes: int = 6  # of the grid, evenly up to the bound
    halvings: int = 3  # of the grid's distance: the resolution
    checks: int = 2  # sizes tried below a threshold, in the widest gaps
    batch: int = 16  # members that are tried together

    def __post_init__(self) -> None:
        for name in ("share", "confidence"):
            if not 0.0 < getattr(self, name) < 1.0:
                raise ValueError(f"{name} must lie between 0 and 1, got {getattr(self, name)}")
        if self.n_sizes < 1 or self.halvings < 0 or self.checks < 0 or self.batch < 1:
            raise ValueError(f"n_sizes and batch must be at least 1, halvings and checks at least 0, got {self}")

    def limits(self, n: int) -> tuple[int, int, int]:
        """Return numbers of failures in n trials: at most for the lower end, for the share, at least for the upper."""
        tail = 0.5 * (1.0 - self.confidence)
        held = math.floor(n * (1.0 - self.share) + 1e-9)
        most = most_failures(n, self.share, tail)
        return most, held, least_failures(n, self.share, tail / (self.n_sizes + self.halvings))


@dataclass(frozen=True)
class Island:
    """Sizes above the threshold at which the share survives again."""

    first: float  # the smallest
    last: float  # the largest; neighbouring sizes that were tried fail
    share: float  # the least share that survives there


@dataclass(frozen=True)
class Threshold:
    """The largest size below which a share of an ensemble survives."""

    status: str  # `FOUND`; `AT_LEAST` if the share survives every size up to the bound; `NONE` if not even the least
    value: float  # the largest size that was tried with enough survivors there and at all below; 0 for `NONE`
    low: float  # the interval's lower end; 0 if nothing could be shown
    high: float | None  # its upper end, the least size shown to be too large; None if none was
    share: float  # that is to survive
    confidence: float  # of the interval
    n_members: int  # of the ensemble
    resolution: float  # to which sizes were halved
    bound: float  # the largest size that was tried
    sizes: tuple[float, ...]  # all sizes that were tried, in order
    survived: tuple[int, ...]  # members that survived each of them
    tried: tuple[int, ...]  # members that were tried at each: fewer than all where enough of them failed
    islands: tuple[Island, ...] = ()  # above the threshold

    def agrees(self, other: "Threshold") -> bool:
        """Return whether the intervals of two thresholds overlap."""
        ends = [math.inf if one.high is None else one.high for one in (self, other)]
        return max(self.low, other.low) <= min(ends)

    @property
    def cell(self) -> str:
        """What is known, for a table: the value and its interval."""
        if self.status != FOUND:
            return f"under {min(self.sizes):.3g}" if self.status == NONE else f"at least {self.bound:.3g}"
        if self.high is None:
            return f"{self.value:.3g} ({self.low:.3g} to at least {self.bound:.3g})"
        return stamp.interval(self.value, self.low, self.high)

    def message(self, unit: str = "") -> str:
        """Return the finding in a sentence."""
        unit = f" {unit}" if unit else ""
        who = f"{self.share:.0%} of {self.n_members} trials survive"
        if self.status == NONE:
            return f"fewer than {who} {min(self.sizes):.3g}{unit}, the least size that was tried"
        if self.status == AT_LEAST:
            shown = f" (shown up to {self.low:.3g}{unit})" if self.low < self.bound else ""
            return f"{who} at least up to {self.bound:.3g}{unit}, the largest size that was tried{shown}"
        end = f"at least {self.bound:.3g}" if self.high is None else f"{self.high:.3g}"
        text = f"{who} up to {self.value:.3g}{unit} ({self.low:.3g} to {end}, confidence {self.confidence:.0%})"
        again = ", ".join(f"{one.first:.3g} to {one.last:.3g}{unit}" for one in self.islands)
        return f"{text}; and again {again}" if again else text


def threshold(
    survives: Survives, members: Sequence[Trial], bound: float, settings: Settings = Settings(), step: float = 0.0
) -> Threshold:
    """Return the threshold of an ensemble, members without a size, up to a bound, the largest size that is tried.

    `survives` tells of some trials which are survived, shape (n,) of bool, always the same. Sizes are whole multiples
    of `step`, as delays are; 0 for any. ValueError without members, or for a bound less than a step.
    """
    if not members:
        raise ValueError("an ensemble needs at least one member")
    if not bound > 0.0 or bound < step:
        raise ValueError(f"bound must be positive and at least a step of {step:g}, got {bound}")
    most, held, least = settings.limits(len(members))
    survey = Survey(survives, members, least, settings.batch, step)
    for k in range(1, settings.n_sizes + 1):
        if (size := survey.middle(0.0, 2.0 * bound * k / settings.n_sizes)) > 0.0:
            survey.ask(size)
    resolution = max(bound / settings.n_sizes / 2**settings.halvings, step)
    _look(survey, (max(most, 0), held, least - 1), settings.checks, resolution)
    (low, _), (value, above), (_, high) = map(survey.bracket, (most, held, least - 1))
    sizes = survey.sizes
    status = AT_LEAST if above is None else FOUND if value > 0.0 else NONE
    counts = tuple(survey.survived[x] for x in sizes), tuple(survey.tried[x] for x in sizes)
    known = settings.share, settings.confidence, len(members), resolution, sizes[-1]
    return Threshold(status, value, low, high, *known, tuple(sizes), *counts, islands(survey, held))


def _look(survey: Survey, levels: Sequence[int], checks: int, resolution: float) -> None:
    """Halve the brackets of levels of failures, and look below them, until what was found below changes nothing."""
    while True:
        found = [survey.refine(level, resolution) for level in levels]
        for _ in range(checks):
            survey.fill(found[1][0], resolution)
        if [survey.bracket(level) for level in levels] == found:
            return


def islands(survey: Survey, held: int) -> tuple[Island, ...]:
    """Return the sizes above the first that too many fail, at which so few fail again."""
    _, above = survey.bracket(held)
    found: list[list[float]] = [[]]
    for size in survey.sizes if above is not None else ():
        if size > above and survey.failures(size) <= held:
            found[-1].append(size)
        elif found[-1]:
            found.append([])
    least = [min(survey.survived[x] / survey.tried[x] for x in run) for run in found if run]
    return tuple(Island(run[0], run[-1], share) for run, share in zip(filter(None, found), least, strict=True))


def bound_of(
    survives: Survives, members: Sequence[Trial], first: float, most: float, n: int = 16, beyond: float = 1.5
) -> float:
    """Return a bound for `threshold`, up to `most`: beyond the first of doubled sizes at which fewer than half survive.

    Of the ensemble the first n members are tried, at sizes from `first` on.
    """
    size, few = first, members[:n]
    while size < most:
        if 2 * np.count_nonzero(survives([member.sized(size) for member in few])) < len(few):
            return min(beyond * size, most)
        size *= 2.0
    return most
