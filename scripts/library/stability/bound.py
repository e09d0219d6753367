"""A closed loop at a section of its gait, as a `System`: settled, its period found, displaced and run on."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tarsus.scripts.library.stability import cycle
from tarsus.scripts.library.stability.displacements import displace
from tarsus.scripts.library.stability.loop import Ended, Loop, State

LONGEST = 1000  # control periods in a period of the gait, at most
SECTIONS = 12  # that are compared
# How long it runs before, in turn, until it repeats [s], and the longest period that is looked for then.
SETTLE = (30.0, 400), (60.0, 400), (120.0, LONGEST), (240.0, LONGEST)
STILL = 1e-3  # motion of a body that stands, over a period [m], [rad]
# Typical values, at least: of positions [m] and angles [rad], of speeds, and of what is remembered.
FLOORS = 1e-2, 1e-1, 1e-2
PLACES = ("forward", "left", "yaw")


@dataclass(frozen=True)
class Settled:
    """A loop after a start, and how it repeats."""

    base: State  # where it stands
    steps: int | None  # control periods after which it comes back nearest; None if it does not
    found: cycle.Cycle | None  # how its sections follow each other; None without a period
    stands: bool  # whether its body does not move
    speed: float  # forward, mean over the recorded time [m/s]
    seconds: float  # since the start
    scale: np.ndarray  # typical values of the coordinates about `base`, shape (n,)
    drift: str = ""  # name of a coordinate that goes on, and its change a section; "" if none does
    gaps: tuple[float, ...] = ()  # distances of the sections from those a period before, in typical values
    clock: float | None = None  # control periods in a cycle of the environment's clock, mean; None if none goes on


class LoopSystem:
    """The stride of a settled loop, some control periods, see `system.System`: its derivative is by differences."""

    derivative = None

    def __init__(self, loop: Loop, settled: Settled, steps: int | None = None):
        self.loop, self.base, self.scale = loop, settled.base, settled.scale
        self.steps = steps or (settled.steps or 1) * (settled.found.multiple if settled.found else 1)
        self.names = loop.names_about(settled.base)
        n, places = 2 * loop.chart.model.nv, loop.chart.names
        self.hidden = np.arange(len(self.names)) >= n
        self.symmetric = PLACES if loop.chart.free else places[:1]
        self._nominal: list[State] = []

    def deviations(self, by: np.ndarray, strides: int) -> np.ndarray:
        """Return the distance of a displaced run from the one that is not, see `System`."""
        self._run_nominal(strides)
        displace(self.loop, by, self.base)
        found = np.full((strides + 1, len(by)), np.nan)
        found[0] = self.apart(self.base, self.loop.state()) if self.loop.exact else by
        for k in range(1, strides + 1):
            if not self.loop.advance(self.steps):
                break
            found[k] = self.apart(self._nominal[k], self.loop.state())
        return found

    def motion(self, strides: int) -> np.ndarray:
        """Return the displacement of the run that began without one, see `System`."""
        self._run_nominal(strides)
        return self.apart(self.base, self._nominal[strides])

    def apart(self, about: State, state: State) -> np.ndarray:
        """Return coordinates of a state about another; joints count no whole turns."""
        return _apart(self.loop, about, state)

    def _run_nominal(self, strides: int) -> None:
        """Keep where the run that is displaced by nothing is after so many strides."""
        if not self._nominal:
            self._nominal = [self.base]
        if len(self._nominal) > strides:
            return
        displace(self.loop, np.zeros(len(self.names)), self.base)
        self._nominal = [self.base]
        for _ in range(strides):
            if not self.loop.advance(self.steps):
                raise Ended(f"the gait ended at {self.loop.time:.2f} s: {self.loop.ended}")
            self._nominal.append(self.loop.state())


def settle(loop: Loop, seed: int = 0, said: Callable[[str], None] = lambda words: None) -> Settled:
    """Return the place of a loop after a start, and its repetition, waiting while it settles; or Ended."""
    loop.reset(seed)
    for seconds, longest in SETTLE:
        said(f"settling for {seconds:g} s")
        _go_on(loop, round(seconds / loop.ctrl_dt) - round(loop.time / loop.ctrl_dt))
        settled = look(loop, longest)
        if settled.stands or (settled.found and settled.found.periodic):
            break
    loop.steps_per_period = settled.steps
    return settled


def _go_on(loop: Loop, steps: int) -> None:
    if not loop.advance(max(steps, 0)):
        raise Ended(f"after {loop.time:.2f} s: {loop.ended}")


def look(loop: Loop, longest: int = LONGEST) -> Settled:
    """Return the course of a loop from where it is: its period, and how its sections follow each other."""
    states, before = [loop.state()], loop.cycles
    for _ in range(2 * longest):
        _go_on(loop, 1)
        states.append(loop.state())
    clock = 2 * longest / (loop.cycles - before) if before is not None and loop.cycles > before else None
    nv, free = loop.chart.model.nv, loop.chart.free
    track = np.array([_compared(loop, states[0], state) for state in states])
    scale = _typical(loop, states)
    spread = np.where(track[:, : 2 * nv].std(0) > 0, scale[: 2 * nv], 1.0)
    moved = loop.apart(states[0], states[-1])
    speed = float(moved[0] / (2 * longest * loop.ctrl_dt)) if free else float(states[-1].info["speed"])
    if np.ptp(track[-longest:, :nv], axis=0).max() < STILL and abs(speed) < STILL:
        return Settled(states[-1], None, None, True, speed, loop.time, scale)
    distance = np.max([_distances(loop, states, k, longest, spread) for k in (longest // 2, longest)], axis=0)
    steps = cycle.period_of(distance)
    if steps is None:
        return Settled(states[-1], None, None, False, speed, loop.time, scale, clock=clock)
    sections = [states[-1]]
    for _ in range(SECTIONS):
        _go_on(loop, steps)
        sections.append(loop.state())
    rows = np.array([_compared(loop, sections[0], state) for state in sections]) / spread
    found = cycle.classify(rows)
    if found.drift and not _goes_on(track[:, found.drift[0]] / spread[found.drift[0]], steps, found.drift[1]):
        found = replace(found, kind=cycle.Repetition.QUASI_PERIODIC, drift=None)
    drift = loop.chart.names[found.drift[0]] if found.drift else ""
    gaps = tuple(cycle.gaps(rows, found.multiple).tolist())
    return Settled(sections[-1], steps, found, False, speed, loop.time, scale, drift, gaps, clock)


def _goes_on(path: np.ndarray, steps: int, change: float) -> bool:
    """Whether means over periods change by as much as sections do: else it is the phase of the sections that does."""
    n = len(path) // steps
    means = path[: n * steps].reshape(n, steps).mean(1)
    return n > 1 and abs(np.diff(means).mean()) > 0.5 * abs(change)


def _distances(loop: Loop, states: list[State], at: int, longest: int, spread: np.ndarray) -> np.ndarray:
    """Return the distances of a state from those of so many samples later, shape (longest + 1,)."""
    apart = np.array([_compared(loop, states[at], states[at + k]) for k in range(longest + 1)]) / spread
    return np.sqrt(np.mean(apart**2, axis=1))


def _compared(loop: Loop, about: State, state: State) -> np.ndarray:
    """Return position and velocity about another state without place, heading and whole turns, shape (2 nv,)."""
    moved = _apart(loop, about, state)[: 2 * loop.chart.model.nv]
    moved[[0, 1, 5] if loop.chart.free else [0]] = 0.0
    return moved


def _apart(loop: Loop, about: State, state: State) -> np.ndarray:
    """Return coordinates of a state about another without whole turns of joints, shape (n,)."""
    moved, joints = loop.apart(about, state), np.flatnonzero(loop.chart.turns)
    moved[joints] -= 2.0 * np.pi * np.round(moved[joints] / (2.0 * np.pi))
    return moved


def _typical(loop: Loop, states: list[State]) -> np.ndarray:
    """Return typical values of all coordinates: their spread over a gait, or the least, shape (n,)."""
    nv = loop.chart.model.nv
    track = np.array([loop.apart(states[0], state) for state in states])
    spread = np.nan_to_num(track.std(0), nan=0.0, posinf=0.0)
    least = np.full(len(spread), FLOORS[2])
    least[:nv], least[nv : 2 * nv] = FLOORS[0], FLOORS[1]
    spread[[0, 1, 5] if loop.chart.free else [0]] = 0.1
    spread[:nv] = np.minimum(spread[:nv], 1.0)
    return np.maximum(spread, least)
