"""The verdict on a gait: one word, and the sentence that gives the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from tarsus.scripts.library.stability.decay import STRIDES, Decay
from tarsus.scripts.library.stability.multipliers import AGREE, FORGOTTEN, Multipliers

NO_DERIVATIVE = "a displaced run ends within a stride, however small the displacement: the stride has no derivative."
NEUTRAL = 1e-4  # distance of a multiplier from 1 that is none, where the interval is as narrow


class Kind(Enum):
    """What a gait is found to be."""

    STABLE = "stable"
    UNSTABLE = "unstable"
    NEUTRAL = "neutral"
    NOT_PERIODIC = "not periodic"
    FALLS = "falls"
    STANDS = "stands"
    STOCHASTIC = "stochastic"
    NOT_DETERMINED = "not determined"
    DEPENDS = "depends on the start"


@dataclass(frozen=True)
class Verdict:
    """What is said of a gait."""

    kind: Kind
    reason: str  # a sentence

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.reason}"


def sentences(*words: str) -> str:
    """Return words as sentences, of which the first follows a colon."""
    first, *more = (one.removesuffix(".") for one in words)
    return ". ".join([first, *(one[:1].upper() + one[1:] for one in more)]) + "."


def kink(system, found: Multipliers) -> float:
    """Return the difference of the slopes to both sides of the cycle along the eigenvector of the largest multiplier.

    Relative to the slope, the smaller of the differences at the step and at half of it: of a smooth map they are
    proportional to the step, of a kink they do not shrink. Where next to nothing is left on either side there is none.
    """
    worst = 0.0
    for direction in (found.vector.real, found.vector.imag):
        size = np.linalg.norm(direction)
        if size < 1e-3:
            continue
        apart, left = [], 0.0
        for h in (found.step.size, 0.5 * found.step.size):
            by = h * direction / size
            ahead, back = (sign * system.deviations(sign * by * system.scale, 1)[-1] / system.scale for sign in (1, -1))
            slope = 0.5 * np.linalg.norm(ahead + back)
            left = max(left, np.linalg.norm(ahead) / h, np.linalg.norm(back) / h)
            apart.append(np.linalg.norm(ahead - back) / max(slope, AGREE * h))
        if left > FORGOTTEN and apart[1] >= 0.7 * apart[0]:
            worst = max(worst, min(apart))
    return float(worst)


def judged(found: Multipliers, decays: Sequence[Decay], kinked: float, moved: float = 0.0) -> Verdict:
    """Return the verdict on a cycle from its multipliers, the observed decay, `kink` and `decay.motion`."""
    doubt = _doubt(found, decays, kinked, moved)
    if doubt:
        return Verdict(Kind.NOT_DETERMINED, doubt)
    low, high = found.interval
    if not len(found.values):
        return Verdict(Kind.NEUTRAL, f"nothing is left but symmetries ({', '.join(found.neutral)}).")
    if high < 1.0 - NEUTRAL or (high < 1.0 and high - low < 1.0 - high):
        words = (
            f"a displacement is {found.largest:.3g} times as large after a stride, at most ({low:.3g} to {high:.3g})."
        )
        return Verdict(Kind.STABLE, words)
    if low > 1.0 + NEUTRAL or (low > 1.0 and high - low < low - 1.0):
        return Verdict(Kind.UNSTABLE, f"a displacement grows {found.largest:.4g} times a stride, in {found.direction}.")
    if high - low < NEUTRAL and abs(found.largest - 1.0) < NEUTRAL:
        return Verdict(
            Kind.NEUTRAL, f"a displacement in {found.direction} neither grows nor decays: a multiplier is 1."
        )
    return Verdict(
        Kind.NOT_DETERMINED,
        f"the largest multiplier lies from {low:.4f} to {high:.4f}, which includes 1: differences tell no better.",
    )


def _doubt(found: Multipliers, decays: Sequence[Decay], kinked: float, moved: float) -> str:
    """Return the reason for which nothing can be said, or ""."""
    if not np.isfinite(found.matrix).all():
        return NO_DERIVATIVE
    if not found.agree:
        return (
            f"two derivatives disagree: the largest multiplier is {found.coarse:.4g} by differences at a step of "
            f"{found.step.size:.1g} typical values, and {found.largest:.4g} at half of it or by saltation matrices."
        )
    if kinked > AGREE:
        return (
            f"the stride has a kink: its slopes to both sides differ by {100 * kinked:.3g} %, as where the order of "
            "events changes, and no multiplier describes it."
        )
    wrong = [decay for decay in decays if not decay.agrees]
    if wrong:
        worst = max(wrong, key=lambda decay: np.nan_to_num(abs(np.subtract(*decay.rates)), nan=np.inf))
        observed, predicted = worst.rates
        words = [
            f"the observed decay disagrees with the prediction: {observed:.4g} times a stride and not {predicted:.4g}, "
            f"displaced {worst.name}"
        ]
        if moved * STRIDES > found.step.widest:  # while the decay is observed
            words.append(
                f"the sections move on by {moved:.1g} typical values a stride, and a derivative holds within "
                f"{found.step.widest:.1g} of them: it is another a few strides on"
            )
        return sentences(*words)
    return ""
