"""Cost and constraints of a horizon, in one segment or several, as functions of all scaled decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..spelling import listed
from .between import Allowance
from .constraints import nodes_and_awaited, read
from .derivatives import Derivatives
from .directions import Directions, pick
from .existence import Existence
from .outputs import Outputs
from .problem import ControlProblem, Segment
from .readings import Readings
from .result import Result, Status
from .schedule import CAPACITY, order_params
from .shooting import Shooting
from .trust_region import ControlStatus, Sample

LARGE = 10.0  # large steps in a decision's range


@dataclass(frozen=True)
class ShotSegment:
    """A segment made ready: where its decisions are among all, and how it runs."""

    names: tuple[str, ...]  # of its own decisions, then of the states it starts from
    where: np.ndarray  # (k,) places of these among all decisions
    n_own: int
    scale: np.ndarray  # (k,) large steps
    order: tuple[str, ...] | None
    params: dict[str, float]
    start: dict[str, Any]  # x0, d0
    how: dict[str, Any]  # of the run
    place: int = 0  # among segments
    held: tuple[int, ...] | None = None  # nodes before each event that is awaited, if that is not to change


@dataclass(frozen=True)
class SegmentRun:
    """A segment's run, as it was read."""

    part: ShotSegment
    result: Result
    events: tuple[str, ...]
    z: np.ndarray  # (n,) all scaled decisions
    readings: Readings | None = None


