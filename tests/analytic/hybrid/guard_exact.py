"""What a log of events may say, decided with 50 digits.

Between two neighbouring nodes a guard is monotone. A node is decided if the guard there is more than twice its rounding
away from zero, and if the zeros beside it, if any, are further apart than 16 units of round-off in time. Between two
decided neighbours of different sign there is exactly one event, at the zero; between two of the same sign there is
none. Nodes that are not decided, which a run cannot know, join what lies between the decided ones around them: one
event at least if these differ in sign, none at least if not, and at most one for each zero that there may be.

The ends of a run are nodes like all others: a zero within its rounding of an end may be an event or not. But if the
guard is computed as exactly zero at the start, that zero is none.
"""

from __future__ import annotations

import mpmath as mp
from guard_values import (
    COMPONENT,
    DISTANCE,
    EXTREMES,
    FOOT,
    INSTANT,
    RATE,
    SCALE,
    SINE,
    TERMS,
    A,
    X,
    Y,
    rounding,
    value_at,
)

DIGITS = 50
SURE = 1e4  # times its rounding: a value in floats this large has the exact one's sign


def polynomial(p, first: int, z):
    """Return x or y at z, exact but for the 50th digit."""
    c = [mp.mpf(float(p[first + k])) for k in range(TERMS)]
    odd = mp.fsum(c[k] * (-1) ** k for k in range(1, TERMS))
    return mp.polyval([*c[:0:-1], c[0] - odd], z)


def value(family: int, p, t):
    """Return the guard on the exact solution at `t`, of mpmath's numbers."""
    a = [mp.mpf(float(v)) for v in p[A : A + 6]]
    scale = mp.mpf(float(p[SCALE]))
    if family == SINE:
        return scale * (mp.sin(a[0] * t + a[1]) - a[2])
    z = mp.mpf(float(p[RATE])) * t - 1
    x = polynomial(p, X, z)
    if family == COMPONENT:
        return scale * (x - a[0])
    if family not in (DISTANCE, FOOT, EXTREMES):
        return scale * mp.fprod(x - r for r in a)
    y = polynomial(p, Y, z)
    if family == DISTANCE:
        return scale * (mp.sqrt((x - a[0]) ** 2 + (y - a[1]) ** 2) - a[2])
    if family == FOOT:
        return scale * (x - a[0] * mp.cos(y) - a[1] * mp.cos(a[2] * y) - a[3])
    return scale * max(min(x - a[0], y - a[1]), a[2] - x)


def sign(v) -> int:
    return int(v > 0) - int(v < 0)


class Judge:
    """The exact guard of a case over its run."""

    def __init__(self, family: int, p, t0: float, t1: float, state: float) -> None:
        self.family, self.p, self.t0, self.t1, self.state = family, p, t0, t1, state

    def sign_at(self, t: float) -> int:
        """Return the guard's sign."""
        v = value_at(self.family, self.p, t)
        if abs(v) > SURE * rounding(self.family, self.p, t, self.state):
            return sign(v)
        return sign(value(self.family, self.p, mp.mpf(t)))

    def instant(self, t: float) -> float:
        """Return what cannot be told apart in time around `t`."""
        return INSTANT * (abs(t) + self.t1 - self.t0)

    def decided(self, t: float) -> int:
        """Return the guard's sign at a node, or 0 if a run cannot know it."""
        noise = 2.0 * rounding(self.family, self.p, t, self.state)
        if not abs(value_at(self.family, self.p, t)) > SURE * noise:
            if not abs(value(self.family, self.p, mp.mpf(t))) > noise:
                return 0
        here = self.sign_at(t)
        around = [s for s in (t - self.instant(t) / 2, t + self.instant(t) / 2) if self.t0 < s < self.t1]
        return here if any(self.sign_at(s) == here for s in around) else 0

    def is_zero(self, t: float) -> bool:
        """Return whether the guard is zero at `t` within its rounding, or changes sign within an instant of it."""
        if abs(value(self.family, self.p, mp.mpf(t))) <= 2.0 * rounding(self.family, self.p, t, self.state):
            return True
        a, b = max(self.t0, t - self.instant(t)), min(self.t1, t + self.instant(t))
        return sign(value(self.family, self.p, mp.mpf(a))) != sign(value(self.family, self.p, mp.mpf(b)))


def judge(family, p, t0, t1, nodes, direction, state, events) -> tuple[list[str], int]:
    """Return what is wrong with the times of events, as sentences, and how many places a run cannot know.

    Args:
        family: Of the guard.
        p: Parameters of the case.
        t0: Start of the run [s].
        t1: Its end [s].
        nodes: Times between which the guard is monotone [s].
        direction: -1, 0 or +1.
        state: Rounding of the run's states, see `guard_values.rounding`.
        events: Times, as a run logged them [s].
    """
    with mp.workdps(DIGITS):
        exact = Judge(family, p, t0, t1, state)
        marks = [t0, *(float(t) for t in nodes if t0 < t < t1), t1]
        signs = [exact.decided(t) for t in marks]
        rooted = value_at(family, p, t0) == 0.0
        signs[0] = 0 if rooted else signs[0]
        wrong = [f"invented {t!r}" for t in events if t <= t0 or not exact.is_zero(t)]
        unknown = first = 0
        for last in range(1, len(marks)):
            if signs[last] == 0 and last < len(marks) - 1:
                continue
            pieces = last - first - (rooted and first == 0)
            least, most = bounds(signs[first], signs[last], pieces, direction)
            unknown += most > least
            found = sum(marks[first] < t <= marks[last] for t in events)
            if not least <= found <= most:
                wanted = str(least) if least == most else f"{least} to {most}"
                wrong.append(f"{found} events in ({marks[first]!r}, {marks[last]!r}], where there are {wanted}")
            first = last
        return wrong, unknown


def bounds(before: int, after: int, pieces: int, direction: int) -> tuple[int, int]:
    """Return how many events there are at least and at most in so many monotone pieces between two signs."""
    must = int(before * after < 0 and direction in (0, after))
    if before and after and pieces == 1:
        return must, must
    return must, pieces if direction == 0 else (pieces + 1) // 2
