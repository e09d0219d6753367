"""A gait of the disc with legs on its rim: a third of the legs swings while the others push.

Joints have the shape (..., n_legs, 3): lift, swing and sway, as in `analytic.models.disc`. With three legs nothing can
leave the ground for long, since the disc then rests on all three; it still walks, because two feet that push slowly
hold against one that returns fast. That is the median of Coulomb friction (Wu, Zhao and Revzen, arXiv:2310.20669,
1.2.1); with viscous friction it would not move.
"""

from dataclasses import dataclass

import numpy as np

from ..analytic.clock import TURN

GROUPS = 3  # legs take turns in so many groups around the rim


@dataclass(frozen=True)
class DiscGait:
    """Swing and lift of every leg at time t.

    Raises:
        ValueError: If the legs are too few, the period is not positive, or a number not finite.
    """

    n_legs: int
    amplitude: float  # of the swing [rad]
    lift: float = 0.02  # of a swinging foot [m]
    period: float = 1.5  # [s]

    def __post_init__(self) -> None:
        if self.n_legs < GROUPS:
            raise ValueError(f"the disc's gait needs {GROUPS} legs or more, one to a group, got {self.n_legs}")
        if not 0 < self.period < np.inf:
            raise ValueError(f"period must be positive, got {self.period} s")
        if not (np.isfinite(self.amplitude) and np.isfinite(self.lift)):
            raise ValueError(f"amplitude and lift must be finite, got {self.amplitude} and {self.lift}")

    def __call__(self, t) -> tuple[np.ndarray, np.ndarray]:
        """Return joints and their rates at time t [s], shape (..., n_legs, 3) both [m, rad, rad], per second."""
        phase = np.arange(self.n_legs) / GROUPS + np.asarray(t, float)[..., None] / self.period
        cycle = np.mod(phase, 1.0)  # 0 to 2/3 the foot pushes back, then it returns
        duty = 1 - 1 / GROUPS
        pushing, through = cycle < duty, (cycle - duty) / (1 - duty)
        swing = self.amplitude * np.where(pushing, 2 * cycle / duty - 1, 1 - 2 * through)
        swing_rate = self.amplitude / self.period * np.where(pushing, 2 / duty, -2 / (1 - duty))
        lift = np.where(pushing, 0.0, 0.5 * self.lift * (1 - np.cos(TURN * through)))
        lift_rate = np.where(pushing, 0.0, 0.5 * self.lift * TURN * np.sin(TURN * through) / (1 - duty) / self.period)
        still = np.zeros_like(swing)
        return np.stack([lift, swing, still], axis=-1), np.stack([lift_rate, swing_rate, still], axis=-1)
