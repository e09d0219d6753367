"""RHex's compensation of a slope: legs lean further back uphill, sweep further, and stay down longer.

Legs that lean push the body up the slope, and the hips of the middle and rear legs stand lower than the front's by one
and two times the hip spacing times sin(iota alpha). alpha is the slope along the body's forward axis, nose up positive.

Source: RHexLib, rhex/RHexWalker.cc and rhex/SlopeEstimator.cc; constants of examples/exprunner/walk_test.rc. Its code
never read the file's iota: with what it did, `SlopeLaw(iota=0.01)`, the rear legs lean by half as much.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..analytic.clock import TripodGait
from ..analytic.finite import check_finite
from ..analytic.terrain import Flat, Slope, Terrain
from .clock import ClockController
from .rhex import Order, Walker

MOST_SWEEP, MOST_DUTY = 0.5, 0.2  # that the law adds [rad], [cycle]


@dataclass(frozen=True)
class SlopeLaw:
    """The law's constants, none negative.

    Raises:
        ValueError: If one is, or the length is zero.
    """

    gamma: float = 0.55  # share of the slope that the legs lean by
    iota: float = 0.1  # share of the slope that the middle and rear hips are lowered by
    ksi: float = 0.3  # sweep added per uphill slope
    epsilon: float = 0.045  # duty added per uphill slope [cycle/rad]
    spacing: float = 0.205  # h, between the hips of a side [m]
    length: float = 0.17  # l, of a leg [m]

    def __post_init__(self) -> None:
        check_finite(self)
        for name, value in vars(self).items():
            if value < 0 or (name == "length" and value == 0):
                raise ValueError(
                    f"{name} of a slope law must {'be positive' if name == 'length' else 'not be negative'}, "
                    f"got {value}"
                )

    def leans(self, slope) -> np.ndarray:
        """Return corrections of the hip angles of rear, middle and front legs, shape (..., 3) [rad]; positive is ahead.

        At small slopes it grows with their square root, so a noisy slope moves the legs on level ground.

        Args:
            slope: alpha, any shape [rad].
        """
        slope = np.asarray(slope, float)[..., None]
        drop = np.array([2.0, 1.0]) * self.spacing / self.length * np.sin(self.iota * np.abs(slope))
        lowered = np.arccos(np.clip(np.cos(self.gamma * slope) - drop, -1.0, 1.0)) + self.iota * slope
        front = (self.gamma + self.iota) * slope
        return -self.gamma * np.concatenate([np.sign(slope) * lowered, front], axis=-1)

    def sweep(self, slope) -> np.ndarray:
        """Return the correction of the sweep angle [rad], in the shape of `slope`."""
        return np.clip(self.ksi * np.asarray(slope, float), 0.0, MOST_SWEEP)

    def duty(self, slope) -> np.ndarray:
        """Return the correction of the slow phase's share of the cycle, in the shape of `slope`."""
        return np.clip(self.epsilon * np.asarray(slope, float), 0.0, MOST_DUTY)

    def compensated(self, gait: TripodGait, slope: float) -> TripodGait:
        """Return a gait for a slope [rad], from one for level ground."""
        rear, middle, front = (float(lean) for lean in self.leans(slope))
        return replace(
            gait,
            slow_time=gait.slow_time + float(self.duty(slope)) * gait.cycle_time,
            sweep_angle=gait.sweep_angle + float(self.sweep(slope)),
            rear_lean=gait.rear_lean + rear,
            middle_lean=gait.middle_lean + middle,
            front_lean=gait.front_lean + front,
        )


def slope_of(ground: Terrain) -> float:
    """Return the slope of an infinite plane along +y [rad], positive uphill.

    Raises:
        ValueError: If the ground is no plane: its slope is not one number.
    """
    if not isinstance(ground, Flat | Slope):
        raise ValueError(f"only flat ground and a slope have one slope that can be known, not {type(ground).__name__}")
    return float(np.arctan(ground.gradient(0.0, 0.0)[1]))


class SlopeEstimator:
    """The slope that an accelerometer along the body's forward axis feels, through a Butterworth low-pass of order 4.

    The authors designed the filter for 4 Hz at steps of 1 ms and stepped it every 10 ms: what ran were 0.4 Hz.

    Attributes:
        slope: The present estimate [rad], nose up positive; 0 before the first reading.
    """

    def __init__(self, g: float, cutoff: float = 0.4, period: float = 0.01):
        """Take gravity [m/s^2], the filter's corner frequency [Hz], and the time between readings [s].

        Raises:
            ValueError: If there is no gravity to feel, or the filter is faster than half the rate of the readings.
        """
        if not g > 0:
            raise ValueError(f"a slope is felt by gravity, which must be positive, got g = {g} m/s^2")
        if not (period > 0 and 0 < cutoff < 0.5 / period):
            raise ValueError(f"cutoff must lie between 0 and half a reading per period of {period} s, got {cutoff} Hz")
        from scipy.signal import butter, sosfilt  # slow to load, and only a slope that is felt needs it

        self._g, self._period, self._filter = g, period, sosfilt
        self._sections = butter(4, cutoff, fs=1.0 / period, output="sos")
        self._begin(0.0)

    def _begin(self, t: float) -> None:
        """Forget all readings before a time [s]."""
        self.slope, self._due, self._memory = 0.0, t, np.zeros((len(self._sections), 2))

    def sense(self, t: float, acceleration: float) -> None:
        """Take the reading at time t [s], if one is due: of an accelerometer, which at rest shows g sin(slope) [m/s^2].

        Shaking makes the estimate a little larger than the slope, by the curvature of the arcsine. Where time goes back
        a new run begins.
        """
        if t < self._due - 1.5 * self._period:
            self._begin(t)
        if t < self._due - 1e-9:
            return
        self._due = max(self._due, t) + self._period
        felt = np.arcsin(np.clip(acceleration / self._g, -1.0, 1.0))
        (self.slope,), self._memory = self._filter(self._sections, [felt], zi=self._memory)

    def compensation(self, law: SlopeLaw) -> Callable[[TripodGait], TripodGait]:
        """Return the compensation of a gait for the present estimate."""
        return lambda gait: law.compensated(gait, self.slope)


class SlopeFollower(ClockController):
    """The clock of a gait for level ground, from half cycle to half cycle compensated for the slope that is felt."""

    def __init__(self, gait: TripodGait, law: SlopeLaw, estimator: SlopeEstimator):
        """Take the gait, the law, and what knows the slope: call its `sense`."""
        super().__init__(gait)
        self.estimator = estimator
        self._walker = Walker(self.clock(0.0)[0], stands=True, compensate=estimator.compensation(law))
        self._walker.order = Order(gait)

    def __call__(self, t: float, hip_angle: np.ndarray) -> np.ndarray:
        """Return the hip commands (6, 3) at time t [s], as `ClockController` does; t may go back by a step at most."""
        return self.commands(*self._walker(t), hip_angle)
