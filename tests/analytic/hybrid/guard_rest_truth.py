"""What a log must say about a case of the family *rest*, told from the zeros of its flights and the rule alone.

A guard that has certainly been positive since its last event is armed. Zero at rest is neither negative nor an event.
What becomes negative without being armed does as `on_entry` says; what has been declined, has fired and not been moved,
or is ignored waits until it is positive, whether or not it is zero in between.

A run cannot know a flight that stays within `SURE` times what it may be wrong by, or two marks closer than `NEAR`; such
cases are excused. A guard is seen to leave its rest where it is beyond that; a difference of states that move together
is looked at less and less closely while it rests.
"""

from __future__ import annotations

from dataclasses import dataclass

from guard_rest import (
    ACT,
    BY,
    BY_ACT,
    BY_STATE,
    COUNT,
    COUNTED,
    DECLINE,
    FLIGHT,
    GATE,
    LAND,
    PUT,
    SCALE,
    START,
    TOLERANCE,
    A,
    B,
    C,
    Case,
    M,
    T,
)
from guard_values import EPS

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status

ROUNDING = 64.0  # of a step's dense output, in units of EPS times the size of its terms
ERRORS = 100.0  # tolerances that the states may be off by, where a flight begins inside the field
SURE = 1e3
NEAR = 1e-11  # relative to 1 s or the time
LOOSE = 0.02  # of a step: how late a difference may be seen to leave
UNIT = 64.0 * EPS  # relative to the times of a run: how far an event may be from its time


@dataclass
class Mark:
    """Where the guard of a phase gets another sign, and how early and late a run may see it."""

    t: float  # [s]
    sign: int
    crossed: float = 0.0  # how far off if it was not zero before [s]
    left: float = 0.0  # how late if it was [s]
    early: float = 0.0  # [s]


def noise(case: Case, k: int) -> float:
    """Return how far from the exact height the one of a run may be in the flight of phase `k`."""
    size, start = case.terms(k), case.phases[int(case.phases[k][FLIGHT])][T]
    clock = (abs(case.t0) + case.length) / (case.ends[k] - start)
    rounded = ROUNDING * (case.steps + len(case.phases)) * EPS * ((1.0 + clock) * size + case.p[M] * case.sizes[B])
    return rounded + (ERRORS * TOLERANCE * case.sizes[A] if case.inside else 0.0)


def height(c: list[float], s: float) -> float:
    """Return the polynomial of a flight."""
    value = 0.0
    for a in reversed(c):
        value = (value + a) * s
    return value


def rate(c: list[float], s: float) -> float:
    """Return its derivative."""
    return sum(i * a * s ** (i - 1) for i, a in enumerate(c, 1))


def marks(case: Case, k: int, landed: bool) -> tuple[list[Mark], bool]:
    """Return the marks of a phase, the first at its beginning, and whether a run can know them all."""
    p, phase, begin, end = case.p, case.phases[k], case.phases[k][START], case.ends[k]
    if landed or phase[FLIGHT] < 0 or phase[GATE] == 0.0:
        return [Mark(begin, 0)], True
    flight = case.phases[int(phase[FLIGHT])]
    start, c, off = flight[T], flight[C:], noise(case, k)
    power = next(i for i, a in enumerate(c, 1) if a != 0.0)
    loose = LOOSE * p[M] * case.length / case.steps
    way = 1 if p[SCALE] > 0.0 else -1
    up = c[power - 1] > 0.0
    signs = {True: way, False: -way}
    found = [Mark(begin, 0), Mark(start, signs[up])] if start > begin else [Mark(begin, signs[up])]
    if start >= begin:
        found[-1].left = (SURE * off / abs(c[power - 1])) ** (1.0 / power) + loose
        found[-1].early = found[-1].left if start > begin else 0.0
    for root in case.roots[int(phase[FLIGHT])]:
        up, t = not up, start + root
        if t >= end:
            break
        if t > begin:
            slope = abs(rate(c, root))
            crossed = (40.0 if case.inside else 4.0) * off / slope  # the estimate of an error may see little of a jump
            found.append(Mark(t, signs[up], crossed, SURE * off / slope + loose, crossed))
        else:
            found[0].sign = signs[up]
    known = True
    for a, b in zip(found, [*found[1:], Mark(end, 0)], strict=True):
        known &= a.t + max(a.left, a.crossed) + NEAR * (1.0 + abs(a.t)) < b.t - b.early
        known &= a.t < start or abs(height(c, 0.5 * (a.t + b.t) - start)) > SURE * off
    return found, known


