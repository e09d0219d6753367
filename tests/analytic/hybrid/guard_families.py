"""Families of systems that try to hide zeros of a guard from the engine, and what every log must say about them.

Usage: python tests/analytic/hybrid/guard_families.py [--cases 100000] [--method dop853] [--family NAME] [--processes 2]
       python tests/analytic/hybrid/guard_families.py --family NAME --seed 17      shows one case
Runtime: about a minute of CPU time for 100,000 cases of a family, two for sines, after compiling.

The states are polynomials of time whose degree a method represents exactly, so a step's dense output is the solution
to rounding, whatever its length. `guard_draws` draws the cases, `guard_values` has the guards, `guard_nodes` where they
turn, and `guard_exact` judges with 50 digits where floats do not settle a case; guards that rest at zero are in
`guard_rest` and `guard_rest_truth`. All of it knows nothing of the engine,
which is asked by `Simulator.run` alone. The table counts cases, those whose log is wrong, those excused because exact
arithmetic finds a place that a run cannot know, those that floats did not settle, and events.
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

import guard_draws
import guard_rest
import guard_values
import numpy as np
from guard_exact import judge
from guard_rest_truth import complaints, only_times
from guard_values import ACT, FORMULAS, NAMES, RATE, ROOTED, X, Y, rounding, value_at
from tqdm import tqdm

from tarsus.analytic import hybrid as hy
from tarsus.analytic.compilation import jit
from tarsus.analytic.hybrid import Status

REST = len(NAMES)  # the family whose cases `guard_rest` draws
FAMILIES = (*NAMES, "rest")
DEGREE = {"dop853": 7, "dopri5": 4}  # of the states: that of the method's dense output
STATE = {"dop853": 64.0, "dopri5": 32.0}  # rounding of a step's dense output, in units of EPS times the state's size
DIRECTIONS = (-1, 0, 1)
SETTINGS = {"rtol": 1e-3, "atol": 1e9, "record_period": None, "zeno": False, "min_gap": 0.0, "graze_tol": 0.0}
SETTINGS |= {"max_charts": 5000}  # several times the most zeros of a run: a guard that fires for ever is cut short
CHUNK = 1000  # cases a process takes at once


def model() -> hy.Model:
    """Return the model of all families: a chart for each formula and direction, and one field."""
    charts = [f"{f.__name__}_{i}" for f in FORMULAS[:ROOTED] for i in range(3)]
    params = {"p": np.zeros(guard_values.N_PARAMS)}
    model = hy.Model("families", state={"x": 0.0, "y": 0.0}, memory={"n": 0.0}, params=params, charts=charts)

    @model.field(*charts)
    def flow(t, x, d, p, dx):
        z = p[RATE] * t - 1.0
        u = v = 0.0
        for k in range(7, 0, -1):
            u = u * z + k * p[X + k]
            v = v * z + k * p[Y + k]
        dx[0] = p[RATE] * u
        dx[1] = p[RATE] * v

    for code, name in enumerate(charts):
        options = {"direction": DIRECTIONS[code % 3], "on_entry": "ignore"}
        model.add_guard(hy.Guard(f"to_{name}", charts=(name,), function=FORMULAS[code // 3], **options))

        @model.on(f"to_{name}")
        def react(t, x, d, p, code=code):
            if p[ACT] == guard_draws.DECLINE:
                return hy.DECLINE
            if p[ACT] == guard_draws.COUNT:
                d[0] += 1.0
            return code

    return model


@functools.cache
def simulator(method: str, mode: str = "compiled") -> hy.Simulator:
    """Return the compiled model."""
    return hy.compile(model(), method=method, mode=mode)


@dataclass(frozen=True)
class Case:
    """One system and its run; everything follows from family, method and seed."""

    family: int
    method: str
    seed: int
    p: np.ndarray = field(repr=False)
    t0: float  # [s]
    t1: float  # [s]
    steps: int  # that the run takes if no event restarts it
    direction: int
    nodes: np.ndarray = field(repr=False)  # times between which the guard is monotone [s]

    @classmethod
    def of(cls, family: int, method: str, seed: int) -> Case:
        """Draw the case of a seed."""
        p, setup, nodes = guard_draws.draw(np.random.default_rng(seed), family, DEGREE[method])
        t0, length, steps, direction = setup.tolist()
        return cls(family, method, seed, p, t0, t0 + length, int(steps), DIRECTIONS[int(direction)], nodes)

    @property
    def label(self) -> str:
        """What reproduces the case."""
        return f"--family {NAMES[self.family]} --method {self.method} --seed {self.seed}"

    @property
    def chart(self) -> str:
        """The chart whose guard and direction these are."""
        return f"{FORMULAS[self.family].__name__}_{DIRECTIONS.index(self.direction)}"

    @property
    def state(self) -> float:
        """The rounding of the states: that of every step, and of every restart."""
        restarts = n_changes(self.family, self.p, self.t0, self.t1, self.nodes)
        return STATE[self.method] * (self.steps + (restarts if self.p[ACT] == guard_draws.COUNT else 0))

    def run(self, mode: str = "compiled", scale: float = 1.0) -> hy.Result:
        """Run the system, its guard multiplied by `scale`."""
        p = self.p.copy()
        p[guard_values.SCALE] *= scale
        step = (self.t1 - self.t0) / self.steps
        times = {"t0": self.t0, "final_time": self.t1, "first_step": step, "max_step": step}
        return simulator(self.method, mode).run([p[X], p[Y]], params=p, chart=self.chart, **times, **SETTINGS)


def times_of(r: hy.Result) -> np.ndarray:
    """Return the times of the events that were performed or declined [s]."""
    return r.events.t[r.events.kind != "grazing"]


@jit
def n_changes(family, p, t0, t1, nodes):
    """Return how often the guard changes its sign from node to node, the ends included."""
    n = 0
    above = value_at(family, p, t0) > 0.0
    for i in range(nodes.size + 1):
        now = value_at(family, p, nodes[i] if i < nodes.size else t1) > 0.0
        n += now != above
        above = now
    return n


@jit
def is_plain(family, p, t0, t1, nodes, direction, state, events):
    """Return whether each sign change of the guard between nodes, in floats, has its one event, and no other has."""
    n = 0
    a, before = t0, value_at(family, p, t0)
    for i in range(nodes.size + 1):
        b = nodes[i] if i < nodes.size else t1
        after = value_at(family, p, b)
        if after == 0.0:
            return False
        fires = before * after < 0.0 and (direction == 0 or (after > 0.0) == (direction > 0))
        if fires:
            if n == events.size or not a < events[n] <= b:
                return False
            noise = rounding(family, p, events[n], state)
            if not abs(value_at(family, p, events[n])) <= 2.0 * noise:
                return False
            n += 1
        a, before = b, after
    return n == events.size


@dataclass
class Tally:
    """Counts over many cases."""

    cases: int = 0
    wrong: int = 0
    excused: int = 0
    judged: int = 0  # not settled by floats
    events: int = 0
    cpu: float = 0.0  # [s]
    sentences: list = field(default_factory=list)  # what is wrong, with the case

    def add(self, case: Case, r: hy.Result) -> None:
        """Count a case and what its run made of it."""
        times = times_of(r)
        wrong = [] if r.status is Status.FINAL_TIME and r.t_end == case.t1 else [r.message]
        wrong += [] if r.counts["transitions"] + r.counts["declined"] == times.size else ["counts are not the log's"]
        if case.p[ACT] == guard_draws.COUNT and r.d_end[0] != times.size:
            wrong.append(f"the memory has counted {r.d_end[0]:.0f} of {times.size} events")
        given = (case.family, case.p, case.t0, case.t1, case.nodes, case.direction, case.state)
        most = 2 * (case.nodes.size + 2)  # for each zero that there may be, an event and one more
        if times.size > most:
            wrong.append(f"{times.size} events, from {times[0]!r} on, where there are {most} at the very most")
        if not wrong and not is_plain(*given, times):
            wrong, unknown = judge(*given, times.tolist())
            self.judged += 1
            self.excused += not wrong and unknown > 0
        self.count(case, times.size, wrong)

    def count(self, case: Case | guard_rest.Case, events: int, wrong: list[str]) -> None:
        """Count a case, its events, and what is wrong with it."""
        self.cases += 1
        self.events += events
        if wrong:
            self.wrong += 1
            more = [f"and {len(wrong) - 3} more"] if len(wrong) > 3 else []
            self.sentences.append(f"{case.label}: {'; '.join(wrong[:3] + more)}")

    def merge(self, other: Tally) -> None:
        """Add another's counts."""
        for name in ("cases", "wrong", "excused", "judged", "events", "cpu", "sentences"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def tally(family: int, method: str, seeds: range, mode: str = "compiled") -> Tally:
    """Run the cases of some seeds and return the counts."""
    counts = Tally()
    begin = time.process_time()
    for seed in seeds:
        if family == REST:
            case = guard_rest.Case.of(method, seed)
            r = case.run(mode)
            wrong, known = complaints(case, r)
            if wrong and only_times(wrong) and case.inside:  # the steps' own error, or the events': the first shrinks
                wrong, known = complaints(case, case.run(mode, 0.1 * guard_rest.TOLERANCE))[0], False
            counts.excused += not known
            counts.count(case, len(r.events), wrong)
        else:
            case = Case.of(family, method, seed)
            counts.add(case, case.run(mode))
    counts.cpu = time.process_time() - begin
    return counts


def show(family: int, method: str, seed: int) -> None:
    """Print a case, its parameters, where its guard turns or is zero, and its events."""
    case = guard_rest.Case.of(method, seed) if family == REST else Case.of(family, method, seed)
    r = case.run()
    turns = case.roots if family == REST else case.nodes.tolist()
    print(case, f"parameters {list(map(float, case.p))}", f"nodes {turns}", sep="\n")
    log = zip(r.events.t.tolist(), r.events.kind.tolist(), strict=True)
    print(f"{r.message}: events", *(f"{t!r} {kind}" for t, kind in log), sep="\n  ")
    counts = tally(family, method, range(seed, seed + 1))
    print(*counts.sentences or ["right" if not counts.excused else "excused"], sep="\n")


def main() -> int:
    """Run the command line; the exit status is 1 if a log is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000, help="of each family")
    parser.add_argument("--method", choices=DEGREE, default="dop853")
    parser.add_argument("--family", choices=FAMILIES, help="only this one")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, help="show the case of this seed instead")
    args = parser.parse_args()
    families = range(len(FAMILIES)) if args.family is None else [FAMILIES.index(args.family)]
    if args.seed is not None:
        if args.family is None:
            parser.error("--seed shows a case of one family: give --family, too")
        show(families[0], args.method, args.seed)
        return 0
    table = {}
    tally(families[0], args.method, range(1))  # compiles, once for all processes; those then load the code
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(args.processes, context, tally, (families[0], args.method, range(1))) as pool:
        for family in families:
            table[family] = Tally()
            seeds = [range(i, min(i + CHUNK, args.cases)) for i in range(0, args.cases, CHUNK)]
            for part in tqdm(
                pool.map(functools.partial(tally, family, args.method), seeds),
                FAMILIES[family],
                total=len(seeds),
                disable=None,
            ):
                table[family].merge(part)
            print(*table[family].sentences[:5], sep="\n", flush=True)
    words = ("cases", "wrong", "excused", "judged", "events")
    print(f"{args.method:10s}", *(f"{word:>10s}" for word in (*words, "per CPU s")))
    for family, t in table.items():
        print(f"{FAMILIES[family]:10s}", *(f"{getattr(t, word):10d}" for word in words), f"{t.cases / t.cpu:10.0f}")
    return int(any(t.wrong for t in table.values()))


if __name__ == "__main__":
    sys.exit(main())
