"""Ensembles of trials, and what a number of failures among them says of the share that survives.

A trial is a push or a change of the machine: its direction, the phase of the gait, its size and a seed. An ensemble has
its phases in as many equal parts of the period as there are phases, and its directions evenly within a sector: a
stratified sample, whose number of failures varies no more than the binomial distribution says (Hoeffding 1956).

Source: Clopper & Pearson, Biometrika 26 (1934), for the limits; W. Hoeffding, Ann. Math. Statist. 27 (1956), 713-721.
"""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Trial:
    """A push or a change of a machine."""

    direction: float  # in the ground plane, from forward towards left [rad]
    phase: float  # of the gait, from 0 to 1
    size: float  # of a push [m/s], of a change in its own unit; 0 in a member of an ensemble, which has no size yet
    seed: int  # of the steady run that it is made in

    def sized(self, size: float) -> "Trial":
        return Trial(self.direction, self.phase, float(size), self.seed)


def ensemble(
    direction: float = 0.0, half_width: float = 0.0, n_phases: int = 8, n_seeds: int = 8, first_seed: int = 0
) -> tuple[Trial, ...]:
    """Return the members of an ensemble: for each seed in turn one of each part of the period.

    The sector, about a direction [rad], has a half width [rad] of 0 for the direction alone. Steady runs count from
    `first_seed`; ensembles whose seeds differ are disjoint, and drawn independently. ValueError without members.
    """
    if n_phases < 1 or n_seeds < 1:
        raise ValueError(f"an ensemble needs at least one phase and one seed, got {n_phases} and {n_seeds}")
    if not half_width >= 0.0:
        raise ValueError(f"the half width of a sector must not be negative, got {half_width} rad")
    rng = np.random.default_rng((first_seed, round(math.degrees(direction) * 1e3) % 360_000))
    drawn = rng.random((n_seeds, n_phases, 2))
    return tuple(
        Trial(direction + half_width * (2.0 * across - 1.0), (k + along) / n_phases, 0.0, first_seed + j)
        for j, row in enumerate(drawn.tolist())
        for k, (along, across) in enumerate(row)
    )


def most_failures(n: int, share: float, tail: float) -> int:
    """Return the most failures in n trials that show that more than a share survives; -1 if not even none does.

    `tail` is the probability of so few failures where exactly that share survives, at most.
    """
    from scipy.stats import binom  # slow to import

    found = int(binom.ppf(tail, n, 1.0 - share))
    while found >= 0 and binom.cdf(found, n, 1.0 - share) > tail:
        found -= 1
    return found


def least_failures(n: int, share: float, tail: float) -> int:
    """Return the least failures in n trials that show that less than a share survives; n + 1 if not even n do.

    `tail` is the probability of so many failures where exactly that share survives, at most.
    """
    from scipy.stats import binom  # slow to import

    found = int(binom.isf(tail, n, 1.0 - share))
    while found <= n and binom.sf(found - 1, n, 1.0 - share) > tail:
        found += 1
    return found


def share_interval(n_survived: int, n_tried: int, confidence: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of the share that survives, from a number of trials fixed beforehand."""
    from scipy.stats import binomtest  # slow to import

    found = binomtest(n_survived, n_tried).proportion_ci(confidence, method="exact")
    return float(found.low), float(found.high)
