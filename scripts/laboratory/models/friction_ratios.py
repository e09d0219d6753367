"""Friction of each foot relative to their geometric mean, learned while a robot of six legs or fewer walks.

A Kalman filter on log mu, a random walk, with the mean log fixed: a common factor changes no velocity. A foot that
sticks says nothing of its friction in that frame, which the derivatives know.
"""

import numpy as np

from tarsus.analytic.contact.kernels import MU
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.models.sliding_observation import SlidingObservation
from tarsus.controllers.observer import Estimate, Seen, Tare, bin_of, filtered, refuse

MOST_LEGS = 6
COARSE = 4.0  # times what the model misses on even ground: that is what it misses once friction differs
SYSTEMATIC = 0.2  # error of log mu that does not average out, as MuJoCo shows it
LARGEST = 2.5  # of log mu either way


class FrictionRatios:
    """The observer.

    Args:
        params: The robot.
        drift: By which log mu may change in the root of a second [1/s^0.5].
        first: How far from equal they may be at first.

    Attributes:
        skipped: Frames that said nothing: not wholly measured, or without a derivative.

    Raises:
        ValueError: If there are more than six legs: the model then errs by as much as the friction of a foot changes.
    """

    def __init__(self, params: MultipodParams, drift: float = 0.03, first: float = 0.5) -> None:
        if params.n_legs > MOST_LEGS:
            refuse("friction of every foot")
        n = params.n_legs
        self._model, self._drift, self._tare, self.skipped = SlidingObservation(params), drift, None, 0
        self._value, self._covariance = fixed_mean(np.zeros(n), first**2 * np.eye(n))

    def tare(self, frames: list[Seen], phases) -> None:
        """Learn what the model misses, from a walk on even ground.

        Raises:
            ValueError: If the walk is too short; see `Tare.of`.
        """
        expected = [self._expected(seen)[0] for seen in frames]
        self._tare = Tare.of([seen.measured for seen in frames], expected, phases)

    def update(self, seen: Seen, phase: float, dt: float) -> Estimate:
        """Take a frame `dt` [s] after the last, at a phase [rad]; return the logarithms of the ratios (n,).

        Raises:
            RuntimeError: Before a tare.
        """
        if self._tare is None:
            raise RuntimeError("friction ratios must be tared by a walk on even ground first")
        self._covariance = self._covariance + self._drift**2 * dt * np.eye(len(self._value))
        expected, by, exists = self._expected(seen)
        if exists and np.isfinite(seen.measured[:3]).all():
            part = bin_of(phase)
            innovation = (seen.measured - self._tare.mean[part] - expected)[:3]
            noise = np.diag((COARSE * self._tare.deviation[part, :3]) ** 2)
            value, self._covariance = filtered(self._value, self._covariance, innovation, by[:3, :-2], noise)
            self._value = np.clip(value, -LARGEST, LARGEST)
        else:
            self.skipped += 1
        self._value, self._covariance = fixed_mean(self._value, self._covariance)
        return self.ratios

    def _expected(self, seen: Seen) -> tuple[np.ndarray, np.ndarray, bool]:
        table = self._model.table.copy()
        table[:, MU] *= np.exp(self._value)
        return self._model.slopes(seen.pos, seen.vel, table, np.zeros(2))

    @property
    def ratios(self) -> Estimate:
        """Logarithms of friction over its geometric mean (n,), which sum to zero; with the model's own error."""
        model = fixed_mean(self._value, SYSTEMATIC**2 * np.eye(len(self._value)))[1]
        return Estimate(self._value, self._covariance + model)


def fixed_mean(value: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return state and covariance with their mean known to be zero."""
    n = len(value)
    project = np.eye(n) - 1.0 / n
    return value - value.mean(), project @ covariance @ project
