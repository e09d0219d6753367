"""What strides differ from the model's, learned while walking: a displacement that is added to every prediction.

Recursive least squares with a forgetting random walk, one for each of x, y and heading, on whole strides: the measured
displacement since the pose a stride ago, less what the model says of the controls since then. Steering needs no more:
friction that differs from foot to foot is learned as well by these three numbers as by knowing it.
"""

import numpy as np

from ..analytic.clock import TURN
from ..analytic.models.sliding_walk import SlidingWalk
from .path import relative

NOISE = np.array([4e-3, 4e-3, 1e-2])  # of a stride's measured displacement [m, m, rad]
FIRST = np.array([1e-2, 1e-2, 1e-2])  # how large a bias is expected to be
DRIFT = 2e-3  # that it may change by from one stride to the next
LARGEST = 0.03  # of a bias [m, m, rad]: more is not a bias but a robot that is held
WHOLE = TURN * (1.0 - 1e-6)  # a stride, but for round-off [rad]


class StrideBias:
    """The bias of the model's strides.

    Args:
        walk: The model.

    Attributes:
        value: Measured less predicted displacement of a stride, in the frame it starts in (3,) [m, m, rad].
        variance: Of the value (3,).
    """

    def __init__(self, walk: SlidingWalk) -> None:
        self.walk, self.value, self.variance = walk, np.zeros(3), FIRST**2
        self._before, self._start = np.full(3, np.nan), np.inf
        self._held: list[np.ndarray] = []

    def add(self, pose: np.ndarray, controls: np.ndarray, phase: float) -> None:
        """Take a measured pose (3,), and the controls (3,) from then on; phase [rad] of the undulation then.

        Calls must be evenly spaced in the phase; a stride ends with the first at which it is whole.
        """
        if phase - self._start >= WHOLE:
            self._learn(pose, phase)
        if not self._held or phase - self._start >= WHOLE:
            self._before, self._start, self._held = np.array(pose), phase, []
        self._held.append(np.array(controls))

    def _learn(self, pose: np.ndarray, phase: float) -> None:
        strides = (phase - self._start) / TURN
        predicted = self.walk.stride(np.array(self._held), self._start, strides, derivatives=False).pose
        if not np.isfinite(predicted).all():
            return
        difference = (relative(pose, self._before) - predicted) / strides
        self.variance = self.variance + DRIFT**2
        gain = self.variance / (self.variance + NOISE**2)
        self.value = np.clip(self.value + gain * (difference - self.value), -LARGEST, LARGEST)
        self.variance = (1.0 - gain) * self.variance