class Story:
    """What must happen in a case.

    Attributes:
        lines: Of the log: time [s], how much earlier and later it may be [s], name, kind.
        status: Of the run.
        end: The mark at which it ends.
        known: Whether a run can know it all.
    """

    def __init__(self, case: Case) -> None:
        self.case, self.lines = case, []
        self.arm, self.sign, self.landed = "rest", 0, False
        self.status, self.end, self.known = Status.FINAL_TIME, Mark(case.t0 + case.length, 0), True
        for k in range(len(case.phases)):
            self.begin(k)
            if self.status is not Status.FINAL_TIME:
                break
        if case.p[BY] < self.end.t:
            kind = "declined" if case.p[BY_ACT] == DECLINE else "transition"
            self.lines.append((case.p[BY], 0.0, 0.0, "bystander", kind))
            self.lines.sort(key=lambda line: line[0])

    def begin(self, k: int) -> None:
        """Tell a phase."""
        case, by = self.case, self.case.p[BY]
        if k > 0:
            name = "level" if case.phases[k][BY_STATE] else "time"
            self.lines.append((case.phases[k][START], 0.0, 0.0, name, "transition"))
        if case.phases[k][PUT]:
            self.landed = False
        found, known = marks(case, k, self.landed)
        self.known &= known
        for mark in found:
            apart = 2.0 * max(mark.left, mark.crossed, mark.early) + NEAR * (1.0 + abs(by))
            self.known &= abs(by - mark.t) > apart
        for mark in found:
            self.meet(mark, mark is found[0])
            if self.status is not Status.FINAL_TIME or self.landed:
                return

    def meet(self, mark: Mark, entry: bool) -> None:
        """Go on to a mark: the beginning of a phase, or a zero within."""
        before, self.sign = self.sign, mark.sign
        if self.case.direction == 0:
            if before != 0 and mark.sign != before and not entry:
                self.fire(mark, mark.crossed)
            return
        u = -self.case.direction * mark.sign
        if u > 0:
            self.arm = "armed"
        elif self.arm == "armed" and not entry:
            self.fire(mark, mark.crossed)
        elif u == 0:
            self.arm = "waits" if self.arm == "waits" else "rest"
        elif self.arm != "waits":
            self.leave(mark)

    def leave(self, mark: Mark) -> None:
        """Become negative without having been armed: `on_entry` decides."""
        entry = self.case.entry
        later = any(line[0] <= mark.t for line in self.lines) or self.case.p[BY] < mark.t
        if entry == "fire":
            self.fire(mark, mark.left)
        elif entry == "ignore" or (entry == "ignore_later" and later):
            self.arm = "waits"
        else:
            self.status, self.end = Status.INVALID_ENTRY, mark

    def fire(self, mark: Mark, late: float) -> None:
        """Be an event."""
        case = self.case
        kind = "declined" if case.p[ACT] == DECLINE else "transition"
        self.lines.append((mark.t, mark.early, late, f"zero_{case.direction + 1}_{case.entry}", kind))
        self.arm = "waits"
        if case.p[ACT] == LAND:
            self.arm, self.landed, self.sign = "rest", True, 0


def complaints(case: Case, r: hy.Result) -> tuple[list[str], bool]:
    """Return what is wrong with a run, as sentences, and whether a run can know what is right."""
    story = Story(case)
    if not story.known:
        return [], False
    found = list(zip(r.events.t.tolist(), r.events.name.tolist(), r.events.kind.tolist(), strict=True))
    if r.status is not story.status or [line[1:] for line in found] != [line[3:] for line in story.lines]:
        return [f"{r.message}: {found}, not {story.status.name} at {story.end.t!r}: {story.lines}"], True
    room = UNIT * (2.0 * abs(case.t0) + case.length)
    times = [*r.events.t.tolist(), r.t_end]
    lines = [*story.lines, (story.end.t, story.end.early, story.end.left, "the end", "")]
    wrong = [
        f"{name} at {t!r}, not at {exact!r}, -{early:.1e}, +{late:.1e}"
        for t, (exact, early, late, name, _) in zip(times, lines, strict=True)
        if not exact - early - room <= t <= exact + late + room
    ]
    if story.status is Status.FINAL_TIME:
        rests = story.landed or case.phases[-1][FLIGHT] < 0
        if rests and r.x_end[A] != case.p[M] * r.x_end[B]:
            wrong.append(f"does not rest at the end: {r.x_end}")
        counted = sum(line[3].startswith("zero") for line in story.lines) if case.p[ACT] == COUNT else 0
        if r.d_end[COUNTED] != counted:
            wrong.append(f"has counted {r.d_end[COUNTED]:.0f} of {counted} events")
    return wrong, True


def only_times(wrong: list[str]) -> bool:
    """Return whether only times are wrong: every event is there, and no other."""
    return all(", not at " in one for one in wrong)