class Horizon:
    """Cost and constraints of a horizon as functions of all scaled decisions, shape (n,)."""

    def __init__(self, problem: ControlProblem, shooting: Shooting, segments: Sequence[Segment]) -> None:
        self.shooting, self.problem = shooting, problem
        self.names, ranges, self.parts = [], [], []
        for i, segment in enumerate(segments):
            own = [name for name in segment.decisions if name not in self.names]
            self._check(segment)
            self.names += own
            ranges += [self.problem.decisions[name] for name in own]
            if i:
                self.names += [f"{name}@{i}" for name in self.problem.joint]
                ranges += list(self.problem.joint.values())
        box = np.array(ranges, dtype=float)
        self.scale = (box[:, 1] - box[:, 0]) / LARGE
        self.bounds = box[:, 0] / self.scale, box[:, 1] / self.scale
        self.parts = [self._part(i, segment) for i, segment in enumerate(segments)]
        self.k = max(len(part.names) for part in self.parts)
        self.n_runs = self.n_derived = 0
        self.allowances: tuple[Allowance, ...] = ()
        self.strict = False  # whether bounds of single charts are read at events too, without the ramp
        self._pattern: dict[int, tuple[str, ...]] = {}

    @property
    def n(self) -> int:
        """How many decisions there are."""
        return len(self.names)

    def _check(self, segment: Segment) -> None:
        problem = self.problem
        unknown = set(segment.decisions) - set(problem.decisions)
        if unknown:
            raise ValueError(f"unknown decisions {sorted(unknown)}; known: {listed(min(unknown), problem.decisions)}")
        if segment.order is not None and problem.node is None:
            raise ValueError("an order of events needs nodes: name their guard `node`")
        if "chart" not in {**problem.settings, **segment.settings}:
            raise ValueError("a problem needs the first chart: settings={'chart': ...}")

    def _part(self, i: int, segment: Segment) -> ShotSegment:
        problem = self.problem
        given = {**problem.settings, **segment.settings}
        params = {**(problem.settings.get("params") or {}), **(segment.settings.get("params") or {})}
        start = {name: given.pop(name, None) for name in ("x0", "d0")}
        given.pop("params", None)
        how = {"stop_at": problem.node, "final_time": 1e3, "zeno": False, "rtol": 1e-8, "atol": 1e-10} | given
        joint = tuple(problem.joint) if i else ()
        labels = [*segment.decisions, *(f"{name}@{i}" for name in joint)]
        where = np.array([self.names.index(label) for label in labels])
        if segment.order is not None:
            params |= order_params(problem.model, segment.order)
            how["chart"] = CAPACITY * problem.model.chart_code(how["chart"])
        names = (*segment.decisions, *joint)
        return ShotSegment(
            names, where, len(segment.decisions), self.scale[where], segment.order, params, start, how, i
        )

    def start(self, guess: Mapping[str, float]) -> np.ndarray:
        """Return the scaled decisions of a guess."""
        unknown = set(guess) - set(self.names)
        if unknown:
            raise ValueError(
                f"the guess has unknown decisions {sorted(unknown)}; known: {listed(min(unknown), self.names)}"
            )
        z = np.array([float(guess.get(name, self._default(name))) for name in self.names]) / self.scale
        for before, part in zip(self.parts, self.parts[1:], strict=False):
            end = self._run(before, z).x_end
            for place, name in zip(part.where[part.n_own :], part.names[part.n_own :], strict=True):
                if self.names[place] not in guess:
                    z[place] = end[self.problem.model.state_names.index(name)] / self.scale[place]
        return z

    def _default(self, name: str) -> float:
        model, given = self.problem.model, self.problem.settings
        for names, values, table in (
            (model.param_names, model.p0, given.get("params")),
            (model.state_names, model.x0, given.get("x0")),
            (model.memory_names, model.d0, given.get("d0")),
        ):
            if name in names:
                return (table or {}).get(name, values[names.index(name)])
        return 0.0

    def named(self, z: np.ndarray) -> dict[str, float]:
        """Return decisions by name, in their units."""
        return dict(zip(self.names, (z * self.scale).tolist(), strict=True))

    def events(self, runs: Sequence[SegmentRun]) -> tuple[str, ...]:
        """Return the events between nodes, over all segments."""
        return tuple(name for run in runs for name in run.events)

    def violation(self, sample: Sample) -> float:
        """Return the largest violation, bounds behind events at full weight."""
        full = [run.readings.full for run in sample.detail if run.readings is not None]
        return float(max([sample.violation, *(-min(0.0, c.min(initial=0.0)) for c in full)]))

    def hold(self, runs: Sequence[SegmentRun] | None) -> None:
        """Hold awaited events between the nodes that they are between in these runs; None: let them go."""
        for i, part in enumerate(self.parts):
            self.parts[i] = replace(part, held=None)
            if runs and part.order is not None:
                nodes, awaited = nodes_and_awaited(runs[i].result, self.problem.node, part.order)
                self.parts[i] = replace(part, held=tuple(np.searchsorted(nodes, awaited).tolist()))

    def plain(self, z: np.ndarray) -> Sample:
        """Return cost and constraints."""
        return self._sample(z, False)

    def derived(self, z: np.ndarray) -> Sample:
        """Return cost and constraints with derivatives."""
        return self._sample(z, True)

    def _sample(self, z: np.ndarray, by: bool) -> Sample:
        runs, last = [], len(self.parts) - 1
        for i, part in enumerate(self.parts):
            made = self._once(i, part, z, by, i == last)
            if isinstance(made, Sample):
                return made
            runs.append(made)
        return self._joined(z, runs, by)

    def _once(self, i: int, part: ShotSegment, z: np.ndarray, by: bool, is_last: bool) -> SegmentRun | Sample:
        """Return a segment's run, or what is in the way of it."""
        derivatives, outputs = self.tools(part)
        if by:
            self.n_derived += 1
            v = self._directions(derivatives, part)
            made = derivatives.run(v, *self._given(part, z), looser=np.inf, **part.how)
            result = made.result
        else:
            self.n_runs += 1
            made, v, result = None, None, self._run(part, z)
        events, wrong = self._events(i, part, result)
        status = ControlStatus.WRONG_ORDER
        if by and not wrong and made.existence is not Existence.EXISTS:
            status, wrong = ControlStatus.NO_DERIVATIVE, made.message
        if wrong:
            return Sample(np.inf, np.zeros(0), wrong, status, detail=(SegmentRun(part, result, events, z),))
        start = derivatives.sim.start.of(*self._given(part, z), **part.how)[0]
        return SegmentRun(part, result, events, z, read(self, part, outputs, result, start, made, v, is_last))

    def again(self, run: SegmentRun, **settings: Any) -> Result:
        """Return the result of a segment's run, made once more with other settings of the record."""
        self.n_runs += 1
        return self.tools(run.part)[0].sim.run(*self._given(run.part, run.z), **run.part.how | settings)

    def tools(self, part: ShotSegment) -> tuple[Derivatives, Outputs]:
        """Return the derivatives and outputs that serve a segment."""
        return self.shooting.runs(part.order is not None, self.k)

    def _given(self, part: ShotSegment, z: np.ndarray) -> tuple[dict, dict, dict]:
        """Return start, memory and parameters of a segment."""
        model = self.problem.model
        tables = [dict(part.start["x0"] or {}), dict(part.start["d0"] or {}), dict(part.params)]
        kinds = (model.state_names, model.memory_names, model.param_names)
        for name, value in zip(part.names, z[part.where] * part.scale, strict=True):
            next(table for table, names in zip(tables, kinds, strict=True) if name in names)[name] = float(value)
        return tables[0], tables[1], tables[2]

    def _run(self, part: ShotSegment, z: np.ndarray) -> Result:
        return self.tools(part)[0].sim.run(*self._given(part, z), record_period=None, **part.how)

    def _directions(self, derivatives: Derivatives, part: ShotSegment) -> Directions:
        """Return the large steps of a segment's decisions as directions, filled up with ones that move nothing."""
        v = pick(derivatives.model, list(part.names))
        more = self.k - v.size
        x, d, p = (np.pad(table * part.scale, ((0, 0), (0, more))) for table in (v.x, v.d, v.p))
        return Directions((*v.names, *(f"none {i}" for i in range(more))), x, d, p)

    def _events(self, i: int, part: ShotSegment, r: Result) -> tuple[tuple[str, ...], str]:
        """Return the events between nodes, and an error message if they differ from the schedule."""
        events = happened(r, self.problem.node)
        if r.status is not (Status.FINAL_TIME if part.how["stop_at"] is None else Status.STOPPED):
            return events, r.message
        asked = None if part.order is None else tuple(entry.partition("@")[0] for entry in part.order)
        if asked is None:
            asked = self._pattern.setdefault(i, events)
        if events == asked:
            return events, ""
        return events, f"asked for {', '.join(asked) or 'no events'}, got {', '.join(events) or 'none'}"

    def _joined(self, z: np.ndarray, runs: list[SegmentRun], by: bool) -> Sample:
        """Return the sum of costs and all constraints, with those that join the segments."""
        cost, c = sum(run.readings.cost for run in runs), [run.readings.c for run in runs]
        n, gradient, hessian, jac = self.n, np.zeros(self.n), np.zeros((self.n, self.n)), []
        for run in runs if by else ():
            made, where = run.readings, run.part.where
            gradient[where] += made.gradient
            hessian[np.ix_(where, where)] += made.hessian
            jac.append(_placed(made.jac, where, n))
        for before, after in zip(runs, runs[1:], strict=False):
            joint = list(self.problem.joint)
            where, scale = after.part.where[after.part.n_own :], after.part.scale[after.part.n_own :]
            states = [self.problem.model.state_names.index(name) for name in joint]
            gap = before.result.x_end[states] / scale - z[where]
            c += [gap, -gap]
            if by:
                moved = _placed(before.readings.end_by[states] / scale[:, None], before.part.where, n)
                moved[np.arange(len(where)), where] -= 1.0
                jac += [moved, -moved]
        more = (gradient, hessian, np.vstack(jac)) if by else ()
        return Sample(float(cost), np.concatenate(c), "", None, *(more or (None, None, None)), detail=tuple(runs))

    def free(self, decisions: Mapping[str, float]) -> tuple[float, tuple[str, ...], Result | None]:
        """Run the free model from segment to segment; return its cost, what happened, and the last segment's run."""
        problem, sim, cost, events = self.problem, self.shooting.free, 0.0, ()
        z = np.array([decisions[name] for name in self.names]) / self.scale
        x = d = chart = None
        for part in self.parts:
            x0, d0, params = self._given(part, z)
            params = {name: value for name, value in params.items() if name in problem.model.param_names}
            how = part.how if part.order is None else part.how | {"chart": part.how["chart"] // CAPACITY}
            if x is not None:
                x0, d0, how = x, d, how | {"chart": chart}
            r = sim.run(x0, d0, params, record_period=0.0, **how)
            events += happened(r, problem.node)
            if r.status is not (Status.FINAL_TIME if how["stop_at"] is None else Status.STOPPED):
                return np.nan, events, None
            x, d, chart = r.x_end.copy(), r.d_end, r.chart_end
        cost = 0.0 if problem.cost is None else float(x[problem.model.state_names.index(problem.cost)])
        outputs = self.shooting.runs(self.parts[0].order is not None, self.k)[1]
        if problem.terminal:
            values = outputs.values(np.array([r.t_end]), x[None], d[None], r.p, np.array([chart]))[0]
            cost += float(sum(values[outputs.names.index(name)] ** 2 for name in problem.terminal))
        return cost, events, r


def happened(r: Result, node: str | None) -> tuple[str, ...]:
    """Return the names of a run's events in their order, those of nodes left out."""
    fired = r.events.fired[r.events.kind == "transition"]
    return tuple(r.names.guards[i] for i in np.nonzero(fired)[1] if r.names.guards[i] != node)


def _placed(rows: np.ndarray, where: np.ndarray, n: int) -> np.ndarray:
    """Return rows (m, k) in the columns of all decisions, shape (m, n)."""
    made = np.zeros((len(rows), n))
    made[:, where] = rows
    return made
