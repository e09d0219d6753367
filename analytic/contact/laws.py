"""The friction laws, as parameters: what a foot's traction is at a slip velocity v and a load F.

Every law is a frozen dataclass; a new one is a class and a line in `LAWS`. With the anisotropy w of a foot,
A = 1 + w w^T is the metric of its slip: friction is larger along w by the factor sqrt(1 + |w|^2).
"""

from __future__ import annotations

from dataclasses import dataclass

from . import kernels


@dataclass(frozen=True)
class Viscous:
    """Viscous-Coulomb friction, f = -mu F A v / reference_speed: linear in velocity and in load.

    The body's velocity does not depend on the reference speed; the tractions scale with its inverse. None takes, frame
    by frame, the speed at which the feet dissipate what they would under Coulomb's law at the same slips.
    """

    reference_speed: float | None = None  # [m/s]

    def __post_init__(self) -> None:
        if self.reference_speed is not None and not 0.0 < self.reference_speed < float("inf"):
            raise ValueError(f"reference_speed must be positive and finite or None, got {self.reference_speed}")

    @property
    def kernel_code(self) -> tuple[int, float]:
        """Return the kernel's number of this law and its setting."""
        return kernels.VISCOUS, float(self.reference_speed or 0.0)


@dataclass(frozen=True)
class Coulomb:
    """Coulomb friction, f = -mu F A v / sqrt(v^T A v), and any f inside the friction ellipse at rest.

    This is the associated law: the velocity minimises the dissipation, a convex problem, whatever the anisotropy. The
    literal f = -mu F A v / |v| has no potential and can have several equilibria.
    """

    # Largest proved excess of the dissipation over its minimum, relative. Velocities are then good to about its square
    # root at worst; below 1e-12 it is lost in rounding.
    gap: float = 1e-9

    def __post_init__(self) -> None:
        if not 1e-12 <= self.gap < 1.0:
            raise ValueError(f"gap must lie in [1e-12, 1), got {self.gap}")

    @property
    def kernel_code(self) -> tuple[int, float]:
        """Return the kernel's number of this law and its setting."""
        return kernels.COULOMB, float(self.gap)
