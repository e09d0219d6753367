"""The friction laws, as parameters: a foot's traction at a slip velocity v and a load F.

Every law is a frozen dataclass. `Viscous` and `Coulomb` have kernels; a new one is a `SlidingLaw` here and a line in
`connection.LAWS`. With the anisotropy w of a foot, A = 1 + w w^T is the metric of its slip: friction is larger along w
by the factor sqrt(1 + |w|^2).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from . import arrays, kernels


@dataclass(frozen=True)
class Viscous:
    """Viscous-Coulomb friction, f = -mu F A v / reference_speed: linear in velocity and in load.

    The body's velocity does not depend on the reference speed; the tractions scale with its inverse. None chooses, for
    each frame, the speed at which the feet dissipate as much as under Coulomb's law at the same slip velocities.
    """

    reference_speed: float | None = None  # [m/s]

    def __post_init__(self) -> None:
        if self.reference_speed is not None:
            arrays.number("reference_speed", arrays.positive("reference_speed", self.reference_speed))

    @property
    def kernel_code(self) -> tuple[int, float]:
        """Return the kernel's number of this law and its setting."""
        return kernels.VISCOUS, float(self.reference_speed or 0.0)


@dataclass(frozen=True)
class Coulomb:
    """Coulomb friction, f = -mu F A v / sqrt(v^T A v), and any f inside the friction ellipse at rest.

    This is the associated law: the velocity minimises the dissipation, a convex problem, for any anisotropy. The
    literal f = -mu F A v / |v| has no potential and can have several equilibria.

    Raises:
        ValueError: If `gap` is not in [1e-12, 1).
    """

    # Largest certified excess of the dissipation over its minimum, relative. Velocities are then accurate to about its
    # square root at worst; below 1e-12 it is lost in round-off.
    gap: float = 1e-9

    def __post_init__(self) -> None:
        if not 1e-12 <= arrays.number("gap", self.gap) < 1.0:
            raise ValueError(f"gap must lie in [1e-12, 1), got {self.gap}")

    @property
    def kernel_code(self) -> tuple[int, float]:
        """Return the kernel's number of this law and its setting."""
        return kernels.COULOMB, float(self.gap)


class SlidingLaw(ABC):
    """Friction as an arbitrary function of the slip speed, f = -mu F k(u) A v with u = sqrt(v^T A v).

    It has no kernel: `solve` and `slide` balance it frame by frame, a thousand times slower, starting from the viscous
    velocity. Where k(u) u decreases with u several velocities can balance, and the one found is near the viscous one.

    Attributes:
        settled: Relative change of the twist from one of the `factors` to the next that ends them early.
    """

    settled: ClassVar[float] = 0.0

    @abstractmethod
    def factors(self) -> Iterable[Callable[[np.ndarray], np.ndarray]]:
        """Return k as a function of slip speeds of any shape [m/s], in [s/m], finite at rest.

        For a root finder that needs continuation, several: from an easy approximation to the law itself, the last.
        """

    @property
    def kernel_code(self) -> tuple[int, float]:
        """Return the viscous law, from whose velocity the root finder starts."""
        return kernels.VISCOUS, 0.0
