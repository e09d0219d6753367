r"""The paper's smoothed Coulomb friction, eq. (22), with its continuation: for comparison, not for use.

.. math:: f = -\mu N\, \frac{\varepsilon + \lvert u\rvert}{\varepsilon + \lvert u\rvert^2}\, u, \qquad u = v / s,

with the reference speed s. Known faults, each with a test:

- The equation adds eps to a speed and to a squared speed, so that the solution depends on the unit of speed: the
  reference speed here is the paper's implicit 1 m/s.
- The force decreases once u exceeds 1 + sqrt(1 + eps): the law is not monotone, and several velocities can balance.
- The slope at rest is 1 for any eps: a foot that should stick creeps at about sqrt(eps).

`laws.Coulomb` has none of them. Source: Wu, Zhao and Revzen, arXiv:2310.20669, eq. (22) and section 3.1.3.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from . import arrays
from .laws import SlidingLaw


@dataclass(frozen=True)
class Epsilon(SlidingLaw):
    """The family (22), continued from `start` to smaller eps until the velocity converges.

    Raises:
        ValueError: If `factor` is not between 0 and 1, or another value is not positive.
    """

    start: float = 1e-5
    factor: float = 0.1  # of eps from one stage to the next, in (0, 1)
    settled: float = 1e-3  # relative change of the twist between two stages that ends it
    stages: int = 8  # 1 is the single approximation with `start`
    reference_speed: float = 1.0  # [m/s]

    def __post_init__(self) -> None:
        for name in ("start", "settled", "reference_speed"):
            arrays.number(name, arrays.positive(name, getattr(self, name)))
        if not 0.0 < arrays.number("factor", self.factor) < 1.0:
            raise ValueError(f"factor must lie in (0, 1), got {self.factor}")
        arrays.count("stages", self.stages)

    def factors(self) -> Iterator[Callable[[np.ndarray], np.ndarray]]:
        """Return the family's members, each with a smaller eps, as functions of slip speeds of any shape."""
        eps = self.start
        for _ in range(self.stages):
            yield partial(traction_factor, eps=eps, reference_speed=self.reference_speed)
            eps *= self.factor


def traction_factor(speed: np.ndarray, eps: float, reference_speed: float = 1.0) -> np.ndarray:
    """Return (eps + u) / (eps + u^2) / reference_speed [s/m], in the shape of `speed`; the traction over -mu F v."""
    u = speed / reference_speed
    return (eps + u) / (eps + u * u) / reference_speed
