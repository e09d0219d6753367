"""The compiled runs of an optimal control problem, each made when it is first needed, and kept."""

from ..compilation.rebuild import interpreted
from .derivatives import Derivatives
from .expand import to_functions
from .model import Model
from .outputs import Outputs
from .schedule import scheduled
from .simulator import Simulator, compile


class Shooting:
    """Compiles a free model, and the same with a given order, with derivatives along so many directions."""

    def __init__(self, model: Model, node: str | None, mode: str) -> None:
        self.model, self.node, self.mode = model, node, mode
        self.transition = interpreted(to_functions(model).transition)
        self._made: dict[tuple[bool, int], tuple[Derivatives, Outputs]] = {}
        self._free: Simulator | None = None

    def runs(self, ordered: bool, k: int) -> tuple[Derivatives, Outputs]:
        """Return the derivatives and outputs of the free or the scheduled model, for k directions."""
        if (ordered, k) not in self._made:
            model = scheduled(self.model, self.node) if ordered else self.model
            derivatives = Derivatives(model, k, mode=self.mode)
            self._made[ordered, k] = derivatives, Outputs(self.model, derivatives)
        return self._made[ordered, k]

    @property
    def free(self) -> Simulator:
        """The simulator of the free model."""
        if self._free is None:
            self._free = compile(self.model, mode=self.mode)
        return self._free
