"""Whether a run repeats: after how many sections, or why it does not."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

REPEATS = 1e-4  # distance of two sections, in typical values, that is none
SETTLES = 0.7  # factor over half of the sections by which a distance shrinks that is on its way to none
NEAR = 3e-2  # distance of two sections that settle, at most
DRIFTS = 5.0  # mean change of a coordinate over the standard deviation of its changes, of a drift
GROWS = 10.0  # times over the sections: a displacement that grows, or decays so much
CLOSE = 0.2  # of the size of the set of sections: a near return
MOST = 64  # sections in a cycle


class Repetition(Enum):
    """How the sections of a run follow each other."""

    PERIODIC = "the sections repeat"
    SETTLING = "the sections come closer and closer, but the run is too short to see them repeat"
    DRIFT = "a coordinate goes on in one direction from section to section"
    DRIVEN = "the sections never repeat, though runs that begin next to each other come together: all follow the clock"
    QUASI_PERIODIC = "the sections come back near each other again and again, but never repeat"
    CHAOTIC = "the sections do not repeat, and runs that begin next to each other part"


@dataclass(frozen=True)
class Cycle:
    """What a sequence of sections is."""

    kind: Repetition  # how they follow each other
    multiple: int  # after how many they repeat; 1 where they do not
    residual: float  # distance of the last from the one so many before, in typical values
    # index of the coordinate that goes on, and its change a section; None if none does
    drift: tuple[int, float] | None = None

    @property
    def periodic(self) -> bool:
        """Whether they repeat, or are seen to come to that."""
        return self.kind is Repetition.PERIODIC


def classify(sections: np.ndarray, growth: float = 1.0, noise: float = REPEATS) -> Cycle:
    """Return the kind of a sequence of sections, in typical values, without symmetries, shape (m, n), past its start.

    `growth` is the factor by which a tiny displacement grew over them, `noise` a distance that is none.
    """
    m = len(sections)
    late = m // 2
    apart = {lag: gaps(sections, lag) for lag in range(1, min(MOST, m // 3) + 1)}
    for lag, gap in apart.items():
        if gap[late - lag :].max() <= noise:
            return Cycle(Repetition.PERIODIC, lag, float(gap[-1]))
    drift = _drift(sections[late:])
    if drift:
        return Cycle(Repetition.DRIFT, 1, float(apart[1][-1]), drift)
    lag = min(apart, key=lambda lag: apart[lag][-lag:].max())
    gap, half = apart[lag], len(apart[lag]) // 2
    if gap[-lag:].max() < SETTLES * gap[half : half + lag].max() and gap[-lag:].max() < NEAR:
        return Cycle(Repetition.SETTLING, lag, float(gap[-1]))
    kind = kind_of(growth > GROWS, growth < 1.0 / GROWS)
    return Cycle(kind, 1, float(min(gap.min() for gap in apart.values())))


def kind_of(parts: bool, meets: bool) -> Repetition:
    """Return the kind of a run that neither repeats nor drifts, by whether nearby runs part or come together."""
    if parts:
        return Repetition.CHAOTIC
    return Repetition.DRIVEN if meets else Repetition.QUASI_PERIODIC


def gaps(sections: np.ndarray, lag: int) -> np.ndarray:
    """Return the distances of sections from those so many before, root of the mean square, shape (m - lag,)."""
    return np.sqrt(np.mean((sections[lag:] - sections[:-lag]) ** 2, axis=1))


def _drift(sections: np.ndarray) -> tuple[int, float] | None:
    """Return the coordinate whose changes are most alike, and their mean, if they are alike enough."""
    changes = np.diff(sections, axis=0)
    mean, spread = changes.mean(0), changes.std(0)
    worth = np.abs(mean) / np.maximum(spread, 1e-12)
    worth[np.abs(mean) < REPEATS] = 0.0
    k = int(np.argmax(worth))
    one_way = (np.sign(changes[:, k]) == np.sign(mean[k])).all()
    shrinks = abs(changes[-1, k]) < SETTLES * abs(changes[0, k])
    return (k, float(mean[k])) if worth[k] > DRIFTS and one_way and not shrinks else None


def period_of(distance: np.ndarray, nearest: int = 2) -> int | None:
    """Return the number of samples after which a run comes back nearest, the smallest of those about as near, or None.

    `distance` is from where it was k samples before, in typical values, shape (m,) for k = 0, 1, ... Fewer than
    `nearest` are not looked at; None if it never comes back within `CLOSE`.
    """
    inner = np.arange(nearest, len(distance) - 1)
    inner = inner[(distance[inner] <= distance[inner - 1]) & (distance[inner] <= distance[inner + 1])]
    if not len(inner):
        return None
    best = distance[inner].min()
    good = inner[distance[inner] <= max(2.0 * best, REPEATS)]
    return int(good[0]) if best < CLOSE else None
