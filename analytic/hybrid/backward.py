"""A horizon with very many decisions: its derivatives go backward, one pass for the cost and one for each end bound.

Forward derivatives cost as much for each dozen of decisions as the run itself, and give the matrix of Gauss and Newton.
Backward, the cost does not depend on how many decisions there are; the cost's second derivatives are learned on the way
(BFGS, damped), those of terminal outputs are Gauss and Newton's.

Source: Nocedal & Wright, Numerical Optimization (2006), procedure 18.2.
"""

from collections.abc import Sequence

import numpy as np

from ..compilation import has_numba
from .adjoint import Adjoint
from .existence import Existence
from .horizon import Horizon, SegmentRun
from .problem import ControlProblem, Segment
from .readings import Readings
from .shooting import Shooting
from .tableau import METHODS
from .trust_region import ControlStatus, Sample

DAMPING = 0.2  # least curvature along a step, as a share of what was thought


class BackwardHorizon(Horizon):
    """Cost and constraints of a horizon in one segment whose bounds are read at its end."""

    def __init__(self, problem: ControlProblem, shooting: Shooting, segments: Sequence[Segment]) -> None:
        why = obstacle(problem, segments)
        if why:
            raise ValueError(f"no derivatives backward: {why}")
        super().__init__(problem, shooting, segments)
        self.k = 1  # no direction is carried forward
        self._adjoint = Adjoint(problem.model)
        self._curvature: np.ndarray | None = None
        self._last: tuple[np.ndarray, np.ndarray] | None = None  # decisions and gradient of the running cost

    def derived(self, z: np.ndarray) -> Sample:
        """Return cost and constraints with derivatives."""
        plain = self.plain(z)
        if plain.message:
            return plain
        part, result, problem = self.parts[0], plain.detail[0].result, self.problem
        outputs, names = self.tools(part)[1], self._names()
        states, memory = problem.model.state_names, problem.model.memory_names

        def read(t, x, d, p):
            """Return the numbers of `names` at the end."""
            at = np.array([t]), x[None], d[None], p, np.array([result.chart_end])
            found = dict(zip(outputs.names, outputs.values(*at)[0], strict=True))
            found |= dict(zip(states, x, strict=True)) | dict(zip(memory, d, strict=True))
            return np.array([found[name] for name in names])

        self.n_derived += 1
        made = self._adjoint.run(read, part.names, *self._given(part, z), **part.how)
        if made.existence is not Existence.EXISTS:
            return Sample(np.inf, np.zeros(0), made.message, ControlStatus.NO_DERIVATIVE, detail=plain.detail)
        return self._read(z, made.value, made.by * part.scale, made.result)

    def _names(self) -> list[str]:
        """Return the names read at the end: cost, terminal outputs, bounded outputs."""
        problem = self.problem
        cost = [] if problem.cost is None else [problem.cost]
        return [*cost, *problem.terminal, *(bound.output for bound in problem.bounds)]

    def _read(self, z: np.ndarray, value: np.ndarray, by: np.ndarray, result) -> Sample:
        """Return the sample of what was read, with its derivatives along the scaled decisions."""
        problem, first = self.problem, int(self.problem.cost is not None)
        last = first + len(problem.terminal)
        cost, gradient = value[:first].sum(), by[:first].sum(axis=0)
        missed, missed_by = value[first:last], by[first:last]
        hessian = self._learned(z, gradient) if first else np.zeros((z.size, z.size))
        c, jac = [np.zeros(0)], [np.zeros((0, z.size))]
        for bound, at_end, moved in zip(problem.bounds, value[last:], by[last:], strict=True):
            for sign, limit in ((1.0, bound.lower), (-1.0, bound.upper)):
                if np.isfinite(limit):
                    c.append(np.array([sign * (at_end - limit) / bound.scale]))
                    jac.append(sign * moved[None] / bound.scale)
        cost, c = float(cost + missed @ missed), np.concatenate(c)
        run = SegmentRun(self.parts[0], result, self._pattern.get(0, ()), z, Readings(cost, c, c))
        return Sample(
            cost, c, "", None, gradient + 2.0 * missed @ missed_by, hessian + 2.0 * missed_by.T @ missed_by,
            np.vstack(jac), detail=(run,),
        )  # fmt: skip

    def _learned(self, z: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Return the quasi-Newton (BFGS) update of the running cost's Hessian, shape (n, n), by another gradient."""
        if self._last is not None and np.any(z != self._last[0]):
            s, y = z - self._last[0], gradient - self._last[1]
            b = self._curvature
            if b is None:
                b = max(float(y @ s), 1e-12) / float(s @ s) * np.eye(z.size)
            self._curvature = learned(b, s, y)
        self._last = z.copy(), gradient.copy()
        return np.abs(gradient).max() * np.eye(z.size) if self._curvature is None else self._curvature


def learned(b: np.ndarray, s: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return curvature b (n, n) after a step s along which the gradient changed by y, positive definite as b is.

    Source: Nocedal & Wright, procedure 18.2 (damped BFGS).
    """
    bs = b @ s
    curved, thought = float(s @ y), float(s @ bs)
    if curved < DAMPING * thought:
        share = (1.0 - DAMPING) * thought / (thought - curved)
        y = share * y + (1.0 - share) * bs
    return b - np.outer(bs, bs) / thought + np.outer(y, y) / float(s @ y)


def obstacle(problem: ControlProblem, segments: Sequence[Segment]) -> str:
    """Return the reason why a problem has no derivatives backward; empty if it has."""
    if len(segments) > 1 or segments[0].order is not None:
        return "they are of one segment whose events the engine finds"
    if problem.node is not None or any(bound.at != "end" for bound in problem.bounds):
        return 'bounds are read at the end only, at="end"'
    if any(bound.charts is not None for bound in problem.bounds):
        return "bounds hold in all charts"
    if problem.mode == "python" or not has_numba():
        return "they run compiled"
    if METHODS[problem.model.method].gamma:
        return "they go back over explicit steps"
    return ""
