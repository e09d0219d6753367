"""A snake on many feet: a travelling wave whose feet slide more easily along the body than across it.

The body has length 1 wavelength per wave and does not stretch: seen from the wave it glides along itself, so that a
foot moves backward along the tangent, and forward with the wave. Feet stand at equal arc length.

Source: Lighthill, Large-amplitude elongated-body theory and its use in "Flagellar hydrodynamics", SIAM Review 18 (1976)
161-230, resistive theory, for the speed of an endless one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.analytic.clock import TURN
from tarsus.analytic.contact import Feet

FINE = 400  # samples of the curve to a wave, from which arc lengths are summed


@dataclass(frozen=True)
class Snake:
    """A sinusoid of a number of waves, all lengths in wavelengths and the wave's speed 1.

    Raises:
        ValueError: If a number is not positive, the friction across is less than along, or feet are fewer than three.
    """

    amplitude: float = 0.1  # of the wave
    waves: int = 10  # along the body
    n_feet: int = 400
    gamma: float = 2.0  # friction across the body over that along it

    def __post_init__(self) -> None:
        if not 0 < self.amplitude < np.inf or self.waves < 1 or self.n_feet < 3:
            raise ValueError(
                "a snake has a positive amplitude, one wave or more and three feet or more, got "
                f"{self.amplitude}, {self.waves} and {self.n_feet}"
            )
        if not 1 <= self.gamma < np.inf:
            raise ValueError(f"gamma, friction across over that along, must be at least 1, got {self.gamma}")

    def frame(self, phase: float = 0.0):
        """Return foot positions (n, 3), velocities (n, 2) relative to the wave's frame, and `Feet`, at a phase [rad].

        The wave runs to -x, so that the snake is driven to +x; the frame moves with the body's mean, not turning.
        """
        x, angle, stretch = self._along(phase)
        y = self.amplitude * np.sin(TURN * x + phase)
        pos = np.stack([x - x.mean(), y - y.mean(), np.full_like(x, -0.1)], axis=-1)
        # Gliding forward along itself, while the wave goes to -x at speed 1.
        vel = np.stack([np.cos(angle) / stretch - 1.0, np.sin(angle) / stretch], axis=-1)
        across = np.sqrt(self.gamma - 1.0) * np.stack([-np.sin(angle), np.cos(angle)], axis=-1)
        return pos, vel, Feet(1.0, 1.0, 1.0, across)

    def _along(self, phase: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the feet's places along the wave, their tangents' angles [rad], and length along x per arc length."""
        x = np.linspace(0.0, self.waves, FINE * self.waves + 1)
        arc = np.r_[0.0, np.cumsum(np.hypot(np.diff(x), self.amplitude * np.diff(np.sin(TURN * x + phase))))]
        at = np.interp((np.arange(self.n_feet) + 0.5) * arc[-1] / self.n_feet, arc, x)
        return at, np.arctan(self.amplitude * TURN * np.cos(TURN * at + phase)), self.waves / arc[-1]

    @property
    def mean_square_cosine(self) -> float:
        """Mean of cos^2 of the tangent's angle over the arc length, Lighthill's beta."""
        slope = self.amplitude * TURN * np.cos(TURN * (np.arange(FINE) + 0.5) / FINE)
        arc = np.sqrt(1.0 + slope**2)
        return float(np.sum(1.0 / arc) / np.sum(arc))

    @property
    def lighthill(self) -> float:
        """Speed of an endless one over that of its wave: (1 - beta) (1 - 1/gamma) / (1 - beta + beta / gamma)."""
        beta, ratio = self.mean_square_cosine, 1.0 / self.gamma
        return (1.0 - beta) * (1.0 - ratio) / (1.0 - beta + beta * ratio)
