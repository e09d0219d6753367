"""Several jumps of the planar hopper, shot in segments from apex to apex, from a guess that grows jump by jump.

A segment ends with the seventh tenth of a jump, where the hopper is near the top; there the next one begins, in flight.
The order of events in a segment is a touchdown, which the engine finds, and a liftoff with an interval of the controls.
First the start and one jump are solved one after the other, then with a second jump together, whose end no longer is
what is best for the first. Further jumps are guessed to be like the last one, a jump further on.

Source: nosnoc's examples/hopper_robot/hopper_ocp.py asks for five jumps in 5 s, with 50 intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tarsus.analytic.hybrid import control
from tarsus.analytic.hybrid.control import ControlProblem, Segment, Solution
from tarsus.analytic.models.planar_hopper import START, STATE_NAMES, Course, Hopper, problem

FIVE = Course(final_time=5.0, n=50, nodes=4, jumps=5, goal=5.0)  # nosnoc's, with constraints every 25 ms
# Intervals from a segment's start to its liftoff, of the best plan found for FIVE with bounds at nodes alone.
LIFTOFFS = (3, 4, 3, 4, 5)
APEX = 0.7  # share of a jump with which a segment ends
SHORT = 3  # a liftoff that leaves one interval to push with
FIRST = (8.0, 12.0, 38.0, -8.0)  # forces with which the start is guessed [N]
CLEARANCE = 1e-3  # of the foot at nodes in flight: between them it comes lower by less [m]
REFINE = 16  # times at most, where bounds are left between nodes
IDLE = 0.5  # force in flight [N]
JOINT = {
    "x": (-0.1, 5.2), "y": (0.0, 1.5), "th": (-1.5, 1.5), "r": (0.1, 0.5),
    "vx": (-10.0, 10.0), "vy": (-10.0, 10.0), "vth": (-5.0, 5.0), "vr": (-5.0, 5.0),
}  # fmt: skip


class Jumps:
    """Jumps of a course in segments.

    Args:
        course: What is asked for, in two jumps or more.
        liftoffs: For each jump the interval, from its segment's start, with which the leg leaves the ground.
        params: Masses and friction.

    Raises:
        ValueError: If there are not as many liftoffs as jumps, or one does not lie within its segment.
    """

    def __init__(self, course: Course = FIVE, liftoffs: Sequence[int] = LIFTOFFS, params: Hopper | None = None):
        share = course.n // course.jumps
        first = round(APEX * share)
        self.cuts = (0, *(first + share * i for i in range(course.jumps - 1)), course.n)
        self.course, self.liftoffs, self.length = course, tuple(liftoffs), (course.goal - START[0]) / course.jumps
        sizes = np.diff(self.cuts)
        if course.jumps < 2 or len(self.liftoffs) != course.jumps:
            raise ValueError(f"takes a liftoff for each of two jumps or more, got {self.liftoffs} for {course.jumps}")
        if not all(1 < k < size - 1 for k, size in zip(self.liftoffs, sizes, strict=True)):
            raise ValueError(f"liftoffs must lie within segments of {sizes.tolist()} intervals, got {self.liftoffs}")
        self.whole = replace(problem(course, params, clearance=CLEARANCE), joint=JOINT)

    def problem(self, n_segments: int) -> ControlProblem:
        """Return the problem of the first segments: its cost has the end's only if it comes to the end."""
        ends = n_segments == self.course.jumps
        return self.whole if ends else replace(self.whole, terminal=(), compiled=self.whole.compiled)

    def segment(self, i: int, x: np.ndarray | None = None) -> Segment:
        """Return a segment; if it is solved alone it begins with the states x, shape (8,)."""
        course, (begin, end) = self.course, self.cuts[i : i + 2]
        liftoff = f"liftoff@{course.nodes * self.liftoffs[i]}"
        settings = {
            "t0": begin * course.final_time / course.n,
            "chart": 2 * begin * course.nodes + int(i == 0),
            "stop_count": (end - begin) * course.nodes,
        }
        if x is not None:
            settings["x0"] = dict(zip(STATE_NAMES, x.tolist(), strict=True))
        names = tuple(f"{name}_{j}" for name in "uw" for j in range(begin, end))
        return Segment(names, settings, ("touchdown", liftoff) if i else (liftoff,))

    def forces(self, i: int) -> dict[str, float]:
        """Return forces to begin with in a segment: idle, a push that ends with the liftoff, the leg drawn in."""
        begin, k = self.cuts[i], self.liftoffs[i]
        w = np.full(self.cuts[i + 1] - begin, IDLE)
        if i == 0:
            w[k + 1 - len(FIRST) : k + 1] = FIRST[-(k + 1) :]
        else:
            w[k - 2 : k] = (5.0, 45.0) if k <= SHORT else (18.0, 32.0)
            w[k], w[k + 1] = -9.0, 5.0
        return {f"w_{begin + j}": float(force) for j, force in enumerate(w)}

    def moved(self, found: dict[str, float], source: int, i: int) -> dict[str, float]:
        """Return the decisions of a segment in the place of a later one, without where it begins."""
        n = self.cuts[source + 1] - self.cuts[source]
        return {f"{q}_{self.cuts[i] + j}": found[f"{q}_{self.cuts[source] + j}"] for q in "uw" for j in range(n)}

    def begun(self, x: np.ndarray, i: int, further: int) -> dict[str, float]:
        """Return the condition that a segment begins with the states x, shape (8,), so many jumps further on."""
        ahead = x + np.where(np.array(STATE_NAMES) == "x", further * self.length, 0.0)
        return {f"{name}@{i}": float(value) for name, value in zip(STATE_NAMES, ahead, strict=True)}

    def solve(self, *, tol: float = 1e-4, feasible: float = 1e-5, rho: float = 1e3, max_steps: int = 200) -> Solution:
        """Return the plan, from a guess that grows; its arguments are those of `control.solve`."""
        how = dict(tol=tol, feasible=feasible, rho=rho, max_steps=max_steps)
        n, rough = self.course.jumps, how | dict(tol=10.0 * tol, feasible=10.0 * feasible, max_steps=60)
        found = self.descend(self._one_jump(rough | {"rho": 0.1 * rho}), min(n, 3), **rough)
        return self.descend(self._more(found.decisions), n, held=True, refine=REFINE, **how)

    def descend(self, guess: dict[str, float], n: int | None = None, **how: Any) -> Solution:
        """Return the plan of the first n segments, of all by default, from a guess; `how` is as of `control.solve`."""
        n = n or self.course.jumps
        return control.solve(self.problem(n), guess, segments=[self.segment(i) for i in range(n)], **how)

    def _one_jump(self, rough: dict[str, Any]) -> dict[str, float]:
        """Return a guess for the first segments: two that were solved one after the other, the next like the second."""
        start = control.solve(self.problem(1), self.forces(0), segments=[self.segment(0, START)], **rough)
        apex = start.results[0].x_end[: len(STATE_NAMES)]
        one = control.solve(self.problem(1), self.forces(1), segments=[self.segment(1, apex)], **rough)
        guess = start.decisions | one.decisions | self.begun(apex, 1, 0)
        if self.course.jumps == 2:
            return guess
        alike = self.liftoffs[2] == self.liftoffs[1]
        return guess | (self.moved(one.decisions, 1, 2) if alike else self.forces(2)) | self.begun(apex, 2, 1)

    def _more(self, found: dict[str, float]) -> dict[str, float]:
        """Return a guess for all segments from decisions of the first three: the others are like one of these."""
        guess, last = dict(found), np.array([found.get(f"{name}@2", 0.0) for name in STATE_NAMES])
        for i in range(3, self.course.jumps):
            alike = [k for k in (1, 2) if self.liftoffs[k] == self.liftoffs[i]]
            guess |= self.moved(found, min(alike, default=1), i) | self.begun(last, i, i - 2)
        return guess | {f"w_{j}": guess.get(f"w_{j}", IDLE) for j in range(self.course.n)}
