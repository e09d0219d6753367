"""The family *rest*: guards that are exactly zero and stay there, leave, and return.

A case is a sequence of phases. In each the state rests at zero, flies along a polynomial with chosen zeros, or goes on
as before; one begins at a time, at a level of another state, or inside the field, without an event. Another guard's
reset throws the state or puts it back to zero, some phases switch the guard off to exactly zero, and a
bystander fires in between. The states are what a method's dense output represents exactly, unless a
flight begins inside the field; then tolerances bound what may be asked of it.

What a log must say is told by `guard_rest_truth`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import numpy as np

from tarsus.analytic import hybrid as hy

DEGREE = {"dop853": 5, "dopri5": 4}  # of a flight whose dense output is exact, and the estimate of its error zero
DIRECTIONS = (-1, 0, 1)
ENTRIES = ("refuse", "fire", "ignore", "ignore_later")
# Layout of the parameters: those of all phases, then so many of each
SCALE, M, M0, M1, RATE, ACT, ONE, BY, BY_ACT, PHASES = range(10)
START, LEVEL, BY_STATE, FLIGHT, PUT, GATE, KIND, INSIDE, T, TL, C = range(11)  # C: the polynomial, from power 1
TERMS, MOST = 7, 6  # of a polynomial, and phases
STRIDE = C + TERMS
N_PARAMS = PHASES + STRIDE * (MOST + 1)
A, V, W, Y, B = range(5)  # the state: height above M times B, its rates, a clock, a ballast
PHASE, LANDED, COUNTED = range(3)  # the memory
CLOCK, AUTONOMOUS, CHAIN, BALL = range(4)  # what a flight's field is a function of
DECLINE, LAND, COUNT = range(3)  # what an event of the guard does
NEVER = 1e300
TOLERANCE = 1e-9  # relative to the sizes of the states, where a flight begins inside the field
SETTINGS = {"record_period": None, "zeno": False, "min_gap": 0.0, "graze_tol": 0.0, "max_charts": 100}


def model() -> hy.Model:
    """Return the model of all cases; a chart for each guard and phase, or for each guard."""
    table = [hy.Guard(f"zero_{d + 1}_{entry}", direction=d, on_entry=entry) for d in DIRECTIONS for entry in ENTRIES]
    n = len(table)
    table += [hy.Guard("time"), hy.Guard("level"), hy.Guard("bystander", on_entry="ignore")]
    state = {"a": 0.0, "v": 0.0, "w": 0.0, "y": 0.0, "b": 0.0}
    memory = {"phase": 0.0, "landed": 0.0, "counted": 0.0}
    model = hy.Model("rest", state=state, memory=memory, params={"p": np.zeros(N_PARAMS)})

    def flow(t, x, d, p, chart, dx):
        q = PHASES + STRIDE * (int(d[PHASE]) if p[ONE] != 0.0 else chart % 8)
        flight = int(p[q + FLIGHT])
        push = p[M0] + p[M1] * t
        still = p[M] * push
        dx[A] = still
        dx[V] = dx[W] = 0.0
        dx[Y] = p[RATE]
        dx[B] = push
        if flight < 0:
            return
        r = PHASES + STRIDE * flight
        kind = p[r + KIND]
        if kind == BALL:
            if x[V] != 0.0 or x[A] != p[M] * x[B]:
                dx[A] = still + x[V]
                dx[V] = 2.0 * p[r + C + 1]
        elif d[LANDED] != 0.0:
            return
        elif kind == CHAIN:
            dx[A] = still + x[V]
            dx[V] = x[W]
            dx[W] = 6.0 * p[r + C + 2]
        else:
            s = t - p[r + T] if kind == CLOCK else (x[Y] - p[r + TL]) / p[RATE]
            if s < 0.0:
                if p[r + INSIDE] != 0.0:
                    return
                s = 0.0  # the event was early by a unit of rounding: the flight begins there all the same
            u = 0.0
            for k in range(TERMS, 0, -1):
                u = u * s + k * p[r + C + k - 1]
            dx[A] = still + u

    def guards(t, x, d, p, chart, g):
        q = PHASES + STRIDE * (int(d[PHASE]) if p[ONE] != 0.0 else chart % 8)
        g[chart // 8] = p[SCALE] * p[q + GATE] * (x[A] - p[M] * x[B])
        q += STRIDE
        if p[q + BY_STATE] != 0.0:
            g[n + 1] = p[q + LEVEL] - x[Y]
        else:
            g[n] = p[q + START] - t
        g[n + 2] = p[BY] - t
        return n + 3

    def transition(t, x, d, p, chart, fired):
        if fired[n] or fired[n + 1]:
            phase = 1 + (int(d[PHASE]) if p[ONE] != 0.0 else chart % 8)
            q = PHASES + STRIDE * phase
            if p[q + PUT] != 0.0:
                x[A] = p[M] * x[B]
                x[V] = x[W] = 0.0
                d[LANDED] = 0.0
                if p[q + FLIGHT] == phase and p[q + KIND] >= CHAIN:
                    x[V] = p[q + C]
                    x[W] = 2.0 * p[q + C + 1] if p[q + KIND] == CHAIN else 0.0
            if p[ONE] == 0.0:
                return chart + 1
            d[PHASE] = phase
            return chart
        if fired[n + 2]:
            return hy.DECLINE if p[BY_ACT] == DECLINE else chart
        if p[ACT] == DECLINE:
            return hy.DECLINE
        if p[ACT] == COUNT:
            d[COUNTED] += 1.0
        else:
            x[A] = p[M] * x[B]
            x[V], x[W] = 0.0, 1.0  # which moves the state in any case
            d[LANDED] = 1.0
        return chart

    model.functions(field=flow, guards=guards, transition=transition, table=table)
    return model


@functools.cache
def simulator(method: str, mode: str = "compiled") -> hy.Simulator:
    """Return the compiled model."""
    return hy.compile(model(), method=method, mode=mode)


@dataclass
class Case:
    """One system and its run; everything follows from method and seed."""

    method: str
    seed: int
    t0: float = 0.0  # [s]
    length: float = 1.0  # [s]
    steps: int = 1  # at least
    direction: int = 0
    entry: str = "refuse"
    amplitude: float = 1.0
    inside: bool = False  # whether flights may begin without an event
    p: list[float] = field(default_factory=lambda: [0.0] * N_PARAMS, repr=False)
    x0: list[float] = field(default_factory=lambda: [0.0] * 5)
    phases: list[list[float]] = field(default_factory=list, repr=False)
    ends: list[float] = field(default_factory=list, repr=False)  # of the phases [s]
    roots: list[list[float]] = field(default_factory=list, repr=False)  # of flights, after their beginnings [s]

    @classmethod
    def of(cls, method: str, seed: int) -> Case:
        """Draw the case of a seed."""
        draws = iter(np.random.default_rng(seed).random(200).tolist())
        case = cls(method, seed)
        case.draw_run(draws)
        n = 1 + int(5.0 * next(draws))
        starts = sorted(next(draws) / 2 for _ in range(n - 1))
        starts = [case.t0 + case.length * u for u in [0.0, *(u + (k + 1) / (2 * n) for k, u in enumerate(starts))]]
        case.ends = [*starts[1:], case.t0 + case.length]
        for k, start in enumerate(starts):
            case.draw_phase(draws, k, start)
        case.p[PHASES:] = [v for phase in [*case.phases, [NEVER, *[0.0] * (STRIDE - 1)]] for v in phase]
        case.p += [0.0] * (N_PARAMS - len(case.p))
        first = case.phases[0]
        case.x0 = [0.0, 0.0, 0.0, 0.0, case.amplitude * between(draws, -2.0, 1.0, 10.0)]
        case.x0[A] = case.p[M] * case.x0[B]
        if first[FLIGHT] == 0 and first[KIND] >= CHAIN:
            case.x0[V] = first[C]
            case.x0[W] = 2.0 * first[C + 1] if first[KIND] == CHAIN else 0.0
        return case

    def draw_run(self, draws) -> None:
        """Draw what all phases share."""
        p = self.p
        self.t0 = 0.0 if next(draws) < 0.5 else between(draws, -10.0, 10.0)
        self.length = 1.0 if next(draws) < 0.5 else 2.0 ** int(between(draws, -8.0, 9.0))
        self.steps = 1 + int(5.0 * next(draws))
        self.direction, self.entry = DIRECTIONS[int(3.0 * next(draws))], ENTRIES[int(4.0 * next(draws))]
        self.amplitude = between(draws, -4.0, 4.0, 10.0)
        self.inside = next(draws) < 0.2
        p[SCALE] = either(draws) * between(draws, -9.0, 9.0, 10.0)
        p[RATE] = between(draws, -2.0, 2.0, 10.0)
        p[ONE] = next(draws) < 0.5
        fresh = self.direction != 0 and self.entry in ("refuse", "fire")  # who counts enters its chart below zero
        p[ACT] = int((2.0 if fresh else 3.0) * next(draws))
        p[BY] = self.t0 + self.length * next(draws) if next(draws) < 0.4 else NEVER
        p[BY_ACT] = int(2.0 * next(draws))
        p[M] = next(draws) < 0.15
        push = p[M] * self.amplitude * between(draws, -3.0, 1.0, 10.0) / self.length
        p[M0], p[M1] = between(draws, -1.0, 1.0) * push, between(draws, -1.0, 1.0) * push / self.length

    def draw_phase(self, draws, k: int, start: float) -> None:
        """Draw a phase: rest, a flight of its own, or whatever was before."""
        phase = [0.0] * STRIDE
        phase[START], phase[LEVEL] = start, (start - self.t0) * self.p[RATE]
        phase[BY_STATE] = k > 0 and next(draws) < 0.5
        phase[GATE] = next(draws) < 0.85
        act = next(draws)
        phase[PUT] = k == 0 or act < 0.8
        phase[FLIGHT] = k if act < 0.6 else (-1 if phase[PUT] else self.phases[-1][FLIGHT])
        self.roots.append(self.draw_flight(draws, phase, self.ends[k] - start))
        self.phases.append([float(v) for v in phase])

    def draw_flight(self, draws, phase: list[float], gap: float) -> list[float]:
        """Draw the flight of a phase that lasts `gap`; return its zeros after its beginning."""
        phase[INSIDE] = self.inside and next(draws) < 0.7
        late = gap * between(draws, 0.0, 0.5) if phase[INSIDE] else 0.0
        phase[T], phase[TL] = phase[START] + late, phase[LEVEL] + late * self.p[RATE]
        gap -= late
        phase[KIND] = kind = int((2.0 if self.inside else 4.0) * next(draws))
        zeros = 1 if kind == BALL or next(draws) < 0.4 else 2
        degree = {CHAIN: 3, BALL: 2}.get(kind, DEGREE[self.method])
        power = 1 + int((degree - zeros) * next(draws))
        short = power == 1 and not self.inside and next(draws) < 0.3
        roots = [gap * (between(draws, -4.0, -0.3, 10.0) if short else between(draws, 0.1, 0.9)) for _ in range(zeros)]
        size = either(draws) * self.amplitude / gap ** (power + zeros)
        if zeros == 2:
            roots[1] += roots[0]
            phase[C + power + 1] = size
            phase[C + power - 1], phase[C + power] = size * roots[0] * roots[1], -size * (roots[0] + roots[1])
        else:
            phase[C + power - 1], phase[C + power] = size * roots[0], -size
        return roots

    @property
    def label(self) -> str:
        """What reproduces the case."""
        return f"--family rest --method {self.method} --seed {self.seed}"

    def terms(self, k: int) -> float:
        """Return the size of the terms of the flight of phase `k` as far as a step may go."""
        flight = self.phases[int(self.phases[k][FLIGHT])]
        over = 0.0 if self.inside else self.length / self.steps
        reach = min(self.t0 + self.length, self.ends[k] + over) - flight[T]
        return sum(i * abs(c) * reach**i for i, c in enumerate(flight[C:], 1) if c != 0.0)

    @functools.cached_property
    def sizes(self) -> list[float]:
        """The sizes of the states."""
        p, end = self.p, abs(self.t0) + self.length
        flights = (self.terms(k) for k in range(len(self.phases)) if self.phases[k][FLIGHT] >= 0)
        a = max(1e-9 * self.amplitude, *flights, 0.0)
        b = abs(self.x0[B]) + self.length * (abs(p[M0]) + abs(p[M1]) * end)
        gap = self.length / (2 * len(self.phases))
        return [a + p[M] * b, a / gap, a / gap**2, self.length * p[RATE], b]

    def run(self, mode: str = "compiled", tolerance: float = TOLERANCE) -> hy.Result:
        """Run the system; the tolerance is that of flights that begin inside the field."""
        step = self.length / self.steps
        how = {"t0": self.t0, "final_time": self.t0 + self.length, "first_step": step, "max_step": step}
        how |= {"rtol": tolerance if self.inside else 1e-3}
        how |= {"atol": (tolerance if self.inside else 1e9) * np.array(self.sizes)}
        code = 8 * (4 * DIRECTIONS.index(self.direction) + ENTRIES.index(self.entry))
        return simulator(self.method, mode).run(self.x0, params=np.array(self.p), chart=code, **SETTINGS | how)


def between(draws, least: float, most: float, base: float = 0.0) -> float:
    """Return a number between two, or, with a base, between its powers."""
    value = least + (most - least) * next(draws)
    return base**value if base else value


def either(draws) -> float:
    """Return 1 or -1."""
    return 1.0 if next(draws) < 0.5 else -1.0
