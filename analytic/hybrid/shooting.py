"""The compiled runs of an optimal control problem, each made when it is first needed, and kept."""

from __future__ import annotations

from typing import Any

from ..compilation.rebuild import interpreted
from .derivatives import Derivatives
from .directions import pick
from .expand import to_functions
from .outputs import Outputs
from .problem import ControlProblem
from .schedule import scheduled
from .simulator import compile


class Shooting:
    """Compiles the free model, and the one with a given order, with derivatives along so many directions.

    Raises:
        ValueError: If the problem names what its model has not.
    """

    def __init__(self, problem: ControlProblem) -> None:
        self.problem, self._made = problem, {}
        model = problem.model
        known = {*model.aux_names, *model.state_names, *model.memory_names}
        for what in (*problem.running, *problem.terminal, *(bound.output for bound in problem.bounds)):
            if what not in known:
                raise ValueError(f"model {model.name} has no output {what!r}; known: {', '.join(sorted(known))}")
        for what in (*problem.margins, *problem.scales, *(b.at for b in problem.bounds if b.at not in (None, "end"))):
            if what not in model.guards:
                raise ValueError(f"model {model.name} has no guard {what!r}; known: {', '.join(model.guards)}")
        for what in (*problem.joint, *([] if problem.cost is None else [problem.cost])):
            if what not in model.state_names:
                raise ValueError(f"model {model.name} has no state {what!r}; known: {', '.join(model.state_names)}")
        pick(model, list(problem.decisions))
        self.transition = interpreted(to_functions(model).transition)

    def runs(self, ordered: bool, k: int) -> tuple[Derivatives, Outputs]:
        """Return the derivatives and outputs of the free or the scheduled model, for k directions."""
        if (ordered, k) not in self._made:
            problem = self.problem
            model = scheduled(problem.model, problem.node) if ordered else problem.model
            derivatives = Derivatives(model, k, mode=problem.mode)
            self._made[ordered, k] = derivatives, Outputs(problem.model, derivatives)
        return self._made[ordered, k]

    @property
    def free(self) -> Any:
        """The simulator of the free model."""
        if "free" not in self._made:
            self._made["free"] = compile(self.problem.model, mode=self.problem.mode)
        return self._made["free"]
