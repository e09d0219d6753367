"""Shapes of a multipod that are waves along its body, with two parameters: for the geometry of its locomotion.

With the complex amplitude z = r1 + i r2 pair k has yaw = Im(z_k) and roll = -rho Re(z_k), z_k = z exp(-i k offset). So
an undulation is a circle about zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus.analytic.contact import Feet
from tarsus.analytic.models.multipod import MultipodParams, foot_positions, foot_velocities


@dataclass(frozen=True)
class WaveShapes:
    """The waves of a multipod; see `contact.geometry.Shapes`."""

    params: MultipodParams = field(default_factory=MultipodParams)
    roll: float = 0.5  # rho, amplitude of the roll per yaw [1]
    phase_offset: float = 1.35 * np.pi  # by which a pair is behind the one in front of it [rad]

    @property
    def feet(self) -> Feet:
        """Feet and weight of the robot."""
        return Feet(self.params.leaf_k, self.params.friction_coeff, self.params.total_mass * self.params.g)

    @property
    def curvature_at_rest(self) -> float:
        """The height function of x at zero in leading order, 2 K rho reach^2 / (weight of a segment) [m].

        There all feet stand; a roll loads a foot by K reach times it, and a yaw moves it by reach times it.
        """
        weight = self.params.total_mass * self.params.g / self.params.n_segments
        return 2.0 * self.params.leaf_k * self.roll * self.params.reach**2 / weight

    def circle(self, radius: float, count: int = 400) -> np.ndarray:
        """Return the undulation with this yaw amplitude, walking forward, shapes (count, 2)."""
        turn = 2 * np.pi * np.arange(count) / count
        return radius * np.stack([np.cos(turn), np.sin(turn)], axis=-1)

    def _pairs(self, r) -> np.ndarray:
        z = (np.asarray(r)[..., 0] + 1j * np.asarray(r)[..., 1])[..., None]
        z = z * np.exp(-1j * self.phase_offset * np.arange(self.params.n_segments))
        return np.stack([z.imag, -self.roll * z.real], axis=-1)  # (..., n_segments, 2)

    def place(self, r) -> np.ndarray:
        """Return foot positions, shape (..., n_legs, 3) [m], of shapes (..., 2)."""
        return foot_positions(self.params, self._pairs(r))

    def move(self, r, rate) -> np.ndarray:
        """Return foot velocities, shape (..., n_legs, 3) [m/s], of shapes (..., 2) and rates (..., 2)."""
        return foot_velocities(self.params, self._pairs(r), self._pairs(rate))
